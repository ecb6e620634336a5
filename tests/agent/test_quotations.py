"""A quotation is found where it stands, however a model has smoothed it, and only there."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent.quotations import find_quotation, fold_characters, is_long_enough
from manifest.units import PASSAGE_LIMIT, cut

PASSAGE = """\
## 1.2 死锁的四个必要条件

死锁产生要求 **全部成立**，见 [安全状态](/os/安全.md "标题") 与 `wait-for` 图：

| 条件     | 含义         |
| :------- | -----------: |
| **互斥** | 资源不可共享 |
| 占有并等待 | 持有部分资源继续请求 |

1. 找到一个需求 ≤ A 的进程
2. 假设其结束并释放资源

> “不是规则”，而是图结构的**特征**&nbsp;—— see ![图](a.png) <b>Deadlock</b>[^1]
"""


def found(quotation: str, text: str = PASSAGE) -> str | None:
    place = find_quotation(quotation, text)
    return None if place is None else text[place.start : place.end]


@pytest.mark.parametrize(
    ("quotation", "stored"),
    [
        ("持有部分资源继续请求", "持有部分资源继续请求"),
        ("死锁产生要求全部成立", "死锁产生要求 **全部成立"),
        ("死锁产生要求 全部成立，见 安全状态 与 wait-for 图", None),
        ("互斥 资源不可共享 占有并等待", None),
        ("资源不可共享 占有并等待 持有部分资源继续请求", None),
        ("找到一个需求 ≤ A 的进程\n假设其结束并释放资源", None),
        ("1. 找到一个需求 ≤ A 的进程\n2. 假设其结束并释放资源", None),
        ('"不是规则"，而是图结构的特征', "“不是规则”，而是图结构的**特征"),
        ("「不是规则」,而是图结构的特征", "“不是规则”，而是图结构的**特征"),
        ("特征 —— see Deadlock", None),
        ("持有部分资源继续请求。", "持有部分资源继续请求"),
    ],
)
def test_what_a_reader_of_the_page_sees_is_found(quotation: str, stored: str | None) -> None:
    slice_ = found(quotation)
    assert slice_ is not None
    if stored is not None:
        assert slice_ == stored


@pytest.mark.parametrize(
    "quotation",
    [
        "持有全部资源继续请求",
        "资源可以共享",
        "死锁产生要求部分成立",
        "持有部分资源……继续请求",
        "deadlock 特征",
        "",
        "。。。",
    ],
)
def test_changed_words_are_not_found(quotation: str) -> None:
    assert found(quotation) is None


def test_letter_case_and_digits_must_agree() -> None:
    assert found("Version 3.12 is fast", "Version 3.12 is fast") is not None
    assert found("version 3.12 is fast", "Version 3.12 is fast") is None
    assert found("Version 3.13 is fast", "Version 3.12 is fast") is None


def test_full_width_and_half_width_are_one() -> None:
    assert found("ABC123（甲）", "前文 ＡＢＣ１２３(甲) 后文") == "ＡＢＣ１２３(甲)"


@pytest.mark.parametrize(
    ("quotation", "enough"),
    [
        ("资源不可共享", False),
        ("资源不可共享问题", True),
        ("one two three", False),
        ("one two three four", True),
        ("资源不可 one two", True),
        ("资源不可 one", False),
        ("！！！——……、、", False),
    ],
)
def test_eight_characters_or_four_words_make_a_quotation(quotation: str, enough: bool) -> None:
    assert is_long_enough(quotation) is enough


@given(
    start=st.integers(0, len(PASSAGE) - 1),
    length=st.integers(1, 120),
    seed=st.integers(0, 2**32),
)
def test_any_slice_with_strewn_marks_is_found_at_its_true_offsets(
    start: int, length: int, seed: int
) -> None:
    slice_ = PASSAGE[start : start + length]
    strewn = _strewn(slice_, seed)
    folded = fold_characters(slice_).text
    place = find_quotation(strewn, PASSAGE)
    if not folded.strip("。．.，,；;：:！!？?…、"):
        return  # nothing but marks and final punctuation is no quotation
    assert place is not None
    if fold_characters(PASSAGE).text.count(folded.strip("。．.，,；;：:！!？?…、")) == 1:
        assert start <= place.start < place.end <= start + length
        kept = fold_characters(PASSAGE[place.start : place.end]).text
        assert kept.strip("。．.，,；;：:！!？?…、") in folded


def _strewn(text: str, seed: int) -> str:
    """White space and inline marks between the characters; none is lost."""
    dice = random.Random(seed)
    pieces: list[str] = []
    for character in text:
        if dice.random() < 0.3:
            pieces.append(
                dice.choice([" ", "\n", "  ", "**", "*", "_", "`", "~~", "\u200b", "\u3000"])
            )
        pieces.append(character)
    return "".join(pieces)


_WORDS = st.text(alphabet="资源进程等待环路 abcde", min_size=12, max_size=40)


@given(before=_WORDS, inside=_WORDS, after=_WORDS)
def test_offsets_are_code_points_of_the_text_searched(before: str, inside: str, after: str) -> None:
    marked = f"{before}😀**{inside}**😀{after}"
    place = find_quotation(f"😀{inside}😀", marked)
    assert place is not None
    assert marked[place.start] == "😀"
    assert marked[place.end - 1] == "😀"


@given(st.text(max_size=300), st.text(max_size=60))
def test_no_text_makes_the_search_fail(text: str, quotation: str) -> None:
    place = find_quotation(quotation, text)
    if place is not None:
        assert 0 <= place.start < place.end <= len(text)


HONEST = 0.99
"""The share of honest quotations that must be found."""


def test_honest_quotations_of_real_notes_are_found(note_zh: Path) -> None:
    """What a model would copy from the rendered page, lines joined or not."""
    dice = random.Random(11)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    asked = known = 0
    for path in sorted(note_zh.rglob("*.md")):
        text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.S)
        spans = cut(text, 0, len(text), PASSAGE_LIMIT)
        for span in dice.sample(spans, min(3, len(spans))):
            passage = text[span.start : span.end]
            rendered = _rendered(parser.parse(passage))
            if len(rendered) < 30:
                continue
            length = dice.randint(12, 120)
            start = dice.randrange(max(1, len(rendered) - length))
            quotation = rendered[start : start + length]
            if dice.random() < 0.5:
                quotation = " ".join(quotation.split())
            if is_long_enough(quotation):
                asked += 1
                known += find_quotation(quotation, passage) is not None
    print(f"honest quotations found: {known} of {asked}")
    assert asked > 500
    assert known / asked > HONEST


def _rendered(tokens: list[Token]) -> str:
    lines: list[str] = []
    for token in tokens:
        if token.type == "inline":
            lines.append(
                "".join(
                    "\n" if child.type in ("softbreak", "hardbreak") else child.content
                    for child in token.children or ()
                    if child.type in ("text", "code_inline", "softbreak", "hardbreak")
                )
            )
        elif token.type in ("fence", "code_block"):
            lines.append(token.content)
    return "\n".join(lines)
