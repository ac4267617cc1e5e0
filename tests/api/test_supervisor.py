"""The worker is kept alive, and ends with its server. Children here are real processes."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import psutil

from api.supervisor import Patience, Supervisor, WorkerState, kept_alive

QUICK = Patience(first_wait=0.02, longest_wait=0.05, lived_well=60, stop_within=0.5)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


async def until(said, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not said():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.01)


def test_a_worker_that_dies_is_started_again(tmp_path: Path) -> None:
    lives = tmp_path / "lives"
    code = f"open({str(lives)!r}, 'a').write('x')"

    async def scene() -> int:
        async with kept_alive(Supervisor(python(code), patience=QUICK)) as supervisor:
            await until(lambda: supervisor.restarts >= 2)
            return supervisor.restarts

    restarts = asyncio.run(scene())

    assert restarts >= 2
    assert len(lives.read_text()) >= 2


def test_a_running_worker_is_left_alone_and_ends_with_the_server() -> None:
    async def scene() -> tuple[int, Supervisor]:
        async with kept_alive(
            Supervisor(python("import time; time.sleep(60)"), patience=QUICK)
        ) as supervisor:
            await until(lambda: supervisor.state is WorkerState.RUNNING)
            assert supervisor.pid is not None
            return supervisor.pid, supervisor

    pid, supervisor = asyncio.run(scene())

    assert not psutil.pid_exists(pid)
    assert (supervisor.state, supervisor.restarts, supervisor.pid) == (WorkerState.STOPPED, 0, None)


def test_a_worker_that_ignores_the_request_to_end_is_killed(tmp_path: Path) -> None:
    deaf = tmp_path / "deaf"
    code = (
        "import pathlib, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        f"pathlib.Path({str(deaf)!r}).touch(); time.sleep(60)"
    )

    async def scene() -> int:
        async with kept_alive(Supervisor(python(code), patience=QUICK)) as supervisor:
            await until(deaf.exists)
            assert supervisor.pid is not None
            return supervisor.pid

    pid = asyncio.run(scene())

    assert not psutil.pid_exists(pid)


def test_a_worker_that_cannot_start_is_tried_again_and_does_not_stop_the_server() -> None:
    async def scene() -> WorkerState:
        async with kept_alive(Supervisor(["/no/such/program"], patience=QUICK)) as supervisor:
            await until(lambda: supervisor.restarts >= 2)
            return supervisor.state

    assert asyncio.run(scene()) in (WorkerState.WAITING, WorkerState.STARTING)


def test_the_wait_doubles_after_quick_deaths_up_to_a_limit() -> None:
    waits: list[float] = []
    patience = Patience(first_wait=0.02, longest_wait=0.08, lived_well=60)

    async def scene() -> None:
        async with kept_alive(Supervisor(["/no/such/program"], patience=patience)) as supervisor:
            begun = time.monotonic()
            for count in (1, 2, 3, 4):
                await until(lambda count=count: supervisor.restarts >= count)
                waits.append(time.monotonic() - begun)

    asyncio.run(scene())

    assert waits[3] >= 0.02 + 0.04 + 0.08 + 0.08


def test_a_worker_ends_when_the_pipe_from_its_server_closes(tmp_path: Path, root: Path) -> None:
    ready = tmp_path / "ready"
    code = (
        "import pathlib, time; from api.supervisor import end_with_parent; end_with_parent(); "
        f"pathlib.Path({str(ready)!r}).touch(); time.sleep(60)"
    )

    async def scene() -> int | None:
        supervisor = Supervisor(python(code), folder=root, patience=QUICK)
        supervisor.start()
        await until(ready.exists)
        child = supervisor._child
        assert child is not None
        assert child.stdin is not None
        child.stdin.close()
        ended_with = await asyncio.wait_for(child.wait(), 10)
        await supervisor.stop()
        return ended_with

    assert asyncio.run(scene()) == 0
