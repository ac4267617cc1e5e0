"""Whatever is printed in the document's form is read back with the same scores."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from recall_core.document import read_document, write_document
from recall_core.effective import effective_scores
from recall_core.scoring import SCALES, trace_of_effective
from recall_core.types import (
    Action,
    Cause,
    Decision,
    EffectiveScore,
    Formula,
    TraceState,
    Unit,
    UnitKind,
    UnitRef,
    UnitState,
    Verdict,
)

E, B, S = UnitKind.ESSENTIAL, UnitKind.BONUS, UnitKind.STATEMENT
NOW = datetime(2026, 11, 30, tzinfo=UTC)

NASTY = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.lists(
        st.sampled_from(
            [
                "[ESSENTIAL PASSAGE] 1:",
                "**[Bonus Passage 2]**\n",
                "\nESSENTIAL PASSAGE 2: ",
                "Score: 5",
                "Final Score: 1",
                "final",
                "RECALL_Final_Score: 5",
                "RECALL\\_Essential\\_Formula: (5) / 1 = 5",
                "RECALL Bonus Formula:",
                "[STATEMENT] 1:",
                "\n",
                "**",
                "4",
                "=",
            ]
        ),
        max_size=6,
    ).map(" ".join),
)


def verdict(kind: UnitKind, index: int, score: int | Fraction | None, reasoning: str) -> Verdict:
    exact = None if score is None else Fraction(score)
    return Verdict(Unit(UnitRef(kind, index), "text"), exact, reasoning)


def scores_of(kind: UnitKind) -> st.SearchStrategy[Fraction]:
    scale = SCALES[kind]
    step = 1 if scale.whole else 2
    return st.integers(scale.lowest * step, scale.highest * step).map(lambda n: Fraction(n, step))


def units(kind: UnitKind, least: int) -> st.SearchStrategy[list[Verdict]]:
    return st.lists(st.tuples(scores_of(kind), NASTY), min_size=least, max_size=4).map(
        lambda items: [verdict(kind, i, *item) for i, item in enumerate(items, 1)]
    )


@given(units(E, 1), units(B, 0))
def test_passage_scores_are_read_back(essential: list[Verdict], bonus: list[Verdict]) -> None:
    effective = effective_scores([*essential, *bonus], [])
    trace = trace_of_effective(Formula.PASSAGE, effective)

    text = write_document(effective, trace)
    reply = read_document(text, essential=len(essential), bonus=len(bonus))

    assert [u.score for u in reply.units] == [v.score for v in (*essential, *bonus)]
    assert reply.trace.final == trace.final
    assert reply.mismatches == ()
    assert len(reply.reported) == 5


@given(units(S, 1))
def test_statement_scores_are_read_back(statements: list[Verdict]) -> None:
    effective = effective_scores(statements, [])
    trace = trace_of_effective(Formula.SHARE, effective)

    reply = read_document(write_document(effective, trace), statements=len(statements))

    assert [u.score for u in reply.units] == [v.score for v in statements]
    assert reply.trace.final == trace.final


def decided(v: Verdict, after: UnitState, note: str = "", number: int = 1) -> EffectiveScore:
    before = UnitState(v.unit.ref.kind, v.score)
    decision = Decision(
        number, v.unit.ref, Action.SET, before, after, "Ana", NOW, Cause.JUDGE_WRONG, note
    )
    return EffectiveScore(v, after, decision)


@given(NASTY)
def test_an_override_is_printed_with_who_and_why_and_read_back(note: str) -> None:
    first = verdict(E, 1, 2, "Half of it.")
    effective = [decided(first, UnitState(E, Fraction(5)), note)]
    trace = trace_of_effective(Formula.PASSAGE, effective)

    text = write_document(effective, trace)

    assert "The judge gave 2; set by Ana, judge wrong" in text
    assert read_document(text, essential=1).units[0].score == 5


def test_the_print_is_the_documents() -> None:
    verdicts = [verdict(E, 1, 4, "Most."), verdict(E, 2, 3, "Half."), verdict(B, 1, 0, "Absent.")]
    effective = effective_scores(verdicts, [])

    text = write_document(effective, trace_of_effective(Formula.PASSAGE, effective))

    assert text == (
        "• RECALL_Reasoning: [ESSENTIAL PASSAGE] 1: Most. Score: 4\n\n"
        "[ESSENTIAL PASSAGE] 2: Half. Score: 3\n\n"
        "[BONUS PASSAGE] 1: Absent. Score: 0\n\n"
        "• RECALL_Essential_Formula: (4 + 3) / 2 = 3.5\n\n"
        "• RECALL_Bonus_Formula: (0) / (2 * 1 * 2) = 0\n\n"
        "• RECALL_Combined_Formula: 3.5 + 0 = 3.5\n\n"
        "• RECALL_Final_Score_Calculation: min(5, 3.5) = 3.5\n\n"
        "• RECALL_Final_Score: 3.5\n"
    )


def test_a_moved_unit_stands_under_its_new_kind_and_an_excluded_one_nowhere() -> None:
    verdicts = [verdict(E, n, n, f"reason {n}") for n in (1, 2, 3)]
    effective = [
        EffectiveScore(verdicts[0], UnitState(E, Fraction(1))),
        decided(verdicts[1], UnitState(B, Fraction(2)), number=2),
        decided(verdicts[2], UnitState(E, Fraction(3), excluded=True), number=3),
    ]
    trace = trace_of_effective(Formula.PASSAGE, effective)

    text = write_document(effective, trace)
    reply = read_document(text, essential=1, bonus=1)

    assert "reason 3" not in text
    assert [u.score for u in reply.units] == [1, 2]
    assert reply.trace.final == trace.final == 2


def test_without_a_final_the_text_says_why() -> None:
    missing = verdict(E, 1, None, "")
    effective = effective_scores([missing], [])
    void = [replace(effective[0], state=UnitState(E, None, excluded=True))]

    incomplete_text = write_document(effective, trace_of_effective(Formula.PASSAGE, effective))
    void_text = write_document(void, trace_of_effective(Formula.PASSAGE, void))

    assert "Score: none" in incomplete_text
    assert "RECALL_Final_Score: none (no score for E1)" in incomplete_text
    assert "nothing is left to score" in void_text
    reply = read_document(incomplete_text, essential=1)
    assert reply.trace.state is TraceState.INCOMPLETE
    assert reply.reported == {}
