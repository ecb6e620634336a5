"""A shard as text: the row asked for is read, the other hundreds are not.

A shard is validated whole when it is loaded. To keep it parsed would take seven times the memory of
its body, and to parse it again would take longer than all the rest of a search.
"""

from __future__ import annotations

import json
import re

from manifest.objects import write_object
from manifest.search_objects import Shard, TermPostings

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')


class ShardText:
    """One shard. All methods raise ValueError for a row that is none."""

    def __init__(self, shard: Shard) -> None:
        """Reads every row once, so that a broken shard is one from the beginning."""
        for _ in shard.rows():
            pass
        # Written anew, so that a row begins as it is looked for, whatever white space or unknown
        # fields the published body has.
        self._text = write_object(shard)

    @property
    def size(self) -> int:
        """Bytes held."""
        return len(self._text)

    def find(self, term: str) -> TermPostings | None:
        """The row of a term."""
        start = self._text.find(_beginning(term) + b'"')
        return None if start < 0 else self._row(start)

    def with_prefix(self, prefix: str) -> list[TermPostings]:
        """The rows of all terms with a prefix."""
        beginning = re.compile(re.escape(_beginning(prefix)))
        return [self._row(match.start()) for match in beginning.finditer(self._text)]

    def rows(self) -> list[TermPostings]:
        """All rows."""
        return list(Shard.model_validate(json.loads(self._text)).rows())

    def _row(self, start: int) -> TermPostings:
        term = _STRING.match(self._text, start + 1)
        if term is None:
            raise ValueError("a row of a shard begins with its term")
        # Behind the term only numbers and a continuation follow, and no bracket.
        row = json.loads(self._text[start : self._text.index(b"]", term.end()) + 1])
        return next(Shard.model_construct(terms=[row]).rows())


def _beginning(term: str) -> bytes:
    """How the row of a term begins. It stands nowhere else: a quote within a term is escaped."""
    return b"[" + json.dumps(term, ensure_ascii=False)[:-1].encode("utf-8")
