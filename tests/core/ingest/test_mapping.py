"""Which column plays which role, from the names that people have."""

from __future__ import annotations

import pytest

from recall_core.ingest import RawRow, Role, suggest_mapping
from recall_core.ingest.names import ALIASES, normalised


def roles(*columns: str) -> dict[Role, str]:
    return dict(suggest_mapping(columns).columns)


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("\ufeffquestion ", "question"),
        ("UserInput", "user_input"),
        ("retrievedContexts", "retrieved_contexts"),
        ("LLM_RETURNED_PASSAGE", "llm_returned_passage"),
        ("Retrieval Context", "retrieval_context"),
        ("gtAnswer", "gt_answer"),
    ],
)
def test_names_are_compared_without_case_blanks_and_camels(column: str, name: str) -> None:
    assert normalised(column) == name


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (Role.QUESTION, "question user_input input query prompt"),
        (Role.ACTUAL_OUTPUT, "answer response actual_output output prediction"),
        (
            Role.RETRIEVED,
            "contexts retrieved_contexts retrieval_context retrieved_context retrieved_passages "
            "documents chunks LLM_RETURNED_PASSAGE passage_llm",
        ),
        (
            Role.EXPECTED_OUTPUT,
            "ground_truth ground_truths reference expected_output gt_answer ideal "
            "expected_response",
        ),
        (Role.ESSENTIAL, "expected_contexts reference_contexts gold_contexts essential"),
        (Role.BONUS, "bonus"),
        (Role.GROUND_TRUTH, "GROUND_TRUTH_PASSAGE passage_gt"),
    ],
)
def test_of_two_columns_for_one_role_the_first_name_wins(role: Role, names: str) -> None:
    columns = names.split()
    for first in range(len(columns)):
        backwards = list(reversed(columns[first:]))

        mapping = suggest_mapping(backwards)

        assert mapping.column(role) == columns[first]
        kept = mapping.metadata_columns(backwards)
        assert set(kept) == set(columns[first + 1 :])
        assert {n.column for n in mapping.notices} == set(kept)


def test_every_alias_alone_is_mapped() -> None:
    for role, names in ALIASES.items():
        for name in names:
            expected = Role.EXPECTED_OUTPUT if name == "ground_truth" else role
            assert roles(name) == {expected: name}


@pytest.mark.parametrize("column", ["retreived_contexts", "retrived_contexts", "retreivedContexts"])
def test_released_misspellings_are_mapped_with_a_notice(column: str) -> None:
    mapping = suggest_mapping(["user_input", column, "reference"])

    assert mapping.column(Role.RETRIEVED) == column
    assert [n.text for n in mapping.notices] == [f"{column} is read as retrieved_contexts."]


def test_context_beside_a_retrieved_column_is_what_was_expected() -> None:
    mapping = suggest_mapping(["input", "context", "retrieval_context"])

    assert mapping.column(Role.ESSENTIAL) == "context"
    assert mapping.ambiguous == ()
    assert "expected" in mapping.notices[0].text


def test_context_alone_waits_for_an_answer() -> None:
    mapping = suggest_mapping(["question", "context"])

    assert mapping.ambiguous == ("context",)
    assert mapping.with_column(Role.RETRIEVED, "context").ambiguous == ()
    assert mapping.with_column(Role.RETRIEVED, "context").column(Role.RETRIEVED) == "context"
    assert mapping.as_metadata("context").metadata_columns(["question", "context"]) == ("context",)


def test_context_beside_expected_contexts_is_metadata() -> None:
    mapping = suggest_mapping(["contexts", "expected_contexts", "context"])

    assert mapping.column(Role.ESSENTIAL) == "expected_contexts"
    assert mapping.metadata_columns(["contexts", "expected_contexts", "context"]) == ("context",)


@pytest.mark.parametrize(
    "value",
    [
        [{"kind": "essential", "text": "a"}],
        '[{"kind": "bonus", "text": "a"}]',
        "[ESSENTIAL PASSAGE]\na",
    ],
)
def test_ground_truth_is_passages_where_its_values_are(value: object) -> None:
    rows = [RawRow(1, {"ground_truth": None}), RawRow(2, {"ground_truth": value})]

    assert suggest_mapping(["ground_truth"], rows).columns == {Role.GROUND_TRUTH: "ground_truth"}


@pytest.mark.parametrize("value", ["The key expires.", None, ["a", "b"], "['a' 'b']"])
def test_ground_truth_is_the_expected_output_where_its_values_are_text(value: object) -> None:
    rows = [RawRow(1, {"ground_truth": value})]

    assert suggest_mapping(["ground_truth"], rows).columns == {Role.EXPECTED_OUTPUT: "ground_truth"}


def test_own_columns_for_passages_win_over_one_for_both() -> None:
    mapping = suggest_mapping(["GROUND_TRUTH_PASSAGE", "essential", "bonus"])

    assert set(mapping.columns) == {Role.ESSENTIAL, Role.BONUS}
    assert mapping.notices[0].column == "GROUND_TRUTH_PASSAGE"


def test_columns_that_differ_only_in_case_do_not_both_count() -> None:
    mapping = suggest_mapping(["Question", "question"])

    assert mapping.column(Role.QUESTION) == "Question"
    assert mapping.metadata_columns(["Question", "question"]) == ("question",)
    assert [n.column for n in mapping.notices] == ["question"]


def test_changing_one_column_leaves_the_others_mapped() -> None:
    mapping = suggest_mapping(["question", "answer", "my_chunks"])

    changed = mapping.with_column(Role.RETRIEVED, "my_chunks")

    assert changed.columns == {
        Role.QUESTION: "question",
        Role.ACTUAL_OUTPUT: "answer",
        Role.RETRIEVED: "my_chunks",
    }


def test_a_column_plays_one_role_only() -> None:
    mapping = suggest_mapping(["question", "answer"]).with_column(Role.EXPECTED_OUTPUT, "answer")

    assert mapping.columns == {Role.QUESTION: "question", Role.EXPECTED_OUTPUT: "answer"}
    assert mapping.with_column(Role.QUESTION, None).column(Role.QUESTION) is None
