"""What the author's dialect becomes on the page."""

from __future__ import annotations

import pickle
import re

import pytest

from site_builder.dialect import compile_note
from site_builder.note import FindingKind, SourceNote
from site_builder.source import read_source


def compiled(text: str, path: str = "note.md"):
    return compile_note(read_source(path, text.encode()))


def page(text: str) -> str:
    return compiled(text).html.replace('<span id="_top"></span>', "").strip()


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a **b** *c* `d`", "<p>a <strong>b</strong> <em>c</em> <code>d</code></p>"),
        ("~~gone~~", "<p><s>gone</s></p>"),
        ("==marked==", "<p><mark>marked</mark></p>"),
        ("这是==重点==内容", "<p>这是<mark>重点</mark>内容</p>"),
        ("==a **b** c==", "<p><mark>a <strong>b</strong> c</mark></p>"),
        ("if a==b and c==d", "<p>if a==b and c==d</p>"),
        ("==> an arrow ==> b", "<p>==&gt; an arrow ==&gt; b</p>"),
        ("a<b & c>d", "<p>a&lt;b &amp; c&gt;d</p>"),
        ("one  \ntwo", "<p>one<br>\ntwo</p>"),
        ("one\ntwo", "<p>one\ntwo</p>"),
        ("&copy; &amp; \\*no\\*", "<p>© &amp; *no*</p>"),
        ("snake_case_name and __init__", "<p>snake_case_name and <strong>init</strong></p>"),
        ("> quoted", "<blockquote>\n<p>quoted</p>\n</blockquote>"),
        ("---", "<hr>"),
        ("3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'),
        ("Term\n: meaning", "<dl>\n<dt>Term</dt>\n<dd>meaning</dd>\n</dl>"),
        ("{{ jinja }} {% raw %} `{{ x }}`", "<p>{{ jinja }} {% raw %} <code>{{ x }}</code></p>"),
        ("Map<String, List<T>> and <T>", "<p>Map&lt;String, List&lt;T&gt;&gt; and &lt;T&gt;</p>"),
    ],
)
def test_text(markdown, html):
    assert page(markdown) == html


def test_a_setext_heading_is_a_heading_and_its_paragraph_may_have_two_lines():
    note = compiled("Two\nlines\n===\ntext\n\nNext\n---\n")
    assert [(s.level, s.title) for s in note.sections] == [(1, "Two lines"), (2, "Next")]


def test_task_lists():
    assert page("- [x] done\n- [ ] **to** do\n- plain") == (
        '<ul class="tasks">\n'
        '<li class="done"><span class="box">☑</span> done</li>\n'
        '<li class="todo"><span class="box">☐</span> <strong>to</strong> do</li>\n'
        "<li>plain</li>\n</ul>"
    )


def test_tables_scroll_in_a_named_box():
    html = page("## Costs\n\n| a | b |\n|---|--:|\n| `x\\|y` | 1 |")
    assert '<div class="scroll" tabindex="0" role="region" aria-label="Costs"><table>' in html
    assert '<th scope="col">a</th><th scope="col" class="right">b</th>' in html
    assert '<td><code>x|y</code></td><td class="right">1</td>' in html


def test_code_is_escaped_and_named():
    html = page('```python title="a & b.py"\nif a < b: "x"\n```')
    assert html == (
        '<figure class="code"><header><span>a &amp; b.py</span></header><pre tabindex="0">'
        '<code class="language-python"><span class="k">if </span>a &lt; b: '
        '<span class="s">"x"\n</span></code></pre></figure>'
    )
    assert "<span>text</span>" in page("~~~text\nx\n~~~")
    assert '<code class="language-py numbered">' in page("``` { .py linenums=1 }\nx\n```")
    assert "<header></header>" in page("    indented")


def test_a_language_cannot_leave_its_attribute():
    assert 'class="language-x"' in page('```x"onload="y\n```')


def test_footnotes():
    html = page("a[^n] b[^n] c^[inline *x*]\n\n[^n]: The note.\n")
    assert '<sup id="nb-fnref-1"><a href="#nb-fn-1" role="doc-noteref">1</a></sup>' in html
    assert '<sup id="nb-fnref-1-2"><a href="#nb-fn-1" role="doc-noteref">1</a></sup>' in html
    assert (
        '<li id="nb-fn-1"><p>The note. <a href="#nb-fnref-1" role="doc-backlink">↩</a>'
        ' <a href="#nb-fnref-1-2" role="doc-backlink">↩</a></p>\n</li>'
    ) in html
    assert '<li id="nb-fn-2"><p>inline <em>x</em>' in html


