"""Statement sets: expected outputs split once per dataset, so that runs share one denominator.

By sentence a set is made whole before its first run; by a model it grows as examples are judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlalchemy import Engine, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from db.columns import whole_text
from db.deleting import clear_statement_set
from db.engine import reading, transaction
from db.owners import new_owner
from db.tables import ExampleRow, StatementRow, StatementSetRow
from recall_core.asking.judge import ModelJudge
from recall_core.asking.splitting import SPLITTING_VERSION
from recall_core.judges.base import Judge
from recall_core.statements import split_statements

BY_SENTENCE = "sentence"
BY_MODEL = "model"
BATCH = 200


def statement_set_for(
    engine: Engine, dataset_id: int, judge: Judge, *, author: str, now: datetime
) -> int | None:
    """The set of statements that a run of this judge points at; `None` if it judges none."""
    if not judge.uses_statements:
        return None
    if isinstance(judge, ModelJudge) and judge.splits_by_model:
        return model_set(engine, dataset_id, judge.model, author=author, now=now)
    return sentence_set(engine, dataset_id, author=author, now=now)


def sentence_set(engine: Engine, dataset_id: int, *, author: str, now: datetime) -> int:
    """The dataset's set of statements split by sentence; made at the first call, then shared.

    It is filled in short batches and then declared ready, so that no run ever sees half a set.
    """
    with reading(engine) as session:
        ready = _ready_set(session, dataset_id)
    return ready or _make(engine, dataset_id, author, now)


def model_set(engine: Engine, dataset_id: int, model: str, *, author: str, now: datetime) -> int:
    """The dataset's set of statements made by that model with the prompt of today.

    It is there at once and empty: an example's statements are made when the first run needs them
    (`keep_statements`), and stay for every run after it.
    """
    s, version = StatementSetRow, str(SPLITTING_VERSION)
    query = select(s.id).where(
        *(s.dataset_id == dataset_id, s.method == BY_MODEL, s.state == "ready"),
        *(s.model == model, s.prompt_version == version),
    )
    with transaction(engine) as session:
        found = session.scalar(query.order_by(s.id).limit(1))
        if found is not None:
            return found
        row = StatementSetRow(
            dataset_id=dataset_id,
            method=BY_MODEL,
            model=model,
            prompt_version=version,
            state="ready",
            created_at=now,
            created_by=author,
        )
        session.add(row)
        session.flush()
        return row.id


def keep_statements(
    engine: Engine, set_id: int, example_id: int, statements: Sequence[str]
) -> tuple[str, ...]:
    """Keep an example's statements, unless another run was faster: the ones that are kept now."""
    texts = tuple(map(whole_text, statements))
    rows = [
        {"set_id": set_id, "example_id": example_id, "position": position, "text": text}
        for position, text in enumerate(texts, 1)
    ]
    try:
        with transaction(engine) as session:
            kept = kept_statements(session, set_id, example_id)
            if not kept and rows:
                session.execute(insert(StatementRow), rows)
            return kept or texts
    except IntegrityError:
        with reading(engine) as session:
            return kept_statements(session, set_id, example_id)


def kept_statements(session: Session, set_id: int, example_id: int) -> tuple[str, ...]:
    """The example's statements in the set, in order; none if they are not made yet."""
    s = StatementRow
    query = select(s.text).where(s.set_id == set_id, s.example_id == example_id)
    return tuple(session.scalars(query.order_by(s.position)))


def _make(engine: Engine, dataset_id: int, author: str, now: datetime) -> int:
    set_id = _begin(engine, dataset_id, author, now)
    try:
        for batch in _expected_outputs(engine, dataset_id):
            _split(engine, set_id, batch)
        chosen = _make_ready(engine, dataset_id, set_id)
    except BaseException:
        clear_statement_set(engine, set_id)
        raise
    if chosen != set_id:
        clear_statement_set(engine, set_id)
    return chosen


def _begin(engine: Engine, dataset_id: int, author: str, now: datetime) -> int:
    with transaction(engine) as session:
        row = StatementSetRow(
            dataset_id=dataset_id,
            method=BY_SENTENCE,
            state="importing",
            owner=new_owner(),
            created_at=now,
            created_by=author,
        )
        session.add(row)
        session.flush()
        return row.id


def _expected_outputs(engine: Engine, dataset_id: int) -> Iterator[Sequence[tuple[int, str]]]:
    last = 0
    while True:
        query = (
            select(ExampleRow.position, ExampleRow.id, ExampleRow.expected_output)
            .where(ExampleRow.dataset_id == dataset_id, ExampleRow.position > last)
            .order_by(ExampleRow.position)
            .limit(BATCH)
        )
        with reading(engine) as session:
            rows = session.execute(query).all()
        if not rows:
            return
        yield [(example_id, text) for _, example_id, text in rows if text is not None]
        last = rows[-1].position


def _split(engine: Engine, set_id: int, batch: Sequence[tuple[int, str]]) -> None:
    rows = [
        {"set_id": set_id, "example_id": example_id, "position": position, "text": statement}
        for example_id, text in batch
        for position, statement in enumerate(split_statements(text), 1)
    ]
    if rows:
        with transaction(engine) as session:
            session.execute(insert(StatementRow), rows)


def _make_ready(engine: Engine, dataset_id: int, set_id: int) -> int:
    """Declare the set ready, unless another process was faster: then its set is the one."""
    with transaction(engine) as session:
        first = _ready_set(session, dataset_id)
        if first is not None:
            return first
        row = session.get_one(StatementSetRow, set_id)
        row.state, row.owner = "ready", None
        return set_id


def _ready_set(session: Session, dataset_id: int) -> int | None:
    query = select(StatementSetRow.id).where(
        StatementSetRow.dataset_id == dataset_id,
        StatementSetRow.method == BY_SENTENCE,
        StatementSetRow.state == "ready",
    )
    return session.scalar(query.order_by(StatementSetRow.id).limit(1))
