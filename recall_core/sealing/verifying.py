"""Is a sealed package what it says? Everything in it is computed again, and the first or every
place where it breaks is named.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pydantic import JsonValue

from recall_core.chain import START, chain_hash
from recall_core.errors import RecallError
from recall_core.policy import policy_of
from recall_core.sealing.container import Refused, read_bytes, read_manifest, unpacked
from recall_core.sealing.package import Package, package_of
from recall_core.sealing.records import (
    Manifest,
    SealedDecision,
    SealedMean,
    SealedPolicy,
    SealedVerdict,
)
from recall_core.sealing.recounting import (
    Recounted,
    exact,
    headline_of,
    judge_mean,
    mean_now,
    recounted,
    under_policy,
)
from recall_core.sealing.tying import ties
from recall_core.summary import Mean
from recall_core.types import EffectiveScore

SAME = 1e-9
"""How far two machines may be apart in the last digits of an interval's ends."""

MOST_BREAKS = 100


@dataclass(frozen=True, slots=True)
class Break:
    """Where a package does not hold, and how."""

    where: str
    what: str

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        # Names in a package are anybody's; a terminal obeys what is not printable.
        return "".join(c if c.isprintable() else "?" for c in text)


@dataclass(frozen=True, slots=True)
class Verification:
    """What computing a package again has found; no breaks: it is equal."""

    breaks: tuple[Break, ...]
    manifest: Manifest | None = None
    judgements: int = 0
    decisions: int = 0

    @property
    def equal(self) -> bool:
        return not self.breaks


def verify_file(path: Path) -> Verification:
    """`verify_package` of a file; `OSError` where it cannot be read at all."""
    try:
        data = read_bytes(path)
    except Refused as refused:
        return Verification((Break("", str(refused)),))
    return verify_package(data)


def verify_package(data: bytes) -> Verification:
    """Read the package and compute it again, without a database and without any network."""
    try:
        files = unpacked(data)
        manifest = read_manifest(files)
        package = package_of(files)
    except Refused as refused:
        return Verification((Break("", str(refused)),))
    found = tuple(islice(_breaks(package, manifest), MOST_BREAKS))
    return Verification(found, manifest, len(package.judgements), len(package.ledger))


def _breaks(package: Package, manifest: Manifest) -> Iterator[Break]:
    if (manifest.run, manifest.name) != (package.run.id, package.run.name):
        yield Break("manifest.json", "it names another run than run.json.")
    for where, what in ties(package, texts=manifest.texts):
        yield Break(where, what)
    yield from _chain(package)
    try:
        yield from _computed(package)
    except (RecallError, ArithmeticError, LookupError, ValueError) as problem:
        yield Break("judgements.jsonl", f"nothing can be computed from it: {problem}")


def _computed(package: Package) -> Iterator[Break]:
    rows = recounted(package)
    names = {example.number: example.id for example in package.examples}
    for row in rows:
        name = names.get(row.judgement.example, "?")
        yield from _judgement(row, f"judgements.jsonl, example {name}")
    yield from _numbers(package, rows)


def _chain(package: Package) -> Iterator[Break]:
    """Each decision continues the one before, and its hash is that of what it says."""
    previous, last = START, 0
    known: dict[int, tuple[int, int]] = {}
    for decision in package.ledger:
        where = f"ledger.jsonl, decision {decision.id}"
        if decision.previous != previous:
            yield Break(where, "a decision was removed, added or reordered just before it.")
        if chain_hash(_facts(decision)) != decision.hash:
            yield Break(where, f"it was changed after {decision.reviewer} had made it.")
        if decision.id <= last:
            yield Break(where, f"it stands behind decision {last}, which is newer.")
        for earlier in (decision.based_on, decision.undoes):
            if earlier and known.get(earlier) != (decision.judgement, decision.unit):
                yield Break(where, f"it refers to decision {earlier}, which is not on its unit.")
        previous, last = decision.hash, decision.id
        known[decision.id] = (decision.judgement, decision.unit)
    numbers = package.numbers
    yield from _differ("numbers.json, decisions", numbers.decisions, len(package.ledger))
    yield from _differ("numbers.json, chain_end", numbers.chain_end, previous)


