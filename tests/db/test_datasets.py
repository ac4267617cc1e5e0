"""Datasets are saved whole or not at all, and come back exactly as they were."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select, text

from db.datasets import (
    archive_dataset,
    delete_dataset,
    find_by_hash,
    get_dataset,
    list_datasets,
    read_examples,
    rename_dataset,
    save_dataset,
    stream_examples,
    unarchive_dataset,
)
from db.deleting import FORGOTTEN, sweep_unfinished
from db.engine import open_engine, reading, transaction
from db.errors import NotKept, StillNeeded, Unkeepable
from db.importing import BATCH_EXAMPLES
from db.owners import new_owner
from db.runs import delete_run, get_run, list_runs
from db.tables import Base, DatasetRow, ExampleRow, TombstoneRow
from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage
from tests.db.making import (
    NOW,
    example,
    examples,
    judge_everything,
    kept_dataset,
    queued_run,
    until,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9999, 9999) | st.floats(-1e6, 1e6) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
TRUTH = st.builds(GroundTruthPassage, st.sampled_from(PassageKind), TEXT, st.none() | TEXT)
RETRIEVED = st.lists(st.tuples(TEXT, st.none() | TEXT), max_size=4).map(
    lambda rows: tuple(RetrievedPassage(rank, *row) for rank, row in enumerate(rows, 1))
)
EXAMPLES = st.builds(
    Example,
    id=TEXT,
    question=st.none() | TEXT,
    ground_truth=st.none() | st.lists(TRUTH, max_size=4).map(tuple),
    retrieved=st.none() | RETRIEVED,
    actual_output=st.none() | TEXT,
    expected_output=st.none() | TEXT,
    metadata=st.dictionaries(TEXT, JSON, max_size=3),
)


def row_count(engine: Engine, table: type[Base]) -> int:
    with reading(engine) as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def everything_but(engine: Engine, *tables: str) -> dict[str, int]:
    """How many rows each table holds that is neither empty nor named."""
    with reading(engine) as session:
        counts = {
            name: session.execute(text(f"SELECT count(*) FROM {name}")).scalar_one()
            for name in Base.metadata.tables
            if name not in tables
        }
    return {name: count for name, count in counts.items() if count}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(EXAMPLES, min_size=1, max_size=5))
def test_examples_come_back_exactly_as_they_were_saved(engine: Engine, rows: list[Example]) -> None:
    dataset_id = kept_dataset(engine, rows)

    assert list(stream_examples(engine, dataset_id)) == rows


def test_a_missing_field_and_an_empty_list_stay_apart(engine: Engine) -> None:
    missing, empty = Example("1"), Example("2", ground_truth=(), retrieved=())

    dataset_id = kept_dataset(engine, [missing, empty])

    assert list(stream_examples(engine, dataset_id)) == [missing, empty]


def test_a_dataset_larger_than_a_batch_keeps_its_order_and_counts(engine: Engine) -> None:
    rows = examples(BATCH_EXAMPLES + 7)

    dataset_id = kept_dataset(engine, iter(rows))

    assert list(stream_examples(engine, dataset_id)) == rows
    card = get_dataset(engine, dataset_id)
    assert (card.examples, card.essential, card.bonus) == (len(rows), len(rows), 0)


def test_a_window_of_examples_is_read_by_offset_and_limit(engine: Engine) -> None:
    rows = examples(9)
    dataset_id = kept_dataset(engine, rows)

    assert read_examples(engine, dataset_id, offset=4, limit=3) == rows[4:7]
    assert read_examples(engine, dataset_id, offset=9, limit=3) == []


def test_large_texts_end_a_batch_early_so_that_transactions_stay_short(engine: Engine) -> None:
    positions = []

    def heavy() -> Iterator[Example]:
        for number in range(1, 4):
            positions.append(row_count(engine, ExampleRow))
            yield replace(example(number), actual_output="x" * 1_500_000)

    kept_dataset(engine, heavy())

    assert positions == [0, 0, 2]


def test_nobody_sees_a_dataset_before_it_is_complete(engine: Engine, database_url: str) -> None:
    other = open_engine(database_url)
    seen = []

    def watched() -> Iterator[Example]:
        yield from examples(BATCH_EXAMPLES + 1)
        seen.append((row_count(other, ExampleRow), list_datasets(other)))
        seen.append((0, find_by_hash(other, "c" * 64)))

    dataset_id = kept_dataset(engine, watched())

    assert seen == [(BATCH_EXAMPLES, []), (0, None)]
    assert [card.id for card in list_datasets(other)] == [dataset_id]
    other.dispose()


def test_an_import_that_breaks_off_leaves_nothing(engine: Engine) -> None:
    def broken() -> Iterator[Example]:
        yield from examples(BATCH_EXAMPLES + 1)
        raise ValueError("row 502 is not JSON")

    with pytest.raises(ValueError, match="row 502"):
        kept_dataset(engine, broken())

    assert everything_but(engine) == {}


def test_no_example_at_all_is_refused(engine: Engine) -> None:
    with pytest.raises(Unkeepable, match="no example"):
        kept_dataset(engine, [])

    assert everything_but(engine) == {}


def test_a_blank_name_is_refused(engine: Engine) -> None:
    for unseen in ("  ", "\0", "\u200b", "\u202e\n"):
        with pytest.raises(Unkeepable, match="name is needed"):
            kept_dataset(engine, examples(1), name=unseen)


def test_a_name_is_one_line_without_characters_that_no_database_keeps(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(1), name=" two\nlines\0 \x1b\u202e")

    assert get_dataset(engine, dataset_id).name == "two lines"


def test_a_text_that_is_too_long_for_a_name_is_refused(engine: Engine) -> None:
    with pytest.raises(Unkeepable, match="at most 300 characters, and this one has 1,000,000"):
        kept_dataset(engine, examples(1), name="n" * 1_000_000)


def test_half_a_character_is_refused_with_the_example_that_holds_it(engine: Engine) -> None:
    bad = replace(example(2), actual_output="a \ud83d b")

    with pytest.raises(Unkeepable, match=r"Example 2 \('e2'\)"):
        kept_dataset(engine, [example(1), bad])

    assert everything_but(engine) == {}


def test_a_hash_that_is_known_only_at_the_end_of_the_file_is_asked_for_then(engine: Engine) -> None:
    digest: list[str] = []

    def hashed() -> Iterator[Example]:
        yield example(1)
        digest.append("d" * 64)

    dataset_id = save_dataset(
        engine,
        "once",
        hashed(),
        content_hash=lambda: digest[0],
        source="",
        author="Ana",
        now=NOW,
    )

    assert get_dataset(engine, dataset_id).content_hash == "d" * 64


def test_the_same_content_is_noticed(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(2))

    found = find_by_hash(engine, "c" * 64)

    assert found is not None
    assert found.id == dataset_id
    assert find_by_hash(engine, "e" * 64) is None


def test_a_card_says_where_a_dataset_came_from_and_how_many_runs_it_has(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(2))
    queued_run(engine, dataset_id)

    (card,) = list_datasets(engine)

    assert (card.name, card.source, card.created_by, card.created_at, card.runs) == (
        "facts",
        "facts.jsonl",
        "Ana",
        NOW,
        1,
    )


def test_a_dataset_can_be_renamed(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(1))

    rename_dataset(engine, dataset_id, " harder facts ")

    assert get_dataset(engine, dataset_id).name == "harder facts"


def test_an_archived_dataset_is_out_of_the_list_until_it_is_brought_back(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(1))

    archive_dataset(engine, dataset_id, now=NOW)
    hidden, shown = list_datasets(engine), list_datasets(engine, archived=True)
    unarchive_dataset(engine, dataset_id)

    assert hidden == []
    assert [card.archived_at for card in shown] == [NOW]
    assert len(list_datasets(engine)) == 1


def test_a_deleted_dataset_leaves_a_tombstone_and_nothing_else(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(3))

    delete_dataset(engine, dataset_id, author="Ben", now=NOW)

    assert everything_but(engine, "tombstone") == {}
    with reading(engine) as session:
        stone = session.scalars(select(TombstoneRow)).one()
    assert (stone.kind, stone.name, stone.hash, stone.deleted_by, stone.deleted_at) == (
        "dataset",
        "facts",
        "c" * 64,
        "Ben",
        NOW,
    )
    with pytest.raises(NotKept, match="no dataset 1"):
        get_dataset(engine, dataset_id)
    with pytest.raises(NotKept):
        rename_dataset(engine, dataset_id, "again")


def test_a_dataset_with_runs_goes_only_with_them(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(3))
    run_id = queued_run(engine, dataset_id)
    judge_everything(engine, run_id)

    with pytest.raises(StillNeeded, match=r"facts has 1 run, .* Delete the runs first"):
        delete_dataset(engine, dataset_id, author="Ben", now=NOW)
    assert get_run(engine, run_id).processed == 3

    delete_dataset(engine, dataset_id, author="Ben", now=NOW, with_runs=True)
    assert everything_but(engine, "tombstone") == {}
    with reading(engine) as session:
        kinds = session.scalars(select(TombstoneRow.kind).order_by(TombstoneRow.kind)).all()
    assert kinds == ["dataset", "run"]


def test_once_its_runs_are_deleted_a_dataset_can_go(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(1))
    delete_run(engine, queued_run(engine, dataset_id), author="Ben", now=NOW)

    delete_dataset(engine, dataset_id, author="Ben", now=NOW)

    assert list_datasets(engine) == []
    assert list_runs(engine) == []


def left_behind(engine: Engine, owner: str | None) -> int:
    """A dataset in the state that a killed import leaves."""
    dataset_id = kept_dataset(engine, examples(2))
    with transaction(engine) as session:
        row = session.get_one(DatasetRow, dataset_id)
        row.state, row.owner = "importing", owner
    return dataset_id


def test_the_sweep_spares_the_import_of_a_living_process(engine: Engine) -> None:
    left_behind(engine, new_owner())

    assert sweep_unfinished(engine, now=NOW) == 0
    assert row_count(engine, ExampleRow) == 2


def test_the_sweep_waits_a_day_for_an_import_on_another_host(engine: Engine) -> None:
    left_behind(engine, "another-host:1:0-abc")

    assert sweep_unfinished(engine, now=NOW + FORGOTTEN) == 0
    assert sweep_unfinished(engine, now=NOW + FORGOTTEN + timedelta(seconds=1)) == 1
    assert everything_but(engine) == {}


def test_a_killed_import_is_swept_at_the_next_start(
    engine: Engine, database_url: str, root: Path
) -> None:
    code = """
import sys, time
from db.engine import open_engine
from tests.db.making import examples, kept_dataset
def endless():
    while True:
        yield from examples(100)
kept_dataset(open_engine(sys.argv[1]), endless())
"""
    process = subprocess.Popen([sys.executable, "-c", code, database_url], cwd=root)
    until(lambda: row_count(engine, ExampleRow) > 0)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    swept = sweep_unfinished(engine, now=NOW)

    assert swept == 1
    assert everything_but(engine) == {}


def test_the_sweep_finishes_a_deletion_that_was_cut_short(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(2))
    run_id = queued_run(engine, dataset_id)
    judge_everything(engine, run_id)
    with transaction(engine) as session:
        session.execute(text("UPDATE run SET state = 'deleting', owner = NULL"))
        session.execute(text("UPDATE dataset SET state = 'deleting', owner = NULL"))

    assert list_datasets(engine) == list_runs(engine) == []
    assert sweep_unfinished(engine, now=NOW) == 2
    assert everything_but(engine) == {}
