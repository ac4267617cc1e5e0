"""The form for new runs: dataset, judges, their settings, how people review, and the plan."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from db.datasets import DatasetCard, stream_examples
from db.runs import NewRun, RunOptions, RunTemplate, create_runs, list_runs
from pages.components.judge_words import SCREEN_LIMITS_IN_SHORT, judge_line, summary_of, twin_of
from pages.components.model_choice import (
    HOW_TO_SET,
    choose_model,
    edit_prompt,
    endpoints_or_trouble,
    nobody_to_ask,
)
from pages.components.run_plan import (
    draw_model_plan,
    model_plan,
    ruled_out,
)
from pages.components.session import author, engine, now
from pages.components.settings_form import setting_problems, settings_form
from pages.components.style import count, plain, section
from recall_core.asking.judge import ModelJudge
from recall_core.errors import RecallError
from recall_core.judges import Judge, judges, make_judge
from recall_core.llm.client import chosen as chosen_endpoint
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.plan import RunPlan
from recall_core.taking import Takes, takes_of
from recall_core.types import Formula, Json

LOOKED_AT = 20_000
"""Of a longer dataset only this many examples are looked at to say what a judge can take."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One run that the form describes."""

    judge: type[Judge]
    settings: Mapping[str, Json]
    name: str
    estimate: RunPlan | None = None
    blocked: bool = False
    """Whether something has to be put right before it can start; the page says what."""


@dataclass(frozen=True, slots=True)
class Servers:
    """Whom model judges may ask. `nobody`: why no model can be asked at all; `trouble`: why the
    list cannot even be read."""

    endpoints: Mapping[str, Endpoint]
    nobody: str | None
    trouble: str | None


def known_servers() -> Servers:
    """The operator's servers as they are at this moment."""
    endpoints, trouble = endpoints_or_trouble()
    return Servers(endpoints, nobody_to_ask(endpoints, trouble), trouble)


def dataset_line(dataset: DatasetCard) -> str:
    """`help-centre v3, 240 examples, 431 essential and 268 bonus passages`."""
    passages = f"{dataset.essential:,} essential and {dataset.bonus:,} bonus passages"
    return f"{dataset.name}, {count(dataset.examples, 'example')}, {passages}"


def choose_judges(
    dataset: DatasetCard, servers: Servers, start: RunTemplate | None, key: str
) -> list[type[Judge]]:
    """The cards of the judges; those that are ticked, in the order of the list.

    First those that can run now, of them first those that score passages; last those whose model
    cannot be asked.
    """
    section("Judges")
    takes = {t.judge: t for t in _takes(dataset.content_hash, dataset.id)}
    chosen = []

    def late(judge: type[Judge]) -> tuple[bool, bool, bool]:
        no_model = issubclass(judge, ModelJudge) and servers.nobody is not None
        return no_model, not takes[judge.name].takes, judge.formula is not Formula.PASSAGE

    for judge in sorted(judges().values(), key=late):
        name = judge.name
        with st.container(border=True, gap="xsmall"):
            ticked = st.checkbox(
                f"**{plain(judge_line(name, judge.version))}**",
                value=start is not None and start.judge == name,
                key=f"{key}.judge.{name}",
            )
            limits = f" {SCREEN_LIMITS_IN_SHORT}" if judge.screen else ""
            st.caption(plain(summary_of(judge) + limits))
            _say_takes(takes[name])
            if issubclass(judge, ModelJudge) and servers.nobody is not None:
                _say_nobody(judge, servers.nobody, key)
        if ticked:
            chosen.append(judge)
    return chosen


def _say_nobody(judge: type[Judge], why: str, key: str) -> None:
    """What has to be set before a model can be asked, and what works without one."""
    st.caption(f":red[! No model can be asked yet. {plain(why)}] {plain(HOW_TO_SET)}")
    twin = twin_of(judge)
    if twin is not None:
        st.button(
            "Tick the lexical screen instead",
            help=f"{plain(twin.title)} needs no model and no key.",
            on_click=_tick_instead,
            args=(f"{key}.judge.{judge.name}", f"{key}.judge.{twin.name}"),
            key=f"{key}.twin.{judge.name}",
        )


def _tick_instead(this: str, that: str) -> None:
    st.session_state[this], st.session_state[that] = False, True


def _say_takes(takes: Takes) -> None:
    st.caption(f"**{takes.takes:,} of {count(takes.of, 'example')}** can be judged.")
    if takes.lacks:
        st.caption(f":red[The others: {plain(takes.lacks)}]")


@st.cache_data(max_entries=200, show_spinner="Looking what each judge can take …")
def _takes(content_hash: str, _dataset_id: int) -> tuple[Takes, ...]:
    """Kept by content, since a dataset never changes."""
    some = itertools.islice(stream_examples(engine(), _dataset_id), LOOKED_AT)
    return takes_of([judge() for judge in judges().values()], some)


