"""A judge's settings form is made from its fields, whatever judge it is."""

from __future__ import annotations

from typing import ClassVar, Literal

import pytest
from pydantic import Field
from streamlit.testing.v1 import AppTest

from pages.components.settings_form import form_fields, setting_problems
from recall_core.judges import Judge, LocalJudge, judge_named, judges, make_judge
from recall_core.types import Example, Formula, Judgement, Rounding


class OddJudge(LocalJudge):
    """A judge with a field of every sort; abstract on purpose so that no registry finds it."""

    name: ClassVar[str] = "odd"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Odd"
    formula: ClassVar[Formula] = Formula.SHARE

    measure: Literal["left_side", "right_side"] = "right_side"
    rounding: Rounding = Rounding.HALF_UP
    samples: int = Field(default=3, ge=1, le=9, title="Samples", description="How often to ask.")
    share: float | None = Field(default=None, ge=0, le=1)
    strict: bool = True
    model: str | None = None
    prompt: str = Field(default="Say:", json_schema_extra={"multiline": True})
    stops: list[str] = Field(default_factory=lambda: ["END"])

    def lacks(self, example: Example) -> str | None:
        return None

    def judge(self, example: Example) -> Judgement:
        return Judgement(example.id, (), "nothing to say")


def test_each_kind_of_field_gets_its_own_kind_of_control() -> None:
    widgets = {field.name: field.widget for field in form_fields(OddJudge)}

    assert widgets == {
        "measure": "choice",
        "rounding": "choice",
        "samples": "integer",
        "share": "number",
        "strict": "switch",
        "model": "text",
        "prompt": "long_text",
        "stops": "json",
        "pass_at": "number",
    }


def test_labels_limits_defaults_and_choices_come_from_the_fields() -> None:
    fields = {field.name: field for field in form_fields(OddJudge)}

    assert (fields["samples"].label, fields["samples"].help) == ("Samples", "How often to ask.")
    assert (fields["samples"].lowest, fields["samples"].highest) == (1, 9)
    assert fields["rounding"].choices == ("half_up", "up")
    assert fields["rounding"].default == "half_up"
    assert fields["share"].optional
    assert not fields["samples"].optional
    assert fields["stops"].default == ["END"]


def test_what_all_judges_share_stands_last() -> None:
    assert [field.name for field in form_fields(OddJudge)][-1] == "pass_at"


def _one_form() -> None:
    import streamlit as st

    from pages.components.settings_form import settings_form
    from recall_core.judges import judge_named, make_judge

    settings = settings_form(judge_named("context_recall"), key="f", initial={"threshold": 0.7})
    st.text(make_judge("context_recall", settings).model_dump_json())


def test_what_the_form_says_makes_a_judge() -> None:
    form = AppTest.from_function(_one_form).run()

    form.selectbox(key="f.distance_measure").set_value("jaro")
    form.toggle(key="f.include_bonus").set_value(True)
    form.number_input(key="f.pass_at").set_value(0.8)
    form.run()

    assert not form.exception
    assert form.text[0].value == (
        '{"pass_at":0.8,"distance_measure":"jaro","threshold":0.7,"include_bonus":true}'
    )


def test_a_number_left_empty_is_no_number() -> None:
    form = AppTest.from_function(_one_form).run()

    assert '"pass_at":null' in form.text[0].value


@pytest.mark.parametrize("judge", judges().values(), ids=lambda judge: str(judge.name))
def test_every_setting_of_every_judge_says_what_it_is(judge: type[Judge]) -> None:
    for field in form_fields(judge):
        assert judge.model_fields[field.name].title, field.name
        assert field.help, field.name
        assert field.widget != "json", field.name


@pytest.mark.parametrize("name", judges())
def test_the_form_as_it_opens_makes_the_judge_as_it_comes(name: str) -> None:
    fields = form_fields(judge_named(name))

    made = make_judge(name, {field.name: field.default for field in fields})

    assert made == judge_named(name)()


def test_settings_that_few_people_change_are_put_aside() -> None:
    fields = {field.name: field for field in form_fields(judge_named("passage_recall"))}

    aside = {name for name, field in fields.items() if field.advanced}

    assert {"temperature", "seed", "timeout_seconds", "long_examples"} <= aside
    assert aside.isdisjoint({"endpoint", "model", "samples", "budget_usd", "prompt", "rounding"})


def test_what_a_judge_cannot_take_is_said_by_setting() -> None:
    judge = judge_named("passage_recall")

    problems = setting_problems(judge, {"samples": 12, "prompt": "{{ground_truth}} {{odd}}"})

    assert set(problems) == {"samples", "prompt"}
    assert "{{odd}}, which stands for nothing" in problems["prompt"]
    assert setting_problems(judge, {"samples": 3}) == {}
