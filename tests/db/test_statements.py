"""Expected outputs are split once, whole, for every run that needs them."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from sqlalchemy import Engine, func, select, text

from db.deleting import sweep_unfinished
from db.engine import reading, transaction
from db.owners import new_owner
from db.statements import sentence_set
from db.tables import StatementRow, StatementSetRow
from tests.db.making import NOW, example, examples, kept_dataset


def sets(engine: Engine) -> list[str]:
    with reading(engine) as session:
        return list(session.scalars(select(StatementSetRow.state).order_by(StatementSetRow.id)))


def statements(engine: Engine) -> int:
    with reading(engine) as session:
        return session.scalar(select(func.count()).select_from(StatementRow)) or 0


def test_a_set_holds_every_sentence_of_every_expected_output(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(450))

    sentence_set(engine, dataset_id, author="Ana", now=NOW)

    assert (sets(engine), statements(engine)) == (["ready"], 900)


def test_expected_outputs_that_say_nothing_make_an_empty_set(engine: Engine) -> None:
    silent = [replace(example(1), expected_output=None), replace(example(2), expected_output="")]

    sentence_set(engine, kept_dataset(engine, silent), author="Ana", now=NOW)

    assert (sets(engine), statements(engine)) == (["ready"], 0)


def test_two_that_split_at_once_end_with_one_set(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(300))
    found: list[int] = []
    together = threading.Barrier(2)

    def split() -> None:
        together.wait()
        found.append(sentence_set(engine, dataset_id, author="Ana", now=NOW))

    threads = [threading.Thread(target=split) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found[0] == found[1]
    assert (sets(engine), statements(engine)) == (["ready"], 600)


def test_a_split_that_breaks_off_leaves_nothing(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(300))
    with transaction(engine) as session:
        session.execute(text("UPDATE example SET expected_output = x'FF' WHERE position = 250"))

    with pytest.raises(TypeError, match="bytes"):
        sentence_set(engine, dataset_id, author="Ana", now=NOW)

    assert (sets(engine), statements(engine)) == ([], 0)


@pytest.mark.parametrize(("alive", "left"), [(False, []), (True, ["importing"])])
def test_the_sweep_takes_half_a_set_unless_somebody_is_at_it(
    engine: Engine, alive: bool, left: list[str]
) -> None:
    sentence_set(engine, kept_dataset(engine, examples(2)), author="Ana", now=NOW)
    with transaction(engine) as session:
        row = session.scalars(select(StatementSetRow)).one()
        row.state, row.owner = "importing", new_owner() if alive else None

    sweep_unfinished(engine, now=NOW)

    assert sets(engine) == left
