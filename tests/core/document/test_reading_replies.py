"""Replies in the document's text form: scores by label and number, arithmetic done again."""

from __future__ import annotations

from fractions import Fraction

import pytest

from recall_core.document import DocumentReply, read_document
from recall_core.document.numbers import read_number
from recall_core.types import FailureKind, TraceState, UnitKind, UnitRef

E, B = UnitKind.ESSENTIAL, UnitKind.BONUS

DOCUMENT = """• RECALL_Reasoning: [ESSENTIAL PASSAGE] 1: Names the day. Score: 4 \
[ESSENTIAL PASSAGE] 2: Lacks the fee. Score: 3 [BONUS PASSAGE] 1: Says it nearly. Score: 4 \
[BONUS PASSAGE] 2: Absent. Score: 0

• RECALL_Essential_Formula: (4 + 3) / 2 = 3.5

• RECALL_Bonus_Formula: (4 + 0) / (2 * 2 * 2) = 0.5

• RECALL_Combined_Formula: 3.5 + 0.5 = 4

• RECALL_Final_Score_Calculation: min(5, 4) = 4

• RECALL_Final_Score: 4
"""


def scores(reply: DocumentReply) -> dict[str, Fraction | None]:
    return {unit.ref.label: unit.score for unit in reply.units}


def one_score(text: str) -> Fraction | None:
    return read_document(text, essential=1).units[0].score


def failure(text: str, *, essential: int = 1, bonus: int = 0) -> FailureKind | None:
    units = read_document(text, essential=essential, bonus=bonus).units
    return next((unit.failure for unit in units if unit.failure), None)


def test_the_documents_own_form_is_read() -> None:
    reply = read_document(DOCUMENT, essential=2, bonus=2)

    assert scores(reply) == {"E1": 4, "E2": 3, "B1": 4, "B2": 0}
    assert [unit.reasoning for unit in reply.units][:2] == ["Names the day.", "Lacks the fee."]
    assert reply.trace.final == 4
    assert reply.reported["RECALL_Bonus_Formula"] == Fraction(1, 2)
    assert reply.mismatches == ()
    assert reply.warnings == ()


def test_the_final_is_computed_again_and_the_writers_own_is_shown_beside_it() -> None:
    text = (
        "[ESSENTIAL PASSAGE] 1: a Score: 4 [ESSENTIAL PASSAGE] 2: b Score: 3\n"
        "• RECALL_Essential_Formula: (4 + 3) / 2 = 4\n• RECALL_Final_Score: 4"
    )

    reply = read_document(text, essential=2)

    assert reply.trace.final == Fraction(7, 2)
    assert reply.reported["RECALL_Final_Score"] == 4
    assert [(m.label, m.reported, m.computed) for m in reply.mismatches] == [
        ("RECALL_Essential_Formula", 4, Fraction(7, 2)),
        ("RECALL_Final_Score", 4, Fraction(7, 2)),
    ]


def test_more_decimals_than_are_printed_are_no_mismatch() -> None:
    text = "[ESSENTIAL PASSAGE] 1: Score: 4 [ESSENTIAL PASSAGE] 2: Score: 4\n"
    text += "[ESSENTIAL PASSAGE] 3: Score: 3\nRECALL_Final_Score: 3.6667"

    assert read_document(text, essential=3).mismatches == ()


def test_a_passage_that_the_reply_invents_is_ignored_with_a_warning() -> None:
    text = "[ESSENTIAL PASSAGE] 1: Score: 4 [BONUS PASSAGE] 1: Score: 5 [BONUS PASSAGE] 2: Score: 5"

    reply = read_document(text, essential=1, bonus=1)

    assert scores(reply) == {"E1": 4, "B1": 5}
    assert reply.trace.bonus == Fraction(5, 2)
    assert reply.warnings == (
        "[BONUS PASSAGE] 2 is not one of the example's passages and was ignored.",
    )


def test_one_label_with_two_scores_is_a_conflict_and_not_two_passages() -> None:
    text = (
        "[ESSENTIAL PASSAGE] 1: first thought. Score: 2 [ESSENTIAL PASSAGE] 1: revised. Score: 4 "
        "[ESSENTIAL PASSAGE] 2: fine. Score: 5"
    )

    reply = read_document(text, essential=2)

    assert scores(reply) == {"E1": None, "E2": 5}
    assert reply.units[0].failure is FailureKind.AMBIGUOUS
    assert "2 and 4" in reply.units[0].trouble
    assert reply.trace.state is TraceState.INCOMPLETE
    same = text.replace("Score: 2", "Score: 4")
    assert scores(read_document(same, essential=2)) == {"E1": 4, "E2": 5}
    assert "2 times" in read_document(same, essential=2).warnings[0]


