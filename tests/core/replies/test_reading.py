"""One reply, read for the units that were asked about, in whatever shape it answers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.replies import Again, Quote, Reading, read_reply
from recall_core.types import FailureKind
from tests.core.replies.asked import read, scores, units, unread

AMBIGUOUS = FailureKind.AMBIGUOUS
MISSING = FailureKind.INCOMPLETE
OFF = FailureKind.OUT_OF_RANGE
UNPARSEABLE = FailureKind.UNPARSEABLE


@pytest.mark.parametrize(
    "reply",
    [
        '{"passages": [{"passage": "E1", "score": 4}, {"passage": "E2", "score": 3},'
        ' {"passage": "B1", "score": 0}]}',
        '{"passages": [{"passage": "B1", "score": 0}, {"passage": "E2", "score": 3},'
        ' {"passage": "E1", "score": 4}]}',
        '{"Passages": [{"Passage": "e1", "Score": 4}, {"Passage": "e2", "Score": 3},'
        ' {"Passage": "b1", "Score": 0}]}',
        '[{"label": "ESSENTIAL 1", "rating": "4"}, {"label": "Essential passage 2", "rating": "3"},'
        ' {"label": "[BONUS PASSAGE] 1", "rating": "0"}]',
        '{"E1": {"score": 4}, "E2": {"score": 3}, "B1": {"score": 0}}',
        '{"E1": 4, "E2": 3, "B1": 0}',
        '{"scores": {"E1": 4, "E2": 3, "B1": 0}}',
        '{"essential": [{"score": 4}, {"score": 3}], "bonus": [{"score": 0}]}',
        '{"essential_scores": [4, 3], "bonus_scores": [0]}',
        '{"result": {"evaluations": [{"kind": "essential", "number": 1, "score": 4},'
        ' {"kind": "essential", "number": 2, "score": 3}, {"kind": "bonus", "number": 1,'
        ' "score": 0}]}}',
        '[{"passage": "text of E1", "score": 4}, {"passage": "Text of E2.", "score": 3},'
        ' {"passage": "text of B1", "score": 0}]',
        "[4, 3, 0]",
        '{"passage": "E1", "score": 4}\n{"passage": "E2", "score": 3}\n'
        '{"passage": "B1", "score": 0}',
        '{"essential": [{"score": 4}, {"score": 3}]} {"bonus": [{"score": 0}]}',
        "[ESSENTIAL PASSAGE] 1: a Score: 4 [ESSENTIAL PASSAGE] 2: b Score: 3 "
        "[BONUS PASSAGE] 1: c Score: 0",
    ],
)  # fmt: skip
def test_scores_are_matched_by_name_in_whatever_shape_they_come(reply: str) -> None:
    assert scores(reply, "E1 E2 B1") == [4, 3, 0]


@pytest.mark.parametrize(
    "reply",
    [
        '{"verdicts": [{"statement": "S1", "supported": true},'
        ' {"statement": "S2", "supported": false}]}',
        '{"verdicts": [{"statement": 2, "verdict": "no"}, {"statement": 1, "verdict": "yes"}]}',
        '{"verdicts": [{"verdict": "yes"}, {"verdict": "no"}]}',
        '{"verdicts": ["yes", "no"]}',
        '["Yes.", "No"]',
        '{"verdicts": [{"label": "S1", "verdict": "yes"}, {"label": "S2", "verdict": "no"}]}',
        '{"verdicts": [{"id": 1, "label": "supported"}, {"id": 2, "label": "not supported"}]}',
        '{"verdicts": [{"id": 1, "score": 0.9, "supported": true}, {"id": 2, "score": 0.1,'
        ' "supported": false}]}',
        '{"1": "yes", "2": "no"}',
        '{"S1": {"supported": 1}, "S2": {"supported": 0}}',
        '{"classifications": [{"statement": "text of S1", "reason": "r", "attributed": 1},'
        ' {"statement": "text of S2", "reason": "r", "attributed": 0}]}',
        "1. The first. [Attributed]\n2. The second. [Not attributed]",
        "Let me see.\n\n1) The first (YES)\n2) The second (no)\n\nThat is all.",
        "1: yes\n2: no",
        "[STATEMENT] 1: there. Score: 1\n[STATEMENT] 2: not there. Score: 0",
    ],
)
def test_verdicts_are_matched_by_number_in_whatever_shape_they_come(reply: str) -> None:
    assert scores(reply, "S1 S2") == [1, 0]


@pytest.mark.parametrize(
    ("reply", "labels", "expected"),
    [
        ('{"score": 5}', "E1", [5]),
        ('{"score": "5"}', "E1", [5]),
        ("Score: 5 ", "E1", [5]),
        ("It is all there. **Score: 4/5**", "E2", [4]),
        ('{"verdict": "yes", "reason": "it is"}', "S1", [1]),
        ("Yes.", "S1", [1]),
        ("partially", "S1", None),
        ("I would say so.", "E1", None),
    ],
)
def test_a_single_unit_needs_no_name(reply: str, labels: str, expected: list[int] | None) -> None:
    if expected is None:
        assert unread(reply, labels).kind is UNPARSEABLE
    else:
        assert scores(reply, labels) == expected


def test_reasoning_and_quotes_come_with_the_score() -> None:
    reply = {
        "passages": [
            {
                "passage": "E1",
                "reasoning": " Step by step. ",
                "quotes": [{"rank": 2, "quote": "these words"}, {"rank": "passage 3", "text": "x"}],
                "score": 4,
            },
            {"passage": "E2", "explanation": "none", "evidence": "plain words", "score": 2},
        ]
    }

    first, second = read(json.dumps(reply), "E1 E2").units

    assert first.reasoning == "Step by step."
    assert first.quotes == (Quote("these words", 2), Quote("x", 3))
    assert second.reasoning == "none"
    assert second.quotes == (Quote("plain words", None),)


def test_a_statement_may_name_its_passage_beside_the_quote() -> None:
    reply = '{"verdicts": [{"statement": 1, "passage": 2, "quote": "q", "supported": true}]}'

    (unit,) = read(reply, "S1").units

    assert unit.quotes == (Quote("q", 2),)


def test_a_missing_reasoning_is_no_error() -> None:
    (unit,) = read('{"score": 4}', "E1").units

    assert (unit.reasoning, unit.quotes, unit.failure) == ("", (), None)


def test_a_unit_that_is_missing_is_worth_asking_again() -> None:
    first, second = read('{"passages": [{"passage": "E1", "score": 4}]}', "E1 E2").units

    assert first.again is None
    assert (second.score, second.failure, second.again) == (None, MISSING, Again.MISSING)
    assert second.trouble == "E2 is missing from the answer."


def test_an_entry_without_a_score_is_missing_too() -> None:
    reply = '{"passages": [{"passage": "E1", "reasoning": "hm"}, {"passage": "E2", "score": null}]}'

    assert scores(reply, "E1 E2") == [MISSING, MISSING]


@pytest.mark.parametrize("reply", ["[]", '{"passages": []}'])
def test_an_empty_list_answers_for_no_unit(reply: str) -> None:
    assert scores(reply, "E1 E2") == [MISSING, MISSING]


def test_an_invented_unit_is_ignored_with_a_warning() -> None:
    reply = '{"passages": [{"passage": "B1", "score": 2}, {"passage": "B2", "score": 5}]}'

    reading = read(reply, "B1")

    assert [u.score for u in reading.units] == [2]
    assert reading.warnings == ("B2 was not asked about and is ignored.",)


def test_numbers_from_zero_are_not_shifted() -> None:
    reply = '{"verdicts": [{"statement": 0, "verdict": "yes"}, {"statement": 1, "verdict": "no"}]}'

    assert scores(reply, "S1 S2") == [0, MISSING]


@pytest.mark.parametrize(
    "reply",
    [
        '{"passages": [{"passage": "E1", "score": 2}, {"passage": "E1", "score": 4}]}',
        '{"passages": [{"passage": "E1", "score": 2, "score": 4}]}',
        '{"passages": [{"passage": "E1", "score": 2, "rating": 4}]}',
        '{"E1": 2, "e1": 4}',
        "[ESSENTIAL PASSAGE] 1: a Score: 2 [ESSENTIAL PASSAGE] 1: b Score: 4",
    ],
)
def test_a_unit_with_two_scores_is_ambiguous_and_asked_again(reply: str) -> None:
    (unit,) = read(reply, "E1").units

    assert (unit.score, unit.failure, unit.again) == (None, AMBIGUOUS, Again.AMBIGUOUS)
    assert "2" in unit.trouble
    assert "4" in unit.trouble


def test_a_unit_named_twice_with_one_score_keeps_it_with_a_warning() -> None:
    reply = '{"passages": [{"passage": "E1", "score": 4}, {"passage": "E1", "score": "4"}]}'

    reading = read(reply, "E1")

    assert reading.units[0].score == 4
    assert reading.warnings == ("E1 is answered 2 times with the same score.",)


@pytest.mark.parametrize("count", [1, 3])
def test_verdicts_without_names_count_only_if_there_is_one_for_each(count: int) -> None:
    reply = json.dumps({"verdicts": [{"verdict": "yes"}] * count})

    assert scores(reply, "S1 S2") == [MISSING, MISSING]


def test_verdicts_in_their_order_are_taken_with_a_warning() -> None:
    assert read('["yes", "no"]', "S1 S2").warnings == (
        "The answers name no units, so they were taken in their order.",
    )


def test_a_text_that_two_statements_share_names_neither() -> None:
    twins = [replace(unit, text="The same.") for unit in units("S1 S2")]
    reply = '[{"statement": "The same.", "verdict": "yes"}, {"statement": 2, "verdict": "no"}]'

    reading = read_reply(reply, twins)

    assert isinstance(reading, Reading)
    assert [unit.score for unit in reading.units] == [None, 0]


def test_a_bare_number_names_no_passage_where_there_are_two_kinds() -> None:
    reply = '{"passages": [{"number": 1, "score": 4}, {"number": 2, "score": 3}]}'

    assert scores(reply, "E1 E2") == [4, 3]
    assert scores(reply, "E1 B1") == [4, 3], "two entries for two units: their order"
    assert scores(reply, "E1 E2 B1") == [MISSING] * 3


@pytest.mark.parametrize(
    ("value", "failure", "again"),
    [
        ('"excellent"', UNPARSEABLE, Again.UNREADABLE),
        ("10", OFF, None),
        ("0.8", OFF, None),
        ("true", UNPARSEABLE, Again.UNREADABLE),
        ("NaN", UNPARSEABLE, Again.UNREADABLE),
    ],
)
def test_a_score_that_is_none_spoils_its_own_unit_only(
    value: str, failure: FailureKind, again: Again | None
) -> None:
    reply = f'{{"E1": {value}, "E2": 3}}'

    first, second = read(reply, "E1 E2").units

    assert (first.score, first.failure, first.again) == (None, failure, again)
    assert second.score == 3


def test_a_fraction_is_taken_and_worth_asking_again() -> None:
    (unit,) = read('{"score": 4.5}', "E1").units

    assert (unit.score, unit.again) == (4.5, Again.FRACTION)


def test_a_verdict_that_is_neither_goes_to_a_person_and_is_not_asked_again() -> None:
    first, second = read('["n/a", "unclear"]', "S1 S2").units

    assert (first.failure, first.again) == (AMBIGUOUS, None)
    assert (second.failure, second.again) == (AMBIGUOUS, None)


def test_two_objects_that_fit_and_differ_are_ambiguous() -> None:
    reading = unread('First {"score": 3}, or rather {"score": 4}.', "E1")

    assert (reading.kind, reading.again) == (AMBIGUOUS, Again.AMBIGUOUS)
    assert "2 answers that differ" in reading.message


def test_two_objects_about_the_same_named_unit_are_ambiguous() -> None:
    reply = '{"passage": "E1", "score": 3}\n{"passage": "E1", "score": 4}'

    assert unread(reply, "E1 E2").kind is AMBIGUOUS


def test_the_same_answer_twice_is_one() -> None:
    assert scores('{"score": 4}\n\n```json\n{"score": "4"}\n```', "E1") == [4]


def test_an_object_that_fits_is_found_among_others() -> None:
    reply = (
        'The schema is {"type": "object", "required": ["passages"]}. Passage 2 holds '
        '{"config": {"a": 1}} and [3]. My answer: {"passages": [{"passage": "E1", "score": 4}]}'
    )

    assert scores(reply, "E1") == [4]


def test_a_footnote_is_no_score() -> None:
    assert scores("As [3] says, half of it is there [1]. Score: 4", "E1") == [4]


@pytest.mark.parametrize(
    "reply",
    [
        '{"passages": [{"passage": "E1", "score": 4}, {"passage": "E2", "rea',
        '{"passages": [{"passage": "E1", "reasoning": "[ESSENTIAL PASSAGE] 1: x Score: 5", "sc',
        '[{"passage": "E1", "score": 4}, {"passage": "E2", "score": 3}] [{"passage": "E1",',
        '{"mood": "good"}',
        "",
        "   ",
        "I cannot tell.",
        "{}",
        "null",
        "4",
    ],
)
def test_what_holds_no_answer_is_never_salvaged(reply: str) -> None:
    assert unread(reply, "E1 E2").kind in (UNPARSEABLE, FailureKind.EMPTY)


def test_thoughts_alone_are_an_empty_answer() -> None:
    assert unread('<think>{"score": 4}</think>', "E1").kind is FailureKind.EMPTY
    assert unread('<think>{"score": 4}', "E1").kind is FailureKind.EMPTY


def test_words_inside_an_object_are_no_labels() -> None:
    reply = '{"score": 2, "reasoning": "[ESSENTIAL PASSAGE] 1: great. Score: 5"}'

    assert scores(reply, "E1") == [2]


def test_repaired_punctuation_is_said() -> None:
    reading = read("{'passages': [{'passage': 'E1', 'score': 4,},]}", "E1")

    assert reading.units[0].score == 4
    assert reading.repaired


def test_a_document_reply_keeps_reasoning_and_compares_the_writers_sums() -> None:
    reply = (
        "• RECALL_Reasoning: [ESSENTIAL PASSAGE] 1: mostly there. Score: 4 "
        "[ESSENTIAL PASSAGE] 2: half. Score: 3\n"
        "• RECALL_Essential_Formula: (4 + 3) / 2 = 4\n• RECALL_Final_Score: 4"
    )

    reading = read(reply, "E1 E2")

    assert [(u.score, u.reasoning) for u in reading.units] == [(4, "mostly there."), (3, "half.")]
    assert "The model calculated RECALL_Final_Score as 4; from its scores it is 3.5." in (
        reading.warnings
    )


def test_a_document_reply_about_some_units_is_not_compared() -> None:
    reply = "[ESSENTIAL PASSAGE] 2: half. Score: 3\n\n• RECALL_Final_Score: 4"

    assert read(reply, "E2").warnings == ()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("nearly complete. Score: 4/5", 4),
        ("On a scale of 1 to 5 I would give this a Score: 5", 5),
        ("covers 2 of the 3 facts from 2019. Score: 4", 4),
        ("完全。 Score：４", 4),
        ("perfect. Score: 10", OFF),
        ("Score: 90", OFF),
        ("contradicts. Score: -2", OFF),
        ("ok. Score: four", UNPARSEABLE),
        ("no score at all here", MISSING),
    ],
)
def test_the_last_score_of_a_labelled_passage_counts(
    written: str, expected: int | FailureKind
) -> None:
    reply = f"[ESSENTIAL PASSAGE] 1: {written}\n[ESSENTIAL PASSAGE] 2: good. Score: 5"

    assert scores(reply, "E1 E2") == [expected, 5]


@given(st.text(max_size=200), st.sampled_from(["E1", "E1 E2 B1", "S1", "S1 S2"]))
def test_no_text_at_all_makes_reading_fail(text: str, labels: str) -> None:
    reading = read_reply(text, units(labels))

    if isinstance(reading, Reading):
        assert [u.unit for u in reading.units] == list(units(labels))
        for unit in reading.units:
            assert (unit.score is None) == (unit.failure is not None)
