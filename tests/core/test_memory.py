"""What has changed in the texts since a person decided."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recall_core.memory import PieceKind, TextChange, pieces_of, text_changes
from recall_core.types import Example, RetrievedPassage


def retrieved(*texts: str) -> Example:
    return Example("a", retrieved=tuple(RetrievedPassage(i, t) for i, t in enumerate(texts, 1)))


def shown(change: TextChange) -> str:
    """`same [-gone-] {+new+}`."""
    marks = {
        PieceKind.SAME: "{}",
        PieceKind.GONE: "[-{}-]",
        PieceKind.NEW: "{{+{}+}}",
    }
    return "".join(marks[p.kind].format(p.text) for p in change.pieces)


def test_a_changed_passage_is_shown_word_by_word_whatever_its_rank() -> None:
    before = retrieved("The trial lasts 14 days.", "Ask support for help.")
    now = retrieved("Ask support for help.", "The trial lasts 30 days.")

    (change,) = text_changes("u", before, "u", now)

    assert (change.rank_before, change.rank_now) == (1, 2)
    assert shown(change) == "The trial lasts [-14-]{+30+} days."


def test_passages_that_come_in_and_drop_out_are_shown_whole() -> None:
    came, gone = text_changes("u", retrieved("Alpha beta."), "u", retrieved("Something else."))

    assert (came.rank_before, came.rank_now, shown(came)) == (None, 1, "{+Something else.+}")
    assert (gone.rank_before, gone.rank_now, shown(gone)) == (1, None, "[-Alpha beta.-]")


def test_passages_that_only_moved_have_not_changed() -> None:
    assert text_changes("u", retrieved("one", "two"), "u", retrieved("two", "one")) == ()
    assert text_changes("u", Example("a"), "u", retrieved()) == ()


def test_a_reworded_unit_is_a_change_of_its_own() -> None:
    (change,) = text_changes("It is free.", retrieved("x"), "It is cheap.", retrieved("x"))

    assert change.of_unit
    assert shown(change) == "It is [-free-]{+cheap+}."


def test_scripts_without_word_breaks_are_compared_sign_by_sign() -> None:
    change = TextChange(None, None, pieces_of("试用期为十四天", "试用期为三十天"))

    assert shown(change) == "试用期为{+三+}十[-四-]天"


@given(before=st.text(max_size=60), now=st.text(max_size=60))
def test_the_pieces_give_both_texts_back(before: str, now: str) -> None:
    pieces = pieces_of(before, now)

    assert "".join(p.text for p in pieces if p.kind is not PieceKind.NEW) == before
    assert "".join(p.text for p in pieces if p.kind is not PieceKind.GONE) == now


def test_very_long_texts_are_shown_one_after_the_other() -> None:
    long = "word " * 3_000

    assert [p.kind for p in pieces_of(long, long + "more")] == [PieceKind.GONE, PieceKind.NEW]
