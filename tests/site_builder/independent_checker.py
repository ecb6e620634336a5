"""A second opinion on a published site, written from the published contract alone.

It shares no code and no model with the publisher or the reader, so that a mistake both make in
the same way is still found. `check_site(folder)` follows every reference from `ai/manifest.json`
and reports whatever the contract forbids; `python independent_checker.py SITE` does it by hand.
Where the contract is open, every sensible reading is accepted. The bytes are judged in
`independent_objects.py`, the search base in `independent_search.py`; the rest is here.
"""

from __future__ import annotations

import argparse
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

# The three files are one checker: they find each other wherever this one is loaded from.
sys.path.insert(0, str(Path(__file__).parent))
from independent_objects import SHAPES, Node, Site, mismatch, parse, sha256
from independent_search import Document, check_search

sys.path.pop(0)

MANIFEST_LIMIT = 4096
LEAF_LIMIT, INDEX_LIMIT = 64, 512
UNSAFE_PATH = re.compile(r"^/|\\|^[a-zA-Z][a-zA-Z0-9+.-]*:|(^|/)\.\.?(/|$)|//")


class Report:
    """Problems in words; objects reached, references followed, objects nothing refers to."""

    def __init__(self, site: Site, documents: dict[str, Document], unreferenced: int) -> None:
        self.problems = list(site.problems)
        self.objects = len(site.reached)
        self.references = site.references
        self.unreferenced = unreferenced
        self.documents: list[dict[str, object]] = [d.summary() for d in documents.values()]


def tree_digits(doc_id: str) -> str:
    """Base-4 digits of sha256(docId), most significant first."""
    number = int(sha256(doc_id), 16)
    return "".join(str(number >> shift & 3) for shift in range(254, -2, -2))


def leaf_prefixes(addresses: set[str], prefix: str = "") -> list[str]:
    """Where the leaves of these addresses belong: a leaf splits four ways above 64 documents."""
    if len(addresses) <= LEAF_LIMIT:
        return [prefix] if addresses else []
    parts = [prefix + digit for digit in "0123"]
    below = ({a for a in addresses if a.startswith(part)} for part in parts)
    return [
        leaf for part, some in zip(parts, below, strict=True) for leaf in leaf_prefixes(some, part)
    ]


def check_leaf(site: Site, branch: Node, rows: list[Node]) -> None:
    prefix, where = branch.text(0), f"leaf '{branch.text(0)}'"
    leaf = site.follow("leaf", branch.text(2), branch.number(3), where)
    if leaf is None:
        return
    found = leaf.nodes("docs")
    ids = [row.text("id") for row in found]
    site.expect(leaf.text("prefix") == prefix, where, f"it calls itself '{leaf.text('prefix')}'")
    site.expect(len(ids) == branch.number(1), where, f"{len(ids)} rows, not {branch.number(1)}")
    site.expect(ids == sorted(set(ids)), where, "the rows are not in the order of docId")
    for doc_id in ids:
        site.expect(tree_digits(doc_id).startswith(prefix), where, f"{doc_id} is in the wrong leaf")
    rows.extend(found)


def check_index(site: Site, index: Node, prefix: str, rows: list[Node]) -> list[str]:
    """Walk an index, gathering the rows of its leaves; the prefixes of those leaves."""
    where, leaves = f"index '{prefix}'", []
    site.expect(index.text("prefix") == prefix, where, f"it calls itself '{index.text('prefix')}'")
    children = index.nodes("indexes") + index.nodes("children")
    names = [branch.text(0) for branch in children or index.nodes("leaves")]
    site.expect(names == sorted(set(names)), where, "the rows are not in the order of prefixes")
    for branch in children or index.nodes("leaves"):
        name, before = branch.text(0), len(rows)
        site.expect(name.startswith(prefix), where, f"'{name}' does not belong here")
        if not children:
            check_leaf(site, branch, rows)
            leaves.append(name)
            continue
        site.expect(len(name) == len(prefix) + 2, where, f"'{name}' is not one of 16 children")
        child = site.follow("index", branch.text(2), branch.number(3), where)
        if child is not None and len(name) > len(prefix):
            leaves += check_index(site, child, name, rows)
            count = len(rows) - before
            site.expect(count == branch.number(1), where, f"'{name}' holds {count} documents")
    wide = len(leaves) > INDEX_LIMIT
    site.expect(wide == bool(children), where, f"{len(leaves)} leaves, {len(children)} children")
    return leaves


