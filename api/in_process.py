"""The HTTP routes without a server: for programs on the machine, and with the rights, of the desk.

Whoever can start this can open the database anyway, so no token is asked for. Runs are judged in
this process unless a worker takes them.
"""

from __future__ import annotations

import asyncio
import getpass
import threading
from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.datastructures import Headers

from api.http import routes
from api.lifecycle import Lifecycle
from api.running import judge_run
from api.web.gate import Caller, Gate
from api.web.scoring import ScoringProcess
from db.engine import Engine, open_engine
from db.tokens import Scope
from recall_core.judges.base import LocalJudge
from recall_core.judging import judge_one
from recall_core.results import Result, result_of
from recall_core.types import Example


class OpenDoor(Gate):
    """Lets everybody in as the person who runs the process."""

    async def caller(self, headers: Headers, scope: Scope | None) -> Caller:
        """The person at this machine, who may do everything."""
        return Caller(0, _login_name(), (Scope.ADMIN,))

    async def anybody(self) -> None:
        """Nobody is refused."""


class ScoringInThread(ScoringProcess):
    """No process is started: the event loop serves this one caller, who waits for the scores."""

    async def score(self, judge: LocalJudge, examples: Sequence[Example]) -> list[Result]:
        """One result an example, in order."""
        return await asyncio.to_thread(
            lambda: [result_of(example, judge, judge_one(judge, example)) for example in examples]
        )


class InProcess:
    """`app` has the routes; `judge` judges a run; close it at the end."""

    def __init__(self, engine: Engine | None = None) -> None:
        self.engine = engine or open_engine()
        self._lifecycle = Lifecycle(engine=self.engine)
        desk = self._lifecycle.desk
        desk.gate = OpenDoor(desk, desk.database, desk.now)
        desk.scoring = ScoringInThread()
        self.app = Starlette(routes=routes(self._lifecycle))

    def judge(self, run_id: int, stop: threading.Event) -> None:
        """Judge the run unless a worker does; returns when it is over, or soon after `stop`."""
        judge_run(self.engine, run_id, stop=stop)

    def close(self) -> None:
        """Let go of threads and of the database."""
        self._lifecycle.desk.close()
        self.engine.dispose()


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # no such user, as in some containers
        return "command line"
