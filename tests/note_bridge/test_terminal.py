"""What comes from notes and hosts does not speak to the terminal."""

from __future__ import annotations

import io

import pytest

from note_bridge.console import PlainConsole, visible


@pytest.mark.parametrize(
    "hostile",
    ["\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\u202egnp.exe", "\x00", "\r", "\u2066"],
)
def test_control_characters_are_written_out(hostile):
    out = io.StringIO()
    PlainConsole(file=out, force_terminal=True, color_system=None).print(f"a{hostile}b")
    shown = out.getvalue()
    assert not any(char in shown for char in hostile if not char.isprintable())
    assert "\\u" in shown


def test_ordinary_text_stays():
    text = "死锁 [bold]not markup[/bold]\tcell\nnext é"
    assert visible(text) == text
    out = io.StringIO()
    PlainConsole(file=out, soft_wrap=True).print(text)
    assert "[bold]not markup[/bold]" in out.getvalue()


def test_a_hostile_note_cannot_reach_the_terminal(run, notes, tmp_path):
    (notes / "esc.md").write_text(
        "# Zebra \x1b[31m\n\nA zebra \x1b]52;c;AAAA\x07 has stripes.\n", encoding="utf-8"
    )
    run("build", notes, "--out", tmp_path / "site")
    for command in (["search", "zebra"], ["read", "overview"], ["read", "doc", "esc"]):
        place = 1 if command[0] == "search" else 2
        arguments = [*command[:place], str(tmp_path / "site"), *command[place:]]
        done = run(*arguments)
        assert done.code == 0
        assert "\x1b" not in done.out + done.err
