"""Writing the answer: quotations with their marks, in the language of the question.

What is shown is a statement as it reads; what its mark quotes is the same stretch of the passage
as it stands, so that the citation can be checked like any model's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.marks import MARK_LIMIT, marks
from agent.models.answering import Considered, Found, consider
from agent.models.blocks import WHOLE_LIMIT, Block
from agent.models.reading import ReadPassage
from agent.models.sections import Said, Section
from agent.models.statements import Kind, Statement
from agent.quotations import is_long_enough

_CLOSEST = 2
"""Sections named where the notes do not answer."""

_QUOTES = (('"', '"'), ("“", "”"), ("「", "」"), ("『", "』"), ("«", "»"))
_HAN = re.compile("[\u3400-\u9fff]")
_OTHER_CJK = re.compile("[\u3040-\u30ff\uac00-\ud7af\u0e00-\u0e7f]")
_BRACKETS = str.maketrans("[]【】［］", "()()()")


def write_answer(question: str, passages: Sequence[ReadPassage]) -> str:
    """The answer to a question from what was read: Markdown with marks, or that there is none."""
    considered = consider(question, passages)
    chinese = bool(_HAN.search(question)) and not _OTHER_CJK.search(question)
    if considered.found is None:
        return _declined(considered, chinese=chinese)
    source = _source(considered.found.judged.section, chinese=chinese)
    return f"{source}\n\n{_quoted(considered.found)}"


def _declined(considered: Considered, *, chinese: bool) -> str:
    said = "笔记没有回答这个问题。[E0]" if chinese else "The notes do not answer this. [E0]"
    if not considered.closest:
        return said
    places = [_place(section, chinese=chinese) for section in considered.closest[:_CLOSEST]]
    closest = "最接近的是：" if chinese else "The closest sections are:"
    return "\n".join((said, "", closest, "", *(f"- {place}" for place in places)))


def _source(section: Section, *, chinese: bool) -> str:
    place = _place(section, chinese=chinese)
    return f"{place}：" if chinese else f"From {place}:"


def _place(section: Section, *, chinese: bool) -> str:
    title, heading = _clean(section.place[0]), _clean(section.place[-1])
    if len(section.place) == 1:
        return f"《{title}》" if chinese else f"“{title}”"
    return f"《{title}》的“{heading}”" if chinese else f"“{title}”, section “{heading}”"


def _quoted(found: Found) -> str:
    chosen = found.chosen
    if chosen.whole:
        return _whole(chosen.block)
    lines = [
        f"{_reads(said.statement)} {_mark(said.passage, _span(chosen.block, said))}"
        for said in chosen.picked
    ]
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)


def _whole(block: Block) -> str:
    """A block in one piece: what leads to it, its members, one mark for all."""
    passage = block.members[0].passage
    span = _wide_enough(passage.text, [(block.start, block.end)])
    mark = _mark(passage, span)
    if len(block.members) == 1:
        return f"{_clean(block.lead)} {_reads(block.members[0].statement)} {mark}".strip()
    lines = [
        f"{' ' * min(said.statement.depth, 8)}- {_reads(said.statement)}" for said in block.members
    ]
    lead = [_clean(block.lead), ""] if block.lead and block.kind is not Kind.ROW else []
    return "\n".join([*lead, *lines[:-1], f"{lines[-1]} {mark}"])


def _reads(statement: Statement) -> str:
    """A statement as it reads; of a row, its first cell names what the others say."""
    if statement.kind is Kind.CODE:
        return "`" + _clean(" ".join(statement.plain.replace("`", "").split())) + "`"
    cells = [_clean(cell) for cell in statement.cells if cell]
    if len(cells) > 1:
        colon, stop = ("：", "；") if _HAN.search(statement.plain) else (": ", "; ")
        return f"{cells[0]}{colon}{stop.join(cells[1:])}"
    return _clean(statement.plain)


def _clean(text: str) -> str:
    """Without brackets that could read as a mark of ours."""
    return text.translate(_BRACKETS) if marks(text) or "[E" in text else text


def _span(block: Block, said: Said) -> tuple[int, int]:
    """What of the passage is quoted for one statement: itself, or with what it belongs to where
    alone it is too short to be checked."""
    own = said.statement
    spans = [(own.start, own.end)]
    if own.lead_start >= 0:
        spans.append((own.lead_start, own.end))
    spans.append((block.start, block.end))
    return _wide_enough(said.passage.text, spans)


def _wide_enough(text: str, spans: list[tuple[int, int]]) -> tuple[int, int]:
    """The first span that is long enough to be checked, else the first, widened line by line."""
    for start, end in spans:
        if end - start <= WHOLE_LIMIT and is_long_enough(text[start:end]):
            return start, end
    start, end = spans[0]
    while not is_long_enough(text[start:end]) and (start > 0 or end < len(text)):
        start = text.rfind("\n", 0, max(0, start - 1)) + 1 if start > 0 else 0
        stop = text.find("\n", end + 1)
        end = stop if stop >= 0 else len(text)
    return start, end


def _mark(passage: ReadPassage, span: tuple[int, int]) -> str:
    """The mark that quotes a span, in quotation marks that its words do not upset."""
    words = passage.text[span[0] : span[1]].strip()
    for opening, closing in _QUOTES:
        mark = f"[E{passage.label} {opening}{words}{closing}]"
        read = marks(mark) if len(mark) < MARK_LIMIT else []
        if len(read) == 1 and read[0].end == len(mark) and read[0].claims[0].words == words:
            return mark
    return f"[E{passage.label}]"
