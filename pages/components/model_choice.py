"""Whom a model judge asks, and in which words: endpoint, model, a test of both, the prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

import streamlit as st

from db.endpoints import known_endpoints
from pages.components.settings_form import setting_problems
from pages.components.style import plain
from recall_core.asking.judge import ModelJudge
from recall_core.errors import InvalidSetting
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.model_list import ModelList, list_models
from recall_core.llm.prices import openai_model_names
from recall_core.llm.probe import ProbeResult, probe
from recall_core.llm.types import OutputLevel
from recall_core.types import Json

HOW_TO_SET: Final = (
    "Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, before the start; or name "
    "servers in endpoints.toml (docs/model-judges.md)."
)
_LEVELS: Final[Mapping[OutputLevel, str]] = {
    OutputLevel.JSON_SCHEMA: "It keeps to a JSON schema, the firmest level there is.",
    OutputLevel.JSON_OBJECT: "It takes no JSON schema, but answers in JSON mode.",
    OutputLevel.PLAIN: "It has no JSON mode; a plain prompt brings JSON, which is enough.",
}


def endpoints_or_trouble() -> tuple[dict[str, Endpoint], str | None]:
    """The operator's endpoints by name, read anew each time; a sentence if they cannot be read."""
    try:
        return known_endpoints(), None
    except InvalidSetting as error:
        return {}, str(error)


def nobody_to_ask(endpoints: Mapping[str, Endpoint], trouble: str | None) -> str | None:
    """Why no model can be asked at all, in a sentence; `None` if one can."""
    if any(endpoint.problem is None for endpoint in endpoints.values()):
        return None
    problems = [e.problem for e in endpoints.values() if e.problem is not None]
    return trouble or " ".join(problems)


def choose_model(
    endpoints: Mapping[str, Endpoint], initial: Mapping[str, Json], key: str
) -> dict[str, Json]:
    """Draw the choice of endpoint and model and the test; what was chosen, as settings."""
    left, right = st.columns(2, gap="small")
    with left:
        endpoint = _choose_endpoint(endpoints, initial.get("endpoint"), key)
    with right:
        model = _choose_model(endpoint, initial.get("model"), key)
    if endpoint.problem is not None:
        st.caption(f":red[{plain(endpoint.problem)}] {plain(HOW_TO_SET)}")
    with st.container(horizontal=True):
        if not endpoint.model_names:
            _list(endpoint, key)
        tested = _test(endpoint, model, key)
    _say(endpoint, model, tested, key)
    return {"endpoint": endpoint.name, "model": model}


def _choose_endpoint(endpoints: Mapping[str, Endpoint], before: Json, key: str) -> Endpoint:
    names = list(endpoints)
    usable = [name for name in names if endpoints[name].problem is None]
    first = before if before in endpoints else next(iter(usable or names))
    chosen = st.selectbox(
        "Endpoint",
        names,
        index=names.index(str(first)),
        format_func=lambda name: f"{name}, {endpoints[name].host}",
        help="The servers that the operator of this installation lets people ask.",
        key=f"{key}.endpoint",
    )
    return endpoints[chosen]


def _choose_model(endpoint: Endpoint, before: Json, key: str) -> str:
    """From the endpoint's list; typed where it has none."""
    place = f"{key}.model.{endpoint.name}"
    before = before if isinstance(before, str) else ""
    names = list(endpoint.model_names)
    if names:
        return st.selectbox(
            "Model", names, index=names.index(before) if before in names else 0, key=place
        )
    if endpoint.is_openai:
        names = list(dict.fromkeys([*openai_model_names(), *([before] if before else [])]))
        typed = st.selectbox(
            "Model",
            names,
            index=names.index(before) if before else None,
            placeholder="Choose one, or type a name",
            accept_new_options=True,
            key=place,
        )
        return (typed or "").strip()
    listed: ModelList | None = st.session_state.get(_listed_at(endpoint, key))
    if listed is not None and listed.names:
        return _of_listed(listed.names, before, place)
    return st.text_input(
        "Model",
        before,
        placeholder="As the server calls it",
        help="This endpoint lists no models in endpoints.toml, so the name is typed, or chosen "
        "from the server's own list.",
        key=place,
    ).strip()


