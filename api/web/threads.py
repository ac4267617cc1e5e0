"""Bounded places for work that would hold the event loop up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from api.web.answers import Problem

P = ParamSpec("P")
T = TypeVar("T")


class Bounded:
    """Runs functions elsewhere; refuses more than `waiting` at a time instead of piling them up."""

    def __init__(self, executor: Executor, *, waiting: int, what: str) -> None:
        self._executor = executor
        self._free = waiting
        self._what = what

    async def run(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `do(...)` gives; a 503 when too many are waiting already."""
        if self._free <= 0:
            raise Problem(
                503,
                f"Too many requests wait for {self._what}. Try again in a few seconds.",
                headers={"Retry-After": "2"},
            )
        self._free -= 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._executor, partial(do, *args, **kwargs))
        finally:
            self._free += 1

    def close(self) -> None:
        """Take nothing on any more, and let go of what has not begun."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def bounded_threads(count: int, *, waiting: int, what: str) -> Bounded:
    """`count` threads of our own: Streamlit shares its small pool with file serving."""
    pool = ThreadPoolExecutor(count, thread_name_prefix=what.replace(" ", "-"))
    return Bounded(pool, waiting=waiting, what=what)
