"""One judgement as the review desk's JSON.

Scores travel as exact text ("7/2"), times as ISO 8601 in UTC, and offsets of evidence in UTF-16
code units, in which JavaScript counts.
"""

from __future__ import annotations

from typing import Any

from db.disagreement import Beside
from pages.components.judge_words import prompt_words
from pages.components.review_desk.people import (
    Around,
    desk_decision,
    exact_text,
    flag_of,
    sight_of,
    twice_of,
    unit_people,
)
from pages.components.review_desk.remarks import (
    general_warnings,
    raw_reply,
    suspicious_ranks,
    unit_remarks,
)
from recall_core.details import JudgementDetail, RunFacts
from recall_core.imported import is_mismatch
from recall_core.results import Status
from recall_core.types import Evidence, Example, FailureKind, Verdict

Item = dict[str, Any]
NOTHING_AROUND = Around()
NOTHING_BESIDE = Beside()

_FAILURES = {
    FailureKind.TIMEOUT: "The judge did not answer in time.",
    FailureKind.RATE_LIMIT: "The judge's service took no more requests.",
    FailureKind.CONNECTION: "The judge's service was not reached.",
    FailureKind.REFUSAL: "The judge refused to answer.",
    FailureKind.CONTENT_FILTER: "A content filter stopped the judge's answer.",
    FailureKind.TRUNCATED: "The judge's answer was cut off.",
    FailureKind.EMPTY: "The judge's answer was empty.",
    FailureKind.UNPARSEABLE: "The judge's answer could not be read.",
    FailureKind.AMBIGUOUS: "The judge gave two different answers.",
    FailureKind.INCOMPLETE: "The judge's answer was incomplete.",
    FailureKind.OUT_OF_RANGE: "The judge gave a score that is not on the scale.",
    FailureKind.CONTEXT_TOO_LONG: "The text was too long for the judge.",
    FailureKind.BUDGET: "The run's budget was used up.",
    FailureKind.CANCELLED: "The run was cancelled before the judge answered.",
    FailureKind.INTERNAL: "Our own program failed here; the example's message says how.",
}


def desk_item(detail: JudgementDetail, around: Around = NOTHING_AROUND) -> Item:
    """Everything that the desk shows of one judgement; whatever would give the judge's word away
    is left out for a person who reviews blind and has not committed yet."""
    example = detail.example
    hidden = detail.sight.judge_hidden
    beside = NOTHING_BESIDE if hidden or around.beside is None else around.beside
    suspicious = suspicious_ranks(detail)
    texts: dict[int | None, str] = {p.rank: p.text for p in example.retrieved or ()}
    if example.actual_output is not None:
        texts[None] = example.actual_output
    return {
        "id": detail.id,
        # That a judge failed is its word too, and its scores are not there in either case.
        "status": (Status.PROCESSED if hidden else detail.status).value,
        "sentence": None if hidden else _sentence(detail),
        "example": example.id,
        "row": detail.position,
        "question": example.question,
        "answer": example.actual_output,
        "formula": detail.run.formula.value,
        "rounding": detail.run.rounding.value,
        "units": [
            _unit(v, texts)
            | unit_remarks(v, detail.warnings, beside)
            | unit_people(v, detail, around)
            for v in detail.verdicts
        ],
        "unscored": [] if detail.verdicts else _ground_truth(example),
        "retrieved": None
        if example.retrieved is None
        else [
            {"rank": p.rank, "id": p.id, "text": p.text, "suspicious": suspicious.get(p.rank, [])}
            for p in example.retrieved
        ],
        "decisions": [desk_decision(d) for d in detail.decisions],
        "warnings": [w for w in general_warnings(detail) if not is_mismatch(w)],
        "mismatches": [w for w in detail.warnings if is_mismatch(w)],
        "raw": raw_reply(detail),
        "others": len(beside.others),
        "comments": around.comments,
        "flag": flag_of(around.flag, detail.sight),
        "sight": sight_of(detail),
        "twice": twice_of(around.twice),
        "judged": version_of(detail),
        "again": detail.again and not hidden,
        "repeatable": detail.status is not Status.PROCESSED and not detail.decisions and not hidden,
    }


