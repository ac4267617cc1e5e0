"""The desk's formulas in JavaScript give what the core's give in Python, on every example."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from db.engine import Engine
from pages.components.review_desk.bundle import javascript
from pages.components.review_desk.items import desk_item, exact_text
from recall_core.details import JudgementDetail
from recall_core.ledger import ledger_of
from recall_core.scoring import exact, printed, rounded, trace
from recall_core.types import Action, Formula, Rounding, ScoreTrace, UnitKind
from tests.db.reviewing import Desk, desk, told

pytestmark = pytest.mark.e2e

GOLDEN = Path(__file__).parents[1] / "golden" / "passage_recall_golden.jsonl"

IN_BROWSER = """async ([source, call, argument]) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const module = await import(url);
  return JSON.stringify(module[call](JSON.parse(argument)));
}"""
CALLS = """
const shown = (t) => ({
  state: t.state,
  final: t.final && `${t.final.n}/${t.final.d}`,
  lines: t.lines.map((l) => [l.label, l.parts.map((p) => p.text).join(""), l.value]),
  missing: t.missing,
  capped: t.capped,
});
const asUnits = (rows) =>
  rows.map(([kind, label, score]) => ({ kind, label, score: score && fraction(score) }));
export const traces = (cases) =>
  cases.map(([formula, rows, how]) => shown(traceOf(formula, asUnits(rows), how)));
export const ledgers = (items) =>
  items.map((item) => {
    const { steps, cap, judge, now, total } = ledger(item, item.decisions);
    return {
      judge: shown(judge),
      now: shown(now),
      effects: steps.map((s) => s.effect && signed(s.effect)),
      cap: cap && signed(cap.effect),
      total: total && signed(total),
    };
  });
