"""How much faster `context_recall` is than the same score in ragas, with equal scores.

    python benchmarks/string_distance.py [--examples 1000] [--repeats 3]

Both sides judge the same file, in turn, `--repeats` times, each in a process of its own; starting
Python, imports and reading the file are not counted. ragas is installed into a virtual environment
of this benchmark's own under `.bench/`, and asked the cheapest way it offers (one
`single_turn_ascore` a row, no progress bar, no tracking). Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".bench" / "string_distance"
SIDES = Path(__file__).with_name("string_distance_sides.py")
RAGAS = ("ragas==0.4.3", "langchain-community<0.4", "rapidfuzz>=3.14,<4")

EXPECTED, RETRIEVED = 5, 10
SHORTEST, LONGEST = 300, 1500

EVERYDAY = """
the of and to in a is that for it as was with be by on not he his but at are this have from or
had an they which one you were all her she there would their we him been has when who will no
more if out so up said what its about than into them can only other time new some could these
two may first then do any like my now over such our man me even most made after also did many
off before must well back through years much where your way down should because long each just
state those people too mister how little good world make very year still see own work men day
get here old life both between being under three never know same last another while us might
great since against go came right used take states house during few place american around home
however small found part school thought went say once general high upon every does got united
number hand course water until always public put away something fact less though far without
pressure valve engine ticket refund harbour winter council garden library station schedule
membership insurance passenger delivery regulation temperature committee maintenance
"""
WORDS = EVERYDAY.split()


@dataclass(frozen=True)
class Timing:
    """What one side took for the whole file, in seconds, and the scores it gave."""

    wall: float
    cpu: float
    scores: list[float]


def sentence(rng: random.Random) -> str:
    """A sentence of everyday words, common ones more often."""
    weights = [1 / (rank + 8) for rank in range(len(WORDS))]
    words = rng.choices(WORDS, weights, k=rng.randint(6, 22))
    return " ".join(words).capitalize() + "."


def passage(rng: random.Random) -> str:
    """300 to 1,500 characters of sentences."""
    length = rng.randint(SHORTEST, LONGEST)
    text = sentence(rng)
    while len(text) < length:
        text = f"{text} {sentence(rng)}"
    return text[:length].rstrip()


def edited(rng: random.Random, text: str) -> str:
    """The passage after somebody's edits: words swapped, a few dropped, a sentence added."""
    words = [
        rng.choice(WORDS) if rng.random() < 0.12 else word
        for word in text.split()
        if rng.random() > 0.04
    ]
    return " ".join(words)[: LONGEST - 200] + " " + sentence(rng)


def example(rng: random.Random) -> dict[str, list[str]]:
    """A third of the expected passages come back verbatim, a third edited, a third not at all."""
    expected = [passage(rng) for _ in range(EXPECTED)]
    returned = []
    for text in expected:
        fate = rng.choice(("verbatim", "edited", "missing"))
        if fate != "missing":
            returned.append(text if fate == "verbatim" else edited(rng, text))
    retrieved = returned + [passage(rng) for _ in range(RETRIEVED - len(returned))]
    rng.shuffle(retrieved)
    return {"expected": expected, "retrieved": retrieved}


def ragas_python() -> Path:
    """The interpreter of the benchmark's own virtual environment, made on first use."""
    home = FOLDER / "venv"
    python = home / "bin" / "python"
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / ".gitignore").write_text("*\n")
    if not (home / "ready").exists():
        print("Installing ragas into .bench/ (once) …", file=sys.stderr)
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *RAGAS], check=True)
        (home / "ready").touch()
    return python


def run(python: Path | str, side: str, data: Path, **environment: str) -> Timing:
    """One side's timing over the whole file, in a fresh process."""
    finished = subprocess.run(
        [python, SIDES, side, data],
        check=True,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAGAS_DO_NOT_TRACK": "true", **environment},
    )
    return Timing(**json.loads(finished.stdout))


def table(examples: int, timings: dict[str, list[Timing]]) -> str:
    """Medians of every side, and each as a multiple of ragas in the same round."""
    lines = [
        "| side | wall s | CPU s | examples a CPU second | per CPU second | wall |",
        "|---|---|---|---|---|---|",
    ]
    ragas = timings["ragas 0.4.3"]
    for name, rounds in timings.items():
        wall = statistics.median(t.wall for t in rounds)
        cpu = statistics.median(t.cpu for t in rounds)
        pairs = list(zip(ragas, rounds, strict=True))
        by_cpu = statistics.median(theirs.cpu / ours.cpu for theirs, ours in pairs)
        by_wall = statistics.median(theirs.wall / ours.wall for theirs, ours in pairs)
        lines.append(
            f"| {name} | {wall:.2f} | {cpu:.2f} | {examples / cpu:,.0f} "
            f"| {by_cpu:.1f}x | {by_wall:.1f}x |"
        )
    return "\n".join(lines)


def options() -> Any:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="context_recall against ragas 0.4.3")
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=20250101)
    return parser.parse_args()


def main() -> None:
    """Make the data, run every side in turns, check that the scores agree, print the table."""
    asked = options()
    other = ragas_python()
    rng = random.Random(asked.seed)
    data = FOLDER / "examples.json"
    data.write_text(json.dumps([example(rng) for _ in range(asked.examples)]))
    timings: dict[str, list[Timing]] = {
        "ragas 0.4.3": [],
        "context_recall, 1 worker": [],
        "context_recall, 2 workers": [],
    }
    for number in range(1, asked.repeats + 1):
        print(f"Round {number} of {asked.repeats} …", file=sys.stderr)
        timings["ragas 0.4.3"].append(run(other, "ragas", data))
        timings["context_recall, 1 worker"].append(run(sys.executable, "ours", data, WORKERS="1"))
        timings["context_recall, 2 workers"].append(run(sys.executable, "ours", data, WORKERS="2"))
    scores = {tuple(timing.scores) for rounds in timings.values() for timing in rounds}
    if len(scores) != 1:
        sys.exit("The scores differ between ragas and context_recall.")
    print(f"{asked.examples} examples, {EXPECTED} expected x {RETRIEVED} retrieved passages")
    print(f"of {SHORTEST} to {LONGEST} characters; all scores equal; medians of {asked.repeats}.")
    print(f"Load before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores.\n")
    print(table(asked.examples, timings))


if __name__ == "__main__":
    main()
