"""Several judges on one example: side by side, in words, and as a column to filter and sort by."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import pytest
from sqlalchemy import Engine, event, select

from db.disagreement import Beside, beside, disagreements_of, other_judgements
from db.engine import reading, transaction
from db.errors import NotKept
from db.judgement_filters import JudgementFilter, JudgementOrder, OrderBy
from db.judgement_lists import list_judgements
from db.recount import recount
from db.runs import RunOptions, create_run, delete_run, rerun_judgement
from db.tables import JudgementRow, RunRow
from recall_core.judges.base import LocalJudge
from recall_core.types import (
    Example,
    FailureKind,
    Formula,
    GroundTruthPassage,
    JudgeFailure,
    Judgement,
    Outcome,
    PassageKind,
    RetrievedPassage,
    UnitKind,
    UnitRef,
    Verdict,
)
from tests.db.making import NOW, judge_everything, kept_dataset

E1, E2 = UnitRef(UnitKind.ESSENTIAL, 1), UnitRef(UnitKind.ESSENTIAL, 2)


class Says(LocalJudge):
    """Gives every unit the score that its settings name for it."""

    name: ClassVar[str] = "says"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Says"
    formula: ClassVar[Formula] = Formula.PASSAGE

    scores: tuple[int, ...] = ()

    def lacks(self, example: Example) -> str | None:
        return None

    def judge(self, example: Example) -> Outcome:
        if not self.scores:
            return JudgeFailure(example.id, FailureKind.TIMEOUT, "Too late.")
        verdicts = [
            Verdict(unit, Fraction(score), f"because {score}")
            for unit, score in zip(self.units(example), self.scores, strict=True)
        ]
        return Judgement(example.id, tuple(verdicts), "said")


class SaysOfOutput(Says):
    """Looks in the actual output instead."""

    def scored_texts(self, example: Example) -> tuple[str, ...]:
        return (example.actual_output or "",)


def an_example(number: int = 1) -> Example:
    truth = ("The first fact is here.", "Something that stands nowhere else.")
    return Example(
        id=f"e{number}",
        ground_truth=tuple(GroundTruthPassage(PassageKind.ESSENTIAL, text) for text in truth),
        retrieved=(
            RetrievedPassage(1, "Nothing to see."),
            RetrievedPassage(3, "It says: the first fact is here, and more."),
        ),
        actual_output="The first fact is here.",
    )


@pytest.fixture
def dataset_id(engine: Engine) -> int:
    return kept_dataset(engine, [an_example(1), an_example(2)])


def run_of(
    engine: Engine,
    dataset_id: int,
    scores: Sequence[int],
    *,
    name: str = "first",
    judge: type[Says] = Says,
) -> int:
    says = judge(scores=tuple(scores))
    run_id = create_run(
        engine,
        dataset_id=dataset_id,
        judge=says,
        name=name,
        options=RunOptions(),
        author="Ana",
        now=NOW,
    )
    judge_everything(engine, run_id, says)
    return run_id


def sizes(engine: Engine, run_id: int) -> list[float | None]:
    with reading(engine) as session:
        query = select(JudgementRow.disagreement).where(JudgementRow.run_id == run_id)
        return list(session.scalars(query.order_by(JudgementRow.position)))


def test_a_run_that_stands_alone_is_measured_against_the_text(
    engine: Engine, dataset_id: int
) -> None:
    low = run_of(engine, dataset_id, [2, 1])

    assert sizes(engine, low) == [0.75, 0.75]
    (sentence,) = disagreements_of(engine, 1)
    assert sentence.sentence == (
        "E1 stands word for word in retrieved passage 3, but this judge gave 2."
    )


def test_what_neither_the_text_nor_another_judge_speaks_of_has_no_disagreement(
    engine: Engine,
) -> None:
    silent = Example(
        id="e1",
        ground_truth=(GroundTruthPassage(PassageKind.ESSENTIAL, "Nowhere to be found."),),
        retrieved=(RetrievedPassage(1, "Else."),),
    )

    assert sizes(engine, run_of(engine, kept_dataset(engine, [silent]), [3])) == [None]


def test_two_runs_disagree_from_both_sides(engine: Engine, dataset_id: int) -> None:
    first = run_of(engine, dataset_id, [5, 1])
    assert sizes(engine, first) == [0.0, 0.0]

    second = run_of(engine, dataset_id, [5, 4], name="second")

    assert sizes(engine, first) == sizes(engine, second) == [0.75, 0.75]
    assert [d.sentence for d in disagreements_of(engine, 3)] == [
        "E2: this judge gave 4, says in “first” gave 1."
    ]
    assert recount(engine).equal


def test_the_sentences_name_the_model_and_an_imported_reply(
    engine: Engine, dataset_id: int
) -> None:
    run_id = run_of(engine, dataset_id, [1, 1])

    def told(**facts: object) -> str:
        with transaction(engine) as session:
            run = session.get_one(RunRow, run_id)
            for name, value in facts.items():
                setattr(run, name, value)
        return disagreements_of(engine, 1)[0].sentence.partition(", but ")[2]

    assert told(kind="imported", settings={}) == "the imported reply gave 1."
    assert told(endpoint="lab") == "the model gave 1."


def test_judgements_stand_side_by_side_by_unit(engine: Engine, dataset_id: int) -> None:
    run_of(engine, dataset_id, [5, 1])
    second = run_of(engine, dataset_id, [5, 4], name="second")

    (other,) = other_judgements(engine, 1)

    assert (other.run_id, other.run, other.judge, other.judgement_id) == (
        second,
        "second",
        "says",
        3,
    )
    assert other.judge_final == Fraction(9, 2)
    assert {ref: (s.score, s.reasoning, s.same_texts) for ref, s in other.scores.items()} == {
        E1: (5, "because 5", True),
        E2: (4, "because 4", True),
    }


def test_a_judge_of_other_texts_stands_beside_but_does_not_disagree(
    engine: Engine, dataset_id: int
) -> None:
    first = run_of(engine, dataset_id, [5, 1])
    run_of(engine, dataset_id, [5, 5], name="output", judge=SaysOfOutput)

    (other,) = other_judgements(engine, 1)

    assert [score.same_texts for score in other.scores.values()] == [False, False]
    assert (disagreements_of(engine, 1), sizes(engine, first)) == ((), [0.0, 0.0])


def test_a_copy_in_the_actual_output_is_called_so(engine: Engine, dataset_id: int) -> None:
    run_of(engine, dataset_id, [1, 5], judge=SaysOfOutput)

    (found,) = disagreements_of(engine, 1)

    assert "word for word in the actual output" in found.sentence


def test_a_deleted_run_disagrees_no_more(engine: Engine, dataset_id: int) -> None:
    first = run_of(engine, dataset_id, [5, 1])
    second = run_of(engine, dataset_id, [5, 5], name="second")

    delete_run(engine, second, author="Ana", now=NOW)

    assert sizes(engine, first) == [0.0, 0.0]
    assert other_judgements(engine, 1) == ()
    assert recount(engine).equal


def test_a_failed_judgement_says_nothing_until_it_is_judged_again(
    engine: Engine, dataset_id: int
) -> None:
    first = run_of(engine, dataset_id, [5, 1])
    failed = run_of(engine, dataset_id, [], name="failed")
    assert (sizes(engine, first), sizes(engine, failed)) == ([0.0, 0.0], [None, None])
    with transaction(engine) as session:
        session.get_one(RunRow, failed).state = "done"

    rerun_judgement(engine, 3)
    judge_everything(engine, failed, Says(scores=(5, 5)))

    assert (sizes(engine, first), sizes(engine, failed)) == ([1.0, 0.0], [1.0, None])


def test_lists_are_filtered_and_sorted_by_disagreement(engine: Engine) -> None:
    rows = [an_example(number) for number in (1, 2, 3)]
    dataset_id = kept_dataset(engine, rows)
    run_id = run_of(engine, dataset_id, [5, 5])
    with transaction(engine) as session:
        session.get_one(JudgementRow, 2).disagreement = 0.8
        session.get_one(JudgementRow, 3).disagreement = 0.3

    def found(where: JudgementFilter) -> list[tuple[int, float | None]]:
        order = JudgementOrder(OrderBy.DISAGREEMENT, descending=True)
        page = list_judgements(engine, run_id, where=where, order=order)
        return [(row.id, row.disagreement) for row in page.rows]

    assert found(JudgementFilter()) == [(2, 0.8), (3, 0.3), (1, 0.0)]
    assert found(JudgementFilter(disagrees=True)) == [(2, 0.8)]
    assert found(JudgementFilter(disagrees=False)) == [(3, 0.3), (1, 0.0)]


def test_what_is_not_kept_has_nothing_beside_it(engine: Engine) -> None:
    with pytest.raises(NotKept, match="no judgement 9"):
        other_judgements(engine, 9)


def test_many_judgements_take_no_more_queries_than_one(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, [an_example(number) for number in range(1, 9)])
    run_of(engine, dataset_id, [5, 1])
    run_of(engine, dataset_id, [5, 5], name="second")

    def asked(ids: range) -> tuple[int, dict[int, Beside]]:
        statements: list[str] = []

        def note(_c: object, _u: object, statement: str, *_rest: object) -> None:
            statements.append(statement)

        event.listen(engine, "before_cursor_execute", note)
        try:
            found = beside(engine, ids)
        finally:
            event.remove(engine, "before_cursor_execute", note)
        return len(statements), found

    one, _ = asked(range(1, 2))
    all_of_them, found = asked(range(1, 9))

    assert all_of_them == one
    assert [len(found[i].sentences) for i in range(1, 9)] == [1] * 8
