"""However people decide, the lines of the ledger add up to the change of the final."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from recall_core.ledger import ledger_of
from recall_core.types import Action, Decision, UnitKind, UnitState
from tests.core.details import NOW, detail, ref, verdict

LABELS = ("E1", "E2", "B1")
ESSENTIAL, BONUS = st.integers(1, 5), st.integers(0, 5)


@st.composite
def decisions(draw: st.DrawFn) -> list[Decision]:
    made: list[Decision] = []
    for number in range(1, draw(st.integers(0, 8)) + 1):
        label = draw(st.sampled_from(LABELS))
        unit = ref(label)
        undoable = [d for d in made if d.unit == unit and d.action is not Action.UNDO]
        kind = draw(st.sampled_from((UnitKind.ESSENTIAL, UnitKind.BONUS)))
        score = draw(ESSENTIAL if kind is UnitKind.ESSENTIAL else BONUS)
        after = UnitState(kind, Fraction(score), draw(st.booleans()))
        undoes = draw(st.sampled_from(undoable)).id if undoable and draw(st.booleans()) else None
        action = Action.SET if undoes is None else Action.UNDO
        made.append(Decision(number, unit, action, after, after, "Mara", NOW, undoes=undoes))
    return made


@given(scores=st.tuples(ESSENTIAL, ESSENTIAL, BONUS), made=decisions())
def test_the_lines_and_the_cap_add_up_to_the_change_of_the_final(
    scores: tuple[int, int, int], made: list[Decision]
) -> None:
    judged = [verdict(label, score) for label, score in zip(LABELS, scores, strict=True)]

    ledger = ledger_of(detail(*judged, decisions=made))

    assert len(ledger.lines) == len(made)
    if ledger.final is not None and ledger.judge_final is not None:
        steps = sum((line.effect for line in ledger.lines if line.effect is not None), Fraction(0))
        assert ledger.judge_final + steps + ledger.cap == ledger.final
