"""The one place that chooses the SQLite driver: pysqlite3 where installed, else Python's own.

Many Pythons are built without loadable extensions or with an old SQLite; pysqlite3 brings its
own. Everything in this room imports `sqlite3` from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
else:
    try:
        from pysqlite3 import dbapi2 as sqlite3
    except ImportError:
        import sqlite3

__all__ = ["SAFE_FOR_SEVERAL_CONNECTIONS", "DriverReport", "driver_report", "sqlite3"]

SAFE_FOR_SEVERAL_CONNECTIONS = sqlite3.sqlite_version_info >= (3, 51, 3)
"""Before 3.51.3 two writing connections to one file in WAL mode could corrupt it when one
reset the log while the other checkpointed. Older drivers get one connection only."""


@dataclass(frozen=True, slots=True)
class DriverReport:
    """What `doctor` says of the driver."""

    module: str
    sqlite_version: str
    several_connections: bool
    loadable_extensions: bool


def driver_report() -> DriverReport:
    """The driver in use and what it can do."""
    return DriverReport(
        module=sqlite3.__name__,
        sqlite_version=sqlite3.sqlite_version,
        several_connections=SAFE_FOR_SEVERAL_CONNECTIONS,
        loadable_extensions=hasattr(sqlite3.Connection, "enable_load_extension"),
    )