def test_a_footnote_of_which_no_definition_exists_is_text():
    assert page("a[^1]") == "<p>a[^1]</p>"


@pytest.mark.parametrize(
    ("markdown", "formula"),
    [
        ("$a_1 + b^2$", ">a_1 + b^2</annotation>"),
        ("$a*b*c$ and *x*", ">a*b*c</annotation>"),
        ("见$x<y$。", ">x&lt;y</annotation>"),
        ("$$\na_1\n\n* b\n$$", ">a_1\n\n* b</annotation>"),
        ("$$ E = mc^2 $$", ">E = mc^2</annotation>"),
    ],
)
def test_formulas_keep_their_source(markdown, formula):
    assert formula in page(markdown)


@pytest.mark.parametrize(
    "amounts", ["$5 and $6, no formula", "US$5 or A$6", "$HOME/bin:$PATH", "a $ b $ c", "$5-$6"]
)
def test_amounts_are_no_formulas(amounts):
    assert page(amounts) == f"<p>{amounts}</p>"


def test_callouts():
    assert page("> [!Note] Read **this**\n> body") == (
        '<aside class="callout" data-kind="note">\n<p class="cap">Read <strong>this</strong></p>\n'
        "<p>body</p>\n</aside>"
    )
    assert page("> [!tip]\n> body").count('<p class="cap">Tip</p>') == 1
    assert page("> [!faq]- Folded\n> - a") == (
        '<details class="callout" data-kind="faq">\n<summary class="cap">Folded</summary>\n'
        "<ul>\n<li>a</li>\n</ul>\n</details>"
    )
    assert '<details class="callout" data-kind="faq" open>' in page("> [!faq]+ Open\n> x")


def test_callouts_nest():
    html = page("> [!note] A\n> > [!tip] B\n> > inner\n>\n> > quote\n\nafter")
    assert re.findall(r"</?(?:aside|blockquote)", html) == [
        "<aside", "<aside", "</aside", "<blockquote", "</blockquote", "</aside",
    ]  # fmt: skip
    assert html.endswith("<p>after</p>")


def test_admonitions_become_the_same():
    assert page('!!! warning "Care"\n    body\n\n    more\n\nafter') == (
        '<aside class="callout" data-kind="warning">\n<p class="cap">Care</p>\n'
        "<p>body</p>\n<p>more</p>\n</aside>\n<p>after</p>"
    )
    assert '<details class="callout" data-kind="note">' in page("??? note\n    x")
    assert '<details class="callout" data-kind="note" open>' in page("???+ note\n    x")
    assert page("!!!\nnothing") == "<p>!!!\nnothing</p>"


def test_attributes_reach_their_element():
    assert '<h2 id="own" class="k">' in page("## Title {#own .k}\n")
    assert '<p class="lead">a</p>' in page("a\n{: .lead }")
    assert '<code class="k">x</code>' in page("`x`{.k}")
    assert '<li id="i" class="k">a</li>' in page("- a\n  {#i .k}\n- b")
    assert '<li class="todo k">' in page("- [ ] a\n  {.k}")
    assert 'width="30"' in page("![a](b.png){width=30}")
    assert page("[a](b.md){.btn title='t' }").startswith(
        '<p><a href="nb-link-0" class="btn" title="t">'
    )


@pytest.mark.parametrize(
    "braces", ["{.k onclick=x}", "{onclick=x}", "{style='a:b' src=javascript:x}"]
)
def test_attributes_that_act_are_left_out(braces):
    html = page(f"![a](b.png){braces}")
    assert not re.search("onclick|style|javascript", html)


