"""Drawings on the pages of notes: findings with lines, embeds, raw HTML, equal bytes."""

from __future__ import annotations

import pickle
import re

from manifest.search_text import search_text
from site_builder.dialect import compile_note
from site_builder.note import CompiledNote, FindingKind
from site_builder.raw_html import clean
from site_builder.source import read_source

DRAWN = """# One

$a_1 + b^2$ and $5 and $10, ``$x$``.

```mermaid
graph TD
  a[中] --> b
```

```function-plot
data: [{fn: x^2}]
```

```math
\\frac{a}{b}
```

```python {1}
if x: pass
```
"""


def compiled(text: str) -> CompiledNote:
    return compile_note(read_source("note.md", text.encode()))


def test_a_note_draws_all_it_holds():
    note = compiled(DRAWN)
    assert note.findings == ()
    assert note.html.count("<math") == 2
    assert note.html.count("<svg role") == 2
    assert '<span class="l hl"><span class="k">if </span>x: ' in note.html
    assert "and $5 and $10" in note.html
    assert "<code>$x$</code>" in note.html


def test_search_finds_the_source_of_a_drawing():
    text = search_text(compiled(DRAWN).text)
    assert "a_1 + b^2" in text


def test_what_could_not_be_drawn_is_a_finding_with_its_line():
    note = compiled(
        "# One\n\n$\\nope$\n\n```mermaid\ngraph TD\n  a[\n```\n\n```function-plot\n[\n```\n"
    )
    found = [(finding.kind, finding.line) for finding in note.findings]
    assert found == [(FindingKind.DRAWING, 3), (FindingKind.DRAWING, 7), (FindingKind.DRAWING, 11)]
    assert all(finding.hint for finding in note.findings)
    assert '<code class="language-tex">\\nope</code>' in note.html
    assert '<code class="language-mermaid">graph TD' in note.html


def test_drawings_pass_beside_raw_html_as_they_were():
    plain, raw = (
        compiled(DRAWN).html,
        compiled(DRAWN + "\n<kbd>x</kbd><svg><script>1</script></svg>\n").html,
    )
    drawings = re.findall(r"<(svg|math)\b(.*?)</\1>", plain, re.S)
    assert drawings == re.findall(r"<(svg|math)\b(.*?)</\1>", raw, re.S)
    assert "<kbd>x</kbd>" in raw
    assert "<script" not in raw
    assert "nb-drawing" not in raw
    assert clean(plain) == plain


def test_an_author_cannot_take_the_place_of_a_drawing():
    note = compiled('<nb-drawing data-n="0"></nb-drawing> <b>x</b> $y$\n')
    assert note.html.count("<math") == 1
    assert "&lt;nb-drawing" in note.html


def test_one_bad_drawing_leaves_the_others():
    note = compiled("```mermaid\ngraph TD\n a[\n```\n\n```mermaid\ngraph TD\n a-->b\n```\n")
    assert note.html.count("<svg role") == 1
    assert len(note.findings) == 1


def test_a_note_that_draws_is_picklable_and_equal_each_time():
    note = compiled(DRAWN)
    assert pickle.loads(pickle.dumps(note)) == note == compiled(DRAWN)


def test_no_drawing_has_an_id():
    drawn = re.findall(r"<(?:svg|math)\b.*?</(?:svg|math)>", compiled(DRAWN).html, re.S)
    assert drawn
    assert not any(
        re.search(r"\b(?:id|href|style)=", piece.replace("displaystyle=", "")) for piece in drawn
    )
