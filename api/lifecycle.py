"""What lives as long as the server does: one database engine and one supervised worker."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from api.sockets import send_at_once
from api.supervisor import Supervisor, kept_alive
from api.web.desk import Desk
from db.engine import Engine, open_engine


@dataclass
class Lifecycle:
    """Opens at start-up, closes at shut-down; `engine` is there in between."""

    supervisor: Supervisor = field(default_factory=Supervisor)
    engine: Engine | None = None
    desk: Desk = field(init=False)

    def __post_init__(self) -> None:
        self.desk = Desk(lambda: self.engine)

    @asynccontextmanager
    async def lifespan(self, _: object) -> AsyncIterator[None]:
        """Bring the database up to date, then keep the worker alive until the server stops."""
        send_at_once()
        self.engine = await asyncio.to_thread(open_engine)
        _spare_the_collector()
        try:
            async with kept_alive(self.supervisor):
                yield
        finally:
            self.desk.close()
            self.engine.dispose()
            self.engine = None

    def database_answers(self) -> None:
        """Return when the database is reachable, raise the driver's error when it is not."""
        if self.engine is None:
            raise ConnectionError("The database is not open.")
        with self.engine.connect() as connection:
            connection.exec_driver_sql("SELECT 1")


def _spare_the_collector() -> None:
    """What is imported by now stays, so the garbage collector need not look through it again.

    A whole collection stops everything for 150 to 400 ms otherwise (measured), and a request that
    comes then waits as long.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
