"""How large stored things may be, in bytes of UTF-8, and the refusal when they are larger."""

from __future__ import annotations

from manifest.errors import ErrorCode, NoteBridgeError

KIB = 1024
MIB = 1024 * KIB

ID_BYTES = 200
TITLE_BYTES = 1 * KIB
PREVIEW_CHARACTERS = 200
REQUEST_BYTES = 1 * MIB
ENTRY_BYTES = 4 * MIB
EVENT_BYTES = 1 * MIB
TOOL_JSON_BYTES = 4 * MIB
EVIDENCE_TEXT_BYTES = 256 * KIB
EVIDENCE_OBJECT_BYTES = 32 * MIB
SETTING_BYTES = 1 * MIB

DATABASE_BYTES = 4 * 1024 * MIB
"""The default cap on the whole database."""
RESERVE_BYTES = 4 * MIB
"""Kept back above the cap, so that a run can still end and a session still be deleted."""
OBJECT_CACHE_BYTES = 256 * MIB
"""The default bound of the reader's object cache."""


def check_size(what: str, value: str | bytes, limit: int) -> None:
    """Raise OBJECT_TOO_LARGE where `value` takes more than `limit` bytes."""
    size = len(value) if isinstance(value, bytes) else _utf8_size(value)
    if size > limit:
        raise NoteBridgeError(
            ErrorCode.OBJECT_TOO_LARGE,
            f"{what} takes {size} bytes, more than the {limit} that are stored.",
            details={"size": size, "limit": limit},
        )


def check_id(what: str, value: str) -> None:
    """Raise INVALID_ARGUMENT unless `value` is 1 to 200 visible ASCII characters."""
    if not (0 < len(value) <= ID_BYTES and value.isascii() and value.isprintable()):
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"{what} must be 1 to {ID_BYTES} printable ASCII characters, not {value[:40]!r}.",
        )


def _utf8_size(value: str) -> int:
    return len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))
