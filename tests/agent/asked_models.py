"""A model asked over real tools, with messages alone: no storage, no run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.citations import CheckedAnswer, Source, check_answer
from agent.model import (
    Content,
    Message,
    Model,
    ModelRequest,
    Role,
    TextContent,
    ToolCallContent,
    ToolDefinition,
    ToolResultContent,
)
from agent.model_turn import ModelTurn, TurnGatherer
from bridge_reader.tools.result import Passage
from bridge_reader.tools.toolbox import Toolbox
from manifest.errors import NoteBridgeError

MOST_TURNS = 8


@dataclass
class Conversation:
    """What a model and the tools said to each other about one question."""

    model: Model
    toolbox: Toolbox
    messages: list[Message] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    calls: list[ToolCallContent] = field(default_factory=list)

    async def ask(self, question: str, *, tools: bool = True) -> CheckedAnswer:
        """The model's answer with its citations checked, as a run would check them."""
        self.messages.append(Message(Role.USER, (TextContent(question),)))
        for _ in range(MOST_TURNS):
            turn = await self.turn(tools=tools)
            if not turn.calls:
                return check_answer(turn.text, self.source)
            self.calls += [ToolCallContent(c.id, c.name, c.arguments) for c in turn.calls]
            results = [await self._result(call) for call in self.calls[-len(turn.calls) :]]
            self.messages += [self._said(turn), Message(Role.TOOL, tuple(results))]
        raise AssertionError("the model went on calling tools")

    async def turn(self, *, tools: bool = True) -> ModelTurn:
        """The model's next turn."""
        definitions = tuple(
            ToolDefinition(spec.name, spec.description, spec.parameters)
            for spec in self.toolbox.specs
        )
        ids = (f"call-{len(self.calls) + n}" for n in itertools.count(1))
        gatherer = TurnGatherer(lambda: next(ids))
        request = ModelRequest("r", "m", "s", tuple(self.messages), definitions if tools else ())
        async for event in self.model.stream(request):
            gatherer.take(event)
        outcome = gatherer.outcome()
        assert isinstance(outcome, ModelTurn), outcome
        return outcome

    def cited(self, checked: CheckedAnswer) -> list[str]:
        """The documents of an answer's citations, in order."""
        return [self.passages[citation.label - 1].doc_id for citation in checked.citations]

    def source(self, label: int) -> Source | None:
        """The passage behind a label, as evidence."""
        if not 0 < label <= len(self.passages):
            return None
        passage = self.passages[label - 1]
        return Source(str(label), passage.text, passage.start)

    def _said(self, turn: ModelTurn) -> Message:
        calls: Sequence[Content] = self.calls[-len(turn.calls) :]
        return Message(Role.ASSISTANT, (TextContent(turn.text), *calls))

    async def _result(self, call: ToolCallContent) -> ToolResultContent:
        try:
            result = await self.toolbox.call(call.name, call.arguments)
        except NoteBridgeError as error:
            return ToolResultContent(call.id, call.name, str(error), failed=True)
        return ToolResultContent(call.id, call.name, result.text(self._label))

    def _label(self, passage: Passage) -> str:
        if passage not in self.passages:
            self.passages.append(passage)
        return f"E{self.passages.index(passage) + 1}"
