"""A run cut by a field of its examples' metadata."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from sqlalchemy import Engine, String, select, type_coerce

from db.details import run_facts
from db.engine import reading
from db.metadata_values import value_text
from db.tables import ExampleRow, JudgementRow
from recall_core.summary import Mean, Slice, mean_of
from recall_core.types import TraceState


@dataclass(frozen=True, slots=True)
class MetadataField:
    """A field of the examples' metadata: how many have it, and how many values it takes."""

    name: str
    examples: int
    values: int


@dataclass(slots=True)
class _Tally:
    """Finals as the database writes them, so that each is read as a fraction once."""

    of: int = 0
    now: Counter[str] = field(default_factory=Counter)
    judge: Counter[str] = field(default_factory=Counter)


def metadata_fields(engine: Engine, run_id: int) -> list[MetadataField]:
    """The fields that the run's examples have, in the order in which they first appear."""
    values: dict[str, Counter[str]] = defaultdict(Counter)
    with reading(engine) as session:
        dataset_id = run_facts(session, run_id).dataset_id
        query = select(ExampleRow.details).where(ExampleRow.dataset_id == dataset_id)
        for details in session.scalars(query.order_by(ExampleRow.position)):
            for name, value in details.items():
                if (text := value_text(value)) is not None:
                    values[name][text] += 1
    return [MetadataField(name, c.total(), len(c)) for name, c in values.items()]


def slices(engine: Engine, run_id: int, field: str) -> list[Slice]:
    """The mean and its coverage for each value of the field, numbers in order, then words.

    `of` counts the judged examples with that value, whether or not they have a score; those that
    lack the field come last.
    """
    tallies: dict[str | None, _Tally] = defaultdict(_Tally)
    row = JudgementRow
    query = (
        select(
            ExampleRow.details,
            row.trace_state,
            type_coerce(row.judge_final, String).label("judge_final"),
            type_coerce(row.final, String).label("final"),
        )
        .join(ExampleRow, ExampleRow.id == row.example_id)
        .where(row.run_id == run_id)
    )
    with reading(engine) as session:
        for details, state, judged, now in session.execute(query):
            tally = tallies[value_text(details.get(field))]
            tally.of += 1
            if state == TraceState.VACUOUS.value:
                continue
            tally.now.update(() if now is None else (now,))
            tally.judge.update(() if judged is None else (judged,))
    return [
        Slice(value, _mean(t.now, t.of), _mean(t.judge, t.of))
        for value, t in sorted(tallies.items(), key=lambda item: _place(item[0]))
    ]


def _mean(finals: Counter[str], of: int) -> Mean:
    return mean_of(((Fraction(final), count) for final, count in finals.items()), of)


def _place(value: str | None) -> tuple[int, float, str]:
    if value is None:
        return (2, 0, "")
    try:
        return (0, float(value), value)
    except ValueError:
        return (1, 0, value.casefold())
