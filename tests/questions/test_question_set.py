"""The judged questions keep their shape, and point at notes that hold the quoted words."""

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import TypedDict, cast

import pytest

QUESTION_FILE = Path(__file__).with_name("note_zh.json")
LONGEST_QUOTE = 80  # characters


class Question(TypedDict):
    id: str
    language: str
    question: str
    answerable: bool
    docs: list[str]
    because: str


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    return cast("list[Question]", json.loads(QUESTION_FILE.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def note_folder() -> Path:
    data = os.environ.get("NOTE_BRIDGE_TEST_DATA")
    if not data:
        pytest.skip("NOTE_BRIDGE_TEST_DATA is not set: the notes cannot be read")
    folder = Path(data, "corpora", "note-zh", "doc")
    if not folder.is_dir():
        pytest.skip(f"no Chinese notes under NOTE_BRIDGE_TEST_DATA: {folder}")
    return folder


def test_the_set_has_the_agreed_counts(questions: list[Question]) -> None:
    counts = Counter((entry["language"], entry["answerable"]) for entry in questions)
    assert counts == {("zh", True): 30, ("en", True): 10, ("zh", False): 13, ("en", False): 7}


def test_every_entry_has_exactly_the_agreed_fields(questions: list[Question]) -> None:
    agreed = list(Question.__annotations__)
    assert [list(entry) for entry in questions] == [agreed] * len(questions)


def test_ids_number_the_questions_in_order(questions: list[Question]) -> None:
    expected = [f"a{number:02}" for number in range(1, len(questions) + 1)]
    assert [entry["id"] for entry in questions] == expected


def test_no_question_is_asked_twice(questions: list[Question]) -> None:
    texts = [entry["question"] for entry in questions]
    assert len(set(texts)) == len(texts)
    assert all(text.strip() == text != "" for text in texts)


def test_the_language_is_the_one_the_question_is_written_in(questions: list[Question]) -> None:
    for entry in questions:
        has_han = re.search(r"[\u4e00-\u9fff]", entry["question"]) is not None
        assert has_han == (entry["language"] == "zh"), entry["id"]


def test_only_answerable_questions_name_documents(questions: list[Question]) -> None:
    for entry in questions:
        assert bool(entry["docs"]) == entry["answerable"], entry["id"]
        assert len(set(entry["docs"])) == len(entry["docs"]), entry["id"]


def test_every_entry_gives_its_reason(questions: list[Question]) -> None:
    for entry in questions:
        assert entry["because"].strip(), entry["id"]
        if entry["answerable"]:
            assert len(entry["because"]) <= LONGEST_QUOTE, entry["id"]


def test_the_questions_reach_many_notes_and_every_folder(questions: list[Question]) -> None:
    best = {entry["docs"][0] for entry in questions if entry["docs"]}
    assert len(best) >= 30
    assert len({doc.split("/")[0] for doc in best}) == 14


def test_the_file_is_in_its_readable_canonical_form(questions: list[Question]) -> None:
    canonical = json.dumps(questions, ensure_ascii=False, indent=1) + "\n"
    assert QUESTION_FILE.read_bytes() == canonical.encode("utf-8")


def test_every_named_document_exists(questions: list[Question], note_folder: Path) -> None:
    named = {doc for entry in questions for doc in entry["docs"]}
    missing = sorted(doc for doc in named if not (note_folder / f"{doc}.md").is_file())
    assert missing == []


def test_the_quoted_words_stand_in_the_best_document(
    questions: list[Question], note_folder: Path
) -> None:
    unquoted = []
    for entry in questions:
        if entry["answerable"]:
            text = (note_folder / f"{entry['docs'][0]}.md").read_text(encoding="utf-8")
            if entry["because"] not in text:
                unquoted.append(entry["id"])
    assert unquoted == []
