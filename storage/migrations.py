"""Numbered migrations, oldest first: the only statements that define tables.

A migration, once released, is never changed: what it made stands in people's files. A new
table or column is a new migration, and the declarations in `storage.tables` follow it.
"""

from __future__ import annotations

from dataclasses import dataclass

CREATE_RECORDS = """CREATE TABLE IF NOT EXISTS "migrations" (
  "number" INTEGER NOT NULL PRIMARY KEY,
  "name" TEXT NOT NULL,
  "applied_at" INTEGER NOT NULL
)"""
"""Which migrations a database has seen; each is recorded in its own transaction."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: its number (from 1, without gaps), a name, and its SQL statements."""

    number: int
    name: str
    statements: tuple[str, ...]


_FIRST = (
    """CREATE TABLE "sessions" (
  "id" TEXT NOT NULL,
  "knowledge_base_id" TEXT NOT NULL,
  "manifest_address" TEXT NOT NULL,
  "origin" TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  "entries" INTEGER NOT NULL,
  "preview" TEXT NOT NULL,
  "usage_json" TEXT NOT NULL,
  "archived_at" INTEGER,
  PRIMARY KEY ("id")
)""",
    'CREATE INDEX "sessions_recent" ON "sessions" ("updated_at")',
    """CREATE TABLE "runs" (
  "id" TEXT NOT NULL,
  "session_id" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "reason" TEXT NOT NULL,
  "error_code" TEXT,
  "revision" TEXT NOT NULL,
  "model" TEXT NOT NULL,
  "effort" TEXT NOT NULL,
  "window" INTEGER NOT NULL,
  "max_requests" INTEGER NOT NULL,
  "max_tool_calls" INTEGER NOT NULL,
  "deadline_ms" INTEGER NOT NULL,
  "max_tokens" INTEGER NOT NULL,
  "requests" INTEGER NOT NULL,
  "tool_calls" INTEGER NOT NULL,
  "elapsed_ms" INTEGER NOT NULL,
  "tokens" INTEGER NOT NULL,
  "recoveries" INTEGER NOT NULL,
  "created_at" INTEGER NOT NULL,
  "started_at" INTEGER,
  "ended_at" INTEGER,
  PRIMARY KEY ("id"),
  FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE
)""",
    """CREATE UNIQUE INDEX "runs_active" ON "runs" ("session_id")
  WHERE "state" IN ('queued', 'running', 'finalising', 'interrupted')""",
    'CREATE INDEX "runs_of_session" ON "runs" ("session_id", "created_at")',
    'CREATE INDEX "runs_by_state" ON "runs" ("state", "created_at")',
    """CREATE TABLE "submissions" (
  "id" TEXT NOT NULL,
  "session_id" TEXT NOT NULL,
  "client_id" TEXT NOT NULL,
  "request" BLOB NOT NULL,
  "run_id" TEXT NOT NULL,
  "message_id" TEXT NOT NULL,
  "accepted_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE,
  FOREIGN KEY ("run_id") REFERENCES "runs" ("id") ON DELETE CASCADE
)""",
    'CREATE UNIQUE INDEX "submissions_client" ON "submissions" ("session_id", "client_id")',
    'CREATE UNIQUE INDEX "submissions_run" ON "submissions" ("run_id")',
    """CREATE TABLE "requests" (
  "run_id" TEXT NOT NULL,
  "n" INTEGER NOT NULL,
  "kind" TEXT NOT NULL,
  "reserved_tokens" INTEGER NOT NULL,
  "outcome" TEXT,
  "usage_json" TEXT,
  "sent_at" INTEGER NOT NULL,
  "ended_at" INTEGER,
  PRIMARY KEY ("run_id", "n"),
  FOREIGN KEY ("run_id") REFERENCES "runs" ("id") ON DELETE CASCADE
)""",
    """CREATE TABLE "tool_calls" (
  "run_id" TEXT NOT NULL,
  "call_id" TEXT NOT NULL,
  "n" INTEGER NOT NULL,
  "request_n" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "arguments_json" TEXT NOT NULL,
  "result_json" TEXT,
  "state" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "ended_at" INTEGER,
  PRIMARY KEY ("run_id", "call_id"),
  FOREIGN KEY ("run_id") REFERENCES "runs" ("id") ON DELETE CASCADE
)""",
    'CREATE UNIQUE INDEX "tool_calls_order" ON "tool_calls" ("run_id", "n")',
    """CREATE TABLE "entries" (
  "session_id" TEXT NOT NULL,
  "seq" INTEGER NOT NULL,
  "id" TEXT NOT NULL,
  "role" TEXT NOT NULL,
  "run_id" TEXT,
  "body_json" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("session_id", "seq"),
  FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE,
  FOREIGN KEY ("run_id") REFERENCES "runs" ("id") ON DELETE CASCADE
)""",
    'CREATE UNIQUE INDEX "entries_id" ON "entries" ("id")',
    'CREATE INDEX "entries_of_run" ON "entries" ("run_id", "seq")',
    """CREATE TABLE "events" (
  "session_id" TEXT NOT NULL,
  "seq" INTEGER NOT NULL,
  "run_id" TEXT,
  "run_seq" INTEGER NOT NULL,
  "type" TEXT NOT NULL,
  "body_json" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("session_id", "seq"),
  FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE,
  FOREIGN KEY ("run_id") REFERENCES "runs" ("id") ON DELETE CASCADE
)""",
    'CREATE UNIQUE INDEX "events_of_run" ON "events" ("run_id", "run_seq")',
    """CREATE TABLE "evidence" (
  "session_id" TEXT NOT NULL,
  "n" INTEGER NOT NULL,
  "id" TEXT NOT NULL,
  "revision" TEXT NOT NULL,
  "doc_id" TEXT NOT NULL,
  "section_id" TEXT NOT NULL,
  "doc_sha256" TEXT NOT NULL,
  "section_sha256" TEXT NOT NULL,
  "start" INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  "text" TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "heading_path_json" TEXT NOT NULL,
  "url" TEXT NOT NULL,
  "site_url" TEXT NOT NULL,
  "retrieved_at" INTEGER NOT NULL,
  "origin" TEXT NOT NULL,
  PRIMARY KEY ("session_id", "n"),
  FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE
)""",
    'CREATE UNIQUE INDEX "evidence_id" ON "evidence" ("id")',
    """CREATE UNIQUE INDEX "evidence_passage" ON "evidence"
  ("session_id", "revision", "doc_sha256", "doc_id", "start", "end")""",
    'CREATE INDEX "evidence_recent" ON "evidence" ("retrieved_at")',
    """CREATE TABLE "evidence_objects" (
  "sha256" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "body" BLOB NOT NULL,
  "size" INTEGER NOT NULL,
  PRIMARY KEY ("sha256")
)""",
    """CREATE TABLE "evidence_proofs" (
  "session_id" TEXT NOT NULL,
  "revision" TEXT NOT NULL,
  "doc_sha256" TEXT NOT NULL,
  "object_sha256" TEXT NOT NULL,
  PRIMARY KEY ("session_id", "revision", "doc_sha256", "object_sha256"),
  FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE,
  FOREIGN KEY ("object_sha256") REFERENCES "evidence_objects" ("sha256")
)""",
    'CREATE INDEX "evidence_proofs_object" ON "evidence_proofs" ("object_sha256")',
    """CREATE TABLE "citations" (
  "run_id" TEXT NOT NULL,
  "n" INTEGER NOT NULL,
  "evidence_id" TEXT NOT NULL,
  "quote" TEXT NOT NULL,
  "start" INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  "verdict" TEXT NOT NULL,
  PRIMARY KEY ("run_id", "n"),
  FOREIGN KEY ("run_id") REFERENCES "runs" ("id") ON DELETE CASCADE,
  FOREIGN KEY ("evidence_id") REFERENCES "evidence" ("id") ON DELETE CASCADE
)""",
    'CREATE INDEX "citations_of_evidence" ON "citations" ("evidence_id")',
    """CREATE TABLE "settings" (
  "key" TEXT NOT NULL,
  "value_json" TEXT NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("key")
)""",
)

MIGRATIONS = (Migration(1, "sessions, runs, entries, events, evidence, settings", _FIRST),)
"""All of them. Their numbers rise by one."""
