"""The report: needs nothing else, says what it covers, and takes every text as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from recall_core.details import JudgementDetail
from recall_core.export.report import RunReport, report_html
from recall_core.export.report_trust import Trust
from recall_core.results import Status
from recall_core.summary import Counts, Mean, RunSummary, Slice
from recall_core.types import (
    Action,
    Cause,
    Evidence,
    FailureKind,
    RetrievedPassage,
    UnitKind,
)
from tests.core.details import (
    NOW,
    RUN,
    SHARE_RUN,
    an_example,
    decision,
    detail,
    summary,
    verdict,
)
from tests.core.trusting import audited, bare, unaudited


def report(
    *details: JudgementDetail,
    numbers: RunSummary | None = None,
    left_out: int = 0,
    slices: Iterable[tuple[str, tuple[Slice, ...]]] = (),
    trust: Trust | None = None,
) -> str:
    run = details[0].run if details else RUN
    numbers = numbers or summary(*details, run=run)
    made = RunReport(
        summary=numbers,
        trust=trust or bare(unaudited(numbers)),
        lowest=details,
        changed=tuple(d for d in details if any(e.changed for e in d.effective)),
        examples=iter(details),
        examples_left_out=left_out,
        slices=tuple(slices),
        made_at=NOW,
    )
    return "".join(report_html(made))


class Page(HTMLParser):
    """What a browser would make of the page: its tags with attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "rect", "line"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data


def reviewed() -> JudgementDetail:
    evidence = Evidence(1, 0, 6, "A unit", located=True)
    lost = Evidence(2, None, None, "made up", located=False)
    return detail(
        verdict("E1", 4, evidence=(evidence, lost)),
        verdict("E2", 2),
        verdict("B1", 5),
        decisions=[
            decision(1, "E2", 2, 5, cause=Cause.JUDGE_WRONG, note="it is there"),
            decision(2, "E1", 4, 4, action=Action.CONFIRM),
        ],
    )


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&lt;b&gt;</style></main>{0}%s"


def test_hostile_text_stays_text_wherever_it_stands() -> None:
    run = replace(
        RUN,
        name=HOSTILE,
        dataset=HOSTILE,
        judge=HOSTILE,
        judge_title=HOSTILE,
        created_by=HOSTILE,
        settings={HOSTILE: HOSTILE},
    )
    example = an_example(1, question=HOSTILE, retrieved=(RetrievedPassage(1, HOSTILE),))
    hostile = detail(
        verdict(
            "E1",
            4,
            text=HOSTILE,
            reasoning=HOSTILE,
            evidence=(Evidence(1, 0, 5, HOSTILE, located=True),),
        ),
        decisions=[decision(1, "E1", 4, 5, reviewer=HOSTILE, note=HOSTILE)],
        run=run,
        example=replace(example, id=HOSTILE),
        details=HOSTILE,
        warnings=(HOSTILE,),
    )
    numbers = replace(
        summary(hostile, run=run, review={"units_reviewed": 1, "units_changed": 1}),
        reviewers=((HOSTILE, 1),),
    )
    cut = Slice(HOSTILE, Mean(Fraction(4), 1, 1), Mean(Fraction(4), 1, 1))

    harmless = Page(report(reviewed(), slices=[("topic", (cut,))]))
    page = Page(report(hostile, numbers=numbers, slices=[(HOSTILE, (cut,))]))

    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in harmless.tags} | {"p"}
    assert not {"script", "img", "link", "iframe", "object"} & {tag for tag, _ in page.tags}
    names = {name for _, attributes in page.tags for name in attributes}
    assert not [name for name in names if name.startswith("on")]
    assert page.text.count(HOSTILE) >= 15
    assert page.open == []


def test_the_page_fetches_nothing_and_runs_nothing() -> None:
    page = report(reviewed())

    assert "default-src 'none'" in page
    tags = Page(page).tags
    assert not [tag for tag, _ in tags if tag in ("script", "link", "img", "iframe")]
    links = [v for _, a in tags for n, v in a.items() if n in ("href", "src", "data")]
    assert links
    assert all(str(link).startswith("#j") for link in links)
    assert "url(" not in page
    assert "@import" not in page