def check_tree(site: Site, root: Node) -> dict[str, Document]:
    """The documents of the tree by docId, each with its `doc` and `toc` checked."""
    index = site.refer("index", Node(root.get("tree")), "root.tree")
    rows: list[Node] = []
    leaves = check_index(site, index, "", rows) if index else []
    ids = [row.text("id") for row in rows]
    expected = leaf_prefixes({tree_digits(doc_id) for doc_id in ids})
    shape = f"the leaves are {leaves}, the documents ask for {expected}"
    site.expect(sorted(leaves) == sorted(expected), "tree", shape[:400])
    count = root.number("docs")
    site.expect(len(rows) == count, "tree", f"{len(rows)} documents, the root says {count}")
    urls = [row.text("url").casefold() for row in rows]
    for name, values in (("docId", ids), ("path", [row.text("path") for row in rows])):
        site.expect(len(set(values)) == len(values), "tree", f"a {name} occurs twice")
    site.expect(len(set(urls)) == len(urls), "tree", "two URLs are equal under case folding")
    return {row.text("id"): check_document(site, row) for row in rows}


def check_document(site: Site, row: Node) -> Document:
    where, url = f"document {row.text('id')}", row.text("url")
    doc = site.refer("doc", Node(row.get("doc")), where)
    toc = site.refer("toc", Node(row.get("toc")), where)
    unsafe = UNSAFE_PATH.search(url) or url == "ai" or url.startswith("ai/")
    site.expect(not unsafe, where, f"the URL {url} leaves the site or enters ai/")
    for name, node in (("doc", doc), ("toc", toc)):
        for field in ("id", "title", "language", "url") if node else ():
            agrees = node is None or node.get(field) == row.get(field)
            site.expect(agrees, where, f"{name} and leaf disagree on {field}")
    if doc is None:
        return Document(row, None)
    text, sections = doc.text("text"), doc.nodes("sections")
    site.expect(len(text) == row.number("chars"), where, f"chars is not {len(text)}")
    site.expect(len(sections) == row.number("sections"), where, f"{len(sections)} sections found")
    same = toc is None or toc.get("sections") == doc.get("sections")
    site.expect(same, where, "toc and doc disagree on sections")
    site.expect("\r" not in text, where, "the newlines of text are not normalised")
    site.expect(only_strings(doc.get("meta")), where, "meta holds something other than strings")
    check_sections(site, where, text, sections)
    for asset in doc.nodes("assets"):
        check_asset(site, where, asset)
    return Document(row, doc)


def only_strings(value: object) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return all(only_strings(item) for item in inner)
    return isinstance(value, str)


def check_sections(site: Site, where: str, text: str, sections: list[Node]) -> None:
    """Sections tile the text; hashes, anchors, heading paths and token estimates hold."""
    position, trail = 0, list[tuple[int, str]]()
    anchors = [section.text("anchor") for section in sections]
    site.expect(len(set(anchors)) == len(anchors), where, "an anchor occurs twice")
    for n, section in enumerate(sections):
        anchor, start, end = anchors[n], section.number("start"), section.number("end")
        here, piece = f"{where}#{anchor}", text[start:end]
        site.expect(
            start == position, here, f"it starts at {start}, not {position}: gap or overlap"
        )
        site.expect(start <= end, here, "it ends before it starts")
        position = end
        site.expect(section.text("id") == anchor, here, "its id is not its anchor")
        site.expect(
            section.text("sha256") == sha256(piece), here, "its hash is not that of its text"
        )
        site.expect(tokens_fit(section.number("tokens"), piece), here, "its token estimate is off")
        if anchor == "_top":
            needed = n == 0 and (len(sections) == 1 or piece.strip() != "")
            site.expect(needed, here, "it is not first, or blank beside headings")
            continue
        level, title = section.number("level"), section.text("title")
        trail = [step for step in trail if step[0] < level] + [(level, title)]
        path = [step[1] for step in trail]
        site.expect(section.texts("path") == path, here, f"its heading path is not {path}")
    site.expect(position == len(text), where, f"sections end at {position} of {len(text)}: a gap")
    site.expect(bool(sections), where, "no section covers the text")


