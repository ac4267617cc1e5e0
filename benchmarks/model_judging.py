"""What judging with a model costs beside the model: `contextual_recall` against two peers.

    python benchmarks/model_judging.py [--examples 3000] [--repeats 3]

A local server answers every question after 50 ms with four verdicts, so that all the rest is the
judges' own work. Measured, each in a process of its own, in turns:

- how fast the server is alone, so that it is not what is measured;
- Recall Desk at 32 and 128 calls at a time: judging only, with every reply committed to SQLite
  before it is read, and as a whole run of the worker, with every verdict and quote as a row;
- `ContextRecall` of ragas 0.4.3 and `ContextualRecallMetric` of deepeval, both with one shared
  client, deepeval without its second call for a reason, telemetry off. They run as their documents
  show (the client of the `openai` package) and tuned (its aiohttp transport, deepeval without
  `.parse()`). They keep nothing;
- Recall Desk against the same server at its worst: 20 % of 429 with Retry-After, 10 % of 500, 5 %
  of broken JSON, 2 % of calls that are never answered.

Starting Python, imports and reading the data are not counted. Efficiency is calls x the server's
time / concurrency / wall time: 1 means that nothing but the model was waited for. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
FOLDER = ROOT / ".bench" / "model_judging"
PEERS = ("ragas==0.4.3", "langchain-community<0.4", "deepeval==4.3.1", "openai[aiohttp]")
LATENCY = 0.05
QUIET = {
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "ERROR_REPORTING": "NO",
}
OURS = ("desk", "desk, replies kept", "desk, whole run")
THEIRS = ("ragas", "ragas tuned", "deepeval", "deepeval tuned")


@dataclass(frozen=True)
class Timing:
    """What one side took for all examples, in seconds, and the scores that it gave."""

    side: str
    examples: int
    concurrency: int
    wall: float
    cpu: float
    scores: dict[str, int]
    failed: dict[str, int] = field(default_factory=dict)
    """Examples without a score after the first pass, by kind; only where everything is kept."""
    reruns: int = 0

    def efficiency(self, latency: float) -> float:
        return self.examples * latency / self.concurrency / self.wall

    @property
    def cpu_ms(self) -> float:
        return self.cpu / self.examples * 1000


def peers_python() -> Path:
    """The interpreter of the benchmark's own virtual environment, made on first use."""
    home = FOLDER / "venv"
    python = home / "bin" / "python"
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / ".gitignore").write_text("*\n")
    if not (home / "ready").exists():
        print("Installing ragas and deepeval into .bench/ (once) …", file=sys.stderr)
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
        (home / "ready").touch()
    return python


