"""Two or more runs on the examples that they share: who is better, and on what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from db.compared_lines import BONUS_PART, ESSENTIAL, Line, Part, RunLines, run_lines
from db.details import run_facts
from db.engine import reading
from db.errors import NotPossibleNow
from db.examples import examples_by_id
from db.shared_examples import shared_examples
from db.sights import hidden_judges
from db.tables import JudgementRow
from recall_core.comparison import (
    ComparedExample,
    Comparison,
    PassageChange,
    ScoredBy,
    passage_changes,
)
from recall_core.details import RunFacts
from recall_core.estimation import DIFFERENCE_GRADE, Dated, Difference, differences
from recall_core.scoring import FINAL_RANGE
from recall_core.types import Formula


def compare(engine: Engine, a: int, b: int, viewer: str | None = None) -> Comparison:
    """Run B against run A; `NotKept` if one is gone, `NotPossibleNow` if their scales differ."""
    return compare_all(engine, a, [b], viewer)[0]


def compare_all(
    engine: Engine, base: int, others: Sequence[int], viewer: str | None = None
) -> tuple[Comparison, ...]:
    """Each of the `others` against the run `base`; all of them held to Holm's standard at once.

    For a `viewer`, examples on which a judge's word is kept from them are left out of the rows.
    """
    with reading(engine) as session:
        first = run_lines(session, run_facts(session, base))
        pairs = [_Pair.of(session, first, run_facts(session, other)) for other in others]
        hidden = [_hidden(session, pair, viewer) for pair in pairs]
    formula = first.run.formula
    lowest, highest = FINAL_RANGE[formula]
    grade = DIFFERENCE_GRADE[formula]
    finals = differences(
        [pair.dated(Part.FINAL) for pair in pairs], span=float(highest - lowest), grade=grade
    )
    essentials: Sequence[Difference | None] = [None] * len(pairs)
    bonuses: Sequence[Difference | None] = [None] * len(pairs)
    if formula is Formula.PASSAGE:
        width = float(ESSENTIAL.highest - ESSENTIAL.lowest)
        essentials = differences([p.dated(Part.ESSENTIAL) for p in pairs], span=width, grade=grade)
        half = BONUS_PART / ESSENTIAL.highest
        bonuses = differences(
            [p.dated(Part.BONUS) for p in pairs], span=BONUS_PART, grade=grade * half
        )
    return tuple(
        pair.comparison(final, essential, bonus, kept_back)
        for pair, final, essential, bonus, kept_back in zip(
            pairs, finals, essentials, bonuses, hidden, strict=True
        )
    )


def passages_between(
    engine: Engine, pairs: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], tuple[PassageChange, ...]]:
    """What came in, dropped out and moved, for each (judgement of A, judgement of B)."""
    ids = {judgement_id for pair in pairs for judgement_id in pair}
    with reading(engine) as session:
        query = select(JudgementRow.id, JudgementRow.example_id).where(JudgementRow.id.in_(ids))
        example_of = {row.id: row.example_id for row in session.execute(query)}
        examples = examples_by_id(session, set(example_of.values()))
    retrieved = {j: examples[example].retrieved or () for j, example in example_of.items()}
    return {
        (a, b): passage_changes(retrieved[a], retrieved[b])
        for a, b in pairs
        if a in retrieved and b in retrieved
    }


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two runs and the examples that both datasets have, as row ids in either."""

    a: RunLines
    b: RunLines
    shared: Mapping[int, int]

    @classmethod
    def of(cls, session: Session, a: RunLines, run: RunFacts) -> _Pair:
        if run.formula is not a.run.formula:
            raise NotPossibleNow(
                f"{a.run.name} and {run.name} have finals on different scales, so there is no "
                "difference to speak of."
            )
        return cls(a, run_lines(session, run), shared_examples(session, a.run, run))

    def lines(self) -> list[tuple[Line, Line]]:
        found = ((self.a.lines.get(a), self.b.lines.get(b)) for a, b in self.shared.items())
        return [(a, b) for a, b in found if a is not None and b is not None]

    def dated(self, part: Part) -> list[tuple[Dated, Dated]]:
        """The examples that both runs have a final for or can get one, in this part of it. Those
        that nobody has drawn or reviewed are summed up.
        """
        each, rest = [], _Rest()
        for a, b in self.lines():
            if a.reach is None or b.reach is None:
                continue
            judged_a, judged_b = a.judged[part], b.judged[part]
            if judged_a is None or judged_b is None:
                # Without a bonus passage there is no bonus part; else a judge has failed.
                each += [] if part is Part.BONUS else [(a.dated(part), b.dated(part))]
            elif a.touched or b.touched:
                each.append((a.dated(part), b.dated(part)))
            else:
                rest.add(judged_a, judged_b, *a.ends(part), *b.ends(part))
        return each + rest.pairs()

    def comparison(
        self,
        final: Difference,
        essential: Difference | None,
        bonus: Difference | None,
        hidden: set[int],
    ) -> Comparison:
        compared = (_compared(a, b) for a, b in self.lines())
        rows = [row for row in compared if row is not None]
        shown = [r for r in rows if r.judgement_a not in hidden and r.judgement_b not in hidden]
        return Comparison(
            self.a.run,
            self.b.run,
            final,
            essential,
            bonus,
            rows=tuple(
                sorted(shown, key=lambda row: (float(row.b) - float(row.a), row.judgement_a))
            ),
            only_a=self.a.run.examples - len(self.shared),
            only_b=self.b.run.examples - len(self.shared),
            without_final=len(self.shared) - len(rows),
            withheld=len(rows) - len(shown),
        )


class _Rest:
    """Examples that nobody has drawn or reviewed: how many, and the sums of what is known of each
    in both runs (judge's final, lowest and highest).
    """

    def __init__(self) -> None:
        self.count = 0
        self.sums = [0.0] * 6

    def add(self, judged_a: float, judged_b: float, *ends: float) -> None:
        self.count += 1
        for place, value in enumerate((judged_a, judged_b, *ends)):
            self.sums[place] += value

    def pairs(self) -> list[tuple[Dated, Dated]]:
        if not self.count:
            return []
        judged_a, judged_b, low_a, high_a, low_b, high_b = (s / self.count for s in self.sums)
        return [
            (
                Dated(judged_a, None, low_a, high_a, count=self.count),
                Dated(judged_b, None, low_b, high_b, count=self.count),
            )
        ]


def _compared(a: Line, b: Line) -> ComparedExample | None:
    final_a, final_b = a.now[Part.FINAL], b.now[Part.FINAL]
    if final_a is None or final_b is None:
        return None
    by = ScoredBy.MIXED
    if a.human == b.human:
        by = ScoredBy.PEOPLE if a.human else ScoredBy.JUDGE
    return ComparedExample(
        judgement_a=a.judgement_id,
        judgement_b=b.judgement_id,
        example_id=a.example_id,
        question=a.question,
        a=final_a,
        b=final_b,
        essential_a=a.now[Part.ESSENTIAL],
        essential_b=b.now[Part.ESSENTIAL],
        bonus_a=a.now[Part.BONUS],
        bonus_b=b.now[Part.BONUS],
        scored_by=by,
        audited=sum(side.human and side.drawn_at is not None for side in (a, b)),
    )


def _hidden(session: Session, pair: _Pair, viewer: str | None) -> set[int]:
    if viewer is None:
        return set()
    return hidden_judges(session, pair.a.run, viewer) | hidden_judges(session, pair.b.run, viewer)