def tokens_fit(tokens: int, text: str) -> bool:
    """CJK code points + ceil(other UTF-8 bytes / 4), for any notion of which letters are CJK."""
    ascii_count = sum(character < "\x80" for character in text)
    least, most = -(-len(text.encode()) // 4), len(text) - ascii_count - (-ascii_count // 4)
    return least <= tokens <= most


def check_asset(site: Site, where: str, asset: Node) -> None:
    path = asset.text("path")
    if UNSAFE_PATH.search(path) or path.startswith("ai/"):
        site.problem(where, f"the asset path {path} leaves the site or enters ai/")
    elif not (site.folder / path).is_file():
        site.problem(where, f"the asset {path} is missing")
    else:
        body = (site.folder / path).read_bytes()
        site.expect(len(body) == asset.number("size"), where, f"the asset {path} has another size")
        site.expect(sha256(body) == asset.text("sha256"), where, f"the asset {path} was changed")


def check_links(site: Site, documents: dict[str, Document]) -> None:
    for doc_id, document in documents.items():
        assets = {asset.text("path") for asset in document.assets}
        for link in document.links:
            where, kind, to = f"document {doc_id}", link.text("kind"), link.text("to")
            inside = link.number("section") < len(document.anchors)
            site.expect(inside, where, f"the link to {to} is in no section")
            if kind in ("doc", "embed"):
                site.expect(to in documents, where, f"it links to {to}, which is not in the tree")
                anchors = documents[to].anchors if to in documents and documents[to].sound else None
                known = not link.text("anchor") or anchors is None or link.text("anchor") in anchors
                site.expect(known, where, f"{to} has no section {link.text('anchor')}")
            elif kind in ("image", "file") and not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", to):
                site.expect(to in assets, where, f"the {kind} {to} is not among its assets")


class PageIds(HTMLParser):
    """How often each `id` occurs on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.count: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value is not None:
                self.count[value] = self.count.get(value, 0) + 1


def check_pages(site: Site, documents: dict[str, Document]) -> None:
    """Every anchor is on the page exactly once. A site of knowledge alone has no pages at all."""
    pages = {}
    for doc_id, document in documents.items():
        url = document.row.text("url")
        if not UNSAFE_PATH.search(url):
            pages[doc_id] = site.folder / (
                url + "index.html" if url == "" or url[-1] == "/" else url
            )
    published = {doc_id for doc_id, page in pages.items() if page.is_file()}
    for doc_id in pages if published else ():
        where = f"document {doc_id}"
        if doc_id not in published:
            site.problem(where, "its page is missing, while others are there")
            continue
        ids = PageIds()
        ids.feed(pages[doc_id].read_text("utf-8", errors="replace"))
        for anchor in documents[doc_id].anchors:
            count = ids.count.get(anchor, 0)
            site.expect(count == 1, where, f"its page has the id {anchor} {count} times")


def check_overview(site: Site, overview: Node, documents: dict[str, Document]) -> None:
    where, categories = "overview", overview.nodes("categories")
    count = overview.number("docs")
    site.expect(count == len(documents), where, f"docs is {count}, not {len(documents)}")
    top = categories[0] if categories else Node([])
    site.expect((top.number(0), top.get(1)) == (0, -1), where, "the first row is not the site")
    # The manifest alone states the site's name, so that renaming a site is no new revision.
    site.expect(top.text(2) == "", where, "the first row carries a title")
    direct, first_page, listed = dict[int, int](), dict[int, int](), set[str]()
    pages = overview.nodes("pages")
    for n, page in enumerate(pages):
        category = site.follow("category", page.text(0), page.number(1), where)
        for row in category.nodes("rows") if category else ():
            number, doc_id = row.number(0), row.text(1)
            direct[number] = direct.get(number, 0) + 1
            first_page.setdefault(number, n)
            listed.add(doc_id)
            known = documents.get(doc_id)
            site.expect(known is not None, where, f"it lists {doc_id}, which is not in the tree")
            right = known is None or known.row.text("url") == row.text(3)
            site.expect(right, where, f"it lists {doc_id} under another URL")
    parents: dict[int, int] = {}
    for row in categories:
        number, parent, page_number = row.number(0), row.number(1), row.number(4)
        fits = number not in parents and (parent in parents or number == 0)
        site.expect(fits, where, f"category {number} occurs twice or before its parent {parent}")
        parents[number] = parent
        right = first_page.get(number, page_number) == page_number < max(len(pages), 1)
        site.expect(right, where, f"category {number} does not begin on page {page_number}")
        own = row.text(5)
        site.expect(own in documents or not own, where, f"category {number} is no document {own}")
        listed.add(own)
    site.expect(set(direct) <= set(parents), where, "a page lists a category that does not exist")
    missing = set(documents) - listed if overview.text("source") == "folders" else set()
    site.expect(not missing, where, f"no category lists {sorted(missing)[:5]}")
    site.expect(counts_hold(categories, parents, direct), where, "the counts are not those of rows")


def counts_hold(categories: list[Node], parents: dict[int, int], direct: dict[int, int]) -> bool:
    """Counts of a category's own rows, or of its whole subtree; with its own page or without."""
    own = {row.number(0): 1 if row.text(5) else 0 for row in categories}
    below, with_pages = dict[int, int](), dict[int, int]()
    for row in categories:
        step, seen = row.number(0), set[int]()
        while step in parents and step not in seen:
            seen.add(step)
            below[step] = below.get(step, 0) + direct.get(row.number(0), 0)
            with_pages[step] = with_pages.get(step, 0) + own[row.number(0)]
            step = parents[step]
    stated = {row.number(0): row.number(3) for row in categories}
    readings = (
        {n: direct.get(n, 0) for n in stated},
        {n: direct.get(n, 0) + own[n] for n in stated},
        below,
        {n: below[n] + with_pages[n] for n in stated},
    )
    return stated in readings


def check_capabilities(site: Site, manifest: Node, root: Node, optional: set[str]) -> None:
    """Capabilities match what is there; `optional` names those that nothing shows or refutes."""
    stated = set(manifest.texts("capabilities"))
    present = {name for name in ("overview", "graph", "clusters") if root.node(name)}
    present |= {"docs", "toc", "related"} - optional | stated & optional
    present |= {"search.lexical"} if root.array("segments") else set()
    present |= {"search.vector"} if root.node("vectors") else set()
    known = {"overview", "docs", "toc", "graph", "related", "clusters"}
    known |= {"search.lexical", "search.vector"}
    wrong = sorted((stated & known) ^ present)
    site.expect(not wrong, "manifest", f"capabilities do not match what is present: {wrong}")


def check_manifest(site: Site, body: bytes) -> Node | None:
    site.expect(len(body) <= MANIFEST_LIMIT, "manifest", f"{len(body)} bytes, more than 4 KiB")
    try:
        manifest = Node(parse(body))
    except (ValueError, RecursionError) as error:
        site.problem("manifest", f"it is not valid JSON: {error}")
        return None
    if fault := mismatch(manifest.raw, SHAPES["manifest"], "manifest"):
        site.problem("manifest", fault)
        return None
    sequence, previous = manifest.number("sequence"), manifest.nodes("previous")
    released = manifest.node("publishedAt") is not None
    site.expect(released == (sequence > 0), "manifest", "publishedAt goes with a release only")
    site.expect(len(previous) <= 10, "manifest", "previous has more than ten entries")
    earlier = [entry.number("sequence") for entry in previous]
    rising = len(set(earlier)) == len(earlier) and all(number < sequence for number in earlier)
    site.expect(rising, "manifest", "previous holds a sequence twice or not below this one")
    root = Node(manifest.get("root"))
    agrees = manifest.text("revision") == root.text("sha256")
    site.expect(agrees, "manifest", "revision is not the hash of the root")
    return manifest


def check_site(folder: Path) -> Report:
    """Check everything the manifest of a published folder leads to, then all other objects."""
    site, documents = Site(folder), dict[str, Document]()
    path = folder / "ai" / "manifest.json"
    manifest = root = None
    if path.is_file():
        manifest = check_manifest(site, path.read_bytes())
    else:
        site.problem("manifest", "ai/manifest.json is missing")
    if manifest is not None:
        root = site.refer("root", Node(manifest.get("root")), "manifest.root")
    if manifest is not None and root is not None:
        tree = Node(root.get("tree")).text("sha256")
        same = manifest.text("content") == tree
        site.expect(same, "manifest", "content is not the hash of the document tree")
        documents = check_tree(site, root)
        check_links(site, documents)
        check_pages(site, documents)
        has_related = check_search(site, root, documents)
        optional = set() if documents else {"docs", "toc"}
        optional |= set() if has_related else {"related"}
        check_capabilities(site, manifest, root, optional)
        reference = root.node("overview")
        overview = site.refer("overview", reference, "root.overview") if reference else None
        if overview is not None:
            check_overview(site, overview, documents)
    return Report(site, documents, site.sweep())


def main() -> int:
    parser = argparse.ArgumentParser(description="Check a published site against its contract.")
    parser.add_argument("site", type=Path, help="the folder that holds ai/manifest.json")
    report = check_site(parser.parse_args().site)
    for problem in report.problems:
        print(problem)
    print(
        f"{len(report.problems)} problems, {len(report.documents)} documents, "
        f"{report.objects} objects by {report.references} references, "
        f"{report.unreferenced} unreferenced",
        file=sys.stderr,
    )
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
