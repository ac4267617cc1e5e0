"""Fixtures for tests of the HTTP interface."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from db.engine import Engine
from db.tokens import Scope
from tests.api.calling import Program, desk_of
from tests.api.commanding import run, write

__all__ = ["run", "write"]


@pytest.fixture
def stranger(engine: Engine) -> Iterator[Program]:
    """Somebody who calls a desk without a token."""
    with desk_of(engine) as lifecycle:
        yield Program(lifecycle)


@pytest.fixture
def program(stranger: Program) -> Program:
    """A program that may do everything."""
    return stranger.named("admin", Scope.ADMIN)
