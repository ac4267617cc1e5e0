"""What counts for an example whose judge gave no answer."""

from __future__ import annotations

import pytest

from recall_core.results import Status
from recall_core.types import Action, Formula, Rounding, TraceState
from tests.core.details import RUN, SHARE_RUN, decision, detail, ref, verdict


@pytest.mark.parametrize("status", [Status.ERROR, Status.SKIPPED])
@pytest.mark.parametrize("run", [RUN, SHARE_RUN])
def test_no_answer_is_neither_all_found_nor_void(status: Status, run: object) -> None:
    made = detail(status=status, run=run)

    assert (made.trace.state, made.trace.final) == (TraceState.INCOMPLETE, None)


def test_a_failed_judge_has_no_final_even_if_every_verdict_had_arrived() -> None:
    made = detail(verdict("E1", 4), status=Status.ERROR)

    assert (made.judge_trace.final, made.trace.final) == (None, None)


def test_a_person_who_confirms_what_had_arrived_gives_it_a_final() -> None:
    confirmed = decision(1, "E1", 4, 4, action=Action.CONFIRM)

    made = detail(verdict("E1", 4), decisions=[confirmed], status=Status.ERROR)

    assert (made.judge_trace.final, made.trace.final) == (None, 4)


def test_a_detail_answers_for_each_of_its_units() -> None:
    made = detail(verdict("E1", 4), verdict("B1", 2))

    assert (made.total, made.run.formula) == (4, Formula.PASSAGE)
    assert made.judge_trace.rounding is Rounding.HALF_UP
    unit = made.unit(ref("B1"))
    assert unit is not None
    assert unit.state.score == 2
    assert made.unit(ref("B2")) is None
