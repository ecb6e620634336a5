"""Embedded notes on the pages that show them."""

from __future__ import annotations

import re
from collections import Counter

from site_builder.dialect import compile_note
from site_builder.embeds import COUNT_LIMIT, DEPTH_LIMIT, SIZE_LIMIT, with_embeds
from site_builder.identity import identify
from site_builder.linking import IndexedNote, NoteIndex, link_note
from site_builder.note import FindingKind, LinkedNote
from site_builder.source import read_source


def site(notes: dict[str, str], assets: tuple[str, ...] = ()) -> dict[str, LinkedNote]:
    """All notes with their embeds, by path."""
    sources = [read_source(path, text.encode()) for path, text in notes.items()]
    identities, _ = identify(sources, assets=assets)
    compiled = [compile_note(note) for note in sources]
    index = NoteIndex.build(
        (
            IndexedNote.of(page, identity.doc_id, identity.url)
            for page, identity in zip(compiled, identities, strict=True)
        ),
        assets,
    )
    linked = {
        identity.doc_id: link_note(index, page, identity.doc_id)
        for page, identity in zip(compiled, identities, strict=True)
    }
    return {note.compiled.path: with_embeds(note, index, linked) for note in linked.values()}


def embeds(html: str) -> int:
    return html.count('<section class="embed"')


INNER = (
    "# Inner\n\nfirst\n\n## Second\n\nonly this\n\n### Below\n\nand this\n\n## Second\n\nrepeat\n"
)


def test_a_whole_note_is_shown_with_a_link_to_it():
    html = site({"a/here.md": "x\n\n![[Inner]]\n", "b/Inner.md": INNER})["a/here.md"].html
    assert '<section class="embed" aria-label="Inner">' in html
    assert '<p class="cap"><a href="../../b/Inner/">Inner</a></p>' in html
    assert "<p>first</p>" in html
    assert "<p>repeat</p>" in html
    assert "nb-embed " not in html


def test_a_heading_brings_its_whole_subtree_and_no_more():
    html = site({"a.md": "![[Inner#Second]]\n", "Inner.md": INNER})["a.md"].html
    assert "only this" in html
    assert "and this" in html
    assert "first" not in html
    assert "repeat" not in html
    last = site({"a.md": "![](Inner.md#second-1)\n", "Inner.md": INNER})["a.md"].html
    assert "repeat" in last
    assert "only this" not in last


def test_ids_are_the_pages_own():
    notes = {
        "a.md": "# Inner\n\n![[Inner]]\n\n![[Inner]]\n",
        "Inner.md": INNER + "\na[^1]\n\n[^1]: n\n",
    }
    html = site(notes)["a.md"].html
    ids = Counter(re.findall(r' id="([^"]*)"', html))
    assert max(ids.values()) == 1
    assert all(name == "inner" or name.startswith("nb-embed") for name in ids)
    assert 'href="#nb-embed1-nb-fn-1"' in html
    assert 'class="sec"' not in html.split('<section class="embed"', 1)[1]


def test_links_and_pictures_are_addressed_from_the_page_that_shows_them():
    inner = "# I\n\n## P\n\n![p](p.png) [n](near.md#x) [t](#i) [[Inner#P]]\n"
    note = site(
        {"a/b/here.md": "![[Inner#P]]\n", "c/Inner.md": inner, "c/near.md": "# X\n"}, ("c/p.png",)
    )["a/b/here.md"]
    assert 'src="../../../c/p.png"' in note.html
    assert 'href="../../../c/near/#x"' in note.html
    assert 'href="../../../c/Inner/#i"' in note.html
    assert 'href="../../../c/Inner/#p"' in note.html
    assert note.assets == ()


def test_a_note_that_embeds_itself_is_published_with_one_warning():
    note = site({"Loop.md": "# Loop\n\nIt embeds itself: ![[Loop]]\n"})["Loop.md"]
    assert [(f.path, f.line, f.kind) for f in note.findings] == [("Loop.md", 3, FindingKind.EMBED)]
    assert "embeds itself" in note.findings[0].message
    assert embeds(note.html) == 0
    assert '<a href="./">Loop</a>' in note.html


def test_two_parts_of_one_note_are_no_cycle():
    note = site({"a.md": "![[Inner#Inner]] ![[Inner#Second]]\n", "Inner.md": INNER})["a.md"]
    assert embeds(note.html) == 2
    assert note.findings == ()


