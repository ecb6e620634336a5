"""The command line: all its commands, and how errors leave it."""

from __future__ import annotations

from collections.abc import Sequence

import click

from manifest.errors import ErrorCode, NoteBridgeError
from note_bridge.commands import asking, checking, doctor, evidence, publishing, reading, releasing
from note_bridge.console import Exit, exit_code, report_document, report_error
from note_bridge.group import cli

__all__ = ["COMMANDS", "cli", "run"]

COMMANDS = (publishing, checking, releasing, reading, asking, evidence, doctor)
"""The modules whose commands have joined `cli`."""


def run(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit code. Errors are one line; with `--debug` their
    traceback follows."""
    debug = "--debug" in arguments
    as_json = "--json" in arguments
    try:
        given = [argument for argument in arguments if argument != "--debug"]
        outcome = cli.main(given, prog_name="note-bridge", standalone_mode=False)
    except click.exceptions.Abort:
        return Exit.COULD_NOT
    except click.ClickException as error:
        error.show()
        if as_json:
            report_document(NoteBridgeError(ErrorCode.INVALID_ARGUMENT, error.format_message()))
        return Exit.WRONG_USE
    except NoteBridgeError as error:
        report_error(error, as_json=as_json)
        if debug:
            raise
        return exit_code(error)
    except KeyboardInterrupt:
        return Exit.COULD_NOT
    except Exception as error:  # the last resort: one line, no traceback
        if debug:
            raise
        report_error(
            NoteBridgeError(
                ErrorCode.INTERNAL,
                f"{type(error).__name__}: {error}",
                hint="This is a fault of note-bridge; run again with --debug to see where.",
            ),
            as_json=as_json,
        )
        return Exit.COULD_NOT
    return int(outcome) if isinstance(outcome, int) else Exit.DONE
