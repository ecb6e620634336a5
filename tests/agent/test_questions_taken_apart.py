"""A question says what it insists on and what kind of answer it wants; texts are held to both."""

from __future__ import annotations

import pytest

from agent.models.question import Wanted, analyse
from agent.models.reading import ReadPassage
from agent.models.sections import sections_of, words_of
from agent.models.terms import TermKind, question_terms
from agent.models.wanted import counts, holds, qualified, tells_apart


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("番茄是谁带到欧洲的", Wanted.PERSON),
        ("Who invented the compost bin?", Wanted.PERSON),
        ("番茄是哪一年传来的", Wanted.TIME),
        ("When was the greenhouse built?", Wanted.TIME),
        ("番茄要浇多少毫升水", Wanted.QUANTITY),
        ("How many seeds does a bed hold?", Wanted.QUANTITY),
        ("温室用的是哪个版本的固件", Wanted.VERSION),
        ("重启温室用哪条命令", Wanted.IDENTIFIER),
        ("What does the acronym NPK stand for?", Wanted.EXPANSION),
        ("番茄和辣椒有什么区别", Wanted.DIFFERENCE),
        ("Is clay better than sand?", Wanted.DIFFERENCE),
        ("为什么番茄会裂", Wanted.REASON),
        ("番茄有哪些品种", Wanted.LIST),
        ("怎么嫁接番茄", Wanted.METHOD),
        ("什么是堆肥", Wanted.DEFINITION),
        ("番茄", Wanted.OTHER),
    ],
)
def test_the_kind_of_answer_is_read_off_the_question(question: str, wanted: Wanted) -> None:
    assert analyse(question).wanted is wanted


def test_latin_words_in_a_chinese_question_are_names() -> None:
    assert analyse("NPK 肥料里的 potash 是什么").names == {"npk", "potash"}


def test_only_words_written_like_names_are_names_in_an_english_question() -> None:
    assert analyse("What does the Bokashi bucket in v2 of GrowBox do?").names == {
        "bokashi",
        "v2",
        "growbox",
    }


def test_what_an_english_question_compares_is_named_by_it() -> None:
    assert set(analyse("What is the difference between clay and sand?").sides) == {"clay", "sand"}


def test_figures_and_counts_are_known() -> None:
    question = analyse("2024 年种下的番茄有哪四个品种")
    assert question.numbers == {"2024"}
    assert question.count == 4
    assert analyse("Which three tools do I need?").count == 3


@pytest.mark.parametrize(
    ("question", "text", "held"),
    [
        ("番茄要浇多少毫升水", "每株浇很多水", False),
        ("番茄要浇多少毫升水", "每株浇 300 毫升水", True),
        ("等多少天才能收", "要等 60 毫秒", False),
        ("等多少天才能收", "要等六十天", True),
        ("1999 年的番茄是哪一年引进的", "1999 年引进的番茄", False),
        ("番茄是哪一年传来的", "它在 1893 年传来", True),
        ("番茄是谁提出的", "番茄是一种植物", False),
        ("番茄分类是谁提出的", "由林奈提出", True),
        ("重启用哪条命令", "重启之后就好了", False),
        ("重启用哪条命令", "运行 grow-box restart_all 即可", True),
        ("What does NPK stand for?", "NPK feeds plants", False),
        ("What does NPK stand for?", "nitrogen, phosphorus and potassium (K): no P K", True),
        ("番茄为什么红", "随便什么", True),
    ],
)
def test_a_text_must_hold_what_was_asked_for(question: str, text: str, held: bool) -> None:
    assert holds(analyse(question), text) is held


def test_a_default_is_asked_for_by_name() -> None:
    question = analyse("阈值默认是多少")
    assert not qualified(question, "阈值设成 5")
    assert qualified(question, "阈值默认为 5")


def test_as_many_things_must_be_there_as_were_asked_for() -> None:
    question = analyse("番茄有哪三个品种")
    assert counts(question, 3, "")
    assert counts(question, 0, "共有红果、黄果、黑果三个")
    assert not counts(question, 4, "红果、黄果")


@pytest.mark.parametrize(
    ("members", "lead", "apart"),
    [
        (["Clay、Sand、Loam"], "", False),
        (["Clay holds water for weeks", "Sand lets it through"], "", True),
        (["depth", "price"], "Soil Clay Sand", True),
        (["Clay 比 Sand 更能保水"], "", True),
        (["使用 Clay / Sand"], "", False),
    ],
)
def test_naming_two_things_together_does_not_tell_them_apart(
    members: list[str], lead: str, apart: bool
) -> None:
    assert tells_apart(analyse("Clay 和 Sand 有什么区别"), members, lead) is apart


def terms(question: str, *texts: str) -> dict[str, TermKind]:
    passages = [ReadPassage(n, "d", str(n), ("题",), text) for n, text in enumerate(texts)]
    found = question_terms(analyse(question), sections_of(passages))
    return {term.text: term.kind for term in found}


def test_the_passages_are_the_lexicon_of_a_chinese_question() -> None:
    found = terms("请问温室番茄到底怎么授粉", "温室番茄要人工授粉。", "授粉在上午。")
    assert found == {"温室番茄": TermKind.WORD, "授粉": TermKind.WORD}


def test_a_notion_that_occurs_nowhere_is_missing() -> None:
    assert terms("番茄的灰霉病怎么治", "番茄要浇水。", "治虫要早。")["灰霉病"] is TermKind.MISSING


def test_rarer_terms_weigh_more() -> None:
    passages = [
        ReadPassage(n, "d", str(n), ("题",), text)
        for n, text in enumerate(["番茄怕冻。", "番茄要水。", "番茄嫁接在砧木上。"])
    ]
    terms_ = question_terms(analyse("嫁接番茄"), sections_of(passages))
    weights = {term.text: term.weight for term in terms_}
    assert weights["嫁接"] > weights["番茄"]


def test_words_match_by_their_stem_and_scripts_without_spaces_by_substring() -> None:
    words = words_of("Pruned roses 温室番茄", "heading")
    assert words.has("pruning")
    assert words.has("rose")
    assert words.has("番茄")
    assert not words.has("运番")
