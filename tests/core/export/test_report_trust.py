"""The report's part on trust: interval, way from the judge's number, agreement, who, limits.

`tests/golden/report_trust.html` is reviewed like code; run this file as a script to write it anew.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from recall_core.calibration import Calibration
from recall_core.export.report_trust import (
    ReviewedBy,
    Trust,
    headline_section,
    trust_facts,
    trust_limits,
    trust_sections,
)
from recall_core.movement import Movement, Step
from recall_core.summary import Mean
from tests.core.details import detail, summary, verdict
from tests.core.test_calibration import KEY, calibration, unit
from tests.core.trusting import audited, bare, unaudited

GOLDEN = Path(__file__).parents[2] / "golden" / "report_trust.html"
JUDGE, NOW = Mean(Fraction(438, 100), 237, 240), Mean(Fraction(425, 100), 240, 240)
MOVEMENT = Movement(
    JUDGE.value or Fraction(0),
    (
        Step("judge wrong", 21, Fraction(438, 100), Fraction(-17, 100)),
        Step("ground truth wrong", 6, Fraction(421, 100), Fraction(4, 100)),
    ),
    NOW.value or Fraction(0),
)


def judge_against_people() -> Calibration:
    """A judge that is one grade too kind on every third of 42 examples; 12 of them were blind."""
    return calibration(
        *(unit(i, min(5, i % 4 + 2 + (i % 3 == 0)), i % 4 + 2, blind=i >= 30) for i in range(42))
    )


def trust() -> Trust:
    return Trust(
        recall=audited(JUDGE, NOW),
        movement=MOVEMENT,
        agreement=(judge_against_people(),),
        people={},
        reviewed_by=(ReviewedBy("Mara <b>", 31, 28), ReviewedBy("Jonas", 21, 12)),
        model=KEY.model,
        prompt="ab12",
    )


def page() -> str:
    numbers = summary(detail(verdict("E1", 4)))
    made = trust()
    facts = "".join(f"<p>{name}: {value}</p>" for name, value in trust_facts(made))
    limits = "".join(f"<p>{limit}</p>" for limit in trust_limits(made))
    parts = (headline_section(numbers, made), trust_sections(made), facts, limits)
    return "".join(parts).replace("><", ">\n<") + "\n"


def test_the_part_on_trust_is_that_of_the_golden_file() -> None:
    assert page() == GOLDEN.read_text(encoding="utf-8")


def test_the_way_leads_from_the_judges_mean_to_the_number_of_the_headline() -> None:
    made = trust()

    way = made.recall.way_to(made.movement)

    assert way is not None
    assert way.steps[-1].reason == "estimate for unreviewed"
    assert way.steps[-1].count == 200
    assert way.judge + sum(step.delta for step in way.steps) == way.now
    assert f"{float(way.now):.2f}" == made.recall.number


def test_without_an_audit_the_way_ends_at_the_mean_now() -> None:
    made = replace(bare(unaudited(summary(detail(verdict("E1", 4))))), movement=MOVEMENT)

    assert made.recall.way_to(MOVEMENT) == MOVEMENT
    assert "<b>Mean now</b>" in trust_sections(made)
    assert "estimate for unreviewed" not in trust_sections(made).lower()


def test_below_ten_audited_examples_agreement_is_not_told() -> None:
    few = replace(
        trust(), movement=None, agreement=(calibration(*(unit(i, 4, 3) for i in (1, 2))),)
    )

    assert "2 examples audited: too few to say" in trust_sections(few)


@pytest.mark.parametrize(("judge", "words"), [(4, "Too kind by"), (2, "Too strict by")])
def test_the_bias_says_which_way_it_goes(judge: int, words: str) -> None:
    units = [unit(i, judge + (i % 5 == 0), 3) for i in range(30)]
    made = replace(trust(), agreement=(calibration(*units),))

    assert words in trust_sections(made)


def test_while_something_is_withheld_nothing_is_told_that_could_tell_of_it() -> None:
    assert trust_sections(bare(audited(JUDGE, NOW))) == ""


if __name__ == "__main__":
    GOLDEN.write_text(page(), encoding="utf-8")
