"""What columns are called: the roles they can play and the names people have for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum


class Role(StrEnum):
    """What a column holds for an example. Every role is optional."""

    ID = "id"
    QUESTION = "question"
    ESSENTIAL = "essential"
    BONUS = "bonus"
    GROUND_TRUTH = "ground_truth"
    """Essential and bonus passages in one column: tagged text or a list of `{kind, text}`."""
    RETRIEVED = "retrieved"
    ACTUAL_OUTPUT = "actual_output"
    EXPECTED_OUTPUT = "expected_output"
    METADATA = "metadata"
    """An object whose keys become metadata; columns without a role become metadata too."""

    @property
    def label(self) -> str:
        """What people call it on screen."""
        return _LABELS[self]


_LABELS = {
    Role.ID: "Id",
    Role.QUESTION: "Question",
    Role.ESSENTIAL: "Essential passages",
    Role.BONUS: "Bonus passages",
    Role.GROUND_TRUTH: "Essential and bonus passages",
    Role.RETRIEVED: "Retrieved passages",
    Role.ACTUAL_OUTPUT: "Actual output",
    Role.EXPECTED_OUTPUT: "Expected output",
    Role.METADATA: "Metadata",
}

ALIASES: Mapping[Role, tuple[str, ...]] = {
    Role.ID: ("id", "_id", "example_id", "query_id", "question_id", "sample_id", "case_id", "qid"),
    Role.QUESTION: ("question", "user_input", "input", "query", "prompt"),
    Role.ESSENTIAL: (
        "expected_contexts",
        "reference_contexts",
        "gold_contexts",
        "essential",
        "essential_passages",
        "essential_contexts",
        "must_have",
    ),
    Role.BONUS: ("bonus", "bonus_passages", "bonus_contexts", "nice_to_have"),
    Role.GROUND_TRUTH: (
        "ground_truth",
        "ground_truth_passages",
        "ground_truth_passage",
        "passage_gt",
        "nuggets",
    ),
    Role.RETRIEVED: (
        "contexts",
        "retrieved_contexts",
        "retrieval_context",
        "retrieved_context",
        "retrieved_passages",
        "documents",
        "chunks",
        "llm_returned_passage",
        "passage_llm",
        "retrieved",
    ),
    Role.ACTUAL_OUTPUT: (
        "answer",
        "response",
        "actual_output",
        "output",
        "prediction",
        "answer_text",
    ),
    Role.EXPECTED_OUTPUT: (
        "ground_truth",
        "ground_truths",
        "reference",
        "expected_output",
        "gt_answer",
        "ideal",
        "expected_response",
    ),
    Role.METADATA: ("metadata", "additional_metadata"),
}
"""The first of a role's names that a file has wins. `ground_truth` stands in two roles: its
values decide which."""

EITHER_CONTEXT = "context"
"""Beside a retrieved column it is the ideal context; alone it could be either."""

ONE_PASSAGE = frozenset({"llm_returned_passage", "passage_llm"})
"""Columns that hold one retrieved passage by definition, never a list."""

LISTS_OF_REFERENCES = frozenset({"ground_truths", "ground_truth", "ideal"})
"""Expected outputs that may be a list of texts, also where the list is written as text."""

ROW_COLUMN = "row_in_the_file"
REASON_COLUMN = "why_it_was_left_out"
"""What the file of bad rows adds to every row; not data when it is loaded again."""

_MISSPELLED = re.compile(r"retreived|retrived|retreved|retrevied|retieved|retrieveed")
_KNOWN = frozenset(name for names in ALIASES.values() for name in names) | {EITHER_CONTEXT}


def normalised(column: str) -> str:
    """The form in which names are compared: `\\ufeffUserInput ` becomes `user_input`."""
    name = column.replace("\ufeff", "").strip()
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"[\s_-]+", "_", name.lower())


def spelled(name: str) -> str:
    """A normalised name with the known misspellings of "retrieved" put right."""
    return _MISSPELLED.sub("retrieved", name)


def is_known(column: str) -> bool:
    """Whether the name alone says what a column holds."""
    return spelled(normalised(column)) in _KNOWN
