"""What takes long to work out for a large run, kept until anything in the run has changed.

No time is involved: each value is asked for with the stamp of what it was made from, so a person
always sees their own last decision in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from db.calibrating import between_people, calibrations
from db.comparing import compare_all
from db.engine import Engine
from db.estimating import headline
from db.judged_elsewhere import judged_elsewhere
from db.ledgers import RunLedger, run_ledger
from db.policies import load_what_if
from db.ranks import RunRanks, run_ranks
from db.runs import list_runs
from db.stamps import run_stamp
from pages.components.session import engine, viewer
from recall_core.agreement import PeopleAgreement
from recall_core.calibration import Calibration, JudgeKey, ScoredUnit
from recall_core.comparison import Comparison
from recall_core.estimation import Target
from recall_core.headline import Headline
from recall_core.policy import WhatIf
from recall_core.types import UnitKind


def ledger_for(run_id: int) -> RunLedger:
    """The run's ledger as this person may see it."""
    name = viewer()
    return _ledger(engine(), run_id, name, _place(), run_stamp(engine(), run_id, name))


def headline_for(run_id: int, target: Target = Target.THESE) -> Headline:
    """What is said of the run's recall."""
    return _headline(engine(), run_id, target, _place(), run_stamp(engine(), run_id))


def calibrations_for(run_ids: Sequence[int]) -> tuple[Calibration, ...]:
    """Judges against people over these runs, as this person may see it."""
    name = viewer()
    stamps = " ".join(run_stamp(engine(), run_id, name) for run_id in run_ids)
    return _calibrations(engine(), tuple(run_ids), name, _place(), stamps)


def judged_elsewhere_for(
    found: Calibration, run_ids: Sequence[int]
) -> Mapping[JudgeKey, tuple[ScoredUnit, ...]]:
    """What other judges said of the units of this calibration, as this person may see it. Whatever
    any run of their datasets has anew makes it anew.
    """
    name = viewer()
    stamps = " ".join(run_stamp(engine(), card.id, name) for card in list_runs(engine()))
    which = f"{found.key} {found.kind}"
    return _elsewhere(engine(), found, tuple(run_ids), name, _place(), stamps, which)


def between_people_for(run_ids: Sequence[int]) -> Mapping[UnitKind, PeopleAgreement]:
    """People against each other over these runs, as this person may see it."""
    name = viewer()
    stamps = " ".join(run_stamp(engine(), run_id, name) for run_id in run_ids)
    return _between_people(engine(), tuple(run_ids), name, _place(), stamps)


def comparisons_for(a: int, others: Sequence[int]) -> tuple[Comparison, ...]:
    """Each of the others against run A, as this person may see it."""
    name = viewer()
    stamps = " ".join(run_stamp(engine(), run_id, name) for run_id in (a, *others))
    return _comparisons(engine(), a, tuple(others), name, _place(), stamps)


def ranks_for(run_id: int) -> RunRanks:
    """Where the run's passages first held each essential; its dataset never changes."""
    return _ranks(engine(), run_id, _place())


def what_if_for(run_id: int, judge_run: int | None) -> WhatIf:
    """The run's scores, with another run's judge where nobody has reviewed."""
    stamps = [run_stamp(engine(), i) for i in (run_id, judge_run) if i is not None]
    return _what_if(engine(), run_id, judge_run, _place(), " ".join(stamps))


def _place() -> str:
    """Which database; a test process sees several."""
    return str(engine().url)


@st.cache_resource(max_entries=256, show_spinner=False)
def _headline(_engine: Engine, run_id: int, target: Target, place: str, stamp: str) -> Headline:
    return headline(_engine, run_id, target=target)


@st.cache_resource(max_entries=8, show_spinner="Replaying the decisions of this run …")
def _ledger(_engine: Engine, run_id: int, name: str, place: str, stamp: str) -> RunLedger:
    return run_ledger(_engine, run_id, name)


@st.cache_resource(max_entries=8, show_spinner="Reading what judges and people said …")
def _calibrations(
    _engine: Engine, run_ids: tuple[int, ...], name: str, place: str, stamp: str
) -> tuple[Calibration, ...]:
    return calibrations(_engine, run_ids, name)


@st.cache_resource(max_entries=8, show_spinner="Reading what other judges said …")
def _elsewhere(
    _engine: Engine,
    _found: Calibration,
    run_ids: tuple[int, ...],
    name: str,
    place: str,
    stamp: str,
    which: str,
) -> Mapping[JudgeKey, tuple[ScoredUnit, ...]]:
    return judged_elsewhere(_engine, _found.kind, _found.units, name)


@st.cache_resource(max_entries=8, show_spinner=False)
def _between_people(
    _engine: Engine, run_ids: tuple[int, ...], name: str, place: str, stamp: str
) -> Mapping[UnitKind, PeopleAgreement]:
    return between_people(_engine, run_ids, name)


@st.cache_resource(max_entries=8, show_spinner="Laying the runs side by side …")
def _comparisons(
    _engine: Engine, a: int, others: tuple[int, ...], name: str, place: str, stamp: str
) -> tuple[Comparison, ...]:
    return compare_all(_engine, a, others, name)


@st.cache_resource(max_entries=8, show_spinner="Looking for each passage, rank by rank …")
def _ranks(_engine: Engine, run_id: int, place: str) -> RunRanks:
    return run_ranks(_engine, run_id)


@st.cache_resource(max_entries=8, show_spinner="Reading the scores of this run …")
def _what_if(_engine: Engine, run_id: int, judge_run: int | None, place: str, stamp: str) -> WhatIf:
    return load_what_if(_engine, run_id, judge_run)
