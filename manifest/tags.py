"""Tags: what an author writes as `#tag` in the text or lists in the front matter."""

from __future__ import annotations

import re

from manifest.unicode14 import WORD, character_class

_WORD_CLASS = character_class(WORD)

INLINE_TAG = re.compile(
    rf"#(?<![{_WORD_CLASS}_/#&=?.:-]#)((?:[{_WORD_CLASS}_-]+/)*[{_WORD_CLASS}_-]+)"
)
"""A `#tag` in plain text; group 1 is the tag. It does not follow a word (`C#`) or an address's
path, and `is_tag` decides what a number alone is. (The lookbehind stands behind the `#`, so that
an engine can leap from one `#` to the next.)"""


def is_tag(tag: str) -> bool:
    """Whether this is a tag and no number (`#12` speaks of an issue); levels are parted by `/`."""
    return any(not char.isdigit() and char not in "_-/" for char in tag)
