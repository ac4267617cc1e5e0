"""The units of an example: what verdicts are about, and what a formula divides by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from recall_core.blocks import says_something
from recall_core.statements import split_statements
from recall_core.types import Example, JudgeFailure, Unit, UnitKind, UnitRef, Verdict


def passage_units(example: Example) -> tuple[Unit, ...]:
    """Its essential passages, then its bonus passages."""
    essential = (p.text for p in example.essential)
    bonus = (p.text for p in example.bonus)
    return (*numbered(UnitKind.ESSENTIAL, essential), *numbered(UnitKind.BONUS, bonus))


def statement_units(example: Example) -> tuple[Unit, ...]:
    """The statements that the run froze, else those of the expected output."""
    statements: Sequence[str] | None = example.statements
    if statements is None:
        statements = split_statements(example.expected_output or "")
    return numbered(UnitKind.STATEMENT, statements)


def lacks_statements(example: Example, *, by_model: bool = False) -> str | None:
    """What an example lacks to have its statements looked for in what was retrieved, or `None`.

    `by_model`: a model will take the expected output apart, so that any words in it will do.
    """
    if example.retrieved is None:
        return "The example has no retrieved passages (field retrieved)."
    if example.statements is not None:
        return None if example.statements else "The example's list of statements is empty."
    if example.expected_output is None:
        return "The example has no expected output (field expected_output)."
    if not (says_something(example.expected_output) if by_model else statement_units(example)):
        return "The expected output (field expected_output) states nothing: it is blank."
    return None


def numbered(kind: UnitKind, texts: Iterable[str]) -> tuple[Unit, ...]:
    """Units of one kind, counted from 1."""
    return tuple(Unit(UnitRef(kind, index), text) for index, text in enumerate(texts, 1))


def with_every_unit(failure: JudgeFailure, units: Iterable[Unit]) -> JudgeFailure:
    """The failure with a verdict on each of `units`, without a score where none had arrived.

    So a person can score what the judge did not, and no unit leaves the denominator.
    """
    arrived = {verdict.unit.ref: verdict for verdict in failure.verdicts}
    every = {unit.ref: Verdict(unit, None, failure=failure.kind) for unit in units} | arrived
    return replace(failure, verdicts=tuple(every.values()))
