"""Where a site is read from, and which redirects stay there.

Addresses come from a user alone, never from a model or from published data. `https` is allowed
everywhere, `http` on loopback only; a redirect may not leave the origin it began at.
"""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from httpx2 import URL, InvalidURL

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.references import MANIFEST_PATH

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""At least two letters: `C:\\notes` is a folder."""

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
_HOST_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_PORTS = {"http": 80, "https": 443}
_PAGE = re.compile(r"(?:ai/manifest\.json|[^/]*\.html?)\Z")
_USERINFO = re.compile(r"//[^/]*@")


@dataclass(frozen=True, slots=True)
class SiteUrl:
    """A site on a host. url ends with `/`; objects and manifest are found below it."""

    url: str

    @property
    def manifest_address(self) -> str:
        """What the manifest is known under; trust in sequences is kept by it."""
        return self.url + MANIFEST_PATH

    @property
    def is_loopback(self) -> bool:
        """Whether the site is on this machine, so that no proxy may be asked for it."""
        return _is_loopback(URL(self.url).host)


@dataclass(frozen=True, slots=True)
class SiteFolder:
    """A site in a folder of this machine; an absolute path."""

    folder: Path

    @property
    def manifest_address(self) -> str:
        """What the manifest is known under."""
        return str(self.folder / MANIFEST_PATH)


SiteAddress = SiteUrl | SiteFolder


def parse_site_address(text: str) -> SiteAddress:
    """The address that a user gave: a URL or a folder.

    The URL may be that of the manifest or of a page beside `ai/`; a fragment is dropped.
    Raises `NoteBridgeError`: ORIGIN_REFUSED for schemes, hosts and forms that are not allowed,
    INVALID_ARGUMENT for an empty address, one with a query, or one that UTF-8 cannot write.
    """
    stripped = text.strip()
    if not stripped or _UNWRITABLE.search(stripped):
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            "The address of the site is empty or cannot be written.",
            hint="Give a folder or an address that begins with https://.",
        )
    if _SCHEME.match(stripped) is None:
        return SiteFolder(Path(os.path.abspath(os.path.expanduser(stripped))))
    return _parse_url(stripped)


def _parse_url(text: str) -> SiteUrl:
    url = _checked(text)
    if url.query:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            "The address of a site has no query.",
            hint="Leave out everything from the question mark on.",
            details={"address": text},
        )
    path = _PAGE.sub("", url.raw_path.decode("ascii"))
    whole = path if path.endswith("/") else path + "/"
    return SiteUrl(str(url.copy_with(raw_path=whole.encode("ascii"), fragment=None)))


def _checked(text: str) -> URL:
    """Parsed by the very parser that the client dials with, so that no two readings differ."""
    if _FORBIDDEN.search(text):
        raise _refused(text, "it holds white space, control characters or a backslash")
    try:
        url = URL(text)
    except InvalidURL as error:
        raise _refused(text, "it cannot be parsed") from error
    if url.userinfo:
        raise _refused(text, "it holds a user name or password")
    if not _is_known_host(url):
        raise _refused(text, "its host is no plain name or IP address")
    if url.scheme == "http" and not _is_loopback(url.host):
        raise _refused(text, "http is allowed on this machine only", hint="Use https.")
    if url.scheme not in _PORTS:
        raise _refused(text, f"{url.scheme}: is not allowed")
    if url.port is not None and not 0 < url.port < 65536:
        raise _refused(text, "there is no such port")
    return url


def _is_known_host(url: URL) -> bool:
    if url.scheme not in _PORTS:
        return True
    host = url.raw_host.decode("ascii").strip("[]")
    if _is_ip(host):
        return True
    # A last label of digits would be read as an IPv4 address by some resolvers (`127.1`, `0x7f.1`).
    last = host.rpartition(".")[2]
    return bool(_HOST_NAME.fullmatch(host)) and not re.fullmatch(r"\d+|0x[0-9a-f]*", last)


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return "%" not in host


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    return _is_ip(host) and _is_loopback_ip(ipaddress.ip_address(host))


def _is_loopback_ip(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return address in ipaddress.IPv4Network("127.0.0.0/8")
    return address == ipaddress.IPv6Address("::1")


def redirect_target(origin: str, location: str) -> str:
    """The absolute address that a redirect leads to, from the address that answered with it.

    Raises `NoteBridgeError` (ORIGIN_REFUSED) if it leaves scheme, host or port.
    """
    try:
        target = str(URL(origin).join(location))
    except (InvalidURL, ValueError) as error:
        raise _refused(location, "a redirect to it cannot be parsed") from error
    try:
        same = _origin(_checked(target)) == _origin(URL(origin))
    except NoteBridgeError:
        same = False
    if not same:
        raise NoteBridgeError(
            ErrorCode.ORIGIN_REFUSED,
            f"{origin} redirects to another origin, {_shown(target)}.",
            hint="If you trust that address, open the site under it.",
            details={"address": origin, "target": _shown(target)},
        )
    return target


def claimed_site_url(text: str) -> str:
    """The address that published data claims for its site, to show; empty if it is no web address.

    Any web address may be claimed, so it is never fetched.
    """
    try:
        url = URL(text)
    except InvalidURL:
        return ""
    if url.scheme not in _PORTS or not _is_known_host(url) or url.userinfo or url.query:
        return ""
    address = str(url.copy_with(fragment=None))
    return address if address.endswith("/") else address + "/"


def page_url(site_url: str, url: str, anchor: str = "") -> str:
    """The absolute, percent-encoded address of a page; url is relative to the site, unencoded.

    Published data cannot lead out of the site: a path with `.` or `..` in it gives the site's own
    address.
    """
    path = url.lstrip("/")
    if any(part in (".", "..") for part in path.split("/")):
        path = ""
    fragment = f"#{quote(anchor, safe='')}" if anchor else ""
    return site_url + quote(path, safe="/") + fragment


def _origin(url: URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or _PORTS.get(url.scheme)


def _shown(address: str) -> str:
    """For messages: short, and without any password."""
    return _USERINFO.sub("//", address)[:200]


def _refused(address: str, why: str, *, hint: str = "") -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.ORIGIN_REFUSED,
        f"The address {_shown(address)} is refused: {why}.",
        hint=hint or "Sites are read over https, over http on this machine, or from a folder.",
        details={"address": _shown(address)},
    )
