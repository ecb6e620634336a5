"""The plugin line in an existing Material project: pages unchanged, knowledge beside them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("material")

CONFIG = """
site_name: Handbook
site_url: https://handbook.example.org/
theme:
  name: material
  features: [navigation.tabs, content.code.copy]
markdown_extensions:
  - admonition
  - attr_list
  - def_list
  - footnotes
  - md_in_html
  - tables
  - toc: {permalink: true}
  - pymdownx.details
  - pymdownx.superfences
  - pymdownx.highlight
  - pymdownx.snippets: {base_path: [snippets]}
  - pymdownx.tabbed: {alternate_style: true}
  - pymdownx.tasklist
  - pymdownx.keys
  - pymdownx.smartsymbols
hooks: [take_out.py]
plugins:
  - search
  - blog
nav:
  - Home: index.md
  - Guides:
      - Installing: guides/install.md
      - Tabs: guides/tabs.md
      - guides/attributes.md
      - guides/snippets.md
  - Reference:
      - reference/tables.md
      - reference/footnotes.md
      - reference/code.md
      - reference/admonitions.md
      - reference/lists.md
      - reference/html.md
      - reference/symbols.md
  - Blog:
      - blog/index.md
"""

TAKE_OUT = """
def on_files(files, config):
    files.remove(files.get_file_from_path("secret.md"))
    return files
"""

PAGES = {
    "index.md": "# Handbook\n\nWelcome to [installing](guides/install.md#requirements).\n",
    "guides/install.md": (
        "# Installing\n\n## Requirements\n\nPython.\n\n"
        '!!! note "Before you start"\n    Read this first.\n\n'
        "## Steps\n\n1. One\n2. Two\n\n### Windows\n\nDouble click.\n\n### Linux\n\nUse make.\n"
    ),
    "guides/tabs.md": (
        '# Tabs\n\n=== "C"\n\n    ``` c\n    int main(void) { return 0; }\n    ```\n\n'
        '=== "Python"\n\n    ## Inside a tab\n\n    text\n\n## After tabs\n\nMore.\n'
    ),
    "guides/attributes.md": (
        "# Attributes\n\n## With an id {#custom-id}\n\nA.\n\n"
        "## With a class { .wide #second }\n\nB.\n\n[link](#custom-id){ .md-button }\n"
    ),
    "guides/snippets.md": '# Snippets\n\n## Before\n\nx\n\n--8<-- "shared.md"\n\n## After\n\ny\n',
    "reference/tables.md": (
        "# Tables\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## 中文 标题\n\n内容。\n"
    ),
    "reference/footnotes.md": "# Footnotes\n\nText[^1].\n\n[^1]: The note.\n\n## Then\n\nMore.\n",
    "reference/code.md": (
        "# Code\n\n## `call()` me\n\n```python\n# Not a heading\n```\n\n"
        "## Twice\n\na\n\n## Twice\n\nb\n"
    ),
    "reference/admonitions.md": (
        "# Admonitions\n\n??? warning\n    ## Hidden heading\n\n    inside\n\n## Outside\n\nx\n"
    ),
    "reference/lists.md": "# Lists\n\nTerm\n:   Meaning\n\n- [x] done\n- [ ] open\n\n## End\n\nz\n",
    "reference/html.md": (
        '# HTML\n\n<div class="grid" markdown>\n\n## In a div\n\ntext\n\n</div>\n\n## Below\n\nq\n'
    ),
    "blog/index.md": "# News\n",
    "blog/posts/first.md": (
        "---\ndate: 2026-01-02\n---\n\n# The first post\n\nAn excerpt.\n\n<!-- more -->\n\n"
        "## What is new\n\nText with a note[^1], see [it](#fn:1).\n\n[^1]: Of the foot.\n"
    ),
    "reference/constructs.md": (
        "# Constructs\n\nThe HTML spec :smile: and **bold**{ .wide }, H~2~O, ==marked==.\n\n"
        "*[HTML]: Hypertext Markup Language\n\n"
        '``` { .py title="a.py" linenums="1" }\nx = 1\n```\n\n'
        "![a](https://example.org/b.png){ align=left }\n"
    ),
    "reference/uncovered.md": (
        "# Uncovered\n\nAn icon :material-check: and {{ macro }}, [text][appended].\n\n"
        '::: pkg.module\n\n/// note\nA block.\n///\n\n[=50% "half"] (c) `#!py x`\n\n'
        'Term { .wide }\n:   Meaning\n\n--8<-- "shared.md"\n'
    ),
    "reference/symbols.md": (
        '# Symbols\n\n## "Quoted" -- and (c)\n\n++ctrl+alt+del++\n\n## Next\n\nw\n'
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project `plain` without our plugin, `bridged` with the two lines, `own` in our theme."""
    folder = tmp_path_factory.mktemp("material")
    (folder / "snippets").mkdir()
    (folder / "snippets" / "shared.md").write_text(
        "## From a snippet\n\nshared\n", encoding="utf-8"
    )
    for name, text in PAGES.items():
        page = folder / "docs" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    (folder / "docs" / "secret.md").write_text("# Secret\n", encoding="utf-8")
    (folder / "take_out.py").write_text(TAKE_OUT, encoding="utf-8")
    (folder / "plain.yml").write_text(CONFIG, encoding="utf-8")
    (folder / "bridged.yml").write_text(
        CONFIG.replace("  - blog\n", "  - note-bridge\n  - blog\n"), encoding="utf-8"
    )
    (folder / "own.yml").write_text(
        CONFIG.replace("  - blog\n", "  - note-bridge: {theme: note-bridge}\n  - blog\n"),
        encoding="utf-8",
    )
    for name in ("plain", "bridged", "own"):
        subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "-q", "-f", f"{name}.yml", "-d", name],
            cwd=folder,
            check=True,
            env={
                "SOURCE_DATE_EPOCH": "1700000000",
                "PATH": "/usr/bin:/bin",
                "PYTHONPATH": str(Path(__file__).parents[2]),
            },
        )
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "ai" not in path.relative_to(folder).parts[:1]
    }


