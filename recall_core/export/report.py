"""A run as one page of HTML that needs nothing else: read by people without the tool, printed.

No script, no outside file, light only. A policy in its head forbids the page to fetch anything,
so that a hostile text in a dataset stays text even if a reader's program were careless.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files

from recall_core.details import JudgementDetail, RunFacts
from recall_core.export.report_charts import finals_chart, unit_score_bars
from recall_core.export.report_examples import (
    act_of,
    example_card,
    judged_chip,
    now_chip,
    reason_of,
    title_of,
    why_now,
)
from recall_core.export.report_parts import (
    Cells,
    block,
    counted,
    number_chip,
    signed,
    table,
    text,
    two,
    word_chip,
)
from recall_core.export.report_trust import (
    Trust,
    headline_section,
    trust_facts,
    trust_limits,
    trust_sections,
)
from recall_core.export.report_words import limits
from recall_core.ledger import LedgerLine, ledger_of
from recall_core.policy import NamedPolicy
from recall_core.summary import RunSummary, Slice
from recall_core.types import Action, Formula, Json

CHANGES_SHOWN = 300
"""How many decisions the table of changes lists."""

LONGEST_ID = 24


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a report says: the run's numbers, its lowest and changed examples, some in full.

    `examples` are told in full, in the dataset's order; `examples_left_out` counts the others.
    `slices` are cuts by a field of metadata, each with the field's name.
    """

    summary: RunSummary
    trust: Trust
    lowest: tuple[JudgementDetail, ...]
    changed: tuple[JudgementDetail, ...]
    examples: Iterable[JudgementDetail]
    examples_left_out: int
    slices: tuple[tuple[str, tuple[Slice, ...]], ...]
    made_at: datetime
    policy: NamedPolicy | None = None
    """Another way of counting, to be told beside the run's own."""


def report_html(report: RunReport) -> Iterator[str]:
    """The page in pieces, so that a long one need not be held in memory."""
    summary = report.summary
    yield _head(summary.run)
    yield _top(summary.run, report.made_at)
    yield headline_section(summary, report.trust)
    yield trust_sections(report.trust)
    yield _spread(summary)
    yield _slices(report)
    yield _changes(report)
    yield _lowest(report)
    yield _examples_title(report)
    yield from map(example_card, report.examples)
    yield _settings(report)
    yield "</main></body></html>\n"


def _head(run: RunFacts) -> str:
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light">'
        f"<title>{text(run.name)} – recall report</title><style>{style}</style></head><body><main>"
    )


def _top(run: RunFacts, made_at: datetime) -> str:
    return (
        f'<header class="top"><div><h1 dir="auto">{text(run.name)}</h1>'
        f"<p>{text(run.judge_title)}, version {run.judge_version}, on "
        f"<bdi>{text(run.dataset)}</bdi> ({counted(run.examples, 'example')})</p></div>"
        f'<p class="made">Recall Desk report<br>{moment(made_at)}</p></header>'
    )


def moment(at: datetime) -> str:
    """`30 November 2026, 14:02 UTC`."""
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


def _spread(summary: RunSummary) -> str:
    if not summary.counts.scored:
        return ""
    only = summary.judge_only
    return (
        '<div class="pair"><section><h2>How the examples are spread</h2>'
        f"<figure>{finals_chart(summary.finals, judge_only=only)}</figure></section>"
        "<section><h2>What the units were given</h2>"
        f"<figure>{unit_score_bars(summary.unit_scores, judge_only=only)}</figure></section></div>"
    )


def _slices(report: RunReport) -> str:
    if not report.slices or not report.summary.counts.scored:
        return ""
    tables = (_slice_table(name, cuts, report.summary) for name, cuts in report.slices)
    return f'<div class="pair slices">{"".join(tables)}</div>'


def _slice_table(name: str, cuts: Iterable[Slice], summary: RunSummary) -> str:
    only = summary.judge_only
    heads = (("", ""), ("num", "Covers"), ("num", "Judge"), ("num", "Now"), ("", ""))
    rows = [heads, *(_slice_row(cut, summary) for cut in cuts)]
    head, *body = [_without(3, row) for row in rows] if only else rows
    return f"<section><h2>By <bdi>{text(name)}</bdi></h2>{table(head, body)}</section>"


def _slice_row(cut: Slice, summary: RunSummary) -> Cells:
    top = 5 if summary.run.formula is Formula.PASSAGE else 1
    tone = ' class="machine"' if summary.judge_only else ""
    name = '<span class="muted">none</span>' if cut.value is None else block(cut.value, most=48)
    width = None if cut.mean.value is None else 100 * float(cut.mean.value) / top
    return (
        ("", name),
        ("num muted", f"{cut.mean.n} of {cut.mean.of}"),
        ("num", two(cut.judge_mean.value)),
        ("num", f"<b>{two(cut.mean.value)}</b>"),
        ("bar-cell", "" if width is None else f'<i{tone} style="width:{width:.1f}%"></i>'),
    )


