"""Compiling notes, here or elsewhere: a pure function of bytes, in batches for any executor."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from typing import NamedTuple, Protocol

import msgspec

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.dialect import compile_note
from site_builder.dialect.options import DialectOptions
from site_builder.html_policy import RawHtmlPolicy
from site_builder.note import SourceNote
from site_builder.note_card import NoteBody, NoteCard, note_terms, split_note, withheld_card
from site_builder.source import read_source

BATCH_BYTES = 256 * 1024
BATCH_NOTES = 64
"""Bytes and notes that one task takes: enough that handing it over costs little."""

PROCESSES_PAY_ABOVE = 1024 * 1024
"""Bytes of notes below which other processes take longer to start than they save."""

DASK = "dask:"


class SourceFile(NamedTuple):
    """A note as it lies on disk.

    path: POSIX, relative to the folder of notes. language: of our own words on its page, where it
    states none. read: the note already read, where it puts in other files; compiled in place of
    the bytes.
    """

    path: str
    data: bytes
    language: str
    read: SourceNote | None = None


class PackedNote(NamedTuple):
    """A compiled note as bytes: `NoteCard`, `NoteBody` (both MessagePack) and `NoteTerms`.

    A withheld note has a card alone.
    """

    card: bytes
    body: bytes = b""
    terms: bytes = b""


def pack_note(card: NoteCard, body: NoteBody | None) -> PackedNote:
    """The bytes of a compiled note."""
    packed = msgspec.msgpack.encode(card)
    if body is None:
        return PackedNote(packed)
    return PackedNote(packed, msgspec.msgpack.encode(body), note_terms(card, body).to_bytes())


def compile_file(file: SourceFile, html: RawHtmlPolicy) -> PackedNote:
    """Reads and compiles one note; a function of its arguments alone."""
    source = file.read or read_source(file.path, file.data)
    if source.withheld:
        return pack_note(withheld_card(source), None)
    options = DialectOptions(file.language, html)
    return pack_note(*split_note(source, compile_note(source, options)))


def compile_batch(files: Sequence[SourceFile], html: RawHtmlPolicy) -> list[PackedNote]:
    """`compile_file` over several notes: what an executor is given."""
    with _no_collecting():
        return [compile_file(file, html) for file in files]


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Parsing makes tens of thousands of objects that live as long as their note; looking through
    all others for cycles meanwhile takes a tenth of the time and finds none."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@dataclass(frozen=True, slots=True)
class Workers:
    """Where notes are compiled.

    executor: None for this process. ahead: batches under way at once, which bounds what is in
    memory.
    """

    executor: Executor | None
    ahead: int = 1


def compile_all(
    files: Iterable[SourceFile], html: RawHtmlPolicy, where: Workers
) -> Iterator[tuple[SourceFile, PackedNote]]:
    """Compiles notes in their order."""
    if where.executor is None:
        for file in files:
            yield file, compile_batch([file], html)[0]
        return
    executor, ahead = where.executor, where.ahead
    batches = _batches(files)
    under_way: list[tuple[list[SourceFile], Future[list[PackedNote]]]] = []
    while True:
        for batch in islice(batches, ahead - len(under_way)):
            under_way.append((batch, executor.submit(compile_batch, batch, html)))
        if not under_way:
            return
        batch, result = under_way.pop(0)
        yield from zip(batch, result.result(), strict=True)


def _batches(files: Iterable[SourceFile]) -> Iterator[list[SourceFile]]:
    batch: list[SourceFile] = []
    size = 0
    for file in files:
        batch.append(file)
        size += len(file.data)
        if size >= BATCH_BYTES or len(batch) >= BATCH_NOTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@contextmanager
def workers(where: str, size: int) -> Iterator[Workers]:
    """The workers for so many bytes of notes.

    where: `processes[:N]`, `here`, `dask:ADDRESS`, or empty to choose by size.
    Raises `NoteBridgeError`: INVALID_ARGUMENT for any other word, or for Dask where it is not
    installed or not reached.
    """
    kind, _, detail = where.partition(":")
    if where.startswith(DASK):
        with _dask(detail) as found:
            yield found
    elif kind == "here" or (not kind and (size < PROCESSES_PAY_ABOVE or _cores() < 2)):
        yield Workers(None)
    elif kind in ("", "processes"):
        count = _count(where, detail) if detail else _cores()
        with ProcessPoolExecutor(count, mp_context=_fresh_processes()) as pool:
            yield Workers(pool, ahead=2 * count + 1)
    else:
        raise _unknown(where)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _count(where: str, digits: str) -> int:
    if not digits.isascii() or not digits.isdigit() or not 1 <= int(digits) <= 256:
        raise _unknown(where)
    return int(digits)


def _fresh_processes() -> multiprocessing.context.BaseContext:
    """Never a fork: a thread that shows progress may hold a lock that the child would wait for."""
    methods = multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")


def _unknown(where: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.INVALID_ARGUMENT,
        f"There is no executor {where!r}.",
        hint="Name `here`, `processes`, `processes:4` or `dask:tcp://host:8786`.",
    )


class _Client(Protocol):
    """What is used of Dask's client."""

    def get_executor(self) -> Executor: ...
    def nthreads(self) -> dict[str, int]: ...
    def close(self) -> None: ...


@contextmanager
def _dask(address: str) -> Iterator[Workers]:
    try:
        distributed = import_module("distributed")  # optional, and slow to import
    except ImportError as error:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            "Dask is not installed.",
            hint="Install note-bridge with its extra `dask`, or leave --executor out.",
        ) from error
    try:
        client: _Client = distributed.Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"No Dask scheduler answers at {address!r}: {error}.",
            hint="Start one, or name its address: dask:tcp://host:8786.",
        ) from error
    try:
        yield Workers(client.get_executor(), ahead=2 * max(1, sum(client.nthreads().values())) + 1)
    finally:
        client.close()
