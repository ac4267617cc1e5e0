"""The main job as a person does it, from a file to a file, with a `kill -9` in the middle.

Nothing here knows the inside of the app: what is asserted stands on a page or in a download.
"""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.components.session import NAME_COOKIE
from tests.e2e.browser import PATIENCE, at_rest, exceptions_on, say_name
from tests.e2e.desk import AtDesk
from tests.e2e.server import Server

pytestmark = pytest.mark.e2e

MARA = "Mara Okafor"
WHY = "seven days are a week"
ROWS: list[dict[str, Any]] = [
    {
        "id": "lamp-return",
        "question": "Can I return a lamp?",
        "essential": ["A lamp can be returned within 30 days.", "The money is back in a week."],
        "bonus": ["Bulbs are sold separately."],
        "contexts": ["A lamp can be returned within 30 days.", "Refunds take seven days."],
    },
    {
        "id": "lamp-broken",
        "question": "What if it arrives broken?",
        "essential": ["A broken lamp is replaced free of charge."],
        "contexts": ["A broken lamp is replaced free of charge."],
    },
    {"id": "lamp-null", "question": "Who wrote this row?", "essential": [None], "contexts": ["x"]},
]
JUDGED = ["(5 + 1) / 2 = 3", "(0) / (2 * 1 * 2) = 0", "3 + 0 = 3", "min(5, 3) = 3"]
CORRECTED = ["(5 + 4) / 2 = 4.5", "(0) / (2 * 1 * 2) = 0", "4.5 + 0 = 4.5", "min(5, 4.5) = 4.5"]
FORMULA_LINES = [
    "RECALL_Essential_Formula: (5 + 4) / 2 = 4.5",
    "RECALL_Bonus_Formula: (0) / (2 * 1 * 2) = 0",
    "RECALL_Combined_Formula: 4.5 + 0 = 4.5",
    "RECALL_Final_Score_Calculation: min(5, 4.5) = 4.5",
    "RECALL_Final_Score: 4.5",
]


def test_a_file_is_judged_corrected_found_again_after_a_kill_and_taken_away(
    server: Server, page: Page, tmp_path: Path
) -> None:
    # A file comes in; its bad row is named, and the good ones are saved, judged and shown.
    bring(server, page, tmp_path / "lamps.jsonl")
    judge(page)
    press(page, "Results")
    has_mean(page, "4.00", "Judge’s mean, 2 examples", "judge only, unreviewed")

    # A person opens the lowest example and corrects a score: the final and its formula follow.
    say_name(page, MARA)
    open_row(page, "lamp-return")
    desk = AtDesk(page)
    shows_formulas(desk, JUDGED)
    correct(desk, "E2", "4", WHY)
    shows_formulas(desk, CORRECTED)
    desk.shows(".final", "3→4.5+1.50")
    link = page.url
    page.get_by_role("link", name="Results").click()
    reopen_results(page)
    has_mean(page, "4.75", "Mean so far, 2 examples", "partly reviewed, no interval")
    expect(facts(page, "Lexical screen alone")).to_have_text("4.00, 2 of 2")

    # The power goes. A colleague with the link finds what was decided, who decided it and why.
    server.kill()
    server.start()
    become(page, "Jonas", server)
    page.goto(link)
    desk.unit("E2").wait_for(timeout=PATIENCE)
    expect(desk.unit("E2").locator(".state")).to_contain_text(f"Changed by {MARA}")
    shows_formulas(desk, CORRECTED)
    assert history(desk) == [
        ["E2", MARA, "noted why", "4", "4", WHY, ""],
        ["E2", MARA, "set 4", "1", "4", "", ""],
    ]

    # And it goes along in every file.
    page.goto(link.replace("/review", "/results"))
    at_rest(page)
    in_table(page)
    in_json(page)
    in_report(page, tmp_path)
    assert exceptions_on(page) == []


def test_the_demo_is_one_click_away_from_a_reviewed_example(server: Server, page: Page) -> None:
    page.goto(server.url)
    at_rest(page)
    press(page, "Open the demo")
    expect(page.get_by_text("To review 3")).to_be_visible(timeout=PATIENCE)

    say_name(page, MARA)
    press(page, "Review the lowest")
    desk = AtDesk(page)
    desk.open.first.wait_for(timeout=PATIENCE)
    desk.shows(".position", "1 of 12")
    desk.press("Control+Enter")
    desk.shows(".position", "2 of 12")
    desk.is_saved()

    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_text("1 of 12 examples reviewed.")).to_be_visible(timeout=PATIENCE)
    press(page, "Continue")
    page.wait_for_url("**/review?*judgement=*")
    assert exceptions_on(page) == []


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).first.click()
    at_rest(page)


def become(page: Page, name: str, server: Server) -> None:
    """From the next page on, the browser is that person's."""
    page.context.add_cookies([{"name": NAME_COOKIE, "value": name, "url": server.url}])


def open_row(page: Page, words: str) -> None:
    page.locator("tr.opens", has_text=words).first.click()
    page.wait_for_url("**/review?*judgement=*")


