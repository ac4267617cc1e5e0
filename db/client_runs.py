"""Runs of other products' clients: gathered as they arrive, then made into a run of the desk.

A client tells of its run in pieces, in any order and perhaps twice. They are kept until the last
one is there; then the rows become a dataset, and each evaluator that was asked becomes a run over
it, which the worker judges with the settings that the client had sent. A judge without a model
comes to the same again, and what a model had answered is in the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import Engine, delete, func, select, update
from sqlalchemy.orm import Session

from db.datasets import find_by_hash, save_dataset
from db.engine import reading, transaction
from db.errors import NotKept
from db.runs import RunOptions, create_run
from db.tables import ClientCallRow, ClientRowRow, ClientRunRow
from recall_core.ingest import content_hash
from recall_core.judges import make_judge
from recall_core.judges.base import Judge
from recall_core.types import Example, Json

CALLS_KEPT = timedelta(days=1)
"""How long it is remembered how an evaluation was asked for, if its row never arrives."""

_TRACE = 64
"""What the column of traces takes; a hash has as much."""


@dataclass(frozen=True, slots=True)
class ClientRun:
    """A run as its client names it; `run_id` is the desk's, as soon as there is one."""

    id: int
    key: str
    place: str
    name: str
    expected: int | None
    run_id: int | None


@dataclass(frozen=True, slots=True)
class ClientRow:
    """One row of it. `logged` holds what was said about it, by the name of what was measured."""

    position: str
    entry: Mapping[str, Json] | None
    logged: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClientCall:
    """How an evaluation was asked for."""

    judge: str
    settings: Mapping[str, Json]
    data: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Whose:
    """Which client of which token."""

    token_id: int
    client: str


def remember_call(
    engine: Engine, token_id: int, trace: str, call: ClientCall, *, now: datetime
) -> None:
    """Keep how the evaluation was asked for, until its row arrives; the newest counts."""
    with transaction(engine) as session:
        session.execute(delete(ClientCallRow).where(ClientCallRow.at < now - CALLS_KEPT))
        session.merge(
            ClientCallRow(
                token_id=token_id,
                trace=_trace_key(trace),
                judge=call.judge,
                settings=dict(call.settings),
                data=dict(call.data),
                at=now,
            )
        )


def calls_of_traces(
    engine: Engine, token_id: int, traces: Iterable[str]
) -> Mapping[str, list[ClientCall]]:
    """The evaluations that were asked for under each of these traces."""
    row = ClientCallRow
    by_key = {_trace_key(trace): trace for trace in traces}
    query = select(row).where(row.token_id == token_id, row.trace.in_(by_key))
    found: dict[str, list[ClientCall]] = {}
    with reading(engine) as session:
        for call in session.scalars(query.order_by(row.judge)):
            found.setdefault(by_key[call.trace], []).append(
                ClientCall(call.judge, call.settings, call.data)
            )
    return found


def _trace_key(trace: str) -> str:
    """As the column takes it: a long one by its hash, for two may begin alike."""
    return trace if len(trace) < _TRACE else sha256(trace.encode()).hexdigest()


def take_rows(
    engine: Engine,
    whose: Whose,
    key: str,
    rows: Sequence[ClientRow],
    *,
    place: str,
    name: str,
    finished_with: int | None,
    now: datetime,
) -> ClientRun:
    """Keep what a client sent of its run; sent twice, it is kept once.

    `finished_with`: the client is done, and this is how many rows it says there are.
    """
    with transaction(engine) as session:
        run = _of(session, whose, key)
        if run is None:
            run = ClientRunRow(
                token_id=whose.token_id,
                client=whose.client,
                key=key,
                place=place,
                name=name,
                created_at=now,
            )
            session.add(run)
            session.flush()
        if finished_with is not None:
            run.expected = finished_with
        for sent in rows:
            _take(session, run.id, sent)
        return _client_run(run)


def _take(session: Session, client_run_id: int, sent: ClientRow) -> None:
    row = session.get(ClientRowRow, (client_run_id, sent.position))
    if row is None:
        row = ClientRowRow(
            client_run_id=client_run_id, position=sent.position, entry=None, logged={}
        )
        session.add(row)
    if sent.entry is not None:
        row.entry = dict(sent.entry)
    row.logged = {**row.logged, **sent.logged}


def find_client_run(engine: Engine, whose: Whose, key: str) -> ClientRun | None:
    """The run that the client names so, or `None`."""
    with reading(engine) as session:
        row = _of(session, whose, key)
        return None if row is None else _client_run(row)


def run_at_place(engine: Engine, client: str, place: str, key: str) -> ClientRun:
    """The run at this address in the browser; `NotKept` if there is none."""
    row = ClientRunRow
    query = select(row).where(row.client == client, row.place == place, row.key == key)
    with reading(engine) as session:
        found = session.scalars(query.order_by(row.id.desc())).first()
        if found is None:
            raise NotKept(f"Nothing has arrived of the run {key!r} of {place!r} yet.")
        return _client_run(found)


def rows_of(engine: Engine, client_run_id: int) -> list[ClientRow]:
    """What has arrived of the run, in the order of the client's indices."""
    row = ClientRowRow
    with reading(engine) as session:
        found = session.scalars(select(row).where(row.client_run_id == client_run_id))
        rows = [ClientRow(one.position, one.entry, one.logged) for one in found]
    return sorted(rows, key=lambda one: _in_order(one.position))


def is_complete(engine: Engine, run: ClientRun) -> bool:
    """Whether the client is done and all its rows are there."""
    if run.expected is None:
        return False
    row = ClientRowRow
    query = select(func.count()).where(row.client_run_id == run.id, row.entry.is_not(None))
    with reading(engine) as session:
        return (session.scalar(query) or 0) >= run.expected


def make_runs(
    engine: Engine,
    run: ClientRun,
    examples: Sequence[Example],
    judges: Sequence[tuple[str, Judge]],
    *,
    author: str,
    now: datetime,
) -> list[int]:
    """Make the dataset, unless the same one is there, and a run of each (name, judge); their ids.

    The first one is the run that the client's address leads to. Without a judge only the dataset is
    made.
    """
    dataset_id = _dataset_of(engine, run.name, examples, author=author, now=now)
    made = [
        create_run(
            engine,
            dataset_id=dataset_id,
            judge=judge,
            name=name,
            options=RunOptions(),
            author=author,
            now=now,
        )
        for name, judge in judges
    ]
    if made:
        with transaction(engine) as session:
            row = ClientRunRow
            session.execute(update(row).where(row.id == run.id).values(run_id=made[0]))
    return made


def judge_as_asked(call: ClientCall) -> Judge:
    """The judge with the settings that the client sent."""
    return make_judge(call.judge, call.settings)


def _dataset_of(
    engine: Engine, name: str, examples: Sequence[Example], *, author: str, now: datetime
) -> int:
    digest = content_hash(examples)
    same = find_by_hash(engine, digest)
    if same is not None:
        return same.id
    return save_dataset(
        engine, name, examples, content_hash=digest, source="", author=author, now=now
    )


def _of(session: Session, whose: Whose, key: str) -> ClientRunRow | None:
    row = ClientRunRow
    query = select(row).where(row.token_id == whose.token_id, row.client == whose.client)
    return session.scalars(query.where(row.key == key)).one_or_none()


def _client_run(row: ClientRunRow) -> ClientRun:
    return ClientRun(row.id, row.key, row.place, row.name, row.expected, row.run_id)


def _in_order(position: str) -> tuple[int, str]:
    return (int(position), "") if position.isdecimal() else (2**63, position)
