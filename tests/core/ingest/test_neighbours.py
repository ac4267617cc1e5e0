"""Files of other tools load without touching the mapping."""

from __future__ import annotations

import json

from recall_core.ingest import Role
from recall_core.types import RetrievedPassage


def test_langwatch_rows_with_chunks_load(load) -> None:
    chunks = json.dumps([{"document_id": "d1", "chunk_id": "c1", "content": "text"}])
    row = json.dumps(["gold"])
    quoted = [cell.replace('"', '""') for cell in (chunks, row)]
    text = f'id,input,output,contexts,expected_contexts\nr1,q,a,"{quoted[0]}","{quoted[1]}"\n'

    example = load(text, "dataset.csv").examples[0]

    assert (example.id, example.question, example.actual_output) == ("r1", "q", "a")
    assert example.retrieved == (RetrievedPassage(1, "text", "d1/c1"),)
    assert [p.text for p in example.essential] == ["gold"]


def test_ragas_with_its_old_names_loads(load) -> None:
    row = {"question": "q", "answer": "a", "contexts": ["c"], "ground_truths": ["g"]}
    later = {"question": "q", "answer": "a", "contexts": ["c"], "ground_truth": "g"}

    for example in (*load([row]).examples, *load([later]).examples):
        assert (example.question, example.actual_output) == ("q", "a")
        assert example.retrieved == (RetrievedPassage(1, "c"),)
        assert example.expected_output == "g"


def test_ragas_with_its_new_names_loads(load) -> None:
    row = {
        "user_input": "q",
        "response": "a",
        "retrieved_contexts": ["c"],
        "reference_contexts": ["e"],
        "reference": "g",
        "rubrics": None,
    }

    loaded = load([row])

    example = loaded.examples[0]
    assert (example.question, example.actual_output, example.expected_output) == ("q", "a", "g")
    assert [p.text for p in example.essential] == ["e"]
    assert not loaded.notices
    assert not loaded.mapping.notices


def test_ragas_saved_by_pandas_as_csv_loads(load) -> None:
    text = 'user_input,retrieved_contexts,reference\nq,"[\'a, b\', ""it\'s""]",g\n'

    example = load(text, "testset.csv").examples[0]

    assert [p.text for p in example.retrieved] == ["a, b", "it's"]


def test_deepeval_goldens_load_with_context_as_what_was_expected(load) -> None:
    row = {
        "input": "q",
        "actual_output": "a",
        "expected_output": "g",
        "context": ["ideal"],
        "retrieval_context": ["c"],
        "name": None,
        "comments": None,
        "source_file": None,
        "additional_metadata": {"topic": "t"},
    }

    example = load(json.dumps([row]), "goldens.json").examples[0]

    assert [p.text for p in example.essential] == ["ideal"]
    assert example.retrieved == (RetrievedPassage(1, "c"),)
    assert example.metadata == {"topic": "t"}


def test_deepeval_goldens_without_retrieval_ask_what_context_is(load) -> None:
    loaded = load([{"input": "q", "expected_output": "g", "context": ["ideal"]}])

    assert loaded.mapping.ambiguous == ("context",)
    assert not loaded.examples


def test_judgeval_examples_load(load) -> None:
    row = {
        "example_id": "e1",
        "name": "first",
        "input": "q",
        "actual_output": "a",
        "expected_output": "g",
        "retrieval_context": ["c"],
    }

    example = load(json.dumps({"examples": [row]}), "examples.json").examples[0]

    assert (example.id, example.question, example.actual_output) == ("e1", "q", "a")
    assert (example.expected_output, example.metadata) == ("g", {"name": "first"})


def test_ragchecker_results_load(load) -> None:
    row = {
        "query_id": "000",
        "query": "q",
        "gt_answer": "g",
        "response": "a",
        "retrieved_context": [{"doc_id": "d0", "text": "c"}],
    }

    example = load(json.dumps({"results": [row]}), "checking_inputs.json").examples[0]

    assert (example.id, example.question, example.expected_output) == ("000", "q", "g")
    assert example.retrieved == (RetrievedPassage(1, "c", "d0"),)


def test_the_evaluator_documents_own_columns_load(load) -> None:
    row = {
        "GROUND_TRUTH_PASSAGE": "[ESSENTIAL PASSAGE]\ne\n[BONUS PASSAGE]\nb",
        "LLM_RETURNED_PASSAGE": "r",
    }

    loaded = load([row])

    assert set(loaded.mapping.columns) == {Role.GROUND_TRUTH, Role.RETRIEVED}
    assert [p.text for p in loaded.examples[0].ground_truth] == ["e", "b"]
