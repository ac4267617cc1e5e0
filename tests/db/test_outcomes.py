"""Recording what a judge said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from sqlalchemy import Engine, func, select, update

from db.copies import refresh_copies
from db.engine import reading, transaction
from db.reviews import read_judgement
from db.runs import Judged, RunOptions, create_run, record_outcomes
from db.tables import EvidenceRow, JudgementRow, RunRow, UnitRow, VerdictRow
from recall_core.judges import make_judge
from recall_core.types import (
    Cost,
    Evidence,
    FailureKind,
    JudgeFailure,
    Judgement,
    Mark,
    Outcome,
    Skipped,
    Unit,
    UnitKind,
    UnitRef,
    Verdict,
)
from tests.db.making import (
    NOW,
    Found,
    example,
    examples,
    judge_everything,
    kept_dataset,
    queued_run,
)

COPIES = (
    "judge_final",
    "judge_final_number",
    "final",
    "final_number",
    "trace_state",
    "change",
    "units",
    "reviewed_units",
    "changed_units",
)


def unit(index: int = 1, text: str = "Fact 1.") -> Unit:
    return Unit(UnitRef(UnitKind.EXPECTED_CONTEXT, index), text)


def recorded(engine: Engine, outcome: Outcome) -> JudgementRow:
    """The judgement of the first example of a new run, after this outcome was recorded."""
    run_id = queued_run(engine, kept_dataset(engine, [example(1)]))
    assert record_outcomes(engine, run_id, Found(), [Judged(1, 1, example(1), outcome)], NOW) == 1
    return rows(engine)[0]


def rows(engine: Engine) -> Sequence[JudgementRow]:
    with reading(engine) as session:
        return session.scalars(select(JudgementRow).order_by(JudgementRow.id)).all()


def count(engine: Engine, table: type[object]) -> int:
    with reading(engine) as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_a_judgement_is_read_back_as_the_judge_gave_it(engine: Engine) -> None:
    evidence = (
        Evidence(1, 0, 4, "Fact", located=True),
        Evidence(None, None, None, "nowhere to be found", located=False),
    )
    verdict = Verdict(
        unit(),
        Fraction(1),
        "It is there.",
        evidence,
        similarity=0.75,
        probability=0.5,
        spread=Fraction(1, 2),
        marks=(Mark.SPREAD, Mark.NOT_FOUND),
    )
    outcome = Judgement(
        "e1",
        (verdict,),
        "1 of 1 found",
        warnings=("Capped.",),
        cost=Cost(Decimal("0.0012")),
        raw_response="{}",
    )

    row = recorded(engine, outcome)

    detail = read_judgement(engine, row.id)
    assert detail.verdicts == (verdict,)
    assert detail.example == example(1)
    assert (row.status, row.details, row.warnings, row.warning_count) == (
        "processed",
        "1 of 1 found",
        ["Capped."],
        1,
    )
    assert (row.cost, row.raw_response, row.judged_at, row.position) == ("0.0012", "{}", NOW, 1)
    assert (row.final, row.judge_final, row.trace_state) == (Fraction(1), Fraction(1), "scored")


def test_a_skipped_example_has_the_reason_and_no_score(engine: Engine) -> None:
    row = recorded(engine, Skipped("e1", "There is no retrieved passage."))

    assert (row.status, row.details) == ("skipped", "There is no retrieved passage.")
    assert (row.final, row.trace_state, row.error_type, row.units) == (None, "incomplete", None, 0)


def test_a_failure_has_its_kind_no_score_and_the_verdicts_that_arrived(engine: Engine) -> None:
    verdicts = (
        Verdict(unit(1), Fraction(1)),
        Verdict(unit(2, "Other."), None, failure=FailureKind.OUT_OF_RANGE),
    )

    row = recorded(engine, JudgeFailure("e1", FailureKind.INCOMPLETE, "Half an answer.", verdicts))

    assert (row.status, row.error_type, row.final) == ("error", "incomplete", None)
    assert (row.units, row.trace_state) == (2, "incomplete")
    assert read_judgement(engine, row.id).verdicts == verdicts


def test_nothing_is_judged_twice_however_often_it_is_sent(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(2)))
    first = Judged(1, 1, example(1), Found().judge(example(1)))
    again = replace(first, outcome=Skipped("e1", "Something else."))
    other = Judged(2, 2, example(2), Found().judge(example(2)))

    counts = [
        record_outcomes(engine, run_id, Found(), batch, NOW)
        for batch in ([first], [again, other], [first, again, other], [])
    ]

    assert counts == [1, 1, 0, 0]
    assert [row.status for row in rows(engine)] == ["processed", "processed"]
    assert count(engine, VerdictRow) == 2


def test_an_example_twice_in_one_batch_is_recorded_once(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, [example(1)]))
    one = Judged(1, 1, example(1), Found().judge(example(1)))

    assert record_outcomes(engine, run_id, Found(), [one, one], NOW) == 1


def test_runs_that_judged_the_same_text_share_the_unit(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(3))
    for _ in range(2):
        judge_everything(engine, queued_run(engine, dataset_id))

    assert (count(engine, VerdictRow), count(engine, UnitRow)) == (6, 3)


def test_the_same_text_twice_in_one_example_makes_two_units(engine: Engine) -> None:
    verdicts = (Verdict(unit(1), Fraction(1)), Verdict(unit(2), Fraction(0)))

    row = recorded(engine, Judgement("e1", verdicts, "1 of 2"))

    assert row.units == count(engine, UnitRow) == 2
    assert row.final == Fraction(1, 2)


def test_more_than_a_batch_is_recorded_in_several_transactions(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(120)))

    judge_everything(engine, run_id)

    assert len(rows(engine)) == 120
    assert [row.position for row in rows(engine)] == list(range(1, 121))


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Judgement("e2", (), ""), "The judge answered for example e2 when asked about e1."),
        (
            Judgement("e1", (Verdict(unit(), Fraction(1)), Verdict(unit(), Fraction(0))), ""),
            "The judge gave more than one verdict for C1.",
        ),
        (
            Judgement("e1", (Verdict(unit(), Fraction(1, 3)),), "", raw_response="raw"),
            "The judge's score for C1 cannot be kept: 1/3 has no short decimal form",
        ),
    ],
)
def test_an_answer_that_makes_no_sense_fails_that_example_only(
    engine: Engine, outcome: Judgement, sentence: str
) -> None:
    row = recorded(engine, outcome)

    assert (row.status, row.error_type) == ("error", "internal")
    assert row.details.startswith(sentence)
    assert row.raw_response == outcome.raw_response


def test_half_a_character_in_a_judges_text_does_not_stop_the_run(engine: Engine) -> None:
    odd = "odd \ud83d end"
    evidence = (Evidence(1, None, None, odd, located=False),)

    row = recorded(engine, Judgement("e1", (Verdict(unit(), Fraction(1), odd, evidence),), odd))

    assert row.details == "odd ? end"
    with reading(engine) as session:
        assert session.scalars(select(EvidenceRow.quote)).all() == ["odd ? end"]


def test_a_deleted_run_takes_no_more_outcomes(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, [example(1)]))
    judged = [Judged(1, 1, example(1), Found().judge(example(1)))]
    with transaction(engine) as session:
        session.get_one(RunRow, run_id).state = "deleting"

    assert record_outcomes(engine, run_id, Found(), judged, NOW) == 0
    assert count(engine, JudgementRow) == 0


def test_fresh_copies_are_what_a_recount_of_the_rows_gives(engine: Engine) -> None:
    dataset_id = kept_dataset(
        engine,
        [
            example(1),
            example(2, found=False),
            example(3, question="fail"),
            replace(example(4), retrieved=None),
            replace(example(5), ground_truth=()),
        ],
    )
    judge_everything(engine, queued_run(engine, dataset_id))
    passages = make_judge("passage_recall_lexical")
    run_id = create_run(
        engine,
        dataset_id=dataset_id,
        judge=passages,
        name="passages",
        options=RunOptions(),
        author="Ana",
        now=NOW,
    )
    judge_everything(engine, run_id, passages)
    fresh = [[getattr(row, name) for name in COPIES] for row in rows(engine)]

    with transaction(engine) as session:
        ids = [row.id for row in session.scalars(select(JudgementRow))]
        session.execute(update(JudgementRow).values(final=None, units=99, trace_state="void"))
        refresh_copies(session, ids)

    assert [[getattr(row, name) for name in COPIES] for row in rows(engine)] == fresh
    assert {row.trace_state for row in rows(engine)} >= {"scored", "vacuous", "incomplete"}
