"""Published objects as the contract describes them: shapes, canonical bytes, references.

One part of the independent checker (see `independent_checker.py`). It shares no code with the
publisher or the reader. Sizes are bytes; members a shape does not name are ignored.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

Shape = (
    type[object]
    | range
    | re.Pattern[str]
    | dict[str, "Shape"]
    | list["Shape"]
    | tuple["Shape", ...]
)

ATOMS: dict[str, Shape] = {
    "text": str,
    "object": dict,
    "array": list,
    "nat": range(2**53),
    "signed": range(-1, 2**53),
    "level": range(7),
    "sha": re.compile(r"[0-9a-f]{64}"),
    "digits": re.compile(r"[0-3]{0,128}"),
    "name": re.compile(r"[^\x00-\x1f\x7f]+"),
    "word": re.compile(r"\S+"),
    "version": re.compile(r"1\.\d+"),
    "tokens": re.compile(r"nb-\d+"),
    "time": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)"),
    "source": re.compile(r"navigation|summary|folders"),
    "linked": re.compile(r"doc|embed|image|file|external|missing"),
}
SPECIFICATION = """
ref: sha256=sha size=nat
window: revisions=nat days=nat
earlier: revision=sha size=nat sequence=nat publishedAt=time
manifest: schemaVersion=version knowledgeBaseId=name title=text siteUrl?=text language=name \
content=sha revision=sha root=ref sequence=nat publishedAt?=time previous=[earlier] \
capabilities=[text] retention=window
root: schema=version docs=nat tree=ref segments=[ref] overview?=ref delta?=ref graph?=ref \
clusters?=ref
branch: (digits nat sha nat)
index: prefix=digits leaves?=[branch] indexes?=[branch] children?=[branch]
row: id=name title=text path=name url=text language=name tags=[text] aliases=[text] \
category=[text] doc=ref toc=ref sections=nat chars=nat
leaf: prefix=digits docs=[row]
section: id=name anchor=word level=level title=text path=[text] start=nat end=nat sha256=sha \
tokens=nat
link: section=nat kind=linked to=text anchor?=text text?=text
asset: path=name sha256=sha size=nat
doc: id=name title=text language=name url=text meta=object text=text sections=[section] \
links=[link] assets?=[asset]
toc: id=name title=text language=name url=text sections=[section]
hot: (name nat)
child: (name sha nat)
page: (sha nat)
segment: tokens=tokens docs=nat units=nat pivot=nat weights=object hot=[hot] hotFloor=nat \
pages=[child] shards?=[child] docPages=[page]
terms: shards=[child]
shard: terms=[array]
pair: (nat nat)
postings: term=name rows=[pair]
continuation: sha256=sha size=nat count=nat least=nat below=nat
found: (text text text text nat nat [nat] [pair] signed nat nat)
docs: first=nat docs=[found]
changed: (name text name sha nat)
gone: (nat nat nat)
delta: base=sha drop=[gone] hotDropped=[[nat]] docs=[changed]
branching: (nat signed text nat signed)
overview: docs=nat source=source categories=[branching] pages=[page]
listed: (nat name text text)
category: rows=[listed]
graph: pages=[page]
edge: (nat [nat])
edges: rows=[edge]
cluster: id=nat label=name terms=[text] ordinals=[nat]
clusters: clusters=[cluster]
"""


def read_shapes(specification: str) -> dict[str, Shape]:
    """Objects are `name: member=shape ...` (`?` marks optional ones), rows `name: (shape ...)`."""
    shapes = dict(ATOMS)

    def named(word: str) -> Shape:
        return [named(word[1:-1])] if word.startswith("[") else shapes[word]

    for line in specification.strip().splitlines():
        name, body = line.split(": ")
        if body.startswith("("):
            shapes[name] = tuple(named(word) for word in body[1:-1].split())
        else:
            members = (member.split("=") for member in body.split())
            shapes[name] = {key: named(word) for key, word in members}
    return shapes


SHAPES = read_shapes(SPECIFICATION)


def mismatch(value: object, shape: Shape, where: str) -> str:
    """What in `value` does not fit the shape, or an empty string."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return f"{where} is not an object"
        for key, inner in shape.items():
            name = key.rstrip("?")
            if name not in value and not key.endswith("?"):
                return f"{where}.{name} is missing"
            if name in value and (fault := mismatch(value[name], inner, f"{where}.{name}")):
                return fault
        return ""
    if isinstance(shape, list | tuple):
        if not isinstance(value, list):
            return f"{where} is not an array"
        if isinstance(shape, tuple) and len(value) < len(shape):
            return f"{where} has fewer than {len(shape)} elements"
        inners = shape if isinstance(shape, tuple) else shape * len(value)
        pairs = enumerate(zip(value, inners, strict=False))
        return next(filter(None, (mismatch(v, s, f"{where}[{n}]") for n, (v, s) in pairs)), "")
    if isinstance(shape, range):
        fits = type(value) is int and value in shape
    elif isinstance(shape, re.Pattern):
        fits = isinstance(value, str) and shape.fullmatch(value) is not None
    else:
        fits = type(value) is shape
    return "" if fits else f"{where} has the wrong type or value: {value!r:.60}"


