"""HTML in notes: what is published of it, and that it cannot harm the page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.dialect import compile_note
from site_builder.note import FindingKind
from site_builder.raw_html import VOID, RawTags, clean
from site_builder.source import read_source


def compiled(text: str):
    return compile_note(read_source("note.md", text.encode()))


def page(text: str) -> str:
    return compiled(text).html.replace('<span id="_top"></span>', "").strip()


@pytest.mark.parametrize(
    "markup",
    [
        '<p align="center">a</p>',
        "<p>H<sub>2</sub>O x<sup>2</sup> <kbd>K</kbd> a<br>b</p>",
        "<details><summary>s</summary>d</details>",
        "<figure><figcaption>c</figcaption></figure>",
        '<table><tbody><tr><td colspan="2">x</td></tr></tbody></table>',
        '<div class="grid" title="t" lang="de">x</div>',
        "<p><ruby>漢<rt>kan</rt></ruby></p>",
    ],
)
def test_prose_is_kept(markup):
    assert page(markup) == markup
    assert compiled(markup).findings == ()


def test_markdown_between_blocks_of_html_is_markdown():
    html = page("<details>\n<summary>More</summary>\n\n**bold**\n\n</details>\n\nafter")
    assert re.sub(r"\s+", "", html) == (
        "<details><summary>More</summary><p><strong>bold</strong></p></details><p>after</p>"
    )


@pytest.mark.parametrize(
    ("markup", "gone"),
    [
        ("<script>alert(1)</script>", "script"),
        ("a <script>alert(1)</script> b", "script"),
        ("<style>p{}</style>", "style"),
        ("<iframe src=x></iframe>", "iframe"),
        ("<form action=x><input name=a></form>", "form"),
        ("<object data=x></object>", "object"),
        ("<svg onload=x><circle/></svg>", "svg"),
        ("<math><mi>x</mi></math>", "math"),
        ("<meta http-equiv=refresh content=0>", "meta"),
        ("<link rel=stylesheet href=x>", "link"),
        ("<base href=//e>", "base"),
        ("<template><b>x</b></template>", "template"),
        ("<textarea>x</textarea>", "textarea"),
        ("<img src=x.png onerror=alert(1)>", "onerror"),
        ("<a href=x.md onclick=x style=y>a</a>", "onclick"),
        ("<div style='position:fixed'>a</div>", "style"),
        ("<SCRIPT\n>x</SCRIPT>", "script"),
    ],
)
def test_what_acts_is_left_out_and_named(markup, gone):
    note = compiled(f"text\n\n{markup}\n\nafter")
    assert not re.search(rf"<[^>]*\b{gone}\b", note.html)
    assert "<p>after</p>" in note.html
    (finding,) = note.findings
    assert (finding.kind, finding.line) == (FindingKind.HTML, 3)
    assert gone in finding.message


def test_an_open_script_hides_nothing_behind_its_block():
    assert "<p>after</p>" in page("<script>\n\nafter one</script>\n\nafter")
    assert "# not" not in page("<style>\nx\n</style>\n\n# yes")
    assert "<p>after</p>" in page("a <script> b\n\nafter")


@pytest.mark.parametrize("name", ["T", "String", "clinit", "x-custom", "K"])
def test_names_that_are_no_html_are_text(name):
    assert page(f"List<{name}> and") == f"<p>List&lt;{name}&gt; and</p>"
    assert compiled(f"List<{name}> and").findings == ()


def test_comments_and_declarations_are_not_shown():
    assert page("a <!-- b --> c") == "<p>a  c</p>"
    assert page("<!DOCTYPE html>\n\na <?php x ?> b") == "<p>a  b</p>"


@pytest.mark.parametrize(
    "markup",
    ["</div>", "<div>", "<b>", "</p>", "<table><tr>", "<div title='", "<ul><li>", "<a href='x.md'>",
     "<details>", "<blockquote", "</main></body></html>", "<td>", "</section></article>", "<h1>"],
)  # fmt: skip
@pytest.mark.parametrize(
    "frame", ["{}\n\n# After\n\ntext", "- a {}\n- b\n\n# After\n\ntext", "> {}\n\n# After\n\ntext"]
)
def test_unbalanced_html_does_not_break_what_follows(markup, frame):
    html = page(frame.format(markup))
    assert re.search(r'<h1 id="after">.*After</h1>\s*<p>text</p>', html)
    assert balanced(html)


def test_a_comment_never_closed_hides_the_rest_and_is_reported():
    note = compiled("a\n\n<!-- b\n\n# c\n")
    assert "<h1" not in note.html
    assert [(f.kind, f.line) for f in note.findings] == [(FindingKind.HTML, 3)]
    assert compiled("a\n\n<!-- b\n\n# c -->\n").findings == ()


def test_tags_left_open_are_closed_where_their_block_ends():
    assert page("a <b>b *c* d\n\ne") == "<p>a <b>b <em>c</em> d</b></p>\n<p>e</p>"
    assert page("**a <i>b** c</i> d") == "<p><strong>a <i>b</i></strong> c d</p>"
    assert page("- <div>\n\n  x\n- y").count("</div>") == 1


def test_a_tag_within_a_block_closes_none_around_it():
    tags = RawTags(lambda _tag, _name, value: value)
    assert tags.write("<div><i>", 1) == "<div><i>"
    assert tags.write("</div><b>x</i></b>", 3) == "<b>x</b>"
    assert tags.close_above(1) == ""
    assert tags.write("</div>", 1) == "</i></div>"


def test_addresses_in_html_are_links_of_the_note():
    note = compiled(
        '# A\n\n<img src="a b.png"> <a href="b.md#c">b</a>\n'
        '<video src=v.mp4 poster="p.png"></video>\n'
    )
    assert [(use.target, use.fragment, use.embed) for use in note.links] == [
        ("a b.png", "", True), ("b.md", "c", False), ("v.mp4", "", True), ("p.png", "", True),
    ]  # fmt: skip
    assert '<img src="nb-link-0">' in note.html
    assert '<video src="nb-link-2" poster="nb-link-3">' in note.html


def test_addresses_in_html_that_act_are_refused():
    note = compiled('<a href="java&#115;cript:x">a</a> <img src="data:text/html,x">')
    assert not re.search(r"\b(href|src)=", note.html)
    assert len(note.findings) == 2


def test_a_placeholder_typed_by_an_author_is_an_address_like_any_other():
    note = compiled('[a](x.md) <a href="nb-link-0">b</a> `href="nb-link-0"`')
    assert re.findall(r'<a href="nb-link-(\d)"', note.html) == ["0", "1"]
    assert note.links[1].target == "nb-link-0"


def test_ids_in_html_take_no_anchor_of_a_section():
    note = compiled('# Intro\n\n<p id="intro">x</p> <a name="there"></a> <i id="intro">y</i>\n')
    assert re.findall(r' id="([^"]*)"', note.html) == [
        "intro",
        "nb-intro",
        "nb-there",
        "nb-intro-1",
    ]
    assert note.ids == ("nb-intro", "nb-there", "nb-intro-1")


EVERYTHING = """\
# A {#a .k}

