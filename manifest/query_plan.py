"""The query plan: which terms of a question are looked up, and in which order.

Every term costs up to two requests, so their number is bounded. The plan is the same for the
reader and the browser; `vectors/query_plan.json` holds cases for both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from manifest.search_text import search_text
from manifest.tokens import runs

TERM_LIMIT = 10
"""Terms looked up for one question. Measured on CMRC2018 (3,219 questions): ten find the right
passage first for .972, twelve for .973, sixteen or all for .974; each costs two requests."""

HOT_SHARE = 50
HOT_FLOOR = 64
"""A term is hot in more than 1/50 of the units, and at least 64 of them."""

PREFIX_SHARDS = 3
"""Shards read for one prefix."""

QUESTION_LIMIT = 2000
"""Code points of a question that are looked at."""

_FILLER_PHRASES = re.compile(
    "请问|麻烦|帮我|告诉我|我想知道|想了解|想知道|了解一下|解释一下|介绍一下|说一下|说说|讲讲|一下|"
    "是什么意思|指的是什么|是什么样的|是什么|什么叫做|什么叫|什么是|为什么要|为什么会|为什么|为何|什么时候|"
    "什么样的|什么|怎么样|怎么办|怎么|怎样|如何|有哪几种|有哪几个|有哪些|有哪几|有哪|哪几种|哪几个|哪几|"
    "哪些|哪种|哪个|哪一个|哪里|几种|几个|多少|是不是|能不能|可不可以|可以|有没有|需要|应该|"
    "之间的|之间|以及|分别|主要|一般|通常|具体|关于|对于|里面|其中|"
    "有什么|[吗呢吧啊呀的了是有和与跟]"
)
"""Words of a Chinese question that ask or join; they part what is asked about."""

_FILLER_WORDS = frozenset(
    """
    a about an and are as at be been but by can could did do does doing explain for from had has
    have how i if in into is it its me mean means of on one or please should so some tell than
    that the their them there these they this those to up us use used was we were what whats when
    where which who why will with would you your
    """.split()  # noqa: SIM905 - a list of seventy literals reads worse
)


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term to look up; a prefix stands for every term that begins with it."""

    term: str
    prefix: bool = False


def query_terms(question: str) -> list[QueryTerm]:
    """The terms of a question in its order, each once, question words and fillers left out.

    A single character of a bigram script becomes a prefix. If nothing but fillers is left, they
    are the terms.
    """
    text = search_text(question[:QUESTION_LIMIT])
    return _terms(_FILLER_PHRASES.sub(" ", text), _FILLER_WORDS) or _terms(text, frozenset())


def hot_threshold(units: int) -> int:
    """Of so many units, how many must have a term that is hot."""
    return max(HOT_FLOOR, units // HOT_SHARE + 1)


def plan_terms(terms: list[QueryTerm], hot: Mapping[str, int]) -> list[QueryTerm]:
    """At most `TERM_LIMIT` terms: those that are not hot in the order of the question, then hot
    ones by rising count of units (code-point order among equals)."""
    cold = [term for term in terms if term.prefix or term.term not in hot]
    warm = [term for term in terms if not term.prefix and term.term in hot]
    warm.sort(key=lambda term: (hot[term.term], term.term))
    return [*cold, *warm][:TERM_LIMIT]


def _terms(text: str, fillers: frozenset[str]) -> list[QueryTerm]:
    found: dict[QueryTerm, None] = {}
    for run in runs(text):
        if not run.bigrams:
            # Of an identifier the whole is looked up; with a suffix (`c++`), that form of it.
            word = run.tokens[1] if run.tokens[1:2] and run.tokens[1][-1] in "+#" else run.tokens[0]
            if word not in fillers:
                found[QueryTerm(word)] = None
        elif len(run.tokens) == 1:
            found[QueryTerm(run.tokens[0], prefix=True)] = None
        else:
            found.update((QueryTerm(pair), None) for pair in run.tokens[:-1])
    return list(found)