def test_every_link_leads_to_an_example_on_the_page() -> None:
    tags = Page(report(reviewed(), detail(verdict("E1", 1), number=2))).tags

    anchors = {f"#{a['id']}" for _, a in tags if "id" in a}
    assert {a["href"] for _, a in tags if "href" in a} == anchors == {"#j1", "#j2"}


def test_a_changed_unit_shows_both_scores_who_why_and_the_formula() -> None:
    text = Page(report(reviewed(), numbers=reviewed_numbers())).text

    assert "Mara set 2 → 5, judge wrong: it is there" in text
    assert "Mara confirmed" in text
    assert "RECALL_Essential_Formula: (4 + 5) / 2 = 4.5" in text
    assert "▲ +1.50" in text


def reviewed_numbers() -> RunSummary:
    counts = {"examples": 0, "examples_started": 1, "units_reviewed": 2, "units_changed": 1}
    return summary(reviewed(), review=counts)


def test_a_change_whose_reason_came_afterwards_is_told_as_a_change() -> None:
    reason = {"cause": Cause.JUDGE_WRONG, "note": "it is said twice"}
    confirmed = decision(2, "E1", 2, 2, action=Action.CONFIRM, **reason)
    made = detail(verdict("E1", 4), decisions=[decision(1, "E1", 4, 2), confirmed])

    page = Page(report(made, numbers=reviewed_numbers()))

    assert page.text.count("set 4 → 2") == 3  # among the changes, the lowest, and in full
    assert page.text.count("judge wrong: it is said twice") == 2
    assert "confirmed" not in page.text


def test_a_quote_that_is_not_in_its_passage_is_marked_as_such() -> None:
    page = report(reviewed())

    assert '<mark class="lost">' in page
    assert "not found in the passage" in page


def test_a_run_that_nobody_reviewed_is_grey_and_says_so() -> None:
    page = report(detail(verdict("E1", 4)))

    assert "If the judge is right, the average example" in page
    assert "which no person has checked" in page
    assert 'class="value machine">4.00<' in page
    assert "What people changed" not in page


def test_an_audited_run_is_not_grey_and_says_how_much_of_it_was_reviewed() -> None:
    numbers = reviewed_numbers()
    recall = audited(numbers.judge_mean, numbers.mean)

    page = report(reviewed(), numbers=numbers, trust=bare(recall))

    assert f'class="value">{recall.number}<' in page
    assert f'class="of">{recall.interval}<' in page
    assert "People reviewed 0 of 1 example in full and 1 in part" in page
    assert "they count 1 score differently from the judge" in page
    assert "1 unit counts differently: 1 judge wrong, 1 without a cause." in page


def test_a_run_whose_reviews_all_agreed_says_so() -> None:
    agreed = detail(verdict("E1", 4), decisions=[decision(1, "E1", 4, 4, action=Action.CONFIRM)])
    numbers = summary(agreed, review={"examples": 1, "units_reviewed": 1})

    text = Page(report(agreed, numbers=numbers)).text

    assert "Nothing: every review agreed." in text
    assert "every score agrees with the judge" in text


def test_a_run_without_any_score_has_a_dash_and_no_number() -> None:
    failed = detail(status=Status.ERROR, error_type=FailureKind.TIMEOUT, details="Too slow.")

    page = report(failed)

    assert 'class="value machine">–<' in page
    assert "No example has a score" in page
    assert "Not in the mean: 1 failed." in page
    assert ">failed</span>" in page
    assert "NaN" not in page
    assert "nan" not in Page(page).text.lower().replace("finance", "")


@pytest.mark.parametrize(
    ("mean", "words"),
    [("4.9", "nearly all"), (4, "most"), (3, "about half"), (2, "little"), (1, "almost nothing")],
)
def test_the_headline_says_in_words_what_the_number_means(mean: object, words: str) -> None:
    made = summary(detail(verdict("E1", 4)))
    numbers = replace(made, mean=Mean(Fraction(str(mean)), 1, 1))

    assert f"the average example gets back {words}" in report(numbers=numbers).replace("The", "the")


