"""What a run was made from; none of it can change."""

from __future__ import annotations

import json

import streamlit as st

from db.runs import RunCard
from pages.components.judge_words import prompt_words
from pages.components.review_options import review_words
from pages.components.settings_form import FormField, form_fields
from pages.components.style import plain, section
from recall_core.judges import judges
from recall_core.types import Json

PROMPT = "prompt"


def frozen_settings(run: RunCard) -> None:
    """The settings as they were called in the form; the rarely changed ones and the prompt fold."""
    section("Settings, frozen with the run")
    judge = judges().get(run.judge)
    fields = {} if judge is None else {field.name: field for field in form_fields(judge)}
    shown = {name: value for name, value in run.settings.items() if name != PROMPT}
    aside = {n: v for n, v in shown.items() if n in fields and _usual(fields[n], v)}
    lines = [_line(name, value, fields) for name, value in shown.items() if name not in aside]
    lines += review_words(run.options)
    st.caption("  \n".join(map(plain, lines)))
    if aside:
        with st.expander("Settings left as they are by default"):
            st.caption("  \n".join(plain(_line(n, v, fields)) for n, v in aside.items()))
    words = prompt_words(run.judge, run.judge_version, run.settings)
    if words is not None:
        with st.expander(words[0].upper() + words[1:]):
            st.code(str(run.settings[PROMPT]), language=None, wrap_lines=True)
    st.caption(plain(f"Started by {run.created_by}, {run.created_at:%Y-%m-%d %H:%M} UTC"))


def _usual(field: FormField, value: Json) -> bool:
    """Whether few people change it, and nobody has."""
    return field.advanced and value == field.default


def _line(name: str, value: Json, fields: dict[str, FormField]) -> str:
    label = fields[name].label if name in fields else name.replace("_", " ").capitalize()
    return f"{label}: {_words(value)}"


def _words(value: Json) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
