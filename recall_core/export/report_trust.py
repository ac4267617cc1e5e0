"""How far to trust the report's number: the headline, how it came about, who agrees with whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from recall_core.agreement import FEWEST, Agreement, Measure, Name, PeopleAgreement
from recall_core.calibration import Calibration, Side
from recall_core.export.report_charts import KIND_NAMES
from recall_core.export.report_parts import Cells, counted, table, text, two
from recall_core.export.report_words import level_sentence, reviewed_sentence
from recall_core.headline import Headline, Standing
from recall_core.movement import Movement
from recall_core.summary import RunSummary
from recall_core.types import Formula, UnitKind

_SHARES = frozenset({Name.EXACT, Name.WITHIN_ONE, Name.SENSITIVITY, Name.SPECIFICITY})
_TOLD = (Name.BIAS, Name.EXACT, Name.SENSITIVITY, Name.SPECIFICITY, Name.KAPPA, Name.AC1)


@dataclass(frozen=True, slots=True)
class ReviewedBy:
    """One person's part: how many examples they finished, and of these by an audit's draw."""

    name: str
    examples: int
    audited: int


@dataclass(frozen=True, slots=True)
class Trust:
    """What the number rests on. `agreement` and `people` are empty while anything is withheld;
    `model` and `prompt` (its hash) are those of the judge, empty where it asks no model.
    """

    recall: Headline
    movement: Movement | None
    agreement: tuple[Calibration, ...]
    people: Mapping[UnitKind, PeopleAgreement]
    reviewed_by: tuple[ReviewedBy, ...]
    model: str = ""
    prompt: str = ""


def headline_section(summary: RunSummary, trust: Trust) -> str:
    """The number with its interval, what it means in words, and how it came about."""
    recall = trust.recall
    scale = "1 to 5" if summary.run.formula is Formula.PASSAGE else "0 to 1"
    tone = " machine" if recall.faint else ""
    of = recall.interval or f"{summary.counts.coverage} examples"
    return (
        f'<section class="headline"><div><div class="scale">Recall, {scale}</div>'
        f'<div class="value{tone}">{text(recall.number)}</div>'
        f'<div class="of">{text(of)}</div></div><div>'
        f"<p><b>{text(_meaning(summary, recall))}</b> {text(recall.sentence)}</p>"
        f'<p class="muted">{text(_beside(summary, recall))}</p></div></section>'
    )


def _meaning(summary: RunSummary, recall: Headline) -> str:
    value = None if recall.value is None else Fraction(recall.value)
    sentence = level_sentence(summary.run.formula, value)
    if recall.standing is not Standing.JUDGE_ONLY:
        return sentence
    return f"If the judge is right, {sentence[0].lower()}{sentence[1:]}"


def _beside(summary: RunSummary, recall: Headline) -> str:
    judge = summary.judge_mean
    alone = "The judge alone gave no score."
    if judge.value is not None:
        alone = f"The judge alone: {two(judge.value)}, on {judge.n} of {judge.of}."
    made = f"Made from {recall.made_from}." if recall.grounds.reviewed else ""
    left = f"Not in the mean: {summary.counts.left_out}." if summary.counts.left_out else ""
    reviewed = "" if summary.judge_only else reviewed_sentence(summary)
    return " ".join(part for part in (made, alone, left, reviewed) if part)


def trust_sections(trust: Trust) -> str:
    """How the judge's number became this one, and how far the judge agrees with people."""
    parts = [part for part in (_became(trust), _agreement(trust)) if part]
    if not parts:
        return ""
    pair = f'<div class="pair">{"".join(parts)}</div>' if len(parts) == 2 else parts[0]
    return f"{pair}{_between_people(trust)}"


def _became(trust: Trust) -> str:
    movement = trust.recall.way_to(trust.movement)
    if movement is None or not movement.steps:
        return ""
    steps, deltas = movement.steps, movement.printed_deltas()
    ends = [movement.judge, movement.now, *(step.start for step in steps)]
    low, high = min(ends), max(ends)
    width = (high - low) or Fraction(1)
    rows: list[Cells] = [(("", "Judge’s mean"), ("", ""), ("num", f"<b>{two(movement.judge)}</b>"))]
    for step, delta in zip(steps, deltas, strict=True):
        left = float((min(step.start, step.start + step.delta) - low) / width)
        wide = float(abs(step.delta) / width)
        bar = (
            f'<i class="{"rise" if step.delta > 0 else "fall"}" '
            f'style="margin-left:{100 * left:.1f}%;width:{100 * wide:.1f}%"></i>'
        )
        name = f"{step.reason[0].upper()}{step.reason[1:]}, {step.count}"
        rows.append((("", text(name)), ("became", bar), ("num", _step_words(delta))))
    estimated = trust.recall.estimate is not None
    rows.append(
        (
            ("", f"<b>{'Recall' if estimated else 'Mean now'}</b>"),
            ("", ""),
            ("num", f"<b>{two(movement.now)}</b>"),
        )
    )
    heads = (("", ""), ("", ""), ("num", ""))
    return f"<section><h2>How the judge’s number became this one</h2>{table(heads, rows)}</section>"


