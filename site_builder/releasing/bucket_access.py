"""Where a bucket is, and with whose credentials it is written.

Credentials come from where every S3 tool looks for them: the environment, the files of a profile,
then what the machine itself offers (a container's role, an instance's, a web identity). They reach
the client alone, and stand in no message.
"""

from __future__ import annotations

import configparser
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from manifest.errors import ErrorCode, NoteBridgeError

SCHEME = "s3://"
DEFAULT_REGION = "us-east-1"

_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")
_PREFIX = re.compile(r"[^/\x00-\x1f\x7f]+(?:/[^/\x00-\x1f\x7f]+)*")


@dataclass(frozen=True, slots=True)
class BucketAddress:
    """A bucket and the path in it below which a site stands; empty for the whole bucket."""

    bucket: str
    prefix: str = ""

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}" + (f"/{self.prefix}" if self.prefix else "")


@dataclass(frozen=True, slots=True, repr=False)
class BucketAccess:
    """How a bucket is reached. endpoint: empty for Amazon's own. Without keys the client asks the
    machine for them."""

    endpoint: str = ""
    region: str = DEFAULT_REGION
    access_key_id: str = ""
    secret_access_key: str = ""
    session_token: str = ""
    allow_http: bool = False

    def __repr__(self) -> str:
        return f"BucketAccess(endpoint={self.endpoint!r}, region={self.region!r})"


def parse_bucket_address(text: str) -> BucketAddress:
    """The bucket that `s3://bucket/path` means.

    Raises `NoteBridgeError` (INVALID_ARGUMENT) for anything else.
    """
    bucket, _, prefix = text.removeprefix(SCHEME).partition("/")
    prefix = prefix.rstrip("/")
    parts = prefix.split("/")
    if (
        not text.startswith(SCHEME)
        or not _BUCKET.fullmatch(bucket)
        or (prefix and not _PREFIX.fullmatch(prefix))
        or "." in parts
        or ".." in parts
    ):
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"{text!r} is no address of a bucket.",
            hint="Write s3://bucket or s3://bucket/path.",
        )
    return BucketAddress(bucket, prefix)


def bucket_access(
    environment: Mapping[str, str],
    home: Path,
    *,
    endpoint: str = "",
    region: str = "",
    profile: str = "",
) -> BucketAccess:
    """What the environment and the user's files say of access; what is given comes first.

    profile: the name of a profile; named here, its keys win over those of the environment.

    Raises `NoteBridgeError` (INVALID_ARGUMENT): for a profile that is not there or that holds no
    keys, a file that cannot be read, an endpoint that is no address or not encrypted.
    """
    name = profile or environment.get("AWS_PROFILE", "")
    stored = _profile(environment, home, name or "default", required=bool(name))
    chosen = stored if profile or not environment.get("AWS_ACCESS_KEY_ID") else {}
    keys = chosen or {key: environment.get(key.upper(), "") for key in _KEYS}
    where = (
        endpoint
        or environment.get("AWS_ENDPOINT_URL_S3", "")
        or environment.get("AWS_ENDPOINT_URL", "")
        or stored.get("endpoint_url", "")
    )
    allow_http = _may_be_http(where, environment)
    return BucketAccess(
        endpoint=where,
        region=region
        or environment.get("AWS_REGION", "")
        or environment.get("AWS_DEFAULT_REGION", "")
        or stored.get("region", "")
        or DEFAULT_REGION,
        access_key_id=keys.get("aws_access_key_id", ""),
        secret_access_key=keys.get("aws_secret_access_key", ""),
        session_token=keys.get("aws_session_token", ""),
        allow_http=allow_http,
    )


_KEYS = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")


def _profile(
    environment: Mapping[str, str], home: Path, name: str, *, required: bool
) -> dict[str, str]:
    """What the two files say of a profile, the one of credentials last and strongest."""
    config = Path(environment.get("AWS_CONFIG_FILE") or home / ".aws/config")
    credentials = Path(environment.get("AWS_SHARED_CREDENTIALS_FILE") or home / ".aws/credentials")
    section = name if name == "default" else f"profile {name}"
    found = {**_section(config, section), **_section(credentials, name)}
    if required and not found:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"There is no profile {name!r} in {config} or {credentials}.",
            hint="Name another with --profile, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        )
    if required and "aws_access_key_id" not in found:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"The profile {name!r} holds no keys of its own.",
            hint="Write its keys into the environment: aws configure export-credentials.",
        )
    return found


def _section(path: Path, name: str) -> dict[str, str]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, configparser.Error) as error:
        # Not the error's own words: they may quote a line that holds a key.
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"{path} cannot be read ({type(error).__name__}).",
            hint="Mend the file, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        ) from None
    return dict(parser.items(name)) if parser.has_section(name) else {}


def _may_be_http(endpoint: str, environment: Mapping[str, str]) -> bool:
    if not endpoint:
        return False
    parts = urlsplit(endpoint)
    if parts.scheme == "https" and parts.hostname:
        return False
    if parts.scheme == "http" and parts.hostname:
        asked = environment.get("AWS_ALLOW_HTTP", "").lower() in ("1", "true", "yes")
        if asked or _is_loopback(parts.hostname):
            return True
    raise NoteBridgeError(
        ErrorCode.INVALID_ARGUMENT,
        f"{endpoint!r} is no endpoint to send a site to.",
        hint="Give an https:// address; http only on this machine, or with AWS_ALLOW_HTTP=true.",
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
