"""Printing a judgement in the document's text form."""

from __future__ import annotations

from collections.abc import Iterable

from recall_core.document.labels import NAMES, inert
from recall_core.scoring import printed
from recall_core.types import EffectiveScore, ScoreTrace, TraceState, UnitKind


def write_document(scores: Iterable[EffectiveScore], trace: ScoreTrace) -> str:
    """The judgement as it counts now; `read_document` reads the same scores back.

    Units are numbered within the kind that counts, so a unit that a person moved stands under its
    new kind, and one that a person excluded is left out, as in the formulas of `trace`.
    """
    kept = [score for score in scores if not score.state.excluded]
    sections: list[str] = []
    for kind in UnitKind:
        units = [score for score in kept if score.state.kind is kind]
        sections.extend(f"[{NAMES[kind]}] {i}: {_body(s)}" for i, s in enumerate(units, 1))
    reasoning = "\n\n".join(sections) or "There is no passage to score."
    lines = [f"• {line}" for line in trace.lines] or [f"• RECALL_Final_Score: {_why(trace)}"]
    return "\n\n".join([f"• RECALL_Reasoning: {reasoning}", *lines]) + "\n"


def _body(score: EffectiveScore) -> str:
    value = "none" if score.state.score is None else printed(score.state.score)
    parts = [_sentence(inert(score.verdict.reasoning)), _decided(score), f"Score: {value}"]
    return " ".join(part for part in parts if part)


def _decided(score: EffectiveScore) -> str:
    """Who set the value that counts, from what, and why."""
    if score.decision is None or not score.changed:
        return ""
    judged = score.verdict.score
    was = "no score" if judged is None else printed(judged)
    note = f", {inert(score.decision.note.strip())}" if score.decision.note.strip() else ""
    cause = f", {score.decision.cause.value}" if score.decision.cause else ""
    return f"(The judge gave {was}; set by {inert(score.decision.reviewer)}{cause}{note}.)"


def _why(trace: ScoreTrace) -> str:
    if trace.state is TraceState.INCOMPLETE:
        return f"none (no score for {', '.join(trace.missing)})"
    return "none (nothing is left to score)"


def _sentence(text: str) -> str:
    """Closed with a full stop, so that a last word "final" does not make it "final Score:"."""
    text = text.strip()
    return text if not text or text[-1] in '.!?…。！？۔।)]»”"' else f"{text}."
