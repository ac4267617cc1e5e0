"""A run sealed in one file, with all that its numbers follow from (`recall_core.sealing`)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from sqlalchemy import Engine

from db.engine import reading
from db.errors import NotPossibleNow
from db.ledgers import touched
from db.review_rows import withheld_from_files
from db.run_cards import RunCard, RunState, get_run
from db.sealed_parts import (
    sealed_dataset,
    sealed_draws,
    sealed_judgements,
    sealed_ledger,
    sealed_numbers,
    sealed_policies,
    sealed_prompts,
    sealed_reviews,
    sealed_run,
)
from db.sights import NOBODY
from db.stamps import run_stamp
from recall_core.sealing import Verification, packed, verify_package
from recall_core.sealing.package import Package
from recall_core.viewing import seen_by

_TRIES = 3
_STILL_JUDGING = (RunState.QUEUED, RunState.RUNNING, RunState.PAUSED)


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed package, and its seal: who has noted the seal knows a forgery by it."""

    content: bytes
    seal: str


def seal_run(engine: Engine, run_id: int, *, viewer: str = NOBODY, texts: bool = True) -> Sealed:
    """The run as a sealed package that has been verified; without `texts`, only their hashes.

    `NotPossibleNow` while it still judges, while anything in it is kept from anybody, or where it
    does not verify, with the place. `NotKept` if the run is gone.
    """
    found = Verification(())
    for _ in range(_TRIES):
        stamp = run_stamp(engine, run_id)
        reason = why_not_sealed(engine, run_id, viewer)
        if reason:
            raise NotPossibleNow(reason)
        try:
            package = _package(engine, run_id, texts)
        except (ValueError, ZeroDivisionError) as problem:
            raise NotPossibleNow(
                f"Run {run_id} is not sealed, for something that is kept of it was not written by "
                "this program. `python -m api verify` says where."
            ) from problem
        run = package.run
        data = packed(package.members(), tool=_tool(), run=run.id, name=run.name, texts=texts)
        found = verify_package(data)
        if found.equal and found.manifest is not None:
            return Sealed(data, found.manifest.seal)
        if run_stamp(engine, run_id) == stamp:
            break
    raise NotPossibleNow(f"Run {run_id} is not sealed, for it does not verify. {found.breaks[0]}")


def _tool() -> str:
    try:
        return version("recall-desk")
    except PackageNotFoundError:
        return "a checkout"


def why_not_sealed(engine: Engine, run_id: int, viewer: str = NOBODY) -> str:
    """Why the run cannot be sealed now, in sentences; empty if it can.

    A seal is over everything, so there must be nothing that a file may not hold.
    """
    run = get_run(engine, run_id)
    if run.state in _STILL_JUDGING:
        return f"{run.name} is {run.state.value}: it can be sealed when it is done."
    blind = len(withheld_from_files(engine, run_id, viewer))
    if blind:
        return (
            f"A sealed package holds every verdict, and those on {_counted(blind)} are kept from "
            "people who score blind. Seal the run when they are done, or export its results."
        )
    apart = _kept_apart(engine, run)
    if apart:
        return (
            f"A sealed package holds every decision, and on {_counted(apart)} reviewers must not "
            "see each other’s yet. Seal the run when they are done and agree."
        )
    return ""


def _kept_apart(engine: Engine, run: RunCard) -> int:
    """On how many examples something that people decided is kept from others."""
    if run.options.mode != "independent":
        return 0
    sights = (seen_by(d, NOBODY, judge_hidden=False).sight for d in touched(engine, run.id))
    return sum(sight.others_hidden or sight.names_hidden for sight in sights)


def _counted(n: int) -> str:
    return f"{n} example{'' if n == 1 else 's'}"


def _package(engine: Engine, run_id: int, texts: bool) -> Package:
    with reading(engine) as session:
        run = sealed_run(session, run_id)
        ledger = tuple(sealed_ledger(session, run_id))
        reviews = tuple(sealed_reviews(session, run_id))
        audit = tuple(sealed_draws(session, run_id))
    return Package(
        run=run,
        prompts=tuple(sealed_prompts(run)),
        examples=tuple(sealed_dataset(engine, run, texts=texts)),
        judgements=tuple(sealed_judgements(engine, run_id, texts=texts)),
        reviews=reviews,
        ledger=ledger,
        audit=audit,
        policies=tuple(sealed_policies(engine, run_id)),
        numbers=sealed_numbers(engine, run_id, ledger),
    )
