"""Runs and datasets by what people type: a number, a name, or `last`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Protocol, TypeVar

import typer

from db.datasets import DatasetCard, get_dataset, list_datasets
from db.engine import Engine
from db.errors import NotKept
from db.runs import RunCard, RunState, get_run, list_runs
from recall_core.errors import RecallError

LAST = "last"

RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="Number or name of the run, or: last.")
]


class Named(Protocol):
    """What people tell apart by name, and the database by number."""

    @property
    def id(self) -> int: ...

    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


def found_run(engine: Engine, wanted: str) -> RunCard:
    """The run of that number or name, or the newest; `RecallError` if none or several are meant."""
    if wanted.isdecimal():
        return get_run(engine, int(wanted))
    runs = list_runs(engine)
    if wanted == LAST:
        if not runs:
            raise NotKept("There is no run yet. `python -m api run FILE --judge NAME` makes one.")
        return runs[0]
    return _only([run for run in runs if run.name == wanted], wanted, "run")


def run_before(engine: Engine, run: RunCard) -> RunCard | None:
    """The newest finished run of the same judge before this one, over the same dataset if there
    is one, else over any other."""
    earlier = [
        other
        for other in list_runs(engine)
        if other.id < run.id and other.judge == run.judge and other.state is RunState.DONE
    ]
    same = [other for other in earlier if other.dataset_id == run.dataset_id]
    return next(iter([*same, *earlier]), None)


def found_dataset(engine: Engine, wanted: str) -> DatasetCard:
    """The dataset of that number or name; `RecallError` if none or several are meant."""
    if wanted.isdecimal():
        return get_dataset(engine, int(wanted))
    return _only([d for d in list_datasets(engine) if d.name == wanted], wanted, "dataset")


def _only(found: Sequence[N], wanted: str, noun: str) -> N:
    if not found:
        raise NotKept(f"There is no {noun} named {wanted!r}. `python -m api {noun}s` lists them.")
    if len(found) > 1:
        numbers = ", ".join(str(one.id) for one in found)
        raise RecallError(f"Several {noun}s are named {wanted!r}. Give a number: {numbers}.")
    return found[0]
