"""Language tags: what an author may write for a language, and what is published for it.

Source: RFC 5646 (BCP 47), its grammar; and the facts that the registry holds no primary language
of four letters or more, and of two letters only those of ISO 639-1.
"""

from __future__ import annotations

import re
from typing import Final

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.note import Finding, FindingKind

_TWO_LETTERS: Final = (
    " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu "
    "hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb "
    "lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om "
    "or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv "
    "sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh "
    "zu "
)
_TAG = re.compile(
    r"(?P<language>[a-z]{2,3}(?:-[a-z]{3}){0,3})"
    r"(?P<script>-[a-z]{4})?(?P<region>-(?:[a-z]{2}|\d{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*)"
    r"(?P<extensions>(?:-[a-wy-z0-9](?:-[a-z0-9]{2,8})+)*)(?P<private>-x(?:-[a-z0-9]{1,8})+)?",
    re.I | re.A,
)
_MEANT: Final = {
    "cn": "zh-CN",
    "chinese": "zh",
    "cz": "cs",
    "dk": "da",
    "english": "en",
    "french": "fr",
    "german": "de",
    "gr": "el",
    "japanese": "ja",
    "jp": "ja",
    "korean": "ko",
    "russian": "ru",
    "spanish": "es",
    "ua": "uk",
    "中文": "zh",
}
"""What authors write for a language that is no tag."""


def language_tag(written: str) -> str:
    """The tag in its usual letters (`zh-Hant-TW`); empty if it is no language's."""
    found = _TAG.fullmatch(written.strip())
    if found is None:
        return ""
    language = found["language"].lower()
    primary = language.partition("-")[0]
    if len(primary) == 2 and f" {primary} " not in _TWO_LETTERS:
        return ""
    script = (found["script"] or "").title()
    region = (found["region"] or "").upper()
    rest = found["variants"] + found["extensions"] + (found["private"] or "")
    return language + script + region + rest.lower()


def suggested_tag(written: str) -> str:
    """The tag an author may have meant; empty where none comes to mind."""
    word = written.strip()
    return _MEANT.get(word.casefold(), "") or language_tag(word.replace("_", "-"))


def note_language(path: str, written: str) -> tuple[str, Finding | None]:
    """The tag that the note at `path` states, and what to tell its author where it is none; a note
    that states none, or no tag, takes the language of its folder or site."""
    tag = language_tag(written)
    if tag or not written.strip():
        return tag, None
    message = f"`{written.strip()[:60]}` is no language tag"
    return "", Finding(path, 0, FindingKind.LANGUAGE, message, language_hint(written))


def required_tag(written: str, where: str) -> str:
    """The tag of a setting. where: names the setting, for the message.

    Raises `NoteBridgeError` (INVALID_ARGUMENT) for what is no language tag.
    """
    tag = language_tag(written)
    if not tag:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"{where}: `{written[:60]}` is no language tag.",
            hint=language_hint(written),
        )
    return tag


def language_hint(written: str) -> str:
    """What to write instead of what is no tag."""
    meant = suggested_tag(written)
    return f"Write `{meant}`." if meant else "Write a BCP 47 tag such as en, zh-CN or pt-BR."
