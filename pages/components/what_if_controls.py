"""The sliders of a what-if; the address is what they say, so that a link shows the same figures."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import streamlit as st

from db.policies import other_judges
from pages.components.session import engine
from recall_core.details import RunFacts
from recall_core.errors import InvalidScore, InvalidSetting
from recall_core.policy import AS_IT_IS, Policy, WhatIf
from recall_core.scoring import FINAL_RANGE, exact
from recall_core.types import Formula, Rounding

WORDS: Final = ("mark", "rounding", "bonus", "similarity", "judge")
ROUNDINGS: Final = {Rounding.HALF_UP: "half up", Rounding.UP: "always up"}
HEAVIEST_SHOWN: Final = 2.0


def policy_in_address(params: Mapping[str, str]) -> Policy:
    """What the words of the address ask for; a word that makes no sense asks for nothing."""
    judge = params.get("judge", "")
    rounding = params.get("rounding", "")
    try:
        return Policy(
            pass_mark=_number(params.get("mark", "")),
            rounding=Rounding(rounding) if rounding in set(Rounding) else None,
            bonus_weight=_number(params.get("bonus", "")),
            similarity_threshold=_number(params.get("similarity", "")),
            judge_run=int(judge) if judge.isascii() and judge.isdigit() else None,
        )
    except InvalidSetting:
        return AS_IT_IS


def words_of(policy: Policy) -> dict[str, str]:
    """The policy as words of an address."""
    said = {
        "mark": policy.pass_mark,
        "bonus": policy.bonus_weight,
        "similarity": policy.similarity_threshold,
    }
    words = {name: f"{float(value):g}" for name, value in said.items() if value is not None}
    if policy.rounding is not None:
        words["rounding"] = policy.rounding.value
    if policy.judge_run is not None:
        words["judge"] = str(policy.judge_run)
    return words


def show_policy(policy: Policy) -> None:
    """Put the policy into the address, in the place of what stood there."""
    for name in WORDS:
        st.query_params.pop(name, None)
    for name, word in words_of(policy).items():
        st.query_params[name] = word


def _number(text: str) -> Fraction | None:
    try:
        return exact(text) if text else None
    except InvalidScore:
        return None


def draw_judge(run: RunFacts, policy: Policy) -> None:
    """Whose scores count where nobody has reviewed."""
    others = {other.run_id: other for other in other_judges(engine(), run.id)}
    if not others:
        return
    # The own judge is 0, for Streamlit shows None as a choice that is still to be made.
    asked = policy.judge_run or 0
    _put("judge", asked if asked in others else 0)
    st.selectbox(
        "Judge that counts where nobody has reviewed",
        [0, *others],
        format_func=lambda i: others[i].run if i else f"{run.judge_title}, as in this run",
        **_control("judge", lambda value: value or None),
    )


def draw_sliders(run: RunFacts, what_if: WhatIf, policy: Policy) -> None:
    """A slider for everything that this run's final depends on."""
    _pass_mark(run, policy)
    if run.formula is Formula.PASSAGE:
        _put("rounding", policy.rounding or run.rounding)
        st.selectbox(
            "Rounding of the third decimal",
            list(Rounding),
            format_func=lambda rule: ROUNDINGS[rule],
            **_control("rounding", lambda rule: None if rule is run.rounding else rule.value),
        )
    if what_if.has_bonus:
        _put("bonus", float(1 if policy.bonus_weight is None else policy.bonus_weight))
        st.slider(
            "Weight of the bonus",
            0.0,
            HEAVIEST_SHOWN,
            step=0.05,
            help="What the bonus part is multiplied with before it is added; 1 as in the formula.",
            **_control("bonus", lambda value: None if value == 1 else f"{value:g}"),
        )
    if what_if.has_similarity:
        own = own_threshold(run)
        asked = policy.similarity_threshold
        _put("similarity", own if asked is None else float(asked))
        st.slider(
            "Similarity threshold",
            0.0,
            1.0,
            step=0.01,
            help="A text is found when its best similarity is above this.",
            **_control("similarity", lambda value: None if value == own else f"{value:g}"),
        )


def own_threshold(run: RunFacts) -> float:
    """The threshold that the run's judge cut similarities at."""
    value = run.settings.get("threshold")
    return float(value) if isinstance(value, int | float) else 0.5


def _pass_mark(run: RunFacts, policy: Policy) -> None:
    """At the low end of the scale everything passes, which is the same as no pass mark."""
    lowest, highest = (float(end) for end in FINAL_RANGE[run.formula])
    own = lowest if run.pass_mark is None else float(run.pass_mark)
    asked = policy.pass_mark
    shown = own if asked is None else float(asked)
    _put("mark", min(highest, max(lowest, shown)))
    st.slider(
        "Pass mark",
        lowest,
        highest,
        step=0.05 if run.formula is Formula.PASSAGE else 0.01,
        help="An example passes when its final is at least this. At the low end all pass.",
        **_control("mark", lambda value: None if value == own else f"{value:g}"),
    )


def _put(name: str, value: object) -> None:
    """Make the control show what the address says."""
    st.session_state[f"whatif.{name}"] = value


def _control(name: str, word: Any) -> dict[str, Any]:
    return {"key": f"whatif.{name}", "on_change": _changed, "args": (name, word)}


def _changed(name: str, word: Any) -> None:
    said = word(st.session_state[f"whatif.{name}"])
    if said is None:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = str(said)
