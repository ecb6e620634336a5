"""The index client in Chromium: it passes the published vectors, and reads text as Python does."""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import random
import shutil
import threading
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

import manifest
from bridge_reader.search.common_terms import TermPart, least_impact
from bridge_reader.search.packed import pack
from manifest.query_plan import query_terms
from manifest.search_objects import Continuation
from manifest.search_text import document_tags, search_text
from manifest.tags import is_tag
from manifest.tokens import tokens
from manifest.unicode14 import ASSIGNED, WORD, character_class
from manifest.units import cut

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

VECTORS = Path(manifest.__file__).with_name("vectors")

LOAD = """
const at = (name) => import(`/assets/client/search/${name}.js`);
const [tokens, text, plan, units, ranking, terms, common] = await Promise.all([
  ...["tokens", "search-text", "query-plan", "units", "ranking"], "unit-terms", "common-terms",
].map(at));
const asked = (question) => plan.queryTerms(question).map(plan.termKey);
"""

COMPUTED = {
    "tokens": {"tokens": "tokens.tokens(c.text)"},
    "search_text": {"text": "text.searchText(c.markdown)"},
    "tags": {"tags": "text.documentTags(c.meta, c.text)"},
    "query_terms": {"terms": "asked(c.question)"},
    "query_plan": {
        "plan": "plan.planTerms(c.terms.map((term) => ({ term, prefix: false })),"
        " new Map(Object.entries(c.hot))).map(({ term }) => term)"
    },
    "units": {"pieces": "units.cut(c.text, c.limit)"},
    "idf": {"idf": "ranking.idf(c.units, c.occurrences)"},
    "impact": {"impact": "terms.impact(c.frequency, c.length, c.pivot)"},
    "postings": {
        "postings": "ranking.readPostings(c.numbers, { end: 1e6, offset: 0 }).map((p) =>"
        " [ranking.ordinalOf(p), Math.floor(p / 16) % 2 ** 20, p % 16])"
    },
    "ranking": {
        "ranked": "ranking.rankDocuments(ranking.scoreUnits(c.matches.map(([idf, found]) => ({ idf,"
        " postings: found.map(([o, u, i]) => ranking.pack(o, u * 16 + i)) }))))"
        ".map(({ ordinal, unit, score }) => [ordinal, unit, score])"
    },
    "unit_terms": {
        "units": "terms.unitTerms(c.doc, terms.WEIGHTS).map(({ length, frequencies }) =>"
        " ({ length, frequencies: Object.fromEntries(frequencies) }))",
        "facts": "terms.documentTerms(c.doc)",
    },
}
"""For each file of vectors, what of a case `c` the client computes from the rest of it."""

OF_OTHERS = {"anchors", "anchor_sequence", "canonical", "pivot", "tree_digits"}
"""What only publishers and readers by id compute."""

Compute = Callable[[str, list[Any]], Any]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def bare_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The client's modules and an empty page, on loopback."""
    folder = tmp_path_factory.mktemp("bare")
    client = Path(__file__).parents[2] / "site" / "client"
    shutil.copytree(client, folder / "assets" / "client")
    (folder / "index.html").write_text("<!doctype html><title>Empty</title>", encoding="utf-8")
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest_asyncio.fixture(loop_scope="session")
async def bare_page(chromium: Browser, bare_site: str) -> AsyncIterator[Page]:
    """The empty page."""
    page = await chromium.new_page()
    await page.goto(bare_site)
    yield page
    await page.close()


@pytest_asyncio.fixture(loop_scope="session")
async def compute(bare_page: Page) -> Compute:
    """Computes an expression of `c` for each of some values, in the page."""

    async def computed(expression: str, values: list[Any]) -> Any:
        script = f"async (cases) => {{ {LOAD} return cases.map((c) => {expression}); }}"
        return await bare_page.evaluate(script, values)

    return computed


@pytest.mark.parametrize("name", sorted(COMPUTED))
async def test_the_vectors_hold_in_the_browser(compute: Compute, name: str) -> None:
    cases = json.loads((VECTORS / f"{name}.json").read_bytes())["cases"]
    for field, expression in COMPUTED[name].items():
        for case, found in zip(cases, await compute(expression, cases), strict=True):
            assert found == case[field], case


