"""What a tool returns: text for a model, passages that become evidence, details for a screen."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from bridge_reader.passages import Passage
from manifest.canonical import Json

__all__ = ["Passage", "ToolResult"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """parts: what the model reads, in order. details: the same facts as data, for a screen."""

    parts: tuple[str | Passage, ...]
    details: dict[str, Json] = field(default_factory=dict)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What becomes evidence, in order."""
        return tuple(part for part in self.parts if isinstance(part, Passage))

    def text(self, label_of: Callable[[Passage], str]) -> str:
        """The result as a model reads it; label_of gives the label to cite a passage by (`E12`).

        Each passage stands between tags of its own, so that its words are seen to be data.
        """
        return "\n".join(
            part if isinstance(part, str) else _delimited(part, label_of(part))
            for part in self.parts
        )


_CLOSING = re.compile(r"<(?=/?passage\b)", re.IGNORECASE)


def _delimited(passage: Passage, label: str) -> str:
    place = " > ".join(passage.heading_path) or passage.title
    attributes = (
        f'label="{html.escape(label)}" document="{html.escape(passage.doc_id)}" '
        f'section="{html.escape(passage.section_id)}" place="{html.escape(place)}"'
    )
    # A note must not be able to close its own delimiter and go on as instructions.
    body = _CLOSING.sub("&lt;", passage.text).strip("\n")
    return f"<passage {attributes}>\n{body}\n</passage>"
