"""Importing judgements that were made elsewhere, as a run that people review like any other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import islice

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from db.datasets import required_dataset
from db.deleting import clear_run
from db.engine import reading, transaction
from db.errors import NotPossibleNow, Unkeepable
from db.examples import examples_by_id
from db.importing import required_name
from db.judged import Judged
from db.outcomes import BATCH, record_outcomes
from db.owners import new_owner
from db.run_cards import IMPORTED, RunOptions, RunState, required_run
from db.runs import new_run_row
from db.tables import ExampleRow, RunRow
from recall_core.imported import ImportedReplies, Reply
from recall_core.results import result_of
from recall_core.types import Example, FailureKind


@dataclass(frozen=True, slots=True)
class ReadReply:
    """What one reply comes to before anything is stored. `number` counts the replies from 1.

    `problem` says why it belongs to no example (then nothing else is known), or why it gives no
    score. `warnings` include where the writer's arithmetic differs.
    """

    number: int
    example_id: str | None
    position: int | None
    final: Fraction | None
    warnings: tuple[str, ...] = ()
    problem: str = ""
    error_type: FailureKind | None = None

    @property
    def belongs(self) -> bool:
        """Whether it is about an example of the dataset, and so will be taken."""
        return self.final is not None or self.error_type is not None


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of an import: the run, how many replies were taken, and those that were not."""

    run_id: int
    taken: int
    left_out: tuple[ReadReply, ...]


def preview_replies(
    engine: Engine,
    dataset_id: int,
    replies: Iterable[Reply],
    judge: ImportedReplies | None = None,
) -> list[ReadReply]:
    """What each reply would come to; stores nothing."""
    judge = judge or ImportedReplies()
    return [
        one if isinstance(one, ReadReply) else _shown(judge, one)
        for one in _matched(engine, dataset_id, replies, judge)
    ]


def import_replies(
    engine: Engine,
    dataset_id: int,
    replies: Iterable[Reply],
    *,
    name: str,
    author: str,
    now: datetime,
    options: RunOptions | None = None,
    judge: ImportedReplies | None = None,
) -> Imported:
    """Make a run of these replies' judgements. Examples without a reply have no judgement in it;
    of several replies to one example the first counts.

    It is stored in short batches and done when all are in; what a crash leaves half done, the sweep
    at the next start takes away. `Unkeepable` if not one reply belongs to an example.
    """
    judge = judge or ImportedReplies()
    run_id = _begin(engine, dataset_id, judge, options or RunOptions(), name, author, now)
    matched = _matched(engine, dataset_id, replies, judge)
    left_out: list[ReadReply] = []
    taken = 0
    try:
        while batch := list(islice(matched, BATCH)):
            left_out += [one for one in batch if isinstance(one, ReadReply)]
            judged = [one.read(judge) for one in batch if isinstance(one, _Match)]
            taken += record_outcomes(engine, run_id, judge, judged, now)
        if not taken:
            reasons = "; ".join(dict.fromkeys(one.problem for one in left_out[:3]))
            raise Unkeepable(f"No reply could be imported. {reasons}".strip())
    except BaseException:
        _abandon(engine, run_id)
        raise
    with transaction(engine) as session:
        row = required_run(session, run_id)
        row.state, row.owner, row.ended_at = RunState.DONE.value, None, now
    return Imported(run_id, taken, tuple(left_out))


def add_reply(engine: Engine, run_id: int, reply: Reply, *, now: datetime) -> None:
    """Add one reply to a run of imported judgements; `NotPossibleNow` or `Unkeepable` say why it
    cannot be: another kind of run, no such example, or one that has its judgement already."""
    with reading(engine) as session:
        run = required_run(session, run_id)
        if run.kind != IMPORTED:
            raise NotPossibleNow(
                f"{run.name} has a judge of its own. Import into a run of its own."
            )
        judge = ImportedReplies.model_validate(run.settings)
        dataset_id = run.dataset_id
    (one,) = _matched(engine, dataset_id, [reply], judge)
    if isinstance(one, ReadReply):
        raise Unkeepable(one.problem)
    if not record_outcomes(engine, run_id, judge, [one.read(judge)], now):
        raise NotPossibleNow(
            f"Example {one.example.id} has its judgement in this run. Change its scores by hand, "
            "or import the reply into another run."
        )


