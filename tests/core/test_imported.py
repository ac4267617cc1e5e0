"""Replies that exist already are read for their scores; their arithmetic is only compared."""

from __future__ import annotations

from fractions import Fraction

from recall_core.imported import ImportedReplies, Reply, replies_of
from recall_core.ingest import read_file
from recall_core.results import result_of
from recall_core.types import (
    Example,
    FailureKind,
    GroundTruthPassage,
    JudgeFailure,
    Judgement,
    Mark,
    PassageKind,
    RetrievedPassage,
    Rounding,
    Skipped,
)

READER = ImportedReplies()


def an_example(essential: int = 2, bonus: int = 1) -> Example:
    kinds = [PassageKind.ESSENTIAL] * essential + [PassageKind.BONUS] * bonus
    return Example(
        id="q1",
        ground_truth=tuple(GroundTruthPassage(k, f"Fact {i}.") for i, k in enumerate(kinds)),
        retrieved=(
            RetrievedPassage(1, "Nothing."),
            RetrievedPassage(2, "The tower was built in 1889 by Eiffel."),
        ),
    )


def a_reply(*scores: object, final: str = "4.17", reasoning: str = "It is there.") -> str:
    labels = ["[ESSENTIAL PASSAGE] 1", "[ESSENTIAL PASSAGE] 2", "[BONUS PASSAGE] 1"]
    said = " ".join(f"{a}: {reasoning} Score: {s}" for a, s in zip(labels, scores, strict=False))
    return f"• RECALL_Reasoning: {said}\n\n• RECALL_Final_Score: {final}"


def test_a_reply_becomes_a_judgement_with_its_scores_and_reasoning() -> None:
    outcome = READER.read(an_example(), a_reply(4, 3, 2, final="4"))

    assert isinstance(outcome, Judgement)
    assert [(v.unit.ref.label, v.score, v.reasoning) for v in outcome.verdicts] == [
        ("E1", 4, "It is there."),
        ("E2", 3, "It is there."),
        ("B1", 2, "It is there."),
    ]
    assert result_of(an_example(), READER, outcome).score == 4
    assert outcome.raw_response == a_reply(4, 3, 2, final="4")
    assert outcome.details == "Read from an imported reply; its own results agree."
    assert outcome.warnings == ()


def test_where_the_writers_arithmetic_differs_both_numbers_are_said() -> None:
    outcome = READER.read(an_example(), a_reply(4, 3, 2, final="4.5"))

    assert isinstance(outcome, Judgement)
    assert result_of(an_example(), READER, outcome).score == 4
    assert outcome.warnings == ("RECALL_Final_Score: the reply says 4.5, the scores make 4.",)
    assert outcome.details.endswith("its own results differ.")


def test_the_rounding_rule_is_the_importers_choice() -> None:
    up = ImportedReplies(rounding=Rounding.UP)
    example = an_example(essential=3, bonus=0)
    reply = "".join(f"[ESSENTIAL PASSAGE] {i}: Score: {s}\n" for i, s in enumerate((4, 4, 5), 1))

    assert result_of(example, READER, READER.read(example, reply)).score == Fraction("4.33")
    assert result_of(example, up, up.read(example, reply)).score == Fraction("4.34")


def test_a_missing_passage_leaves_the_final_open_and_keeps_the_others() -> None:
    outcome = READER.read(an_example(), a_reply(4, 3))

    assert isinstance(outcome, JudgeFailure)
    assert outcome.kind is FailureKind.INCOMPLETE
    assert [v.score for v in outcome.verdicts] == [4, 3, None]
    assert outcome.message == "No score for B1. [BONUS PASSAGE] 1 is missing from the reply."


def test_a_score_off_the_scale_is_a_failure_of_that_passage() -> None:
    outcome = READER.read(an_example(), a_reply(9, 3, 2))

    assert isinstance(outcome, JudgeFailure)
    assert outcome.kind is FailureKind.OUT_OF_RANGE
    assert outcome.message.startswith("No score for E1. ")


def test_a_text_about_something_else_is_no_judgement() -> None:
    outcome = READER.read(an_example(), "The weather is fine.")

    assert isinstance(outcome, JudgeFailure)
    assert outcome.kind is FailureKind.UNPARSEABLE
    assert "names no passage of the example" in outcome.message
    assert outcome.raw_response == "The weather is fine."


def test_an_example_without_essential_passages_takes_no_reply() -> None:
    outcome = READER.read(an_example(essential=0), a_reply(4))

    assert isinstance(outcome, Skipped)


def test_quotes_in_the_reasoning_are_placed_where_they_stand() -> None:
    said = "The text says “The tower was built in 1889” and the reference “was built by no one”."

    outcome = READER.read(an_example(), a_reply(4, 3, 2, reasoning=said))

    assert isinstance(outcome, Judgement)
    (evidence,) = outcome.verdicts[0].evidence
    assert (evidence.rank, evidence.start, evidence.end) == (2, 0, 27)
    assert evidence.located


def test_reasoning_at_odds_with_its_score_and_halves_are_marked() -> None:
    said = "Every fact of it is present, it is fully covered."

    outcome = READER.read(an_example(), a_reply(1, 3, "2.5", reasoning=said))

    assert isinstance(outcome, Judgement)
    assert outcome.verdicts[0].marks == (Mark.CONTRADICTION,)
    assert Mark.FRACTION in outcome.verdicts[2].marks
    assert any("all of it is there" in warning for warning in outcome.warnings)


def test_a_column_of_a_file_is_matched_by_id_or_by_place() -> None:
    table = read_file(b"id,reply\n7,first\n8,\n9,third\n", "replies.csv")

    assert list(replies_of(table, "reply", "id")) == [
        Reply("first", example_id="7"),
        Reply("third", example_id="9"),
    ]
    assert list(replies_of(table, "reply")) == [
        Reply("first", position=1),
        Reply("third", position=3),
    ]
