"""Whether a text holds the kind of answer that a question wants: a figure, a year, a name, a list.

These are conditions, not scores. The tempting wrong answer shares the question's words and lacks
exactly what was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agent.models.question import Question, Wanted
from agent.models.sections import Words, squash, words_of
from agent.models.terms import Term, TermKind

CONTRAST = re.compile(
    "区别|差别|差异|不同|对比|相比|相反|而|优于|更|≠|不是|前者|后者|适合|适用|优点|缺点|代价|"
    r"\bvs\b|\bversus\b|\bwhile\b|\bwhereas\b|\bunlike\b|\bthan\b|\bbut\b|\bdiffer"
)
REASONING = re.compile(
    "因为|由于|因此|所以|为了|避免|防止|否则|导致|使得|从而|原因|目的|为什么|以免|才能|会造成|"
    r"\bbecause\b|\bsince\b|\bso that\b|\bin order to\b|\bavoid|\bprevent|\bdue to\b|"
    r"\bcause|\breason|\btherefore\b|\botherwise\b"
)
DEFINING = re.compile(
    "是一|是指|指的是|即|本质|定义|称为|叫做|用于|用来|负责|[=：:]|——|"
    r"\bis an?\b|\bis the\b|\bare\b|\bmeans?\b|\brefers? to\b|\bdefined\b"
)
_FIGURE = re.compile(r"\d|[二两三四五六七八九十百千万][个次倍台天年月位级层条种类]")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\d{1,2}\s?世纪")
_DATE = re.compile(
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\d{1,2}\s?[月日号]|世纪|年代|"
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
)
_MAKER = re.compile(
    r"提出|发明|创立|创建|创造|发现|设计者|作者|获|赢得|当选|"
    r"\b(?:invent|creat|propos|introduc|design|found|develop|discover|writ|wrot|won)\w*\b.*\bby\b|"
    r"\bby [A-Z]"
)
_VERSION = re.compile(r"\d+\.\d+|[a-z]+\s?\d+|版本\s?\d|\d+\s?版")
_IDENTIFIER = re.compile(
    r"(?<![/\w])[A-Za-z]\w*(?:[._-]\w+)+(?!/)|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|"
    r"(?<!\w)--?[a-z][\w-]+|@\w+|\w+\(\)"
)
_UNITS = {
    "毫秒": "毫秒|ms|millisecond",
    "微秒": "微秒|us|μs",
    "秒": "秒|s|second",
    "秒钟": "秒|s|second",
    "分钟": "分钟?|min",
    "小时": "小时|h|hour",
    "天": "天|日|day",
    "日": "日|天|day",
    "月": "个?月|month",
    "个月": "个?月|month",
    "年": "年|year",
    "字节": "字节|byte|b",
}
SUBSTANCE = 4
"""Characters (a Latin word counts for two) that an answer says beyond the question's own terms."""

_WORD_OR_CHARACTER = re.compile(r"[A-Za-z][\w'-]*|[^\W_]")


def holds(question: Question, text: str) -> bool:
    """Whether a text has the figure, the time, the maker or the name that the question wants; True
    where it wants none of them. What the question states itself does not count."""
    rest = squash(text)
    for known in (*question.numbers, *question.names):
        rest = re.sub(rf"(?<![\w.]){re.escape(known)}(?![\w.])", " ", rest)
    if question.wanted is Wanted.QUANTITY:
        if not question.unit:
            return _FIGURE.search(rest) is not None
        unit = _UNITS.get(question.unit, re.escape(question.unit))
        return re.search(rf"(?:\d|[一二两三四五六七八九十百千万半])\s*(?:{unit})", rest) is not None
    if question.wanted is Wanted.TIME:
        by_year = "年" in question.text or "year" in question.text
        return (_YEAR if by_year else _DATE).search(rest) is not None
    if question.wanted is Wanted.PERSON:
        return _MAKER.search(text) is not None
    if question.wanted is Wanted.VERSION:
        return _VERSION.search(rest) is not None
    if question.wanted is Wanted.IDENTIFIER:
        return _IDENTIFIER.search(text) is not None
    if question.wanted is Wanted.EXPANSION:
        return any(_expands(name, text) for name in question.names)
    return True


def _expands(name: str, text: str) -> bool:
    """Whether words stand in the text whose first letters make the name."""
    initials = "".join(word[0] for word in re.findall(r"[A-Za-z]+", text)).lower()
    return len(name) > 1 and name in initials


_QUALIFIERS = (
    re.compile("默认|缺省|default"),
    re.compile("最大|最多|上限|至多|maximum|at most|max"),
    re.compile("最小|最少|下限|至少|minimum|at least|min"),
)


def qualified(question: Question, text: str) -> bool:
    """Whether a figure is the one that is asked for: the default, the largest, the smallest."""
    asked = squash(question.text)
    return question.wanted is not Wanted.QUANTITY or all(
        pattern.search(squash(text)) for pattern in _QUALIFIERS if pattern.search(asked)
    )


TOLD_APART = 12
"""Characters that a statement on several things says beyond naming them, to tell them apart."""


def tells_apart(question: Question, members: Sequence[str], lead: str) -> bool:
    """Whether a block tells the sides of a comparison apart, and does not just name them together.

    It does if they stand in different members, if they head the columns of a table, or if what
    is said where they stand together contrasts them or goes well beyond their names.
    """
    sides = question.sides
    if question.wanted is not Wanted.DIFFERENCE or len(sides) < 2:
        return True
    words = [words_of(member) for member in members]
    alone = {side for each in words if len(found := _found(each, sides)) == 1 for side in found}
    if len(alone) > 1 or len(_found(words_of(lead), sides)) > 1:
        return True
    return any(
        CONTRAST.search(each.text) or _beyond(each.text, sides) >= TOLD_APART
        for each in words
        if len(_found(each, sides)) > 1
    )


def _found(words: Words, sides: Iterable[str]) -> list[str]:
    return [side for side in sides if words.has(side)]


def _beyond(text: str, known: Iterable[str]) -> int:
    for word in known:
        text = re.sub(rf"\b{re.escape(word)}\w*", " ", text)
    return sum(2 if word.isascii() else 1 for word in _WORD_OR_CHARACTER.findall(text))


def counts(question: Question, members: int, text: str) -> bool:
    """Whether so many members, or what is enumerated in the text, make the number asked for."""
    if not question.count:
        return True
    if members == question.count:
        return True
    return any(
        len(re.split("[、/／,，|]", enumerated)) == question.count
        for enumerated in _ENUMERATED.findall(text)
    )


_ENUMERATED = re.compile(
    r"[^\s。；：:;!！?？（）()]+(?:\s?[、/／,，|]\s?[^\s。；：:;!！?？（）()、/／,，|]+)+"
)


def substance(text: str, terms: Sequence[Term]) -> int:
    """How much a text says beyond the terms of the question."""
    rest = squash(text)
    for term in sorted(terms, key=lambda term: -len(term.text)):
        if term.kind not in (TermKind.MISSING, TermKind.EVERYDAY):
            if term.text.isascii():
                rest = re.sub(rf"\b{re.escape(term.text)}\w*", " ", rest)
            else:
                rest = rest.replace(term.text, " ")
    return sum(2 if word.isascii() else 1 for word in _WORD_OR_CHARACTER.findall(rest))
