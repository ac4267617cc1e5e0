"""A desk that answers on loopback, with a worker, over a database of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
import uvicorn
from starlette.applications import Starlette

from api.http import routes
from db.engine import Engine
from db.owners import new_owner
from db.recording import Pace
from db.tokens import Scope, create_token
from db.working import work
from recall_client import Client
from tests.api.calling import desk_of


@dataclass(frozen=True)
class Served:
    """Where the desk is, and who may come in."""

    address: str
    token: str
    engine: Engine

    def client(self) -> Client:
        return Client(self.address, token=self.token)


@contextmanager
def served(engine: Engine) -> Iterator[str]:
    """The desk's routes on a free port, in a thread."""
    with desk_of(engine) as lifecycle, socket.create_server(("127.0.0.1", 0)) as listening:
        app = Starlette(routes=routes(lifecycle))
        config = uvicorn.Config(app, log_level="warning", lifespan="off", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(
            target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True
        )
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


@contextmanager
def working(engine: Engine) -> Iterator[None]:
    """A worker, in a thread."""
    stop = threading.Event()
    pace = Pace(record=0.05, look=0.05)
    thread = threading.Thread(
        target=work,
        args=(engine,),
        kwargs={
            "owner": new_owner(),
            "stop": stop,
            "clock": lambda: datetime.now(UTC),
            "pace": pace,
        },
        daemon=True,
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10)


@pytest.fixture
def desk(engine: Engine) -> Iterator[Served]:
    """A desk that judges, and a token for a program that evaluates, reads and reviews."""
    scopes = (Scope.EVALUATE, Scope.REVIEW)
    token = create_token(engine, "notebook", scopes, now=datetime.now(UTC))
    with served(engine) as address, working(engine):
        yield Served(address, token, engine)


@pytest.fixture
def in_process(engine: Engine, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A client without an address, where the application is installed."""
    monkeypatch.delenv("RECALL_URL", raising=False)
    monkeypatch.setenv("RECALL_DATABASE_URL", database_url)
    return Client()