class Node:
    """A JSON value whose shape was checked; reading it by key or position keeps the types."""

    def __init__(self, raw: object) -> None:
        self.raw = raw

    def get(self, key: str | int) -> object:
        if isinstance(self.raw, dict):
            return self.raw.get(key)
        if isinstance(self.raw, list) and isinstance(key, int) and key < len(self.raw):
            return self.raw[key]
        return None

    def node(self, key: str | int) -> Node | None:
        value = self.get(key)
        return None if value is None else Node(value)

    def text(self, key: str | int) -> str:
        value = self.get(key)
        return value if isinstance(value, str) else ""

    def number(self, key: str | int) -> int:
        value = self.get(key)
        return value if isinstance(value, int) else -1

    def array(self, key: str | int) -> list[object]:
        value = self.get(key)
        return value if isinstance(value, list) else []

    def nodes(self, key: str | int) -> list[Node]:
        return [Node(value) for value in self.array(key)]

    def texts(self, key: str | int) -> list[str]:
        return [value for value in self.array(key) if isinstance(value, str)]

    def numbers(self, key: str | int) -> list[int]:
        return [value for value in self.array(key) if isinstance(value, int)]


def sha256(body: bytes | str) -> str:
    return hashlib.sha256(body.encode() if isinstance(body, str) else body).hexdigest()


def canonical(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def parse(body: bytes) -> object:
    """The JSON value of a body. Raises ValueError on what no published file may contain."""

    def members(found: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(found)) != len(found):
            raise ValueError("a key occurs twice")
        return dict(found)

    def whole(digits: str) -> int:
        if len(digits) > 17 or abs(int(digits)) >= 2**53:
            raise ValueError("an integer is 2^53 or more")
        return int(digits)

    def refuse(word: str) -> object:
        raise ValueError(f"{word} is not an integer")

    value: object = json.loads(
        body.decode("utf-8"),
        object_pairs_hook=members,
        parse_int=whole,
        parse_float=refuse,
        parse_constant=refuse,
    )
    pending = [value]
    while pending:
        item = pending.pop()
        if item is None:
            raise ValueError("null stands where the member should be absent")
        if isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
    return value


def object_fault(body: bytes, kind: str, name: str) -> tuple[str, Node]:
    """What is wrong with the bytes under an address of this kind and name, and their value."""
    if (found := sha256(body)) != name:
        return f"its bytes have the hash {found}", Node(None)
    try:
        value = parse(body)
        if canonical(value) != body:
            return "it is not canonical JSON", Node(None)
    except (ValueError, RecursionError) as error:
        return f"it is not canonical JSON: {error}", Node(None)
    if not isinstance(value, dict) or value.get("kind") != kind:
        return f"it does not say that its kind is {kind}", Node(None)
    return mismatch(value, SHAPES.get(kind, dict), kind), Node(value)


class Site:
    """A published folder, the problems found so far, and the objects already reached."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: dict[str, None] = {}
        self.reached: set[Path] = set()
        self.references = 0

    def problem(self, where: str, what: str) -> None:
        self.problems[f"{where}: {what}"] = None

    def expect(self, holds: bool, where: str, what: str) -> None:
        if not holds:
            self.problem(where, what)

    def follow(self, kind: str, digest: str, size: int, where: str) -> Node | None:
        """The sound object behind a reference, else None with the problem noted."""
        self.references += 1
        path = self.folder / "ai" / "objects" / kind / f"{digest}.json"
        if not path.is_file():
            self.problem(where, f"the {kind} object {digest} is missing")
            return None
        self.reached.add(path)
        body = path.read_bytes()
        wrong_size = f"the {kind} object {digest} has {len(body)} bytes, not {size}"
        self.expect(len(body) == size, where, wrong_size)
        return self.sound(path, body)

    def refer(self, kind: str, reference: Node, where: str) -> Node | None:
        return self.follow(kind, reference.text("sha256"), reference.number("size"), where)

    def sound(self, path: Path, body: bytes) -> Node | None:
        fault, node = object_fault(body, path.parent.name, path.stem)
        if fault:
            self.problem(f"object {path.parent.name}/{path.name}", fault)
            return None
        return node

    def sweep(self) -> int:
        """Check the bytes no reference reached as well (older revisions); how many files."""
        top = self.folder / "ai" / "objects"
        others = {path for path in top.rglob("*") if path.is_file()} - self.reached
        for path in sorted(others):
            in_place = path.suffix == ".json" and path.parent.parent == top
            self.expect(in_place, f"file {path.relative_to(top)}", "not at <kind>/<sha256>.json")
            self.sound(path, path.read_bytes())
        return len(others)
