"""What whole builds write beside their pages, and what they remember of each other."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

LONG = "Words enough to tell this note from every other note that there may be.\n"
URL = "https://notes.example/"


def write(folder: Path, **notes: str) -> None:
    """Writes notes by name; `__` parts folders."""
    for name, text in notes.items():
        path = folder / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    notes = tmp_path / "notes"
    write(
        notes,
        index="# Home\n\n[[lock]]\n",
        os__lock=f"---\ndate: 2024-01-02\nimage: pic.png\n---\n# Lock\n\n[[index]]\n\n{LONG}",
    )
    (notes / "os" / "pic.png").write_bytes(b"\x89PNG")
    (notes / "robots.txt").write_text("User-agent: *\nDisallow: /x\n", encoding="utf-8")
    return notes


def test_a_site_has_everything_beside_its_pages(build, folder, tmp_path):
    site = build(folder, tmp_path / "site", site_url=URL, name="Notes")
    head, body = (
        (site.folder / "os/lock/index.md")
        .read_text(encoding="utf-8")
        .removeprefix("---\n")
        .split("---\n", 1)
    )
    assert body.startswith("\n# Lock\n\n[index](../../index.md)\n")
    said = yaml.safe_load(head)
    assert said["documentSha256"] == site.rows()["os/lock"]["doc"]["sha256"]
    page = site.page("os/lock/")
    assert '<link rel="alternate" type="text/markdown" href="index.md">' in page
    assert '<script type="application/ld+json">' in page
    assert f'content="{URL}os/pic.png"' in page
    assert (site.folder / "os/pic.png").is_file()
    assert (site.folder / "robots.txt").read_text(encoding="utf-8").endswith("Disallow: /x\n")
    assert "llms" in {path.stem for path in site.folder.iterdir()}
    feed = ElementTree.fromstring((site.folder / "feed.xml").read_bytes())
    assert feed.findtext("{*}entry/{*}title") == "Lock"
    sitemap = ElementTree.fromstring((site.folder / "sitemap.xml").read_bytes())
    assert URL in {loc.text for loc in sitemap.findall(".//{*}loc")}
    assert site.findings == ()


def test_a_moved_note_is_found_at_its_old_address_for_ever(build, folder, tmp_path):
    first = build(folder, tmp_path / "one", site_url=URL)
    (folder / "os" / "lock.md").rename(folder / "mutex.md")
    (folder / "pic.png").write_bytes(b"\x89PNG")
    write(folder, index="# Home\n\n[[mutex]]\n")
    second = build(folder, tmp_path / "two", site_url=URL, previous=str(first.folder))
    assert 'href="../../mutex/"' in second.page("os/lock/")
    (folder / "mutex.md").rename(folder / "futex.md")
    write(folder, index="# Home\n\n[[futex]]\n")
    third = build(folder, tmp_path / "three", site_url=URL, previous=str(second.folder))
    assert 'href="../../futex/"' in third.page("os/lock/")
    assert 'href="../futex/"' in third.page("mutex/")
    assert (third.folder / "_redirects").read_text(encoding="utf-8") == (
        "/mutex/ /futex/ 301\n/os/lock/ /futex/ 301\n"
    )
    forgetful = build(folder, tmp_path / "four", site_url=URL)
    assert not (forgetful.folder / "mutex").exists()


def test_a_note_with_an_id_is_followed_though_its_text_changed(build, folder, tmp_path):
    write(folder, old="---\nid: it\n---\n# Old\n")
    first = build(folder, tmp_path / "one")
    (folder / "old.md").unlink()
    write(folder, new="---\nid: it\n---\n# New\n\nOther words.\n")
    second = build(folder, tmp_path / "two", previous=str(first.folder))
    assert 'href="../new/"' in second.page("old/")


def test_old_addresses_of_front_matter_and_file_need_no_earlier_state(build, folder, tmp_path):
    write(folder, a="---\nredirect_from: [/was/, /feed.xml/]\n---\n# A\n")
    (folder / "redirects").write_text("gone.md -> a.md\nx.md -> nowhere.md\n", encoding="utf-8")
    (folder / "_redirects").write_text("/mine /index.html 302\n", encoding="utf-8")
    site = build(folder, tmp_path / "site", site_url=URL)
    assert 'href="../a/"' in site.page("was/")
    assert 'href="../a/"' in site.page("gone/")
    rules = (site.folder / "_redirects").read_text(encoding="utf-8").splitlines()
    assert rules == ["/mine /index.html 302", "/gone/ /a/ 301", "/was/ /a/ 301"]
    found = [(each.path, each.line, str(each.kind)) for each in site.findings]
    assert found == [("a.md", 0, "redirect"), ("redirects", 2, "redirect")]


def test_translations_name_each_other(build, folder, tmp_path):
    write(folder, zh__lock="---\nlanguage: zh\ntranslation_of: os/lock\n---\n# 锁\n")
    site = build(folder, tmp_path / "site", site_url=URL, language="en")
    for url in ("os/lock/", "zh/lock/"):
        page = site.page(url)
        assert f'hreflang="zh" href="{URL}zh/lock/"' in page
        assert f'hreflang="x-default" href="{URL}os/lock/"' in page


def test_a_draft_is_beside_nothing(build, folder, tmp_path):
    write(
        folder,
        secret="---\ndraft: true\ndate: 2025-01-01\nredirect_from: /was/\n---\n# Secret plan\n",
    )
    site = build(folder, tmp_path / "site", site_url=URL)
    for path in site.folder.rglob("*"):
        if path.is_file():
            assert b"Secret plan" not in path.read_bytes(), path
    assert not (site.folder / "was").exists()
    assert b"secret" not in (site.folder / "sitemap.xml").read_bytes()


def test_two_builds_write_the_same_bytes(build, folder, tmp_path):
    one = build(folder, tmp_path / "one", site_url=URL).folder
    two = build(folder, tmp_path / "two", site_url=URL).folder
    files = [path.relative_to(one) for path in sorted(one.rglob("*")) if path.is_file()]
    assert len(files) > 20
    assert [path for path in files if (one / path).read_bytes() != (two / path).read_bytes()] == []
