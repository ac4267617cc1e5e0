"""How long the review desk takes from a key to what it shows, beside a rerun of plain Streamlit.

    python benchmarks/review_desk.py [--examples 20000] [--presses 60]

Starts the real app on a run of 20,000 examples and on one whose examples have 300 long passages,
and a page of plain Streamlit that shows the same example and goes on by a button's shortcut. The
keys are pressed in turns, so whatever else the machine does falls on all alike. Times are the
browser's own, from the key to the end of the frame that shows the answer. Prints a table in
Markdown; exit status 1 if the next example takes more than 20 ms at the median. Needs
requirements-dev.txt and Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from db.claims import claim_run  # noqa: E402
from db.datasets import save_dataset  # noqa: E402
from db.engine import Engine, open_engine  # noqa: E402
from db.owners import new_owner  # noqa: E402
from db.recording import Pace  # noqa: E402
from db.runs import RunOptions, create_run  # noqa: E402
from db.working import judge_claimed  # noqa: E402
from pages.components.session import NAME_COOKIE  # noqa: E402
from recall_core.judges import make_judge  # noqa: E402
from recall_core.types import (  # noqa: E402
    Example,
    GroundTruthPassage,
    PassageKind,
    RetrievedPassage,
)
from tests.e2e.browser import FLAGS, PATIENCE, chromium_path  # noqa: E402
from tests.e2e.server import Server, free_port  # noqa: E402

LIMIT = 20.0
"""Milliseconds from the key to the next example, at the median."""
LONG_EXAMPLES, LONG_PASSAGES, LONG_WORDS = 80, 300, 100
PAUSE = 250
"""Milliseconds between two keys of one desk, in which the desk fetches ahead as it does for a
quick person."""
WORDS = (
    *("key", "battery", "water", "lamp", "garden", "winter", "ticket", "harbour"),
    *("the", "of", "and", "in", "a", "to", "for", "it"),
)

WATCH = """(shown) => {
  const find = (selector, root = document) => {
    const here = root.querySelector(selector);
    if (here) return here;
    for (const node of root.querySelectorAll("*")) {
      const there = node.shadowRoot && find(selector, node.shadowRoot);
      if (there) return there;
    }
    return null;
  };
  const [selector, attribute] = shown;
  const now = () => {
    const node = find(selector);
    return node && (attribute ? node.getAttribute(attribute) : node.textContent);
  };
  const before = now();
  window.took = null;
  addEventListener("keydown", () => {
    const start = performance.now();
    const painted = new MessageChannel();
    painted.port1.onmessage = () => { window.took = performance.now() - start; };
    const look = () => requestAnimationFrame(() => {
      const shows = now();
      if (shows && shows !== before) painted.port2.postMessage(0);
      else look();
    });
    look();
  }, { capture: true, once: true });
}"""
"""Sets `took` to the time from the next key to the end of the frame in which another text (or
attribute) stands in the place that is named."""

QUESTION = (".question h2", None)
OPEN_UNIT = (".unit.open", "data-key")
PEER_QUESTION = ("h3", None)


@dataclass(frozen=True)
class Measured:
    """One thing that is timed: on which page, by which key, and what it changes."""

    page: Page
    key: str
    shown: tuple[str, str | None]

    def time(self) -> float:
        self.page.evaluate(WATCH, list(self.shown))
        self.page.keyboard.press(self.key)
        took = self.page.wait_for_function("window.took", timeout=PATIENCE).json_value()
        return float(took)


def words(rng: random.Random, number: int) -> str:
    return " ".join(rng.choices(WORDS, k=number))


def examples(number: int, passages: int, length: int) -> Iterator[Example]:
    """Examples of two essential passages and a bonus passage, all with different questions."""
    rng = random.Random(7)
    kinds = (PassageKind.ESSENTIAL, PassageKind.ESSENTIAL, PassageKind.BONUS)
    for i in range(1, number + 1):
        yield Example(
            f"example-{i:06d}",
            question=f"{i}: {words(rng, 8)}?",
            ground_truth=tuple(GroundTruthPassage(kind, words(rng, 20)) for kind in kinds),
            retrieved=tuple(
                RetrievedPassage(r, words(rng, length)) for r in range(1, passages + 1)
            ),
        )


def judged(engine: Engine, name: str, rows: Iterator[Example]) -> int:
    """A run of the lexical screen over these examples, at its end."""
    facts: Any = {"author": "benchmark", "now": utc_now()}
    dataset = save_dataset(engine, name, rows, content_hash=name, source="", **facts)
    judge = make_judge("passage_recall_lexical")
    run = create_run(
        engine, dataset_id=dataset, judge=judge, name=name, options=RunOptions(), **facts
    )
    claim = claim_run(engine, new_owner(), utc_now())
    assert claim is not None
    judge_claimed(engine, claim, stop=Event(), clock=utc_now, make=make_judge, pace=Pace())
    return run


def utc_now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def peer(folder: Path, number: int) -> Iterator[str]:
    """The page of plain Streamlit over the first examples; its address."""
    rows = [
        {
            "question": e.question,
            "ground_truth": [p.text for p in e.ground_truth or ()],
            "retrieved": [p.text for p in e.retrieved or ()],
        }
        for e in examples(number, 5, 40)
    ]
    source = folder / "peer.json"
    source.write_text(json.dumps(rows), "utf-8")
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(ROOT / "benchmarks/review_desk_peer.py"),
    ]
    settings = ["--server.port", str(port), "--server.headless", "true"]
    env = os.environ | {"PEER_EXAMPLES": str(source)}
    with (folder / "peer.log").open("wb") as log:
        process = subprocess.Popen([*command, *settings], env=env, stdout=log, stderr=log)
    try:
        wait_until_up(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_until_up(address: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    sys.exit(f"{address} does not answer.")


def opened(browser: Browser, address: str, place: str) -> Page:
    """A tab of its own at the address, once `place` is there and has come to rest."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    origin = "/".join(address.split("/")[:3])
    context.add_cookies([{"name": NAME_COOKIE, "value": "Mara", "url": origin}])
    page = context.new_page()
    page.goto(address)
    page.locator(place).first.wait_for(timeout=PATIENCE)
    page.wait_for_timeout(2_000)
    return page


