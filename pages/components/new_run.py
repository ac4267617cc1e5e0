"""The form for new runs: dataset, judges, their settings, how people review, and the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import streamlit as st

from db.datasets import DatasetCard, stream_examples
from db.runs import RunOptions, RunTemplate, create_run
from pages.components.judge_words import SCREEN_LIMITS_IN_SHORT, summary_of
from pages.components.session import author, engine, now
from pages.components.settings_form import settings_form
from pages.components.style import count, plain, section
from recall_core.errors import RecallError
from recall_core.judges import Judge, LocalJudge, judges, make_judge
from recall_core.taking import Takes, takes_of
from recall_core.types import Json

LOOKED_AT = 20_000
"""Of a longer dataset only this many examples are looked at to say what a judge can take."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One run that the form describes."""

    judge: type[Judge]
    settings: Mapping[str, Json]
    name: str


def dataset_line(dataset: DatasetCard) -> str:
    """`help-centre v3, 240 examples, 431 essential and 268 bonus passages`."""
    passages = f"{dataset.essential:,} essential and {dataset.bonus:,} bonus passages"
    return f"{dataset.name}, {count(dataset.examples, 'example')}, {passages}"


def choose_judges(dataset: DatasetCard, start: RunTemplate | None, key: str) -> list[type[Judge]]:
    """The cards of the judges; those that are ticked, in the order of the list."""
    section("Judges")
    takes = {t.judge: t for t in _takes(dataset.content_hash, dataset.id)}
    chosen = []
    for name, judge in judges().items():
        with st.container(border=True, gap="xsmall"):
            ticked = st.checkbox(
                f"**{plain(judge.title)}** v{judge.version}",
                value=start is not None and start.judge == name,
                key=f"{key}.judge.{name}",
            )
            limits = f" {SCREEN_LIMITS_IN_SHORT}" if judge.screen else ""
            st.caption(plain(summary_of(judge) + limits))
            _say_takes(takes[name])
        if ticked:
            chosen.append(judge)
    return chosen


def _say_takes(takes: Takes) -> None:
    st.caption(f"**{takes.takes:,} of {count(takes.of, 'example')}** can be judged.")
    if takes.lacks:
        st.caption(f":red[The others: {plain(takes.lacks)}]")


@st.cache_data(max_entries=200, show_spinner="Looking what each judge can take …")
def _takes(content_hash: str, _dataset_id: int) -> tuple[Takes, ...]:
    """Kept by content, since a dataset never changes."""
    some = islice(stream_examples(engine(), _dataset_id), LOOKED_AT)
    return takes_of([judge() for judge in judges().values()], some)


def draw_settings(
    chosen: Sequence[type[Judge]], start: RunTemplate | None, key: str
) -> dict[str, dict[str, Json]]:
    """A form of settings for each chosen judge; what they say, by judge."""
    said: dict[str, dict[str, Json]] = {}
    for judge in chosen:
        section(f"Settings, {judge.title}")
        initial = start.settings if start is not None and start.judge == judge.name else None
        said[judge.name] = settings_form(judge, key=f"{key}.{judge.name}", initial=initial)
    if not chosen:
        section("Settings")
        st.caption("Tick a judge, and its settings stand here.")
    return said


def draw_review_options(start: RunTemplate | None, key: str) -> RunOptions:
    """How people will review the runs."""
    before = start.options if start is not None else RunOptions()
    section("Review")
    halves = st.toggle(
        "Half scores",
        value=before.halves,
        key=f"{key}.halves",
        help="Reviewers may give 3.5 and the like, not only whole numbers.",
    )
    notes = st.toggle(
        "A note with every change",
        value=before.notes_required,
        key=f"{key}.notes",
        help="A change is stored only with a reason in words.",
    )
    return RunOptions(halves=halves, notes_required=notes)


def draw_plan(
    dataset: DatasetCard,
    chosen: Sequence[type[Judge]],
    settings: Mapping[str, Mapping[str, Json]],
    start: RunTemplate | None,
    key: str,
) -> list[Planned]:
    """What Start will do, a run a judge, each with a name that can be changed."""
    section("Plan")
    if not chosen:
        st.caption("No judge is ticked yet, so there is nothing to start.")
        return []
    planned = []
    with st.container(border=True):
        for judge in chosen:
            default = f"{dataset.name}, {judge.title}"
            if start is not None and start.judge == judge.name:
                default = f"{start.name}, again"
            name = st.text_input(
                f"Name of the run, {judge.title}" if len(chosen) > 1 else "Name of the run",
                default,
                max_chars=200,
                key=f"{key}.name.{dataset.id}.{judge.name}",
            )
            planned.append(Planned(judge, settings[judge.name], name))
        st.caption(_effort(dataset, chosen))
    return planned


def _effort(dataset: DatasetCard, chosen: Sequence[type[Judge]]) -> str:
    """How much will be judged, and what it takes."""
    much = f"{count(dataset.examples, 'example')} for each judge"
    if all(issubclass(judge, LocalJudge) for judge in chosen):
        much += ", on this machine: no model is called, no key is needed, and it costs nothing"
    return f"{much}. What a judge cannot take is skipped and counted."


def start_runs(
    dataset: DatasetCard, planned: Sequence[Planned], options: RunOptions
) -> list[int] | None:
    """Queue the runs; `None` if a setting cannot be taken, which is then said on the page."""
    try:
        made = [make_judge(p.judge.name, p.settings) for p in planned]
        return [
            create_run(
                engine(),
                dataset_id=dataset.id,
                judge=judge,
                name=plan.name,
                options=options,
                author=author(),
                now=now(),
            )
            for judge, plan in zip(made, planned, strict=True)
        ]
    except RecallError as error:
        st.error(plain(str(error)))
        return None
