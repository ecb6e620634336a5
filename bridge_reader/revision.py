"""One revision of a site, and nothing else."""

from __future__ import annotations


class BoundRevision:
    """Reads objects of one revision; what is not of it cannot be reached from here."""
