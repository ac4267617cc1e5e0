"""Datasets in the neighbours' shapes, and nuggets with what assessors said of them."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from recall_core.errors import UnreadableFile
from recall_core.formats.examples import deepeval_json, ragas_jsonl
from recall_core.formats.nuggets import (
    Assignment,
    assessed_jsonl,
    nuggets_jsonl,
    read_nuggets,
)
from recall_core.ingest import parse_examples, read_file, suggest_mapping
from recall_core.types import (
    Action,
    Example,
    GroundTruthPassage,
    PassageKind,
    RetrievedPassage,
)
from tests.core.details import decision, detail, verdict

WHOLE = Example(
    "q7",
    question="What is it?",
    ground_truth=(
        GroundTruthPassage(PassageKind.ESSENTIAL, "Must."),
        GroundTruthPassage(PassageKind.BONUS, "May."),
    ),
    retrieved=(RetrievedPassage(1, "Came."), RetrievedPassage(2, "Back.")),
    actual_output="An answer.",
    expected_output="The answer.",
    metadata={"topic": "t"},
)


def loaded(text: str, filename: str) -> list[Example]:
    table = read_file(text.encode(), filename)
    mapping = suggest_mapping(table.columns, table.sample())
    return [row.example for row in parse_examples(table, mapping) if row.example is not None]


def test_ragas_samples_have_its_names_and_come_back_without_what_it_has_no_place_for() -> None:
    text = "".join(ragas_jsonl([WHOLE]))

    assert json.loads(text) == {
        "user_input": "What is it?",
        "response": "An answer.",
        "reference": "The answer.",
        "retrieved_contexts": ["Came.", "Back."],
        "reference_contexts": ["Must."],
    }
    [back] = loaded(text, "samples.jsonl")
    essential = WHOLE.essential
    assert back == replace(WHOLE, id=back.id, ground_truth=essential, metadata={})


def test_a_field_that_is_missing_stays_missing_and_an_empty_list_stays_empty() -> None:
    empty = Example("1", question="q", retrieved=())

    assert json.loads("".join(ragas_jsonl([empty]))) == {
        "user_input": "q",
        "retrieved_contexts": [],
    }


def test_deepeval_cases_have_its_names_and_come_back() -> None:
    text = deepeval_json([WHOLE])

    [case] = json.loads(text)
    assert case["context"] == ["Must."]
    assert case["additional_metadata"] == {"topic": "t", "bonus": ["May."]}
    [back] = loaded(text, "cases.json")
    assert (back.question, back.actual_output, back.expected_output) == (
        WHOLE.question,
        WHOLE.actual_output,
        WHOLE.expected_output,
    )
    assert (back.essential, back.retrieved) == (WHOLE.essential, WHOLE.retrieved)


# As nuggetizer documents the file that it writes of an answer.
ASSESSED = {
    "query": "What is Kestrel?",
    "qid": "q1",
    "answer_text": "A bicycle subscription.",
    "response_length": 3,
    "run_id": "run-1",
    "nuggets": [
        {"text": "It is a subscription", "importance": "vital", "assignment": "support"},
        {"text": "It was founded in 2019", "importance": "vital", "assignment": "not_support"},
        {"text": "It has cargo bikes", "importance": "okay", "assignment": "partial_support"},
    ],
}


def test_vital_nuggets_are_essential_passages_and_okay_ones_bonus() -> None:
    [example] = loaded(json.dumps(ASSESSED) + "\n", "assessed.jsonl")

    assert (example.id, example.question) == ("q1", "What is Kestrel?")
    assert example.actual_output == "A bicycle subscription."
    assert [p.text for p in example.essential] == [
        "It is a subscription",
        "It was founded in 2019",
    ]
    assert [p.text for p in example.bonus] == ["It has cargo bikes"]


def test_nuggets_are_written_so_that_they_are_read_back() -> None:
    text = "".join(nuggets_jsonl([WHOLE, Example("none")]))

    assert json.loads(text) == {
        "query": "What is it?",
        "qid": "q7",
        "nuggets": [
            {"text": "Must.", "importance": "vital"},
            {"text": "May.", "importance": "okay"},
        ],
    }
    assert loaded(text, "nuggets.jsonl")[0].ground_truth == WHOLE.ground_truth


def test_recall_of_an_assessed_topic_is_the_share_of_supported_nuggets() -> None:
    [topic] = read_nuggets(json.dumps(ASSESSED))

    assert str(topic.recall()) == "0.5 (2 of 2)"
    assert topic.recall(vital_only=False).value == Fraction(1, 3)
    assert topic.recall(vital_only=False, partial=Fraction(1, 2)).value == Fraction(1, 2)


def test_a_failed_assignment_is_missing_from_the_mean_which_says_so() -> None:
    nuggets = [
        {"text": "a", "importance": "vital", "assignment": "support"},
        {"text": "b", "importance": "vital", "assignment": "failed"},
    ]

    [topic] = read_nuggets(json.dumps({**ASSESSED, "nuggets": nuggets}))

    recall = topic.recall()
    assert (recall.value, recall.n, recall.of) == (1, 1, 2)
    assert str(recall) == "1 (1 of 2)"


def test_no_assessed_nugget_is_no_recall() -> None:
    [topic] = read_nuggets(json.dumps({**ASSESSED, "nuggets": []}))

    assert topic.recall().value is None


@pytest.mark.parametrize(
    ("nugget", "said"),
    [
        ({"text": "a", "importance": "nice"}, "importance 'nice': it is vital or okay"),
        ({"text": "a", "importance": "vital", "assignment": "maybe"}, "assignment 'maybe'"),
        ({"importance": "vital"}, "nugget has no text"),
        ("a text", "not an object"),
    ],
)
def test_a_nugget_that_cannot_be_read_is_refused_by_its_word(nugget: object, said: str) -> None:
    with pytest.raises(UnreadableFile, match=said):
        read_nuggets(json.dumps({**ASSESSED, "nuggets": [nugget]}))


def test_a_reviewed_run_is_written_as_assessed_nuggets_as_they_count_now() -> None:
    judged = detail(
        verdict("E1", 5, text="whole"),
        verdict("E2", 1, text="none"),
        verdict("E3", 3, text="half"),
        verdict("E4", 1, text="out"),
        verdict("B1", None, text="unread"),
        decisions=[
            decision(1, "E2", 1, 5),
            decision(2, "E4", 1, 1, action=Action.EXCLUDE, excluded=True),
        ],
    )

    [topic] = read_nuggets("".join(assessed_jsonl([judged])))

    assert [(n.text, n.vital, n.assignment) for n in topic.nuggets] == [
        ("whole", True, Assignment.SUPPORT),
        ("none", True, Assignment.SUPPORT),
        ("half", True, Assignment.PARTIAL_SUPPORT),
        ("unread", False, Assignment.FAILED),
    ]
