"""One SQLite connection and the one thread that uses it.

A job is run whole on the thread; the task that awaits it may be cancelled, the job goes on.
So no transaction ever hangs on whether somebody still waits for it.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

from manifest.errors import ErrorCode, NoteBridgeError
from storage.driver import sqlite3

T = TypeVar("T")

_EXIT_SECONDS = 10.0


class ConnectionThread:
    """Runs jobs, one after the other, on a thread of its own.

    The thread is a daemon, so a forgotten one does not keep the process alive; it is closed
    at the end of the process all the same, if nobody closed it before.
    connection: made with `check_same_thread=False`, and left to this thread from now on.
    """

    def __init__(self, name: str, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._pid = os.getpid()
        self._gate = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()
        atexit.register(self._close_at_exit)

    async def run(
        self,
        job: Callable[[sqlite3.Connection], T],
        on_done: Callable[[T], None] | None = None,
    ) -> T:
        """Run a job on the thread and return what it returns or raise what it raises.

        on_done: called on the event loop with the value, even if this await is cancelled.
        Raises INTERNAL after `close`, STORAGE_LOCKED in a process forked from the owner.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def whole() -> None:
            try:
                value = job(self._connection)
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
                settle = partial(_fail, future, error)
            else:
                settle = partial(_succeed, future, value, on_done)
            with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits
                loop.call_soon_threadsafe(settle)

        self._submit(whole)
        return await asyncio.shield(future)

    async def close(self) -> None:
        """Finish what was submitted, close the connection, end the thread. Twice is fine."""
        self._check_process()
        await asyncio.shield(asyncio.to_thread(self._close))

    def _submit(self, whole: Callable[[], None]) -> None:
        self._check_process()
        with self._gate:
            if self._closed:
                raise NoteBridgeError(ErrorCode.INTERNAL, "The storage was closed.")
            self._jobs.put(whole)

    def _close(self) -> None:
        with self._gate:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join()
        atexit.unregister(self._close_at_exit)

    def _close_at_exit(self) -> None:
        if os.getpid() != self._pid:
            return
        with self._gate:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join(_EXIT_SECONDS)

    def _work(self) -> None:
        while (whole := self._jobs.get()) is not None:
            whole()
        self._connection.close()

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            raise NoteBridgeError(
                ErrorCode.STORAGE_LOCKED,
                f"This storage belongs to process {self._pid}; a fork of it cannot use it.",
                hint="Open storage after forking, in one process.",
            )


def _fail(future: asyncio.Future[T], error: BaseException) -> None:
    future.set_exception(error)
    future.exception()  # marks it as seen: a cancelled awaiter will not ask


def _succeed(future: asyncio.Future[T], value: T, on_done: Callable[[T], None] | None) -> None:
    if on_done is not None:
        try:
            on_done(value)
        except Exception as error:  # noqa: BLE001 - the commit stands, whatever follows it
            future.get_loop().call_exception_handler(
                {"message": "What follows a commit failed", "exception": error}
            )
    future.set_result(value)
