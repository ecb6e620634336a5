"""How hosts should serve a site: what may be kept how long, and who may read it.

The reader relies on none of this; it makes sites fast and open to readers in browsers elsewhere.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from manifest.references import MANIFEST_PATH, OBJECTS_PATH

IMMUTABLE = "public, max-age=31536000, immutable"
"""For objects: their names are their hashes, so a year is as good as for ever."""

REVALIDATED = "no-cache"
"""For the manifest: kept, but asked for again before each use."""

SMALLEST_FILE_LIMIT = 25 << 20
"""Bytes of one file that every known host takes; Cloudflare Pages takes no more."""

_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}

HEADERS_PATH = "_headers"
NOT_FOUND_PATH = "404.html"


@dataclass(frozen=True, slots=True)
class HeaderRule:
    """Headers of the paths that a pattern matches: exactly it, or what follows its final `*`.

    Hosts join the values of a header that two matching rules set, so no two rules that can match
    one path may name the same header.
    """

    pattern: str
    headers: tuple[tuple[str, str], ...]

    def matches(self, path: str) -> bool:
        """Whether the rule is for this path, which begins with a slash."""
        if self.pattern.endswith("*"):
            return path.startswith(self.pattern[:-1])
        return path == self.pattern


RULES = (
    HeaderRule("/*", (("X-Content-Type-Options", "nosniff"),)),
    HeaderRule("/ai/*", (("Access-Control-Allow-Origin", "*"),)),
    HeaderRule(f"/{MANIFEST_PATH}", (("Cache-Control", REVALIDATED),)),
    HeaderRule(f"/{OBJECTS_PATH}/*", (("Cache-Control", IMMUTABLE),)),
)


def response_headers(path: str) -> dict[str, str]:
    """The headers of a path below the site (without leading slash), beside the host's own."""
    return {
        name: value for rule in RULES if rule.matches(f"/{path}") for name, value in rule.headers
    }


def content_type(path: str) -> str:
    """What a file is, by its name; the same on every machine for what sites consist of."""
    suffix = PurePosixPath(path).suffix.lower()
    return _TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"


def cache_control(path: str) -> str:
    """How long a file may be kept, for hosts that are told so with each file."""
    return response_headers(path).get("Cache-Control", REVALIDATED)


def headers_file(base: str = "") -> str:
    """The text of `_headers`, as Cloudflare Pages and Netlify read it.

    base: the path of the site's address where it does not stand at the top of its host, such as
    `/notes`; without a final slash.
    """
    lines: list[str] = []
    for rule in RULES:
        lines.append(f"{base}{rule.pattern}")
        lines.extend(f"  {name}: {value}" for name, value in rule.headers)
    return "\n".join(lines) + "\n"


def nginx_snippet(base: str = "") -> str:
    """What belongs into a `server` block of nginx.

    A location that sets a header inherits none, so each names all of its own. Without `always` a
    header goes out with what was found only: a missing object is not remembered for a year. But a
    reader elsewhere may know that it is missing, hence an answer of its own below `ai/`.
    """
    return f"""\
# The site of Note Bridge: put these lines into the server block.
charset utf-8;
charset_types text/plain text/css text/javascript text/xml application/javascript
              application/json image/svg+xml;
gzip on;
gzip_vary on;
gzip_types text/plain text/css text/javascript text/xml application/javascript
           application/json application/xml image/svg+xml;
error_page 404 {base}/{NOT_FOUND_PATH};

location {base}/ {{
    add_header X-Content-Type-Options nosniff always;
}}
location {base}/ai/ {{
    error_page 404 @note_bridge_missing;
    add_header X-Content-Type-Options nosniff;
    add_header Access-Control-Allow-Origin "*";
}}
location = {base}/{MANIFEST_PATH} {{
    error_page 404 @note_bridge_missing;
    add_header X-Content-Type-Options nosniff;
    add_header Access-Control-Allow-Origin "*";
    add_header Cache-Control "{REVALIDATED}";
}}
location {base}/{OBJECTS_PATH}/ {{
    error_page 404 @note_bridge_missing;
    add_header X-Content-Type-Options nosniff;
    add_header Access-Control-Allow-Origin "*";
    add_header Cache-Control "{IMMUTABLE}";
}}
location @note_bridge_missing {{
    add_header X-Content-Type-Options nosniff always;
    add_header Access-Control-Allow-Origin "*" always;
    return 404;
}}
"""


def caddy_snippet(base: str = "") -> str:
    """What belongs into a site block of a Caddyfile, below its `root`.

    The matcher of objects asks for the file as well: a missing one is not remembered for a year.
    """
    return f"""\
# The site of Note Bridge: put these lines into the site block, after `root`.
encode zstd gzip
file_server

@note_bridge_site path {base}/*
header @note_bridge_site X-Content-Type-Options nosniff

@note_bridge_ai path {base}/ai/*
header @note_bridge_ai Access-Control-Allow-Origin *

@note_bridge_manifest path {base}/{MANIFEST_PATH}
header @note_bridge_manifest Cache-Control "{REVALIDATED}"

@note_bridge_objects {{
    path {base}/{OBJECTS_PATH}/*
    file
}}
header @note_bridge_objects Cache-Control "{IMMUTABLE}"

handle_errors {{
    @note_bridge_missing expression {{http.error.status_code}} == 404
    rewrite @note_bridge_missing {base}/{NOT_FOUND_PATH}
    file_server
}}
"""


def hosting_warnings(paths: Iterable[str]) -> tuple[str, ...]:
    """What a built site of these files lacks that hosts need, in words for its author."""
    there = set(paths)
    warnings: list[str] = []
    if NOT_FOUND_PATH not in there:
        warnings.append(
            f"The site has no {NOT_FOUND_PATH}: some hosts then answer missing files with the home "
            "page. Build with a theme that has one."
        )
    if HEADERS_PATH not in there:
        warnings.append(
            f"The site has no {HEADERS_PATH}: hosts that read it will not know that objects may be "
            "kept for a year, and readers in browsers elsewhere may be refused."
        )
    return tuple(warnings)
