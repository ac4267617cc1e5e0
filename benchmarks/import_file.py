"""How much memory and time `python -m api import` takes for a large file of JSON lines.

    python benchmarks/import_file.py [--megabytes 1024] [--row-kb 2.5]

Writes the file and a database of its own into a temporary folder outside the checkout, imports a
file of ten rows and then the large one, each in a process of its own, and removes everything. The
memory that counts is the highest resident size of the second process above that of the first,
which has the same modules loaded. Prints a table in Markdown; exit status 1 above the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT_MB = 150
MEGABYTE = 1024 * 1024
SMALL_ROWS = 10
PROSE = (
    "the key of a battery expires after ninety days unless an administrator extends it in the "
    "settings where every member sees how often it was used and when it has to be renewed while "
    "older keys stay valid for reading until their owner removes them or the workspace is closed "
    "Zürich naïve 東京 مفتاح 2026 1,240 60% (see §4)"
)
WORDS = PROSE.split()


@dataclass(frozen=True)
class Measured:
    """One import: seconds by the clock and of the processor, and the highest resident size of its
    process in megabytes."""

    seconds: float
    cpu: float
    peak: float


def text(rng: random.Random, characters: int) -> str:
    """About so many characters of prose."""
    words: list[str] = []
    length = 0
    while length < characters:
        words.append(rng.choice(WORDS))
        length += len(words[-1]) + 1
    return " ".join(words)


def rows(rng: random.Random, row_bytes: int) -> Iterator[bytes]:
    """Examples as JSON lines, without end: 3 ground-truth passages, 5 retrieved, two outputs."""
    share = max(8, row_bytes // 13)
    passages = [text(rng, share) for _ in range(500)]
    number = 0
    while True:
        number += 1
        picked = rng.sample(passages, 8)
        row = {
            "id": f"question-{number:08d}",
            "question": rng.choice(passages)[:80],
            "ground_truth": [
                {"kind": "bonus" if i == 2 else "essential", "text": p}
                for i, p in enumerate(picked[:3])
            ],
            "retrieved_contexts": [
                {"id": f"d{rng.randrange(10**6)}", "text": p} for p in picked[3:]
            ],
            "answer": rng.choice(passages),
            "expected_output": rng.choice(passages),
            "topic": rng.choice(("keys", "billing", "members")),
        }
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def write(path: Path, row_bytes: int, *, size: int | None, count: int | None = None) -> int:
    """Write rows until the file has `size` bytes or `count` rows; how many rows it has."""
    written = number = 0
    with path.open("wb") as file:
        for line in rows(random.Random(7), row_bytes):
            if (size is not None and written >= size) or number == count:
                return number
            written += file.write(line)
            number += 1
    return number


def measured(path: Path, database: Path) -> Measured:
    """Import the file in a process of its own; its last words are printed if it fails."""
    command = [sys.executable, "-m", "api", "import", str(path), "--name", path.stem]
    environment = {**os.environ, "RECALL_DATABASE_URL": f"sqlite:///{database}"}
    started = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=said, stderr=said)
        # The usage of exactly this child, which the maximum over all children would hide.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - started
        if process.returncode:
            said.seek(0)
            sys.exit(f"The import failed:\n{said.read().decode(errors='replace')[-2000:]}")
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main() -> int:
    """Measure, print, clean up."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--megabytes", type=int, default=1024)
    arguments.add_argument("--row-kb", type=float, default=2.5)
    chosen = arguments.parse_args()
    row_bytes = int(chosen.row_kb * 1024)
    folder = Path(tempfile.mkdtemp(prefix="recall-import-"))
    try:
        small, large = folder / "small.jsonl", folder / "large.jsonl"
        write(small, row_bytes, size=None, count=SMALL_ROWS)
        number = write(large, row_bytes, size=chosen.megabytes * MEGABYTE)
        size = large.stat().st_size / MEGABYTE
        baseline = measured(small, folder / "small.db")
        full = measured(large, folder / "large.db")
        kept = (folder / "large.db").stat().st_size / MEGABYTE
    finally:
        shutil.rmtree(folder)
    added = full.peak - baseline.peak
    print(f"| file | {size:,.0f} MB, {number:,} rows |")
    print("|---|---|")
    print(f"| time | {full.seconds:,.0f} s, {number / full.seconds:,.0f} rows a second |")
    print(f"| processor | {full.cpu:,.0f} s, {number / full.cpu:,.0f} rows a second |")
    print(f"| database | {kept:,.0f} MB |")
    print(f"| peak memory with {SMALL_ROWS} rows | {baseline.peak:,.0f} MB |")
    print(f"| peak memory with the file | {full.peak:,.0f} MB |")
    print(f"| **added** | **{added:,.0f} MB** (limit {LIMIT_MB}) |")
    return 0 if added < LIMIT_MB else 1


if __name__ == "__main__":
    sys.exit(main())
