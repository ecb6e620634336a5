"""What an author writes behind the marks of a fence: language, title, lines to mark, numbers.

```python title="read.py" hl_lines="1 3-5" linenums="10"
```js {1,3-5} showLineNumbers
```{.python .numberLines title="read.py"}
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MAX_LINE: Final = 100_000

_LANGUAGE = re.compile(r"\{?[ \t]*\.?([^\s{}\"'=]*)")
_TITLE = re.compile(r"\b(?:title|filename|file)=(?:\"([^\"]*)\"|'([^']*)')")
_MARKED = re.compile(
    r"\b(?:hl_lines|hl|highlight)=(?:\"([^\"]*)\"|'([^']*)'|([\d,-]+))|\{([\d\s,-]+)\}"
)
_NUMBERS = re.compile(
    r"\b(?:linenums|start|startline|startFrom)=[\"']?(\d{1,6})"
    r"|(?<![\w=\"'])(?:showLineNumbers|\.?number-?lines|numberLines|linenos|ln:?true)\b",
    re.I,
)
_RANGE = re.compile(r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?")
_NO_CLASS = re.compile(r"[^\w+#.-]")


@dataclass(frozen=True, slots=True)
class FenceOptions:
    """language: as written, safe in a class. title: shown above the code; the language if empty.

    marked: lines to mark, from 1. first: the number of the first line; 0 shows no numbers.
    """

    language: str = ""
    title: str = ""
    marked: frozenset[int] = frozenset()
    first: int = 0


def fence_options(info: str) -> FenceOptions:
    """Reads the words behind a fence; what is unknown is overlooked."""
    info = info.strip()
    if not info:
        return FenceOptions()
    found = _LANGUAGE.match(info)
    language, title = found[1] if found else "", ""
    if ":" in language:  # ```js:src/read.js
        language, _, title = language.partition(":")
    rest = info[found.end(1) :] if found else info
    if named := _TITLE.search(rest):
        title = named[1] or named[2] or ""
    numbers = _NUMBERS.search(rest)
    first = max(int(numbers[1] or 1), 1) if numbers else 0
    return FenceOptions(_NO_CLASS.sub("", language), title, _marked(rest), first)


def _marked(rest: str) -> frozenset[int]:
    found = _MARKED.search(rest)
    if not found:
        return frozenset()
    lines: set[int] = set()
    for first, last in _RANGE.findall(next((part for part in found.groups() if part), "")):
        end = min(int(last or first), MAX_LINE)
        lines.update(range(int(first), end + 1))
    return frozenset(lines)
