"""The database that a command works on."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager

from db.engine import Engine, open_engine


@contextmanager
def database() -> Iterator[Engine]:
    """The database that `RECALL_DATABASE_URL` names, closed when the command ends."""
    engine = open_engine()
    try:
        yield engine
    finally:
        engine.dispose()


def login_name() -> str:
    """Who works at this machine, for "created by"."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # no such user, as in some containers
        return "command line"
