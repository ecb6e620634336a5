"""Every construct beyond CommonMark: what it is on the page, to the sections, and to search."""

from __future__ import annotations

import re

import pytest

from manifest.search_text import search_text
from manifest.tokens import tokens
from site_builder.dialect import compile_note
from site_builder.dialect.labels import label
from site_builder.dialect.options import DialectOptions
from site_builder.note import FindingKind
from site_builder.source import read_source


def compiled(text: str, language: str = "en"):
    return compile_note(read_source("note.md", text.encode()), DialectOptions(language=language))


def page(text: str) -> str:
    return compiled(text).html.replace('<span id="_top"></span>', "").strip()


def words(text: str) -> set[str]:
    return set(tokens(search_text(compiled(text).text)))


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("H~2~O and SO~4~", "<p>H<sub>2</sub>O and SO<sub>4</sub></p>"),
        ("x^2^ and 1^st^", "<p>x<sup>2</sup> and 1<sup>st</sup></p>"),
        ("^^new **text**^^", "<p><ins>new <strong>text</strong></ins></p>"),
        ("3~5天，10~20 元", "<p>3~5天，10~20 元</p>"),
        ("a^b^a and x ^y^", "<p>a^b^a and x ^y^</p>"),
        ("~/a and ~/b", "<p>~/a and ~/b</p>"),
        (":rocket: :+1: :cn:", "<p>🚀 👍 🇨🇳</p>"),
        ("10:30:45 a:b:c :nothing:", "<p>10:30:45 a:b:c :nothing:</p>"),
        ("`:rocket:`", "<p><code>:rocket:</code></p>"),
        (
            "++ctrl+c++",
            '<p><span class="keys"><kbd>Ctrl</kbd><span>+</span><kbd>C</kbd></span></p>',
        ),
        ("C++ and D++ are", "<p>C++ and D++ are</p>"),
        (
            "*[ADT]: Abstract <type>\nan ADT, no ADTs",
            '<p>an <abbr title="Abstract &lt;type&gt;">ADT</abbr>, no ADTs</p>',
        ),
    ],
)
def test_marks_in_a_line(markdown, html):
    assert page(markdown) == html


def test_what_stands_in_marks_is_found():
    text = "*[ADT]: Abstract type\n\nx^upper^ ^^new^^ ++ctrl+enter++ an ADT"
    assert {"upper", "new", "ctrl", "enter", "adt"} <= words(text)


def test_emoji_in_headings_are_signs_and_their_anchors_names():
    note = compiled("## :rocket: Start\n")
    assert [(s.title, s.anchor) for s in note.sections] == [("🚀 Start", "rocket-start")]
    assert 'aria-label="§ 🚀 Start"' in note.html


def test_icons_of_other_themes_are_left_out_and_told():
    note = compiled("a :material-check-circle: b\n")
    assert "material" not in note.html
    assert [finding.kind for finding in note.findings] == [FindingKind.SYNTAX]


TABS = '=== "A *b*"\n\n    one\n\n    ## Inner\n\n===+ "C"\n    - two\n\n===! "D"\n    three\n'


def test_tabs_are_radio_buttons_with_their_content():
    html = page(TABS)
    assert html.count('<div class="tabs">') == 2
    assert re.findall(r'<input type="radio" name="([^"]*)"( checked)?>', html) == [
        ("nb-tabs-1", ""),
        ("nb-tabs-1", " checked"),
        ("nb-tabs-2", " checked"),
    ]
    assert '> A <em>b</em></label>\n<div class="tab">\n<p>one</p>' in html
    assert "<li>two</li>" in html


def test_tabs_are_found_and_cut_no_section():
    note = compiled("# T\n\n" + TABS)
    assert [section.title for section in note.sections] == ["T"]
    assert "nb-inner" in note.ids
    assert {"one", "two", "three", "inner"} <= words(TABS)


def test_tabs_of_an_embedded_note_are_sets_of_their_own():
    assert page('=== "A"\n    x\n\n=== "B"\n    y').count("checked") == 1


