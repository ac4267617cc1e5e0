"""What a run by a model will take, before it begins: calls, tokens, dollars, minutes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

import streamlit as st

from db.datasets import DatasetCard
from db.endpoints import endpoints_file
from db.planning import DatasetPlan, newest_call, plan_for
from pages.components.session import engine
from pages.components.style import count, dollars, facts, number_table, plain, short_number
from recall_core.asking.judge import ModelJudge
from recall_core.asking.settings import LongExamples
from recall_core.judges import make_judge
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.plan import RunPlan
from recall_core.llm.prices import ANY_MODEL, ModelFacts, Price, openai_model_names

LOOKED_AT = 1000
"""Of a longer dataset only so many examples are counted, unless a person asks for all."""
SHOWN_TOO_LONG = 3
_WHAT_THEN: Final[Mapping[LongExamples, str]] = {
    LongExamples.REFUSE: (
        "They fail as too long and nothing of them is cut; set Long examples to batches to have "
        "their passages judged in groups."
    ),
    LongExamples.BATCHES: "They fail as too long, for a single passage does not fit either.",
}


def model_plan(
    dataset: DatasetCard, judge: ModelJudge, endpoint: Endpoint, key: str
) -> DatasetPlan:
    """Work the plan out, or take it from before if nothing has changed."""
    all_of_it = bool(st.session_state.get(f"{key}.plan_all"))
    return _plan(
        dataset.content_hash,
        dataset.id,
        judge.name,
        json.dumps(judge.model_dump(mode="json"), sort_keys=True),
        repr(endpoint),
        newest_call(engine()),
        endpoint,
        None if all_of_it else LOOKED_AT,
    )


@st.cache_data(max_entries=50, show_spinner="Counting calls and tokens …")
def _plan(
    content_hash: str,
    dataset_id: int,
    judge: str,
    settings: str,
    endpoint: str,
    newest: int,
    _endpoint: Endpoint,
    at_most: int | None,
) -> DatasetPlan:
    """Kept while dataset, settings, endpoint (its key aside) and the store stay what they are."""
    made = make_judge(judge, json.loads(settings))
    assert isinstance(made, ModelJudge)
    return plan_for(engine(), dataset_id, made, _endpoint, at_most=at_most)


def draw_model_plan(planned: DatasetPlan, judge: ModelJudge, endpoint: Endpoint, key: str) -> None:
    """The numbers, and what will happen at their edges."""
    plan = planned.plan
    about = [
        ("Calls", f"{plan.to_make:,}"),
        ("Cost, about", dollars(None if plan.cost is None else plan.cost.expected)),
        ("Time, about", duration(plan.seconds.expected) if plan.to_make else "none"),
    ]
    st.html(facts(about, big=True))
    st.caption("  \n".join(_sentences(planned, judge)))
    _too_long(planned, judge)
    if not planned.complete:
        st.button(
            f"Count all {planned.examples:,} examples",
            on_click=_count_all,
            args=(f"{key}.plan_all",),
            key=f"{key}.count_all",
        )
    if plan.to_make:
        st.html(_ranges(plan))
        st.caption(
            "Tokens are estimated from the text. “High” is every call asked twice, at its longest."
        )
    _prices(judge.model, endpoint, key)


def _count_all(place: str) -> None:
    st.session_state[place] = True


def _sentences(planned: DatasetPlan, judge: ModelJudge) -> list[str]:
    plan = planned.plan
    said = []
    if plan.from_store:
        said.append(
            f"{plan.from_store:,} of {count(plan.calls, 'call')} are answered from the store."
        )
    elif judge.fresh and plan.calls:
        said.append("Every call is made anew; kept answers are not used.")
    elif plan.calls:
        said.append("None of them is in the store yet.")
    if plan.unasked:
        said.append(f"{count(plan.unasked, 'example')} had nothing to look in: no call is needed.")
    if plan.skipped:
        said.append(f"{count(plan.skipped, 'example')} lack something and are skipped.")
    if not planned.complete:
        said.append(f"Counted from {planned.looked_at:,} examples, spread evenly.")
    said.append(_stop_price(plan, judge.budget))
    return [plain(sentence) for sentence in said]


def _stop_price(plan: RunPlan, budget: Decimal | None) -> str:
    if budget is None:
        return "No budget: nothing stops it but you."
    stop = f"Stops by itself before it passes {dollars(budget)}."
    if plan.cost is not None and plan.cost.expected > budget:
        return f"{stop} That is less than what is expected, so not all will be judged."
    return stop


def ruled_out(endpoint: Endpoint, model: str) -> dict[str, str]:
    """The settings that a model without a price rules out, each with the reason."""
    if not model or endpoint.model(model).price is not None:
        return {}
    return {
        "budget_usd": f"The price of {model} is unknown, so a budget could not be kept. It becomes "
        f"possible once its price stands in {endpoints_file()}."
    }


def _too_long(planned: DatasetPlan, judge: ModelJudge) -> None:
    """Examples beyond the model's window are said with both numbers; nothing is cut."""
    long = planned.plan.too_long
    if not long:
        return
    of = count(planned.looked_at, "example")
    named = ", ".join(f"{t.example_id} (about {t.needed:,})" for t in long[:SHOWN_TOO_LONG])
    more = f" and {len(long) - SHOWN_TOO_LONG:,} more" if len(long) > SHOWN_TOO_LONG else ""
    said = (
        f"! {len(long):,} of {of} too long for the window of {long[0].window:,} tokens, with room "
        f"for the answer: {named}"
    )
    st.caption(f":red[{plain(said + more)}.] {plain(_WHAT_THEN[judge.long_examples])}")


