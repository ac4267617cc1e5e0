"""What unreviewed units can still do to a mean, and when they can do nothing any more."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.effective import effective_scores
from recall_core.results import Status
from recall_core.scoring import SCALES, trace_of_effective
from recall_core.stop_rule import Reach, StopRule, reach_of, stop_rule_of
from recall_core.types import Action, Decision, Formula, Rounding, UnitKind, UnitState, Verdict
from tests.core.details import NOW, decision, ref, verdict


def reach(
    *verdicts: Verdict,
    decisions: list[Decision] | None = None,
    formula: Formula = Formula.PASSAGE,
    status: Status = Status.PROCESSED,
) -> Reach | None:
    effective = effective_scores(verdicts, decisions or [])
    return reach_of(formula, Rounding.HALF_UP, status, effective)


def test_an_unreviewed_unit_goes_to_either_end_of_its_scale() -> None:
    units = (verdict("E1", 3), verdict("E2", 3), verdict("B1", 2))

    assert reach(*units) == Reach(Fraction(1), Fraction(5))
    # (4 + 1) / 2 and (4 + 5) / 2 + 5 / (2 * 1 * 2), capped
    decided = [decision(1, "E1", 3, 4)]
    assert reach(*units, decisions=decided) == Reach(Fraction(5, 2), Fraction(5))


def test_what_people_have_settled_does_not_move_any_more() -> None:
    units = (verdict("E1", 3), verdict("E2", 3))
    settled = [decision(1, "E1", 3, 4), decision(2, "E2", 3, 3, action=Action.CONFIRM)]

    assert reach(*units, decisions=settled) == Reach(Fraction(7, 2), Fraction(7, 2))


def test_an_example_that_is_out_of_the_mean_for_good_has_no_reach() -> None:
    excluded = [decision(1, "E1", 3, 3, action=Action.EXCLUDE, excluded=True)]

    assert reach(verdict("E1", 3), decisions=excluded) is None
    assert reach(formula=Formula.SHARE) is None
    assert reach(verdict("E1", 3), status=Status.SKIPPED) is None


def test_a_failure_can_still_get_any_final() -> None:
    units = (verdict("E1", None), verdict("E2", None))

    assert reach(*units, status=Status.ERROR) == Reach(Fraction(1), Fraction(5))


KINDS = {"E1": UnitKind.ESSENTIAL, "E2": UnitKind.ESSENTIAL, "B1": UnitKind.BONUS}


@st.composite
def scores(draw: st.DrawFn) -> dict[str, int]:
    scales = {label: SCALES[kind] for label, kind in KINDS.items()}
    return {label: draw(st.integers(s.lowest, s.highest)) for label, s in scales.items()}


@given(
    judged=scores(),
    reviewed=st.sets(st.sampled_from(sorted(KINDS))),
    said=scores(),
    rounding=st.sampled_from(Rounding),
)
def test_no_completion_of_the_review_leaves_the_reach(
    judged: dict[str, int], reviewed: set[str], said: dict[str, int], rounding: Rounding
) -> None:
    units = [verdict(label, score) for label, score in judged.items()]
    every = [set_to(i, label, said[label]) for i, label in enumerate(KINDS, 1)]
    begun = [d for d in every if d.unit.label in reviewed]

    here = reach_of(Formula.PASSAGE, rounding, Status.PROCESSED, effective_scores(units, begun))
    complete = trace_of_effective(
        Formula.PASSAGE, effective_scores(units, every), rounding=rounding
    )

    assert here is not None
    assert complete.final is not None
    assert here.lowest <= complete.final <= here.highest
    if len(reviewed) == len(KINDS):
        assert here.width == 0


def set_to(number: int, label: str, score: int) -> Decision:
    unit = ref(label)
    after = UnitState(unit.kind, Fraction(score))
    return Decision(number, unit, Action.SET, after, after, "Mara", NOW)


fractions = st.fractions(1, 5, max_denominator=20)
examples = st.lists(st.tuples(fractions, fractions, st.floats(0, 1)), min_size=1, max_size=8)


@given(examples=examples)
def test_a_run_that_is_reviewed_to_its_end_lies_within_its_reach(
    examples: list[tuple[Fraction, Fraction, float]],
) -> None:
    reaches = [Reach(min(a, b), max(a, b)) for a, b, _ in examples]
    rule = stop_rule_of([(r, 1) for r in reaches], Formula.PASSAGE, left=0, mark=None)
    finals = [
        reach.lowest + reach.width * Fraction(where)
        for reach, (*_, where) in zip(reaches, examples, strict=True)
    ]

    assert rule.reach is not None
    assert rule.reach.lowest <= sum(finals, Fraction(0)) / len(finals) <= rule.reach.highest


def rule(*reaches: tuple[str, str], mark: str | None, left: int = 0) -> StopRule:
    counted = [(Reach(Fraction(low), Fraction(high)), 1) for low, high in reaches]
    return stop_rule_of(
        counted, Formula.SHARE, left=left, mark=None if mark is None else Fraction(mark)
    )


def test_the_rule_says_that_no_unreviewed_example_can_move_the_run_across_its_mark() -> None:
    above = rule(("1", "1"), ("0.8", "1"), mark="0.8")
    below = rule(("0", "0.5"), ("0.2", "1"), mark="0.8")
    either = rule(("0.7", "1"), ("0.8", "1"), mark="0.8")

    assert above.decided is True
    assert above.sentence == (
        "No unreviewed example can move this run across 0.80: whatever people say, its mean ends "
        "between 0.90 and 1.00."
    )
    assert below.decided is True
    assert either.decided is False
    assert either.sentence == (
        "Unreviewed units can still move this run across 0.80: its mean can end anywhere between "
        "0.75 and 1.00."
    )


def test_a_printed_end_never_lies_on_the_wrong_side_of_the_mark() -> None:
    close = rule(("0.799", "0.799"), ("0.7999", "0.8008"), mark="0.8")

    assert close.decided is True
    assert "between 0.7994 and 0.7999." in close.sentence


def test_examples_that_are_not_judged_yet_can_get_any_final() -> None:
    assert rule(("1", "1"), mark=None, left=1).reach == Reach(Fraction(1, 2), Fraction(1))


@pytest.mark.parametrize(
    ("reaches", "sentence"),
    [
        ([("0.5", "0.5")], "Every unit is reviewed: the mean is 0.5."),
        ([], "No example has a final, or can get one."),
        (
            [("0.5", "1")],
            "Unreviewed units can still bring the mean anywhere between 0.50 and 1.00.",
        ),
    ],
)
def test_without_a_mark_the_rule_says_where_the_mean_can_end(
    reaches: list[tuple[str, str]], sentence: str
) -> None:
    assert rule(*reaches, mark=None).sentence == sentence
