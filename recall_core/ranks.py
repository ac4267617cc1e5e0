"""At which rank what should come back first did: what fewer or more retrieved passages would hold.

It is found by the two judges that need no model, string distance and the lexical screen, so it
costs nothing and sees no paraphrase; it says how deep to look, not how good the retrieval is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from recall_core.distance import best_matches
from recall_core.lexical import Screener, unit_grade
from recall_core.types import Example, UnitKind

DEPTHS = (1, 3, 5, 10)
SIMILAR_ABOVE = 0.5
"""As in `context_recall` unless it is told otherwise."""


class Method(StrEnum):
    """How a passage is recognised in the retrieved ones."""

    DISTANCE = "string distance"
    SCREEN = "lexical screen"


Ranks = tuple[int | None, ...]
"""For each essential passage of an example the first rank that held it; `None`: none did."""


def first_ranks(example: Example, method: Method) -> Ranks:
    """By string distance the first passage that is similar enough, by the lexical screen the first
    rank up to which the passages together hold it.
    """
    retrieved = sorted(example.retrieved or (), key=lambda passage: passage.rank)
    texts, places = [p.text for p in retrieved], [p.rank for p in retrieved]
    found = _FINDERS[method]([p.text for p in example.essential], texts)
    return tuple(None if at is None else places[at] for at in found)


def _by_distance(wanted: Sequence[str], texts: Sequence[str]) -> list[int | None]:
    return [
        next(
            (at for at, one in enumerate(texts) if _similarity(text, one) > SIMILAR_ABOVE),
            None,
        )
        for text in wanted
    ]


def _similarity(text: str, passage: str) -> float:
    return best_matches([text], [passage])[0].similarity


def _by_screen(wanted: Sequence[str], texts: Sequence[str]) -> list[int | None]:
    found: list[int | None] = [None] * len(wanted)
    for depth in range(1, len(texts) + 1):
        screener = Screener(texts[:depth])
        for place, text in enumerate(wanted):
            if found[place] is None and _holds(screener, text):
                found[place] = depth - 1
        if None not in found:
            break
    return found


def _holds(screener: Screener, text: str) -> bool:
    return unit_grade(UnitKind.STATEMENT, screener.screen(text).probability) == 1


_FINDERS: Mapping[Method, Callable[[Sequence[str], Sequence[str]], list[int | None]]] = {
    Method.DISTANCE: _by_distance,
    Method.SCREEN: _by_screen,
}


@dataclass(frozen=True, slots=True)
class RankRecall:
    """Over `examples` with essential passages: `at[k]` is the mean share of them that the first k
    retrieved passages hold, `all` the share that all of them do. `deepest` is the longest list.
    """

    examples: int
    at: Mapping[int, Fraction]
    all: Fraction
    deepest: int


def rank_recall(found: Iterable[tuple[Ranks, int]], depths: Sequence[int] = DEPTHS) -> RankRecall:
    """From the first ranks in each example, and how many passages came back for it.

    The example is the unit: each counts the same, however many essential passages it has. Depths
    that no list reaches have no recall of their own.
    """
    known = [(ranks, length) for ranks, length in found if ranks]
    deepest = max((length for _, length in known), default=0)
    return RankRecall(
        examples=len(known),
        at={k: _share(known, k) for k in depths if known and k <= deepest},
        all=_share(known, deepest),
        deepest=deepest,
    )


def _share(known: Sequence[tuple[Ranks, int]], depth: int) -> Fraction:
    shares = [
        Fraction(sum(rank is not None and rank <= depth for rank in ranks), len(ranks))
        for ranks, _ in known
    ]
    return sum(shares, Fraction(0)) / len(shares) if shares else Fraction(0)
