"""What a build publishes, leaves out, and says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.build import build_site
from site_builder.folder_lock import folder_lock
from site_builder.project import BuildRequest

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_only_files_that_published_notes_use_are_copied(notes, build, tmp_path):
    write(
        notes,
        public="# Public\n\n![shown](shown.png)\n",
        secret="---\ndraft: true\n---\n# S\n\n![hidden](hidden.png) ![shown](shown.png)\n",
    )
    for name in ("shown", "hidden", "unused"):
        (notes / f"{name}.png").write_bytes(PNG)
    site = build(notes, tmp_path / "site")
    assert (site.folder / "shown.png").exists()
    assert not (site.folder / "hidden.png").exists()
    assert not (site.folder / "unused.png").exists()


def test_files_that_hosts_look_for_are_copied(notes, build, tmp_path):
    write(notes, a="# A\n")
    (notes / "CNAME").write_text("notes.example.org", encoding="utf-8")
    (notes / "private.txt").write_text("private", encoding="utf-8")
    site = build(notes, tmp_path / "site")
    assert (site.folder / "CNAME").exists()
    assert not (site.folder / "private.txt").exists()
    assert not (site.folder / "sitemap.xml").exists()


def test_a_draft_that_mkdocs_publishes_all_the_same_is_a_warning(notes, build, tmp_path):
    write(notes, a="# A\n", b="---\ndraft: true\n---\n# B quokka\n")
    config = notes.parent / "mkdocs.yml"
    config.write_text("site_name: X\ndocs_dir: notes\nplugins: [note-bridge]\n", encoding="utf-8")
    site = build(config, tmp_path / "site")
    assert list(site.rows()) == ["a"]
    assert [(f.path, "publishes its page" in f.message) for f in site.findings] == [("b.md", True)]


def test_a_heading_with_an_id_of_its_own_is_found_by_its_words(notes, build, tmp_path):
    write(notes, a="# A\n\n[[#Some words]]\n\n## Some words {#other}\n\nx\n")
    doc = build(notes, tmp_path / "site").docs()["a"]
    assert doc["links"][0]["anchor"] == "other"


def test_a_document_names_its_images_by_path_and_hash(notes, build, tmp_path):
    write(notes, a="# A\n\n![x](pics/x.png)\n")
    (notes / "pics").mkdir()
    (notes / "pics/x.png").write_bytes(PNG)
    doc = build(notes, tmp_path / "site").docs()["a"]
    assert [(asset["path"], asset["size"]) for asset in doc["assets"]] == [("pics/x.png", len(PNG))]
    assert doc["links"][0]["kind"] == "image"


def test_a_page_without_knowledge_is_on_the_site_only(notes, build, tmp_path):
    write(notes, a="# A\n\n[[b]]\n", b="---\nknowledge: false\n---\n# Quagga\n")
    site = build(notes, tmp_path / "site")
    assert list(site.rows()) == ["a"]
    assert "Quagga" in site.page("b/")
    assert site.docs()["a"]["links"] == [{"section": 0, "kind": "file", "to": "b/", "text": "b"}]
    assert b"Quagga" not in b"".join(site.knowledge().values())


def test_templates_and_hidden_folders_are_left_out(notes, build, tmp_path):
    write(notes, a="# A\n", Templates__daily="# T\n", **{".obsidian__x": "# O\n"})
    write(notes, **{".trash__y": "# Y\n"})
    assert list(build(notes, tmp_path / "site").rows()) == ["a"]


def test_a_site_without_an_index_gets_a_home_page_with_its_categories(notes, build, tmp_path):
    write(notes, os__lock="# Lock\n", loose="# Loose\n")
    home = build(notes, tmp_path / "site").page("")
    assert 'href="os/lock/"' in home
    assert "Loose" in home


def test_languages_come_from_front_matter_then_folder_then_site(notes, build, tmp_path):
    write(notes, a="# A\n", zh__b="# B\n", zh__c="---\nlanguage: ja\n---\n# C\n")
    config = notes.parent / "mkdocs.yml"
    config.write_text(
        "site_name: X\ndocs_dir: notes\nplugins:\n  - note-bridge:\n      theme: note-bridge\n"
        "      language: en\n      languages: {zh: zh-Hans}\n",
        encoding="utf-8",
    )
    site = build(config, tmp_path / "site")
    assert {k: row["language"] for k, row in site.rows().items()} == {
        "a": "en",
        "zh/b": "zh-Hans",
        "zh/c": "ja",
    }
    assert '<html lang="zh-Hans"' in site.page("zh/b/")


def test_titles_in_nav_name_pages_and_order_the_overview(notes, build, tmp_path):
    write(notes, index="# Home\n", b="# Bee\n", a="# Ay\n")
    config = notes.parent / "mkdocs.yml"
    config.write_text(
        "site_name: X\ndocs_dir: notes\nnav:\n  - index.md\n  - Part:\n    - Second: b.md\n"
        "    - a.md\nplugins:\n  - note-bridge: {theme: note-bridge}\n",
        encoding="utf-8",
    )
    site = build(config, tmp_path / "site")
    overview = site.object("overview", site.root["overview"]["sha256"])
    rows = site.object("category", overview["pages"][0][0])["rows"]
    assert overview["source"] == "navigation"
    assert [row[1] for row in rows] == ["index", "b", "a"]
    assert "Second" in site.page("a/")  # the page before it, by the navigation's title
    assert site.docs()["b"]["title"] == "Bee"


def test_the_same_notes_under_another_site_name_are_the_same_revision(notes, build, tmp_path):
    write(notes, a="# A\n", x__b="# B\n")
    one = build(notes, tmp_path / "one", name="One")
    two = build(notes, tmp_path / "two", name="Two", site_url="https://two.example.org/")
    assert one.manifest["revision"] == two.manifest["revision"]
    assert one.manifest["knowledgeBaseId"] != two.manifest["knowledgeBaseId"]


def test_no_page_carries_the_navigation_or_the_revision(notes, build, tmp_path):
    write(notes, **{f"n{number:02}": f"# Title {number:02}\n" for number in range(30)})
    site = build(notes, tmp_path / "site")
    page = site.page("n10/")
    assert "Title 20" not in page
    assert site.manifest["revision"][:8] not in page


def test_headers_ask_for_immutable_objects_and_a_fresh_manifest(notes, build, tmp_path):
    write(notes, a="# A\n")
    headers = (build(notes, tmp_path / "site").folder / "_headers").read_text(encoding="utf-8")
    assert "immutable" in headers
    assert "/ai/manifest.json" in headers


@pytest.mark.parametrize(
    ("arrange", "words"),
    [
        (lambda notes: BuildRequest(notes / "nowhere"), "neither a folder"),
        (lambda notes: BuildRequest(notes, out=notes), "the notes are there"),
        (lambda notes: BuildRequest(notes, out=notes.parent), "the notes are there"),
    ],
)
def test_what_cannot_be_built_is_refused_with_a_remedy(notes, arrange, words):
    write(notes, a="# A\n")
    with pytest.raises(NoteBridgeError, match=words) as caught:
        build_site(arrange(notes))
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert caught.value.hint


def test_a_folder_with_other_things_in_it_is_never_emptied(notes, tmp_path):
    write(notes, a="# A\n")
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years", encoding="utf-8")
    with pytest.raises(NoteBridgeError, match="would delete it"):
        build_site(BuildRequest(notes, out=precious))
    assert (precious / "thesis.txt").read_text(encoding="utf-8") == "years"


def test_a_project_without_the_plugin_is_told_how_to_add_it(notes, tmp_path):
    (notes.parent / "mkdocs.yml").write_text("site_name: X\ndocs_dir: notes\n", encoding="utf-8")
    with pytest.raises(NoteBridgeError, match="does not name the plugin") as caught:
        build_site(BuildRequest(notes.parent, out=tmp_path / "site"))
    assert "plugins:" in caught.value.hint


def test_a_configuration_that_mkdocs_refuses_says_why(notes, tmp_path):
    (notes.parent / "mkdocs.yml").write_text(
        "site_name: X\ndocs_dir: gone\nplugins: [note-bridge]\n", encoding="utf-8"
    )
    with pytest.raises(NoteBridgeError, match="gone"):
        build_site(BuildRequest(notes.parent, out=tmp_path / "site"))


def test_links_out_of_the_folder_and_back_into_it_are_left_out(notes, build, tmp_path):
    write(notes, a="# A\n\n![x](x.png)\n")
    (tmp_path / "secret.md").write_text("# Quagga\n", encoding="utf-8")
    (tmp_path / "s.png").write_bytes(PNG)
    (notes / "linked.md").symlink_to(tmp_path / "secret.md")
    (notes / "x.png").symlink_to(tmp_path / "s.png")
    (notes / "loop").symlink_to(notes)
    site = build(notes, tmp_path / "site")
    assert list(site.rows()) == ["a"]
    assert not (site.folder / "x.png").exists()
    assert {f.path for f in site.findings if f.kind == "file"} >= {"linked.md", "x.png"}


def test_pipes_and_names_that_are_no_text_stop_no_build(notes, build, tmp_path):
    write(notes, a="# A\n", **{"index.html": "# Odd\n", "404.html": "# Odder\n"})
    os.mkfifo(notes / "pipe.md")
    with open(os.fsencode(notes) + b"/\xff.md", "wb") as file:
        file.write(b"# Bytes\n")
    site = build(notes, tmp_path / "site")
    assert sorted(site.rows()) == ["404.html", "a", "index.html"]
    assert (site.folder / "index.html").is_file()
    assert len([f for f in site.findings if f.kind == "file"]) == 2


def test_two_builds_into_one_folder_do_not_mix(notes, build, tmp_path):
    write(notes, a="# A\n")
    site = build(notes, tmp_path / "site")
    with folder_lock(site.folder), pytest.raises(NoteBridgeError) as caught:
        build(notes, tmp_path / "site")
    assert caught.value.code is ErrorCode.STORAGE_LOCKED
