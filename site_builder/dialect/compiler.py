"""A source note becomes a compiled note: one parse yields the page, the sections and the links."""

from __future__ import annotations

import re
from html import escape
from typing import Any, Final

from manifest.anchors import TOP
from site_builder.comments import Published, parsing_cost, without_comments
from site_builder.dialect.abbreviations import ABBREVIATIONS
from site_builder.dialect.addresses import Addresses
from site_builder.dialect.attributes import IDENTIFIED
from site_builder.dialect.block_writer import BlockWriter
from site_builder.dialect.callouts import LANGUAGE
from site_builder.dialect.dispatch import LINE_STARTS, TOO_DEEP
from site_builder.dialect.options import DEFAULT, DialectOptions
from site_builder.dialect.outline import Heading, assign_anchors, cut_sections
from site_builder.dialect.page import Page
from site_builder.dialect.parser import MAX_NESTING, note_parser
from site_builder.dialect.words import Signs
from site_builder.front_matter import text_value
from site_builder.note import CompiledNote, CompiledSection, Finding, FindingKind, SourceNote
from site_builder.raw_html import clean

_INDEXES: Final = ("index", "README")
_ID = re.compile(r" id=\"([^\"]*)\"")

COST_LIMIT: Final = 600_000
"""What parsing a note may cost (see `parsing_cost`). A book of 100,000 lines costs less; a text
that is nothing but signs would take a minute."""


def compile_note(note: SourceNote, options: DialectOptions = DEFAULT) -> CompiledNote:
    """Compiles one note; a function of note and options alone, and of any text whatever.

    Findings of reading the source are carried along.
    """
    heavy = len(note.body) > COST_LIMIT and parsing_cost(note.body) > COST_LIMIT
    published = published_text(note, parse=not heavy)
    if heavy:
        return _as_plain_text(note, published, "too many signs", "split the note")
    try:
        return compile_parsed(note, published, options)
    except Exception as error:  # noqa: BLE001 - one bad note never stops a build
        return _as_plain_text(note, published, type(error).__name__, "please report this note")


def published_text(note: SourceNote, *, parse: bool = True) -> Published:
    """The note's text without comments; its lines are the author's, also where snippets stand."""
    if not note.body_lines:
        return without_comments(note.body, note.body_line, parse=parse)
    published = without_comments(note.body, 0, parse=parse)
    lines = [note.body_lines[line] for line in published.lines]
    problems = tuple((note.body_lines[line], what) for line, what in published.problems)
    return Published(published.text, lines, problems)


def compile_parsed(
    note: SourceNote, published: Published, options: DialectOptions = DEFAULT
) -> CompiledNote:
    """`compile_note` without its net: what fails, raises."""
    language = note_language(note) or options.language
    env: dict[str, Any] = {LANGUAGE: language}
    tokens = note_parser().parse(published.text, env)
    headings, ids, anchors = assign_anchors(tokens, env.get(IDENTIFIED, ()))
    sections = cut_sections(published.text, headings, env.get(LINE_STARTS, ()))
    lines = [heading.line for heading in headings]
    if sections[0].anchor == TOP:
        lines.insert(0, 0)
    title = note_title(note, headings)
    page = Page(
        Addresses(note.path, published, lines),
        anchors,
        Signs(published.text, env.get(ABBREVIATIONS, {})),
        headings,
        language,
        label=title,
        policy=options.html,
    )
    if sections[0].anchor == TOP:
        page.out.append(f'<span id="{TOP}"></span>')
    BlockWriter(page).write(tokens)
    html = "".join(page.out)
    # What stands in a footnote that nobody refers to is not on the page.
    ids = (*ids, *page.raw_ids)
    if ids:
        shown = set(_ID.findall(html))
        ids = tuple(name for name in ids if escape(name) in shown)
    if page.raw.used:
        html = clean(html, options.html)
    _report(page, env.get(TOO_DEEP, -1), published)
    return CompiledNote(
        path=note.path,
        text=published.text,
        html=html,
        title=title,
        sections=sections,
        links=tuple(page.addresses.uses),
        findings=(*note.findings, *page.addresses.findings),
        ids=ids,
    )


def note_language(note: SourceNote) -> str:
    """The language that a note states, as a BCP 47 tag; else empty."""
    return text_value(note.meta, "language") or text_value(note.meta, "lang")


def note_title(note: SourceNote, headings: tuple[Heading, ...] = ()) -> str:
    """The front matter's title, else the first heading of level 1, else the file's name; an index
    is named by its folder."""
    given = text_value(note.meta, "title")
    if given:
        return given
    first = next((heading.title for heading in headings if heading.level == 1), "")
    folder, _, name = note.path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    if stem in _INDEXES and folder:
        stem = folder.rpartition("/")[2]
    return first or stem


def _report(page: Page, too_deep: int, published: Published) -> None:
    """What the whole page shows: comments, HTML left out, blocks nested too deep to be read.

    too_deep: the first line of these, from 0; -1 if there is none.
    """
    addresses = page.addresses
    addresses.findings += _of_comments(addresses.path, published)
    if page.signs.icons:
        finding = "icons of another theme, such as `:material-check:`, are left out"
        addresses.findings.append(
            Finding(addresses.path, 0, FindingKind.SYNTAX, finding, "write an emoji in their place")
        )
    if page.raw.removed:
        names = ", ".join(page.raw.removed)
        addresses.report(
            page.removed_line,
            FindingKind.HTML,
            f"HTML left out: {names}",
            "a page carries no scripts, styles, forms or frames",
        )
    if too_deep >= 0:
        addresses.report(
            too_deep,
            FindingKind.LIMIT,
            f"nested deeper than {MAX_NESTING} levels: the page leaves it out",
            "nest lists and quotations less deep",
        )


def _of_comments(path: str, published: Published) -> list[Finding]:
    return [
        Finding(path, line, FindingKind.COMMENT, message, "close it with %%")
        for line, message in published.problems
    ]


def _as_plain_text(note: SourceNote, published: Published, why: str, hint: str) -> CompiledNote:
    """The note as its author typed it, for a text that cannot be parsed."""
    text = published.text
    finding = Finding(
        note.path,
        0,
        FindingKind.LIMIT,
        f"the text could not be parsed and is shown as typed: {why}",
        hint,
    )
    return CompiledNote(
        path=note.path,
        text=text,
        html=f'<span id="{TOP}"></span><pre>{escape(text, quote=False)}</pre>',
        title=note_title(note),
        sections=(CompiledSection(TOP, 0, "", (), 0, len(text)),),
        links=(),
        findings=(*note.findings, *_of_comments(note.path, published), finding),
    )
