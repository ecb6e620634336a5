"""Settings: values by name, kept as JSON. Never keys or other secrets."""

from __future__ import annotations

from storage.backend import ReadTx, Tx
from storage.json_text import dump, load
from storage.limits import SETTING_BYTES, check_id
from storage.rows import text_of
from storage.schema import Row
from storage.tables import SETTINGS


class Settings:
    """Reads and writes settings."""

    def get(self, tx: ReadTx, key: str, default: object = None) -> object:
        """The value of a setting, or the default where it is not set."""
        row = tx.get(SETTINGS, (key,))
        return default if row is None else load(text_of(row, "value_json"))

    def all(self, tx: ReadTx) -> dict[str, object]:
        """Every setting, in order of name."""
        rows = tx.page(SETTINGS, {}, limit=10_000)
        return {text_of(row, "key"): load(text_of(row, "value_json")) for row in rows}

    def put(self, tx: Tx, key: str, value: object) -> None:
        """Set a value. Raises INVALID_ARGUMENT where it is no JSON, OBJECT_TOO_LARGE."""
        check_id("A setting's name", key)
        values: Row = {
            "value_json": dump(f"The setting {key}", value, SETTING_BYTES),
            "updated_at": tx.now,
        }
        if not tx.update(SETTINGS, (key,), values):
            tx.insert(SETTINGS, {"key": key, **values})

    def remove(self, tx: Tx, key: str) -> bool:
        """Forget a setting; whether it was set."""
        return tx.delete(SETTINGS, {"key": key}) > 0
