"""Takes `%%comments%%` out of a note, so that what an author hid is published nowhere.

A comment runs to the next `%%` that stands outside a fence; line breaks do not end it. One that
begins a line and is never closed hides the rest of the note: rather too little than a secret. Code
is left alone, so the text is read line by line with just enough of Markdown's block structure to
know what is code. Time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

MARK = "%%"

_QUOTE = re.compile(r"(?: {0,3}> ?)*")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)")
_OPENING = re.compile(r"(`{3,})[^`\n]*$|(~{3,})", re.M)
_NO_PARAGRAPH = re.compile(r"#{1,6}(?:[ \t]|$)|(?:[-*_][ \t]*){3,}$|<!--", re.M)
_IN_TEXT = re.compile(r"\\[`\\]|`+|%%|\n")
_RUN = re.compile("`+")
_IN_COMMENT = re.compile(r"%%|^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})", re.M)
_PARAGRAPH_END = re.compile(r"\n[ \t>]*(?:\n|`{3}|~{3})")
_DEEPEST = 64
"""Lists within lists that are still told apart; a parser stops at such depths too."""

_BLANK_LINE = re.compile(r"\n[ \t>]*\n")


@dataclass(frozen=True, slots=True)
class Published:
    """A note's text without its comments.

    lines: for each line of `text`, the author's line it began on.
    problems: author's line and what to know about a comment there.
    """

    text: str
    lines: Sequence[int]
    problems: tuple[tuple[int, str], ...] = ()

    def author_line(self, line: int) -> int:
        """The author's line of a line of `text`, counted from 0; past the end, the last one."""
        return self.lines[min(line, len(self.lines) - 1)]


def without_comments(body: str, first_line: int = 1) -> Published:
    """Removes the comments of `body`, whose first line is the author's line `first_line`."""
    if MARK not in body:
        return Published(body, range(first_line, first_line + body.count("\n") + 1))
    scan = _Scan(body)
    scan.run()
    kept = list(scan.kept())
    text = "".join(body[start:end] for start, end in kept)
    problems = tuple(
        (first_line + body.count("\n", 0, where), message) for where, message in scan.problems
    )
    return Published(text, _author_lines(body, kept, first_line), problems)


def _author_lines(body: str, kept: list[tuple[int, int]], first_line: int) -> list[int]:
    lines = [first_line]
    at_line_start = True
    line, counted = first_line, 0
    for start, end in kept:
        line += body.count("\n", counted, start)
        counted = start
        if at_line_start and start < end:
            lines[-1] = line
        breaks = body.count("\n", start, end)
        lines.extend(range(line + 1, line + breaks + 1))
        line += breaks
        counted = end
        if start < end:
            at_line_start = body[end - 1] == "\n"
    return lines


@dataclass(slots=True)
class _Fence:
    depth: int
    indent: int
    mark: str


@dataclass(slots=True)
class _Lines:
    """Tells code lines from text lines, fed in order with every line outside comments."""

    fence: _Fence | None = None
    depth: int = 0
    items: list[int] = field(default_factory=list)
    in_paragraph: bool = False

    def text_start(self, line: str) -> int:
        """Where the text of this line begins, past quote and list marks; -1 for a line of code."""
        quote = _QUOTE.match(line)
        start = quote.end() if quote else 0
        depth = line.count(">", 0, start)
        rest = line[start:]
        indent = _indent(rest)
        if self.fence and self._still_fenced(rest, depth, indent):
            return -1
        if depth != self.depth:
            self.items.clear()
            self.in_paragraph = False
            self.depth = depth
        if not rest.strip():
            self.in_paragraph = False
            return len(line)
        while self.items and indent < self.items[-1]:
            self.items.pop()
        if not self.in_paragraph and indent >= self._base() + 4:
            return -1
        return self._past_items(line, start, indent)

    def _base(self) -> int:
        return self.items[-1] if self.items else 0

    def _still_fenced(self, rest: str, depth: int, indent: int) -> bool:
        """Whether the open fence holds this line; its last line is held too."""
        fence = self.fence
        if fence is None:
            return False
        bare = rest.strip()
        if depth < fence.depth or (bare and indent < fence.indent):
            self.fence = None
            return False
        if len(bare) >= len(fence.mark) and not bare.strip(fence.mark[0]):
            self.fence = None
        return True

    def _past_items(self, line: str, start: int, indent: int) -> int:
        at = start + len(line[start:]) - len(line[start:].lstrip(" \t"))
        column = indent
        while len(self.items) < _DEEPEST and (item := _ITEM.match(line, at)):
            if _NO_PARAGRAPH.match(line, at):
                break
            after = column + len(item[0])
            blank = _indent(line[item.end() :], after)
            self.items.append(after + (blank if 1 <= blank <= 4 else 1))
            self.in_paragraph = False
            if blank > 4:
                return -1
            at = item.end() + len(line[item.end() :]) - len(line[item.end() :].lstrip(" \t"))
            column = after + blank
        if opening := _OPENING.match(line, at):
            self.fence = _Fence(self.depth, self._base(), opening[1] or opening[2])
            self.in_paragraph = False
            return -1
        self.in_paragraph = not _NO_PARAGRAPH.match(line, at)
        return at