@pytest.mark.parametrize(
    ("markdown", "caption"),
    [
        ('!!! note ""\n    x', None),
        ("!!!tip\n    x", "Tip"),
        ('??? "Own"\n    x', "Own"),
        ('??? note ""\n    x', "Note"),
        ("!!! danger highlight blink\n    x", "Danger"),
        ("> [!todo]\n> x", "To do"),
        ("> [!my-kind]\n> x", "My kind"),
    ],
)
def test_titles_of_callouts(markdown, caption):
    found = re.search(r'class="cap">([^<]*)<', page(markdown))
    assert (found[1] if found else None) == caption
    assert "<p>x</p>" in page(markdown)


@pytest.mark.parametrize("markdown", ["> [!warning]\n> 文", "!!! warning\n    文"])
def test_titles_that_nobody_wrote_are_in_the_pages_language(markdown):
    assert 'class="cap">警告<' in compiled(markdown, "zh-Hans").html
    assert 'class="cap">Warning<' in compiled(markdown, "de").html
    assert 'class="cap">警告<' in compiled("---\nlang: zh\n---\n" + markdown, "en").html


OBSIDIAN = (
    "note abstract summary tldr info todo tip hint important success check done question help faq"
    " warning caution attention failure fail missing danger error bug example quote cite"
)


@pytest.mark.parametrize("kind", OBSIDIAN.split())
def test_every_kind_of_callout_has_a_chinese_name(kind):
    assert re.fullmatch("[\u4e00-\u9fff]+", label(kind, "zh"))
    assert f'data-kind="{kind}"' in page(f"> [!{kind}]- T\n> x")


def test_lines_in_callouts_are_the_authors():
    links = compiled("> [!note] T\n> a\n> [[x]]\n").links
    assert [use.line for use in links] == [3]


def test_names_of_blocks():
    html = page("para ^p-1\n\n- a ^i1\n- b\n\n| a |\n|---|\n| 1 |\n\n^tab\n\n> q\n\n^q1\n")
    assert '<p id="nb-^p-1">para</p>' in html
    assert '<li id="nb-^i1">a</li>' in html
    assert re.search(
        r'<div id="nb-\^tab">\n<div class="scroll".*</table></div>\n</div>', html, re.S
    )
    assert re.search(r'<div id="nb-\^q1">\n<blockquote>.*</blockquote>\n</div>', html, re.S)
    assert "^" not in re.sub(r'id="[^"]*"', "", html)


def test_what_looks_like_a_name_of_a_block_and_is_none():
    assert page("r ^2\n") == "<p>r ^2</p>"
    assert page("a ^b c\n") == "<p>a ^b c</p>"


def test_a_name_of_a_block_given_twice_is_one_id_each():
    assert compiled("a ^x\n\nb ^x\n").ids == ("nb-^x", "nb-^x-1")


def test_contents_where_the_author_wants_them():
    note = compiled("# T\n\n[TOC]\n\n## A & b\n\n### B\n\n## C\n\n[TOC]\n")
    assert note.html.count("<nav") == 1
    assert '<nav class="outline" aria-label="Contents of this note">\n<ul>\n' in note.html
    assert (
        '<li><a href="#a--b">A &amp; b</a><ul>\n'
        '<li><a href="#b">B</a></li></ul>\n</li>\n<li><a href="#c">C</a></li></ul>\n</nav>'
    ) in note.html
    assert 'aria-label="本文目录"' in compiled("[TOC]\n\n## A\n", "zh").html
    assert page("a [TOC]") == "<p>a [TOC]</p>"


def test_a_footnote_within_a_footnote_is_text():
    html = page("a[^1] b[^2]\n\n[^1]: > [^2]: x\n\n[^2]: y\n")
    assert "<blockquote>\n<p><sup" in html
    assert html.count("<blockquote>") == html.count("</blockquote>") == 1
    assert html.count('role="doc-endnotes"') == 1


def test_definition_lists():
    html = page("Term\n: one\n\n    more\n\nOther\n: two")
    assert html.count("<dt>") == 2
    assert "<p>more</p>" in html
    assert {"term", "two"} <= words("Term\n: two")


def test_pdfs_are_shown_in_place_with_a_link_for_who_cannot():
    assert page("![[a b.pdf#page=2]]") == (
        '<p><object data="nb-link-0" type="application/pdf" aria-label="a b.pdf">'
        '<a href="nb-link-0" class="file">a b.pdf</a></object></p>'
    )
    assert compiled("![[a b.pdf#page=2]]").links[0].fragment == "page=2"
    assert 'width="300"' in page("![[a.pdf|300]]")


