r"""TeX as authors write it for MathJax and KaTeX, put into the forms that the converter reads.

Unnumbered environments stand for numbered ones: numbers that begin anew in each formula would tell
nothing. `\label` goes, and `\eqref{x}` is shown as `(x)`.
"""

from __future__ import annotations

import re
from typing import Final

MAX_SOURCE: Final = 8_000
MAX_DEPTH: Final = 60
"""Characters of a formula, and groups within groups: the converter calls itself for each."""

MACROS: Final = {
    "mbox": r"\text{#1}",
    "hbox": r"\text{#1}",
    "textnormal": r"\text{#1}",
    "substack": r"\begin{gathered}#1\end{gathered}",
    "argmax": r"\operatorname*{arg\,max}",
    "argmin": r"\operatorname*{arg\,min}",
    "smash": r"{#1}",
    "rule": r"",
    "mathstrut": r"\vphantom{(}",
    "href": r"{#2}",
    "url": r"\text{#1}",
    "ang": r"#1^\circ",
    "degree": r"^\circ",
    "abs": r"\left|#1\right|",
    "norm": r"\left\|#1\right\|",
    "dd": r"\mathrm{d}",
}
"""Commands that the converter lacks. Links are shown as their text."""

_NAMES: Final = {
    "split": "aligned", "align": "align*", "equation": "equation*", "gather": "gather*",
    "alignat": "align*", "alignat*": "align*", "flalign": "align*", "flalign*": "align*",
    "eqnarray": "align*", "eqnarray*": "align*", "multline": "gather*", "multline*": "gather*",
    "smallmatrix": "matrix", "displaymath": "equation*",
}  # fmt: skip
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([a-z]+\*?)\}")
_COUNT_OF_COLUMNS = re.compile(r"(\\begin\{(?:alignat|alignat\*)\})\s*\{\d+\}")
_LABEL = re.compile(r"\\label\s*\{[^{}]*\}")
_NUMBERING = re.compile(r"\\(?:nonumber|notag)(?![A-Za-z])")
_REFERENCE = re.compile(r"\\(?:eqref|ref)\s*\{([^{}]*)\}")
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")
_TEXT_WITH_MATH = re.compile(r"\\(?:text|mbox|textrm|textnormal)\s*\{([^{}$]*\$[^{}]*)\}")
_INNER_MATH = re.compile(r"\$([^$]*)\$")
_HASH_COLOUR = re.compile(r"\\(?:textcolor|color)\s*(?:\[[A-Za-z]+\]\s*)?\{\s*[#\d][^{}]*\}")
"""Colours by number, which the converter cannot read: the text stays, without its colour."""

_DEFINED = re.compile(r"\\newcommand\*?(\s*\{?\\[RNZQC]\}?(?![A-Za-z]))")
"""Short names that the converter knows already, and many authors define."""

_SIZES = re.compile(
    r"\\(?:tiny|scriptsize|footnotesize|small|normalsize|large|Large|LARGE|huge|Huge)(?![A-Za-z])"
)
_NEST = re.compile(r"\\[\\{}]|\\(left|right|begin|end)(?![A-Za-z])|[{}]")
_STEP: Final = {"{": 1, "}": -1, "left": 1, "right": -1, "begin": 1, "end": -1}
MAX_CHAIN: Final = 300
_BLANK = r"(?:\s|%[^\n]*\n)*+"
_CHAIN = re.compile(
    rf"(?:(?:\\(?:[A-Za-z]++|[^A-Za-z\\])|[\^_])"
    rf"(?:{_BLANK}(?:\{{[^{{}}]{{0,40}}\}}|\[[^\[\]]{{0,20}}\]|[^\s{{}}\\^_&%])){{0,2}}+{_BLANK})"
    rf"{{{MAX_CHAIN}}}"
)
"""Commands in an endless row, with little between them: each may be the argument of the one before,
and the converter calls itself for each."""

_DEFINITION = re.compile(r"\\(?:def|let|(?:re|provide)?newcommand|providecommand)(?![A-Za-z])")
_COMMAND = re.compile(r"\\[A-Za-z]+")
MAX_WITH_DEFINITIONS: Final = 40
"""Commands of a formula that defines some: what they expand to cannot be seen beforehand."""


def defines(source: str) -> bool:
    """Whether a formula defines commands of its own."""
    return _DEFINITION.search(source) is not None


def depth_of(source: str) -> int:
    """How deep the groups of a formula nest, at most `MAX_DEPTH` + 1, which stands for too deep."""
    commands = source.count("\\") + source.count("^") + source.count("_")
    if commands >= MAX_CHAIN and _CHAIN.search(source):
        return MAX_DEPTH + 1
    if defines(source) and len(_COMMAND.findall(source)) > MAX_WITH_DEFINITIONS:
        return MAX_DEPTH + 1
    depth = deepest = 0
    for found in _NEST.finditer(source):
        step = _STEP.get(found[1] or found[0], 0)
        depth = max(depth + step, 0)
        deepest = max(deepest, depth)
    return min(deepest, MAX_DEPTH + 1)


def plain_tex(source: str) -> str:
    """The formula in the converter's words."""
    if "\\" not in source:
        return source
    tex = _COUNT_OF_COLUMNS.sub(r"\1", source)
    tex = _ENVIRONMENT.sub(_environment, tex)
    tex = _NUMBERING.sub("", _LABEL.sub("", tex))
    tex = _SIZES.sub("", _REFERENCE.sub(r"\\text{(\1)}", tex))
    tex = _HASH_COLOUR.sub("", tex)
    tex = _DEFINED.sub(r"\\renewcommand\1", tex)
    tex = _TEXT_WITH_MATH.sub(_parted, tex)
    return _TAG.sub(r"\\qquad\\text{(\1)}", tex)


def _environment(found: re.Match[str]) -> str:
    return f"\\{found[1]}{{{_NAMES.get(found[2], found[2])}}}"


def _parted(found: re.Match[str]) -> str:
    r"""`\text{a $x$ b}` as text, formula, text."""
    inner = _INNER_MATH.sub(r"}{\1}\\text{", found[1])
    return f"\\text{{{inner}}}"
