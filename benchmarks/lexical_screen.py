"""How well the lexical screen agrees with people, and how long it takes.

    python benchmarks/lexical_screen.py [--repeats 3]

Three or four people voted for each content unit of 500 summaries whether the summary holds it
(`benchmarks/data/README.md` says where the votes come from). The screen sees the unit and the
summary and is compared with the majority. A second table shows its probabilities for copies,
close paraphrases and unrelated text. Both are printed in Markdown.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from recall_core.lexical import Screener, screen  # noqa: E402
from recall_core.lexical.grades import YES_FROM  # noqa: E402

DATA = Path(__file__).with_name("data") / "realsumm_5sys.jsonl.gz"
PARAPHRASES = Path(__file__).with_name("data") / "paraphrases.tsv"


@dataclass(frozen=True)
class Agreement:
    """Accuracy and Cohen's kappa of yes or no, and the area under the ROC curve."""

    accuracy: float
    kappa: float
    auc: float


def read_rows(path: Path) -> list[dict[str, Any]]:
    """One row a summary: its units, the summary, and the majority vote for each unit."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def probabilities(rows: Iterable[dict[str, Any]]) -> list[float]:
    """The screen's probability of every unit, in the file's order."""
    found = []
    for row in rows:
        screener = Screener([row["answer"]])
        found += [screener.screen(unit["text"]).probability for unit in row["ground_truth"]]
    return found


def agreement(chances: Sequence[float], votes: Sequence[int]) -> Agreement:
    """How well "probability at least one half" and the probabilities themselves fit the votes."""
    yes = [chance >= YES_FROM for chance in chances]
    count = len(votes)
    same = sum(y == v for y, v in zip(yes, votes, strict=True)) / count
    said, voted = sum(yes) / count, sum(votes) / count
    by_chance = said * voted + (1 - said) * (1 - voted)
    return Agreement(same, (same - by_chance) / (1 - by_chance), area_under_roc(chances, votes))


def area_under_roc(chances: Sequence[float], votes: Sequence[int]) -> float:
    """How often a present unit is ranked above an absent one, ties counting half."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    ranks = [0.0] * len(chances)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and chances[order[end]] == chances[order[start]]:
            end += 1
        for i in order[start:end]:
            ranks[i] = (start + end + 1) / 2
        start = end
    present = sum(votes)
    total = sum(rank for rank, vote in zip(ranks, votes, strict=True) if vote)
    return (total - present * (present + 1) / 2) / (present * (len(votes) - present))


def print_agreement(rows: list[dict[str, Any]], repeats: int) -> None:
    """The first table: agreement with the majority, and time a unit, its text prepared too."""
    votes = [vote for row in rows for vote in row["human"]["majority"]]
    seconds = []  # of CPU: other work on the machine does not count
    for _ in range(repeats):
        began = time.process_time()
        chances = probabilities(rows)
        seconds.append(time.process_time() - began)
    result = agreement(chances, votes)
    first, later = seconds[0], statistics.median(seconds[1:] or seconds)
    print("| units | summaries | kappa | AUC | accuracy | CPU ms a unit, first pass | later |")
    print("|---|---|---|---|---|---|---|")
    print(
        f"| {len(votes):,} | {len(rows)} | {result.kappa:.3f} | {result.auc:.3f} "
        f"| {result.accuracy:.3f} | {1000 * first / len(votes):.2f} "
        f"| {1000 * later / len(votes):.2f} |"
    )


def print_cases(rows: list[dict[str, Any]]) -> None:
    """The second table: probabilities where people would not need to vote."""
    answers = [row["answer"] for row in rows]
    copies = {
        count: [
            screen(" ".join(words[:count]), [" ".join(words)]).probability
            for words in (f"{a} {b}".split() for a, b in pairwise(answers))
            if len(words) >= count
        ]
        for count in (10, 50, 100)
    }
    # 250 rows on it is another system's summary of another article.
    strangers = [
        screen(unit["text"], [answers[(i + 250) % len(rows)]]).probability
        for i, row in enumerate(rows)
        for unit in row["ground_truth"]
    ]
    _, *lines = PARAPHRASES.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines]
    paraphrases = [screen(unit, [text]).probability for unit, text in pairs]
    print("| case | n | mean probability | median | share called present |")
    print("|---|---|---|---|---|")
    for count, chances in copies.items():
        print_case(f"verbatim copy of {count} words in a longer text", chances)
    print_case("close paraphrase (written for this benchmark)", paraphrases)
    print_case("unrelated: units against another article's summary", strangers)


def print_case(name: str, chances: Sequence[float]) -> None:
    present = sum(chance >= YES_FROM for chance in chances) / len(chances)
    mean, median = statistics.mean(chances), statistics.median(chances)
    print(f"| {name} | {len(chances):,} | {mean:.2f} | {median:.2f} | {present:.0%} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    rows = read_rows(DATA)
    print_agreement(rows, options.repeats)
    print()
    print_cases(rows)


if __name__ == "__main__":
    main()
