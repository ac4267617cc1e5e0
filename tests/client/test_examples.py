"""What an example may be made of, and what it becomes for judges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from recall_client import Example, InvalidExample, read_examples
from recall_client.examples import examples_of
from recall_core.types import GroundTruthPassage, PassageKind, RetrievedPassage


def test_an_example_becomes_the_cores() -> None:
    example = Example(
        input="q",
        actual_output="a",
        expected_output="e",
        retrieval_context=["one", "two"],
        expected_contexts=["must"],
        bonus_contexts=["may"],
        id="x",
        metadata={"topic": "t"},
    )

    core = example.as_core(3)

    assert (core.id, core.question, core.actual_output, core.expected_output) == (
        "x",
        "q",
        "a",
        "e",
    )
    assert core.retrieved == (RetrievedPassage(1, "one"), RetrievedPassage(2, "two"))
    assert core.ground_truth == (
        GroundTruthPassage(PassageKind.ESSENTIAL, "must"),
        GroundTruthPassage(PassageKind.BONUS, "may"),
    )
    assert core.metadata == {"topic": "t"}


def test_an_example_without_an_id_has_its_number() -> None:
    assert Example().as_core(3).id == "3"


def test_the_evaluator_documents_text_gives_the_passages() -> None:
    example = Example(ground_truth="[ESSENTIAL PASSAGE]\nmust\n[BONUS PASSAGE]\nmay")

    assert [(p.kind.value, p.text) for p in example.as_core(1).ground_truth or ()] == [
        ("essential", "must"),
        ("bonus", "may"),
    ]


def test_an_empty_list_says_that_nothing_came_back_and_none_that_nobody_knows() -> None:
    assert Example(retrieval_context=[]).as_core(1).retrieved == ()
    assert Example().as_core(1).retrieved is None


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"retrieval_context": "a text"}, "retrieval_context must be a list of texts"),
        ({"expected_contexts": ["a", 3]}, "expected_contexts must hold texts, and number 2"),
        ({"input": 3}, "input must be a text, and this is of type int"),
        ({"ground_truth": "no marker"}, "ground_truth: No [ESSENTIAL PASSAGE] marker"),
        ({"metadata": {"x": object()}}, "metadata must be what JSON can hold"),
        (
            {"ground_truth": "[ESSENTIAL PASSAGE]\na", "expected_contexts": ["a"]},
            "Give ground_truth, or expected_contexts",
        ),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_by_the_fields_name(
    fields: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidExample) as refused:
        Example(**fields)  # type: ignore[arg-type]

    assert str(refused.value).startswith(said)


def test_a_data_frames_rows_are_examples_and_its_other_columns_metadata() -> None:
    frame = pd.DataFrame(
        {
            "input": ["q1", "q2"],
            "expected_output": ["e", None],
            "retrieval_context": [["a"], np.array(["b", "c"])],
            "year": [2025, 2026],
            "added": pd.to_datetime(["2026-01-02", None]),
        }
    )

    first, second = examples_of(frame)

    assert first == Example("q1", None, "e", ["a"], metadata=first.metadata)
    assert first.metadata == {"year": 2025, "added": "2026-01-02T00:00:00"}
    assert second.expected_output is None
    assert second.retrieval_context == ["b", "c"]


def test_one_example_instead_of_a_list_is_refused() -> None:
    with pytest.raises(InvalidExample, match="list of Example"):
        examples_of(Example())


def test_a_mapping_that_is_wrong_is_refused_with_its_number() -> None:
    with pytest.raises(InvalidExample, match="Example 2: input must be a text"):
        examples_of([{"input": "q"}, {"input": ["q"]}])


def test_a_file_in_anybodys_column_names_is_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text('question,contexts,expected_contexts,topic\nq,"[""a""]","[""b""]",t\n')

    assert read_examples(file) == [
        Example(
            "q",
            retrieval_context=["a"],
            expected_contexts=["b"],
            id="row-1",
            metadata={"topic": "t"},
        )
    ]


def test_a_row_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"question": "q"}\n{"question": \n')

    with pytest.raises(InvalidExample, match=r"rows\.jsonl: .*Line 2"):
        read_examples(file)
