"""A form for any judge's settings, made from its fields: a new judge has one without any code."""

from __future__ import annotations

import enum
import json
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Union, get_args, get_origin

import streamlit as st
from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from pages.components.style import plain
from recall_core.judges import Judge
from recall_core.types import Json

Widget = Literal["choice", "switch", "integer", "number", "text", "long_text", "json"]

COLUMNS = 2


@dataclass(frozen=True, slots=True)
class FormField:
    """One setting as a form shows it; `lowest` and `highest` are inclusive, `None` unlimited.

    `advanced` ones, which few people change, are put aside.
    """

    name: str
    label: str
    help: str
    widget: Widget
    default: Json
    optional: bool = False
    choices: tuple[str, ...] = ()
    lowest: float | None = None
    highest: float | None = None
    advanced: bool = False

    @property
    def wide(self) -> bool:
        """Whether it takes the whole line."""
        return self.widget in ("long_text", "json")


def form_fields(judge: type[Judge]) -> tuple[FormField, ...]:
    """The settings of a judge in the order of its class, what all judges share at the end."""
    shared = set(Judge.model_fields)
    names = [n for n in judge.model_fields if n not in shared]
    names += [n for n in judge.model_fields if n in shared]
    return tuple(_form_field(name, judge.model_fields[name]) for name in names)


def settings_form(
    judge: type[Judge],
    *,
    key: str,
    initial: Mapping[str, Json] | None = None,
    without: Collection[str] = (),
    off: Mapping[str, str] | None = None,
) -> dict[str, Json]:
    """Draw the form and return what it says, ready for `make_judge`.

    `key` keeps two forms of one judge apart; `initial` are the settings to start from (a clone's),
    the judge's defaults where it is silent. `without` are settings that the caller draws; those in
    `off` cannot be set, for the reason that stands there.
    """
    start = dict(initial or {})
    fields = [field for field in form_fields(judge) if field.name not in without]
    usual = sorted((f for f in fields if not f.advanced), key=lambda f: f.widget == "switch")
    off = off or {}
    values = _draw_fields(usual, start, key, off)
    advanced = [f for f in fields if f.advanced]
    if advanced:
        changed = [f.label for f in advanced if start.get(f.name, f.default) != f.default]
        with st.expander("More settings", expanded=bool(changed), key=f"{key}.advanced"):
            values |= _draw_fields(advanced, start, key, off)
    return values


def setting_problems(judge: type[Judge], settings: Mapping[str, Json]) -> dict[str, str]:
    """Which settings the judge cannot take, each with a sentence that says why."""
    try:
        judge.model_validate(dict(settings))
    except ValidationError as error:
        return {".".join(map(str, e["loc"])): e["msg"] for e in error.errors()}
    return {}


def _draw_fields(
    fields: Sequence[FormField], start: Mapping[str, Json], key: str, off: Mapping[str, str]
) -> dict[str, Json]:
    values: dict[str, Json] = {}
    columns: Sequence[st.delta_generator.DeltaGenerator] = ()
    place = 0
    for field in fields:
        if field.wide:
            values[field.name] = _draw(field, start.get(field.name, field.default), key)
            columns, place = (), 0
            continue
        if field.name in off:
            values[field.name] = _draw_off(field, off[field.name], key)
            columns, place = (), 0
            continue
        if place % COLUMNS == 0:
            columns = st.columns(COLUMNS, gap="small", vertical_alignment="bottom")
        with columns[place % COLUMNS]:
            values[field.name] = _draw(field, start.get(field.name, field.default), key)
        place += 1
    return values


def _form_field(name: str, info: FieldInfo) -> FormField:
    annotation, optional = _without_none(info.annotation)
    lowest, highest = _limits(info)
    return FormField(
        name=name,
        label=info.title or name.replace("_", " ").capitalize(),
        help=info.description or "",
        widget=_widget(annotation, info),
        default=_plain(info.get_default(call_default_factory=True)),
        optional=optional,
        choices=_choices(annotation),
        lowest=lowest,
        highest=highest,
        advanced=bool(_extra(info).get("advanced")),
    )


