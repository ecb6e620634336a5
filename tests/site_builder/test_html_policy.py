"""What an author may allow of raw HTML on his own site."""

from __future__ import annotations

import pickle

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.dialect import compile_note
from site_builder.dialect.options import DialectOptions
from site_builder.html_policy import STRICT, RawHtmlPolicy
from site_builder.source import read_source


def page(text: str, **options: object) -> str:
    policy = RawHtmlPolicy.of(options)
    return compile_note(read_source("a.md", text.encode()), DialectOptions(html=policy)).html


def test_a_policy_is_a_value():
    policy = RawHtmlPolicy.of({"tags": ["button"], "attributes": {"*": ["data-x"]}})
    assert pickle.loads(pickle.dumps(policy)) == policy
    assert RawHtmlPolicy.of({}) == STRICT
    assert hash(policy) != hash(STRICT)


def test_more_tags_and_attributes():
    html = page('<button data-x="1" style="color:red" onclick="x">a</button>\n', tags=["button"],
                attributes={"*": ["data-x"], "button": ["style"]})  # fmt: skip
    assert '<button data-x="1" style="color:red">a</button>' in html
    assert "<button" not in page("<button>a</button>\n")


@pytest.mark.parametrize(
    "options",
    [
        {"tags": ["script"]}, {"tags": ["iframe"]}, {"tags": ["a b"]}, {"tags": "button"},
        {"attributes": {"a": ["onclick"]}}, {"attributes": {"img": ["srcset"]}},
        {"attributes": {"svg": ["style"]}}, {"attributes": ["style"]}, {"frames": ["https://a.org"]},
        {"frames": ["localhost"]}, {"unsafe": "yes"}, {"other": 1},
    ],
)  # fmt: skip
def test_what_acts_is_refused_when_it_is_configured(options):
    with pytest.raises(NoteBridgeError) as error:
        RawHtmlPolicy.of(options)
    assert error.value.code is ErrorCode.INVALID_ARGUMENT


FRAME = '<iframe src="https://www.example.org/embed/1" title="Talk" onload=x></iframe>'


def test_frames_of_named_hosts_in_a_sandbox():
    html = page(FRAME, frames=["www.example.org"])
    assert '<iframe src="https://www.example.org/embed/1"' in html
    assert 'title="Talk"' in html
    assert "sandbox=" in html
    assert "onload" not in html
    assert "<iframe" not in page(FRAME)


@pytest.mark.parametrize(
    "src",
    [
        "http://www.example.org/x", "//www.example.org/x", "https://www.example.org.evil.net/x",
        "https://www.example.org@evil.net/x", "https://evil.net/www.example.org",
        "https://www.example.org:8443/x", "javascript:alert(1)", "https://[", "data:text/html,x",
    ],
)  # fmt: skip
def test_frames_of_other_hosts_are_left_out(src):
    html = page(f'<iframe src="{src}"></iframe>\n\nafter', frames=["www.example.org"])
    assert "<iframe" not in html
    assert "<p>after</p>" in html


def test_frames_come_through_the_whole_pages_check():
    html = page(f"<div>{FRAME}</div>\n\n<b>x", frames=["www.example.org"])
    assert "sandbox=" in html
    assert html.rstrip().endswith("</b>") or "</b></p>" in html


def test_unsafe_publishes_what_was_typed():
    html = page(
        '<script>\nlet a = 1 && 2;\n\nx()\n</script>\n\n<p style="a:b" onclick="y()">t</p>\n',
        unsafe=True,
    )
    assert "<script>\nlet a = 1 && 2;\n\nx()\n</script>" in html
    assert '<p style="a:b" onclick="y()">t</p>' in html


def test_unsafe_tags_are_closed_all_the_same():
    assert page("<div>\n\ntext\n", unsafe=True).count("</div>") == 1
    assert page("<script>x\n", unsafe=True).count("</script>") == 1
