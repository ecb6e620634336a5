"""The command group that all commands join."""

from __future__ import annotations

import click


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks (anywhere).")
@click.version_option(package_name="note-bridge", prog_name="note-bridge")
def cli() -> None:
    """Publish Markdown notes as a website and as hashed, versioned knowledge; ask them questions
    and get answers whose quotations can be checked."""
