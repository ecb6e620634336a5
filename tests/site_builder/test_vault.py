"""The small vault of inputs that break other publishers, held against what it must give."""

from __future__ import annotations

import json
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent.parent / "cases"
EXPECTED: dict[str, Any] = json.loads((CASES / "expected.json").read_text(encoding="utf-8"))


def links_by_words(doc: dict[str, Any]) -> list[str | None]:
    """Where each link among the notes leads, in order; None for nowhere."""
    shown: list[str | None] = []
    for link in doc["links"]:
        if link["kind"] in ("doc", "embed"):
            shown.append(link["to"] + (f"#{link['anchor']}" if "anchor" in link else ""))
        elif link["kind"] == "missing":
            shown.append(None)
    return shown


def test_links_of_the_index_lead_where_the_author_meant(vault_site):
    wanted = EXPECTED["links_of_index"]
    # As written in index.md, top to bottom; a link may be written in several ways.
    in_order = [
        wanted["Stuff"],
        wanted["Stuff/Inner"],
        wanted["Inner"],
        wanted["Let's Article (Part 2)"],
        wanted["Let's Article (Part 2)#It's \"quoted\" & done"],
        wanted["入口"],
        wanted["missing note"],
        wanted["Stuff/Inner.md"],
        wanted["Stuff/Inner.md#second-heading"],
        wanted["Let%27s%20Article%20%28Part%202%29.md"],
    ]
    assert len(in_order) == len(wanted)
    assert links_by_words(vault_site.docs()["index"]) == in_order


def test_root_absolute_links_lead_to_notes(vault_site):
    found = links_by_words(vault_site.docs()["root-links"])
    assert found == list(EXPECTED["links_of_root-links"].values())


def test_links_on_the_page_lead_to_existing_pages_and_anchors(vault_site):
    page = vault_site.page("")
    assert 'href="Stuff/Inner/#second-heading"' in page
    assert 'href="Let&#x27;s%20Article%20(Part%202)/"' in page or (
        'href="Let\'s%20Article%20(Part%202)/"' in page
    )
    assert "#its-quoted--done" in page
    assert 'class="missing' in page


def test_tags_are_found_and_code_and_addresses_are_none(vault_site):
    assert vault_site.rows()["index"]["tags"] == EXPECTED["tags_of_index"]


@pytest.mark.parametrize("doc_id", EXPECTED["anchors"])
def test_anchors_are_in_document_and_toc_alike(vault_site, doc_id):
    doc = vault_site.docs()[doc_id]
    toc = vault_site.object("toc", vault_site.rows()[doc_id]["toc"]["sha256"])
    assert [section["anchor"] for section in doc["sections"]] == EXPECTED["anchors"][doc_id]
    assert toc["sections"] == doc["sections"]


def test_every_publishable_note_is_published_and_no_other(vault_site):
    assert sorted(vault_site.docs()) == sorted(EXPECTED["published_documents"])
    assert not set(EXPECTED["withheld"]) & set(vault_site.docs())


@pytest.mark.parametrize("word", EXPECTED["must_not_appear_anywhere"])
def test_nothing_withheld_appears_in_any_file(vault_site, word):
    wanted = word.encode("utf-8").lower()
    leaks = [
        path
        for path in vault_site.folder.rglob("*")
        if path.is_file() and wanted in path.read_bytes().lower()
    ]
    assert leaks == []


def test_withheld_notes_leave_no_page_and_no_name(vault_site):
    files = [
        path.relative_to(vault_site.folder).as_posix() for path in vault_site.folder.rglob("*")
    ]
    assert not [path for path in files if path.split("/")[0] in ("draft", "withheld")]


def test_a_note_beside_a_folder_of_its_name_both_have_pages(vault_site):
    rows = vault_site.rows()
    urls = [rows[doc_id]["url"] for doc_id in EXPECTED["both_pages_exist"]]
    assert len(set(urls)) == 2
    assert "A note beside a folder" in vault_site.page(rows["Stuff"]["url"])
    assert "A page for the folder" in vault_site.page(rows["Stuff/index"]["url"])