def bring(server: Server, page: Page, source: Path) -> None:
    """Upload the rows, read why one of them is bad, save the others."""
    source.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    page.goto(f"{server.url}/data?add=file")
    at_rest(page)
    page.locator("input[type=file]").set_input_files(source)
    expect(page.get_by_text("Errors 1")).to_be_visible(timeout=PATIENCE)
    bad = page.locator("tr", has_text="Item 1 is empty (null).")
    expect(bad).to_contain_text("3")
    expect(bad).to_contain_text("Essential passages")
    press(page, "Save 2 examples, leave out 1")
    page.wait_for_url("**/data?dataset=*")
    expect(page.locator("tr.opens")).to_have_count(2, timeout=PATIENCE)


def judge(page: Page) -> None:
    """Start the lexical screen on the dataset and watch the run to its end."""
    press(page, "Start a run")
    page.get_by_text("Passage recall (lexical screen)").first.click()
    at_rest(page)
    press(page, "Start run")
    page.wait_for_url("**/run?run=*")
    expect(page.get_by_text("Done. Nothing more will be judged.")).to_be_visible(timeout=PATIENCE)


def has_mean(page: Page, mean: str, label: str, standing: str) -> None:
    headline = page.locator(".rd-facts .head")
    expect(headline.locator("dd")).to_have_text(f"{mean}{standing}", timeout=PATIENCE)
    expect(headline.locator("dt")).to_have_text(label)


def facts(page: Page, label: str) -> Locator:
    """The value of that name among the facts at the head of Results."""
    named = page.locator(".rd-facts > div").filter(has=page.get_by_text(label, exact=True))
    return named.locator("dd")


def shows_formulas(desk: AtDesk, formulas: list[str]) -> None:
    expect(desk.page.locator(".formula code")).to_have_text(formulas, timeout=PATIENCE)


def correct(desk: AtDesk, unit: str, score: str, why: str) -> None:
    """Set a score and say why, as a reviewer's fingers do."""
    desk.unit(unit).click()
    desk.press(score, "n")
    desk.page.keyboard.insert_text(why)
    desk.press("Enter")
    desk.is_saved()


def reopen_results(page: Page) -> None:
    """From the list of runs that Results shows without a run in its address."""
    page.locator("tr.opens", has_text="lamps").first.click()
    page.wait_for_url("**/results?run=*")


def history(desk: AtDesk) -> list[list[str]]:
    """The rows of the example's history without the times, each of which must be one."""
    desk.press("y")
    desk.shows(".panel", "2 decisions.")
    rows = desk.page.locator(".panel tbody tr").all()
    cells = [row.locator("th, td").all_inner_texts() for row in rows]
    desk.press("Escape")
    for row in cells:
        datetime.strptime(row.pop(2), "%H:%M")  # noqa: DTZ007  # the desk shows local time
    return cells


def downloaded(page: Page, button: str) -> str:
    with page.expect_download(timeout=PATIENCE) as download:
        page.get_by_role("button", name=button, exact=True).click()
    return download.value.path().read_text(encoding="utf-8")


def in_table(page: Page) -> None:
    """The CSV: judge's value, the value now, who, when, why, and the formula lines."""
    press(page, "Export")
    text = downloaded(page, "CSV, a row a unit")
    rows = list(csv.DictReader(text.removeprefix("\ufeff").splitlines(keepends=True)))
    assert [(r["example_id"], r["unit"], r["judge_score"], r["score_now"]) for r in rows] == [
        ("lamp-return", "E1", "5", "5"),
        ("lamp-return", "E2", "1", "4"),
        ("lamp-return", "B1", "0", "0"),
        ("lamp-broken", "E1", "5", "5"),
    ]
    changed = rows[1]
    assert (changed["override"], changed["reviewer"], changed["note"]) == ("yes", MARA, WHY)
    assert datetime.fromisoformat(changed["decided_at"]).utcoffset() is not None
    assert changed["formulas"].splitlines() == FORMULA_LINES
    assert (changed["example_judge_final"], changed["example_final"]) == ("3", "4.5")


def in_json(page: Page) -> None:
    """The JSON lines, from the same open menu, say the same."""
    example, other = map(json.loads, downloaded(page, "JSON lines, an example a line").splitlines())
    unit = example["units"][1]
    assert (unit["judge_score"], unit["score"], unit["override"]) == (1, 4, True)
    assert (unit["reviewer"], unit["note"]) == (MARA, WHY)
    assert (example["judge_score"], example["score"]) == (3, 4.5)
    assert example["formulas"] == FORMULA_LINES
    assert other["score"] == other["judge_score"] == 5
    page.keyboard.press("Escape")


def in_report(page: Page, folder: Path) -> None:
    """The report, opened as a file of its own, can be read without the app."""
    report = folder / "report.html"
    report.write_text(downloaded(page, "Report"), encoding="utf-8")
    page.goto(report.as_uri())
    card = page.locator("section.example", has_text="lamp-return")
    expect(card.locator("pre")).to_have_text("\n".join(FORMULA_LINES))
    expect(card.locator("tr", has_text="The money is back")).to_contain_text(f"{MARA} set 1 → 4")
    expect(card).to_contain_text(WHY)
    expect(page.locator("body")).to_contain_text("4.75")