def test_films_and_documents_of_other_sites_are_linked():
    html = page("![Talk](https://a.org/t.mp4) ![p](https://a.org/b.pdf) ![i](https://a.org/c.png)")
    assert html.count('class="ext"') == 2
    assert html.count("<img") == 1


def test_attributes_of_pictures():
    html = page("![a](b.png){ width=300 align=left .k } ![[c.png]]{ .shadow #f }")
    assert 'width="300" class="left k"' in html
    assert 'class="shadow" id="f"' in html


def test_an_address_with_a_space_is_read_and_told():
    note = compiled("text\n\n![x](图 一.png) [*a*](my file.md#b c) [no](see also this)\n")
    assert [(use.target, use.fragment) for use in note.links] == [
        ("图 一.png", ""),
        ("my file.md", "b c"),
    ]
    assert "[no](see also this)" in note.html
    assert [(f.kind, f.line) for f in note.findings] == [(FindingKind.SYNTAX, 3)] * 2


@pytest.mark.parametrize(
    ("markdown", "told"),
    [
        ("$\\alpha + 1", True),
        ("$$\nx\n\nmore", True),
        ("$5 and US$6", False),
        ("`$\\alpha`", False),
        ("\\$\\$", False),
        ("$a$ and $$b$$", False),
    ],
)
def test_a_formula_that_is_never_closed_is_told(markdown, told):
    kinds = {finding.kind for finding in compiled(markdown).findings}
    assert (FindingKind.SYNTAX in kinds) is told


def test_markdown_in_html():
    html = page('<div class="grid" markdown>\n*a*\n## H\n</div>\n')
    assert html.startswith('<div class="grid"><p><em>a</em></p>')
    assert html.endswith("</div>")
    assert [s.title for s in compiled('<div markdown="1">\n## H\n</div>\n').sections] == ["", "H"]
    assert page("<p markdown>x *y*</p>") == "<p>x <em>y</em></p>"
    assert page("<div>\n*a*\n</div>") == "<div>\n*a*\n</div>"


def test_a_figure_with_a_caption_in_markdown():
    html = page(
        '<figure markdown="span">\n  ![I](x.png){ width="300" }\n'
        "  <figcaption>cap</figcaption>\n</figure>\n"
    )
    assert re.sub(r"\s+<", "<", html) == (
        '<figure><img src="nb-link-0" alt="I" loading="lazy" width="300">'
        "<figcaption>cap</figcaption></figure>"
    )


def test_nested_elements_with_markdown():
    html = page("<div markdown>\n<div markdown>\n**a**\n</div>\n\n**b**\n</div>\n\n**c**\n")
    assert html.count("<strong>") == 3
    assert html.count("<div>") == html.count("</div>") == 2
    assert html.endswith("<p><strong>c</strong></p>")


def test_empty_cells_of_a_head_are_no_headings():
    html = page("| | b |\n|---|:-:|\n| 1 | 2 |")
    assert '<tr><td></td><th scope="col" class="center">b</th></tr>' in html


@pytest.mark.parametrize(
    "markdown",
    [
        "a <script>alert(1)</script> b",
        "<div><script>\nvar a;\n\nalert(1)\n\n</script></div>\n\nb",
        "<svg>\n\n<text>alert(1)</text>\n\n</svg>\n\nb",
        "- <style>\n\n  alert(1)\n\n  </style>\n\nb",
        "a <b><STYLE>alert(1)</style></b> b",
    ],
)
def test_nothing_of_a_script_is_text(markdown):
    note = compiled(markdown)
    assert "alert" not in note.html
    assert re.search(r"\bb</p>", note.html)
    assert [finding.kind for finding in note.findings] == [FindingKind.HTML]


def test_a_script_that_is_never_closed_swallows_no_text():
    assert "the rest" in page("write <script> in the head, and the rest")


def test_tags_with_levels_and_templates_stay_as_typed():
    assert '<span class="tag">#area/sub</span>' in page("a #area/sub")
    assert page("{{ x }} and {% y %}") == "<p>{{ x }} and {% y %}</p>"
