"""One example of the report in full: what was asked, each unit with its reasons, the formula."""

from __future__ import annotations

from recall_core.details import JudgementDetail
from recall_core.export.report_parts import (
    Cells,
    block,
    number_chip,
    table,
    text,
    two,
    unit_chip,
    word_chip,
)
from recall_core.results import Status
from recall_core.scoring import printed
from recall_core.types import (
    Action,
    Decision,
    EffectiveScore,
    Evidence,
    Example,
    ScoreTrace,
    TraceState,
    UnitState,
)

LONGEST_TEXT = 1_200
LONGEST_QUOTE = 320
LONGEST_RETRIEVED = 500


def example_card(detail: JudgementDetail) -> str:
    """The example's box, with the anchor that the tables link to."""
    example = detail.example
    finals = judged_chip(detail)
    if _is_reviewed(detail):
        finals += f" → {now_chip(detail)}"
    warnings = "".join(f'<p class="warning">{block(w)}</p>' for w in detail.warnings)
    formulas = "\n".join(map(str, detail.trace.lines))
    return (
        f'<section class="example" id="j{detail.id}"><div class="head">'
        f'<span class="id">{detail.position} · {text(example.id)}</span><span>{finals}</span></div>'
        f'<div class="question">{block(title_of(example), most=LONGEST_TEXT)}</div>'
        f'<p class="muted small">{block(detail.details)}{_capped(detail)}</p>{warnings}'
        f"{_units(detail)}"
        f"{f'<pre>{text(formulas)}</pre>' if formulas else ''}{_retrieved(example)}</section>"
    )


def title_of(example: Example) -> str:
    """The question, or what else the example has to be known by."""
    return example.question or example.expected_output or f"Example {example.id}"


def _capped(detail: JudgementDetail) -> str:
    trace = detail.trace
    if not trace.capped:
        return ""
    return (
        f" Capped at 5: essential {two(trace.essential)} and bonus {two(trace.bonus)} "
        f"make {two(trace.combined)}."
    )


def judged_chip(detail: JudgementDetail) -> str:
    """The judge's final, or why it gave none."""
    if detail.status is Status.PROCESSED:
        return _final_chip(detail, detail.judge_trace, by_person=False)
    return word_chip("skipped" if detail.status is Status.SKIPPED else "failed")


def now_chip(detail: JudgementDetail) -> str:
    """The final that counts, marked where a person has had a say in it."""
    if not _is_reviewed(detail):
        return judged_chip(detail)
    return _final_chip(detail, detail.trace, by_person=True)


def _final_chip(detail: JudgementDetail, trace: ScoreTrace, *, by_person: bool) -> str:
    if trace.final is None or trace.state is TraceState.VACUOUS:
        return word_chip(trace.state.value, by_person=by_person)
    return number_chip(detail.run.formula, trace.final, by_person=by_person)


def _is_reviewed(detail: JudgementDetail) -> bool:
    return any(e.reviewed for e in detail.effective)


def _units(detail: JudgementDetail) -> str:
    if not detail.effective:
        return ""
    heads = (("", "Unit"), ("", "Judge"), ("", "Now"), ("said", "Why"))
    rows = [heads, *map(_unit_row, detail.effective)]
    head, *body = rows if _is_reviewed(detail) else [(*row[:2], row[3]) for row in rows]
    return table(head, body)


def _unit_row(effective: EffectiveScore) -> Cells:
    verdict = effective.verdict
    moved = effective.state.kind is not effective.ref.kind
    now_kind = f' <span class="person">now {effective.state.kind.value}</span>' if moved else ""
    unit = (
        f'<span class="unit-label">{effective.ref.label}</span>{now_kind} '
        f"{block(verdict.unit.text, most=LONGEST_TEXT)}"
    )
    judged = unit_chip(UnitState(effective.ref.kind, verdict.score))
    now = unit_chip(effective.state, by_person=effective.reviewed)
    return (("", unit), ("", judged), ("", now), ("said", _why(effective)))


def _why(effective: EffectiveScore) -> str:
    verdict = effective.verdict
    parts = [f"<div>{_decision(effective.decision)}</div>" if effective.decision else ""]
    if verdict.reasoning:
        parts.append(f"<div>{block(verdict.reasoning, most=LONGEST_TEXT)}</div>")
    if verdict.failure is not None:
        parts.append(f'<div class="muted">No score: {verdict.failure.value}.</div>')
    parts += map(_evidence, verdict.evidence)
    return "".join(parts)


def _decision(decision: Decision) -> str:
    name = f'<span class="person">{text(decision.reviewer)}</span>'
    reason = reason_of(decision)
    return f"{name} {act_of(decision)}{', ' + reason if reason else ''}"


def reason_of(decision: Decision) -> str:
    """`judge wrong: it is there`: the cause and the note, as far as they were given."""
    cause = decision.cause.value if decision.cause else ""
    note = block(decision.note) if decision.note else ""
    return ": ".join(part for part in (cause, note) if part)


def act_of(decision: Decision) -> str:
    """What the decision did, as a verb: `set 4 → 3`, `confirmed`, `excluded it`."""
    before, after = decision.before, decision.after
    match decision.action:
        case Action.CONFIRM:
            return "confirmed"
        case Action.EXCLUDE:
            return "excluded it"
        case Action.MOVE:
            return f"moved it from {before.kind.value} to {after.kind.value}"
        case Action.UNDO:
            return "took a decision back"
        case Action.UNSET:
            return "returned to the judge’s score"
        case Action.SET | Action.RESOLVE:
            same = before == after
            return f"set {'' if same else state_word(before) + ' → '}{state_word(after)}"


def state_word(state: UnitState) -> str:
    """`4`, `excluded`, `no score`."""
    if state.excluded:
        return "excluded"
    return "no score" if state.score is None else printed(state.score)


def _evidence(evidence: Evidence) -> str:
    place = "answer" if evidence.rank is None else str(evidence.rank)
    lost = "" if evidence.located else ' class="lost"'
    note = "" if evidence.located else ' <span class="muted">not found in the passage</span>'
    quote = block(evidence.quote, most=LONGEST_QUOTE)
    return f'<div class="evidence">{place}: “<mark{lost}>{quote}</mark>”{note}</div>'


def _retrieved(example: Example) -> str:
    if example.retrieved is None:
        return ""
    if not example.retrieved:
        return '<div class="retrieved">Nothing was retrieved.</div>'
    items = "".join(
        f'<li value="{p.rank}">{block(p.text, most=LONGEST_RETRIEVED)}</li>'
        for p in example.retrieved
    )
    return f'<div class="retrieved">Retrieved<ol>{items}</ol></div>'


def why_now(detail: JudgementDetail) -> str:
    """In a few words, why the example has the score that counts, for the list of the lowest."""
    changed = [e for e in detail.effective if e.changed and e.decision]
    if changed:
        return "; ".join(_short(e) for e in changed)
    if detail.trace.state is not TraceState.SCORED:
        return text(detail.details)
    reviewed = sum(e.reviewed for e in detail.effective)
    if not reviewed:
        return '<span class="muted">judge only</span>'
    if reviewed == len(detail.effective):
        return "confirmed"
    return f"{reviewed} of {len(detail.effective)} units reviewed"


def _short(effective: EffectiveScore) -> str:
    decision = effective.decision
    if decision is None:
        return ""
    cause = f" ({decision.cause.value})" if decision.cause else ""
    return f"{effective.ref.label} {act_of(decision)}{cause}"
