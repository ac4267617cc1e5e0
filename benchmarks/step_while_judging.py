"""How long a step on a page takes while the worker judges with every core, against a quiet worker.

    python benchmarks/step_while_judging.py [--rounds 8]

Starts the real app with a database of its own and a real browser. Each round takes every step
twice: once while the worker has nothing to do, once while it judges by string distance, which uses
all cores; so whatever else the machine does falls on both alike. Times are the browser's own, from
the key, the click or the address to the moment in which the answer is drawn. Prints a table in
Markdown; exit status 1 if a step takes more than twice as long. Needs requirements-dev.txt and
Chromium.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path

import psutil
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from db.datasets import save_dataset  # noqa: E402
from db.engine import Engine, open_engine  # noqa: E402
from db.runs import RunOptions, RunState, cancel_run, create_run, get_run  # noqa: E402
from pages.components.session import NAME_COOKIE  # noqa: E402
from recall_core.judges import make_judge  # noqa: E402
from recall_core.types import (  # noqa: E402
    Example,
    GroundTruthPassage,
    PassageKind,
    RetrievedPassage,
)
from tests.e2e.browser import FLAGS, PATIENCE, at_rest, chromium_path  # noqa: E402
from tests.e2e.server import Server  # noqa: E402

LIMIT = 2.0
SCREEN, DISTANCE = "passage_recall_lexical", "context_recall"
LOOKED_AT, JUDGED, RUNS = 1_000, 2_000, 10
"""Examples of the run that is looked at, of each run that keeps the worker busy, and how many of
these runs wait in each round."""
WORDS = (
    *("key", "battery", "water", "lamp", "garden", "winter", "ticket", "harbour"),
    *("the", "of", "and", "in", "a", "to", "for", "it"),
)

Step = Callable[[Page], float]
"""Does something on a page; how many milliseconds it took."""
Steps = Mapping[str, Step]

FIND = """
const find = (selector, root = document) => {
  const here = root.querySelector(selector);
  if (here) return here;
  for (const node of root.querySelectorAll("*")) {
    const there = node.shadowRoot && find(selector, node.shadowRoot);
    if (there) return there;
  }
  return null;
};
const drawn = (holds, done) => {
  const look = () => (holds() ? done(performance.now()) : requestAnimationFrame(look));
  look();
};
"""
OPENED = f"""(selector) => {{ {FIND}
  window.took = null;
  drawn(() => find(selector), (end) => {{ window.took = end; }});
}}"""
"""Sets `took` to the time from the address to the moment in which something like that is drawn."""
TURNED = f"""() => {{ {FIND}
  const first = () => find("tr.opens")?.dataset.id;
  const before = first();
  window.took = null;
  addEventListener("click", () => {{
    const start = performance.now();
    drawn(() => first() && first() !== before, (end) => {{ window.took = end - start; }});
  }}, {{ capture: true, once: true }});
}}"""
"""Sets `took` to the time from the next click to other rows in the list."""
SAVED = f"""() => {{ {FIND}
  const status = find(".saved");
  window.took = null;
  addEventListener("keydown", () => {{
    const start = performance.now();
    const observer = new MutationObserver(() => {{
      if (status.textContent !== "Saved") return;
      observer.disconnect();
      window.took = performance.now() - start;
    }});
    observer.observe(status, {{ childList: true, characterData: true, subtree: true }});
  }}, {{ capture: true, once: true }});
}}"""
"""Sets `took` to the time from the next key until the desk says again that all is saved."""


def passage(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words))


def examples(rng: random.Random, number: int, words: int) -> Iterator[Example]:
    """Examples with five passages that ought to come back and ten that did, all different."""
    for i in range(1, number + 1):
        yield Example(
            f"example-{i:05d}",
            question=f"What is known of {passage(rng, 4)}?",
            ground_truth=tuple(
                GroundTruthPassage(PassageKind.ESSENTIAL, passage(rng, words)) for _ in range(5)
            ),
            retrieved=tuple(RetrievedPassage(r, passage(rng, words)) for r in range(1, 11)),
        )


def save(engine: Engine, name: str, rows: Iterator[Example]) -> int:
    facts = {"source": "benchmark", "author": "benchmark", "now": datetime.now(UTC)}
    return save_dataset(engine, name, rows, content_hash=name, **facts)


def start(engine: Engine, dataset: int, judge: str) -> int:
    now = datetime.now(UTC)
    made = make_judge(judge)
    facts = {"name": judge, "options": RunOptions(), "author": "benchmark", "now": now}
    return create_run(engine, dataset_id=dataset, judge=made, **facts)


def wait_for(holds: Callable[[], object], what: str, seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            sys.exit(f"This did not happen within {seconds:.0f} s: {what}.")
        time.sleep(0.2)


def worker_of(server: Server) -> psutil.Process:
    family = psutil.Process(server.process.pid).children()
    return next(p for p in family if any(part.endswith("worker.py") for part in p.cmdline()))


def steps(url: str, run: int) -> Steps:
    """What people wait for, by name, in an order in which each finds the page it needs."""

    def opened(address: str, selector: str) -> Step:
        def step(page: Page) -> float:
            page.goto(f"{url}{address}", wait_until="commit", timeout=PATIENCE)
            page.evaluate(OPENED, selector)
            took = taken(page)
            at_rest(page)
            return took

        return step

    def turned(page: Page) -> float:
        page.evaluate(TURNED)
        page.get_by_role("button", name="Next page").click()
        return taken(page)

    keys = cycle("12345")

    def saved(page: Page) -> float:
        page.evaluate(SAVED)
        page.keyboard.press(next(keys))
        return taken(page)

    return {
        "open the list of examples by its address": opened(f"/examples?run={run}", "tr.opens"),
        "turn a page of the list": turned,
        "open the review desk by its address": opened(f"/review?run={run}", ".unit"),
        "set a score at the desk, until it is saved": saved,
    }


def taken(page: Page) -> float:
    return float(page.wait_for_function("window.took", timeout=PATIENCE).json_value())


Times = dict[str, list[float]]
"""Milliseconds of every round, by step."""


@dataclass(frozen=True)
class Bench:
    """The app under measurement: where it is, its database, and what its worker is busy with."""

    server: Server
    engine: Engine
    heavy: int

    @contextmanager
    def judging(self) -> Iterator[None]:
        """The worker at work, from its first judgements on; at rest again afterwards."""
        runs = [start(self.engine, self.heavy, DISTANCE) for _ in range(RUNS)]
        wait_for(lambda: get_run(self.engine, runs[0]).processed, "the worker judges")
        yield
        states = [get_run(self.engine, run).state for run in runs]
        if states[-1] is not RunState.QUEUED:
            sys.exit("The worker ran out of work. Give it more JUDGED examples.")
        for run, state in zip(runs, states, strict=True):
            if state is not RunState.DONE:
                cancel_run(self.engine, run, now=datetime.now(UTC))
        worker = worker_of(self.server)
        wait_for(lambda: worker.cpu_percent(interval=0.5) < 10, "the worker rests")

    def measure(
        self, page: Page, todo: Mapping[str, Step], rounds: int
    ) -> tuple[Times, Times, float]:
        """Every step's times while the worker rests and while it judges, and how many cores it
        used then. A first round is not counted: it fills caches.
        """
        idle: Times = {name: [] for name in todo}
        busy: Times = {name: [] for name in todo}
        processor = seconds = 0.0
        worker = worker_of(self.server)
        for number in range(rounds + 1):
            print(f"Round {number} of {rounds} …", file=sys.stderr)
            for name, step in todo.items():
                idle[name].append(step(page))
            with self.judging():
                before, began = sum(worker.cpu_times()[:2]), time.monotonic()
                for name, step in todo.items():
                    busy[name].append(step(page))
                processor += sum(worker.cpu_times()[:2]) - before
                seconds += time.monotonic() - began
        return without_first(idle), without_first(busy), processor / seconds


def without_first(times: Times) -> Times:
    return {name: own[1:] for name, own in times.items()}


def table(idle: Times, busy: Times) -> float:
    """Print the medians; the largest ratio."""
    print("| step | worker at rest, ms | worker judging, ms | ratio |")
    print("|---|---|---|---|")
    ratios = []
    for name in idle:
        rest, work = statistics.median(idle[name]), statistics.median(busy[name])
        ratios.append(work / rest)
        print(f"| {name} | {rest:,.0f} | {work:,.0f} | {work / rest:.2f} |")
    return max(ratios)


@contextmanager
def running(server: Server) -> Iterator[None]:
    server.start()
    try:
        yield
    finally:
        server.stop()


def prepare(server: Server, engine: Engine) -> tuple[Bench, int]:
    """What is measured, and the judged run that is looked at."""
    rng = random.Random(7)
    run = start(engine, save(engine, "read", examples(rng, LOOKED_AT, 60)), SCREEN)
    wait_for(lambda: get_run(engine, run).state is RunState.DONE, "the first run is judged")
    return Bench(server, engine, save(engine, "judged", examples(rng, JUDGED, 200))), run


def main() -> int:
    """Measure, print, clean up."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=8)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="recall-steps-") as folder:
        server = Server(f"sqlite:///{folder}/recall.db", Path(folder) / "server.log")
        engine = open_engine(server.database_url)
        with running(server), sync_playwright() as playwright:
            bench, run = prepare(server, engine)
            browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.add_cookies([{"name": NAME_COOKIE, "value": "Mara", "url": server.url}])
            todo = steps(server.url, run)
            idle, busy, cores = bench.measure(context.new_page(), todo, rounds)
            browser.close()
        engine.dispose()
    print(
        f"Medians of {rounds} rounds. Beside the steps the worker, which gives way to pages, got "
        f"{cores:.1f} of {os.cpu_count()} cores.\n"
    )
    worst = table(idle, busy)
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
