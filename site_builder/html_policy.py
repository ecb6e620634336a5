"""What an author allows of raw HTML on his own site, beyond what is allowed everywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from manifest.errors import ErrorCode, NoteBridgeError

ACTIVE_TAGS: Final = frozenset(
    {"applet", "base", "embed", "form", "frame", "frameset", "iframe", "link", "math", "meta"}
    | {"noscript", "object", "portal", "script", "style", "svg", "template", "textarea", "title"}
    | {"xmp"}
)
"""Elements that act, load or swallow what follows; only `unsafe` lets them through."""

ADDRESSES: Final = frozenset(
    {"action", "background", "cite", "data", "formaction", "href", "longdesc", "manifest", "ping"}
    | {"poster", "profile", "src", "srcdoc", "srcset", "usemap", "xlink:href"}
)
"""Attributes that lead somewhere: each is allowed where the page checks it, and nowhere else."""

_TAG = re.compile(r"[a-z][a-z0-9-]{0,40}")
_ATTRIBUTE = re.compile(r"[a-z_][a-z0-9_.:-]{0,40}")
_HOST = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}")
_KEYS: Final = ("tags", "attributes", "frames", "unsafe")


@dataclass(frozen=True, slots=True)
class RawHtmlPolicy:
    """A value, the same for all notes of a site.

    tags: elements that are allowed as well. attributes: pairs of an element (or `*`) and an
    attribute. frames: hosts whose https pages an `<iframe>` may show. unsafe: the author's HTML is
    published as typed, scripts included: for a site whose every note is trusted.
    """

    tags: frozenset[str] = frozenset()
    attributes: frozenset[tuple[str, str]] = frozenset()
    frames: frozenset[str] = frozenset()
    unsafe: bool = False

    @classmethod
    def of(cls, options: Mapping[str, object]) -> RawHtmlPolicy:
        """The policy of a configuration: `{tags: [...], attributes: {div: [...]}, frames: [...],
        unsafe: true}`, each of them optional.

        Raises NoteBridgeError(INVALID_ARGUMENT) for what is no such value, and for tags and
        attributes that act.
        """
        unknown = [str(key) for key in options if key not in _KEYS]
        if unknown:
            raise _invalid(f"unknown key: {unknown[0]}", f"the keys are {', '.join(_KEYS)}")
        unsafe = options.get("unsafe", False)
        if not isinstance(unsafe, bool):
            raise _invalid("unsafe is neither true nor false", "write true or false")
        attributes = options.get("attributes") or {}
        if not isinstance(attributes, Mapping):
            raise _invalid("attributes is no mapping", "write `attributes: {div: [style]}`")
        return cls(
            tags=frozenset(_word(tag, _TAG, ACTIVE_TAGS) for tag in _list(options, "tags")),
            attributes=frozenset(
                (tag if tag == "*" else _word(tag, _TAG, ACTIVE_TAGS), _attribute(name))
                for tag in attributes
                for name in _list(attributes, tag)
            ),
            frames=frozenset(_word(host, _HOST, frozenset()) for host in _list(options, "frames")),
            unsafe=unsafe,
        )


STRICT: Final = RawHtmlPolicy()
"""Nothing beyond what is allowed everywhere."""


def _invalid(problem: str, hint: str) -> NoteBridgeError:
    return NoteBridgeError(ErrorCode.INVALID_ARGUMENT, f"raw_html: {problem}", hint=hint)


def _list(options: Mapping[str, object], key: str) -> list[object]:
    value = options.get(key) or []
    if not isinstance(value, list | tuple):
        raise _invalid(f"{key} is no list", f"write `{key}: [...]`")
    return list(value)


def _word(value: object, pattern: re.Pattern[str], refused: frozenset[str]) -> str:
    word = str(value).strip().lower()
    if not pattern.fullmatch(word):
        raise _invalid(f"no name: {word[:60]}", "write names only, without brackets or `https://`")
    if word in refused:
        raise _invalid(f"`{word}` acts on the page", "use `unsafe: true` if you trust every note")
    return word


def _attribute(value: object) -> str:
    name = _word(value, _ATTRIBUTE, ADDRESSES | {"id", "http-equiv"})
    return _word(name, re.compile("(?!on).*"), frozenset())
