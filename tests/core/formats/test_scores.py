"""Scores in the neighbours' shapes: the judge's and the people's, each with its source."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from recall_core.errors import UnreadableFile
from recall_core.formats.langfuse import langfuse_jsonl, read_langfuse
from recall_core.formats.langwatch import langwatch_json, read_langwatch
from recall_core.formats.mlflow import mlflow_jsonl, read_mlflow
from recall_core.formats.outside import OutsideScore, Source
from recall_core.results import Status
from recall_core.types import Cause, Example, FailureKind
from tests.core.details import RUN, an_example, decision, detail, verdict

MODEL_RUN = replace(RUN, judge="passage_recall", settings={"model": "large"})
CHANGED = detail(
    verdict("E1", 1),
    run=MODEL_RUN,
    example=an_example(1, metadata={"trace_id": "tr-1"}),
    decisions=[decision(1, "E1", 1, 5, cause=Cause.JUDGE_WRONG, note="It is in passage 1.")],
)
UNTOUCHED = detail(verdict("E1", 4), run=RUN, number=2)
FAILED = detail(
    run=MODEL_RUN,
    number=3,
    status=Status.ERROR,
    error_type=FailureKind.REFUSAL,
    details="The model refused.",
)
RUN_OF_THREE = (CHANGED, UNTOUCHED, FAILED)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# Langfuse


def test_langfuse_gets_the_judges_score_and_the_peoples_and_no_number_for_a_failure() -> None:
    scores = lines("".join(langfuse_jsonl(RUN_OF_THREE)))

    assert [(s["traceId"], s["value"], s["metadata"]["source"]) for s in scores] == [
        ("tr-1", 1, "EVAL"),
        ("tr-1", 5, "ANNOTATION"),
        ("ex-2", 4, "EVAL"),
    ]
    assert scores[1]["comment"] == "E1 set, judge wrong: It is in passage 1."
    assert len({s["id"] for s in scores}) == 3


def test_what_langfuse_is_sent_is_read_back_with_its_sources() -> None:
    found = read_langfuse("".join(langfuse_jsonl([CHANGED])))

    assert [(s.example, s.value, s.source, s.by) for s in found] == [
        ("tr-1", 1, Source.JUDGE, "passage_recall 1 (large)"),
        ("tr-1", 5, Source.HUMAN, "Mara"),
    ]


def test_what_langfuse_lists_is_read_by_its_data_types() -> None:
    listed = {
        "data": [
            {
                "id": "s1",
                "traceId": "t1",
                "name": "recall",
                "source": "ANNOTATION",
                "authorUserId": "u1",
                "value": 0.9,
                "dataType": "NUMERIC",
                "comment": "checked",
                "timestamp": "2026-11-30T12:00:00.000Z",
            },
            {"traceId": "t1", "name": "ok", "source": "API", "value": 1, "dataType": "BOOLEAN"},
            {
                "traceId": "t2",
                "name": "grade",
                "source": "EVAL",
                "value": 0,
                "stringValue": "partly",
                "dataType": "CATEGORICAL",
                "comment": None,
            },
        ],
        "meta": {"page": 1, "limit": 50, "totalItems": 3, "totalPages": 1},
    }

    found = read_langfuse(json.dumps(listed))

    assert found == [
        OutsideScore("t1", "recall", 0.9, Source.HUMAN, "u1", "checked"),
        OutsideScore("t1", "ok", True, Source.UNKNOWN),
        OutsideScore("t2", "grade", "partly", Source.JUDGE),
    ]


# MLflow


def test_mlflow_gets_feedback_with_its_source_and_people_override_the_judge() -> None:
    judge, human, screen, failed = lines("".join(mlflow_jsonl(RUN_OF_THREE)))

    assert judge["source"] == {
        "source_type": "LLM_JUDGE",
        "source_id": "passage_recall 1 (large)",
    }
    assert (judge["feedback"], judge["valid"]) == ({"value": 1}, False)
    assert human["source"] == {"source_type": "HUMAN", "source_id": "Mara"}
    assert (human["feedback"], human["valid"]) == ({"value": 5}, True)
    assert human["overrides"] == judge["assessment_id"]
    assert human["trace_id"] == "tr-1"
    assert (screen["source"]["source_type"], screen["valid"]) == ("CODE", True)
    assert failed["feedback"] == {
        "error": {"error_code": "REFUSAL", "error_message": "The model refused."}
    }


def test_people_who_agree_with_the_judge_override_nothing() -> None:
    confirmed = detail(verdict("E1", 4), decisions=[decision(1, "E1", 4, 4)])

    judge, human = lines("".join(mlflow_jsonl([confirmed])))

    assert judge["valid"]
    assert "overrides" not in human
    assert human["rationale"] == "Confirmed."


def test_what_mlflow_is_given_is_read_back_without_what_was_overridden() -> None:
    found = read_mlflow("".join(mlflow_jsonl(RUN_OF_THREE)))

    assert [(s.example, s.value, s.source, s.error) for s in found] == [
        ("tr-1", 5, Source.HUMAN, None),
        ("ex-2", 4, Source.CODE, None),
        ("ex-3", None, Source.JUDGE, "The model refused."),
    ]


def test_traces_of_mlflow_are_read_by_the_assessments_in_them() -> None:
    trace = {
        "info": {"trace_id": "tr-9"},
        "assessments": [
            {
                "assessment_name": "recall",
                "trace_id": "tr-9",
                "source": {"source_type": "AI_JUDGE", "source_id": "gpt"},
                "feedback": {"value": True},
                "rationale": "found",
            },
            {
                "assessment_name": "answer",
                "trace_id": "tr-9",
                "source": {"source_type": "HUMAN", "source_id": "ana"},
                "expectation": {"value": "It rains."},
            },
        ],
    }

    assert read_mlflow(json.dumps([trace])) == [
        OutsideScore("tr-9", "recall", True, Source.JUDGE, "gpt", "found")
    ]


# LangWatch


def test_langwatch_gets_rows_in_its_names_and_the_finals_that_count_now() -> None:
    batch = json.loads(langwatch_json(RUN_OF_THREE))

    assert batch["dataset"][0]["entry"] == {
        "id": "ex-1",
        "input": "Question 1?",
        "contexts": ["A unit, and more.", "Other."],
        "expected_contexts": ["A unit."],
        "trace_id": "tr-1",
    }
    assert [(e["index"], e["status"], e.get("score")) for e in batch["evaluations"]] == [
        (0, "processed", 5),
        (1, "processed", 4),
        (2, "error", None),
    ]
    assert batch["evaluations"][2]["error_type"] == "refusal"
    assert (batch["progress"], batch["total"]) == (3, 3)


def test_what_langwatch_is_sent_is_read_back() -> None:
    found = read_langwatch(langwatch_json(RUN_OF_THREE))

    assert [(s.example, s.value, s.error) for s in found] == [
        ("0", 5, None),
        ("1", 4, None),
        ("2", None, "The model refused."),
    ]


def test_batches_may_repeat_and_an_error_without_a_status_is_an_error() -> None:
    def batch(*evaluations: dict[str, Any]) -> str:
        return json.dumps({"run_id": "r", "dataset": [], "evaluations": list(evaluations)})

    first = {"evaluator": "e", "index": 0, "status": "processed", "score": 0.25}
    again = {**first, "score": 0.5}
    broken = {"evaluator": "e", "index": 1, "error_type": "ValueError", "details": "It broke."}
    passed = {"evaluator": "e", "index": 2, "status": "processed", "passed": True}

    found = read_langwatch("\n".join([batch(first), batch(again, broken, passed)]))

    assert [(s.example, s.value, s.error) for s in found] == [
        ("0", 0.5, None),
        ("1", None, "It broke."),
        ("2", True, None),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not json", "Line 1 is not JSON"),
        ("3", "neither a list of objects"),
        ("[3]", "Item 1 is not an object"),
        ('[{"name": "n"}]', "A score has no traceId"),
    ],
)
def test_what_is_no_such_file_is_refused_with_the_place(text: str, said: str) -> None:
    with pytest.raises(UnreadableFile, match=said):
        read_langfuse(text)


def test_a_skipped_example_has_no_score_anywhere() -> None:
    skipped = detail(status=Status.SKIPPED, example=Example("s"), details="It lacks a field.")

    assert not list(langfuse_jsonl([skipped]))
    assert read_mlflow("".join(mlflow_jsonl([skipped])))[0].value is None
    assert read_langwatch(langwatch_json([skipped]))[0].error == "It lacks a field."