@contextmanager
def served(*, latency: float = LATENCY, faults: bool = False) -> Iterator[int]:
    """The port of a server that runs meanwhile."""
    command = [sys.executable, HERE / "model_server.py", "--latency", str(latency)]
    server = subprocess.Popen(
        [*command, *(["--faults"] if faults else [])], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        yield int(server.stdout.readline())
    finally:
        server.kill()
        server.wait()


def counts(port: int) -> dict[str, Any]:
    """What the server did so far."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/counts") as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def measured(side: str, port: int, examples: int, concurrency: int, **more: str) -> Timing:
    """One side in a fresh process."""
    python = sys.executable if side in (*OURS, "server") else str(peers_python())
    finished = subprocess.run(
        [python, HERE / "model_sides.py", side, str(port), str(examples), str(concurrency)],
        check=True,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("BENCH_SHOW") else subprocess.DEVNULL,
        cwd=ROOT,
        env={**os.environ, **QUIET, "PYTHONPATH": str(ROOT), **more},
    )
    found = json.loads(finished.stdout.splitlines()[-1])
    return Timing(side, examples, concurrency, **found)


def server_alone(examples: int) -> tuple[float, str]:
    """How long the server really takes for an answer, and how many it can give a second, seen by
    a client that only sends bytes."""
    with served() as port:
        steady = measured("server", port, examples, 32)
    with served(latency=0) as port:
        alone = measured("server", port, 4 * examples, 64)
        used = counts(port)["cpu"]
    latency = steady.wall * steady.concurrency / steady.examples
    return latency, (
        f"The server answers after {latency * 1000:.1f} ms, of which {LATENCY * 1000:.0f} are its "
        f"timer; without the timer it answers {alone.examples / alone.wall:,.0f} questions a "
        f"second ({used / alone.examples * 1000:.2f} ms of its processor each, in a process of its "
        "own)."
    )


def rounds(asked: Any) -> dict[tuple[str, int], list[Timing]]:
    """Every side once a round, in turns."""
    sides = [(side, 32) for side in (*OURS, *THEIRS)] + [(side, 128) for side in OURS]
    taken: dict[tuple[str, int], list[Timing]] = {place: [] for place in sides}
    with served() as port:
        for number in range(1, asked.repeats + 1):
            for side, concurrency in sides:
                print(f"Round {number}: {side}, {concurrency} at a time …", file=sys.stderr)
                taken[side, concurrency].append(measured(side, port, asked.examples, concurrency))
    return taken


def table(taken: dict[tuple[str, int], list[Timing]], latency: float) -> str:
    """Medians of every side, and how many times as many examples a CPU second ours judge."""
    lines = [
        "| side | at a time | wall s | efficiency | CPU ms a call | examples a CPU second "
        "| judging against it | keeping too |",
        "|---|---|---|---|---|---|---|---|",
    ]
    judging, keeping = taken["desk", 32], taken["desk, whole run", 32]
    for (side, concurrency), timings in taken.items():
        cpu = statistics.median(t.cpu_ms for t in timings)
        wall = statistics.median(t.wall for t in timings)
        efficiency = statistics.median(t.efficiency(latency) for t in timings)
        against = ["", ""]
        if side in THEIRS:
            against = [f"{times(timings, ours):.1f}x" for ours in (judging, keeping)]
        lines.append(
            f"| {side} | {concurrency} | {wall:.2f} | {efficiency:.2f} | {cpu:.2f} "
            f"| {1000 / cpu:,.0f} | {against[0]} | {against[1]} |"
        )
    return "\n".join(lines)


def times(theirs: list[Timing], ours: list[Timing]) -> float:
    """How many times their processor time is ours, by round."""
    return statistics.median(their.cpu / our.cpu for their, our in zip(theirs, ours, strict=True))


def under_faults(examples: int) -> str:
    """That nothing is lost and nothing judged twice while the server misbehaves."""
    with served(faults=True) as port:
        timing = measured("desk, whole run", port, examples, 32, TIMEOUT="1")
        seen = counts(port)
    answers = seen["answered"].values()
    did = ", ".join(f"{count:,} {what}" for what, count in sorted(seen["did"].items()))
    failed = ", ".join(f"{count} {kind}" for kind, count in sorted(timing.failed.items()))
    return (
        f"Under faults: of {examples:,} examples {examples - sum(timing.failed.values()):,} had a "
        f"score after the first pass ({timing.wall:.1f} s; without: {failed or 'none'}) and "
        f"{sum(timing.scores.values()):,} after judging those again {timing.reruns} times. "
        f"{sum(count > 1 for count in answers)} examples got more than one good answer, "
        f"{examples - len(answers)} none. The server's answers: {did}."
    )


def options() -> Any:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="contextual_recall against ragas and deepeval")
    parser.add_argument("--examples", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=("server", "rounds", "faults"))
    return parser.parse_args()


def main() -> None:
    """Measure, check that all sides gave the same scores, print."""
    asked = options()
    peers_python()
    print(f"Load before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores.")
    if asked.only != "faults":
        latency, said = server_alone(asked.examples)
        print(said)
    if asked.only in (None, "rounds"):
        taken = rounds(asked)
        scores = {tuple(t.scores.items()) for timings in taken.values() for t in timings}
        if scores != {(("0.75", asked.examples),)}:
            sys.exit(f"The sides gave different scores: {scores}")
        print(f"\n{asked.examples:,} examples, medians of {asked.repeats}; all scores equal.\n")
        print(table(taken, latency))
    if asked.only in (None, "faults"):
        print(f"\n{under_faults(asked.examples)}")


if __name__ == "__main__":
    main()