async def test_no_vectors_of_search_are_left_out() -> None:
    assert {path.stem for path in VECTORS.glob("*.json")} == {*COMPUTED, *OF_OTHERS}


async def test_the_tables_of_code_points_are_the_contracts(bare_page: Page) -> None:
    for name, ranges in (("ASSIGNED", ASSIGNED), ("WORD", WORD)):
        members = await bare_page.evaluate(
            "async (name) => (await import('/assets/client/search/unicode14.js'))[name]", name
        )
        written = [
            f"\\u{{{first:x}}}" + (f"-\\u{{{last:x}}}" if last > first else "")
            for first, last in ranges
        ]
        assert members == "".join(written)
        assert character_class(ranges)


async def test_every_code_point_gives_the_same_tokens(bare_page: Page) -> None:
    """Alone, before and behind a letter, thousands at a time. Planes in which
    nothing but private use is assigned are left out."""
    differing = []
    for first in [*range(0, 0x34000, 0x4000), 0xE0000]:
        last = first + 0x4000
        codes = [code for code in range(first, last) if not 0xD800 <= code <= 0xDFFF]
        text = "\n".join(f"{chr(code)} A{chr(code)}b" for code in codes)
        found = hashlib.sha256("\n".join(tokens(text)).encode()).hexdigest()
        if found != await bare_page.evaluate(CODE_POINTS, [first, last]):
            differing.append(f"{first:x}")
    assert differing == []


CODE_POINTS = (
    "async ([first, last]) => {"
    + LOAD
    + """
  const lines = [];
  for (let code = first; code < last; code += 1) {
    const character = String.fromCodePoint(code);
    if (code < 0xd800 || code > 0xdfff) lines.push(`${character} A${character}b`);
  }
  const bytes = new TextEncoder().encode(tokens.tokens(lines.join("\\n")).join("\\n"));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}"""
)


async def test_what_is_a_number_and_no_tag_is_told_alike(compute: Compute) -> None:
    letters = [chr(code) for first, last in WORD for code in range(first, last + 1)]
    numbers = [letter for letter in letters if not is_tag(letter)]
    others = [letter for letter in letters if is_tag(letter)][::97]
    found = await compute("text.documentTags([], `#${c}`).length", [*numbers, *others])
    assert found == [0] * len(numbers) + [1] * len(others)
    assert len(numbers) > 600


PIECES = [
    *"#`~[]()<>{}|!*_-+'\"&;:/\\.,\n\n \t",
    *["```", "~~~", "[[", "]]", "](", "<!--", "-->", "https://e.org/a", "{#id}", "&amp;", "#tag"],
    *["fooBar", "HTTPServer2", "snake_case", "C++", "C#", "don’t", "死锁", "锁", "かな", "ภาษา"],
    *["é", "e\u0301", "İ", "Σ", "ς", "ﬁ", "①", "²", "𠮷", "😀", "\u200b", "\u00a0", "\x85", "\x1c"],
    *["\ufeff", "\u2028", "\u2029", "\r", "\u0378", "的", "什么", "the"],
]


async def test_text_made_of_marks_is_read_alike(compute: Compute) -> None:
    rng = random.Random(14)
    texts = ["".join(rng.choices(PIECES, k=rng.randrange(1, 60))) for _ in range(1500)]
    asked = await compute("[text.searchText(c), tokens.tokens(c), asked(c)]", texts)
    read = await compute("[text.documentTags([], c), units.cut(c, 9)]", texts)
    for text, (bare, words, terms), (tags, pieces) in zip(texts, asked, read, strict=True):
        assert bare == search_text(text), repr(text)
        assert words == tokens(text), repr(text)
        wanted = [term.term + "*" * term.prefix for term in query_terms(text)]
        assert terms == wanted, repr(text)
        assert tags == document_tags([], text), repr(text)
        assert pieces == [list(span) for span in cut(text, 0, len(text), 9)], repr(text)