def test_limits_say_what_the_numbers_do_not() -> None:
    counts = Counts(scored=2, vacuous=1, void=1)
    numbers = replace(summary(detail(verdict("E1", 4))), counts=counts)

    text = Page(report(detail(verdict("E1", 4)), numbers=numbers)).text

    assert "neither a paraphrase nor a contradiction" in text
    assert "It covers 2 of 4" in text
    assert "1 example expected nothing" in text
    assert "1 example lost every unit" in text
    assert "3 units have the judge’s score" in text


def test_a_capped_final_shows_both_its_parts() -> None:
    text = Page(report(detail(verdict("E1", 5), verdict("B1", 5)))).text

    assert "Capped at 5: essential 5.00 and bonus 2.50 make 7.50." in text


def test_yes_and_no_are_words_and_not_only_colours() -> None:
    made = detail(
        verdict("S1", 1),
        verdict("S2", 0),
        verdict("C1", 1),
        verdict("C2", 0),
        run=SHARE_RUN,
    )

    text = Page(report(made)).text

    for word in ("Yes ✓", "No ✕", "Found ✓", "Not found ✕"):
        assert word in text


def test_exclusions_moves_and_gaps_are_told() -> None:
    made = detail(
        verdict("E1", 4),
        verdict("E2", 2),
        verdict("E3", None, failure=FailureKind.REFUSAL),
        decisions=[
            decision(1, "E1", 4, 4, action=Action.MOVE, kind=UnitKind.BONUS),
            decision(2, "E2", 2, 2, action=Action.EXCLUDE, excluded=True),
            decision(3, "E2", 2, 2, action=Action.UNDO, undoes=2),
            decision(4, "E2", 2, 2, action=Action.EXCLUDE, excluded=True),
        ],
        status=Status.ERROR,
        error_type=FailureKind.INCOMPLETE,
    )

    text = Page(report(made, numbers=reviewed_numbers())).text

    assert "now bonus" in text
    assert "moved it from essential to bonus" in text
    assert "excluded it" in text
    assert "No score: refusal." in text


def test_a_change_that_was_taken_back_is_none_of_what_people_changed() -> None:
    made = detail(
        verdict("E1", 4),
        verdict("E2", 2),
        decisions=[
            decision(1, "E1", 4, 3, action=Action.SET),
            decision(2, "E2", 2, 5, action=Action.SET),
            decision(3, "E2", 5, 2, action=Action.UNDO, undoes=2),
        ],
    )

    text = Page(report(made, numbers=reviewed_numbers())).text

    assert "set 4 → 3" in text
    assert "set 2 → 5" not in text
    assert "took a decision back" not in text


def test_long_texts_are_cut_with_their_length_and_nothing_retrieved_is_said() -> None:
    long = detail(verdict("E1", 4, text="word " * 1_000))
    empty = detail(verdict("E1", 1), number=2, example=an_example(2, retrieved=()))

    text = Page(report(long, empty)).text

    assert "(5,000 characters)" in text
    assert "Nothing was retrieved." in text


def test_what_is_left_out_of_a_long_report_is_counted() -> None:
    assert "7 more examples are in the exported table" in report(reviewed(), left_out=7)
    assert "Every example in full" in report(reviewed())


def test_slices_show_their_coverage_and_no_bar_without_a_mean() -> None:
    cuts = (
        Slice("lamps", Mean(Fraction(4), 2, 3), Mean(Fraction(3), 2, 3)),
        Slice(None, Mean(None, 0, 1), Mean(None, 0, 1)),
    )

    page = report(reviewed(), numbers=reviewed_numbers(), slices=[("topic", cuts)])

    assert "By topic" in Page(page).text
    assert "2 of 3" in page
    assert 'style="width:80.0%"' in page
    assert page.count('<td class="bar-cell"></td>') == 1