def _without(place: int, cells: Cells) -> Cells:
    """The cells without the one at `place`: what is the same as the judge's is not shown twice."""
    return (*cells[:place], *cells[place + 1 :])


def _changes(report: RunReport) -> str:
    if report.summary.judge_only:
        return ""
    lines = [
        (detail, line)
        for detail in report.changed
        for line in ledger_of(detail).lines
        if line.standing and line.decision.action not in (Action.CONFIRM, Action.UNDO)
    ]
    if not lines:
        return "<section><h2>What people changed</h2><p>Nothing: every review agreed.</p></section>"
    causes = ", ".join(
        f"{count} {'without a cause' if cause is None else cause.value}"
        for cause, count in report.summary.causes
    )
    changed = report.summary.review.units_changed
    units = f"{counted(changed, 'unit')} {'counts' if changed == 1 else 'count'}"
    heads = (("", "Example"), ("", "Unit"), ("", "Who and why"), ("num", "Effect"), ("", "Final"))
    shown = table(heads, (_change_row(*pair) for pair in lines[:CHANGES_SHOWN]))
    more = len(lines) - CHANGES_SHOWN
    rest = f'<p class="muted">And {more:,} more, in the exported table.</p>' if more > 0 else ""
    return (
        f"<section><h2>What people changed</h2><p>{units} differently: {causes}. Effects are steps "
        f"of the combined score, in the order of the changes.</p>{shown}{rest}</section>"
    )


def _change_row(detail: JudgementDetail, line: LedgerLine) -> Cells:
    decision = line.decision
    final = (
        word_chip(line.state.value)
        if line.final is None
        else number_chip(detail.run.formula, line.final)
    )
    reason = reason_of(decision)
    name = f'<span class="person">{text(decision.reviewer)}</span>'
    return (
        ("id", _link(detail)),
        ("", f'<span class="unit-label">{decision.unit.label}</span> {act_of(decision)}'),
        ("", f"{name}{', ' + reason if reason else ''}"),
        ("num", signed(line.effect)),
        ("", final),
    )


def _link(detail: JudgementDetail) -> str:
    name = detail.example.id
    shown = name if len(name) <= LONGEST_ID else f"{name[: LONGEST_ID - 1]}…"
    return f'<a href="#j{detail.id}">{text(shown)}</a>'


def _lowest(report: RunReport) -> str:
    if not report.lowest:
        return ""
    heads = (("", "Example"), ("", "Question"), ("", "Judge"), ("", "Now"), ("", "Why"))
    rows = [heads, *map(_lowest_row, report.lowest)]
    head, *body = [row[:3] for row in rows] if report.summary.judge_only else rows
    return f"<section><h2>Lowest examples</h2>{table(head, body)}</section>"


def _lowest_row(detail: JudgementDetail) -> Cells:
    return (
        ("id", _link(detail)),
        ("", block(title_of(detail.example), most=140)),
        ("", judged_chip(detail)),
        ("", now_chip(detail)),
        ("", why_now(detail)),
    )


def _examples_title(report: RunReport) -> str:
    if not report.examples_left_out:
        return "<h2>Every example in full</h2>"
    return (
        "<h2>Examples in full</h2><p>The changed ones and the lowest; "
        f"{counted(report.examples_left_out, 'more example')} are in the exported table.</p>"
    )


def _settings(report: RunReport) -> str:
    summary, trust, policy = report.summary, report.trust, report.policy
    run = summary.run
    settings = ", ".join(f"{n} {_setting(value)}" for n, value in run.settings.items()) or "none"
    reviewers = ", ".join(f"{name} ({count})" for name, count in summary.reviewers) or "nobody yet"
    facts = (
        ("Run", f"{run.name}, made on {moment(run.created_at)} by {run.created_by}"),
        ("Judge", f"{run.judge_title} ({run.judge}, version {run.judge_version})"),
        ("Settings", settings),
        ("Rounding", f"{run.rounding.value.replace('_', ' ')}, at each formula’s third decimal"),
        ("Dataset", f"{run.dataset}, content sha256 {run.content_hash}"),
        *trust_facts(trust),
        ("Decisions", reviewers),
        *(() if policy is None else (("Policy", policy.sentence),)),
    )
    rows = "".join(f'<dt>{text(n)}</dt><dd dir="auto">{text(v)}</dd>' for n, v in facts)
    items = "".join(f"<li>{text(limit)}</li>" for limit in (*limits(summary), *trust_limits(trust)))
    return (
        f"<section><h2>Settings</h2><dl>{rows}</dl></section>"
        f'<section class="limits"><h2>Limits</h2><ul>{items}</ul></section>'
    )


def _setting(value: Json) -> str:
    """A setting's value as people say it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