@pytest.mark.parametrize("doc_id", EXPECTED["literal_text"])
def test_template_marks_stay_as_typed(vault_site, doc_id):
    page = vault_site.page(vault_site.rows()[doc_id]["url"])
    text = vault_site.docs()[doc_id]["text"]
    for literal in EXPECTED["literal_text"][doc_id]:
        assert literal in text
        assert literal in page


@pytest.mark.parametrize(
    ("path", "line", "words"),
    [
        ("index.md", 8, "missing note"),
        ("broken-front-matter.md", 2, "front matter"),
        ("not-utf8.md", 3, "UTF-8"),
        ("withheld.md", 0, "withheld"),
        ("embeds-draft.md", 3, "missing note"),
        ("Stuff/index.md", 0, "two sources, one address"),
        ("tab-front-matter.md", 3, "front matter"),
    ],
)
def test_warnings_name_file_and_line(vault_site, path, line, words):
    assert [
        finding
        for finding in vault_site.findings
        if finding.path == path and finding.line == line and words in finding.message
    ]


def test_windows_line_ends_and_a_byte_order_mark_leave_no_trace(vault_site):
    text = vault_site.docs()["bom-crlf"]["text"]
    assert "\r" not in text
    assert text.startswith("# BOM and CRLF\n")


def test_an_empty_note_is_published_with_one_section(vault_site):
    doc = vault_site.docs()["empty"]
    assert doc["text"] == ""
    assert [section["anchor"] for section in doc["sections"]] == ["_top"]


def test_one_edit_changes_only_its_own_branch_of_the_tree(vault_site, build, tmp_path):
    notes = tmp_path / "vault"
    shutil.copytree(CASES / "vault", notes)
    edited = notes / "Stuff.md"
    edited.write_text(
        edited.read_text(encoding="utf-8").replace("beside", "near"), encoding="utf-8"
    )
    after = build(notes, tmp_path / "site", name="Vault")

    def tree(site: Any) -> dict[str, set[str]]:
        kinds = ("doc", "toc", "leaf", "index", "overview", "category")
        return {
            kind: {path.name for path in (site.folder / "ai/objects" / kind).iterdir()}
            for kind in kinds
        }

    before_tree, after_tree = tree(vault_site), tree(after)
    changed = {kind: len(after_tree[kind] - before_tree[kind]) for kind in before_tree}
    assert changed == {"doc": 1, "toc": 1, "leaf": 1, "index": 1, "overview": 0, "category": 0}
    assert after.manifest["content"] != vault_site.manifest["content"]


def test_a_deleted_note_leaves_no_page_reference_backlink_or_edge(build, tmp_path):
    notes = tmp_path / "vault"
    shutil.copytree(CASES / "vault", notes)
    (notes / "Stuff" / "Inner.md").unlink()
    site = build(notes, tmp_path / "site", name="Vault")
    assert "Stuff/Inner" not in site.rows()
    assert not (site.folder / "Stuff/Inner").exists()
    knowledge = b"".join(
        body
        for path, body in site.knowledge().items()
        if "/doc/" not in path and "/shard/" not in path and "/lists/" not in path
    )
    assert b"Stuff/Inner" not in knowledge
    # Lists say the first words of other notes, which may name it; none leads to it.
    lists = b"".join(body for path, body in site.knowledge().items() if "/lists/" in path)
    assert b"](" in lists
    assert b"Stuff/Inner/" not in lists
    assert b"link:Stuff/Inner" not in b"".join(site.knowledge().values())
    links = [link for doc in site.docs().values() for link in doc["links"]]
    assert not [link for link in links if link["kind"] != "missing" and link["to"] == "Stuff/Inner"]


def test_paths_and_ids_are_composed_whatever_the_file_system_gives(build, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / unicodedata.normalize("NFD", "é.md")).write_text("# E\n", encoding="utf-8")
    site = build(notes, tmp_path / "site")
    assert list(site.rows()) == ["é"]
    assert site.rows()["é"]["url"] == "é/"