def test_attributes_do_not_replace_an_address():
    assert [
        use.target for use in compiled("![a](b.png){src=c.png} [d](e.md){href=f.md}").links
    ] == [
        "b.png",
        "e.md",
    ]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("__a__{ title='x' }: b", '<strong title="x">a</strong>: b'),
        ("*a*{.b}*c*{.d}", '<em class="b">a</em><em class="d">c</em>'),
        ("==a=={.b} ^^c^^{.d}", '<mark class="b">a</mark> <ins class="d">c</ins>'),
        ("~~a~~{lang=de} b", '<s lang="de">a</s> b'),
        ("***a***{.b}", '<em class="b"><strong>a</strong></em>'),
        ("**a *b* c**{.d}", '<strong class="d">a <em>b</em> c</strong>'),
        ("**a**{onclick=x .b}", '<strong class="b">a</strong>'),
        ("**a** {.b} c", "<strong>a</strong> {.b} c"),
        ("**a**\\{.b}", "<strong>a</strong>{.b}"),
        ("**a**{{ b }}", "<strong>a</strong>{{ b }}"),
        ("**a{.b}", "**a{.b}"),
    ],
)
def test_attributes_of_emphasis(text, html):
    assert page(text) == f"<p>{html}</p>"


def test_an_attribute_may_have_no_value():
    page = compiled("## Changes { data-search-exclude }\n\n## Set { #a data-x .b }\n")
    assert [section.title for section in page.sections] == ["Changes", "Set"]
    assert page.sections[1].anchor == "a"


def test_braces_that_are_no_attributes_are_text():
    assert page("[a](b.md){{ x }}").endswith("</a>{{ x }}</p>")
    assert page("set {a, b}") == "<p>set {a, b}</p>"
    assert page("## f(x) {x}").count("f(x) {x}") == 2


@pytest.mark.parametrize(
    ("markdown", "tags"),
    [
        ("#one and #two/three, #中文标签。", ["#one", "#two/three", "#中文标签"]),
        ("(#in) *#em*", ["#in", "#em"]),
        ("C#7 a#b `#code` #12 \\#no &#35;", []),
        ("https://example.org/#frag", []),
        ("[#label](x.md)", []),
        ("**bold**#joined", []),
        ("# Title #inside", ["#inside"]),
        ("```\n#no\n```", []),
    ],
)
def test_tags(markdown, tags):
    assert re.findall(r'<span class="tag">([^<]*)</span>', page(markdown)) == tags


@pytest.mark.parametrize(
    ("markdown", "address"),
    [
        ("see https://a.org/x.", "https://a.org/x"),
        ("见https://a.org/x。然后", "https://a.org/x"),
        ("(https://a.org/x_(y))", "https://a.org/x_(y)"),
        ("https://a.org/?a=1&amp;b=2", "https://a.org/?a=1&amp;b=2"),
        ("https://a.org/?a=1&b=2", "https://a.org/?a=1&amp;b=2"),
        ("http://a.org/a_b_c,", "http://a.org/a_b_c"),
        ("<https://a.org/b>", "https://a.org/b"),
        ("`https://a.org`", None),
        ("ftp://a.org and www.a.org", None),
    ],
)
def test_bare_addresses_become_links(markdown, address):
    found = re.findall(r'<a href="([^"]*)" class="ext" rel="noopener">', page(markdown))
    assert found == ([address] if address else [])


def test_pictures_load_lazily_and_keep_their_words():
    assert page("![a *b*](x.png 'T')") == (
        '<p><img src="nb-link-0" alt="a b" loading="lazy" title="T"></p>'
    )
    assert 'alt="a" loading="lazy" width="300"' in page("![a|300](x.png)")


def test_embedded_pictures_take_a_size_or_words():
    assert page("![[a b.png|300]]") == (
        '<p><img src="nb-link-0" alt="a b.png" loading="lazy" width="300"></p>'
    )
    assert 'alt="words" loading="lazy" width="30" height="20"' in page("![[x.png|words|30x20]]")


def test_sounds_films_and_files_are_shown_as_what_they_are():
    assert '<audio src="nb-link-0" controls aria-label="a.mp3"></audio>' in page("![[a.mp3]]")
    assert '<video src="nb-link-0" controls aria-label="a.mp4"></video>' in page("![](a.mp4)")
    assert '<a href="nb-link-0" class="file">a.pdf</a>' in page("![[a.pdf]]")