def test_every_file_is_the_same_bytes_as_without_the_plugin(project):
    plain, bridged = files(project / "plain"), files(project / "bridged")
    assert sorted(bridged) == sorted(plain)
    assert [path for path in plain if plain[path] != bridged[path]] == []


def test_published_anchors_are_those_of_the_pages(project, read_site):
    site = read_site(project / "bridged")
    docs = site.docs()
    assert len(docs) == len(PAGES)
    for doc in docs.values():
        page = site.page(doc["url"])
        for section in doc["sections"]:
            if section["anchor"] != "_top":
                assert page.count(f'id="{section["anchor"]}"') == 1, (doc["id"], section)


def test_sections_match_the_headings_of_the_pages(project, read_site):
    docs = read_site(project / "bridged").docs()
    anchors = {doc_id: [s["anchor"] for s in doc["sections"]] for doc_id, doc in docs.items()}
    assert anchors["guides/install"] == ["installing", "requirements", "steps", "windows", "linux"]
    assert anchors["guides/attributes"] == ["attributes", "custom-id", "second"]
    assert anchors["guides/snippets"] == ["snippets", "before", "after"]
    assert anchors["guides/tabs"] == ["tabs", "after-tabs"]
    assert anchors["reference/code"] == ["code", "call-me", "twice", "twice_1"]
    assert anchors["reference/admonitions"] == ["admonitions", "outside"]
    assert anchors["reference/symbols"][-1] == "next"
    assert docs["reference/code"]["sections"][3]["title"] == "Twice"


def test_a_page_that_a_plugin_moves_is_known_where_it_ends_up(project, read_site):
    post = read_site(project / "bridged").docs()["blog/posts/first"]
    assert post["url"] == "blog/2026/01/02/the-first-post/"
    assert (project / "bridged" / post["url"] / "index.html").is_file()
    assert [link["to"] for link in post["links"]] == ["blog/posts/first"]


def test_links_and_categories_come_from_the_project(project, read_site):
    site = read_site(project / "bridged")
    link = site.docs()["index"]["links"][0]
    assert (link["to"], link["anchor"]) == ("guides/install", "requirements")
    overview = site.object("overview", site.root["overview"]["sha256"])
    assert overview["source"] == "navigation"
    assert [row[2] for row in overview["categories"][1:]] == ["Guides", "Reference", "Blog"]
    assert site.manifest["siteUrl"] == "https://handbook.example.org/"


@pytest.mark.parametrize("name", ["bridged", "own"])
def test_what_a_plugin_takes_out_is_not_published(project, read_site, name):
    assert "secret" not in read_site(project / name).docs()
    assert not (project / name / "secret").exists()


def test_our_theme_makes_the_pages_where_plugins_expect_their_own(project, read_site):
    site = read_site(project / "own")
    assert len(site.docs()) == len(PAGES)
    post = site.docs()["blog/posts/first"]
    page = site.page(post["url"])
    assert '<h2 id="what-is-new">' in page
    assert "search/main.js" not in page
    assert not (project / "own" / "assets" / "javascripts").exists()
    assert not list((project / "own").rglob("archive"))


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("guides/install", '<aside class="callout" data-kind="note">\n<p class="cap">Before you'),
        ("guides/tabs", '<input type="radio" name="nb-tabs-1"> Python</label>'),
        ("guides/attributes", '<a href="#custom-id" class="md-button">link</a>'),
        ("reference/admonitions", '<details class="callout" data-kind="warning">'),
        ("reference/constructs", '<abbr title="Hypertext Markup Language">HTML</abbr> spec 😄'),
        ("reference/constructs", '<strong class="wide">bold</strong>, H<sub>2</sub>O'),
        ("reference/constructs", '<span>a.py</span></header><pre tabindex="0">'),
        ("reference/constructs", 'class="left"'),
        ("reference/footnotes", '<sup id="nb-fnref-1"><a href="#nb-fn-1"'),
        ("reference/html", '<div class="grid"><h2 id="in-a-div">'),
        ("reference/lists", '<li class="done">'),
        ("reference/symbols", "<kbd>Ctrl</kbd><span>+</span><kbd>Alt</kbd>"),
    ],
)
def test_our_theme_renders_what_projects_use(project, read_site, page, shown):
    assert shown in read_site(project / "own").page(f"{page}/")


@pytest.mark.parametrize(
    "typed",
    [
        "An icon  and {{ macro }}, [text][appended].",
        "::: pkg.module",
        "/// note",
        '[=50% "half"] (c) <code>#!py x</code>',
        "<dt>Term { .wide }</dt>",
    ],
)
def test_our_theme_shows_as_typed_what_the_notes_say_it_does_not_cover(project, read_site, typed):
    assert typed in read_site(project / "own").page("reference/uncovered/")
