"""`llms.txt` and the lists of notes it leads to: how an agent without our tools finds its way.

Source of the form: llmstxt.org. `llms.txt` names categories, not notes, and each category has a
list in Markdown of its notes' twins, cut into runs where it is long. So the file changes with the
categories alone, and a note changes one run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from manifest.anchors import slug
from manifest.canonical import text_sha256
from manifest.references import MANIFEST_PATH
from site_builder.beside.addresses import REMEMBERED, encoded_url, markdown_url, twin_url
from site_builder.beside.escaping import markdown_label, markdown_words, one_line
from site_builder.beside.parts import RUN_MOST, Part, runs
from site_builder.beside.twins import has_twin
from site_builder.linking import relative_url
from site_builder.page_facts import PageFacts, SiteFile, SiteSettings

LLMS_PATH: Final = "llms.txt"
LISTS: Final = "ai/lists"
"""Where the lists stand: a folder that no note can have."""

UP: Final = "../../"
"""From a list to the top of the site."""

SUMMARY_LIMIT: Final = 100
SLUG_LIMIT: Final = 40
CATEGORY_LIMIT: Final = 200
"""Categories that `llms.txt` names itself; past these, the list of the root names the rest."""


@dataclass(slots=True)
class _Category:
    """A category: its titles from the outermost down, its own notes, those below it."""

    path: tuple[str, ...]
    notes: list[PageFacts] = field(default_factory=list)
    below: dict[str, _Category] = field(default_factory=dict)

    @property
    def name(self) -> str:
        words = slug(" ".join(self.path) or "notes")
        readable = "".join(sign for sign in words if sign.isalnum() or sign in "-_")
        digits = text_sha256("\n".join(self.path))[:8]
        return f"{readable[:SLUG_LIMIT].strip('-')}-{digits}".lstrip("-")

    @property
    def url(self) -> str:
        return f"{LISTS}/{self.name}.md"

    def part_url(self, part: Part[PageFacts]) -> str:
        return f"{LISTS}/{self.name}-{part.name}.md"

    def children(self) -> list[_Category]:
        return [self.below[title] for title in sorted(self.below)]

    def walk(self) -> Iterator[_Category]:
        yield self
        for child in self.children():
            yield from child.walk()


def llms_files(
    site: SiteSettings, facts: Sequence[PageFacts], feed: str = ""
) -> Iterator[SiteFile]:
    """`llms.txt` and all lists. facts: sorted by url. feed: the feed's path, if there is one."""
    root = _tree(facts)
    yield SiteFile(LLMS_PATH, _llms(site, root, feed).encode("utf-8", "replace"))
    for category in root.walk():
        yield from _lists(site, category)


def _tree(facts: Sequence[PageFacts]) -> _Category:
    root = _Category(())
    for page in facts:
        if not has_twin(page):
            continue
        category = root
        for depth, title in enumerate(page.category, 1):
            category = category.below.setdefault(title, _Category(page.category[:depth]))
        category.notes.append(page)
    return root


def _llms(site: SiteSettings, root: _Category, feed: str) -> str:
    summary = one_line(site.description) or f"The notes of {one_line(site.name)}."
    lines = [
        f"# {markdown_words(site.name) or 'Notes'}",
        "",
        f"> {markdown_words(summary)}",
        "",
        (
            "Every page has a Markdown twin: add `index.md` to its address. The lists below lead "
            "to the twins, category by category. Nothing needs JavaScript."
        ),
        "",
        *_knowledge_hint(site),
        "",
        "## Knowledge",
        "",
        (
            f"- [Manifest]({_address(site, MANIFEST_PATH)}): names the revision now published and, "
            "by SHA-256, every document, section and index of it"
        ),
        f"- [Home]({_address(site, twin_url(''))}): the first page"
        if any(page.url == "" for page in root.notes)
        else f"- [Home]({_address(site, '') or './'}): the first page, in HTML",
        "",
        "## Notes",
        "",
        *_entries(site, root),
    ]
    optional = [f"- [Feed]({_address(site, feed)}): the newest notes, as Atom"] if feed else []
    if site.url:
        optional.insert(0, f"- [Sitemap]({_address(site, 'sitemap.xml')}): every page, as XML")
    if optional:
        lines += ["", "## Optional", "", *optional]
    return "\n".join(lines) + "\n"


def _knowledge_hint(site: SiteSettings) -> Iterator[str]:
    where = site.url or "THIS-SITE"
    yield (
        "To quote with proof, read the manifest instead: all its objects are named by their "
        "SHA-256, and each citation can be checked later, offline. Six read-only tools over it "
        "(overview, search, contents, document, links, related) are an MCP server: run "
        f"`note-bridge mcp {where}`. In a shell, `note-bridge search {where} WORDS` and "
        f"`note-bridge ask {where} QUESTION --json` answer with citations."
    )


def _entries(site: SiteSettings, root: _Category) -> Iterator[str]:
    children = root.children()
    if root.notes or len(children) > CATEGORY_LIMIT:
        yield f"- [Notes in no category]({_address(site, root.url)})"
    for child in children[:CATEGORY_LIMIT]:
        yield f"- [{markdown_label(child.path[-1]) or '-'}]({_address(site, child.url)})"
    if not root.notes and not children:
        yield f"- [All notes]({_address(site, root.url)}): there are none yet"


def _lists(site: SiteSettings, category: _Category) -> Iterator[SiteFile]:
    """A category's list: the categories below it, then its notes, or the runs of them."""
    title = " / ".join(category.path) or site.name
    lines = [f"# {markdown_words(title)}", ""]
    for child in category.children():
        link = markdown_url(relative_url(category.url, child.url))
        lines.append(f"- [{markdown_label(child.path[-1]) or '-'}]({link}): a category")
    parts = list(runs(category.notes, lambda page: page.doc_id))
    if len(category.notes) <= RUN_MOST:
        lines.extend(_note(page) for page in category.notes)
        parts = []
    for part in parts:
        url = category.part_url(part)
        first, last = part.items[0].title, part.items[-1].title
        span = f"{markdown_label(first, 60)} … {markdown_label(last, 60)}"
        lines.append(
            f"- [{span}]({markdown_url(relative_url(category.url, url))}): notes in this range"
        )
        rows = [f"# {markdown_words(title)}", "", *(_note(page) for page in part.items)]
        yield _markdown(url, rows)
    yield _markdown(category.url, lines)


def _note(page: PageFacts) -> str:
    return _row(page.url, page.title or page.doc_id, page.summary)


@lru_cache(maxsize=REMEMBERED)
def _row(url: str, title: str, summary: str) -> str:
    link = markdown_url(UP + encoded_url(twin_url(url)))
    words = markdown_words(summary, SUMMARY_LIMIT)
    return f"- [{markdown_label(title) or '-'}]({link})" + (f": {words}" if words else "")


def _markdown(url: str, lines: Sequence[str]) -> SiteFile:
    return SiteFile(url, ("\n".join(lines) + "\n").encode("utf-8", "replace"))


def _address(site: SiteSettings, url: str) -> str:
    """A whole address where the site has one, since tools fetch what `llms.txt` names."""
    return markdown_url(site.url + encoded_url(url))