def _indent(text: str, column: int = 0) -> int:
    """Columns of white space in front of `text`, which begins in `column`."""
    start = column
    for char in text:
        if char == " ":
            column += 1
        elif char == "\t":
            column += 4 - column % 4
        else:
            break
    return column - start


class _Scan:
    """One pass over the text; collects the ranges to cut."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.problems: list[tuple[int, str]] = []
        self._cuts: list[tuple[int, int]] = []
        self._lines = _Lines()
        self._fences_count = True
        self._more_closings = True
        self._paragraph_end = -1
        self._last_runs: dict[int, int] = {}

    def kept(self) -> Iterator[tuple[int, int]]:
        start = 0
        for cut, end in self._cuts:
            yield start, cut
            start = end
        yield start, len(self.body)

    def run(self) -> None:
        body, at = self.body, 0
        while at < len(body):
            end = body.find("\n", at)
            end = len(body) if end < 0 else end
            start = self._lines.text_start(body[at:end])
            at = end + 1 if start < 0 else self._text(at + start)

    def _text(self, start: int) -> int:
        """Reads text from where it begins on a line; returns where the next line begins."""
        body, at = self.body, start
        while found := _IN_TEXT.search(body, at):
            mark, at = found[0], found.end()
            if mark == "\n":
                return at
            if mark[0] == "`":
                at = self._past_code(found.start(), at)
            elif mark == MARK:
                at = self._comment(found.start(), begins_line=found.start() == start)
        return len(body)

    def _past_code(self, start: int, end: int) -> int:
        """Past the code span that opens here, or past the backticks if none does."""
        length = end - start
        if start >= self._paragraph_end:
            limit = _PARAGRAPH_END.search(self.body, start)
            self._paragraph_end = limit.start() if limit else len(self.body)
            runs = _RUN.finditer(self.body, start, self._paragraph_end)
            self._last_runs = {run.end() - run.start(): run.start() for run in runs}
        if self._last_runs.get(length, -1) < end:
            return end
        for run in _RUN.finditer(self.body, end, self._paragraph_end):
            if run.end() - run.start() == length:
                return run.end()
        return end

    def _comment(self, start: int, *, begins_line: bool) -> int:
        body = self.body
        closing = self._closing(start + len(MARK), begins_line)
        if closing < 0 and not begins_line:
            self.problems.append((start, "a comment begins here and is never closed"))
            return start + len(MARK)
        if closing < 0:
            self.problems.append(
                (start, "a comment begins here and is never closed: the rest of the note is hidden")
            )
            self._cuts.append((start, len(body)))
            return len(body)
        if not begins_line and _BLANK_LINE.search(body, start, closing):
            last = body.count("\n", start, closing)
            self.problems.append(
                (start, f"a comment inside a line hides the next {last} lines too")
            )
        end = closing + len(MARK)
        self._cuts.append((self._without_blanks(start, end), end))
        return end

    def _without_blanks(self, start: int, end: int) -> int:
        """Blanks left at the end of a line would turn into a line break."""
        if end < len(self.body) and self.body[end] != "\n":
            return start
        floor = self._cuts[-1][1] if self._cuts else 0
        while start > floor and self.body[start - 1] in " \t":
            start -= 1
        return start

    def _closing(self, start: int, begins_line: bool) -> int:
        """Where the closing mark of a comment stands; -1 if nowhere.

        What a comment that begins a line holds may have a fence of its own left open: then the next
        mark closes it, and so it does for the rest of the note, which keeps the time linear.
        """
        at = start
        while self._fences_count and self._more_closings:
            found = _IN_COMMENT.search(self.body, at)
            if not found:
                self._more_closings = False
            elif not found[1]:
                return found.start()
            else:
                at = self._fence_end(found.end(), found[1])
                self._fences_count = at >= 0
        return self.body.find(MARK, start) if begins_line else -1

    def _fence_end(self, start: int, mark: str) -> int:
        closing = re.compile(rf"^[ \t>]*{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$", re.M)
        end = closing.search(self.body, start)
        return end.end() if end else -1
