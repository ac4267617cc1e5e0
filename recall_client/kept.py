"""What a desk keeps, for programs: datasets, runs, results, decisions, files.

Everything comes as the JSON objects that the desk's own page `/docs` describes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from recall_client.connection import Connection

PAGE = 200

Object: TypeAlias = Mapping[str, Any]


class Kept:
    """Reads and writes at a desk; a token's scopes say what it may."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def judges(self) -> list[Object]:
        """The desk's judges, with the schemas of their settings and data."""
        return list(self.connection.get("/judges"))

    def datasets(self) -> list[Object]:
        """The datasets, newest first."""
        return list(self.connection.get("/api/v1/datasets"))

    def upload(
        self, file: Path | str, *, name: str | None = None, skip_bad: bool = False
    ) -> Object:
        """Bring a file in as a dataset, all or nothing; what became of it, with the `dataset`."""
        path = Path(file)
        answer = self.connection.request(
            "POST",
            "/api/v1/datasets",
            params={
                "name": name or path.stem,
                "filename": path.name,
                "skip_bad": str(skip_bad).lower(),
            },
            content=path.read_bytes(),
            headers={"Content-Type": "application/octet-stream"},
        )
        made: Object = answer.json()
        return made

    def examples(self, dataset_id: int) -> Iterator[Object]:
        """Every example of a dataset, in its order."""
        read = 0
        while True:
            path = f"/api/v1/datasets/{dataset_id}/examples"
            found = self.connection.get(path, offset=read, limit=PAGE)
            yield from found["examples"]
            read += len(found["examples"])
            if read >= found["total"] or not found["examples"]:
                return

    def runs(self, *, dataset_id: int | None = None) -> list[Object]:
        """The runs, newest first, of all datasets or of one."""
        wanted = {} if dataset_id is None else {"dataset_id": dataset_id}
        return list(self.connection.get("/api/v1/runs", **wanted))

    def run(self, run_id: int) -> Object:
        """One run, and how far it is."""
        found: Object = self.connection.get(f"/api/v1/runs/{run_id}")
        return found

    def start(
        self, dataset_id: int, judge: str, *, name: str, settings: Object | None = None
    ) -> Object:
        """Start a run over a dataset and return at once; a worker judges it."""
        body = {"dataset_id": dataset_id, "judge": judge, "name": name}
        run: Object = self.connection.post(
            "/api/v1/runs", {**body, "settings": dict(settings or {})}
        )
        return run

    def change(self, run_id: int, verb: str) -> Object:
        """`pause`, `resume` or `cancel` a run."""
        run: Object = self.connection.post(f"/api/v1/runs/{run_id}/{verb}")
        return run

    def summary(self, run_id: int, *, at_least: float | None = None) -> Object:
        """A run's numbers; with `at_least` also whether its mean passes that, as `gate`."""
        wanted = {} if at_least is None else {"at_least": at_least}
        found: Object = self.connection.get(f"/api/v1/runs/{run_id}/summary", **wanted)
        return found

    def headline(self, run_id: int, *, at_least: float | None = None) -> Object:
        """A run's recall as every screen states it: `recall`, `low` and `high` where people have
        audited it, else `why_no_interval`; how many were `audited`, `chosen`, `failed`. With
        `at_least`, `gate` is passed only if the lower end of the interval is at least that.
        """
        found: Object = self.summary(run_id, at_least=at_least)["recall"]
        return found

    def results(self, run_id: int) -> Iterator[Object]:
        """Every result of a run in the dataset's order, as it counts now."""
        page, read = 1, 0
        while True:
            found = self.connection.get(f"/api/v1/runs/{run_id}/results", page=page, size=PAGE)
            yield from found["results"]
            read += len(found["results"])
            if read >= found["total"] or not found["results"]:
                return
            page += 1

    def judgement(self, judgement_id: int) -> Object:
        """One judgement whole, with the decisions of people."""
        found: Object = self.connection.get(f"/api/v1/judgements/{judgement_id}")
        return found

    def decide(
        self, judgement_id: int, unit: str, action: str, *, seen: int, **more: Any
    ) -> Object:
        """Decide on a unit (`E1`, `S2`) under the token's name: set, confirm, exclude, move, unset,
        undo. `seen` is the unit's `newest`, so that nobody's decision is overwritten unseen; `more`
        may have score, cause, note, to_kind, twin.
        """
        body = {"unit": unit, "action": action, "seen": seen, **more}
        made: Object = self.connection.post(f"/api/v1/judgements/{judgement_id}/decisions", body)
        return made

    def export(self, run_id: int, format: str = "csv") -> bytes:
        """A run as a file: csv, jsonl, xlsx, txt (the document's form), html (the report) or sealed
        (a zip that `python -m api verify` computes again on any machine).
        """
        path = f"/api/v1/runs/{run_id}/export"
        return self.connection.request("GET", path, params={"format": format}).content
