"""What is said of a judge, by which reviews one looks at."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction

from recall_core.agreement import Name
from recall_core.calibration import Calibration, JudgeKey, ScoredUnit, Side
from recall_core.types import Cause, UnitKind, UnitRef

KEY = JudgeKey("passage_recall", 2, "gpt-4.1-mini", "abc", "Passage recall")


def unit(example: int, judge: int, human: int, **rest: object) -> ScoredUnit:
    given = ScoredUnit(
        run_id=1,
        judgement_id=example,
        example=example,
        example_id=f"e{example}",
        unit=UnitRef(UnitKind.ESSENTIAL, 1),
        text="A fact.",
        judge=Fraction(judge),
        human=Fraction(human),
        reviewer="Mara",
        audit=True,
        blind=False,
        cause=None,
        note="",
        judged_at=datetime(2026, 11, 3, tzinfo=UTC),
    )
    return replace(given, **rest)  # type: ignore[arg-type]


def calibration(*units: ScoredUnit) -> Calibration:
    return Calibration(KEY, UnitKind.ESSENTIAL, units)


def test_audit_reviews_are_looked_at_apart_from_chosen_ones() -> None:
    audited = [unit(i, 4, 3) for i in range(12)]
    chosen = [unit(i, 5, 1, audit=False) for i in range(20, 40)]

    found = calibration(*audited, *chosen)

    bias = found.agreement(Side()).measure(Name.BIAS)
    assert bias is not None
    assert bias.value == 1
    assert (found.examples(Side()), found.examples(Side(audit=None))) == (12, 32)


def test_blind_reviews_and_each_reviewer_can_be_looked_at_alone() -> None:
    units = [
        *(unit(i, 4, 4) for i in range(3)),
        *(unit(i, 4, 2, blind=True, reviewer="Jonas") for i in range(3, 5)),
    ]

    found = calibration(*units)

    assert [u.reviewer for u in found.on(Side(blind=True))] == ["Jonas", "Jonas"]
    assert found.examples(Side(blind=False)) == 3
    assert found.reviewers == ("Jonas", "Mara")
    assert {n: a.units for n, a in found.by_reviewer(Side()).items()} == {"Jonas": 2, "Mara": 3}


def test_a_cell_of_the_table_leads_to_its_units() -> None:
    found = calibration(unit(1, 4, 3), unit(2, 4, 3), unit(3, 5, 3), unit(4, 4, 4))

    cell = found.cell(Side(), human=3, judge=4)

    assert [u.example for u in cell] == [1, 2]
    assert found.agreement(Side()).confusion.counts[2][3] == len(cell)


def test_the_largest_errors_come_first_and_agreement_is_none() -> None:
    found = calibration(unit(1, 4, 3), unit(2, 5, 1), unit(3, 2, 5), unit(4, 4, 4))

    assert [u.example for u in found.largest(Side())] == [2, 3, 1]
    assert len(found.largest(Side(), count=1)) == 1


def test_errors_are_put_together_by_what_people_gave_as_the_reason() -> None:
    found = calibration(
        unit(1, 4, 3, cause=Cause.JUDGE_WRONG),
        unit(2, 5, 2, cause=Cause.JUDGE_WRONG),
        unit(3, 2, 3),
        unit(4, 3, 3, cause=Cause.JUDGE_WRONG),
    )

    assert [(p.cause, p.units, p.mean_off) for p in found.causes(Side())] == [
        (Cause.JUDGE_WRONG, 2, 2.0),
        (None, 1, -1.0),
    ]


def test_drift_is_the_bias_month_by_month() -> None:
    december = datetime(2026, 12, 24, tzinfo=UTC)
    units = [*(unit(i, 4, 3) for i in range(10))]
    units += [unit(i, 3, 4, judged_at=december) for i in range(20, 31)]

    found = calibration(*units).drift(Side())

    assert [(p.month, p.bias.value) for p in found] == [
        (date(2026, 11, 1), 1),
        (date(2026, 12, 1), -1),
    ]


def test_the_judge_is_described_in_a_sentence() -> None:
    assert KEY.label == "Passage recall v2 with gpt-4.1-mini"
    kind = calibration(*(unit(i, 4, 3) for i in range(12))).sentence
    assert kind == (
        "On average the judge gives 1.00 more than people. It is kinder than people on 12 of 12."
    )
    unsure = calibration(*(unit(i, 3 + i % 3, 4) for i in range(13))).sentence
    assert unsure.endswith("That may be chance.")
    assert "too few to say" in calibration(unit(1, 4, 3)).sentence
