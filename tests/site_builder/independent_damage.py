"""Damage for hand-made sites: one broken rule a row, all hashes still agreeing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ZERO = "0" * 64
ABSENT = object()
EARLIER = {"revision": ZERO, "size": 1, "sequence": 5, "publishedAt": "2024-01-02T03:04:05Z"}


def without_links(rows: list[list[Any]]) -> list[list[Any]]:
    return [row for row in rows if not row[0].startswith("link:")]


def spoil(kind: str, path: str, new: object) -> Callable[[str, Any], None]:
    """A change of every object of one kind: the member at a dotted path, where there is one."""

    def change(found: str, value: Any) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        if found != kind:
            return
        try:
            for step in way:
                value = value[step]
            if new is ABSENT:
                del value[last]
            else:
                value[last] = new(value[last]) if callable(new) else new
        except IndexError:
            return

    return change


# Kind of object, dotted path in it, what is put there, words of the problem to be reported.
BROKEN_RULES: list[tuple[str, str, object, str]] = [
    ("root", "schema", "2.0", "root.schema has the wrong type"),
    ("root", "docs", 4, "the root says 4"),
    ("root", "tree", {"sha256": ZERO, "size": 1}, "content is not the hash of the document tree"),
    ("root", "delta", ABSENT, "root: segments without a delta"),
    ("index", "leaves.0.1", 2, "3 rows, not 2"),
    ("index", "prefix", "1", "it calls itself '1'"),
    ("index", "leaves.0.2", ZERO, f"the leaf object {ZERO} is missing"),
    ("index", "leaves", lambda rows: rows * 2, "not in the order of prefixes"),
    ("leaf", "prefix", "0", "it calls itself '0'"),
    ("leaf", "docs", lambda rows: rows[::-1], "not in the order of docId"),
    ("leaf", "docs.0.doc.size", 1, "bytes, not 1"),
    ("leaf", "docs.0.chars", 1, "chars is not"),
    ("leaf", "docs.0.sections", 9, "2 sections found"),
    ("leaf", "docs.0.title", "x", "doc and leaf disagree on title"),
    ("leaf", "docs.0.url", "../x/", "leaves the site"),
    ("leaf", "docs.0.url", "ai/x/", "enters ai/"),
    ("leaf", "docs.0.url", "OS/死锁/", "equal under case folding"),
    ("leaf", "docs.0.path", "b.md", "a path occurs twice"),
    ("leaf", "docs", lambda rows: rows + rows, "a docId occurs twice"),
    ("leaf", "docs.0.tags", None, "null stands where"),
    ("leaf", "docs.0.tags", "os", "leaf.docs[0].tags is not an array"),
    ("doc", "id", "other", "doc and leaf disagree on id"),
    ("doc", "kind", "note", "it does not say that its kind is doc"),
    ("doc", "sections.1.start", lambda start: start + 1, "gap or overlap"),
    ("doc", "sections.0.end", lambda end: end + 1, "gap or overlap"),
    ("doc", "sections.1.end", 3, "it ends before it starts"),
    ("doc", "text", lambda text: text + "more", "a gap"),
    ("doc", "text", lambda text: text.replace("\n", "\r"), "newlines of text are not normalised"),
    ("doc", "sections.0.sha256", ZERO, "its hash is not that of its text"),
    ("doc", "sections.1.anchor", "alpha", "an anchor occurs twice"),
    ("doc", "sections.1.anchor", "_top", "it is not first"),
    ("doc", "sections.0.id", "x", "its id is not its anchor"),
    ("doc", "sections.0.tokens", 999, "its token estimate is off"),
    ("doc", "sections.1.path", ["x"], "its heading path is not"),
    ("doc", "sections", [], "no section covers the text"),
    ("doc", "meta", {"order": 7}, "meta holds something other than strings"),
    ("doc", "links.0.to", "nowhere", "which is not in the tree"),
    ("doc", "links.0.anchor", "nowhere", "b has no section nowhere"),
    ("doc", "links.0.section", 9, "is in no section"),
    ("doc", "links.0.kind", "friend", "links[0].kind has the wrong type or value"),
    ("doc", "links.3.to", "img/y.png", "is not among its assets"),
    ("doc", "assets.0.sha256", ZERO, "the asset img/x.png was changed"),
    ("doc", "assets.0.size", 1, "the asset img/x.png has another size"),
    ("doc", "assets.0.path", "img/y.png", "the asset img/y.png is missing"),
    ("doc", "assets.0.path", "../x.png", "leaves the site"),
    ("toc", "sections.0.title", "x", "toc and doc disagree on sections"),
    ("segment", "docs", 4, "3 rows, docs is 4"),
    ("segment", "units", 4, "5 units in rows, units is 4"),
    ("segment", "pivot", 63, "no power of two"),
    ("segment", "weights", {"body": 0}, "a weight is not a positive integer"),
    ("segment", "hot", [["alpha", 2]], "hot gives alpha 2"),
    ("segment", "hotFloor", 1, "hot gives alpha None"),
    ("segment", "shards", [["x", ZERO, 1]], "a directory of each kind"),
    ("segment", "pages.0.0", "zz", "the terms page at zz starts at"),
    ("terms", "shards.0.0", "zz", "segment 0 shard zz: it starts at"),
    ("shard", "terms", lambda rows: rows[::-1], "not in code-point order"),
    ("shard", "terms", lambda rows: [rows[0], *rows], "not in code-point order"),
    ("shard", "terms.0", ["alpha", -4, 17], "ordinal 3 is out of range"),
    ("shard", "terms.0", ["alpha", -1, 16], "the impact of ordinal 0 is 0"),
    ("shard", "terms.0", ["alpha", 17], "a unit comes before any ordinal"),
    ("shard", "terms.0", ["alpha", -1, -1, 17], "ordinal 0 has no units"),
    ("shard", "terms.0", ["alpha", -1, 17, 18], "the units of ordinal 0 do not rise"),
    ("shard", "terms.0", ["alpha", -1, 81], "ordinal 0 has no unit 5"),
    ("shard", "terms.0", ["alpha", -1, "17"], "a posting is not an integer"),
    ("shard", "terms.0", ["alpha", -1, True], "a posting is not an integer"),
    ("shard", "terms.0", ["alpha"], "it ends without a unit"),
    ("shard", "terms.0", [], "improper rows"),
    ("shard", "terms", without_links, "link: terms lead to set()"),
    ("docs", "first", 1, "does not begin at ordinal 0"),
    ("docs", "docs", lambda rows: rows[::-1], "not in the order of sha256(docId)"),
    ("docs", "docs.0.1", "x", "its title is not that of the document"),
    ("docs", "docs.0.3", ZERO, "no row leads to ['b']"),
    ("docs", "docs.0.3", ZERO, "(b) can be found, but is not in the tree"),
    ("docs", "docs.0.5", 9, "9 units do not fit"),
    ("docs", "docs.0.6", [9], "outgoing ordinals [9] are out of range"),
    ("docs", "docs.1.6", [], "outgoing leads to set()"),
    ("docs", "docs.0.6", [1, 1], "outgoing names one twice"),
    ("docs", "docs.0.7", [[0, 1]], "it is related to itself"),
    ("docs", "docs.0.8", -1, "states another cluster"),
    ("delta", "base", ZERO, "its base is not a segment"),
    ("delta", "docs", [["a", "A", "en", ZERO, 1]], "is not the document in the tree"),
    ("delta", "docs", [["a", "A", "en", ZERO, 1]] * 2, "a document occurs twice"),
    ("delta", "drop", [[0, 9, 1]], "drop [0, 9, 1] is no row with its units"),
    ("delta", "drop", [[0, 1, 9]], "drop [0, 1, 9] is no row with its units"),
    ("delta", "drop", [[9, 0, 1]], "drop [9, 0, 1] is no row with its units"),
    ("delta", "drop", [[0, 1, 2]], "no row leads to ['a']"),
    ("delta", "hotDropped", [[1]], "hot postings are dropped"),
    ("edges", "rows", lambda rows: rows[::-1], "ordinal 0 is not in order"),
    ("edges", "rows.0.1", [2, 1], "targets of 0 do not ascend"),
    ("edges", "rows.0.1", [1, 9], "row 0 leads out of range"),
    ("edges", "rows", [], "row 0 is not what its docs row links to"),
    ("clusters", "clusters.0.ordinals", [0, 9], "ordinals of 0 are out of range"),
    ("clusters", "clusters.0.ordinals", [1, 0], "ordinals of 0 do not ascend"),
    ("clusters", "clusters", lambda rows: rows * 2, "the id 0 occurs twice"),
    ("clusters", "clusters", lambda rows: rows * 2, "ordinals {0} are in two clusters"),
    ("clusters", "clusters.0.ordinals", [0, 1], "docs row 1 states another cluster"),
    ("overview", "docs", 9, "docs is 9, not 3"),
    ("overview", "categories.0.1", 0, "the first row is not the site"),
    ("overview", "categories.0.2", "x", "the first row carries a title"),
    ("overview", "categories.0.3", 7, "the counts are not those of rows"),
    ("overview", "categories.0.4", 3, "category 0 does not begin on page 3"),
    ("overview", "categories.0", lambda row: [*row, "ghost"], "category 0 is no document ghost"),
    ("overview", "categories", lambda rows: [*rows, [5, 9, "x", 0, -1]], "before its parent 9"),
    ("category", "rows.0.0", 8, "a category that does not exist"),
    ("category", "rows.0.1", "ghost", "it lists ghost, which is not in the tree"),
    ("category", "rows.0.3", "x/", "it lists a under another URL"),
    ("category", "rows", lambda rows: rows[1:], "no category lists ['a']"),
    ("manifest", "schemaVersion", "2.0", "manifest.schemaVersion has the wrong type"),
    ("manifest", "revision", ZERO, "revision is not the hash of the root"),
    ("manifest", "content", ZERO, "content is not the hash of the document tree"),
    ("manifest", "root.sha256", ZERO, f"the root object {ZERO} is missing"),
    ("manifest", "sequence", 1, "publishedAt goes with a release only"),
    ("manifest", "capabilities", ["docs", "toc"], "capabilities do not match"),
    ("manifest", "title", "x" * 4096, "more than 4 KiB"),
    ("manifest", "retention", {"days": 3}, "manifest.retention.revisions is missing"),
    ("manifest", "retention", ABSENT, "manifest.retention is missing"),
    ("manifest", "previous", [EARLIER] * 11, "previous has more than ten entries"),
    ("manifest", "previous", [EARLIER], "a sequence twice or not below this one"),
]
