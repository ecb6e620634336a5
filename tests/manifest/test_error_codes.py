"""Errors: a closed list of codes, and one exception that carries them."""

from __future__ import annotations

import pytest

from manifest.errors import ErrorCode, NoteBridgeError

SETTLED = """
MANIFEST_MISSING MANIFEST_INVALID OBJECT_INVALID SCHEMA_UNSUPPORTED ROLLBACK_REFUSED
REVISION_EXPIRED INTEGRITY_MISMATCH OBJECT_TOO_LARGE ORIGIN_REFUSED SITE_UNREACHABLE
SEARCH_UNAVAILABLE DOC_NOT_FOUND SECTION_NOT_FOUND INVALID_ARGUMENT PROVIDER_AUTH_FAILED
PROVIDER_RATE_LIMITED PROVIDER_TIMEOUT PROVIDER_UNAVAILABLE PROVIDER_STREAM_BROKEN MODEL_NOT_FOUND
MODEL_CAPABILITY_MISMATCH CONTEXT_OVERFLOW BUDGET_EXHAUSTED SESSION_NOT_FOUND SESSION_BUSY
REQUEST_CONFLICT RUN_NOT_FOUND PAIRING_REQUIRED PAIRING_REFUSED UPGRADE_REQUIRED STORAGE_LOCKED
STORAGE_TOO_NEW STORAGE_DAMAGED STORAGE_FULL EVIDENCE_NOT_FOUND RUN_INTERRUPTED PROVIDER_REFUSED
PROVIDER_BAD_REQUEST RATE_LIMITED FRAME_TOO_LARGE INTERNAL
"""


def test_the_codes_are_the_settled_ones() -> None:
    assert [code.value for code in ErrorCode] == SETTLED.split()
    assert all(code.name == code.value for code in ErrorCode)


def test_an_error_says_what_where_and_what_to_do() -> None:
    error = NoteBridgeError(ErrorCode.DOC_NOT_FOUND, "No 'x'.", hint="Search.", details={"id": "x"})
    assert str(error) == "DOC_NOT_FOUND: No 'x'. Search."
    assert (error.code, error.message, error.hint) == ("DOC_NOT_FOUND", "No 'x'.", "Search.")
    assert error.details == {"id": "x"}


def test_an_error_without_hint_or_details_has_none() -> None:
    error = NoteBridgeError(ErrorCode.INTERNAL, "It broke.")
    assert str(error) == "INTERNAL: It broke."
    assert error.details == {}


def test_details_are_a_copy() -> None:
    details: dict[str, object] = {"id": "x"}
    error = NoteBridgeError(ErrorCode.INTERNAL, "It broke.", details=details)
    details["id"] = "y"
    assert error.details == {"id": "x"}
    with pytest.raises(NoteBridgeError, match=r"^INTERNAL: It broke\.$"):
        raise error
