"""The built-in model: it answers in quotations, needs no network, and is reached like any other.

It sees only a request's messages. Of a new question it asks for a search; of what the search shows
it asks for the best documents; then it answers from the passages at hand, or says that the notes
do not answer. Without tools it answers at once from all that was read, which is how runs end whose
time is over.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent.model import (
    Done,
    Message,
    ModelEvent,
    ModelProfile,
    ModelRequest,
    Role,
    StopReason,
    TextDelta,
    ToolCallContent,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    ToolResultContent,
    Usage,
    tools_named,
)
from agent.models.quoting import write_answer
from agent.models.reading import ReadPassage, read_passages

NAME = "extractive"

PROFILE = ModelProfile(name=NAME, window=1_000_000, max_output=16_384, local=True)

SEARCH = "search_documents"
READ = "get_document"

HITS = 5
"""Documents asked of a search: each costs a page of document rows and most of them a text, and a
first question is to read no more than 200 kB in 40 requests."""

DOCUMENTS = 4
"""Documents read whole, best first."""

PART = 20_000
"""Characters asked of a document at once ..."""

PARTS = 3
"""... and how many such parts are read of one."""

PIECE = 40
"""Characters of one text delta."""

_GO_ON = re.compile(r"Go on with offset (\d+)\.")


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    arguments: Mapping[str, str | int]

    @property
    def key(self) -> str:
        """What makes two calls the same, in one spelling."""
        return f"{self.name} {json.dumps(self.arguments, ensure_ascii=False, sort_keys=True)}"


class ExtractiveModel:
    """Answers requests. It keeps nothing between them: equal requests, equal answers."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """The events of one answer. Never an error; usage is that of no tokens."""
        question = _question(request.messages)
        turns = _since_question(request.messages)
        calls = _calls(question, turns) if {SEARCH, READ} <= tools_named(request.tools) else []
        if calls:
            for number, call in enumerate(calls):
                key = str(number)
                yield ToolCallStart(key, call.name)
                yield ToolCallDelta(key, json.dumps(call.arguments, ensure_ascii=False))
                yield ToolCallEnd(key)
            yield Usage()
            yield Done(StopReason.TOOL)
            return
        # Where the question was put again at the end, what was read stands before it.
        passages = read_passages(turns) or read_passages(request.messages)
        for piece in _pieces(write_answer(question, passages)):
            yield TextDelta(piece)
        yield Usage()
        yield Done(StopReason.END)


def _question(messages: Sequence[Message]) -> str:
    asked = [message.text for message in messages if message.role is Role.USER]
    return asked[-1] if asked else ""


def _since_question(messages: Sequence[Message]) -> Sequence[Message]:
    last = max(
        (index for index, message in enumerate(messages) if message.role is Role.USER), default=0
    )
    return messages[last:]


def _calls(question: str, turns: Sequence[Message]) -> list[_Call]:
    """What is to be read next; nothing where it is time to answer."""
    made = [
        _Call(part.name, {name: _plain(value) for name, value in part.arguments.items()})
        for message in turns
        for part in message.content
        if isinstance(part, ToolCallContent)
    ]
    if not made:
        return [_Call(SEARCH, {"query": question, "limit": HITS})]
    wanted = _to_read(turns) if len(made) == 1 else _further_parts(turns, made)
    known = {call.key for call in made}
    return [call for call in wanted if call.key not in known]


def _plain(value: object) -> str | int:
    return value if isinstance(value, str | int) else str(value)


def _to_read(turns: Sequence[Message]) -> list[_Call]:
    """After the search: its best documents."""
    return [_document(name, 0) for name in _documents(read_passages(turns))[:DOCUMENTS]]


def _further_parts(turns: Sequence[Message], made: Sequence[_Call]) -> list[_Call]:
    """The next parts of documents that are longer."""
    read = [call for call in made if call.name == READ]
    results = {
        part.call_id: part
        for message in turns
        for part in message.content
        if isinstance(part, ToolResultContent) and not part.failed
    }
    calls: list[_Call] = []
    for content in (part for message in turns for part in message.content):
        if isinstance(content, ToolCallContent) and content.id in results:
            text = results[content.id].text
            name = str(content.arguments.get("docId", ""))
            more = _GO_ON.search(text.partition("\n")[0])
            parts = sum(call.arguments["docId"] == name for call in read)
            if content.name == READ and more and parts < PARTS:
                calls.append(_document(name, int(more[1])))
    return calls


def _documents(passages: Sequence[ReadPassage]) -> list[str]:
    return list(dict.fromkeys(passage.document for passage in passages))


def _document(name: str, offset: int) -> _Call:
    arguments: dict[str, str | int] = {"docId": name, "limit": PART}
    return _Call(READ, {**arguments, "offset": offset} if offset else arguments)


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]
