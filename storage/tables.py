"""The tables of the application's storage. `storage.migrations` creates them in SQLite.

Times are milliseconds since 1970 UTC. Columns named json hold JSON text.
"""

from __future__ import annotations

from storage.schema import Index, Reference, Table, blob, integer, text

ACTIVE_STATES = ("queued", "running", "finalising", "interrupted")
"""Run states that are not terminal; a session has at most one such run."""

_OF_SESSION = Reference(("session_id",), "sessions", ("id",))
_OF_RUN = Reference(("run_id",), "runs", ("id",))

SESSIONS = Table(
    "sessions",
    (
        text("id"),
        text("knowledge_base_id"),
        text("manifest_address"),
        text("origin"),
        text("title"),
        integer("created_at"),
        integer("updated_at"),
        integer("entries"),
        text("preview"),
        text("usage_json"),
        integer("archived_at", nullable=True),
    ),
    key=("id",),
    indices=(Index("sessions_recent", ("updated_at",)),),
)

RUNS = Table(
    "runs",
    (
        text("id"),
        text("session_id"),
        text("state"),
        text("reason"),
        text("error_code", nullable=True),
        text("revision"),
        text("model"),
        text("effort"),
        integer("window"),
        integer("max_requests"),
        integer("max_tool_calls"),
        integer("deadline_ms"),
        integer("max_tokens"),
        integer("requests"),
        integer("tool_calls"),
        integer("elapsed_ms"),
        integer("tokens"),
        integer("recoveries"),
        integer("created_at"),
        integer("started_at", nullable=True),
        integer("ended_at", nullable=True),
    ),
    key=("id",),
    indices=(
        Index("runs_active", ("session_id",), unique=True, where=("state", ACTIVE_STATES)),
        Index("runs_of_session", ("session_id", "created_at")),
        Index("runs_by_state", ("state", "created_at")),
    ),
    references=(_OF_SESSION,),
)

SUBMISSIONS = Table(
    "submissions",
    (
        text("id"),
        text("session_id"),
        text("client_id"),
        blob("request"),
        text("run_id"),
        text("message_id"),
        integer("accepted_at"),
    ),
    key=("id",),
    indices=(
        Index("submissions_client", ("session_id", "client_id"), unique=True),
        Index("submissions_run", ("run_id",), unique=True),
    ),
    references=(_OF_SESSION, _OF_RUN),
)

REQUESTS = Table(
    "requests",
    (
        text("run_id"),
        integer("n"),
        text("kind"),
        integer("reserved_tokens"),
        text("outcome", nullable=True),
        text("usage_json", nullable=True),
        integer("sent_at"),
        integer("ended_at", nullable=True),
    ),
    key=("run_id", "n"),
    references=(_OF_RUN,),
)

TOOL_CALLS = Table(
    "tool_calls",
    (
        text("run_id"),
        text("call_id"),
        integer("n"),
        integer("request_n"),
        text("name"),
        text("arguments_json"),
        text("result_json", nullable=True),
        text("state"),
        integer("created_at"),
        integer("ended_at", nullable=True),
    ),
    key=("run_id", "call_id"),
    indices=(Index("tool_calls_order", ("run_id", "n"), unique=True),),
    references=(_OF_RUN,),
)

ENTRIES = Table(
    "entries",
    (
        text("session_id"),
        integer("seq"),
        text("id"),
        text("role"),
        text("run_id", nullable=True),
        text("body_json"),
        integer("created_at"),
    ),
    key=("session_id", "seq"),
    indices=(
        Index("entries_id", ("id",), unique=True),
        Index("entries_of_run", ("run_id", "seq")),
    ),
    references=(_OF_SESSION, _OF_RUN),
)

EVENTS = Table(
    "events",
    (
        text("session_id"),
        integer("seq"),
        text("run_id", nullable=True),
        integer("run_seq"),
        text("type"),
        text("body_json"),
        integer("created_at"),
    ),
    key=("session_id", "seq"),
    indices=(Index("events_of_run", ("run_id", "run_seq"), unique=True),),
    references=(_OF_SESSION, _OF_RUN),
)

EVIDENCE = Table(
    "evidence",
    (
        text("session_id"),
        integer("n"),
        text("id"),
        text("revision"),
        text("doc_id"),
        text("section_id"),
        text("doc_sha256"),
        text("section_sha256"),
        integer("start"),
        integer("end"),
        text("text"),
        text("title"),
        text("heading_path_json"),
        text("url"),
        text("site_url"),
        integer("retrieved_at"),
        text("origin"),
    ),
    key=("session_id", "n"),
    indices=(
        Index("evidence_id", ("id",), unique=True),
        Index(
            "evidence_passage",
            ("session_id", "revision", "doc_sha256", "doc_id", "start", "end"),
            unique=True,
        ),
        Index("evidence_recent", ("retrieved_at",)),
    ),
    references=(_OF_SESSION,),
)

EVIDENCE_OBJECTS = Table(
    "evidence_objects",
    (text("sha256"), text("kind"), blob("body"), integer("size")),
    key=("sha256",),
)

# One set of objects per document of a revision, not per passage: a run may return a thousand
# passages of a few dozen documents.
EVIDENCE_PROOFS = Table(
    "evidence_proofs",
    (text("session_id"), text("revision"), text("doc_sha256"), text("object_sha256")),
    key=("session_id", "revision", "doc_sha256", "object_sha256"),
    indices=(Index("evidence_proofs_object", ("object_sha256",)),),
    references=(
        _OF_SESSION,
        Reference(("object_sha256",), "evidence_objects", ("sha256",), cascade=False),
    ),
)

CITATIONS = Table(
    "citations",
    (
        text("run_id"),
        integer("n"),
        text("evidence_id"),
        text("quote"),
        integer("start"),
        integer("end"),
        text("verdict"),
    ),
    key=("run_id", "n"),
    indices=(Index("citations_of_evidence", ("evidence_id",)),),
    references=(_OF_RUN, Reference(("evidence_id",), "evidence", ("id",))),
)

SETTINGS = Table(
    "settings",
    (text("key"), text("value_json"), integer("updated_at")),
    key=("key",),
)

TABLES = (
    SESSIONS,
    RUNS,
    SUBMISSIONS,
    REQUESTS,
    TOOL_CALLS,
    ENTRIES,
    EVENTS,
    EVIDENCE,
    EVIDENCE_OBJECTS,
    EVIDENCE_PROOFS,
    CITATIONS,
    SETTINGS,
)