def _extra(info: FieldInfo) -> Mapping[str, object]:
    extra = info.json_schema_extra
    return extra if isinstance(extra, dict) else {}


def _without_none(annotation: object) -> tuple[object, bool]:
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [a for a in get_args(annotation) if a is not type(None)]
        if len(rest) == 1:
            return rest[0], len(get_args(annotation)) > 1
    return annotation, False


def _widget(annotation: object, info: FieldInfo) -> Widget:
    if _choices(annotation):
        return "choice"
    if annotation is str:
        return "long_text" if _extra(info).get("multiline") else "text"
    known: dict[object, Widget] = {bool: "switch", int: "integer", float: "number"}
    return known.get(annotation, "json")


def _choices(annotation: object) -> tuple[str, ...]:
    if get_origin(annotation) is Literal:
        return tuple(str(choice) for choice in get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, enum.StrEnum):
        return tuple(member.value for member in annotation)
    return ()


def _limits(info: FieldInfo) -> tuple[float | None, float | None]:
    lowest = highest = None
    for rule in info.metadata:
        lowest = getattr(rule, "ge", getattr(rule, "gt", lowest))
        highest = getattr(rule, "le", getattr(rule, "lt", highest))
    return lowest, highest


def _plain(value: object) -> Json:
    if value is PydanticUndefined:
        return None
    if isinstance(value, enum.Enum):
        return str(value.value)
    if value is None or isinstance(value, bool | int | float | str | list | dict):
        return value
    return str(value)


def _draw_off(field: FormField, reason: str, prefix: str) -> Json:
    """The setting as it stays, and why it cannot be another."""
    st.text_input(
        field.label, "", placeholder="not possible", disabled=True, key=f"{prefix}.{field.name}.off"
    )
    st.caption(plain(reason))
    return field.default


def _draw(field: FormField, value: Json, prefix: str) -> Json:
    key = f"{prefix}.{field.name}"
    if field.widget == "choice":
        return _draw_choice(field, value, key)
    if field.widget == "switch":
        return st.toggle(field.label, value=bool(value), help=field.help or None, key=key)
    if field.widget in ("integer", "number"):
        return _draw_number(field, value, key)
    if field.widget == "json":
        return _draw_json(field, value, key)
    text = "" if value is None else str(value)
    help_text = field.help or None
    if field.widget == "long_text":
        typed = st.text_area(field.label, text, help=help_text, key=key, height=180)
    else:
        typed = st.text_input(field.label, text, help=help_text, key=key)
    return None if field.optional and not typed else typed


def _draw_choice(field: FormField, value: Json, key: str) -> Json:
    known = value in field.choices
    index = field.choices.index(str(value)) if known else None if field.optional else 0
    return st.selectbox(
        field.label,
        field.choices,
        index=index,
        format_func=lambda choice: choice.replace("_", " "),
        help=field.help or None,
        placeholder="not set" if field.optional else None,
        key=key,
    )


def _draw_number(field: FormField, value: Json, key: str) -> Json:
    whole = field.widget == "integer"

    def number(given: Json) -> int | float | None:
        if not isinstance(given, int | float):
            return None
        return int(given) if whole else float(given)

    # Its overloads want to know at writing time which of the limits there are.
    draw: Callable[..., int | float | None] = st.number_input
    return draw(
        field.label,
        min_value=number(field.lowest),
        max_value=number(field.highest),
        value=number(value),
        step=1 if whole else 0.05,
        format="%d" if whole else "%g",
        placeholder="none" if field.optional else None,
        help=field.help or None,
        key=key,
    )


def _draw_json(field: FormField, value: Json, key: str) -> Json:
    """Lists and mappings as JSON; what is not JSON goes on as text, for the judge to refuse."""
    typed = st.text_area(
        f"{field.label} (JSON)", json.dumps(value, ensure_ascii=False), help=field.help, key=key
    )
    try:
        parsed: Json = json.loads(typed)
    except json.JSONDecodeError:
        return typed
    return parsed
