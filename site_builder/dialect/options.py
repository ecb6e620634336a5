"""What compiling a note depends on beside the note."""

from __future__ import annotations

from dataclasses import dataclass

from site_builder.html_policy import STRICT, RawHtmlPolicy


@dataclass(frozen=True, slots=True)
class DialectOptions:
    """A value: the same note and the same options give the same page.

    language: of the words that are ours on the page, as a BCP 47 tag, where the note states none.
    html: what is published of the author's HTML.
    """

    language: str = "en"
    html: RawHtmlPolicy = STRICT


DEFAULT = DialectOptions()
