"""The way through the pages in a real browser: rows that open, menus, a run watched to its end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from db.engine import Engine
from db.runs import delete_run, pause_run
from tests.db.making import NOW, examples, kept_dataset, queued_run
from tests.db.reviewing import desk, told
from tests.e2e.browser import PATIENCE, at_rest, exceptions_on
from tests.e2e.server import Server

pytestmark = pytest.mark.e2e

ROWS = """{"id": "r1", "question": "What is the code?", "essential": ["The code is nine."], \
"contexts": ["The code is nine."], "topic": "doors"}
{"id": "r2", "question": "Who has the key?", "essential": ["Mara has the key."], \
"contexts": ["Nobody knows."], "topic": "keys"}
{"id": "r3", "question": "Broken", "essential": [null]}
"""


def row(page: Page, words: str):
    return page.locator("tr.opens", has_text=words).first


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).first.click()
    at_rest(page)


def test_a_file_becomes_a_run_that_is_watched_to_its_end_and_opens_by_its_rows(
    server: Server, page: Page, tmp_path: Path
) -> None:
    source = tmp_path / "doors.jsonl"
    source.write_text(ROWS, encoding="utf-8")

    page.goto(f"{server.url}/data?add=file")
    at_rest(page)
    page.locator("input[type=file]").set_input_files(source)
    page.get_by_text("Errors 1").wait_for(timeout=PATIENCE)
    press(page, "Save 2 examples, leave out 1")
    page.wait_for_url("**/data?dataset=*")

    press(page, "Start a run")
    page.get_by_text("Passage recall (lexical screen)").first.click()
    at_rest(page)
    press(page, "Start run")
    page.wait_for_url("**/run?run=*")
    page.get_by_text("Done. Nothing more will be judged.").wait_for(timeout=PATIENCE)

    press(page, "Results")
    page.wait_for_url("**/results?run=*")
    row(page, "keys").click()
    page.wait_for_url("**/examples?*")
    assert {"field=topic", "value=keys"} <= set(page.url.split("?")[1].split("&"))
    expect(page.locator("tr.opens")).to_have_count(1)

    row(page, "r2").click()
    page.wait_for_url("**/review?*judgement=*")
    assert "value=keys" in page.url
    assert exceptions_on(page) == []


def test_the_row_of_examples_without_a_field_opens_them_and_a_toggle_shows_all_again(
    server: Server, page: Page, engine: Engine
) -> None:
    run = desk(engine, told("a", [5], topic="x"), told("b", [4], topic="y"), told("c", [3])).run_id
    page.goto(f"{server.url}/results?run={run}&by=topic")
    at_rest(page)

    row(page, "not given").click()
    page.wait_for_url("**/examples?*")

    assert {"field=topic", "absent=true"} <= set(page.url.split("?")[1].split("&"))
    expect(page.locator("tr.opens")).to_have_count(1)

    page.get_by_text("topic not given").click()

    expect(page.locator("tr.opens")).to_have_count(3)
    assert "absent" not in page.url
    assert exceptions_on(page) == []


def test_runs_open_from_the_first_page_are_renamed_exported_and_deleted(
    server: Server, page: Page
) -> None:
    page.goto(server.url)
    at_rest(page)
    press(page, "Open the demo")
    expect(page.get_by_text("To review 3")).to_be_visible(timeout=PATIENCE)

    row(page, "Demo, passages").press("Enter")
    page.wait_for_url("**/results?run=*")
    page.get_by_role("button", name="More").click()
    page.get_by_text("Rename", exact=True).click()
    page.get_by_label("Name", exact=True).fill("First try")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name="First try")).to_be_visible(timeout=PATIENCE)

    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON lines").click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert download.value.suggested_filename == "First-try.jsonl"
    assert len([json.loads(line) for line in lines]) == 12
    page.keyboard.press("Escape")

    page.get_by_role("button", name="More").click()
    page.get_by_text("Delete", exact=True).click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("2 runs on 1 dataset")).to_be_visible(timeout=PATIENCE)
    assert exceptions_on(page) == []


def test_a_run_that_somebody_deletes_while_it_is_watched_is_said_to_be_gone(
    server: Server, page: Page, engine: Engine
) -> None:
    run = queued_run(engine, kept_dataset(engine, examples(2)))
    pause_run(engine, run)
    page.goto(f"{server.url}/run?run={run}")
    page.get_by_role("button", name="Resume").wait_for(timeout=PATIENCE)

    delete_run(engine, run, author="Ben", now=NOW)
    page.get_by_role("button", name="Resume").click()

    expect(page.get_by_text(f"There is no run {run}.")).to_be_visible(timeout=PATIENCE)
    assert exceptions_on(page) == []