PLACE = '<nb-embed data-n="0"></nb-embed>'


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("![[Note#Part]]", PLACE),
        ("![x](Note.md#part)", PLACE),
        ("a ![[Note]]. b", f"<p>a </p>\n{PLACE}\n<p>. b</p>"),
        ("![[Note]]\nb", f"{PLACE}\n<p>b</p>"),
        ("- a ![[Note]]", f"<ul>\n<li>a {PLACE}\n</li>\n</ul>"),
        ("# a ![[Note]]", '<a href="nb-link-0">Note</a></h1>'),
        ("**a ![[Note]]**", '<p><strong>a <a href="nb-link-0">Note</a></strong></p>'),
        ("[a ![[Note]]](b.md)", '<p><a href="nb-link-0">a Note</a></p>'),
        ("a^[b ![[Note]]]", '<p>b <a href="nb-link-0">Note</a> <a href="#nb-fnref-1"'),
    ],
)
def test_embeds_of_notes_stand_between_paragraphs_and_are_links_elsewhere(markdown, html):
    assert html in page(markdown)


def test_embeds_know_their_line():
    links = compiled("a\nb ![[N]] c\nd ![[M]]\ne [[L]]\n").links
    assert [(use.target, use.line) for use in links] == [("N", 2), ("M", 3), ("L", 4)]


@pytest.mark.parametrize(
    "scheme", ["javascript", "JavaScript", "vbscript", "file", "data", "blob", "x-custom"]
)
@pytest.mark.parametrize(
    "form", ["[a]({}:x)", "[a](<{}:x>)", "![a]({}:x)", "[a][r]\n\n[r]: <{}:x>"]
)
def test_addresses_that_act_on_the_reader_are_refused(scheme, form):
    note = compiled(form.format(scheme))
    assert "href=" not in note.html
    assert "src=" not in note.html
    assert ">a<" in note.html
    assert [finding.kind for finding in note.findings] == [FindingKind.HTML]
    assert note.links == ()


@pytest.mark.parametrize("hidden", ["javascript&colon;x", "java&Tab;script:x"])
def test_character_references_hide_no_scheme(hidden):
    note = compiled(f"[a]({hidden})")
    assert "href=" not in note.html
    assert "`javascript:`" in note.findings[0].message


def test_pictures_may_be_data_but_not_of_a_kind_that_runs():
    assert 'src="data:image/png;base64,AA=="' in page("![a](data:image/png;base64,AA==)")
    assert "src=" not in page("![a](data:image/svg+xml;base64,AA==)")
    assert "href=" not in page("[a](data:image/png;base64,AA==)")


def test_links_out_are_marked_and_encoded():
    assert page('[a](<https://a.org/é b?q="x"> "T")') == (
        '<p><a href="https://a.org/%C3%A9%20b?q=%22x%22" class="ext" rel="noopener" title="T">a</a>'
        "</p>"
    )
    assert compiled("[a](//a.org/x)").links[0].external


def test_compiling_can_be_sent_to_another_process():
    note = read_source("a.md", b"---\ntitle: T\n---\n# H\n[[x]] %%c%%\n")
    again = pickle.loads(pickle.dumps(note))
    assert compile_note(again) == pickle.loads(pickle.dumps(compile_note(note)))


def test_compiling_twice_gives_the_same():
    text = "# A {#a}\n[x]: y\n\n[x] [^1]\n\n[^1]: n\n"
    assert compiled(text) == compiled(text)
    assert page("[x] and a[^1]") == "<p>[x] and a[^1]</p>"


@pytest.mark.parametrize(
    ("path", "meta", "body", "title"),
    [
        ("a/b.md", {"title": " Given "}, "# H\n", "Given"),
        ("a/b.md", {}, "## Two\n\n# *One* `x`\n", "One x"),
        ("a/b.md", {}, "## Two\n", "b"),
        ("a/b.c.md", {}, "", "b.c"),
        ("a/index.md", {}, "", "a"),
        ("a/b/README.md", {}, "", "b"),
        ("index.md", {}, "", "index"),
        ("a.md", {"title": ["no", "string"]}, "> # quoted\n", "a"),
    ],
)
def test_titles(path, meta, body, title):
    assert compile_note(SourceNote(path, meta, body, 1)).title == title


def test_what_is_nested_too_deep_is_reported_with_its_line():
    note = compiled("a\n\n" + ">" * 300 + " deep\n")
    assert [(f.kind, f.line) for f in note.findings] == [(FindingKind.LIMIT, 3)]


def test_findings_of_comments_and_front_matter_come_along():
    note = compiled("---\na: 1\na: 2\n---\ntext\n\n%% never closed\n")
    assert [(f.kind, f.line) for f in note.findings] == [
        (FindingKind.FRONT_MATTER, 3),
        (FindingKind.COMMENT, 7),
    ]
    assert note.text == "text\n\n"
