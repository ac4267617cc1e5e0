"""A dataset that is exported and loaded again is the same dataset."""

from __future__ import annotations

import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_core.export.dataset_files import dataset_csv, dataset_jsonl, write_dataset_parquet
from recall_core.ingest import content_hash, parse_examples, read_file, suggest_mapping
from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage

CHARACTERS = st.one_of(
    st.sampled_from("=+-@'\"\\[]{},;|\t\r\n \u200b\ufeff\u2028０＝é中ع"),
    st.characters(codec="utf-8", exclude_characters="\0"),
)
ANY_TEXT = st.one_of(
    st.text(CHARACTERS, max_size=20),
    st.sampled_from(["nan", "NULL", "'nan", "=1+1", "'=1", "[]", "['a' 'b']", '{"a": 1}', "-1"]),
)
# A blank text field is a missing one; blank passages are passages.
TEXT = ANY_TEXT.filter(str.strip)
IDS = st.none() | TEXT
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=5,
)
EXAMPLES = st.builds(
    Example,
    id=TEXT,
    question=st.none() | TEXT,
    ground_truth=st.none()
    | st.lists(
        st.builds(GroundTruthPassage, st.sampled_from(PassageKind), ANY_TEXT, IDS), max_size=3
    ).map(tuple),
    retrieved=st.none()
    | st.lists(st.tuples(ANY_TEXT, IDS), max_size=3).map(
        lambda items: tuple(RetrievedPassage(n, *item) for n, item in enumerate(items, 1))
    ),
    actual_output=st.none() | TEXT,
    expected_output=st.none() | TEXT,
    metadata=st.dictionaries(ANY_TEXT, JSON, max_size=3),
).filter(
    lambda e: (
        not (
            e.question
            is e.ground_truth
            is e.retrieved
            is e.actual_output
            is e.expected_output
            is None
        )
    )
)
DATASETS = st.lists(EXAMPLES, min_size=1, max_size=4, unique_by=lambda e: e.id)


def written(examples: list[Example], kind: str) -> bytes:
    if kind == "parquet":
        stream = io.BytesIO()
        write_dataset_parquet(examples, stream)
        return stream.getvalue()
    lines = dataset_jsonl(examples) if kind == "jsonl" else dataset_csv(examples)
    return "".join(lines).encode()


def loaded(data: bytes, filename: str) -> tuple[list[Example], list[str]]:
    table = read_file(data, filename)
    rows = list(parse_examples(table, suggest_mapping(table.columns, table.sample())))
    problems = [str(problem) for row in rows for problem in row.problems]
    return [row.example for row in rows if row.example], problems


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
@given(examples=DATASETS)
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_a_dataset_that_is_exported_and_loaded_again_is_the_same(
    kind: str, examples: list[Example]
) -> None:
    back, problems = loaded(written(examples, kind), f"dataset.{kind}")

    assert problems == []
    assert back == examples
    assert content_hash(back) == content_hash(examples)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_missing_and_empty_stay_two_things(kind: str) -> None:
    examples = [
        Example("a", question="q", retrieved=(), ground_truth=None),
        Example("b", question="q", retrieved=None, ground_truth=()),
    ]

    assert loaded(written(examples, kind), f"dataset.{kind}")[0] == examples


def test_the_csv_holds_no_formula_and_opens_in_excel() -> None:
    text = "".join(dataset_csv([Example("=1+1", question='=HYPERLINK("http://x")')]))

    assert text.startswith("\ufeffid,question")
    assert "\n'=1+1,\"'=HYPERLINK" in text


def test_more_rows_than_one_batch_of_parquet_are_written() -> None:
    examples = [Example(f"q{n}", question="q") for n in range(1100)]

    assert loaded(written(examples, "parquet"), "dataset.parquet")[0] == examples
