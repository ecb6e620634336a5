"""Keys of a keyboard: `++ctrl+alt+del++`, and in quotes what a key says that has no name."""

from __future__ import annotations

from html import escape
from typing import Final

_KEY: Final = r"(?:[A-Za-z0-9-]{1,30}|\"[^\"\n+]{1,40}\")"
PATTERN: Final = rf"(?<![\w+])\+\+({_KEY}(?:\+{_KEY}){{0,7}})\+\+(?![\w+])"

_NAMES: Final = {
    "arrow-down": "↓", "arrow-left": "←", "arrow-right": "→", "arrow-up": "↑", "asterisk": "*",
    "backquote": "`", "bar": "|", "cmd": "⌘", "colon": ":", "comma": ",", "command": "⌘",
    "control": "Ctrl", "del": "Del", "delete": "Del", "dot": ".", "down": "↓", "equal": "=",
    "escape": "Esc", "exclam": "!", "hash": "#", "ins": "Ins", "insert": "Ins", "left": "←",
    "minus": "-", "period": ".", "plus": "+", "question": "?", "return": "Enter", "right": "→",
    "semicolon": ";", "slash": "/", "tilde": "~", "underscore": "_", "up": "↑", "windows": "Win",
}  # fmt: skip


def keys(written: str) -> str:
    """HTML of what stands between the doubled plus signs."""
    shown = "<span>+</span>".join(
        f"<kbd>{escape(_name(key), quote=False)}</kbd>" for key in written.split("+")
    )
    return f'<span class="keys">{shown}</span>'


def _name(key: str) -> str:
    if key[0] == '"':
        return key[1:-1]
    return _NAMES.get(key.lower()) or key.replace("-", " ").title()
