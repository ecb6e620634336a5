"""A publisher of a few lines of json and hashlib: hand-made sites to try the checker on.

Neither it nor the checker leans on the project. `change` spoils an object before it is sealed, so
that all hashes still agree and only the stated rule is broken.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

Value = dict[str, Any]
Change = Callable[[str, Value], None]

NOTES = {
    "a": "# Alpha\nsee locks\n## Beta\nmore alpha\n",
    "b": "before any heading\n# Locks\nlocks\n",
    "os/死锁": "# 死锁\n互斥\n",
}
LINKS: dict[str, list[Value]] = {
    "a": [
        {"section": 0, "kind": "doc", "to": "b", "anchor": "locks", "text": "locks"},
        {"section": 1, "kind": "external", "to": "https://example.org/"},
        {"section": 1, "kind": "missing", "to": "nowhere"},
        {"section": 0, "kind": "image", "to": "img/x.png"},
    ],
    "b": [{"section": 1, "kind": "embed", "to": "os/死锁"}],
}
IMAGE = b"not really a picture"


def digest(body: bytes | str) -> str:
    return hashlib.sha256(body.encode() if isinstance(body, str) else body).hexdigest()


def digits(doc_id: str) -> str:
    bits = f"{int(digest(doc_id), 16):0256b}"
    return "".join(str(int(bits[n : n + 2], 2)) for n in range(0, 256, 2))


def canonical(_kind: str, value: Value) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def unchanged(_kind: str, _value: Value) -> None:
    return None


def sections_of(text: str) -> list[Value]:
    starts = sorted({0, *(m.start() for m in re.finditer(r"^#+ ", text, re.M))})
    sections: list[Value] = []
    trail: list[tuple[int, str]] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = text[start:end]
        marks, _, title = piece.split("\n")[0].rpartition("# ")
        headed = piece.startswith("#")
        level = len(marks) + 1 if headed else 0
        trail = [step for step in trail if step[0] < level] + [(level, title)] if headed else []
        anchor = title.lower().replace(" ", "-") if headed else "_top"
        wide = sum(c > "⺀" for c in piece)
        tokens = wide - (-(len(piece.encode()) - 3 * wide) // 4)
        section = {"id": anchor, "anchor": anchor, "level": level, "title": title if headed else ""}
        section |= {"path": [t for _, t in trail], "start": start, "end": end}
        sections.append(section | {"sha256": digest(piece), "tokens": tokens})
    return sections


class Tiny:
    """One small site. Of its notes `edited` differ in the base and `young` are in a segment of
    their own; `ghosts` are in the base alone."""

    leaf_limit, index_limit, kept = 64, 512, 4096

    def __init__(self, folder: Path, notes: dict[str, str] | None = None) -> None:
        self.folder, self.notes = folder, notes or NOTES
        self.change: Change = unchanged
        self.encode: Callable[[str, Value], bytes] = canonical
        self.ends_shard: Callable[[str, int], bool] = self.cut
        self.ghosts: list[str] = []
        self.edited: list[str] = []
        self.young: list[str] = []
        self.rows: dict[str, Value] = {}

    def put(self, kind: str, value: Value) -> tuple[str, int]:
        value = {"kind": kind, **value}
        self.change(kind, value)
        body = self.encode(kind, value)
        path = self.folder / "ai" / "objects" / kind / f"{digest(body)}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return digest(body), len(body)

    def ref(self, kind: str, value: Value) -> Value:
        return dict(zip(("sha256", "size"), self.put(kind, value), strict=True))

    def build(self) -> Path:
        (self.folder / "img").mkdir(parents=True, exist_ok=True)
        (self.folder / "img/x.png").write_bytes(IMAGE)
        for doc_id, text in self.notes.items():
            self.note(doc_id, text)
        tree = self.index("", self.leaves(sorted(self.notes)))
        old = [doc_id for doc_id in [*self.notes, *self.ghosts] if doc_id not in self.young]
        old.sort(key=digest)
        self.centre = next(doc_id for doc_id in old if doc_id in self.notes)
        room = -(-len(old) // 32) * 32
        self.ordinals = {doc_id: n for n, doc_id in enumerate(old)}
        self.ordinals |= {doc_id: room + n for n, doc_id in enumerate(self.young)}
        self.gone: list[list[int]] = []
        segments = [self.segment(old, 0)]
        segments += [self.segment(self.young, room)] if self.young else []
        changed = [self.facts(doc_id) for doc_id in sorted(self.edited, key=digest)]
        drop = [
            [0, self.ordinals[doc_id], len(sections_of(self.notes.get(doc_id, "# gone\n")))]
            for doc_id in [*self.ghosts, *self.edited]
        ]
        delta = {"base": segments[0]["sha256"], "drop": drop, "docs": changed}
        delta["hotDropped"] = [gone if any(gone) else [] for gone in self.gone]
        root: Value = {"schema": "1.0", "docs": len(self.notes), "tree": tree}
        root |= {"segments": segments, "delta": self.ref("delta", delta)}
        root |= {"overview": self.overview()} | self.network()
        self.manifest(self.ref("root", root), tree)
        return self.folder

    def note(self, doc_id: str, text: str) -> None:
        sections, links = sections_of(text), LINKS.get(doc_id, [])
        head: Value = {"id": doc_id, "title": doc_id.upper(), "language": "en", "url": f"{doc_id}/"}
        doc = head | {"meta": {"date": "2024-01-02"}, "text": text, "sections": sections}
        doc["links"] = [dict(link) for link in links] if "b" in self.notes else []
        doc["assets"] = [{"path": "img/x.png", "sha256": digest(IMAGE), "size": len(IMAGE)}]
        toc: Value = head | {"sections": [dict(section) for section in sections]}
        row = head | {"path": f"{doc_id}.md", "tags": [], "aliases": [], "category": []}
        row |= {"doc": self.ref("doc", doc), "toc": self.ref("toc", toc)}
        self.rows[doc_id] = row | {"sections": len(sections), "chars": len(text)}
        page = self.folder / doc_id / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("".join(f'<p id="{s["anchor"]}">x</p>' for s in sections), "utf-8")

    def leaves(self, ids: list[str], prefix: str = "") -> list[list[Any]]:
        if len(ids) > self.leaf_limit:
            parts = [[i for i in ids if digits(i).startswith(prefix + d)] for d in "0123"]
            return [
                b for d, p in zip("0123", parts, strict=True) for b in self.leaves(p, prefix + d)
            ]
        rows = [dict(self.rows[doc_id]) for doc_id in ids]
        value = {"prefix": prefix, "docs": rows}
        return [[prefix, len(ids), *self.put("leaf", value)]] if ids else []

    def index(self, prefix: str, leaves: list[list[Any]]) -> Value:
        if len(leaves) <= self.index_limit:
            return self.ref("index", {"prefix": prefix, "leaves": leaves})
        children = []
        for name in sorted({leaf[0][: len(prefix) + 2] for leaf in leaves}):
            below = [leaf for leaf in leaves if leaf[0].startswith(name)]
            child = self.index(name, below)
            children.append([name, sum(b[1] for b in below), child["sha256"], child["size"]])
        return self.ref("index", {"prefix": prefix, "indexes": children})

    def facts(self, doc_id: str) -> list[Any]:
        row = self.rows[doc_id]
        return [doc_id, row["title"], "en", row["doc"]["sha256"], row["doc"]["size"]]

    def targets(self, doc_id: str) -> list[int]:
        links = LINKS.get(doc_id, []) if "b" in self.notes else []
        return [self.ordinals[str(k["to"])] for k in links if k["kind"] in ("doc", "embed")]

    def segment(self, ids: list[str], start: int) -> Value:
        postings: dict[str, list[tuple[int, int, int]]] = {}
        rows: list[list[Any]] = []
        for ordinal, doc_id in enumerate(ids):
            text = self.notes.get(doc_id, "# gone\n")
            sections = sections_of(text)
            for unit, section in enumerate(sections):
                words = re.findall(r"\w+", text[section["start"] : section["end"]].lower())
                for word in set(words):
                    postings.setdefault(word, []).append(
                        (ordinal, unit, min(15, words.count(word)))
                    )
            for target in self.targets(doc_id):
                name = next(i for i, n in self.ordinals.items() if n == target)
                postings.setdefault(f"link:{name}", []).append((ordinal, 0, 1))
            facts = self.facts(doc_id) if doc_id in self.notes else ["", "", "", "", 0]
            if doc_id in self.edited:
                facts = [doc_id, "as it was", "en", "0" * 64, 9]
            neighbour = list(self.ordinals.values())[(ordinal + 1) % len(ids)]
            related = [[neighbour, 700]] if neighbour != ordinal + start else []
            cluster = 0 if doc_id == self.centre else -1
            rows.append([*facts, len(sections), self.targets(doc_id), related, cluster, 9, 5])
            if doc_id in self.ghosts:
                rows[-1][6:] = [[], [], -1, 0, 0]
        units, counts = sum(row[5] for row in rows), {t: len(p) for t, p in postings.items()}
        hot = [[t, n] for t, n in sorted(counts.items()) if n >= 64]
        dropped = {n for n, i in enumerate(ids) if i in self.ghosts + self.edited}
        self.gone.append([sum(p[0] in dropped for p in postings[term]) for term, _ in hot])
        pages = [
            list(self.put("docs", {"first": n, "docs": rows[n : n + 32]}))
            for n in range(0, len(rows), 32)
        ]
        shards = self.shards([self.shard_row(t, postings[t], ids) for t in sorted(postings)])
        value: Value = {
            "tokens": "nb-1",
            "docs": len(rows),
            "units": units,
            "pivot": 64,
            "hot": hot,
            "hotFloor": 64,
            "pages": [],
        }
        if start:
            value["shards"] = shards
        else:
            value["pages"] = [[shards[0][0], *self.put("terms", {"shards": shards})]]
        value |= {"weights": {"body": 1}, "docPages": pages}
        return self.ref("segment", value)

    def shard_row(self, term: str, found: list[Any], ids: list[str]) -> list[Any]:
        best = sorted(found, key=lambda p: (-p[2], digest(ids[p[0]]), p[1]))
        levels = [sum(p[2] >= level for p in found) for level in range(17)]
        least = next(level for level in range(17) if levels[level] <= self.kept)
        kept, rest = sorted(best[: levels[least]]), best[levels[least] :]
        row: list[Any] = [term]
        if rest:
            rows = [[ordinal, unit * 16 + impact] for ordinal, unit, impact in rest]
            row.append(self.ref("postings", {"term": term, "rows": rows}) | {"count": len(found)})
            row[1] |= {"least": least, "below": levels[least - 1] - levels[least]}
        last = -1
        for ordinal, unit, impact in kept:
            row += [last - ordinal] if ordinal > last else []
            row.append(unit * 16 + impact)
            last = ordinal
        return row

    @staticmethod
    def cut(term: str, size: int) -> bool:
        return size > 24_000 or (size > 8_192 and int(digest(term)[:4], 16) % 25 == 0)

    def shards(self, rows: list[list[Any]]) -> list[list[Any]]:
        groups: list[list[list[Any]]] = [[]]
        size = 0
        for row in rows:
            if groups[-1] and self.ends_shard(row[0], size):
                groups.append([])
                size = 0
            groups[-1].append(row)
            size += len(canonical("", {"row": row})) - 7
        return [[group[0][0], *self.put("shard", {"terms": group})] for group in groups]

    def overview(self) -> Value:
        rows = [[0, doc_id, row["title"], row["url"]] for doc_id, row in self.rows.items()]
        top = [0, -1, "", len(rows), 0]
        value: Value = {"docs": len(rows), "source": "folders", "categories": [top]}
        return self.ref("overview", value | {"pages": [list(self.put("category", {"rows": rows}))]})

    def network(self) -> Value:
        rows = [[n, sorted(self.targets(i))] for i, n in self.ordinals.items() if self.targets(i)]
        graph = {"pages": [list(self.put("edges", {"rows": rows}))]}
        cluster = {"id": 0, "label": "first", "terms": ["alpha"]}
        cluster["ordinals"] = [self.ordinals[self.centre]]
        clusters = {"clusters": [cluster]}
        return {"graph": self.ref("graph", graph), "clusters": self.ref("clusters", clusters)}

    def manifest(self, root: Value, tree: Value) -> None:
        value: Value = {"schemaVersion": "1.0", "knowledgeBaseId": "kb", "title": "Notes"}
        value |= {"siteUrl": "https://example.org/", "language": "en", "content": tree["sha256"]}
        value |= {"revision": root["sha256"], "root": root, "sequence": 0, "previous": []}
        value["retention"] = {"revisions": 10, "days": 30}
        capabilities = "overview docs toc graph related clusters search.lexical"
        value["capabilities"] = capabilities.split()
        self.change("manifest", value)
        (self.folder / "ai" / "manifest.json").write_bytes(canonical("manifest", value))
