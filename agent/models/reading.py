"""What the built-in model has read: passages, taken out of the tool results in its messages."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

from agent.model import Message, ToolResultContent

_PASSAGE = re.compile(
    r'<passage label="E(?P<label>\d+)" document="(?P<document>[^"]*)" '
    r'section="(?P<section>[^"]*)" place="(?P<place>[^"]*)">\n(?P<text>.*?)\n</passage>',
    re.S,
)


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A labelled passage. place: titles of the document and of the headings above it."""

    label: int
    document: str
    section: str
    place: tuple[str, ...]
    text: str


def read_passages(messages: Iterable[Message]) -> list[ReadPassage]:
    """All passages of all tool results, each label once, in the order they were first read."""
    found: dict[int, ReadPassage] = {}
    for message in messages:
        for part in message.content:
            if isinstance(part, ToolResultContent) and not part.failed:
                for passage in passages_in(part.text):
                    found.setdefault(passage.label, passage)
    return list(found.values())


def passages_in(result: str) -> list[ReadPassage]:
    """The passages of one tool result."""
    return [
        ReadPassage(
            label=int(match["label"]),
            document=html.unescape(match["document"]),
            section=html.unescape(match["section"]),
            place=tuple(html.unescape(match["place"]).split(" > ")),
            text=match["text"],
        )
        for match in _PASSAGE.finditer(result)
    ]
