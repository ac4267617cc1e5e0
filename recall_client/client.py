"""`Client`: evaluate examples, at a desk or on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from types import TracebackType
from typing import Protocol

from recall_client.choosing import AsJudge, JudgeChoice, chosen
from recall_client.connection import Connection
from recall_client.desk import Desk
from recall_client.examples import Example, examples_of
from recall_client.here import Here
from recall_client.in_process import DeskInProcess, is_installed
from recall_client.progress import Progress, progress_of
from recall_client.results import Evaluation
from recall_core.errors import InvalidSetting


class Place(Protocol):
    """Where examples are judged."""

    where: str

    def evaluate(
        self,
        name: str,
        examples: tuple[Example, ...],
        choices: tuple[JudgeChoice, ...],
        progress: Progress,
    ) -> Evaluation:
        """Judge and keep."""
        ...

    def score(
        self,
        name: str,
        examples: tuple[Example, ...],
        choices: tuple[JudgeChoice, ...],
        progress: Progress,
    ) -> Evaluation:
        """Judge and keep nothing."""
        ...

    def close(self) -> None:
        """Let go of what is held open."""
        ...


class Client:
    """Evaluates examples, from a script, a notebook or several threads at once.

    With an `address` (or `RECALL_URL`) the desk there judges, and what it finds opens in its
    dashboard; `token` (or `RECALL_TOKEN`) is made by `python -m api token create`. Without an
    address the same happens in this process, if the application is installed here, with the
    database that it uses. Without either, or with `local=True`, the judges that are installed here
    judge and nothing is stored.
    """

    def __init__(
        self, address: str | None = None, *, token: str | None = None, local: bool = False
    ) -> None:
        if local and address is not None:
            raise InvalidSetting("Give an address, or local=True, but not both.")
        self._place: Place = Here() if local else _place(address, token)

    @property
    def where(self) -> str:
        """Where it judges, in words."""
        return self._place.where

    @property
    def desk(self) -> Desk:
        """What the desk keeps: datasets, runs, results, decisions, files. `InvalidSetting` for a
        client that judges on this machine."""
        if not isinstance(self._place, Desk):
            raise InvalidSetting("This client judges on this machine and keeps nothing.")
        return self._place

    def run_evaluation(
        self,
        examples: Iterable[Example] | object,
        judges: AsJudge | Iterable[AsJudge],
        *,
        model: str | None = None,
        name: str | None = None,
        progress: bool | Progress | None = None,
        store: bool = True,
    ) -> Evaluation:
        """Judge every example by every judge.

        `examples` may be `Example`s, mappings with their fields, or a data frame with such columns.
        `judges` are names, `judge(name, setting=…)`, or the core's own. `model` is asked by the
        judges that ask one, whatever their settings say. A judge is a run of the desk, all of them
        over one dataset; `name` is what both are called. With `store=False` nothing is kept. An
        example that lacks a field, or that a judge fails on, is an error of its own; the others go
        on. Raises `InvalidExample`, `InvalidSetting`, and `DeskError` where the desk refuses.
        """
        given, asked = examples_of(examples), chosen(judges, model)
        title = name or f"Evaluation {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
        do = self._place.evaluate if store else self._place.score
        return do(title, given, asked, progress_of(progress))

    def close(self) -> None:
        """Let go of connections; the client is not used any more."""
        self._place.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()


def _place(address: str | None, token: str | None) -> Place:
    url = (address or os.environ.get("RECALL_URL", "")).strip()
    if url:
        connection = Connection(url, token or os.environ.get("RECALL_TOKEN", "").strip() or None)
        return Desk(connection, url)
    return DeskInProcess() if is_installed() else Here()
