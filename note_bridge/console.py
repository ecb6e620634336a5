"""What the command line says: results on stdout, everything else on stderr.

With `--json` stdout holds one JSON document and nothing else. Exit codes: 0 done, 1 the answer is
no, 2 wrong use, 3 could not.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from manifest.errors import ErrorCode, NoteBridgeError


class Exit(IntEnum):
    """What the command's exit code says."""

    DONE = 0
    NO = 1
    WRONG_USE = 2
    COULD_NOT = 3


_WRONG_USE = frozenset({ErrorCode.INVALID_ARGUMENT})
_ANSWER_IS_NO = frozenset(
    {
        ErrorCode.DOC_NOT_FOUND,
        ErrorCode.SECTION_NOT_FOUND,
        ErrorCode.EVIDENCE_NOT_FOUND,
        ErrorCode.SESSION_NOT_FOUND,
        ErrorCode.RUN_NOT_FOUND,
    }
)


def exit_code(error: NoteBridgeError) -> Exit:
    """The exit code that an error leaves with."""
    if error.code in _WRONG_USE:
        return Exit.WRONG_USE
    return Exit.NO if error.code in _ANSWER_IS_NO else Exit.COULD_NOT


ProgressCallback = Callable[[str, int, int], None]


_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, marks that reorder text, and lone surrogates: what comes from notes and
hosts must not speak to the terminal."""


class PlainConsole(Console):
    """A console that shows text as text: no markup, no highlighting, no control characters."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Prints texts."""
        shown = [visible(each) if isinstance(each, str) else each for each in objects]
        super().print(*shown, **{"markup": False, "highlight": False, **options})


def visible(text: str) -> str:
    """The text with every control character written out."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


@dataclass(frozen=True, slots=True)
class Output:
    """Where results and remarks go. as_json: whether stdout is for a program."""

    as_json: bool
    out: Console
    err: Console

    def result(self, document: dict[str, Any], show: Callable[[Console], None]) -> None:
        """Prints a result: the document for a program, `show` for a person."""
        if self.as_json:
            sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")
        else:
            show(self.out)

    def remark(self, text: str) -> None:
        """Says something by the way."""
        self.err.print(text, style="dim", markup=False, highlight=False)

    def warning(self, text: str) -> None:
        """Says something that should be looked at."""
        self.err.print(f"warning: {text}", style="yellow", markup=False, highlight=False)

    @contextmanager
    def progress(self, title: str) -> Iterator[ProgressCallback]:
        """A bar on stderr while something long goes on; nothing where nobody looks at it."""
        if not self.err.is_terminal:
            yield lambda _what, _done, _of: None
            return
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self.err,
            transient=True,
        ) as bar:
            task = bar.add_task(title, total=None)

            def advance(what: str, done: int, of: int) -> None:
                bar.update(task, description=what, completed=done, total=of or None)

            yield advance


def output(*, as_json: bool) -> Output:
    """The output of one command."""
    return Output(
        as_json=as_json,
        out=PlainConsole(soft_wrap=True),
        err=PlainConsole(stderr=True, soft_wrap=True),
    )


def report_error(error: NoteBridgeError, *, as_json: bool) -> None:
    """One line on stderr: code, what, what to do; with `--json` the same as a document."""
    PlainConsole(stderr=True, soft_wrap=True).print(
        f"{error.code}: {error.message}" + (f" {error.hint}" if error.hint else ""),
        style="red",
        markup=False,
        highlight=False,
    )
    if as_json:
        report_document(error)


def report_document(error: NoteBridgeError) -> None:
    """An error for a program, on stdout."""
    document = {
        "error": {
            "code": str(error.code),
            "message": error.message,
            "hint": error.hint,
            "details": error.details,
        }
    }
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")
