"""A run in words and as JSON, the same wherever a command speaks of one."""

from __future__ import annotations

from collections.abc import Iterator

from db.runs import RunCard
from recall_core.headline import Headline
from recall_core.scoring import printed
from recall_core.summary import Mean, RunSummary
from recall_core.types import Json


def run_json(run: RunCard, summary: RunSummary, recall: Headline) -> dict[str, Json]:
    """The run, its recall with interval and grounds, its mean now and the judge's own, and where
    every example is.
    """
    counts = summary.counts
    return {
        "id": run.id,
        "name": run.name,
        "dataset_id": run.dataset_id,
        "dataset": run.dataset,
        "judge": run.judge,
        "judge_version": run.judge_version,
        "settings": dict(run.settings),
        "state": run.state.value,
        "message": run.message,
        "recall": recall.as_json(),
        "mean": mean_json(summary.mean),
        "judge_mean": mean_json(summary.judge_mean),
        "counts": {
            "scored": counts.scored,
            "vacuous": counts.vacuous,
            "void": counts.void,
            "incomplete": counts.incomplete,
            "failed": counts.failed,
            "skipped": counts.skipped,
            "left": counts.left,
        },
        "units_reviewed": summary.review.units_reviewed,
        "units_changed": summary.review.units_changed,
        "created_at": run.created_at.isoformat(),
        "created_by": run.created_by,
        "page": f"/examples?run={run.id}",
    }


def mean_json(mean: Mean) -> dict[str, Json]:
    """A mean with how many of how many it covers."""
    return {
        "value": None if mean.value is None else float(mean.value),
        "n": mean.n,
        "of": mean.of,
    }


def recall_words(mean: Mean, recall: Headline) -> str:
    """The estimate with its interval and what it is made from; without an audit the mean, and that
    nobody has audited it.
    """
    if recall.estimate is None:
        return f"{mean}, {recall.standing.value}"
    interval = f" ({recall.interval})" if recall.interval else ""
    return f"{recall.number}{interval}, {recall.made_from}"


def run_lines(run: RunCard, summary: RunSummary, recall: Headline) -> Iterator[str]:
    """The run in a few lines."""
    yield f"Run {run.id}, {run.name}: {run.judge} version {run.judge_version} over {run.dataset}."
    message = f" {run.message}" if run.message else ""
    yield f"State: {run.state.value}.{message}"
    yield f"Recall: {recall_words(summary.mean, recall)}"
    if not summary.judge_only:
        review = summary.review
        yield f"The judge alone: {summary.judge_mean}"
        yield (
            f"Reviewed: {review.units_reviewed} of {review.units} units, "
            f"{review.units_changed} of them changed."
        )
    if summary.counts.left_out:
        yield f"Not in the mean: {summary.counts.left_out}."
    for line in summary.lowest:
        score = "none" if line.final is None else printed(line.final)
        yield f"  {score:>5}  {line.example_id}  {line.question or ''}".rstrip()