def test_labels_in_any_order_are_matched_by_kind_and_number() -> None:
    text = (
        "[BONUS PASSAGE] 1: x Score: 1 [ESSENTIAL PASSAGE] 2: y Score: 3 "
        "[ESSENTIAL PASSAGE] 1: z Score: 5"
    )

    reply = read_document(text, essential=2, bonus=1)

    assert scores(reply) == {"E1": 5, "E2": 3, "B1": 1}
    assert reply.trace.final == Fraction(17, 4)


def test_a_missing_passage_stays_missing_and_the_final_empty() -> None:
    reply = read_document("[ESSENTIAL PASSAGE] 1: a Score: 4", essential=2)

    assert reply.units[1].failure is FailureKind.INCOMPLETE
    assert reply.trace.final is None
    assert reply.trace.missing == ("E2",)


def test_without_an_essential_passage_there_is_no_final() -> None:
    reply = read_document("[BONUS PASSAGE] 1: a Score: 4", bonus=1)

    assert reply.trace.state is TraceState.VOID
    assert reply.trace.final is None


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("[ESSENTIAL PASSAGE] 1: nearly complete. Score: 4/5", 4),
        ("[ESSENTIAL PASSAGE] 1: ok. Score: 4 out of 5", 4),
        ("[ESSENTIAL PASSAGE] 1: On a scale of 1 to 5 I would give this a Score: 5", 5),
        ("[ESSENTIAL PASSAGE] 1: covers 2 of the 3 facts from 2019. Score: 4", 4),
        ("[ESSENTIAL PASSAGE] 1: Score: 2 at first sight, but then. Score: 4", 4),
        ("[ESSENTIAL PASSAGE] 1: 完全。 Score：４", 4),
        ("[ESSENTIAL PASSAGE] 1: ok. **Score:** 4", 4),
        ("[ESSENTIAL PASSAGE] 1: ok. Score: **4**", 4),
        ("**[ESSENTIAL PASSAGE] 1:** ok. *Score*: 4.", 4),
        ("**[ESSENTIAL PASSAGE 1]**\nok.\nScore = 4 (nearly all)", 4),
        ("[essential passage]: ok. score:4", 4),
        ("[ESSENTIAL\u00a0PASSAGE] #1: ok. Score: [4]", 4),
        ("【ESSENTIAL PASSAGE】1：ok。Score：4", 4),
        ("- ESSENTIAL PASSAGE 1: ok. Score: 4", 4),
        ("[ESSENTIAL PASSAGE] 1: bien. Score: 4,5", Fraction(9, 2)),
        ("[ESSENTIAL PASSAGE] 1 - ok. Score: 4", 4),
        ("[ESSENTIAL PASSAGE] 1: ok. Score: 4\n\nFinal Score: 5", 4),
        ("[ESSENTIAL PASSAGE] 1: as in [BONUS PASSAGE] 1, it is whole. Score: 4", 4),
    ],
)
def test_a_score_is_what_follows_the_last_score_label(text: str, score: Fraction) -> None:
    assert one_score(text) == score


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[ESSENTIAL PASSAGE] 1: perfect. Score: 10", FailureKind.OUT_OF_RANGE),
        ("[ESSENTIAL PASSAGE] 1: Score: 90", FailureKind.OUT_OF_RANGE),
        ("[ESSENTIAL PASSAGE] 1: Score: 4/10", FailureKind.OUT_OF_RANGE),
        ("[ESSENTIAL PASSAGE] 1: Score: 9555555", FailureKind.OUT_OF_RANGE),
        ("[ESSENTIAL PASSAGE] 1: Score: 9e124", FailureKind.OUT_OF_RANGE),
        ("[ESSENTIAL PASSAGE] 1: Score: 0", FailureKind.OUT_OF_RANGE),
        ("[ESSENTIAL PASSAGE] 1: Score: 0.8", FailureKind.OUT_OF_RANGE),
        ("[ESSENTIAL PASSAGE] 1: Score: 9e999999999", FailureKind.UNPARSEABLE),
        ("[ESSENTIAL PASSAGE] 1: ok. Score: four", FailureKind.UNPARSEABLE),
        ("[ESSENTIAL PASSAGE] 1: ok. Score: 3-4", FailureKind.UNPARSEABLE),
        ("[ESSENTIAL PASSAGE] 1: ok. Score: 3½", FailureKind.UNPARSEABLE),
        ("[ESSENTIAL PASSAGE] 1: ok. Score: 1,000", FailureKind.UNPARSEABLE),
        ("[ESSENTIAL PASSAGE] 1: Score: 3, later Score: see above", FailureKind.UNPARSEABLE),
        ("[ESSENTIAL PASSAGE] 1: all 3 points are there", FailureKind.INCOMPLETE),
        ("[ESSENTIAL PASSAGE] 1: Score: none", FailureKind.INCOMPLETE),
        ("", FailureKind.INCOMPLETE),
        ("[BONUS PASSAGE] 1: contradicts. Score: -2", FailureKind.OUT_OF_RANGE),
        ("[BONUS PASSAGE] 1: contradicts. Score: −2", FailureKind.OUT_OF_RANGE),
    ],
)
def test_what_is_no_score_fails_alone_and_is_never_clamped(text: str, kind: FailureKind) -> None:
    counts = {"essential": 0, "bonus": 1} if "BONUS" in text else {"essential": 1}

    assert failure(text, **counts) is kind


