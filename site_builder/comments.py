"""Takes `%%comments%%` out of a note, so that what an author hid is published nowhere.

What is code is decided by the parser that makes the page, and by nothing else: each mark is
replaced by characters of a private plane, and the tokens in which these arrive tell what it is. A
comment runs from a mark outside code to the next mark that stands outside a fence; line breaks do
not end it. One that begins a line and is never closed hides the rest of the note. Where two
readings are possible, what either hides is hidden: rather too little than a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from markdown_it.rules_core import inline

if TYPE_CHECKING:
    from markdown_it.token import Token

    from site_builder.dialect.parser import NoteParser

MARK = "%%"

PARSED_LIMIT = 700_000
"""What all the parses that find the comments of one note may cost, in the unit of `parsing_cost`.
A note that needs more hides the rest."""

_SIGNS = "\n*_`~[]<>$=^|#:+&\\!{-%"
_TEXT_PER_SIGN = 16

_PLANE = 0xF0000
_DIGITS = 0x8000
_PRIVATE = re.compile("[\U000f0000-\U000fffff]")
_PAIR = re.compile("([\U000f0000-\U000fffff])([\U000f0000-\U000fffff])")
_LINE_BEGIN = re.compile(r"(?:[ \t>]|(?:[-*+]|\d{1,9}[.)]|\[\^[^\]\s]+\]:)(?=[ \t]|$))*")
_BLANK_LINE = re.compile(r"\n[ \t>]*\n")
_ADDRESS = re.compile(r"<[^<>\s]*`[^<>\s]*@[^<>\s]*>|<[^<>\s]*@[^<>\s]*`[^<>\s]*>")
_OPENING = re.compile(r"[`~<$\\]")
_STRUCTURE = re.compile(r"[`~<>$\[\]|\\!^=&{]|\n[ \t]*(?:[-+*#:_]|\d)|\n(?: {2}|\t)")
"""What in a comment may have changed how the text behind it was read."""


def parsing_cost(text: str) -> int:
    """About how long a parser works on a text: its line ends and signs of markup count one each,
    as do sixteen other characters. A unit takes some ten microseconds."""
    return sum(map(text.count, _SIGNS)) + len(text) // _TEXT_PER_SIGN


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


def without_comments(body: str, first_line: int = 1, *, parse: bool = True) -> Published:
    """Removes the comments of `body`, whose first line is the author's line `first_line`.

    parse: False for a text that costs too much to be parsed: its first mark hides the rest.
    """
    lines: Sequence[int] = range(first_line, first_line + body.count("\n") + 1)
    text, problems, parsed = body, list[tuple[int, str]](), 0
    joint = -1
    while MARK in text:
        cost = parsing_cost(text)
        parsed += cost
        scan = _Scan(text, joint)
        if parse and parsed <= PARSED_LIMIT:
            scan.run()
        else:
            scan.give_up(everything=not parse or parsed > PARSED_LIMIT + cost)
        problems += [(lines[text.count("\n", 0, at)], what) for at, what in scan.problems]
        if not scan.cuts:
            break
        kept = _kept(len(text), scan.cuts)
        lines = [lines[line] for line in _lines_of(text, kept)]
        text = "".join(text[start:end] for start, end in kept)
        joint = sum(end - start for start, end in kept[:-1])
    return Published(text, lines, tuple(problems))


def _kept(length: int, cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), length]
    return list(zip(starts, ends, strict=True))


def _lines_of(text: str, kept: list[tuple[int, int]]) -> list[int]:
    """For each line of what is kept, the line of `text` it began on, from 0."""
    lines = [0]
    at_line_start = True
    line, counted = 0, 0
    for start, end in kept:
        line += text.count("\n", counted, start)
        counted = start
        if at_line_start and start < end:
            lines[-1] = line
        breaks = text.count("\n", start, end)
        lines.extend(range(line + 1, line + breaks + 1))
        line += breaks
        counted = end
        if start < end:
            at_line_start = text[end - 1] == "\n"
    return lines


@cache
def _parser() -> NoteParser:
    """The dialect's parser, which leaves every token where it was read.

    Imported when needed: the dialect itself needs this module.
    """
    from site_builder.dialect.parser import NoteParser

    parser = NoteParser()
    parser.core.ruler.at("inline", inline)
    parser.core.ruler.disable(["footnote_tail", "embed_blocks"])
    return parser


def _marked(text: str) -> tuple[str, list[int]]:
    """The text with its marks numbered, of the same length, and where each stands."""
    pieces = _PRIVATE.sub("\ufffd", text).split(MARK)
    places: list[int] = []
    out = [pieces[0]]
    at = len(pieces[0])
    for number, piece in enumerate(pieces[1:]):
        places.append(at)
        high, low = divmod(number, _DIGITS)
        out += (chr(_PLANE + high), chr(_PLANE + low), piece)
        at += len(MARK) + len(piece)
    return "".join(out), places


def _numbers(content: str) -> Iterable[int]:
    for high, low in _PAIR.findall(content):
        yield (ord(high) - _PLANE) * _DIGITS + ord(low) - _PLANE


def _code(text: str, marked: str, places: list[int]) -> tuple[set[int], set[int]]:
    """The numbers of the marks within fences, and within any code; none if parsing fails."""
    fenced: set[int] = set()
    spans: set[int] = set()
    blocks: set[int] = set()
    env: dict[str, dict[str, dict[int, dict[str, list[Token]]]]] = {}
    try:
        tokens = _parser().parse(marked, env)
    except Exception:  # noqa: BLE001 - then nothing is known to be code
        return fenced, spans
    notes = env.get("footnotes", {}).get("list", {}).values()
    children = [note.get("tokens") or [] for note in notes]
    for token in tokens:
        if token.type == "fence":
            fenced.update(_numbers(token.content))
        elif token.type == "code_block":
            blocks.update(_numbers(token.content))
        elif token.type == "inline":
            children.append(token.children or [])
    for child in (child for group in children for child in group):
        if child.type == "code_inline":
            spans.update(_numbers(child.content))
    # An address of mail may hold a backtick and percent signs, but no private character.
    held = [found.span() for found in _ADDRESS.finditer(text)]
    if held:
        spans = {n for n in spans if not any(a <= places[n] < b for a, b in held)}
    return fenced, fenced | spans | blocks


class _Scan:
    """One pass: cuts comments until one may have changed how the text behind it was read.

    joint: where the last comment was cut out, -1 if none was. A sign without a partner makes it
    doubtful which of two marks in a paragraph begins a comment; then what stands between goes too.
    """

    def __init__(self, text: str, joint: int = -1) -> None:
        self.text = text
        self._joint = joint
        self.problems: list[tuple[int, str]] = []
        self.cuts: list[tuple[int, int]] = []
        self._marked, self._places = _marked(text)

    def give_up(self, *, everything: bool) -> None:
        """Hides the rest of the note, from its first mark outside code or from its first mark."""
        code = set() if everything else _code(self.text, self._marked, self._places)[1]
        first = next((at for n, at in enumerate(self._places) if n not in code), -1)
        if first >= 0:
            self._cut(first, len(self.text))
            self.problems.append((first, "too many comments: the rest of the note is hidden"))

    def run(self) -> None:
        fenced, code = _code(self.text, self._marked, self._places)
        places = self._places
        opening = [n for n in range(len(places)) if n not in code]
        closing = [n for n in range(len(places)) if n not in fenced]
        turn = self._turns(opening, len(places))
        last_in_code = max(code, default=-1)
        number, close = 0, 0
        for first in opening:
            if first < number:
                continue
            while close < len(closing) and closing[close] <= first:
                close += 1
            last = closing[close] if close < len(closing) else -1
            begins_line = self._begins_line(places[first])
            if last < 0 and begins_line and first + 1 < len(places):
                last = first + 1  # a fence that was left open within the comment
            if last < 0:
                self._never_closed(places[first], begins_line)
                return
            start, end = places[first], places[last] + len(MARK)
            spans = not begins_line and _BLANK_LINE.search(self.text, start, end)
            start = self._doubtful(start) if spans else start
            if spans or last > first + 1:
                after = turn[last + 1]
                odd = (len(opening) - turn[first]) % 2
                if odd and after < len(opening):
                    last = opening[after]
                    end = places[last] + len(MARK)
            if spans:
                count = self.text.count("\n", start, end)
                self.problems.append(
                    (start, f"a comment inside a line hides the next {count} lines too")
                )
            self._cut(start, end)
            number = last + 1
            if self._misleads(start, end, code_follows=last < last_in_code):
                return

    def _misleads(self, start: int, end: int, *, code_follows: bool) -> bool:
        """Whether marks behind this comment may have been read otherwise for what it holds.

        Where none of them was read as code, only what can hide the beginning of code counts.
        """
        if code_follows:
            return _STRUCTURE.search(self.text, start, end) is not None
        brackets = self.text.count("[", start, end) - self.text.count("]", start, end)
        return bool(brackets) or _OPENING.search(self.text, start, end) is not None

    @staticmethod
    def _turns(opening: list[int], count: int) -> list[int]:
        """For each mark, and past the last, how many marks outside code stand before it."""
        turns, before = [], 0
        outside = set(opening)
        for number in range(count):
            turns.append(before)
            before += number in outside
        return [*turns, before]

    def _begins_line(self, start: int) -> bool:
        line = self.text.rfind("\n", 0, start) + 1
        found = _LINE_BEGIN.match(self.text, line, start)
        return found is not None and found.end() == start

    def _never_closed(self, start: int, begins_line: bool) -> None:
        message = "a comment begins here and is never closed"
        if begins_line:
            message += ": the rest of the note is hidden"
            self._cut(start, len(self.text))
        elif (since := self._doubtful(start)) < start:
            message += ": what stands before it is hidden"
            self._cut(since, start + len(MARK))
        elif self.cuts:
            return
        self.problems.append((start, message))

    def _doubtful(self, start: int) -> int:
        """Where the text begins that may belong to a comment which ends at `start`."""
        if 0 <= self._joint < start and not _BLANK_LINE.search(self.text, self._joint, start):
            return self._joint
        return start

    def _cut(self, start: int, end: int) -> None:
        """Blanks left at the end of a line would turn into a line break."""
        if end == len(self.text) or self.text[end] == "\n":
            floor = self.cuts[-1][1] if self.cuts else 0
            while start > floor and self.text[start - 1] in " \t":
                start -= 1
        self.cuts.append((start, end))
        self._joint = end
