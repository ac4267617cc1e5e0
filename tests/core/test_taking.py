"""A dataset's examples are counted by which judge can take them, and by what the others lack."""

from __future__ import annotations

from recall_core.judges import judge_named
from recall_core.taking import Takes, takes_of
from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage

DISTANCE = judge_named("context_recall")()
STATEMENTS = judge_named("contextual_recall_lexical")()
FACT = (GroundTruthPassage(PassageKind.ESSENTIAL, "fact"),)
FOUND = (RetrievedPassage(1, "fact"),)


def test_each_judge_counts_what_it_can_take_and_names_the_commonest_lack() -> None:
    examples = [
        Example("whole", ground_truth=FACT, retrieved=FOUND),
        Example("empty-handed", ground_truth=FACT, retrieved=()),
        Example("no list", ground_truth=FACT),
        Example("no truth", retrieved=FOUND),
        Example("no truth either", retrieved=FOUND),
    ]

    distance, statements = takes_of([DISTANCE, STATEMENTS], iter(examples))

    assert (distance.judge, distance.takes, distance.of) == ("context_recall", 2, 5)
    assert distance.lacks == DISTANCE.lacks(examples[3])
    assert (statements.takes, statements.of) == (0, 5)


def test_a_judge_that_takes_all_lacks_nothing() -> None:
    examples = [Example("a", ground_truth=FACT, retrieved=FOUND)]

    assert takes_of([DISTANCE], examples) == (Takes("context_recall", 1, 1, ""),)


def test_no_example_is_none_of_none() -> None:
    assert takes_of([DISTANCE], []) == (Takes("context_recall", 0, 0, ""),)
