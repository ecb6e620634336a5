"""What hits must fulfil, beside having words of the question. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from manifest.objects import LeafDocument


@dataclass(frozen=True, slots=True)
class Filters:
    """What hits must fulfil; empty fields ask for nothing.

    language: BCP 47, `zh` stands for `zh-CN` too. folder: a path below the site. tag: without `#`,
    and a tag stands for those below it. doc_id: search in this document alone. since, until: days
    (YYYY-MM-DD, both included), against the date a note says it was updated, else its date.
    """

    language: str = ""
    folder: str = ""
    tag: str = ""
    doc_id: str = ""
    since: str = ""
    until: str = ""

    @property
    def by_date(self) -> bool:
        """Whether dates are asked for, which only the document tree knows."""
        return bool(self.since or self.until)

    @property
    def by_row(self) -> bool:
        """Whether documents must be looked at one by one."""
        return bool(self.language) or self.by_date

    def admit_language(self, language: str) -> bool:
        """Whether a document in that language passes."""
        wanted = self.language.lower()
        return not wanted or f"{language.lower()}-".startswith(f"{wanted}-")

    def admit_date(self, row: LeafDocument) -> bool:
        """Whether a document of that date passes; one without a date does not, if one is asked."""
        if not self.by_date:
            return True
        day = _day(row.updated or "") or _day(row.date or "")
        return bool(day) and self.since <= day and (not self.until or day <= self.until)

    def admit(self, row: LeafDocument) -> bool:
        """Whether a document passes all filters but that by document."""
        tags = [f"{tag.lower()}/" for tag in row.tags]
        return (
            self.admit_language(row.language)
            and self.admit_date(row)
            and (not self.folder or f"{row.url.rstrip('/')}/".startswith(f"{self.folder}/"))
            and (not self.tag or any(tag.startswith(f"{self.tag}/") for tag in tags))
        )


_DATE = re.compile(r"\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")


def _day(written: str) -> str:
    """The day of a date as an author wrote it, as YYYY-MM-DD; empty if it is none."""
    match = _DATE.match(written)
    return f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}" if match else ""
