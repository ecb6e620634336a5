"""Old addresses and the notes they lead to now.

They come from five places; where two want one address, the first of these wins: a page that stands
there; a note's front matter (`redirect_from`, `permalink`, and `aliases` that begin with `/`); the
author's file `redirects`; a move seen since the last published state; what that state redirected.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import unquote

from manifest.search_text import meta_list
from site_builder.beside.addresses import page_file
from site_builder.front_matter import text_value
from site_builder.note import Finding, FindingKind, Meta
from site_builder.page_facts import PageFacts

RULES_PATH: Final = "redirects"
"""The author's file, at the top of the folder of notes."""

ADDRESS_KEYS: Final = ("redirect_from", "aliases", "permalink")

RULES_LIMIT: Final = 256 * 1024
_LONGEST_PART: Final = 200
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_NOTE_SUFFIX = re.compile(r"\.(?:md|markdown)$", re.I)
_FIELDS = re.compile(r'"([^"]*)"|(\S+)')
_RESERVED: Final = frozenset({"ai", "assets"})


class RedirectRule(NamedTuple):
    """A line of the author's file. old and new: as written; line counts from 1."""

    old: str
    new: str
    line: int


@dataclass(slots=True)
class Redirects:
    """by_url: the docId that each old address leads to. findings: what an author should know."""

    by_url: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def former(self) -> dict[str, tuple[str, ...]]:
        """The old addresses of each note, as `PageFacts.former` wants them, by docId."""
        found: dict[str, list[str]] = {}
        for url in sorted(self.by_url):
            found.setdefault(self.by_url[url], []).append(url)
        return {doc_id: tuple(urls) for doc_id, urls in found.items()}


def old_url(address: str, site_url: str = "") -> str:
    """The address below the site that an author means by an old path or address; empty if it can
    be none.

    `old/page.md`, `/old/page`, `old/page/index.html` are all `old/page/`; `old.html` stays a file.
    """
    if site_url and address.startswith(site_url):
        address = address[len(site_url) :]
    if _SCHEME.match(address):
        return ""
    path = unquote(address.strip().partition("#")[0].partition("?")[0]).lstrip("/")
    path = unicodedata.normalize("NFC", path)
    if _NOTE_SUFFIX.search(path):
        path = _NOTE_SUFFIX.sub("", path)
        path = "" if path == "index" else path.removesuffix("/index")
    parts = path.removesuffix("index.html").rstrip("/").split("/")
    if _UNSAFE.search(path) or any(not _is_name(part) for part in parts):
        return ""
    if parts[0].casefold() in _RESERVED:
        return ""
    url = "/".join(parts)
    return url if url.casefold().endswith((".html", ".htm")) else f"{url}/"


def _is_name(part: str) -> bool:
    return part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) <= _LONGEST_PART


def stated_addresses(meta: Mapping[str, Meta]) -> tuple[str, ...]:
    """The old addresses that front matter names, as written.

    `redirect_from` is Jekyll's word. `aliases` are names for links, but Hugo's begin with `/` and
    are addresses. `permalink` redirects: the page itself keeps the address of its path.
    """
    values = dict(meta)
    found = [*_written(values.get("redirect_from"))]
    found += [alias for alias in meta_list(values.get("aliases")) if alias.startswith("/")]
    if permalink := text_value(values, "permalink"):
        found.append(permalink)
    return tuple(dict.fromkeys(found))


def _written(value: Meta | None) -> Iterator[str]:
    items = value if isinstance(value, list) else [value]
    yield from (item.strip() for item in items if isinstance(item, str) and item.strip())


def read_rules(text: str) -> tuple[tuple[RedirectRule, ...], tuple[Finding, ...]]:
    """The author's file: a line each of old and new, a path or an address.

    Parted by `->` or white space; quotation marks keep white space; `#` begins a remark.
    """
    rules: list[RedirectRule] = []
    findings: list[Finding] = []
    for number, written in enumerate(text[:RULES_LIMIT].splitlines(), 1):
        line = written.strip()
        if not line or line.startswith("#"):
            continue
        old, arrow, new = line.partition(" -> ")
        fields = [old.strip().strip('"'), new.strip().strip('"')]
        if not arrow:
            fields = [quoted or bare for quoted, bare in _FIELDS.findall(line)]
        if len(fields) == 2 and all(fields):
            rules.append(RedirectRule(fields[0], fields[1], number))
        else:
            findings.append(
                _finding(RULES_PATH, number, "no redirect", "write: old/path.md -> new/path.md")
            )
    return tuple(rules), tuple(findings)


