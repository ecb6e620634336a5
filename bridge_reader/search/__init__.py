"""Searching a revision: only what a question needs is fetched."""