def metadata_replies(engine: Engine, dataset_id: int, field: str) -> list[Reply]:
    """The replies in a column that the dataset's own file had and that was kept as metadata."""
    query = select(ExampleRow.position, ExampleRow.details)
    query = query.where(ExampleRow.dataset_id == dataset_id).order_by(ExampleRow.position)
    with reading(engine) as session:
        rows = [(position, details.get(field)) for position, details in session.execute(query)]
    return [
        Reply(text, position=position)
        for position, text in rows
        if isinstance(text, str) and text.strip()
    ]


def _begin(
    engine: Engine,
    dataset_id: int,
    judge: ImportedReplies,
    options: RunOptions,
    name: str,
    author: str,
    now: datetime,
) -> int:
    with transaction(engine) as session:
        required_dataset(session, dataset_id)
        row = new_run_row(judge, options)
        row.kind, row.state, row.owner = IMPORTED, RunState.RUNNING.value, new_owner()
        row.dataset_id, row.name = dataset_id, required_name(name)
        row.created_at = row.started_at = row.claimed_at = now
        row.created_by = author
        session.add(row)
        session.flush()
        return row.id


def _abandon(engine: Engine, run_id: int) -> None:
    with transaction(engine) as session:
        row = session.get(RunRow, run_id)
        if row is None:
            return
        row.state = "deleting"
    clear_run(engine, run_id)


@dataclass(frozen=True, slots=True)
class _Match:
    """A reply and the example that it is about; `row_id` is the example's."""

    number: int
    text: str
    row_id: int
    position: int
    example: Example

    def read(self, judge: ImportedReplies) -> Judged:
        outcome = judge.read(self.example, self.text)
        return Judged(self.row_id, self.position, self.example, outcome)


def _matched(
    engine: Engine, dataset_id: int, replies: Iterable[Reply], judge: ImportedReplies
) -> Iterator[_Match | ReadReply]:
    """Each reply with its example, in order; or, where it has none to score, why not."""
    with reading(engine) as session:
        required_dataset(session, dataset_id)
        index = _Index.of(session, dataset_id)
    numbered = enumerate(replies, 1)
    while batch := list(islice(numbered, BATCH)):
        places = [index.place(number, reply) for number, reply in batch]
        found = {place.row_id for place in places if isinstance(place, _Place)}
        with reading(engine) as session:
            examples = examples_by_id(session, found)
        for (number, reply), place in zip(batch, places, strict=True):
            if isinstance(place, ReadReply):
                yield place
                continue
            example = examples[place.row_id]
            reason = judge.lacks(example)
            if reason is None:
                yield _Match(number, reply.text, place.row_id, place.position, example)
            else:
                yield _refused(number, example.id, reason, place.position)


@dataclass(frozen=True, slots=True)
class _Place:
    row_id: int
    position: int


@dataclass(frozen=True, slots=True)
class _Index:
    """Which example has which id and which place; each is given away once."""

    by_id: Mapping[str, list[_Place]]
    by_position: Mapping[int, _Place]
    taken: set[int]

    @classmethod
    def of(cls, session: Session, dataset_id: int) -> _Index:
        row = ExampleRow
        by_id: dict[str, list[_Place]] = defaultdict(list)
        by_position: dict[int, _Place] = {}
        query = select(row.id, row.position, row.external_id).where(row.dataset_id == dataset_id)
        for row_id, position, external_id in session.execute(query):
            place = by_position[position] = _Place(row_id, position)
            by_id[external_id].append(place)
        return cls(by_id, by_position, set())

    def place(self, number: int, reply: Reply) -> _Place | ReadReply:
        """The example's place, or why there is none."""
        if reply.example_id is None:
            found = self.by_position.get(reply.position or 0)
            places = [] if found is None else [found]
            what = f"Example {reply.position}"
        else:
            places = self.by_id.get(reply.example_id.strip(), [])
            what = f"An example with the id {reply.example_id.strip()!r}"
        if not places:
            return _refused(number, reply.example_id, f"{what} is not in the dataset.")
        if len(places) > 1:
            return _refused(number, reply.example_id, f"{what} is there {len(places)} times.")
        (place,) = places
        if place.row_id in self.taken:
            return _refused(
                number, reply.example_id, f"{what} has an earlier reply, and the first counts."
            )
        self.taken.add(place.row_id)
        return place


def _refused(
    number: int, example_id: str | None, problem: str, position: int | None = None
) -> ReadReply:
    return ReadReply(number, example_id, position, None, problem=problem)


def _shown(judge: ImportedReplies, match: _Match) -> ReadReply:
    result = result_of(match.example, judge, match.read(judge).outcome)
    return ReadReply(
        match.number,
        match.example.id,
        match.position,
        result.score,
        result.warnings,
        "" if result.error_type is None else result.details,
        result.error_type,
    )
