"""The YAML block at the top of a note: values as typed, faults with their line, what withholds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.front_matter import (
    SIZE_LIMIT,
    aliases,
    read_front_matter,
    tags,
    text_value,
    withheld_reason,
)


def read(block: str):
    return read_front_matter(f"---\n{block}---\nbody\n")


@pytest.mark.parametrize(
    "typed",
    ["007", "2024-01-02", "yes", "1.0", "0x1F", "~", "null", "1e3", "12:30:45", "=", "true"],
)
def test_scalars_stay_as_typed(typed):
    assert read(f"key: {typed}\n").meta == {"key": typed}


def test_quotes_are_yaml_and_not_part_of_the_value():
    assert read("a: 'it''s'\nb: \"x\\ny\"\n").meta == {"a": "it's", "b": "x\ny"}


def test_lists_and_mappings_nest():
    meta = read("a: [x, 'y']\nb:\n- {k: v}\n- w\nc:\n").meta
    assert meta == {"a": ["x", "y"], "b": [{"k": "v"}, "w"], "c": ""}


def test_the_text_below_is_what_is_left():
    text = "---\na: b\n---\nbody\n"
    front = read_front_matter(text)
    assert text[front.length :] == "body\n"
    assert front.lines == 3


@pytest.mark.parametrize("closing", ["---", "...", "---  "])
def test_dashes_or_points_close_it(closing):
    front = read_front_matter(f"---\na: b\n{closing}\nbody")
    assert front.meta == {"a": "b"}


def test_only_the_very_top_counts():
    assert read_front_matter("\n---\na: b\n---\n").length == 0
    assert read_front_matter("text\n---\na: b\n---\n").length == 0


def test_empty_front_matter_is_taken_off():
    front = read_front_matter("---\n---\nbody")
    assert (front.meta, front.length, front.broken) == ({}, 8, False)


def test_prose_between_two_rules_is_text():
    front = read_front_matter("---\nJust a sentence.\n\n---\n# Title\n")
    assert (front.length, front.faults, front.broken) == (0, (), False)


def test_a_rule_at_the_top_is_text():
    front = read_front_matter("---\n\n# Title\n\ndraft: not front matter\n")
    assert (front.length, front.faults, front.broken) == (0, (), False)


def test_front_matter_never_closed_is_reported_and_may_withhold():
    front = read_front_matter("---\ntitle: x\ndraft: true\n\n# Title\n")
    assert front.broken
    assert withheld_reason(front)
    assert front.length == 0
    assert front.faults[0][0] == 1


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("tags: ['a', 'b'\n title: x\n", 2),
        ("tags:\n\t- a\n", 3),
        ("a: b\nc: 'open\n", 3),
        ("a: b\n- c\n", 2),
        ("a: b\nc: \x01\n", 3),
        ("a: 1\n? [x]\n: y\n", 3),
        ('a: "\\U00110000"\n', 2),
        ("a: *nothing\n", 2),
    ],
)
def test_a_fault_is_reported_as_a_line_of_the_file(block, line):
    front = read(block)
    assert front.broken
    assert front.meta == {}
    assert [fault[0] for fault in front.faults] == [line]
    assert f"---\n{block}---\nbody\n"[front.length :] == "body\n"


def test_a_repeated_key_is_reported_and_the_last_holds():
    front = read("a: 1\nb: 2\na: 3\n")
    assert front.meta == {"a": "3", "b": "2"}
    assert [fault[0] for fault in front.faults] == [4]


def test_aliases_are_written_out_within_bounds():
    assert read("a: &x [1, 2]\nb: *x\n").meta["b"] == ["1", "2"]
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
    )
    front = read(bomb)
    assert front.broken
    assert "values" in front.faults[0][1]


def test_depth_and_size_are_bounded():
    assert "deeper" in read(f"a: {'[' * 5000}\n").faults[0][1]
    assert "longer" in read(f"a: {'x' * SIZE_LIMIT}\n").faults[0][1]


def test_half_a_surrogate_pair_in_a_quoted_scalar_is_replaced():
    assert read('a: "\\ud800x"\n').meta == {"a": "\ufffdx"}


@pytest.mark.parametrize("value", ["true", "True", "YES", "on", "1", "'true'"])
def test_draft_values_withhold(value):
    assert withheld_reason(read(f"draft: {value}\n"))
    assert withheld_reason(read(f"Draft: {value}\n"))


@pytest.mark.parametrize("value", ["false", "No", "off", "0"])
def test_publish_values_withhold(value):
    assert withheld_reason(read(f"publish: {value}\n"))


@pytest.mark.parametrize(
    "line",
    [
        *(
            f"draft: {word}"
            for word in ("false", "No", "OFF", "0", "n", "F", "''", "null", "~", "")
        ),
        "exclude: no",
        "publish: true",
        "publish:",
        "published: 2024-01-02",
        "author: draft",
        "a: {draft: true}",
    ],
)
def test_other_values_publish(line):
    front = read(f"{line}\n")
    assert withheld_reason(front) == ""
    assert front.faults == ()


@pytest.mark.parametrize("value", ["true", "yes", "on", "1", "y", "T", "'%%x%%true'"])
@pytest.mark.parametrize("key", ["draft", "exclude"])
def test_a_plain_yes_withholds_without_a_finding(key, value):
    front = read(f"{key}: {value}\n")
    assert withheld_reason(front)
    assert front.faults == ()


@pytest.mark.parametrize(
    "line",
    [
        *(f"draft: {value}" for value in ("maybe", "[true]", "[]", "{a: b}", "tru\u200be", "ja")),
        "exclude: [a, b]",
        "dra\u200bft: tr\u00fce",
        "publish: [no]",
        "published: {}",
        "publish: fal\u200bse",
    ],
)
def test_a_value_in_doubt_withholds_with_a_finding(line):
    front = read(f"a: b\n{line}\n")
    assert withheld_reason(front)
    assert [fault[0] for fault in front.faults] == [3]


@pytest.mark.parametrize(
    "block",
    [
        "draft:true\n",
        "title: x\ndraft:true\n",
        "foo: [\n  draft: true\n",
        "{draft: true, a: [}\n",
        "[a, {'draft': true\n",
        "draft\uff1atrue\n",
        "d\u200braft:true\n",
        "draft: true\ndraft: false\n",
        "draft: false\ndraft: true\n",
        "publish: false\npublish: true\n",
    ],
)
def test_a_draft_mistyped_or_repeated_withholds_with_a_finding(block):
    front = read(block)
    assert withheld_reason(front)
    assert front.faults


def test_a_draft_that_a_merge_key_brings_withholds():
    assert withheld_reason(read("x: &x {draft: true}\n<<: *x\n"))
    assert withheld_reason(read("<<: [{a: b}, {draft: true}]\n"))


def test_a_draft_without_a_space_in_a_block_never_closed_withholds():
    assert withheld_reason(read_front_matter("---\ndraft:true\n\n# Title\n"))


def test_comments_in_values_go():
    meta = read("title: A %%x%%B\nlist: ['%%y%%', {k: '%%z\n  z%%c'}]\nrate: 50%%\n").meta
    assert meta == {"title": "A B", "list": ["", {"k": "c"}], "rate": "50%%"}


@pytest.mark.parametrize("word", ["draft", "publish", "exclude", "Draft"])
def test_broken_front_matter_withholds_only_where_a_line_begins_with_the_word(word):
    assert withheld_reason(read(f"x: ['\n{word}: true\n"))
    assert withheld_reason(read(f"x: ['\nmy {word}: true\n")) == ""
    assert withheld_reason(read(f"x: ['\n{word}ed it\n")) == ""


def test_a_second_yaml_document_does_not_hide_a_draft():
    front = read("draft: true\n--- {x: y}\n")
    assert front.broken
    assert withheld_reason(front)


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        ("tags: a, b\n", ("a", "b")),
        ("tags: ['#a', b, a]\n", ("a", "b")),
        ("tag: one\n", ("one",)),
        ("tags:\n", ()),
        ("tags: {a: b}\n", ()),
    ],
)
def test_tags_are_a_list_however_written(block, wanted):
    assert tags(read(block).meta) == wanted


def test_aliases_are_a_list_however_written():
    assert aliases(read("aliases: [Home, 入口]\n").meta) == ("Home", "入口")
    assert aliases(read("alias: Home\n").meta) == ("Home",)


def test_text_value_takes_strings_only():
    meta = read("a: ' x '\nb: [y]\n").meta
    assert (text_value(meta, "a"), text_value(meta, "b"), text_value(meta, "c")) == ("x", "", "")


YAML_BITS = st.sampled_from(list("---:[]{}&*!|>'\"%@`,?# \n\t\\axuUd08.é漢\x85\u2028\x01~<")) | (
    st.sampled_from(["a: b\n", "- c\n", "&x ", "*x", "<<: *x\n", "...\n", "? ", "draft: true\n"])
)


@given(st.lists(YAML_BITS, max_size=40).map("".join))
def test_any_block_is_read_or_reported(block):
    text = f"---\n{block}\n---\nbody\n"
    front = read_front_matter(text)
    assert 0 <= front.length <= len(text)
    if front.broken:
        assert front.faults
        assert all(1 <= line <= text.count("\n") + 1 for line, _ in front.faults)


KEYS = st.text(alphabet="abcdefgh", min_size=1, max_size=6)
VALUES = st.text(alphabet="abc 019.'\"#:漢-", max_size=12)


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_quoted_values_come_back_as_they_were(values):
    lines = "".join(
        f"{key}: '{value.replace(chr(39), chr(39) * 2)}'\n" for key, value in values.items()
    )
    assert read(lines).meta == values
