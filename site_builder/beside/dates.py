"""Dates as authors write them, read where the writing leaves no doubt.

Nothing is guessed: `03/04/2024` is a date in neither month, and a time without its zone counts as
UTC, so that every machine reads the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

_DATE = re.compile(
    r"(?P<year>\d{4})[-/.年](?P<month>\d{1,2})[-/.月](?P<day>\d{1,2})日?"
    r"(?:(?:[T\s]|,\s)\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<zone>Z|z|UTC|[+-]\d{2}:?\d{2})?)?",
    re.A,
)
_EARLIEST = 1000
_LATEST = 9998
"""Years that every calendar library can move by a zone's hours."""


@dataclass(frozen=True, slots=True, order=True)
class NoteDate:
    """A day, or a moment. at: in UTC, midnight for a day. local: as the author's zone has it."""

    at: datetime
    local: datetime
    timed: bool

    def w3c(self) -> str:
        """As sitemaps and JSON-LD write it: a day stays a day."""
        return self.rfc3339() if self.timed else f"{self.local:%Y-%m-%d}"

    def rfc3339(self) -> str:
        """As Atom writes it: always a moment."""
        return self.local.isoformat(timespec="seconds").replace("+00:00", "Z")


@lru_cache(maxsize=8192)
def note_date(text: str) -> NoteDate | None:
    """The date that front matter states, such as `2024-01-02`, `2024年1月2日` or
    `2024-01-02T10:00:00+08:00`; none if it is not one or could be read in two ways."""
    found = _DATE.fullmatch(text.strip())
    if found is None or not _EARLIEST <= int(found["year"]) <= _LATEST:
        return None
    try:
        local = datetime(
            int(found["year"]),
            int(found["month"]),
            int(found["day"]),
            int(found["hour"] or 0),
            int(found["minute"] or 0),
            int(found["second"] or 0),
            tzinfo=_zone(found["zone"] or ""),
        )
    except ValueError:
        return None
    return NoteDate(local.astimezone(UTC), local, found["hour"] is not None)


def _zone(written: str) -> timezone:
    """Raises ValueError for a zone further off than a day."""
    if not written or written in ("Z", "z", "UTC"):
        return UTC
    sign = -1 if written[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(written[1:3]), minutes=int(written[-2:])))


def last_change(date: str, updated: str) -> NoteDate | None:
    """When a note last changed, by its own words: its update, else its date."""
    return note_date(updated) or note_date(date)