def _step_words(delta: Fraction) -> str:
    if not delta:
        return "0.00"
    return f"{'+' if delta > 0 else '−'}{two(abs(delta))}"


def _agreement(trust: Trust) -> str:
    kinds = list(UnitKind)
    in_order = sorted(trust.agreement, key=lambda one: kinds.index(one.kind))
    tables = "".join(map(_agreement_table, in_order))
    if not tables:
        return ""
    return f"<section><h2>How far the judge agrees with people</h2>{tables}</section>"


def _agreement_table(found: Calibration) -> str:
    """On audit reviews alone: what people chose to read is chosen for a reason."""
    agreed = found.agreement(Side())
    name = f"{KIND_NAMES[found.kind]}, {agreed.units:,} audited"
    heads = (("", name), ("num", "Value"), ("num", "95 % interval"))
    if agreed.examples < FEWEST:
        said = f"{counted(agreed.examples, 'example')} audited: too few to say"
        return table(heads, [(("muted", said), ("num", ""), ("num", ""))])
    return table(heads, _measure_rows(agreed))


def _measure_rows(agreed: Agreement) -> Iterator[Cells]:
    for measure in agreed.measures:
        if measure.name in _TOLD:
            tone = "num muted" if measure.faint else "num"
            value = "not defined" if measure.value is None else _said(measure.name, measure.value)
            yield (("", text(_title(measure))), (tone, value), (tone, _interval(measure)))


def _title(measure: Measure) -> str:
    if measure.name is not Name.BIAS or measure.value is None:
        return measure.title
    return "Too kind by" if measure.value >= 0 else "Too strict by"


def _said(name: Name, value: float) -> str:
    if name in _SHARES:
        return f"{100 * value:.0f} %"
    return f"{abs(value) if name is Name.BIAS else value:.2f}"


def _interval(measure: Measure) -> str:
    """The ends, lower first, in the words of the value: a strict judge's bias counts downwards."""
    if measure.interval is None or measure.value is None:
        return "–"
    low, high = measure.interval
    if measure.name is Name.BIAS:
        ends = (low, high) if measure.value >= 0 else (-high, -low)
        return " to ".join(f"{end:.2f}".replace("-", "−") for end in ends)
    return " to ".join(_said(measure.name, end) for end in (low, high))


def _between_people(trust: Trust) -> str:
    shared = [(kind, found) for kind, found in trust.people.items() if found.units]
    if not shared:
        return ""
    items = "".join(f"<li>{KIND_NAMES[kind]}: {text(one.sentence)}</li>" for kind, one in shared)
    return f"<section><h2>How far people agree with each other</h2><ul>{items}</ul></section>"


def trust_facts(trust: Trust) -> Iterator[tuple[str, str]]:
    """Model, prompt and who reviewed how much, for the report's settings."""
    if trust.model:
        yield "Model", trust.model
    if trust.prompt:
        yield "Prompt", f"sha256 {trust.prompt}"
    people = [
        f"{one.name} {counted(one.examples, 'example')} ({one.audited} audited)"
        for one in trust.reviewed_by
    ]
    yield "Reviewed", "; ".join(people) or "nothing yet"


def trust_limits(trust: Trust) -> Iterator[str]:
    """What the interval and the agreement do not say."""
    recall = trust.recall
    if recall.estimate is not None and not recall.estimate.exact:
        yield (
            f"The interval speaks of these {recall.grounds.examples} examples, and holds only if "
            "audited examples were reviewed as drawn."
        )
    if recall.grounds.chosen and recall.estimate is not None:
        yield (
            f"{counted(recall.grounds.chosen, 'example')} reviewed by choice count as themselves "
            "and not as a sample."
        )
    seen = max((one.examples(Side(True, blind=False)) for one in trust.agreement), default=0)
    blind = max((one.examples(Side(True, blind=True)) for one in trust.agreement), default=0)
    if seen or blind:
        yield (
            f"Of the audited examples {seen} were scored with the judge’s score in sight and "
            f"{blind} blind; who sees a score first comes nearer to it."
        )
