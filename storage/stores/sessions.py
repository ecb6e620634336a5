"""Sessions: conversations with one knowledge base, as light rows for lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Conflict, ReadTx, Tx
from storage.json_text import dump_counts, load_counts
from storage.limits import PREVIEW_CHARACTERS, TITLE_BYTES, check_id, check_size
from storage.rows import integer_of, maybe_integer_of, text_of
from storage.schema import PRESENT, Cursor, Filter, Row, clean_text
from storage.stores.page import Page, read_page
from storage.stores.proofs import drop_unused_objects, objects_of_session
from storage.tables import ACTIVE_STATES, RUNS, SESSIONS


@dataclass(frozen=True, slots=True)
class Session:
    """What a list shows of a session; its entries are paged from `Entries`.

    origin: the web origin whose pairing owns it, empty for the owner's own sessions.
    entries: how many there are. usage: token counts by name, summed over its requests.
    Times are milliseconds since 1970 UTC.
    """

    id: str
    knowledge_base_id: str
    manifest_address: str
    origin: str
    title: str
    created_at: int
    updated_at: int
    entries: int
    preview: str
    usage: Mapping[str, int]
    archived_at: int | None


class Sessions:
    """Creates, lists, archives and deletes sessions."""

    def create(
        self,
        tx: Tx,
        session_id: str,
        *,
        knowledge_base_id: str,
        manifest_address: str,
        origin: str = "",
        title: str = "",
    ) -> Session:
        """Add a session; the id is the client's. The same again returns the one there is.

        Raises REQUEST_CONFLICT where the id belongs to a session of another knowledge base,
        address or origin, INVALID_ARGUMENT for an unusable id.
        """
        check_id("A session id", session_id)
        check_size("A session title", title, TITLE_BYTES)
        row: Row = {
            "id": session_id,
            "knowledge_base_id": knowledge_base_id,
            "manifest_address": manifest_address,
            "origin": origin,
            "title": clean_text(title),
            "created_at": tx.now,
            "updated_at": tx.now,
            "entries": 0,
            "preview": "",
            "usage_json": "{}",
            "archived_at": None,
        }
        try:
            tx.insert(SESSIONS, row)
        except Conflict as error:
            existing = self.get(tx, session_id)
            same = (existing.knowledge_base_id, existing.manifest_address, existing.origin)
            if same != (knowledge_base_id, manifest_address, origin):
                raise NoteBridgeError(
                    ErrorCode.REQUEST_CONFLICT, f"Session {session_id} exists and is another one."
                ) from error
            return existing
        return _session(row)

    def get(self, tx: ReadTx, session_id: str) -> Session:
        """The session. Raises SESSION_NOT_FOUND."""
        row = tx.get(SESSIONS, (session_id,))
        if row is None:
            raise NoteBridgeError(
                ErrorCode.SESSION_NOT_FOUND, f"There is no session {session_id[:80]}."
            )
        return _session(row)

    def list(
        self,
        tx: ReadTx,
        *,
        limit: int = 50,
        after: Cursor | None = None,
        knowledge_base_id: str | None = None,
        origin: str | None = None,
        archived: bool | None = False,
    ) -> Page[Session]:
        """Sessions, the most recently changed first.

        archived: only those (True), only the others (False), or both (None).
        """
        where: dict[str, Filter] = {}
        if knowledge_base_id is not None:
            where["knowledge_base_id"] = knowledge_base_id
        if origin is not None:
            where["origin"] = origin
        if archived is not None:
            where["archived_at"] = PRESENT if archived else None
        return read_page(
            tx,
            SESSIONS,
            where,
            _session,
            index="sessions_recent",
            after=after,
            limit=limit,
            descending=True,
        )

    def rename(self, tx: Tx, session_id: str, title: str) -> Session:
        """Give it another title. Raises SESSION_NOT_FOUND, OBJECT_TOO_LARGE."""
        check_size("A session title", title, TITLE_BYTES)
        return self._change(tx, session_id, {"title": clean_text(title)})

    def archive(self, tx: Tx, session_id: str, *, archived: bool = True) -> Session:
        """Take it out of ordinary lists, or put it back. Raises SESSION_NOT_FOUND."""
        return self._change(tx, session_id, {"archived_at": tx.now if archived else None})

    def note_entry(self, tx: Tx, session_id: str, preview: str | None) -> None:
        """Count one more entry and show its beginning. Raises SESSION_NOT_FOUND."""
        session = self.get(tx, session_id)
        values: Row = {"entries": session.entries + 1, "updated_at": tx.now}
        if preview is not None:
            values["preview"] = _shorten(preview)
        self._change(tx, session_id, values)

    def add_usage(self, tx: Tx, session_id: str, usage: Mapping[str, int]) -> None:
        """Add token counts to the session's sums. Raises SESSION_NOT_FOUND."""
        sums = dict(self.get(tx, session_id).usage)
        for name, count in usage.items():
            sums[name] = sums.get(name, 0) + count
        self._change(tx, session_id, {"usage_json": dump_counts(sums)})

    def delete(self, tx: Tx, session_id: str) -> None:
        """Remove it with runs, entries, events, evidence, citations and usage.

        Raises SESSION_NOT_FOUND, SESSION_BUSY while a run of it is active.
        """
        self.get(tx, session_id)
        if tx.page(RUNS, {"session_id": session_id, "state": ACTIVE_STATES}, limit=1):
            raise NoteBridgeError(
                ErrorCode.SESSION_BUSY,
                f"Session {session_id} has an active run.",
                hint="Stop the run first.",
            )
        objects = objects_of_session(tx, session_id)
        tx.delete(SESSIONS, {"id": session_id})
        drop_unused_objects(tx, objects)

    def _change(self, tx: Tx, session_id: str, values: Row) -> Session:
        tx.update(SESSIONS, (session_id,), values)
        return self.get(tx, session_id)


def _shorten(preview: str) -> str:
    """One line of at most 200 code points."""
    line = " ".join(preview[: 4 * PREVIEW_CHARACTERS].split())
    return clean_text(line[:PREVIEW_CHARACTERS])


def _session(row: Row) -> Session:
    return Session(
        id=text_of(row, "id"),
        knowledge_base_id=text_of(row, "knowledge_base_id"),
        manifest_address=text_of(row, "manifest_address"),
        origin=text_of(row, "origin"),
        title=text_of(row, "title"),
        created_at=integer_of(row, "created_at"),
        updated_at=integer_of(row, "updated_at"),
        entries=integer_of(row, "entries"),
        preview=text_of(row, "preview"),
        usage=load_counts(text_of(row, "usage_json")),
        archived_at=maybe_integer_of(row, "archived_at"),
    )