export const said = (scores) => scores.map((s) => [printed(fraction(s)), signed(fraction(s))]);
"""


def in_browser(browser: Browser, call: str, argument: Any) -> Any:
    page = browser.new_page()
    source = javascript("decisions.js") + CALLS
    answer = page.evaluate(IN_BROWSER, [source, call, json.dumps(argument)])
    page.close()
    return json.loads(answer)


def shown(trace: ScoreTrace) -> dict[str, Any]:
    """A trace as the JavaScript side writes it."""
    return {
        "state": trace.state.value,
        "final": None
        if trace.final is None
        else f"{trace.final.numerator}/{trace.final.denominator}",
        "lines": [[line.label, line.expression, line.value] for line in trace.lines],
        "missing": list(trace.missing),
        "capped": trace.capped,
    }


ACTS = (Action.SET, Action.SET, Action.SET, Action.EXCLUDE, Action.MOVE, Action.UNDO)

Row = tuple[UnitKind, str, Fraction | None]


def golden_rows() -> list[list[Row]]:
    cases = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    return [
        [(UnitKind.ESSENTIAL, f"E{i}", exact(s)) for i, s in enumerate(case["essential"], 1)]
        + [(UnitKind.BONUS, f"B{i}", exact(s)) for i, s in enumerate(case["bonus"], 1)]
        for case in cases
    ]


def random_rows(dice: random.Random) -> list[Row]:
    """Any number of units, with whole, half, decimal and odd scores, and missing ones."""

    def score(lowest: int, highest: int) -> Fraction | None:
        kind = dice.random()
        if kind < 0.05:
            return None
        steps = dice.choice([1, 1, 2, 100, 3])
        return Fraction(dice.randint(lowest * steps, highest * steps), steps)

    essential = [
        (UnitKind.ESSENTIAL, f"E{i}", score(1, 5)) for i in range(1, dice.randint(0, 6) + 1)
    ]
    bonus = [(UnitKind.BONUS, f"B{i}", score(0, 5)) for i in range(1, dice.randint(0, 4) + 1)]
    return essential + bonus


def test_traces_are_the_same_on_the_golden_file_and_on_random_scores(browser: Browser) -> None:
    dice = random.Random(20)
    rows = golden_rows() + [random_rows(dice) for _ in range(600)]
    cases = [
        (formula, units, rounding, dice.choice([0, 0, 1]))
        for units in rows
        for formula in Formula
        for rounding in Rounding
    ]

    got = in_browser(
        browser,
        "traces",
        [
            [
                formula.value,
                [[kind.value, label, exact_text(s)] for kind, label, s in units],
                {"rounding": rounding.value, "excluded": excluded},
            ]
            for formula, units, rounding, excluded in cases
        ],
    )

    wanted = [shown(trace(f, units, rounding=r, excluded=x)) for f, units, r, x in cases]
    assert {t["state"] for t in wanted} == {"scored", "incomplete", "void", "vacuous"}
    for case, one, other in zip(cases, got, wanted, strict=True):
        assert one == other, case


def test_numbers_are_printed_the_same(browser: Browser) -> None:
    dice = random.Random(4)
    scores = [Fraction(dice.randint(0, 5000), dice.choice([1, 2, 3, 8, 1000])) for _ in range(500)]

    got = in_browser(browser, "said", [str(s) for s in scores])

    assert [one for one, _ in got] == [printed(s) for s in scores]
    assert [sign for _, sign in got] == [
        f"{'+' if rounded(s) else ''}{float(rounded(s)):.2f}" for s in scores
    ]


def reviewed(engine: Engine, seed: int) -> list[JudgementDetail]:
    """Examples that people went over at random: set, moved, excluded, confirmed, undone."""
    dice = random.Random(seed)
    scores = [[dice.choice([1, 2, 3, 4, 5, None]) for _ in range(3)] for _ in range(25)]
    run = desk(
        engine,
        *(
            told(f"x{i}", essential, [3, 0], **({"fails": "timeout"} if i % 9 == 8 else {}))
            for i, essential in enumerate(scores)
        ),
    )
    for name in run.judgements:
        for _ in range(dice.randint(0, 7)):
            _random_act(run, name, dice)
    return [run.detail(name) for name in run.judgements]


def _random_act(run: Desk, name: str, dice: random.Random) -> None:
    detail = run.detail(name)
    if not detail.effective:
        return
    unit = dice.choice(detail.effective)
    by = dice.choice(["Mara", "Jonas"])
    act = dice.choice(ACTS)
    if act is Action.UNDO:
        if unit.decision is not None and unit.decision.reviewer == by:
            run.undo(name, unit.ref, by=by)
    elif act is Action.MOVE:
        essential = unit.state.kind is UnitKind.ESSENTIAL
        kind = UnitKind.BONUS if essential else UnitKind.ESSENTIAL
        run.decide(name, unit.ref, act, by=by, to_kind=kind, score=Fraction(dice.randint(1, 5)))
    elif act is Action.EXCLUDE:
        run.decide(name, unit.ref, act, by=by)
    else:
        run.set(name, unit.ref, dice.randint(1, 5), by=by)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_counts_and_why_is_the_same_after_any_decisions(
    browser: Browser, engine: Engine, seed: int
) -> None:
    details = reviewed(engine, seed)

    got = in_browser(browser, "ledgers", [desk_item(d) for d in details])

    assert any(d.trace.final != d.judge_trace.final for d in details)
    for detail, one in zip(details, got, strict=True):
        # What a failed judgement still lacks is asked of `now` alone.
        assert one["judge"] | {"missing": []} == shown(detail.judge_trace) | {"missing": []}
        assert one["now"] == shown(detail.trace)
        judge, now = detail.judge_trace.final, detail.trace.final
        if judge is None or now is None:
            assert one["total"] is None
            continue
        effects = [_number(e) for e in one["effects"] if e] + [_number(one["cap"] or "0.00")]
        assert sum(effects) == _number(one["total"]) == now - judge
        if not any(d.action is Action.UNDO for d in detail.decisions):
            lines = [line.effect for line in ledger_of(detail).lines if line.effect]
            assert [e for e in map(_number, filter(None, one["effects"])) if e] == lines


def _number(text: str) -> Fraction:
    return Fraction(text.replace("−", "-").replace("+", ""))
