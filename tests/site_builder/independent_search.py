"""The search base as the contract describes it: segments, postings, delta, graph, clusters.

One part of the independent checker (see `independent_checker.py`). Postings and drops name ordinals
of their segment; links, related documents, graph and clusters name ordinals through all segments,
each taking 32 for each of its pages. A row is live while the delta does not drop it.
"""

from __future__ import annotations

from independent_objects import SHAPES, Node, Site, canonical, mismatch, sha256

DOCS_PER_PAGE = 32
KEPT_POSTINGS = 4096
DELTA_DOCUMENTS, DELTA_BYTES = 12, 48 * 1024
UNIT_LIMIT = 2000
SHARD_LEAST, SHARD_MOST = 8000, 24 * 1024
YOUNG_LEAST, YOUNG_MOST = 6000, 16 * 1024
# Kilobytes may be 1,000 or 1,024 bytes, counted with or without the envelope of the object.
SLACK = 300


class Document:
    """What other checks need of a document: its leaf row, reference, sections and links."""

    def __init__(self, row: Node, doc: Node | None) -> None:
        self.row, self.sound, reference = row, doc is not None, Node(row.get("doc"))
        self.sha, self.size = reference.text("sha256"), reference.number("size")
        sections = doc.nodes("sections") if doc else []
        self.anchors = [section.text("anchor") for section in sections]
        self.lengths = [section.number("end") - section.number("start") for section in sections]
        self.links = doc.nodes("links") if doc else []
        self.assets = doc.nodes("assets") if doc else []

    def targets(self, *kinds: str) -> set[str]:
        """The documents it links to in these ways, itself left out."""
        found = {link.text("to") for link in self.links if link.text("kind") in kinds}
        return found - {self.row.text("id")}

    def units_fit(self, units: int) -> bool:
        """One unit a section; a section above the limit is cut into at least so many."""
        least = sum(max(1, -(-length // UNIT_LIMIT)) for length in self.lengths)
        cut = any(length > UNIT_LIMIT for length in self.lengths)
        return not self.sound or units == least or (cut and units > least)

    def summary(self) -> dict[str, object]:
        row = {name: self.row.get(name) for name in ("id", "title", "url", "path", "language")}
        return row | {
            "sha256": self.sha,
            "chars": self.row.number("chars"),
            "sections": self.anchors,
        }


class Search:
    """The rows and postings of all segments, gathered while they are checked.

    dropped: by segment, its own ordinals that the delta drops. gone: by segment, for each of its
    hot terms how many postings are of those.
    """

    def __init__(self) -> None:
        self.rows: dict[int, Node] = {}
        self.segment_of: dict[int, int] = {}
        self.linked: dict[int, set[str]] = {}
        self.starts: list[int] = [0]
        self.dropped: list[set[int]] = []
        self.gone: list[list[int]] = []
        self.whole = True

    def total(self) -> int:
        return self.starts[-1]

    def id_of(self, ordinal: int) -> str:
        return self.rows[ordinal].text(0) if ordinal in self.rows else ""


def decode(numbers: list[object]) -> list[tuple[int, int, int]]:
    """(ordinal, unit, impact) of one row of a shard. Raises ValueError saying what is wrong."""
    ordinal, last_unit, postings, waiting = -1, -1, list[tuple[int, int, int]](), False
    for number in numbers:
        if type(number) is not int:
            raise ValueError(f"a posting is not an integer: {number!r:.40}")
        if number < 0:
            if waiting:
                raise ValueError(f"ordinal {ordinal} has no units")
            ordinal, last_unit, waiting = ordinal - number, -1, True
            continue
        unit, impact = divmod(number, 16)
        if ordinal < 0:
            raise ValueError("a unit comes before any ordinal")
        if impact == 0:
            raise ValueError(f"the impact of ordinal {ordinal} is 0")
        if unit <= last_unit:
            raise ValueError(f"the units of ordinal {ordinal} do not rise")
        last_unit, waiting = unit, False
        postings.append((ordinal, unit, impact))
    if waiting or not postings:
        raise ValueError("it ends without a unit")
    return postings


def check_continuation(
    site: Site,
    search: Search,
    term: str,
    told: object,
    kept: list[tuple[int, int, int]],
    start: int,
) -> list[tuple[int, int, int]]:
    """The postings that did not stay in the shard: by impact, sha256(docId), unit."""
    where, reference = f"term {term}", Node(told)
    if fault := mismatch(told, SHAPES["continuation"], "its continuation"):
        site.problem(where, fault)
        return []
    node = site.refer("postings", reference, where)
    if node is None:
        return []
    rest = [(row.number(0), *divmod(row.number(1), 16)) for row in node.nodes("rows")]
    site.expect(node.text("term") == term, where, f"its continuation is of {node.text('term')}")
    count, least = len(kept) + len(rest), reference.number("least")
    site.expect(reference.number("count") == count, where, f"its true count is {count}")
    site.expect(all(impact for _, _, impact in rest), where, "an impact of the continuation is 0")
    levels = [sum(impact >= level for _, _, impact in kept + rest) for level in range(17)]
    right = next(level for level in range(17) if levels[level] <= KEPT_POSTINGS)
    site.expect(least == right, where, f"impacts from {least} on stay, not from {right} on")
    stays = {impact for _, _, impact in kept}
    goes = {impact for _, _, impact in rest}
    cut = min(stays, default=16) >= least > max(goes, default=0)
    site.expect(cut, where, f"it is not cut at the impact {least}")
    below = sum(impact == least - 1 for _, _, impact in rest)
    site.expect(reference.number("below") == below, where, f"{below} postings are just below")
    if search.whole:
        names = {ordinal: sha256(search.id_of(start + ordinal)) for ordinal, _, _ in rest}
        ranks = [(-impact, names[ordinal], unit) for ordinal, unit, impact in rest]
        # Who a dropped row was may be forgotten, and with it where it stood.
        known = all(search.id_of(start + ordinal) for ordinal in names)
        ordered = ranks == sorted(set(ranks)) or not known
        site.expect(ordered, where, "its continuation is not by impact, sha256(docId), unit")
    return rest


def check_term(
    site: Site, search: Search, row: list[object], start: int, count: int
) -> list[tuple[int, int, int]]:
    """One row of a shard; its postings."""
    term, told = str(row[0]), row[1] if len(row) > 1 and isinstance(row[1], dict) else None
    where = f"term {term}"
    try:
        # A row of which nothing stays has its continuation alone.
        kept = decode(row[1:] if told is None else row[2:]) if told is None or row[2:] else []
    except ValueError as error:
        site.problem(where, str(error))
        return []
    if told is None:
        rest: list[tuple[int, int, int]] = []
        site.expect(len(kept) <= KEPT_POSTINGS, where, f"{len(kept)} postings in a shard")
    else:
        rest = check_continuation(site, search, term, told, kept, start)
    for ordinal, unit, _ in kept + rest:
        if ordinal not in range(count):
            site.problem(where, f"ordinal {ordinal} is out of range")
        elif start + ordinal in search.rows and unit >= search.rows[start + ordinal].number(5):
            site.problem(where, f"ordinal {ordinal} has no unit {unit}")
        if term.startswith("link:"):
            search.linked.setdefault(start + ordinal, set()).add(term.removeprefix("link:"))
    return kept + rest


def is_cut(row: list[object]) -> bool:
    """Whether the shards may part at this term: a rule of content, so that edits stay local."""
    return int(sha256(str(row[0]))[:4], 16) % 25 == 0


def check_cut(
    site: Site, where: str, rows: list[list[object]], following: list[object], young: bool
) -> None:
    """A shard ends after 8 kB at the first cut term, at 24 kB at the latest; one of a younger
    segment after 6 kB and at 16 kB."""
    least, most = (YOUNG_LEAST, YOUNG_MOST) if young else (SHARD_LEAST, SHARD_MOST)
    sizes = [len(canonical(row)) + 1 for row in rows]
    before = 0
    for n, size in enumerate(sizes):
        passed = 0 < n < len(rows) - 1 and before > least + SLACK and is_cut(rows[n])
        site.expect(not passed, where, f"it runs past the cut at {rows[n][0]}")
        before += size
    site.expect(before - sizes[-1] <= most + SLACK, where, f"it is larger than {most // 1024} kB")
    if following:
        full = before + len(canonical(following)) > most - 576 - SLACK
        here = before > least - SLACK and (is_cut(rows[-1]) or is_cut(following))
        site.expect(full or here, where, f"it is cut before {following[0]} for no reason")


def directory(site: Site, segment: Node, name: str) -> tuple[list[Node], bool]:
    """All shards of a segment, and whether no page is missing."""
    if segment.get("shards") is not None:
        site.expect(not segment.nodes("pages"), name, "it has a directory of each kind")
        return segment.nodes("shards"), True
    entries: list[Node] = []
    whole = True
    for page in segment.nodes("pages"):
        terms = site.follow("terms", page.text(1), page.number(2), name)
        found = terms.nodes("shards") if terms else []
        whole = whole and bool(found)
        first = found[0].text(0) if found else page.text(0)
        site.expect(
            first == page.text(0), name, f"the terms page at {page.text(0)} starts at {first}"
        )
        entries += found
    return entries, whole


def check_terms(
    site: Site, search: Search, segment: Node, number: int, start: int, count: int
) -> None:
    """Directory, shards and postings of a segment: one sequence of terms in code-point order."""
    name = f"segment {number}"
    shards: list[tuple[str, list[list[object]]]] = []
    entries, whole = directory(site, segment, name)
    for entry in entries:
        shard = site.follow("shard", entry.text(1), entry.number(2), name)
        rows = [row for row in shard.array("terms") if isinstance(row, list)] if shard else []
        proper = all(row and isinstance(row[0], str) and row[0] for row in rows)
        if not (rows and proper):
            site.expect(shard is None, name, f"the shard at {entry.text(0)} has improper rows")
            whole = False
            continue
        where = f"{name} shard {entry.text(0)}"
        site.expect(rows[0][0] == entry.text(0), where, f"it starts at {rows[0][0]}")
        shards.append((where, rows))
    order, counts, gone = "", dict[str, int](), dict[str, int]()
    dropped = search.dropped[number] if number < len(search.dropped) else set()
    for n, (where, rows) in enumerate(shards):
        for row in rows:
            site.expect(order < str(row[0]), where, f"{row[0]} is not in code-point order")
            order = str(row[0])
            postings = check_term(site, search, row, start, count)
            counts[order] = len(postings)
            gone[order] = sum(ordinal in dropped for ordinal, _, _ in postings)
        if whole:
            following = shards[n + 1][1][0] if n + 1 < len(shards) else []
            check_cut(site, where, rows, following, number > 0)
    floor = segment.number("hotFloor")
    hot = {t: c for t, c in counts.items() if c >= floor}
    stated = {row.text(0): row.number(1) for row in segment.nodes("hot")}
    for term in sorted(stated.keys() | hot.keys()) if whole else ():
        right = stated.get(term) == hot.get(term)
        site.expect(right, name, f"hot gives {term} {stated.get(term)}, counted {counts.get(term)}")
    search.gone.append([gone.get(term, 0) for term in stated] if whole else [])
    search.whole = search.whole and whole


def check_segment(site: Site, search: Search, reference: Node, number: int) -> None:
    name, start, sound = f"segment {number}", search.total(), True
    segment = site.refer("segment", reference, name)
    if segment is None:
        search.whole = False
        return
    count, units, pivot = (segment.number(key) for key in ("docs", "units", "pivot"))
    site.expect(pivot > 0 and pivot & (pivot - 1) == 0, name, f"pivot {pivot} is no power of two")
    weights = segment.get("weights")
    numbers = weights.values() if isinstance(weights, dict) else ()
    proper = all(type(weight) is int and weight > 0 for weight in numbers)
    site.expect(proper, name, "a weight is not a positive integer")
    rows: list[Node] = []
    pages = segment.nodes("docPages")
    for n, page in enumerate(pages):
        docs = site.follow("docs", page.text(0), page.number(1), name)
        found, first = docs.nodes("docs") if docs else [], DOCS_PER_PAGE * n
        sound = sound and docs is not None
        right = docs is None or docs.number("first") == first
        site.expect(right, name, f"docs page {n} does not begin at ordinal {first}")
        full = len(found) == DOCS_PER_PAGE or (n == len(pages) - 1 and 0 < len(found) < 32)
        site.expect(full or docs is None, name, f"docs page {n} has {len(found)} rows")
        for position, row in enumerate(found):
            search.rows[start + first + position] = row
            search.segment_of[start + first + position] = number
        rows += found
    search.whole = search.whole and sound
    site.expect(not sound or len(rows) == count, name, f"{len(rows)} rows, docs is {count}")
    total = sum(row.number(5) for row in rows)
    site.expect(not sound or total == units, name, f"{total} units in rows, units is {units}")
    digests = [sha256(row.text(0)) for row in rows if row.text(0)]
    site.expect(digests == sorted(digests), name, "its rows are not in the order of sha256(docId)")
    search.starts.append(start + DOCS_PER_PAGE * len(pages))
    check_terms(site, search, segment, number, start, count)


def check_row(site: Site, search: Search, ordinal: int, document: Document | None) -> None:
    """Numbers of a docs row; for a live one also its agreement with the document."""
    row = search.rows[ordinal]
    where = f"docs row {ordinal} ({row.text(0)})"
    related = [pair.number(0) for pair in row.nodes(7)]
    outgoing = row.numbers(6)
    for name, ordinals in (("outgoing", outgoing), ("related", related)):
        far = [n for n in ordinals if n not in search.rows]
        site.expect(not far or not search.whole, where, f"{name} ordinals {far} are out of range")
        site.expect(len(set(ordinals)) == len(ordinals), where, f"{name} names one twice")
    site.expect(ordinal not in related, where, "it is related to itself")
    if document is None:
        return
    for position, field in ((1, "title"), (2, "language")):
        same = row.text(position) == document.row.text(field)
        site.expect(same, where, f"its {field} is not that of the document")
    site.expect(document.units_fit(row.number(5)), where, f"{row.number(5)} units do not fit")
    if not document.sound:
        return
    own, least, most = {row.text(0)}, document.targets("doc"), document.targets("doc", "embed")
    targets = {search.id_of(n) for n in outgoing} - own
    linked = search.linked.get(ordinal, set()) - own
    site.expect(least <= targets <= most, where, f"outgoing leads to {targets}, the doc to {most}")
    site.expect(least <= linked <= most, where, f"link: terms lead to {linked}, the doc to {most}")


def check_delta(
    site: Site, search: Search, root: Node, delta: Node | None, documents: dict[str, Document]
) -> set[str]:
    """The documents that the delta states."""
    where = "delta"
    bases = [node.text("sha256") for node in root.nodes("segments")]
    if delta is None:
        site.expect(root.node("delta") is not None or not bases, "root", "segments without a delta")
        return set()
    site.expect(delta.text("base") in bases, where, "its base is not a segment of this root")
    rows = delta.nodes("docs")
    ids = [row.text(0) for row in rows]
    site.expect(len(set(ids)) == len(ids), where, "a document occurs twice")
    ordered = ids == sorted(ids, key=sha256)
    site.expect(ordered, where, "its documents are not in the order of sha256(docId)")
    weight = sum(row.number(4) for row in rows)
    small = len(rows) <= DELTA_DOCUMENTS and weight <= DELTA_BYTES
    site.expect(small, where, f"{len(rows)} documents, {weight} bytes: it should have been folded")
    for row in rows:
        known = documents.get(row.text(0))
        facts = (row.text(1), row.text(2), row.text(3), row.number(4))
        same = known is not None and facts == (
            known.row.text("title"),
            known.row.text("language"),
            known.sha,
            known.size,
        )
        site.expect(same, where, f"its row of {row.text(0)} is not the document in the tree")
    for item in delta.nodes("drop"):
        segment, ordinal = item.number(0), item.number(1)
        there = segment < len(search.starts) - 1
        row = search.rows.get(search.starts[segment] + ordinal) if there else None
        sound = row is not None and row.number(5) == item.number(2)
        site.expect(sound or not search.whole, where, f"drop {item.raw} is no row with its units")
    counts = delta.array("hotDropped") + [[]] * len(search.gone)
    for number, gone in enumerate(search.gone):
        same = counts[number] == (gone if any(gone) else []) or not search.whole
        site.expect(same, where, f"of segment {number} {gone} hot postings are dropped")
    return set(ids)


def check_rows(
    site: Site, search: Search, root: Node, delta: Node | None, documents: dict[str, Document]
) -> set[int]:
    """Every document can be found, and nothing else; the ordinals of live rows."""
    changed = check_delta(site, search, root, delta, documents)
    live: set[int] = set()
    found = list(changed)
    for ordinal, row in search.rows.items():
        doc_id, number = row.text(0), search.segment_of[ordinal]
        document = documents.get(doc_id)
        if ordinal - search.starts[number] in search.dropped[number]:
            named = not doc_id or document is not None
            site.expect(named, "search", f"ordinal {ordinal} names {doc_id}, which is gone")
            check_row(site, search, ordinal, None)
            continue
        present = document and (document.sha, document.size) == (row.text(3), row.number(4))
        stale = f"ordinal {ordinal} ({doc_id}) can be found, but is not in the tree"
        site.expect(bool(present), "search", stale)
        if present:
            live.add(ordinal)
            found.append(doc_id)
        check_row(site, search, ordinal, document if present else None)
    twice = sorted({doc_id for doc_id in found if found.count(doc_id) > 1})
    site.expect(not twice, "search", f"{twice[:5]} can be found twice")
    lost = sorted(set(documents) - set(found)) if search.whole and search.gone else []
    site.expect(not lost, "search", f"no row leads to {lost[:5]}")
    return live


def check_graph(site: Site, search: Search, graph: Node, live: set[int]) -> None:
    where, last, edges = "graph", -1, dict[int, list[int]]()
    pages = [site.follow("edges", p.text(0), p.number(1), where) for p in graph.nodes("pages")]
    for row in (row for page in pages if page for row in page.nodes("rows")):
        ordinal, targets = row.number(0), row.numbers(1)
        site.expect(ordinal > last, where, f"ordinal {ordinal} is not in order")
        last, edges[ordinal] = ordinal, targets
        site.expect(targets == sorted(set(targets)), where, f"targets of {ordinal} do not ascend")
        inside = search.rows.keys() >= {ordinal, *targets} or not search.whole
        site.expect(inside, where, f"row {ordinal} leads out of range")
    for ordinal in sorted(live) if all(pages) else ():
        outgoing = set(search.rows[ordinal].numbers(6)) - {ordinal}
        same = set(edges.get(ordinal, [])) - {ordinal} == outgoing
        site.expect(same, where, f"row {ordinal} is not what its docs row links to")


def check_clusters(site: Site, search: Search, clusters: Node | None, live: set[int]) -> None:
    where, members, ids = "clusters", dict[int, int](), set[int]()
    for cluster in clusters.nodes("clusters") if clusters else ():
        number, ordinals = cluster.number("id"), cluster.numbers("ordinals")
        site.expect(number not in ids, where, f"the id {number} occurs twice")
        ids.add(number)
        site.expect(ordinals == sorted(set(ordinals)), where, f"ordinals of {number} do not ascend")
        inside = all(search.id_of(n) for n in ordinals) or not search.whole
        site.expect(inside, where, f"ordinals of {number} are out of range")
        twice = members.keys() & set(ordinals)
        site.expect(not twice, where, f"ordinals {twice} are in two clusters")
        members |= dict.fromkeys(ordinals, number)
    for ordinal in sorted(live):
        same = search.rows[ordinal].get(8) == members.get(ordinal, -1)
        site.expect(same, where, f"docs row {ordinal} states another cluster")


def check_search(site: Site, root: Node, documents: dict[str, Document]) -> bool:
    """Check segments, delta, graph and clusters; whether any document has related ones."""
    search = Search()
    told = root.node("delta")
    delta = site.refer("delta", told, "delta") if told else None
    drops = delta.nodes("drop") if delta else []
    for number, reference in enumerate(root.nodes("segments")):
        search.dropped.append({row.number(1) for row in drops if row.number(0) == number})
        check_segment(site, search, reference, number)
    live = check_rows(site, search, root, delta, documents)
    graph_reference, clusters_reference = root.node("graph"), root.node("clusters")
    graph = site.refer("graph", graph_reference, "root.graph") if graph_reference else None
    if graph is not None:
        check_graph(site, search, graph, live)
    clusters = None
    if clusters_reference is not None:
        clusters = site.refer("clusters", clusters_reference, "root.clusters")
    if clusters is not None or clusters_reference is None:
        check_clusters(site, search, clusters, live)
    return any(row.array(7) for row in search.rows.values())