def measure(
    browser: Browser, app: str, peer_url: str, runs: tuple[int, int], presses: int
) -> Mapping[str, list[float]]:
    """Milliseconds of every press, by what was pressed."""
    many, long = (opened(browser, f"{app}/review?run={run}", ".unit") for run in runs)
    plain = opened(browser, peer_url, "h3")
    timed = {
        "next unit": Measured(many, "ArrowDown", OPEN_UNIT),
        "next example": Measured(many, "ArrowRight", QUESTION),
        "next unit, 300 passages": Measured(long, "ArrowDown", OPEN_UNIT),
        "next example, 300 passages": Measured(long, "ArrowRight", QUESTION),
        "next example by plain Streamlit": Measured(plain, "ArrowRight", PEER_QUESTION),
    }
    times: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(presses):
        for name, one in timed.items():
            times[name].append(one.time())
            one.page.wait_for_timeout(PAUSE)
    return times


def table(times: Mapping[str, list[float]], number: int) -> Iterator[str]:
    """The figures as Markdown."""
    slow = statistics.median(times["next example by plain Streamlit"])
    yield f"| key to, of {number:,} examples | median, ms | 95th percentile, ms | plain takes |"
    yield "|---|---|---|---|"
    for name, took in times.items():
        median = statistics.median(took)
        late = statistics.quantiles(took, n=20)[-1]
        yield f"| {name} | {median:.1f} | {late:.1f} | {slow / median:.1f} times |"


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--examples", type=int, default=20_000)
    options.add_argument("--presses", type=int, default=60)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        url = f"sqlite:///{folder / 'recall.db'}"
        engine = open_engine(url)
        many = judged(engine, "many", examples(asked.examples, 5, 40))
        long = judged(engine, "long", examples(LONG_EXAMPLES, LONG_PASSAGES, LONG_WORDS))
        server = Server(url, folder / "server.log")
        server.start()
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            with peer(folder, asked.presses + 2) as peer_url:
                times = measure(browser, server.url, peer_url, (many, long), asked.presses)
        finally:
            browser.close()
            server.stop()
            engine.dispose()
    print("\n".join(table(times, asked.examples)))
    return int(statistics.median(times["next example"]) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