def _of_listed(names: tuple[str, ...], before: str, place: str) -> str:
    """What the server has, or what was typed before its list was there."""
    typed = st.session_state.get(place) or before
    offered = list(dict.fromkeys([*names, *([typed] if typed else [])]))
    chosen = st.selectbox(
        "Model",
        offered,
        index=offered.index(typed) if typed else None,
        placeholder="Choose one, or type a name",
        accept_new_options=True,
        key=f"{place}.listed",
    )
    return (chosen or "").strip()


def _listed_at(endpoint: Endpoint, key: str) -> str:
    return f"{key}.listed.{endpoint.name}"


def _list(endpoint: Endpoint, key: str) -> None:
    """A button that asks the server which models it has."""
    place = _listed_at(endpoint, key)
    st.button(
        "List its models",
        disabled=endpoint.problem is not None,
        on_click=_ask_for_list,
        args=(endpoint, place),
        key=f"{key}.list",
    )


def _ask_for_list(endpoint: Endpoint, place: str) -> None:
    st.session_state[place] = asyncio.run(list_models(endpoint))


def _test(endpoint: Endpoint, model: str, key: str) -> bool:
    """The button that asks one small question; whether it was pressed."""
    ready = endpoint.problem is None and bool(model)
    return st.button("Test the endpoint", disabled=not ready, key=f"{key}.test")


def _say(endpoint: Endpoint, model: str, test: bool, key: str) -> None:
    """What came of the test and of the list, once they were asked for."""
    place = f"{key}.tested"
    if test:
        with st.spinner(f"Asking {plain(model)} …"):
            result = asyncio.run(probe(endpoint, model))
        st.session_state[place] = (endpoint.name, model, result)
    tested = st.session_state.get(place)
    if tested is not None and tested[:2] == (endpoint.name, model):
        st.caption(test_words(tested[2]))
    listed: ModelList | None = st.session_state.get(_listed_at(endpoint, key))
    if listed is not None and listed.problem is not None:
        st.caption(f":red[! {plain(listed.problem)}] The name can still be typed.")


def test_words(result: ProbeResult) -> str:
    """Markdown: which model answered, how fast, in which shape; or why it cannot be used."""
    if result.problem is not None:
        return f":red[! {plain(result.problem)}]"
    seconds = "" if result.seconds is None else f" in {result.seconds:.1f} s"
    level = "" if result.level is None else _LEVELS[result.level]
    return f"✓ {plain(result.model)} answered{seconds}. {level}"


def edit_prompt(judge: type[ModelJudge], initial: Mapping[str, Json], key: str) -> str:
    """The prompt, which can be changed; what is wrong with it stands below."""
    default = str(judge.model_fields["prompt"].default)
    before = initial.get("prompt", default)
    place = f"{key}.prompt"
    text = st.session_state.get(place, before)
    state = "unchanged" if text == default else "changed"
    with st.expander(f"Prompt, version {judge.version} ({state})", key=f"{key}.prompt_box"):
        typed = st.text_area(
            "Prompt",
            str(before),
            help=judge.model_fields["prompt"].description,
            height=420,
            key=place,
        )
        if typed != default:
            st.button(
                "Back to the prompt of the judge",
                on_click=_put,
                args=(place, default),
                key=f"{key}.prompt_back",
            )
    problem = setting_problems(judge, {"prompt": typed}).get("prompt")
    if problem is not None:
        st.caption(f":red[! {plain(problem)}]")
    return typed


def _put(place: str, text: str) -> None:
    st.session_state[place] = text
