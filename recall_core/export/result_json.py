"""A reviewed judgement as JSON: the one result of every judge, with what people decided."""

from __future__ import annotations

from recall_core.details import JudgementDetail
from recall_core.export.safe_cells import cell_number
from recall_core.policy import NamedPolicy
from recall_core.results import Result, Status, score_label, unit_json
from recall_core.types import EffectiveScore, Json


def reviewed_json(detail: JudgementDetail, policy: NamedPolicy | None = None) -> dict[str, Json]:
    """Plain values that `json.dumps(..., allow_nan=False)` takes.

    The fields of `Result`, where `score`, `passed`, `label` and the units' `score` are what counts
    now. `status` is processed where a judge or a person gave every score; `judge_status`,
    `judge_score` and the units' `judge_score` keep what the judge said. With a `policy`, the field
    of that name has its rules and what they make of this example.
    """
    record = result_of_detail(detail).as_json()
    return {
        "run": detail.run.name,
        "judge": detail.run.judge,
        "judge_version": detail.run.judge_version,
        "position": detail.position,
        "question": detail.example.question,
        **record,
        "state": detail.trace.state.value,
        "judge_status": detail.status.value,
        "judge_score": cell_number(detail.judge_trace.final),
        "formulas": [str(line) for line in detail.trace.lines],
        "settings": dict(detail.run.settings),
        "units": [_unit(effective) for effective in detail.effective],
        **({} if policy is None else {"policy": _policy(detail, policy)}),
    }


def _policy(detail: JudgementDetail, policy: NamedPolicy) -> dict[str, Json]:
    rules = policy.result.policy.as_json()
    if detail.sight.judge_hidden:
        return {"name": policy.name, "rules": rules, "score": None, "passed": None}
    final = policy.result.finals.get(detail.id)
    return {
        "name": policy.name,
        "rules": rules,
        "score": cell_number(final),
        "passed": policy.passed(detail.id),
    }


def result_of_detail(detail: JudgementDetail) -> Result:
    """The result as it counts now; its units are the judge's verdicts."""
    final, mark = detail.trace.final, detail.run.pass_mark
    scored = final is not None
    kept = [e.state.score for e in detail.effective if not e.state.excluded]
    return Result(
        detail.example.id,
        Status.PROCESSED if scored else detail.status,
        final,
        detail.details,
        error_type=None if scored else detail.error_type,
        passed=None if final is None or mark is None else final >= mark,
        label=score_label(detail.trace, kept) if scored and mark is not None else None,
        cost=detail.cost,
        raw_response=detail.raw_response,
        warnings=detail.warnings,
        units=detail.verdicts,
    )


def _unit(effective: EffectiveScore) -> dict[str, Json]:
    state, decision = effective.state, effective.decision
    unit: dict[str, Json] = {
        **unit_json(effective.verdict),
        "unit": effective.ref.label,
        "score": None if state.excluded else cell_number(state.score),
        "judge_score": cell_number(effective.verdict.score),
        "kind_now": state.kind.value,
        "override": effective.changed,
        "excluded": state.excluded,
        "reviewed": effective.reviewed,
        "basis": effective.basis.value,
    }
    if decision is not None:
        unit |= {
            "reviewer": decision.reviewer,
            "decided_at": decision.at.isoformat(timespec="seconds"),
            "cause": None if decision.cause is None else decision.cause.value,
            "note": decision.note,
            "twin": None if decision.twin is None else decision.twin.label,
            "recalled": decision.recalled is not None,
        }
    return unit