def draw_settings(
    chosen: Sequence[type[Judge]], servers: Servers, start: RunTemplate | None, key: str
) -> dict[str, dict[str, Json]]:
    """A form of settings for each chosen judge; what they say, by judge."""
    said: dict[str, dict[str, Json]] = {}
    for judge in chosen:
        section(f"Settings, {judge.title}")
        initial = start.settings if start is not None and start.judge == judge.name else {}
        place = f"{key}.{judge.name}"
        if issubclass(judge, ModelJudge):
            said[judge.name] = _model_settings(judge, servers, initial, place)
        else:
            said[judge.name] = settings_form(judge, key=place, initial=initial)
    if not chosen:
        section("Settings")
        st.caption("Tick a judge, and its settings stand here.")
    return said


def _model_settings(
    judge: type[ModelJudge], servers: Servers, initial: Mapping[str, Json], key: str
) -> dict[str, Json]:
    if servers.trouble is not None:
        st.error(plain(servers.trouble))
        return dict(initial)
    asked = choose_model(servers.endpoints, initial, key)
    endpoint = chosen_endpoint(servers.endpoints, str(asked["endpoint"]))
    off = ruled_out(endpoint, str(asked["model"]))
    rest = settings_form(judge, key=key, initial=initial, without=(*asked, "prompt"), off=off)
    return asked | rest | {"prompt": edit_prompt(judge, initial, key)}


def draw_plan(
    dataset: DatasetCard,
    chosen: Sequence[type[Judge]],
    settings: Mapping[str, Mapping[str, Json]],
    servers: Servers,
    start: RunTemplate | None,
    key: str,
) -> list[Planned]:
    """What Start will do, a run a judge, each with a name that can be changed."""
    section("Plan")
    if not chosen:
        st.caption("No judge is ticked yet, so there is nothing to start.")
        return []
    planned = []
    taken = {run.name for run in list_runs(engine(), dataset_id=dataset.id, archived=True)}
    for judge in chosen:
        with st.container(border=True):
            default = f"{dataset.name}, {judge.title}"
            if start is not None and start.judge == judge.name:
                default = f"{start.name}, again"
            name = st.text_input(
                f"Name of the run, {judge.title}" if len(chosen) > 1 else "Name of the run",
                not_taken(default, taken),
                max_chars=200,
                key=f"{key}.name.{dataset.id}.{judge.name}",
            )
            plan = Planned(judge, settings[judge.name], name)
            planned.append(_draw_effort(dataset, plan, servers, f"{key}.{judge.name}"))
    return planned


def not_taken(name: str, taken: Collection[str]) -> str:
    """The name, with the next number if there are runs of that name: `facts, again, 2`."""
    numbered = (f"{name}, {number}" for number in itertools.count(2))
    return next(n for n in itertools.chain([name], numbered) if n not in taken)


def _draw_effort(dataset: DatasetCard, planned: Planned, servers: Servers, key: str) -> Planned:
    """How much will be judged and what it takes, or what has to be put right first."""
    problems = setting_problems(planned.judge, planned.settings)
    if problems:
        for name, why in problems.items():
            st.caption(f":red[! {plain(f'{_label(planned.judge, name)}: {why}')}]")
        return replace(planned, blocked=True)
    judge = make_judge(planned.judge.name, planned.settings)
    if not isinstance(judge, ModelJudge):
        st.caption(_local_effort(dataset))
        return planned
    endpoint = chosen_endpoint(servers.endpoints, judge.endpoint)
    why_not = judge.not_set or endpoint.problem
    if why_not is not None:
        st.caption(f":red[! {plain(why_not)}]")
        return replace(planned, blocked=True)
    plan = model_plan(dataset, judge, endpoint, key)
    draw_model_plan(plan, judge, endpoint, key)
    return replace(planned, estimate=plan.plan)


def _label(judge: type[Judge], name: str) -> str:
    field = judge.model_fields.get(name)
    return name if field is None or field.title is None else field.title


def _local_effort(dataset: DatasetCard) -> str:
    much = count(dataset.examples, "example")
    return (
        f"{much}, on this machine: no model is called, no key is needed, and it costs nothing. "
        "What the judge cannot take is skipped and counted."
    )


def start_runs(dataset: DatasetCard, planned: Sequence[Planned], options: RunOptions) -> list[int]:
    """Queue the runs; none if one of them cannot be, which is then said on the page."""
    try:
        wanted = [NewRun(make_judge(p.judge.name, p.settings), p.name, p.estimate) for p in planned]
        return create_runs(
            engine(),
            wanted,
            dataset_id=dataset.id,
            options=options,
            author=author(),
            now=now(),
        )
    except RecallError as error:
        st.error(plain(str(error)))
        return []
