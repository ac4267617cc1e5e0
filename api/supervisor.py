"""Keeps the worker process alive for as long as the server lives.

The worker is a child process and not a thread: a judge in pure Python at full CPU would otherwise
starve the pages. Everything it does is in the database, so a worker that dies loses nothing, and
its successor takes the work over.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKER = (sys.executable, str(ROOT / "worker.py"))

SUPERVISED = "RECALL_SUPERVISED"
"""Tells the child that its standard input is a pipe from the server (`end_with_parent`)."""

logger = logging.getLogger("recall.supervisor")


class WorkerState(StrEnum):
    """What the supervisor knows about its child."""

    STARTING = "starting"
    RUNNING = "running"
    WAITING = "waiting to restart"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Patience:
    """All times in seconds: how long to wait before a restart, and before using force.

    The wait doubles with every quick death up to `longest_wait`; a child that lived for
    `lived_well` starts over at `first_wait`.
    """

    first_wait: float = 0.5
    longest_wait: float = 30.0
    lived_well: float = 60.0
    stop_within: float = 10.0


class Supervisor:
    """Starts the command, starts it again when it ends, and ends it on `stop`."""

    def __init__(
        self,
        command: Sequence[str] = WORKER,
        *,
        folder: Path = ROOT,
        patience: Patience | None = None,
    ) -> None:
        self._command = tuple(command)
        self._folder = folder
        self._patience = patience or Patience()
        self._child: asyncio.subprocess.Process | None = None
        self._watching: asyncio.Task[None] | None = None
        self.state = WorkerState.STOPPED
        self.restarts = 0

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._child.pid if self._child and self._child.returncode is None else None

    def start(self) -> None:
        """Begin to keep the child alive; returns at once."""
        self.state = WorkerState.STARTING
        self._watching = asyncio.create_task(self._keep_alive(), name="worker supervisor")

    async def stop(self) -> None:
        """End the child politely, then by force, and return when it is gone."""
        if self._watching is not None:
            self._watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watching
        if self._child is not None:
            await _end(self._child, self._patience.stop_within)
        self.state = WorkerState.STOPPED

    async def _keep_alive(self) -> None:
        wait = self._patience.first_wait
        clock = asyncio.get_running_loop().time
        while True:
            begun = clock()
            ending = await self._run_once()
            lived = clock() - begun
            if lived >= self._patience.lived_well:
                wait = self._patience.first_wait
            self.state = WorkerState.WAITING
            logger.warning(
                "The worker %s after %.1f s; the next one starts in %.1f s.", ending, lived, wait
            )
            await asyncio.sleep(wait)
            wait = min(wait * 2, self._patience.longest_wait)
            self.restarts += 1

    async def _run_once(self) -> str:
        """Run one child to its end; says in words how it ended."""
        try:
            self._child = await asyncio.create_subprocess_exec(
                *self._command,
                cwd=self._folder,
                stdin=asyncio.subprocess.PIPE,
                env=os.environ | {SUPERVISED: "1"},
            )
        except OSError as error:
            return f"could not be started ({error})"
        self.state = WorkerState.RUNNING
        code = await self._child.wait()
        return f"ended with code {code}"


def end_with_parent() -> None:
    """For the child: end this process when the server is gone, even if it was killed outright.

    The pipe on standard input closes with the server, however it dies. Without a supervisor this
    does nothing, so the worker also runs alone.
    """
    if os.environ.get(SUPERVISED):
        threading.Thread(target=_wait_for_closed_pipe, name="parent watch", daemon=True).start()


def _wait_for_closed_pipe() -> None:
    while os.read(0, 1024):
        pass
    os._exit(0)


async def _end(child: asyncio.subprocess.Process, within: float) -> None:
    if child.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        child.terminate()
    try:
        await asyncio.wait_for(child.wait(), within)
    except TimeoutError:
        logger.warning("The worker did not end within %.0f s and is killed.", within)
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()


@contextlib.asynccontextmanager
async def kept_alive(supervisor: Supervisor) -> AsyncIterator[Supervisor]:
    """The supervisor at work for as long as the block runs."""
    supervisor.start()
    try:
        yield supervisor
    finally:
        await supervisor.stop()