def _ranges(plan: RunPlan) -> str:
    """HTML of low, expected and high."""
    t_in, t_out, time = plan.tokens_in, plan.tokens_out, plan.seconds
    cost = ("unknown",) * 3
    if plan.cost is not None:
        cost = (dollars(plan.cost.low), dollars(plan.cost.expected), dollars(plan.cost.high))
    return number_table(
        ("", "low", "expected", "high"),
        [
            ("Tokens in", *map(short_number, (t_in.low, t_in.expected, t_in.high))),
            ("Tokens out", *map(short_number, (t_out.low, t_out.expected, t_out.high))),
            ("Cost", *cost),
            ("Time", *map(duration, (time.low, time.expected, time.high))),
        ],
    )


def _prices(model: str, endpoint: Endpoint, key: str) -> None:
    """The price table of the endpoint, and where it can be changed."""
    names = [*endpoint.model_names, *(openai_model_names() if endpoint.is_openai else ())]
    ordered = list(dict.fromkeys([model, *names]))
    price = endpoint.model(model).price
    label = "unknown" if price is None else f"{_a_million(price)} a million tokens"
    with st.expander(f"Price of {plain(model)}: {label}", key=f"{key}.prices"):
        st.html(
            number_table(
                ("Model", "window", "in", "out", "from"),
                [_price_row(endpoint, endpoint.model(n)) for n in ordered],
            )
        )
        st.caption(
            plain(
                "US dollars for a million tokens, discounts aside. To change a price or add one, "
                f'write [endpoints.{endpoint.name}.models."{model}"] with input and output in '
                f"{endpoints_file()}; this page follows at once."
            )
        )


def _a_million(price: Price) -> str:
    return f"\\${price.input:f} in, \\${price.output:f} out"


def _price_row(endpoint: Endpoint, facts_of: ModelFacts) -> tuple[str, ...]:
    window = "unknown" if facts_of.window is None else f"{facts_of.window:,}"
    price = facts_of.price
    if price is None:
        return (facts_of.name, window, "unknown", "unknown", "")
    named = facts_of.name in endpoint.models or ANY_MODEL in endpoint.models
    source = endpoints_file().name if named else "OpenAI's list, shipped"
    return (facts_of.name, window, f"${price.input:f}", f"${price.output:f}", source)


def duration(seconds: Decimal | float) -> str:
    """`8 s`, `3 min`, `2.5 h`."""
    number = float(seconds)
    if number < 90:
        return f"{max(1, round(number))} s"
    return f"{number / 60:.0f} min" if number < 5400 else f"{number / 3600:.1f} h"
