"""The closed enumeration of error codes, and the one exception that carries them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class ErrorCode(StrEnum):
    """What went wrong, for programs. Callers decide by code, never by message."""

    MANIFEST_MISSING = "MANIFEST_MISSING"
    MANIFEST_INVALID = "MANIFEST_INVALID"
    OBJECT_INVALID = "OBJECT_INVALID"
    SCHEMA_UNSUPPORTED = "SCHEMA_UNSUPPORTED"
    ROLLBACK_REFUSED = "ROLLBACK_REFUSED"
    REVISION_EXPIRED = "REVISION_EXPIRED"
    INTEGRITY_MISMATCH = "INTEGRITY_MISMATCH"
    OBJECT_TOO_LARGE = "OBJECT_TOO_LARGE"
    ORIGIN_REFUSED = "ORIGIN_REFUSED"
    SITE_UNREACHABLE = "SITE_UNREACHABLE"
    SEARCH_UNAVAILABLE = "SEARCH_UNAVAILABLE"
    DOC_NOT_FOUND = "DOC_NOT_FOUND"
    SECTION_NOT_FOUND = "SECTION_NOT_FOUND"
    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    PROVIDER_AUTH_FAILED = "PROVIDER_AUTH_FAILED"
    PROVIDER_RATE_LIMITED = "PROVIDER_RATE_LIMITED"
    PROVIDER_TIMEOUT = "PROVIDER_TIMEOUT"
    PROVIDER_UNAVAILABLE = "PROVIDER_UNAVAILABLE"
    PROVIDER_STREAM_BROKEN = "PROVIDER_STREAM_BROKEN"
    MODEL_NOT_FOUND = "MODEL_NOT_FOUND"
    MODEL_CAPABILITY_MISMATCH = "MODEL_CAPABILITY_MISMATCH"
    CONTEXT_OVERFLOW = "CONTEXT_OVERFLOW"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    SESSION_NOT_FOUND = "SESSION_NOT_FOUND"
    SESSION_BUSY = "SESSION_BUSY"
    REQUEST_CONFLICT = "REQUEST_CONFLICT"
    RUN_NOT_FOUND = "RUN_NOT_FOUND"
    PAIRING_REQUIRED = "PAIRING_REQUIRED"
    PAIRING_REFUSED = "PAIRING_REFUSED"
    UPGRADE_REQUIRED = "UPGRADE_REQUIRED"
    STORAGE_LOCKED = "STORAGE_LOCKED"
    STORAGE_TOO_NEW = "STORAGE_TOO_NEW"
    STORAGE_DAMAGED = "STORAGE_DAMAGED"
    STORAGE_FULL = "STORAGE_FULL"
    EVIDENCE_NOT_FOUND = "EVIDENCE_NOT_FOUND"
    RUN_INTERRUPTED = "RUN_INTERRUPTED"
    PROVIDER_REFUSED = "PROVIDER_REFUSED"
    PROVIDER_BAD_REQUEST = "PROVIDER_BAD_REQUEST"
    RATE_LIMITED = "RATE_LIMITED"
    FRAME_TOO_LARGE = "FRAME_TOO_LARGE"
    INTERNAL = "INTERNAL"


class NoteBridgeError(Exception):
    """The one exception type that crosses a room's border.

    code: what went wrong, for programs.
    message: what went wrong and where, one line, for people.
    hint: what to do about it, one line; empty where nothing can be done.
    details: facts for programs (an object's hash, an address), JSON values only.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        hint: str = "",
        details: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details: dict[str, object] = dict(details or {})

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + (f" {self.hint}" if self.hint else "")
