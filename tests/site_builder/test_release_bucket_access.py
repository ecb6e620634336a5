"""Where a bucket is and whose credentials are used, from all the places that S3 tools look."""

from __future__ import annotations

from pathlib import Path

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.releasing.bucket_access import (
    BucketAddress,
    bucket_access,
    parse_bucket_address,
)

KEYS = {"AWS_ACCESS_KEY_ID": "env-key", "AWS_SECRET_ACCESS_KEY": "env-secret"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws/credentials").write_text(
        "[default]\naws_access_key_id = file-key\naws_secret_access_key = file-secret\n"
        "[work]\naws_access_key_id = work-key\naws_secret_access_key = work-%secret\n"
        "aws_session_token = work-token\n"
    )
    (tmp_path / ".aws/config").write_text(
        "[default]\nregion = eu-central-1\n"
        "[profile work]\nregion = eu-west-3\nendpoint_url = https://store.example\n"
        "[profile roles]\nrole_arn = arn:aws:iam::1:role/x\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("text", "bucket", "prefix"),
    [
        ("s3://notes", "notes", ""),
        ("s3://notes/", "notes", ""),
        ("s3://notes/site/a b/", "notes", "site/a b"),
        ("s3://my.notes-1/死锁", "my.notes-1", "死锁"),
    ],
)
def test_an_address_names_a_bucket_and_a_path_in_it(text: str, bucket: str, prefix: str) -> None:
    found = parse_bucket_address(text)
    assert found == BucketAddress(bucket, prefix)
    assert parse_bucket_address(str(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        *("s3://", "s3:///x", "s3://a", "S3://notes", "gs://notes", "s3://no tes", "s3://notes//x"),
        *("s3://notes/a/../b", "s3://notes/./a", "s3://notes/a\nb", "s3://user:word@notes/x"),
    ],
)
def test_what_is_no_address_of_a_bucket_is_refused(text: str) -> None:
    with pytest.raises(NoteBridgeError) as refused:
        parse_bucket_address(text)
    assert refused.value.code is ErrorCode.INVALID_ARGUMENT


def test_keys_of_the_environment_win_over_those_of_files(home: Path) -> None:
    found = bucket_access({**KEYS, "AWS_SESSION_TOKEN": "t"}, home)
    assert (found.access_key_id, found.secret_access_key) == ("env-key", "env-secret")
    assert (found.session_token, found.region, found.endpoint) == ("t", "eu-central-1", "")


def test_without_keys_in_the_environment_the_default_profile_is_used(home: Path) -> None:
    assert bucket_access({}, home).access_key_id == "file-key"


@pytest.mark.parametrize("named", ["option", "environment"])
def test_a_named_profile_brings_keys_region_and_endpoint(named: str, home: Path) -> None:
    environment = {"AWS_PROFILE": "work"} if named == "environment" else KEYS
    profile = "work" if named == "option" else ""
    found = bucket_access(environment, home, profile=profile)
    assert (found.access_key_id, found.secret_access_key) == ("work-key", "work-%secret")
    assert (found.session_token, found.region) == ("work-token", "eu-west-3")
    assert found.endpoint == "https://store.example"


def test_what_is_given_wins_over_everything(home: Path) -> None:
    environment = {**KEYS, "AWS_REGION": "r", "AWS_ENDPOINT_URL_S3": "https://env.example"}
    found = bucket_access(environment, home, endpoint="https://given.example", region="mine")
    assert (found.endpoint, found.region) == ("https://given.example", "mine")
    assert bucket_access(environment, home).endpoint == "https://env.example"


def test_without_anything_the_machine_is_asked_for_keys(tmp_path: Path) -> None:
    found = bucket_access({}, tmp_path)
    assert (found.access_key_id, found.region) == ("", "us-east-1")


@pytest.mark.parametrize("profile", ["missing", "roles"])
def test_a_profile_that_gives_no_keys_is_refused(profile: str, home: Path) -> None:
    with pytest.raises(NoteBridgeError) as refused:
        bucket_access({}, home, profile=profile)
    assert refused.value.code is ErrorCode.INVALID_ARGUMENT
    assert refused.value.hint


def test_a_broken_file_is_named_and_not_quoted(home: Path) -> None:
    (home / ".aws/credentials").write_text("aws_secret_access_key = no-section-secret\n")
    with pytest.raises(NoteBridgeError) as refused:
        bucket_access({}, home)
    assert "credentials" in str(refused.value)
    assert "no-section-secret" not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(
    ("endpoint", "environment", "allowed"),
    [
        ("https://store.example", {}, True),
        ("http://127.0.0.1:9000", {}, True),
        ("http://localhost:9000", {}, True),
        ("http://store.example", {}, False),
        ("http://127.0.0.1.example", {}, False),
        ("http://nas:9000", {"AWS_ALLOW_HTTP": "true"}, True),
        ("store.example", {}, False),
        ("ftp://store.example", {}, False),
    ],
)
def test_a_site_goes_unencrypted_only_to_this_machine_or_where_it_was_asked_for(
    endpoint: str, environment: dict[str, str], allowed: bool, tmp_path: Path
) -> None:
    if allowed:
        found = bucket_access(environment, tmp_path, endpoint=endpoint)
        assert found.allow_http == endpoint.startswith("http:")
    else:
        with pytest.raises(NoteBridgeError) as refused:
            bucket_access(environment, tmp_path, endpoint=endpoint)
        assert refused.value.code is ErrorCode.INVALID_ARGUMENT


def test_keys_are_not_shown(home: Path) -> None:
    shown = repr(bucket_access(KEYS, home))
    assert "env-key" not in shown
    assert "env-secret" not in shown