def _facts(decision: SealedDecision) -> dict[str, JsonValue]:
    return decision.model_dump(mode="json", exclude={"id", "hash", "on"})


def _judgement(row: Recounted, where: str) -> Iterator[Break]:
    sealed, trace = row.judgement, row.scores.trace
    for verdict, effective in zip(sealed.verdicts, row.scores.effective, strict=True):
        yield from _unit(verdict, effective, f"{where}, {verdict.unit}")
    judged = row.scores.judge_trace.final
    yield from _differ(f"{where}, the judge's final", exact(sealed.judge_final), judged)
    yield from _differ(f"{where}, final", exact(sealed.final), trace.final)
    yield from _differ(f"{where}, state", sealed.state.value, trace.state.value)
    yield from _differ(f"{where}, essential part", exact(sealed.essential), trace.essential)
    yield from _differ(f"{where}, bonus part", exact(sealed.bonus), trace.bonus)


def _unit(sealed: SealedVerdict, found: EffectiveScore, where: str) -> Iterator[Break]:
    now, state = sealed.now, found.state
    yield from _differ(f"{where}, score that counts", exact(now.score), state.score)
    yield from _differ(f"{where}, kind that counts", now.kind.value, state.kind.value)
    yield from _differ(f"{where}, excluded", now.excluded, state.excluded)
    yield from _differ(f"{where}, reviewed", now.reviewed, found.reviewed)
    yield from _differ(f"{where}, basis", now.basis.value, found.basis.value)


def _numbers(package: Package, rows: Sequence[Recounted]) -> Iterator[Break]:
    run, numbers = package.run, package.numbers
    yield from _mean("numbers.json, judge_mean", numbers.judge_mean, judge_mean(run, rows))
    yield from _mean("numbers.json, mean", numbers.mean, mean_now(run, rows))
    headline = headline_of(package, rows).as_json()
    yield from _headline(numbers.headline, headline)
    for policy in package.policies:
        yield from _policy(package, rows, policy)


def _headline(sealed: Mapping[str, JsonValue], found: Mapping[str, object]) -> Iterator[Break]:
    for name in sorted({*sealed, *found}):
        was, is_ = sealed.get(name), found.get(name)
        if not _same(was, is_):
            yield from _differ(f"numbers.json, headline {name}", was, is_)


def _policy(package: Package, rows: Sequence[Recounted], policy: SealedPolicy) -> Iterator[Break]:
    where = f"policies.jsonl, {policy.name}"
    try:
        rules = policy_of(policy.rules)
    except (RecallError, ValueError, ZeroDivisionError) as problem:
        yield Break(where, f"its rules make no sense ({problem}).")
        return
    if rules.judge_run is not None:
        if policy.mean is not None:
            yield Break(where, "it has a mean, but the other run that it counts is not here.")
        return
    found = under_policy(package.run, rows, rules)
    if policy.mean is None:
        yield Break(where, "its mean is missing.")
        return
    yield from _mean(f"{where}, mean", policy.mean, found.mean)
    yield from _differ(f"{where}, passed", policy.passed, found.passed)


def _mean(where: str, sealed: SealedMean, found: Mean) -> Iterator[Break]:
    yield from _differ(where, exact(sealed.value), found.value)
    yield from _differ(f"{where}, over how many", (sealed.n, sealed.of), (found.n, found.of))


def _same(sealed: object, found: object) -> bool:
    """Equal, where numbers that no machine computes to the last digit may differ in that."""
    if isinstance(sealed, list) and isinstance(found, list):
        pairs = zip(sealed, found, strict=False)
        return len(sealed) == len(found) and all(_same(a, b) for a, b in pairs)
    numbers = (int, float)
    if isinstance(sealed, bool) or isinstance(found, bool):
        return sealed is found
    if isinstance(sealed, numbers) and isinstance(found, numbers):
        return math.isclose(sealed, found, rel_tol=SAME, abs_tol=SAME)
    return sealed == found


def _differ(where: str, sealed: object, found: object) -> Iterator[Break]:
    if sealed != found:
        yield Break(where, f"sealed as {_shown(sealed)}, computed as {_shown(found)}.")


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "..."
