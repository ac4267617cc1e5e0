"""What comes back: one result an example and judge, and the evaluation as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from recall_client.choosing import JudgeChoice
from recall_client.examples import Example
from recall_core.scoring import printed
from recall_core.summary import Mean, mean_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where the support for a verdict stands: passage (from 1), characters, and the quote.

    `rank` is `None` for the actual output; `located` is false for a quote that does not stand
    there, which then has no `start` and `end`.
    """

    rank: int | None
    start: int | None
    end: int | None
    quote: str
    located: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says of one unit: a statement, an expected context or a passage.

    1 and 0 stand for yes and no; `score` is `None` where the judge gave no valid one, and
    `error_type` then says why.
    """

    kind: str
    index: int
    text: str
    score: float | None
    reasoning: str = ""
    evidence: tuple[Evidence, ...] = ()
    similarity: float | None = None
    probability: float | None = None
    error_type: str | None = None

    @classmethod
    def of(cls, unit: Mapping[str, Any]) -> Verdict:
        """From a unit of the one result."""
        places = ("rank", "start", "end", "quote", "located")
        return cls(
            kind=unit["kind"],
            index=unit["index"],
            text=unit["text"],
            score=unit["score"],
            reasoning=unit["reasoning"],
            evidence=tuple(Evidence(**{p: e[p] for p in places}) for e in unit["evidence"]),
            similarity=unit.get("similarity"),
            probability=unit.get("probability"),
            error_type=unit.get("error_type"),
        )


@dataclass(frozen=True, slots=True)
class Result:
    """What one judge says about one example.

    `score` is `None` where there is an `error`, a sentence; never 0 for want of an answer.
    `success` is whether the exact score reaches the threshold: false with an error, `None` where
    no threshold is set. `reason` says how the score came about. `url` opens the judgement in the
    dashboard, where one was stored.
    """

    example: Example
    number: int
    judge: str
    status: str
    score: float | None
    success: bool | None
    threshold: float | None
    reason: str
    error: str | None = None
    error_type: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    warnings: tuple[str, ...] = ()
    cost: float | None = None
    raw_response: str | None = None
    url: str | None = None

    @property
    def vacuous(self) -> bool:
        """Whether nothing was expected, so that the score says nothing and no mean counts it."""
        return self.score is not None and not self.verdicts

    @property
    def name(self) -> str:
        """The example's id, or its number."""
        return self.example.id or str(self.number)

    def __repr__(self) -> str:
        """In a notebook a line says more than every field."""
        return str(self)

    def __str__(self) -> str:
        if self.error is not None:
            return f"{self.name}  {self.judge}  no score: {self.error}"
        words = [self.name, self.judge, shown(self.score, self.threshold)]
        if self.success is not None and self.threshold is not None:
            mark = printed(Fraction(str(self.threshold)))
            words.append(f"success (at least {mark})" if self.success else f"below {mark}")
        return "  ".join([*words, self.reason])


def shown(score: float | None, against: float | None = None) -> str:
    """The score with two decimals, and with more where rounding would hide that it is less than
    what it is held against: 0.6667 is below 0.67."""
    if score is None:
        return "no score"
    text = printed(Fraction(score))
    if against is not None and score != against and text == printed(Fraction(str(against))):
        return f"{score:.6g}"
    return text


def result_from(
    example: Example,
    number: int,
    choice: JudgeChoice,
    found: Mapping[str, Any],
    url: str | None = None,
) -> Result:
    """A result from the fields that the command line, HTTP and exports have in common."""
    scored = found["score"] is not None
    cost = found.get("cost")
    return Result(
        example=example,
        number=number,
        judge=choice.name,
        status=found["status"],
        score=found["score"],
        success=found["passed"] if scored else False,
        threshold=choice.threshold,
        reason=found["details"] if scored else "",
        error=None if scored else found["details"],
        error_type=found["error_type"],
        verdicts=tuple(Verdict.of(unit) for unit in found["units"]),
        warnings=tuple(found["warnings"]),
        cost=None if cost is None else cost["amount"],
        raw_response=found["raw_response"],
        url=url,
    )


