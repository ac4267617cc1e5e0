"""Makes the pictures of the README and the docs again, from the real app and the demo.

python docs/img/make.py        (needs the packages of requirements-dev.txt and Chromium)
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from db.engine import Engine, open_engine  # noqa: E402
from db.results import list_judgements  # noqa: E402
from db.reviews import decide  # noqa: E402
from db.runs import RunOptions, create_run, list_runs  # noqa: E402
from recall_core.judges import make_judge  # noqa: E402
from recall_core.types import Action, Cause, UnitKind, UnitRef  # noqa: E402
from tests.e2e.browser import FLAGS, at_rest, chromium_path, say_name  # noqa: E402
from tests.e2e.server import Server  # noqa: E402

HERE = Path(__file__).parent
SIZE = {"width": 1280, "height": 800}
PASSAGES_RUN = "Demo, passages"
EXAMPLE = "kestrel-10"
"""An outdated passage was retrieved: it says 30 days where the truth says 14."""

E1, E2, B1 = (
    UnitRef(kind, index)
    for kind, index in ((UnitKind.ESSENTIAL, 1), (UnitKind.ESSENTIAL, 2), (UnitKind.BONUS, 1))
)
DECISIONS: Sequence[tuple[str, UnitRef, Mapping[str, Any]]] = (
    (
        "kestrel-05",
        E1,
        {
            "action": Action.SET,
            "score": Fraction(4),
            "cause": Cause.JUDGE_WRONG,
            "note": "Other words for the same thing.",
        },
    ),
    ("kestrel-08", E2, {"action": Action.EXCLUDE, "cause": Cause.GROUND_TRUTH_WRONG}),
    (
        "kestrel-09",
        E1,
        {"action": Action.SET, "score": Fraction(1), "cause": Cause.RETRIEVAL_MISSED},
    ),
    (
        "kestrel-11",
        E1,
        {
            "action": Action.SET,
            "score": Fraction(5),
            "cause": Cause.JUDGE_WRONG,
            "note": "It is all there, in two passages.",
        },
    ),
)
OPINIONS: Mapping[UnitRef, tuple[tuple[int, str], tuple[int, str]]] = {
    E1: ((5, ""), (5, "")),
    E2: ((4, "The number is another one, the rest is there."), (1, "30 days is not 14 days.")),
    B1: ((5, ""), (5, "")),
}


def main() -> None:
    """Write every picture of the README and the docs beside this file."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(f"sqlite:///{folder}/recall.db", Path(folder) / "server.log")
        server.start()
        try:
            browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            _take(page, server)
            browser.close()
        finally:
            server.stop()


def _take(page: Page, server: Server) -> None:
    url = server.url
    page.goto(url)
    at_rest(page)
    say_name(page)
    page.get_by_role("button", name="Open the demo").click()
    page.get_by_text("12 of 12 judged").nth(2).wait_for()
    engine = open_engine(server.database_url)
    run_id = next(run.id for run in list_runs(engine) if run.name == PASSAGES_RUN)
    judged = {line.example_id: line.id for line in list_judgements(engine, run_id).rows}
    page.goto(f"{url}/review?run={run_id}")
    _confirm_three(page)
    page.goto(f"{url}/review?run={run_id}&judgement={judged[EXAMPLE]}")
    _correct(page)
    page.screenshot(path=HERE / "review.png")
    page.goto(f"{url}/results?run={run_id}")
    page.get_by_text("Lowest first").wait_for()
    _settle(page)
    page.screenshot(path=HERE / "results.png")
    page.goto(url)
    page.get_by_text(PASSAGES_RUN).first.wait_for()
    _settle(page)
    page.screenshot(path=HERE / "overview.png")
    _ledger(page, url, engine, run_id)
    _selection(page, url, run_id)
    _blind(page, url, engine)
    _resolve(page, url, engine)


