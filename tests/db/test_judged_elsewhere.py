"""What other judges said of the text that people have reviewed."""

from __future__ import annotations

from dataclasses import replace

from db.calibrating import calibrations
from db.engine import Engine, transaction
from db.judged_elsewhere import judged_elsewhere
from db.runs import RunOptions, archive_run, create_run
from db.sights import set_blind
from db.tables import RunRow
from recall_core.judges import make_judge
from recall_core.types import UnitKind
from tests.db.making import NOW, judge_everything
from tests.db.reviewing import E1, desk, told

EXAMPLES = [told(f"e{i}", [3]) for i in range(4)]


def second_run(engine: Engine, first: int, **settings: str) -> int:
    """The lexical screen over the dataset of the run."""
    judge = make_judge("passage_recall_lexical", settings)
    with transaction(engine) as session:
        dataset_id = session.get_one(RunRow, first).dataset_id
    run_id = create_run(
        engine,
        dataset_id=dataset_id,
        judge=judge,
        name="second",
        options=RunOptions(),
        author="Ana",
        now=NOW,
    )
    judge_everything(engine, run_id, judge)  # type: ignore[arg-type]
    return run_id


def test_one_decision_serves_every_judge_of_the_same_text(engine: Engine) -> None:
    run = desk(engine, *EXAMPLES)
    second = second_run(engine, run.run_id)
    run.set("e1", E1, 2)
    (own,) = calibrations(engine, [run.run_id])

    found = judged_elsewhere(engine, UnitKind.ESSENTIAL, own.units)

    ((key, (unit,)),) = found.items()
    assert key.judge == "passage_recall_lexical"
    assert (unit.run_id, unit.example_id, unit.human) == (second, "e1", 2)
    assert unit.judge != own.units[0].judge
    assert unit.reviewer == "Mara"


def test_the_same_judge_and_runs_that_are_put_away_are_left_out(engine: Engine) -> None:
    run = desk(engine, *EXAMPLES)
    second = second_run(engine, run.run_id)
    run.set("e1", E1, 2)
    (own,) = calibrations(engine, [run.run_id])
    archive_run(engine, second, now=NOW)

    assert judged_elsewhere(engine, UnitKind.ESSENTIAL, own.units) == {}


def test_who_scores_the_other_run_blind_is_not_told_what_its_judge_said(engine: Engine) -> None:
    run = desk(engine, *EXAMPLES)
    second_run(engine, run.run_id)
    run.set("e1", E1, 2)
    (own,) = calibrations(engine, [run.run_id])
    set_blind(engine, "Jonas", True)

    assert judged_elsewhere(engine, UnitKind.ESSENTIAL, own.units, "Jonas") == {}
    assert judged_elsewhere(engine, UnitKind.ESSENTIAL, own.units, "Mara")


def test_a_judge_of_another_text_is_not_served_by_the_decision(engine: Engine) -> None:
    both = [replace(example, actual_output="An answer.") for example in EXAMPLES]
    run = desk(engine, *both)
    second_run(engine, run.run_id, scored_text="output")
    run.set("e1", E1, 2)
    (own,) = calibrations(engine, [run.run_id])

    assert judged_elsewhere(engine, UnitKind.ESSENTIAL, own.units) == {}


def test_the_same_text_in_another_dataset_is_served_too(engine: Engine) -> None:
    run = desk(engine, *EXAMPLES)
    other = desk(engine, told("e0", [5]), told("e1", [5]))
    second = second_run(engine, other.run_id)
    run.set("e1", E1, 2)
    (own,) = calibrations(engine, [run.run_id])

    ((unit,),) = judged_elsewhere(engine, UnitKind.ESSENTIAL, own.units).values()

    assert (unit.run_id, unit.human) == (second, 2)
