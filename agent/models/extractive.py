"""The built-in model: it searches, reads and answers in quotations, without any provider.

It is asked like any other model, through a request, and answers with events; it sees only the
messages. First it searches with the question as it stands; then it quotes the statements that
answer, or says that the notes do not.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence

from agent.model import (
    Done,
    Message,
    ModelEvent,
    ModelProfile,
    ModelRequest,
    Role,
    StopReason,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
)
from agent.models.answering import Found, answer
from agent.models.reading import ReadPassage, read_passages
from agent.models.sections import Said

NAME = "extractive"

PROFILE = ModelProfile(name=NAME, local=True)

SEARCH = "search_documents"
HITS = 5

STATEMENTS = 6
"""Statements quoted at most."""

NOT_ANSWERED = {
    True: "笔记里没有写。[E0]",
    False: "The notes do not say. [E0]",
}
"""By whether the question is in Chinese."""


class ExtractiveModel:
    """Answers requests in this process; nothing leaves it, and nothing is random."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        question, since = _question(request.messages)
        passages = read_passages(since)
        searched = any(message.role is Role.TOOL for message in since)
        if request.tools and not searched:
            arguments = json.dumps({"query": question, "limit": HITS}, ensure_ascii=False)
            yield ToolCallStart("1", SEARCH)
            yield ToolCallDelta("1", arguments)
            yield ToolCallEnd("1")
            yield Usage()
            yield Done(StopReason.TOOL)
            return
        yield TextDelta(_answer(question, passages))
        yield Usage()
        yield Done(StopReason.END)


def _question(messages: Sequence[Message]) -> tuple[str, Sequence[Message]]:
    """The newest question, and what was said since."""
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].role is Role.USER:
            return messages[place].text, messages[place + 1 :]
    return "", ()


def _answer(question: str, passages: Sequence[ReadPassage]) -> str:
    found = answer(question, passages)
    if found is None:
        return NOT_ANSWERED[any("\u4e00" <= char <= "\u9fff" for char in question)]
    return "\n".join(_lines(found))


def _lines(found: Found) -> list[str]:
    picked: list[Said] = list(found.chosen.picked)[:STATEMENTS]
    return [_quoted(said) for said in picked]


def _quoted(said: Said) -> str:
    words = said.passage.text[said.statement.start : said.statement.end].strip()
    return f'{said.statement.plain} [E{said.passage.label} "{words}"]'