def test_a_part_of_the_same_note_is_shown_and_a_part_within_itself_stops():
    note = site({"a.md": "# A\n\n![[#B]]\n\n## B\n\nb\n"})["a.md"]
    assert (embeds(note.html), note.findings) == (1, ())
    note = site({"a.md": "# A\n\n## B\n\n![[#B]]\n"})["a.md"]
    assert [f.kind for f in note.findings] == [FindingKind.EMBED]


def test_cycles_over_several_notes_stop():
    notes = site({"a.md": "![[b]]", "b.md": "![[c]]", "c.md": "![[a]]\n\n![[b]]"})
    assert embeds(notes["a.md"].html) == 2
    assert {f.path for f in notes["a.md"].findings} == {"c.md"}
    assert all(f.kind is FindingKind.EMBED for note in notes.values() for f in note.findings)


def test_embeds_of_embeds_cannot_grow_without_bound():
    notes = {f"n{k}.md": f"![[n{k + 1}]]\n\n![[n{k + 1}]]\n\n![[n{k + 1}]]\n" for k in range(12)}
    notes["n12.md"] = "end"
    notes["big.md"] = "".join(f"![[huge#h{k}]]\n\n" for k in range(9))
    notes["huge.md"] = "".join(f"# h{k}\n\n{'word ' * 40_000}\n\n" for k in range(9))
    pages = site(notes)
    assert embeds(pages["n0.md"].html) == COUNT_LIMIT
    assert SIZE_LIMIT < len(pages["big.md"].html) < 2 * SIZE_LIMIT
    assert all("embeds too much" in pages[path].findings[0].message for path in ("n0.md", "big.md"))


def test_long_chains_of_embeds_end():
    notes = {f"n{k}.md": f"![[n{k + 1}]]\n" for k in range(12)} | {"n12.md": "end"}
    pages = site(notes)
    assert embeds(pages["n0.md"].html) == DEPTH_LIMIT
    assert embeds(pages["n8.md"].html) == 4
    assert pages["n8.md"].findings == ()


def test_a_missing_note_is_not_embedded():
    note = site({"a.md": "![[nope]]\n"})["a.md"]
    assert embeds(note.html) == 0
    assert 'class="missing"' in note.html


def test_a_part_cut_out_of_open_html_is_balanced():
    inner = "# I\n\n<div>\n\n## P\n\nx\n\n</div>\n\n## Q\n"
    html = site({"a.md": "![[Inner#P]]\n", "Inner.md": inner})["a.md"].html
    assert html.count("<div") == html.count("</div>")
    assert html.endswith("</section>\n")


def test_a_note_that_embeds_nothing_is_left_as_it_is():
    note = site({"a.md": "# A\n"})["a.md"]
    assert note.html == note.compiled.html


BLOCKS = "# B\n\nfirst ^p\n\n- one ^i\n- two\n\n> quoted\n\n^q\n\n## C\n\nlast\n"


def test_a_block_is_shown_alone():
    note = site({"a.md": "![[B#^p]]\n\n![[B#^i]]\n\n![[B#^Q]]\n", "B.md": BLOCKS})["a.md"]
    assert note.findings == ()
    parts = note.html.split('<section class="embed"')[1:]
    assert [("first" in p, "one" in p, "quoted" in p, "last" in p) for p in parts] == [
        (True, False, False, False),
        (False, True, False, False),
        (False, False, True, False),
    ]
    assert "<ul>\n<li" in parts[1]
    assert "two" not in note.html


def test_links_lead_to_blocks():
    note = site({"a.md": "[[B#^p]] [[B#^none]]\n", "B.md": BLOCKS})["a.md"]
    assert 'href="../B/#nb-%5Ep"' in note.html
    assert [f.kind for f in note.findings] == [FindingKind.MISSING_ANCHOR]


def test_a_section_cut_out_of_html_is_closed():
    inner = "# I\n\n<div>\n\n## P\n\n*x*\n\n</div>\n\n## Q\n"
    html = site({"a.md": "![[I#P]]\n\nafter\n", "I.md": inner})["a.md"].html
    assert html.count("<div>") == html.count("</div>") == 0
    html = site({"a.md": "![[I#I]]\n", "I.md": inner})["a.md"].html
    assert html.count("<div>") == html.count("</div>") == 1


def test_tabs_of_embeds_are_sets_of_their_own():
    tabs = '=== "A"\n    x\n\n=== "B"\n    y\n'
    html = site({"a.md": f"{tabs}\n![[T]]\n\n![[T]]\n", "T.md": tabs})["a.md"].html
    assert len(set(re.findall(r'name="([^"]*)"', html))) == 3