> [!note]- T
> x

!!! tip
    y

- [x] t

|a|b|
|--|-:|
|c|d|

```py
x<y
```

![[N]] ![i|30](i.png) [l](l.md){.m title=t} [e](https://e.org) #tag ==m== ~~s~~ $f$ [[w]] ^[n]

$$
g
$$

T
: d

![[s.mp3]] ![[v.mp4]] ![[f.pdf]] [no](javascript:x)

2. a

> q

---
"""


def test_everything_our_renderer_writes_comes_through():
    html = compiled(EVERYTHING).html
    assert normal(clean(html)) == normal(html)


def normal(html: str) -> str:
    """Quotes and boolean attributes as nh3 writes them."""
    html = re.sub(r"&quot;|&#x27;", lambda m: {"&quot;": '"', "&#x27;": "'"}[m[0]], html)
    return re.sub(r" (controls|open)(?=[ >])", r' \1=""', html)


def test_repeated_ids_are_taken_out_by_cleaning():
    html = clean('<p><b id="x">a<p>b</p></b></p>')
    assert html.count('id="x"') == 1


def test_deep_nesting_is_cut():
    note = compiled("<div>" * 500 + "x")
    assert note.html.count("<div>") == 50
    assert "deeper" in note.findings[0].message


def balanced(html: str) -> bool:
    """Whether every tag is closed, in order."""

    class Reader(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []
            self.good = True

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in VOID:
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            self.good = self.good and bool(self.open) and self.open.pop() == tag

    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader.good and not reader.open


BITS = st.sampled_from(
    ["<b>", "</b>", "<div>", "</div>", "<a href=x>", "</a>", "<p id=q>", "</p>", "<table>",
     "<tr>", "<td>", "</table>", "<script>", "</script>", "<style>", "<!--", "-->", "<![CDATA[",
     "]]>", "<", ">", '"', "'", "=", "<img src=y onerror=z>", "<li>", "<details>", "<summary>",
     "<br/>", "<i/>", "<svg>", "<textarea>", "<title>", "<x>", "&lt;", "a", "\n", "\n\n", "- ",
     "> ", "**", "# ", "`", "[x](y)", "\t", "<h2>", "</h2>", "<select>", "<math>", "<plaintext>",
     "<b title='", "/>"]
)  # fmt: skip


@given(st.lists(BITS, max_size=40).map("".join))
def test_any_html_gives_a_balanced_page_that_carries_nothing_that_acts(text):
    html = compiled(text).html
    assert balanced(html)
    assert not re.search(
        r"<(script|style|svg|iframe|textarea|title|select|math|plaintext|x)\b", html
    )
    assert not re.search(r"<[^>]*\son\w+=", html)


@given(st.lists(BITS, max_size=30).map("".join))
def test_tags_are_balanced_before_they_are_cleaned(text):
    tags = RawTags(lambda _tag, _name, value: value)
    assert balanced(tags.write(text, 1) + tags.close_above(0))