def version_of(detail: JudgementDetail) -> str:
    """Changes when the judge's answer does, or begins to be asked for again, and when the person
    may see more or less of it."""
    sight = detail.sight
    hidden = f"{sight.judge_hidden:d}{sight.others_hidden:d}{sight.names_hidden:d}"
    again = " again" if detail.again else ""
    return f"{detail.judged_at.isoformat()} {hidden}{sight.reviewers_done}{again}"


def gone_item(judgement_id: int) -> Item:
    """In the place of a judgement that is no longer kept, so that nobody waits for it."""
    return {
        "id": judgement_id,
        "status": Status.SKIPPED.value,
        "sentence": "This judgement is no longer kept. Its run may have been deleted.",
        "example": "",
        "row": None,
        "question": None,
        "answer": None,
        "formula": "passage",
        "rounding": "half_up",
        "units": [],
        "unscored": [],
        "retrieved": [],
        "decisions": [],
        "warnings": [],
        "mismatches": [],
        "raw": None,
        "others": 0,
        "comments": 0,
        "flag": None,
        "sight": {},
        "twice": None,
        "judged": None,
        "again": False,
        "repeatable": False,
    }


def desk_run(run: RunFacts, list_name: str) -> dict[str, Any]:
    """What holds for every example on the desk."""
    return {
        "id": run.id,
        "name": run.name,
        "dataset": run.dataset,
        "judge": run.judge_title,
        "model": run.settings.get("model") or None,
        "prompt": prompt_words(run.judge, run.judge_version, run.settings),
        "pass_mark": exact_text(run.pass_mark),
        "halves": run.halves,
        "notes_required": run.notes_required,
        "blind": run.blind,
        "independent": run.independent,
        "needed": run.needed,
        "list": list_name,
    }


def _sentence(detail: JudgementDetail) -> str | None:
    """Why there is no judge's score, or `None` where there is one."""
    if detail.status is Status.PROCESSED:
        return None
    if detail.status is Status.SKIPPED:
        return f"Not judged: {detail.details}"
    kind = detail.error_type
    cause = "" if kind is None else _FAILURES[kind]
    hint = " Fill the scores in, and the final appears." if detail.verdicts else ""
    return f"{cause} {detail.details}{hint}".strip()


def _ground_truth(example: Example) -> list[dict[str, str]]:
    """What should have come back, to be read where no judge has made units of it."""
    if example.ground_truth:
        return [{"kind": p.kind.value, "text": p.text} for p in example.ground_truth]
    expected = example.expected_output
    return [{"kind": "statement", "text": expected}] if expected else []


def _unit(verdict: Verdict, texts: dict[int | None, str]) -> dict[str, Any]:
    unit = verdict.unit
    return {
        "label": unit.ref.label,
        "kind": unit.ref.kind.value,
        "index": unit.ref.index,
        "text": unit.text,
        "score": exact_text(verdict.score),
        "failure": None if verdict.failure is None else _FAILURES[verdict.failure],
        "reasoning": verdict.reasoning,
        "measure": _measure(verdict),
        "evidence": [_evidence(e, texts.get(e.rank)) for e in verdict.evidence],
    }


def _measure(verdict: Verdict) -> str | None:
    """What a threshold cut, to two decimals."""
    if verdict.similarity is not None:
        return f"Similarity {verdict.similarity:.2f}"
    if verdict.probability is not None:
        return f"Probability {verdict.probability:.2f}"
    return None


def _evidence(evidence: Evidence, text: str | None) -> dict[str, Any]:
    start, end = evidence.start, evidence.end
    if text is None or start is None or end is None or not evidence.located:
        return {"rank": evidence.rank, "located": False, "quote": evidence.quote}
    return {
        "rank": evidence.rank,
        "located": True,
        "quote": evidence.quote,
        "start": utf16_length(text[:start]),
        "end": utf16_length(text[:end]),
    }


def utf16_length(text: str) -> int:
    """How long JavaScript finds the text: characters beyond the basic plane count twice."""
    return len(text) + sum(c > "\uffff" for c in text)