def lacking(example: Example, number: int, choice: JudgeChoice, sentence: str) -> Result:
    """The result of an example that was not judged, because a field is missing."""
    return Result(
        example, number, choice.name, "error", None, False, choice.threshold, "", error=sentence
    )


@dataclass(frozen=True, slots=True)
class RunLink:
    """Where one judge's judgements are kept: the run's number, and the address that opens it."""

    judge: str
    id: int
    url: str | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every judge's result for every example, in the order of judges and then of examples.

    It is a sequence of `Result`. `runs` say where it is kept; empty where nothing was stored.
    """

    name: str
    results: tuple[Result, ...]
    runs: tuple[RunLink, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, place: int) -> Result:
        return self.results[place]

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges' names, in the order in which they were asked for."""
        return tuple(dict.fromkeys(r.judge for r in self.results))

    @property
    def success(self) -> bool:
        """Whether there are results and every one of them is a success."""
        return bool(self.results) and all(r.success for r in self.results)

    @property
    def errors(self) -> tuple[Result, ...]:
        """The results without a score."""
        return tuple(r for r in self.results if r.error is not None)

    def of(self, judge: str) -> tuple[Result, ...]:
        """One judge's results."""
        return tuple(r for r in self.results if r.judge == judge)

    def mean(self, judge: str | None = None) -> Mean:
        """One judge's exact mean, with how many examples it covers; `judge` may be left out where
        there is only one. Examples that expected nothing are not part of it.
        """
        names = self.judges if judge is None else (judge,)
        if len(names) != 1:
            raise ValueError(f"Say which judge: {', '.join(self.judges)}.")
        return _mean(self.of(names[0]))

    def to_pandas(self, *, units: bool = False) -> pd.DataFrame:
        """A data frame with a row for each result, or for each verdict with `units=True`."""
        import pandas as pd

        rows = _unit_rows(self.results) if units else _rows(self.results)
        return pd.DataFrame(list(rows), columns=list(UNIT_COLUMNS if units else COLUMNS))

    def __repr__(self) -> str:
        """In a notebook the results say more than every field of theirs."""
        return str(self)

    def __str__(self) -> str:
        lines = [f"{self.name}: {judge} {self.mean(judge)}" for judge in self.judges]
        lines += [str(result) for result in self.results]
        lines += [f"{run.judge}: {run.url}" for run in self.runs if run.url]
        return "\n".join([*lines, *self.notes])


def _mean(results: Sequence[Result]) -> Mean:
    scores = [Fraction(r.score) for r in results if r.score is not None and not r.vacuous]
    return mean_of(((score, 1) for score in scores), len(results))


COLUMNS = (
    "id",
    "input",
    "judge",
    "status",
    "score",
    "success",
    "threshold",
    "reason",
    "error",
    "error_type",
    "cost",
    "url",
)
UNIT_COLUMNS = (
    "id",
    "judge",
    "kind",
    "index",
    "text",
    "score",
    "reasoning",
    "rank",
    "quote",
    "located",
    "similarity",
    "probability",
    "error_type",
)


def _rows(results: Sequence[Result]) -> Iterator[dict[str, Any]]:
    own = [c for c in COLUMNS if c not in ("id", "input")]
    for result in results:
        row = {name: getattr(result, name) for name in own}
        yield {"id": result.name, "input": result.example.input, **row}


def _unit_rows(results: Sequence[Result]) -> Iterator[dict[str, Any]]:
    """One a verdict; of several places of evidence the first."""
    own = ("kind", "index", "text", "score", "reasoning", "similarity", "probability", "error_type")
    for result in results:
        for verdict in result.verdicts:
            first = verdict.evidence[0] if verdict.evidence else None
            yield {
                "id": result.name,
                "judge": result.judge,
                **{name: getattr(verdict, name) for name in own},
                **{n: getattr(first, n, None) for n in ("rank", "quote", "located")},
            }