def test_a_bonus_may_have_a_part_of_a_point_with_a_warning() -> None:
    reply = read_document("[BONUS PASSAGE] 1: little. Score: 0.8", bonus=1)

    assert reply.units[0].score == Fraction(4, 5)
    assert "no whole number" in reply.warnings[0]


def test_a_decimal_comma_is_understood_and_said() -> None:
    reply = read_document("[ESSENTIAL PASSAGE] 1: Score: 4\nRECALL_Final_Score: 3,67", essential=1)

    assert reply.reported["RECALL_Final_Score"] == Fraction(367, 100)
    assert reply.warnings == ("RECALL_Final_Score is written with a decimal comma.",)


def test_labels_without_numbers_are_counted_in_their_order() -> None:
    text = "[ESSENTIAL PASSAGE]: a Score: 4 [ESSENTIAL PASSAGE]: b Score: 2"

    reply = read_document(text, essential=2)

    assert scores(reply) == {"E1": 4, "E2": 2}
    assert "no numbers" in reply.warnings[0]
    mixed = read_document(
        text.replace("[ESSENTIAL PASSAGE]: b", "[ESSENTIAL PASSAGE] 2: b"), essential=2
    )
    assert scores(mixed) == {"E1": None, "E2": 2}


def test_bold_and_escaped_formula_lines_are_recognised() -> None:
    text = "[ESSENTIAL PASSAGE] 1: Score: 4\n**RECALL\\_Final\\_Score:** **4**\n"
    text += "- **RECALL_Essential_Formula**: (4) / 1 = 4"

    reply = read_document(text, essential=1)

    assert reply.reported == {"RECALL_Final_Score": 4, "RECALL_Essential_Formula": 4}
    assert reply.units[0].score == 4


def test_statements_and_contexts_are_read_too() -> None:
    text = "[STATEMENT] 1: there. Score: 1 [STATEMENT] 2: absent. Score: 0"

    reply = read_document(text, statements=2)

    assert [unit.ref for unit in reply.units] == [
        UnitRef(UnitKind.STATEMENT, 1),
        UnitRef(UnitKind.STATEMENT, 2),
    ]
    assert reply.trace.final == Fraction(1, 2)


@pytest.mark.parametrize("filler", [" ", "\n", "[", "*", "\n[ESSENTIAL PASSAGE]", "score ", "9"])
def test_a_reply_that_repeats_itself_is_read_in_no_time(filler: str) -> None:
    text = f"[ESSENTIAL PASSAGE] 1: [{filler * 60_000}Score: 4"

    assert read_document(text, essential=1).units[0].failure in (
        None,
        FailureKind.AMBIGUOUS,
        FailureKind.INCOMPLETE,
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [("4", 4), (" ４ ", 4), ("**3.5**", Fraction(7, 2)), ("+2", 2), ("4th", None), ("", None)],
)
def test_numbers_are_read_at_the_beginning_only(text: str, value: Fraction | None) -> None:
    number = read_number(text)

    assert (number.value if number else None) == value
