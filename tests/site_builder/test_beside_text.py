"""Escaping, dates, parts of long lists and addresses."""

from __future__ import annotations

import json
import random
import re
from datetime import UTC, datetime
from html import unescape
from xml.etree import ElementTree

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from site_builder.beside import escaping
from site_builder.beside.addresses import markdown_url, page_file, twin_url
from site_builder.beside.dates import last_change, note_date
from site_builder.beside.parts import PART_LIMIT, RUN_MOST, Part, by_prefix, runs

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)


@given(ANY_TEXT)
def test_xml_text_parses_to_what_xml_can_hold(text: str) -> None:
    element = ElementTree.fromstring(f'<a b="{escaping.xml(text)}">{escaping.xml(text)}</a>')
    kept = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)
    assert (element.text or "") == kept.replace("\r\n", "\n").replace("\r", "\n")


@given(ANY_TEXT)
def test_a_yaml_scalar_is_read_back_as_the_same_string(text: str) -> None:
    written = escaping.yaml(text)
    assert "\n" not in written
    read = pyyaml.safe_load(f"key: {written}\n")["key"]
    assert read == re.sub("[\ud800-\udfff\ufffe\uffff]", "\ufffd", text)


@given(ANY_TEXT)
def test_json_in_a_script_element_cannot_end_it(text: str) -> None:
    written = escaping.script_json({"a": text})
    assert not set("<>&\u2028\u2029") & set(written)
    assert json.loads(written)["a"] == re.sub("[\ud800-\udfff]", "\ufffd", text)


def test_one_line_folds_space_and_drops_what_turns_or_controls() -> None:
    assert escaping.one_line(" a\n\u202eb\x00\t\u2066c ") == "a b c"
    assert escaping.one_line("שלום \u200fעולם") == "שלום \u200fעולם"
    assert escaping.one_line("abcdef", 4) == "abc…"


def test_a_markdown_label_holds_no_square_bracket_and_no_markup() -> None:
    label = escaping.markdown_label("a [b](c) `d` <e> *f* & \\g")
    assert label == r"a (b)(c) \`d\` \<e> \*f\* \& \\g"


def test_a_markdown_address_ends_nowhere_early() -> None:
    assert markdown_url("a(b)%20'c'") == "a%28b%29%20%27c%27"


@pytest.mark.parametrize(
    ("url", "file", "twin"),
    [
        ("", "index.html", "index.md"),
        ("os/锁/", "os/锁/index.html", "os/锁/index.md"),
        ("os/lock.html", "os/lock.html", "os/lock.md"),
    ],
)
def test_a_page_and_its_twin_stand_side_by_side(url: str, file: str, twin: str) -> None:
    assert (page_file(url), twin_url(url)) == (file, twin)


@pytest.mark.parametrize(
    ("written", "w3c", "rfc3339"),
    [
        ("2024-01-02", "2024-01-02", "2024-01-02T00:00:00Z"),
        ("2024/1/2", "2024-01-02", "2024-01-02T00:00:00Z"),
        ("2024.01.02", "2024-01-02", "2024-01-02T00:00:00Z"),
        ("2024年1月2日", "2024-01-02", "2024-01-02T00:00:00Z"),
        (" 2024-01-02 03:04 ", "2024-01-02T03:04:00Z", "2024-01-02T03:04:00Z"),
        ("2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"),
        (
            "2024-01-02T03:04:05+0800",
            "2024-01-02T03:04:05+08:00",
            "2024-01-02T03:04:05+08:00",
        ),
    ],
)
def test_a_date_is_read_as_it_is_usually_written(written: str, w3c: str, rfc3339: str) -> None:
    date = note_date(written)
    assert date is not None
    assert (date.w3c(), date.rfc3339()) == (w3c, rfc3339)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "soon",
        "03/04/2024",
        "2024-02-30",
        "2024-13-01",
        "0000-01-01",
        "9999-12-31T23:00-01:00",
        "2024-01-02T25:00",
        "2024-01-02T10:00+99:99",
        "２０２４-01-02",
        "2024-01-02 and more",
    ],
)
def test_what_is_no_date_or_could_be_two_is_none(written: str) -> None:
    assert note_date(written) is None


def test_dates_of_different_zones_compare_as_moments() -> None:
    east, west = note_date("2024-01-02T08:00+08:00"), note_date("2024-01-01T23:00-02:00")
    assert east is not None
    assert west is not None
    assert east < west
    assert east.at == datetime(2024, 1, 2, tzinfo=UTC)


def test_the_update_counts_before_the_date_where_it_is_one() -> None:
    assert last_change("2024-01-01", "2024-02-01") == note_date("2024-02-01")
    assert last_change("2024-01-01", "lately") == note_date("2024-01-01")
    assert last_change("", "") is None


def names(count: int, seed: int = 1) -> list[str]:
    chance = random.Random(seed)
    return sorted(f"note-{chance.random():.12f}" for _ in range(count))


def test_a_short_list_is_one_part_without_a_name() -> None:
    parts: list[Part[str]] = list(by_prefix(names(PART_LIMIT), str))
    assert [(part.name, len(part.items)) for part in parts] == [("", PART_LIMIT)]
    empty: list[str] = []
    assert [part.items for part in by_prefix(empty, str)] == [()]


@pytest.mark.parametrize("cut", [by_prefix, runs])
def test_one_more_item_changes_few_parts(cut: object) -> None:
    assert callable(cut)
    before = names(3000)
    for extra in ("note-0", "note-0.5", "note-9"):
        old = {part.name: part.items for part in cut(before, str)}
        new = {part.name: part.items for part in cut(sorted([*before, extra]), str)}
        assert len(old) > 10
        changed = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
        assert len(changed) <= 4


@pytest.mark.parametrize("cut", [by_prefix, runs])
def test_parts_hold_every_item_once_and_none_too_many(cut: object) -> None:
    assert callable(cut)
    items = names(2000)
    parts = list(cut(items, str))
    assert sorted(item for part in parts for item in part.items) == items
    assert len({part.name for part in parts}) == len(parts)
    assert max(len(part.items) for part in parts) <= max(PART_LIMIT, RUN_MOST)


def test_runs_keep_the_order_of_the_list() -> None:
    items = names(500)
    assert [item for part in runs(items, str) for item in part.items] == items


def test_xml_closes_nothing_that_a_title_opens() -> None:
    hostile = "]]></title><script>alert('x')</script>\"&amp;"
    assert "<" not in escaping.xml(hostile)
    assert "]]>" not in escaping.xml(hostile)
    assert unescape(escaping.xml(hostile)) == hostile
