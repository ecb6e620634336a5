"""Passages fall into statements that can stand as answers, each where it truly is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models.statements import Kind, readable, statements

NOTE = """\
## Locks

A lock guards data. It is taken before, and freed after! Version 3.12 works too.

Two kinds exist:

1. **Shared** locks
   may be held by many
2. Exclusive ones
   - nested detail

| Kind | Holders |
| ---- | :-----: |
| shared | many |
| exclusive | one |

> Hold them briefly.

```python
lock.acquire()
```

- [Elsewhere](/other.md) says more
"""


def kinds(text: str) -> list[tuple[Kind, str]]:
    return [(each.kind, each.plain) for each in statements(text)]


def test_sentences_items_rows_and_quotations_are_statements() -> None:
    assert kinds(NOTE) == [
        (Kind.SENTENCE, "A lock guards data."),
        (Kind.SENTENCE, "It is taken before, and freed after!"),
        (Kind.SENTENCE, "Version 3.12 works too."),
        (Kind.SENTENCE, "Two kinds exist:"),
        (Kind.ITEM, "Shared locks may be held by many"),
        (Kind.ITEM, "Exclusive ones"),
        (Kind.ITEM, "nested detail"),
        (Kind.ROW, "shared many"),
        (Kind.ROW, "exclusive one"),
        (Kind.SENTENCE, "Hold them briefly."),
        (Kind.CODE, "lock.acquire()"),
        (Kind.LINK, "Elsewhere says more"),
    ]


def test_what_leads_to_a_list_or_table_is_known() -> None:
    by_text = {each.plain: each for each in statements(NOTE)}
    item = by_text["Exclusive ones"]
    assert item.lead == "Two kinds exist:"
    assert NOTE[item.lead_start :].startswith("Two kinds exist:")
    row = by_text["shared many"]
    assert row.lead == "Kind Holders"
    assert row.cells == ("shared", "many")
    assert row.heading == "Locks"
    assert by_text["nested detail"].depth > item.depth


def test_chinese_sentences_end_at_their_own_marks() -> None:
    assert kinds("死锁（Deadlock）不可逃逸。为什么？因为互相等待！") == [
        (Kind.SENTENCE, "死锁（Deadlock）不可逃逸。"),
        (Kind.SENTENCE, "为什么？"),
        (Kind.SENTENCE, "因为互相等待！"),
    ]


def test_a_list_goes_on_over_blank_lines() -> None:
    groups = {each.group for each in statements("* one\n\n* two\n\n  more of two\n\n* three\n")}
    assert len(groups) == 1


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**bold** and *soft* `code`", "bold and soft code"),
        ('[label](https://x.example/a_(b) "t") [[note|shown]]', "label shown"),
        ("snake_case stays, _soft_ goes", "snake_case stays, soft goes"),
        ("a <br> b <!-- no --> c", "a b c"),
        ("| a | **b** |", "a b"),
        ("![alt](x.png) words[^1]", "words"),
    ],
)
def test_markup_goes_and_words_stay(markdown: str, text: str) -> None:
    assert readable(markdown) == text


_LINES = [
    *(
        "# 标题\n",
        "句子。还有一句？",
        "word. Another one\n",
        "\n",
        "> quote\n",
        "引出：\n",
        "---\n",
    ),
    *("- item\n", "  - nested\n", "  more\n", "1. one\n", "* \n", "| a | b |\n", "| - | - |\n"),
    *("```\n", "code\n", "||\n"),
]
_MARKDOWN = st.lists(st.sampled_from(_LINES), max_size=20).map("".join)


@given(_MARKDOWN)
def test_statements_are_slices_in_order_that_do_not_overlap(text: str) -> None:
    position = 0
    for each in statements(text):
        assert position <= each.start < each.end <= len(text)
        position = each.end
        if each.kind is not Kind.CODE:
            assert text[each.start : each.end] == text[each.start : each.end].strip()
        assert -1 <= each.lead_start < each.start


@given(st.text(max_size=300))
def test_any_text_can_be_taken_apart(text: str) -> None:
    for each in statements(text):
        assert 0 <= each.start <= each.end <= len(text)
