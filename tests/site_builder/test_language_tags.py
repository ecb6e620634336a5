"""Language tags: RFC 5646's grammar, and what authors write instead."""

from __future__ import annotations

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.language_tags import language_tag, note_language, required_tag, suggested_tag
from site_builder.note import FindingKind


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("en", "en"),
        ("ZH-hans-cn", "zh-Hans-CN"),
        ("pt-BR", "pt-BR"),
        ("es-419", "es-419"),
        ("sr-latn", "sr-Latn"),
        ("zh-yue", "zh-yue"),
        ("yue", "yue"),
        ("de-CH-1901", "de-CH-1901"),
        ("sl-rozaj-biske", "sl-rozaj-biske"),
        ("en-US-u-ca-gregory", "en-US-u-ca-gregory"),
        ("en-x-mine", "en-x-mine"),
        (" fr ", "fr"),
    ],
)
def test_a_tag_is_kept_in_its_usual_letters(written: str, tag: str) -> None:
    assert language_tag(written) == tag
    assert language_tag(tag) == tag


@pytest.mark.parametrize(
    "written",
    [
        "",
        "english",
        "zh_CN",
        "cn",
        "jp",
        "xx",
        "e",
        "en-",
        "-en",
        "en--US",
        "en-US-",
        "中文",
        "en\nfr",
        "en fr",
        "en'><script>",
        "en-x",
        "en-a",
        "１２",
        "x" * 300,
    ],
)
def test_what_is_no_tag_is_refused(written: str) -> None:
    assert language_tag(written) == ""


@pytest.mark.parametrize(
    ("written", "meant"),
    [("zh_CN", "zh-CN"), ("english", "en"), ("Chinese", "zh"), ("jp", "ja"), ("qqqqq", "")],
)
def test_a_common_mistake_is_understood(written: str, meant: str) -> None:
    assert suggested_tag(written) == meant
    assert language_tag(meant) == meant


def test_a_setting_that_is_no_tag_is_an_error_that_says_what_to_write() -> None:
    assert required_tag("zh-cn", "--language") == "zh-CN"
    with pytest.raises(NoteBridgeError) as caught:
        required_tag("zh_CN", "--language")
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert "--language" in str(caught.value)
    assert "zh-CN" in (caught.value.hint or "")


def test_a_note_that_states_no_tag_is_told() -> None:
    assert note_language("a.md", "EN-us") == ("en-US", None)
    assert note_language("a.md", " ") == ("", None)
    tag, finding = note_language("a.md", "english")
    assert tag == ""
    assert finding is not None
    assert (finding.path, finding.kind) == ("a.md", FindingKind.LANGUAGE)
    assert "`en`" in finding.hint
