"""Where links lead among all notes, and what a page says where they lead nowhere."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote, urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder import front_matter
from site_builder.dialect import compile_note
from site_builder.identity import identify
from site_builder.linking import IndexedNote, NoteIndex, link_note, relative_url
from site_builder.note import FindingKind, LinkedNote, LinkKind
from site_builder.source import read_source


def site(notes: dict[str, str], assets: tuple[str, ...] = ()) -> dict[str, LinkedNote]:
    """All linked notes of a small site, by path."""
    sources = [read_source(path, text.encode()) for path, text in notes.items()]
    published = [note for note in sources if not note.withheld]
    identities, _ = identify(published, assets=assets)
    compiled = [compile_note(note) for note in published]
    index = NoteIndex.build(
        (
            IndexedNote.of(page, identity.doc_id, identity.url, front_matter.aliases(note.meta))
            for note, page, identity in zip(published, compiled, identities, strict=True)
        ),
        assets,
    )
    return {
        page.path: link_note(index, page, identity.doc_id)
        for page, identity in zip(compiled, identities, strict=True)
    }


def lead(text: str, others: dict[str, str], assets: tuple[str, ...] = (), path: str = "a/here.md"):
    """What the links of a note at `path` lead to: (kind, to, anchor)."""
    linked = site({path: text, **others}, assets)[path]
    return [(link.kind.value, link.to, link.anchor) for link in linked.links]


OTHERS = {
    "Note.md": (
        "---\ntitle: The Title\naliases: [Other, 别名]\n---\n# Note\n## Part *one*\n## Part one\n"
    ),
    "a/near.md": "# N\n",
    "a/b/Deep Note.md": "> # Quoted\n\n<i id=raw></i>\n\n[x](y.md){#own}\n",
    "c/near.md": "# N\n",
    "folder/index.md": "# F\n",
    "other/README.md": "# R\n",
    "It's [v1.2] (x).md": "# I\n",
    "draft.md": "---\ndraft: true\n---\n# D\n",
}


@pytest.mark.parametrize(
    ("name", "doc_id"),
    [
        ("Note", "Note"),
        ("Note.md", "Note"),
        ("/Note", "Note"),
        ("note", "Note"),
        ("a/near", "a/near"),
        ("near", "a/near"),
        ("b/Deep Note", "a/b/Deep Note"),
        ("B/deep note", "a/b/Deep Note"),
        ("Deep Note", "a/b/Deep Note"),
        ("./b/Deep Note", "a/b/Deep Note"),
        ("../c/near", "c/near"),
        ("folder", "folder/index"),
        ("other", "other/README"),
        ("Other", "other/README"),
        ("别名", "Note"),
        ("The Title", "Note"),
        ("the title", "Note"),
        ("It's [v1.2] (x)", "It's [v1.2] (x)"),
        ("eep Note", None),
        ("x/near", None),
        ("draft", None),
        ("", None),
    ],
)
def test_names_between_brackets(name, doc_id):
    found = lead(f"[[{name}]]", OTHERS)
    if name:
        assert found == ([("doc", doc_id, "")] if doc_id else [("missing", name, "")])
    else:
        assert found == []


def test_a_path_goes_before_an_end_of_path_an_alias_and_a_title():
    notes = {
        "x.md": "",
        "b/x.md": "",
        "y.md": "---\naliases: x\n---\n",
        "z.md": "---\ntitle: x\n---\n",
    }
    assert lead("[[x]]", notes) == [("doc", "x", "")]
    del notes["x.md"]
    assert lead("[[x]]", notes) == [("doc", "b/x", "")]
    del notes["b/x.md"]
    assert lead("[[x]]", notes) == [("doc", "y", "")]
    del notes["y.md"]
    assert lead("[[x]]", notes) == [("doc", "z", "")]


def test_of_several_the_nearest_is_meant_and_the_author_told():
    linked = site(
        {"a/here.md": "one\n\n[[near]]", "0/near.md": "", "a/c/near.md": "", "near/x.md": ""}
    )
    note = linked["a/here.md"]
    assert note.links[0].to == "a/c/near"
    (finding,) = note.findings
    assert (finding.kind, finding.line) == (FindingKind.AMBIGUOUS_LINK, 3)
    assert "0/near.md" in finding.message


def test_of_several_equally_near_the_first_by_path_is_meant():
    assert lead("[[n]]", {"b/n.md": "", "c/n.md": ""}, path="here.md") == [("doc", "b/n", "")]


@pytest.mark.parametrize(
    ("address", "doc_id"),
    [
        ("near.md", "a/near"),
        ("near", "a/near"),
        ("./near.md", "a/near"),
        ("../Note.md", "Note"),
        ("/Note.md", "Note"),
        ("/note.MD", "Note"),
        ("b/Deep%20Note.md", "a/b/Deep Note"),
        ("<b/Deep Note.md>", "a/b/Deep Note"),
        ("b\\\\Deep%20Note.md", "a/b/Deep Note"),
        ("../folder/", "folder/index"),
        ("../folder", "folder/index"),
        ("/other/", "other/README"),
        ("../Note/", "Note"),
        ("near.md?plain=1", "a/near"),
        ("/It's%20%5Bv1.2%5D%20%28x%29.md", "It's [v1.2] (x)"),
        ("Note.md", None),
        ("../../Note.md", None),
        ("/draft.md", None),
    ],
)
def test_addresses_in_parentheses(address, doc_id):
    (link,) = lead(f"[x]({address})", OTHERS)
    assert link[0] == ("doc" if doc_id else "missing")
    if doc_id:
        assert link[1] == doc_id


def test_reference_links_and_links_with_titles_lead_the_same_way():
    assert lead("[x][r] [y](near.md 'T')\n\n[r]: /Note.md\n", OTHERS) == [
        ("doc", "Note", ""),
        ("doc", "a/near", ""),
    ]


@pytest.mark.parametrize(
    ("written", "anchor"),
    [
        ("[[Note#Part one]]", "part-one"),
        ("[[Note#Note#Part one]]", "part-one"),
        ("[x](/Note.md#part-one-1)", "part-one-1"),
        ("[x](/Note.md#Part%20one)", "part-one"),
        ("[[Deep Note#Quoted]]", "nb-quoted"),
        ("[[Deep Note#raw]]", "nb-raw"),
        ("[x](b/Deep%20Note.md#own)", "own"),
        ("[[#Mine]]", "mine"),
        ("[x](#mine)", "mine"),
    ],
)
def test_fragments_find_anchors_or_headings(written, anchor):
    linked = site({"a/here.md": f"# Mine\n{written}\n", **OTHERS})["a/here.md"]
    assert linked.links[0].anchor == anchor
    assert f'#{anchor}"' in linked.html
    assert linked.findings == ()


def test_a_missing_heading_is_reported_and_the_link_leads_to_its_note():
    note = site({"a/here.md": "\n[[Note#Nowhere]] ![[Note#Nowhere]]", **OTHERS})["a/here.md"]
    assert [(link.kind, link.to, link.anchor) for link in note.links] == [
        (LinkKind.DOC, "Note", ""),
    ] * 2
    assert [(f.kind, f.line) for f in note.findings] == [(FindingKind.MISSING_ANCHOR, 2)] * 2
    assert note.html.count('<a href="../../Note/">Note &gt; Nowhere</a>') == 2


def test_missing_notes_are_said_to_be_missing_and_are_no_links():
    note = site({"a.md": "x\n\n[[nope]] and [*label*](b/nope.md 'T') ![[nope]]"})["a.md"]
    assert "<a href" not in note.html
    assert (
        '<a class="missing" role="link" aria-disabled="true" title="Not written yet">nope</a>'
        in note.html
    )
    assert 'title="T"><em>label</em></a>' in note.html
    assert "nb-embed" not in note.html
    assert [(f.kind, f.line) for f in note.findings] == [(FindingKind.MISSING_NOTE, 3)] * 3
    assert "missing note: nope" in str(note.findings[0])


def test_a_missing_note_of_known_name_brings_a_suggestion():
    note = site({"a.md": "[x](wrong/Deep%20Note.md)", "b/Deep Note.md": ""})["a.md"]
    assert "b/Deep Note.md" in note.findings[0].hint


def test_files_are_found_copied_and_addressed_from_the_page():
    assets = ("img/a b.png", "doc.pdf", "a/near.png", "unused.png")
    note = site(
        {
            "a/here.md": "![x](../img/a%20b.png) [[doc.pdf]] ![[A B.png]] ![n](near.png) "
            "[f](/doc.pdf#page=2)"
        },
        assets,
    )["a/here.md"]
    assert [(link.kind.value, link.to) for link in note.links] == [
        ("image", "img/a b.png"),
        ("file", "doc.pdf"),
        ("image", "img/a b.png"),
        ("image", "a/near.png"),
        ("file", "doc.pdf"),
    ]
    assert note.assets == ("a/near.png", "doc.pdf", "img/a b.png")
    assert 'src="../../img/a%20b.png"' in note.html
    assert 'src="../near.png"' in note.html
    assert 'href="../../doc.pdf#page=2"' in note.html


def test_missing_files_are_reported_and_say_their_words():
    note = site({"a.md": "![a & b](no.png) [[no.pdf]]"})["a.md"]
    assert '<span class="missing" title="Not written yet">a &amp; b</span>' in note.html
    assert "src=" not in note.html
    assert [f.kind for f in note.findings] == [FindingKind.MISSING_FILE] * 2


def test_embeds_of_notes_keep_their_place_and_are_resolved():
    note = site({"a.md": "![[Note#Part one]]", **OTHERS})["a.md"]
    assert '<nb-embed data-n="0"></nb-embed>' in note.html
    assert (note.links[0].kind, note.links[0].to, note.links[0].anchor) == (
        LinkKind.EMBED, "Note", "part-one",
    )  # fmt: skip


def test_links_in_raw_html_are_resolved():
    text = '<a class="k" href="near.md">a</a> <a href=no.md title="t">b</a> <img src="no.png">\n'
    note = site({"a/here.md": text, **OTHERS})["a/here.md"]
    assert '<a class="k" href="../near/">a</a>' in note.html
    assert '<a class="missing" role="link" aria-disabled="true" title="t">b</a>' in note.html
    assert "nb-link-" not in note.html


def test_both_addresses_of_a_film_are_filled():
    text = '<video src="v.mp4" poster="p.png"></video> <video poster="no.png" src="v.mp4"></video>'
    note = site({"a.md": text}, ("v.mp4", "p.png"))["a.md"]
    assert '<video src="../v.mp4" poster="../p.png">' in note.html
    assert 'src="../v.mp4"' in note.html.split("</video>")[1]
    assert "nb-link-" not in note.html


def test_links_out_are_published_as_written():
    (link,) = lead("[x](https://a.org/é#f)", {})
    assert link == ("external", "https://a.org/é#f", "")


def test_text_that_looks_like_a_placeholder_stays():
    text = '`<a href="nb-link-0">` "nb-link-0" <b title=\'href="nb-link-0"\'>b</b> [x](n.md)'
    note = site({"a.md": text, "n.md": ""})["a.md"]
    assert note.html.count("nb-link-0") == 3
    assert 'href="../n/"' in note.html


def test_links_know_their_section_and_the_authors_line():
    compiled = compile_note(
        read_source(
            "a.md",
            b"---\nk: v\n---\n[[a]]\n# A\n%%x\ny%%\n[[b]]\nc [[c]]\n\n"
            b"## B\n- [[d]]\n\n|a|\n|-|\n|[[e]]|\n",
        )
    )
    assert [(use.target, use.section, use.line) for use in compiled.links] == [
        ("a", 0, 4), ("b", 1, 8), ("c", 1, 9), ("d", 2, 12), ("e", 2, 16),
    ]  # fmt: skip


def test_links_in_footnotes_belong_to_where_the_note_is_written():
    compiled = compile_note(read_source("a.md", b"# A\n[^1]: [[x]]\n\n# B\ntext[^1]\n"))
    assert [(use.target, use.section, use.line) for use in compiled.links] == [("x", 0, 2)]


URLS = st.lists(st.sampled_from(["a", "b", "c d", "é", "x:y", "#", "?", "%", "a.b"]), max_size=4)


@given(URLS, URLS)
def test_relative_addresses_lead_back(page, target):
    here, there = "".join(f"{part}/" for part in page), "".join(f"{part}/" for part in target)
    href = relative_url(here, there)
    base = "https://e.org/" + "".join(f"p{number}/" for number, _ in enumerate(page))
    assert href
    resolved = posixpath.normpath(posixpath.join("/", here, unquote(href)))
    assert resolved == posixpath.normpath(posixpath.join("/", there))
    assert urljoin(base, href).startswith("https://e.org/")


@given(st.text(alphabet="[]()#|!.\\/ab%2", max_size=30))
def test_any_link_resolves_or_is_reported(text):
    note = site({"a/here.md": text, "a/b.md": "# a\n", "b/a.md": "# b\n"}, ("a.b",))["a/here.md"]
    assert "nb-link-" not in note.html
    missing = sum(link.kind is LinkKind.MISSING for link in note.links)
    reported = [
        f for f in note.findings if f.kind in (FindingKind.MISSING_NOTE, FindingKind.MISSING_FILE)
    ]
    assert missing == len(reported)