def _ledger(page: Page, url: str, engine: Engine, run_id: int) -> None:
    """More decisions of two people, and the way that the mean went."""
    judged = {line.example_id: line.id for line in list_judgements(engine, run_id).rows}
    for number, (example, unit, act) in enumerate(DECISIONS, 1):
        decide(
            engine,
            judged[example],
            unit,
            reviewer=("Jonas Weil", "Mara Okafor")[number % 2],
            seen=0,
            client_id="pictures",
            client_seq=number,
            now=datetime.now(UTC),
            **act,
        )
    page.set_viewport_size(SIZE | {"height": 1060})
    page.goto(f"{url}/results?run={run_id}&view=ledger")
    page.get_by_text("Lines, the newest first").wait_for()
    _settle(page)
    page.screenshot(path=HERE / "ledger.png")
    page.set_viewport_size(SIZE)


def _selection(page: Page, url: str, run_id: int) -> None:
    page.goto(f"{url}/examples?run={run_id}&state=judge only")
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("button", name="Decide …").click()
    page.get_by_text("Set a score").click()
    page.get_by_text("Those that are reviewed already too").wait_for()
    _settle(page)
    page.screenshot(path=HERE / "reviewing-selection.png")


def _blind(page: Page, url: str, engine: Engine) -> None:
    run_id = _another_run(engine, "Demo, blind", RunOptions(blind=True))
    page.goto(f"{url}/run?run={run_id}")
    page.get_by_text("12 of 12 judged").wait_for()
    page.goto(f"{url}/review?run={run_id}&judgement={_judgement(engine, run_id)}")
    page.get_by_role("button", name="Commit needs").wait_for()
    page.keyboard.press("2")
    page.get_by_text("Saved", exact=True).wait_for()
    _settle(page)
    page.screenshot(path=HERE / "reviewing-blind.png")


def _resolve(page: Page, url: str, engine: Engine) -> None:
    """Two people who have scored every unit of one example, and differ on one of them."""
    options = RunOptions(mode="independent", reviewers_needed=2)
    run_id = _another_run(engine, "Demo, two reviewers", options)
    page.goto(f"{url}/run?run={run_id}")
    page.get_by_text("12 of 12 judged").wait_for()
    judgement = _judgement(engine, run_id)
    for number, (unit, (jonas, mara)) in enumerate(OPINIONS.items()):
        for name, (score, note) in (("Jonas Weil", jonas), ("Mara Okafor", mara)):
            decide(
                engine,
                judgement,
                unit,
                Action.SET,
                score=Fraction(score),
                note=note,
                reviewer=name,
                seen=0,
                client_id=f"pictures of {name}",
                client_seq=100 + number,
                now=datetime.now(UTC),
            )
    page.goto(f"{url}/review?run={run_id}&judgement={judgement}")
    page.get_by_text("to resolve").first.wait_for()
    _settle(page)
    page.screenshot(path=HERE / "reviewing-resolve.png")


def _another_run(engine: Engine, name: str, options: RunOptions) -> int:
    """The demo's passages judged once more, to be reviewed in another way."""
    demo = next(run for run in list_runs(engine) if run.name == PASSAGES_RUN)
    judge = make_judge(demo.judge)
    return create_run(
        engine,
        dataset_id=demo.dataset_id,
        judge=judge,
        name=name,
        options=options,
        author="Ana",
        now=datetime.now(UTC),
    )


def _judgement(engine: Engine, run_id: int) -> int:
    rows = list_judgements(engine, run_id).rows
    return next(line.id for line in rows if line.example_id == EXAMPLE)


def _confirm_three(page: Page) -> None:
    page.get_by_text("1 of 12").wait_for()
    for seen in ("2 of 12", "3 of 12", "4 of 12"):
        page.keyboard.press("Control+Enter")
        page.get_by_text(seen).wait_for()
    page.get_by_text("Saved", exact=True).wait_for()


def _correct(page: Page) -> None:
    """The lexical screen finds nearly all words, and cannot see that the number is another one."""
    page.get_by_text("10 of 12").wait_for()
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.get_by_role("button", name="judge wrong").click()
    page.get_by_text("Saved", exact=True).wait_for()
    _settle(page)


def _settle(page: Page) -> None:
    at_rest(page)
    page.wait_for_timeout(1500)


if __name__ == "__main__":
    main()
