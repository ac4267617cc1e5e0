"""A desk that judges and keeps: each judge is a run of it, over one dataset."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from recall_client.bodies import batches, evaluate_data
from recall_client.choosing import JudgeChoice
from recall_client.connection import Connection
from recall_client.examples import Example
from recall_client.kept import Kept, Object
from recall_client.progress import Progress
from recall_client.results import Evaluation, Result, RunLink, result_from
from recall_client.splitting import Split, split
from recall_core.export.dataset_files import dataset_jsonl
from recall_core.ingest.hashing import content_hash
from recall_core.types import Example as CoreExample

LOOK = 0.2
LOOK_SELDOM = 2.0
"""Seconds between two looks at a run: more of them the longer it takes."""
ACTIVE = ("queued", "running")
A_WHILE = 3600.0
"""How long a model may take for one request of a few examples, in seconds."""

JudgesRun = Callable[[int, threading.Event], None]
"""Judges a run where no worker does; returns when it is over, or soon after the event is set."""


class Desk(Kept):
    """Judges at a desk; what it finds is kept there."""

    def __init__(self, connection: Connection, where: str, judge: JudgesRun | None = None) -> None:
        super().__init__(connection)
        self.where = where
        self._judge = judge

    def evaluate(
        self,
        name: str,
        examples: Sequence[Example],
        choices: Sequence[JudgeChoice],
        progress: Progress,
    ) -> Evaluation:
        """One dataset of the examples that any judge can take, and a run of each judge over it."""
        parts = [split(choice, examples) for choice in choices]
        taken = sorted({place for part in parts for place in part.complete})
        if not taken:
            return Evaluation(name, tuple(r for part in parts for r in part.lacking))
        dataset_id = self._dataset(name, [examples[place].as_core(place + 1) for place in taken])
        runs = [self._start(name, dataset_id, part.choice) for part in parts if part.complete]
        links = [RunLink(run["judge"], run["id"], self._url(run["page"])) for run in runs]
        results: list[Result] = []
        waiting = iter(runs)
        for part in parts:
            found = self._results(next(waiting), progress) if part.complete else {}
            results += part.together(_matched(part, taken, found, self._url))
        notes = () if len(taken) == len(examples) else (_left_out(examples, taken),)
        return Evaluation(name, tuple(results), tuple(links), notes)

    def score(
        self,
        name: str,
        examples: Sequence[Example],
        choices: Sequence[JudgeChoice],
        progress: Progress,
    ) -> Evaluation:
        """Judged at the desk, a few examples a request, and not kept."""
        results: list[Result] = []
        for choice in choices:
            part = split(choice, examples)
            found = self._scored(part, progress)
            results += part.together(
                [
                    result_from(examples[place], place + 1, choice, one)
                    for place, one in zip(part.complete, found, strict=True)
                ]
            )
        return Evaluation(name, tuple(results))

    def close(self) -> None:
        """Let go of connections."""
        self.connection.close()

    def _scored(self, part: Split, progress: Progress) -> list[Object]:
        choice = part.choice
        data = [evaluate_data(part.examples[p], p + 1, choice) for p in part.complete]
        found: list[Object] = []
        for some in batches(data):
            body = {"data": some, "settings": dict(choice.settings)}
            found += self.connection.post(f"/{choice.name}/evaluate", body, seconds=A_WHILE)
            progress(choice.name, len(found), len(data))
        return found

    def _dataset(self, name: str, examples: Sequence[CoreExample]) -> int:
        """The dataset with exactly these examples, made if there is none: so runs of the same
        examples can be compared, and share their statements."""
        digest = content_hash(examples)
        for known in self.datasets():
            if known["content_hash"] == digest:
                return int(known["id"])
        answer = self.connection.request(
            "POST",
            "/api/v1/datasets",
            params={"name": name, "filename": "recall_client.jsonl"},
            content="".join(dataset_jsonl(examples)).encode(),
            headers={"Content-Type": "application/x-ndjson"},
        )
        return int(answer.json()["dataset"]["id"])

    def _start(self, name: str, dataset_id: int, choice: JudgeChoice) -> Object:
        return self.start(dataset_id, choice.name, name=name, settings=choice.settings)

    def _results(self, run: Object, progress: Progress) -> dict[int, Object]:
        """The run's results by the position of the example, when it is over."""
        if self._judge is None:
            ended = self._wait(run["id"], run["judge"], progress)
        else:
            ended = self._judged_meanwhile(self._judge, run, progress)
        found = {one["position"]: one for one in self.results(run["id"])}
        if len(found) < ended["examples"]:
            said = f" {ended['message']}" if ended["message"] else ""
            for position in range(1, ended["examples"] + 1):
                found.setdefault(position, _not_judged(f"The run is {ended['state']}.{said}"))
        return found

    def _judged_meanwhile(self, judge: JudgesRun, run: Object, progress: Progress) -> Object:
        """Judge the run in a thread; what ends the waiting, as Ctrl-C does, ends that too."""
        stop = threading.Event()
        with ThreadPoolExecutor(1, thread_name_prefix="judging run") as pool:
            judging = pool.submit(judge, run["id"], stop)
            try:
                return self._wait(run["id"], run["judge"], progress, judging)
            finally:
                stop.set()

    def _wait(
        self, run_id: int, judge: str, progress: Progress, judging: Future[None] | None = None
    ) -> Object:
        pause = LOOK
        while True:
            if judging is not None and judging.done():
                judging.result()  # raises what judging here broke on
            run = self.run(run_id)
            come = run["progress"]
            progress(judge, come["total"] - come["left"], come["total"])
            if run["state"] not in ACTIVE:
                return run
            time.sleep(pause)
            pause = min(pause * 1.2, LOOK_SELDOM)

    def _url(self, page: str) -> str:
        return f"{self.connection.address}{page}"


def _matched(
    part: Split,
    taken: Sequence[int],
    found: Mapping[int, Object],
    url: Callable[[str], str],
) -> list[Result]:
    """The results of the complete examples; the dataset has those of `taken`, in this order."""
    position = {place: number for number, place in enumerate(taken, 1)}
    return [
        result_from(
            part.examples[place],
            place + 1,
            part.choice,
            one := found[position[place]],
            url(one["page"]) if "page" in one else None,
        )
        for place in part.complete
    ]


def _not_judged(why: str) -> Object:
    return {
        "status": "error",
        "score": None,
        "passed": None,
        "details": f"Not judged. {why}",
        "error_type": "cancelled",
        "cost": None,
        "raw_response": None,
        "warnings": [],
        "units": [],
    }


def _left_out(examples: Sequence[Example], taken: Sequence[int]) -> str:
    return (
        f"{len(examples) - len(taken)} of {len(examples)} examples were not sent to the desk, "
        "because they lack a field."
    )
