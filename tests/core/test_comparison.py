"""What came back differently between two runs."""

from __future__ import annotations

from recall_core.comparison import PassageMove, passage_changes
from recall_core.types import RetrievedPassage


def passages(*texts: str) -> list[RetrievedPassage]:
    return [RetrievedPassage(rank, text) for rank, text in enumerate(texts, 1)]


def test_passages_come_in_drop_out_move_and_stay() -> None:
    found = passage_changes(passages("a", "b", "c"), passages("a", "c", "d"))

    assert [(c.text, c.rank_a, c.rank_b, c.move) for c in found] == [
        ("a", 1, 1, PassageMove.STAYED),
        ("b", 2, None, PassageMove.DROPPED_OUT),
        ("c", 3, 2, PassageMove.MOVED),
        ("d", None, 3, PassageMove.CAME_IN),
    ]


def test_a_passage_that_came_back_twice_is_matched_in_order() -> None:
    found = passage_changes(passages("a", "a"), passages("a", "b"))

    assert [(c.rank_a, c.rank_b) for c in found] == [(1, 1), (2, None), (None, 2)]


def test_blanks_at_the_ends_make_no_other_passage() -> None:
    assert passage_changes(passages("a "), passages(" a"))[0].move is PassageMove.STAYED
