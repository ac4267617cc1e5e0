"""Runs as rows of a list: what each run's line says, which group it is in, where it opens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import streamlit as st

from db.reviews import runs_hiding_judge
from db.run_figures import RunFigures, run_figures
from db.runs import RunCard, RunState
from pages.components.headline import headline_cells
from pages.components.judge_words import judge_kind, judge_line, scale_words
from pages.components.kept_figures import headline_for
from pages.components.rows import Bar, Cell, Column, Figure, Row, State, Text
from pages.components.session import engine, viewer
from pages.components.style import MISSING, Mark, ago, count, percent
from recall_core.headline import Headline


class Group(StrEnum):
    """How the list of runs is cut; every run is in exactly one."""

    RUNNING = "Running"
    TO_REVIEW = "To review"
    REVIEWED = "Reviewed"
    FAILED = "Failed"


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run with its figures and what is said of its recall."""

    card: RunCard
    figures: RunFigures
    headline: Headline
    hidden: bool = False
    """Whether this person still scores it blind, and is not told how it stands."""

    @property
    def judged(self) -> int:
        """Examples that have an outcome of any kind."""
        return self.card.processed + self.card.skipped + self.card.failed

    @property
    def group(self) -> Group:
        match self.card.state:
            case RunState.DONE:
                return Group.REVIEWED if self.figures.all_reviewed else Group.TO_REVIEW
            case RunState.FAILED | RunState.CANCELLED:
                return Group.FAILED
            case _:
                return Group.RUNNING

    def fits(self, text: str) -> bool:
        """Whether the words stand in the run's name, dataset or judge, in any case."""
        card = self.card
        judge = f"{card.judge} {judge_line(card.judge, card.judge_version)}"
        words = f"{card.name} {card.dataset} {judge}".casefold()
        return all(word in words for word in text.casefold().split())


def listed(cards: Sequence[RunCard]) -> list[ListedRun]:
    """These runs with their figures."""
    ids = [card.id for card in cards]
    figures = run_figures(engine(), ids)
    hiding = runs_hiding_judge(engine(), ids, viewer())
    return [
        ListedRun(card, figures[card.id], headline_for(card.id), card.id in hiding)
        for card in cards
    ]


RUN_COLUMNS = (
    Column("Run", 2.2),
    Column("Judge", 2.3),
    Column("State", 1.8),
    Column("Recall", 2.4, right=True),
    Column("On its scale", 1),
    Column("Reviewed", 1.6),
    Column("Last activity", 1.2),
)


_HIDDEN: tuple[Cell, Cell] = (Figure(MISSING, "hidden while you score blind"), Text(""))


def run_row(run: ListedRun, now: datetime) -> Row:
    """One line of the list; it opens by the run's number."""
    card, figures = run.card, run.figures
    line, kind = judge_line(card.judge, card.judge_version), judge_kind(card.judge)
    scale = scale_words(card.formula)
    cells: tuple[Cell, ...] = (
        Text(card.name, card.dataset, strong=True),
        Text(
            line,
            scale if kind in line else f"{kind}, {scale}",
            wrap=True,
        ),
        _state(run),
        *(_HIDDEN if run.hidden else headline_cells(run.headline)),
        Bar(figures.reviewed, card.examples),
        Text(*_last(run, now)),
    )
    return Row(str(card.id), cells)


def open_run(run: ListedRun) -> None:
    """Go to where the run's next step is: its progress, or its results."""
    page = "results.py" if run.group in (Group.TO_REVIEW, Group.REVIEWED) else "run.py"
    st.switch_page(page, query_params={"run": str(run.card.id)})


def _state(run: ListedRun) -> State:
    card = run.card
    judged = f"{run.judged:,} of {card.examples:,} judged"
    trouble = f", {card.failed:,} failed" if card.failed else ""
    match card.state:
        case RunState.QUEUED:
            return State(Mark.HALF, "Queued", judged + trouble)
        case RunState.RUNNING:
            share = run.judged / card.examples if card.examples else None
            return State(Mark.HALF, f"Running, {percent(share)}", judged + trouble)
        case RunState.PAUSED:
            return State(Mark.PAUSED, "Paused", judged + trouble)
        case RunState.FAILED:
            return State(Mark.TROUBLE, "Stopped", card.message or judged)
        case RunState.CANCELLED:
            return State(Mark.TROUBLE, "Cancelled", judged)
        case RunState.DONE:
            done = run.figures.all_reviewed
            words = "Reviewed" if done else "To review"
            return State(Mark.DONE if done else Mark.OPEN, words, judged + trouble)


def _last(run: ListedRun, now: datetime) -> tuple[str, str]:
    figures, card = run.figures, run.card
    if figures.last_reviewer is not None and figures.last_decision_at is not None:
        return figures.last_reviewer, ago(figures.last_decision_at, now)
    if card.ended_at is not None:
        return "worker", ago(card.ended_at, now)
    if card.state is RunState.RUNNING:
        return "worker", "now"
    return card.created_by, ago(card.created_at, now)


def runs_in_words(runs: int, datasets: int) -> str:
    """`6 runs on 3 datasets`."""
    return f"{count(runs, 'run')} on {count(datasets, 'dataset')}"