def kept_ids(rules: Iterable[RedirectRule]) -> dict[str, str]:
    """The docId that a moved note keeps where nothing else names it, by the path it has now: that
    of its oldest path. For rules between two paths of notes."""
    came_from: dict[str, str] = {}
    for rule in rules:
        old, new = rule.old.lstrip("/"), rule.new.lstrip("/")
        if _NOTE_SUFFIX.search(old) and _NOTE_SUFFIX.search(new):
            came_from.setdefault(new, old)
    kept: dict[str, str] = {}
    for new in came_from:
        path, seen = new, {new}
        while path in came_from and came_from[path] not in seen:
            path = came_from[path]
            seen.add(path)
        kept[new] = _NOTE_SUFFIX.sub("", path)
    return kept


def resolve_redirects(
    facts: Sequence[PageFacts],
    *,
    stated: Mapping[str, Sequence[str]],
    rules: Sequence[RedirectRule] = (),
    moved: Mapping[str, str] | None = None,
    earlier: Mapping[str, str] | None = None,
    taken: Collection[str] = (),
    site_url: str = "",
) -> Redirects:
    """Decides where each old address leads.

    stated: addresses that notes name, by docId. moved and earlier: docIds by old address. taken:
    paths of all other files of the site, its generated pages among them.
    """
    found = _Resolver(facts, taken, site_url)
    for page in facts:
        for address in stated.get(page.doc_id, ()):
            found.add(address, page.doc_id, page.path, 0)
    found.add_rules(rules)
    for source in (moved or {}, earlier or {}):
        for url in sorted(source):
            if source[url] in found.pages and old_url(url) == url and found.is_free(url):
                found.take(url, source[url])
    return found.redirects


class _Resolver:
    """Gives addresses away, each once."""

    def __init__(self, facts: Sequence[PageFacts], taken: Collection[str], site_url: str) -> None:
        self.redirects = Redirects()
        self.pages = {page.doc_id: page for page in facts}
        self._paths = {page.path: page.doc_id for page in facts}
        self._urls = {page.url: page.doc_id for page in facts}
        self._site_url = site_url
        self._files: set[str] = set()
        self._folders: set[str] = set()
        for path in (*taken, *(page_file(page.url) for page in facts)):
            self._occupy(path)

    def _occupy(self, path: str) -> None:
        key = path.casefold()
        self._files.add(key)
        self._folders.update(_folders_of(key))

    def is_free(self, url: str) -> bool:
        """Whether a file can stand there, also where the case of letters does not count."""
        key = page_file(url).casefold()
        blocked = key in self._files or key in self._folders
        return not blocked and not any(folder in self._files for folder in _folders_of(key))

    def take(self, url: str, doc_id: str) -> None:
        self.redirects.by_url[url] = doc_id
        self._occupy(page_file(url))

    def add(self, address: str, doc_id: str, path: str, line: int) -> None:
        """An address that an author asks for; what is wrong with it is a finding."""
        url = old_url(address, self._site_url)
        if not url:
            hint = "write a path below the site, such as /old/page/"
            self._report(path, line, f"`{address}` cannot be redirected", hint)
        elif self._urls.get(url) == doc_id or self.redirects.by_url.get(url) == doc_id:
            return
        elif not self.is_free(url):
            holder = self.redirects.by_url.get(url) or self._urls.get(url) or "another file"
            self._report(path, line, f"`{address}` already leads to {holder}", "take it out")
        else:
            self.take(url, doc_id)

    def add_rules(self, rules: Sequence[RedirectRule]) -> None:
        onward = {old_url(rule.old, self._site_url): rule.new for rule in rules}
        for rule in rules:
            doc_id = self._target(rule.new, onward)
            if doc_id:
                self.add(rule.old, doc_id, RULES_PATH, rule.line)
            else:
                message = f"`{rule.new}` is no note of this site"
                self._report(RULES_PATH, rule.line, message, "name the note's path as it is now")

    def _target(self, address: str, onward: Mapping[str, str]) -> str:
        """The docId an author means, through as many moves as there were; empty if none."""
        for _ in range(len(onward) + 1):
            path = unicodedata.normalize("NFC", address.strip().lstrip("/"))
            url = old_url(address, self._site_url)
            doc_id = self._paths.get(path) or self._urls.get(url)
            if doc_id is None and path in self.pages:
                doc_id = path
            if doc_id is not None or url not in onward:
                return doc_id or ""
            address = onward[url]
        return ""

    def _report(self, path: str, line: int, message: str, hint: str) -> None:
        self.redirects.findings.append(_finding(path, line, message, hint))


def _folders_of(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _finding(path: str, line: int, message: str, hint: str) -> Finding:
    return Finding(path, line, FindingKind.REDIRECT, message, hint)