async def test_long_rows_of_combining_marks_come_in_order_and_soon(compute: Compute) -> None:
    marks = [
        chr(code)
        for first, last in WORD
        if last - first < 600
        for code in range(first, last + 1)
        if unicodedata.category(chr(code)).startswith("M")
    ]
    rng = random.Random(3)
    rows = ["a" + "".join(rng.choices(marks, k=200)) for _ in range(100)]
    rows.append("a" + "\u0301\u0323" * 100_000)
    found = await compute("tokens.tokens(c)", rows)
    assert found == [tokens(row) for row in rows]


async def test_the_slower_sha256_is_the_same(bare_page: Page) -> None:
    bodies = [bytes([n % 251]) * n for n in (0, 1, 55, 56, 63, 64, 65, 119, 1000)]
    found = await bare_page.evaluate(
        """async (bodies) => {
          const { sha256 } = await import("/assets/client/knowledge/sha256.js");
          return bodies.map((body) => sha256(Uint8Array.from(body)));
        }""",
        [list(body) for body in bodies],
    )
    assert found == [hashlib.sha256(body).hexdigest() for body in bodies]


async def test_without_the_browsers_own_sha256_objects_are_verified_all_the_same(
    bare_page: Page,
) -> None:
    said = await bare_page.evaluate(
        """async () => {
          const { verifiedObject } = await import("/assets/client/knowledge/verification.js");
          const { sha256 } = await import("/assets/client/knowledge/sha256.js");
          const bytes = new TextEncoder().encode('{"kind":"leaf"}');
          const right = { sha256: sha256(bytes), size: bytes.length };
          const wrong = { sha256: "0".repeat(64), size: bytes.length };
          const read = (reference) => verifiedObject(bytes.buffer, reference, "leaf", undefined);
          const found = await read(right);
          return [found.kind, await read(wrong).catch((error) => error.message)];
        }"""
    )
    assert said == ["leaf", "leaf: hash differs"]


def _part(rng: random.Random, first: int) -> TermPart:
    """A segment's part of a term, made whole first and then cut as a publisher would."""
    impacts = [rng.choice((1, 1, 2, 3, 5, 8, 9, 15)) for _ in range(rng.choice((20, 900, 5200)))]
    packed = [pack(first + number, impact) for number, impact in enumerate(impacts)]
    dropped = set(rng.sample(range(len(packed)), len(packed) // rng.choice((3, 9))))
    live = [posting for number, posting in enumerate(packed) if number not in dropped]
    least = next(i for i in range(1, 17) if sum(impact >= i for impact in impacts) <= 4096)
    if least == 1:
        return TermPart(live)
    rest = Continuation(
        sha256="0" * 64,
        size=1,
        count=len(packed),
        least=least,
        below=sum(impact == least - 1 for impact in impacts),
    )
    stays = [posting for posting in live if posting & 15 >= least]
    return TermPart(stays, rest, gone=len(dropped))


async def test_common_terms_are_cut_at_the_same_impact(compute: Compute) -> None:
    rng = random.Random(9)
    cases = [[_part(rng, 10_000 * n) for n in range(rng.randrange(1, 4))] for _ in range(40)]
    written = [
        [
            {
                "postings": part.postings,
                "gone": part.gone,
                **({"rest": part.rest.model_dump()} if part.rest else {}),
            }
            for part in parts
        ]
        for parts in cases
    ]
    found = await compute("common.leastImpact(c) ?? -1", written)
    wanted = [least_impact(parts) for parts in cases]
    assert found == [-1 if least is None else least for least in wanted]
    assert None in wanted
    assert len(set(wanted)) > 4


async def test_terms_are_ordered_by_code_points(bare_page: Page) -> None:
    words = ["a", "", "😀", "\uffff", "\ue000", "ab", "死", "\U0010ffff", "\ud7ff", "😁a"]
    found = await bare_page.evaluate(
        """async (words) => {
          const { byCodePoints } = await import("/assets/client/search/code-points.js");
          return words.toSorted(byCodePoints);
        }""",
        words,
    )
    assert found == sorted(words)
