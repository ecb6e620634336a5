"""Anchors of pages that another renderer made."""

from __future__ import annotations

from site_builder.dialect import compile_note
from site_builder.note import CompiledNote, FindingKind
from site_builder.rendered_headings import rendered_headings, with_rendered_anchors
from site_builder.source import read_source


def compiled(text: str) -> CompiledNote:
    return compile_note(read_source("a.md", text.encode()))


def anchors(note: CompiledNote) -> list[str]:
    return [section.anchor for section in note.sections]


def test_permalinks_are_no_part_of_a_heading():
    html = '<h2 id="x"><code>f()</code> &amp; g<a class="headerlink" href="#x">¶</a></h2>'
    (heading,) = rendered_headings(html)
    assert (heading.level, heading.anchor, heading.text) == (2, "x", "f() & g")


def test_ids_of_the_page_replace_ours_in_order():
    note = compiled("# A\n\n## Same\n\nx\n\n## Same\n\ny\n")
    html = '<h1 id="one">A</h1><h2 id="two">Same</h2><h2 id="three">Same</h2>'
    assert anchors(with_rendered_anchors(note, html)) == ["one", "two", "three"]


def test_headings_of_the_page_that_are_not_ours_are_passed_over():
    note = compiled("# A\n\n## B\n\nx\n")
    html = '<h1 id="a">A</h1><h2 id="from-snippet">Snippet</h2><h2 id="b">B</h2>'
    assert anchors(with_rendered_anchors(note, html)) == ["a", "b"]


def test_typographic_marks_do_not_part_a_heading_from_its_source():
    note = compiled('# "Quoted" -- it\'s (c)\n')
    html = '<h1 id="q">“Quoted” – it’s ©</h1>'
    assert anchors(with_rendered_anchors(note, html.replace("©", "(c)"))) == ["q"]


def test_a_section_the_page_does_not_show_joins_the_one_before_it():
    note = compiled("# A\n\nx\n\n## Lost\n\ny\n\n## B\n\nz\n")
    matched = with_rendered_anchors(note, '<h1 id="a">A</h1><h2 id="b">B</h2>')
    assert anchors(matched) == ["a", "b"]
    assert matched.text[matched.sections[0].start : matched.sections[0].end].endswith("y\n\n")
    assert [finding.kind for finding in matched.findings] == [FindingKind.ANCHOR_UNMATCHED]


def test_a_first_section_without_a_heading_on_the_page_becomes_the_top():
    matched = with_rendered_anchors(compiled("# Lost\n\nx\n"), "<p>x</p>")
    assert anchors(matched) == ["_top"]
    assert (matched.sections[0].start, matched.sections[0].end) == (0, len("# Lost\n\nx\n"))


def test_a_heading_may_carry_what_an_extension_puts_beside_it():
    note = compiled("# A\n\n## Limits\n\nx\n\n## Later\n\ny\n")
    html = '<h1 id="a">A</h1><h2 id="l">since 9.1 Limits</h2><h2 id="z">Later</h2>'
    matched = with_rendered_anchors(note, html)
    assert anchors(matched) == ["a", "l", "z"]
    assert matched.findings == ()


def test_a_longer_heading_that_is_a_section_of_its_own_is_left_to_it():
    note = compiled("# A\n\n## Install\n\nx\n\n## Install plugins\n\ny\n")
    html = '<h1 id="a">A</h1><h2 id="p">Install plugins</h2>'
    assert anchors(with_rendered_anchors(note, html)) == ["a", "p"]


def test_links_may_name_whatever_has_an_id_on_the_page():
    html = (
        '<h1 id="a">A</h1><p id="here"><a name="old"></a></p><li id="fn:1">x</li>'
        '<a id="__codelineno-0-1"></a><img name="no">'
    )
    assert with_rendered_anchors(compiled("# A\n"), html).ids == ("here", "old", "fn:1")


def test_what_our_page_would_leave_out_is_no_finding_of_theirs():
    note = compiled("# A\n\n:octicons-x-16: <style>p {}</style> [x](javascript:y)\n")
    assert len(note.findings) > 1
    assert with_rendered_anchors(note, '<h1 id="a">A</h1>').findings == ()
