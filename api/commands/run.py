"""`run`: judge a file or a dataset, keep what comes of it, and hold it against a bar."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from api.commands.bar import Bar
from api.commands.database import database, login_name
from api.commands.export import compared_with
from api.commands.finding import found_dataset
from api.commands.judge import read_settings
from api.commands.reading import Opens, may_read_a_file
from api.commands.storing import count, require_good, saved_or_known
from api.commands.telling import run_json, run_lines
from api.console import GOOD, give, give_json, progress, say
from api.running import judge_run
from db.datasets import get_dataset
from db.engine import Engine
from db.estimating import headline
from db.results import run_summary
from db.runs import Progress, RunOptions, create_run, get_run
from db.sights import NOBODY
from recall_core.asking.judge import ModelJudge
from recall_core.comparison import Comparison
from recall_core.errors import InvalidSetting
from recall_core.judges import Judge, judge_named, make_judge
from recall_core.scoring import exact
from recall_core.types import Json


@may_read_a_file
def run(
    opens: Opens,
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DATASET", help="A file, or the number or name of a stored dataset."
        ),
    ],
    judge_name: Annotated[str, typer.Option("--judge", help="Name of the judge.")],
    name: Annotated[
        str | None, typer.Option(help="Name of the run; else made of dataset and judge.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the judge; repeatable."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The model to ask, whatever the settings say.")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(min=0.01, metavar="USD", help="Stop before a call could cost more in all."),
    ] = None,
    at_least: Annotated[
        float | None,
        typer.Option(min=0, max=5, metavar="MEAN", help="Exit with 1 if the mean is lower."),
    ] = None,
    min_coverage: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="SHARE",
            help="Exit with 3 if a smaller share of examples has a score (0.95).",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="Exit with 1 if recall fell since that run, or since the last one."
        ),
    ] = None,
    may_fall: Annotated[
        float, typer.Option(min=0, max=5, metavar="BY", help="With --against: how much it may.")
    ] = 0.0,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Judge the good rows although others are bad.")
    ] = False,
    author: Annotated[str | None, typer.Option(help="Who judges; your login name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Judge a file or a dataset and store it all, to be reviewed in the dashboard.

    A file becomes a dataset, unless one has exactly its examples. The exit status is 0 if all is
    well, 1 below the bar, 3 if examples without a score leave it open: a mean passes only if
    none of them could turn it, or if --min-coverage says how many may be missing.
    """
    bar = Bar(_number(at_least), _number(min_coverage), exact(may_fall))
    asked = _judge(judge_name, read_settings(settings or ()), model, budget)
    who = author or login_name()
    with database() as engine:
        if Path(what).is_file():
            opened = opens(Path(what))
            counted = count(opened.table, opened.mapping)
            require_good(counted, skip_bad=skip_bad)
            dataset_id = saved_or_known(engine, counted, Path(what).stem, who)
        else:
            dataset_id = found_dataset(engine, what).id
        run_id = _begin(engine, dataset_id, asked, name, who)
        _judge_with_bar(engine, run_id)
        _tell(engine, run_id, bar, against, as_json=as_json)


def _number(given: float | None) -> Fraction | None:
    return None if given is None else exact(given)


def _judge(name: str, settings: dict[str, Json], model: str | None, budget: float | None) -> Judge:
    given: dict[str, Json] = {"model": model, "budget_usd": budget}
    asks = issubclass(judge_named(name), ModelJudge)
    for setting, value in given.items():
        if value is not None:
            if not asks:
                option = "--model" if setting == "model" else "--budget"
                raise InvalidSetting(f"{name} asks no model, so {option} says nothing to it.")
            settings[setting] = value
    return make_judge(name, settings)


def _begin(engine: Engine, dataset_id: int, judge: Judge, name: str | None, author: str) -> int:
    now = datetime.now(UTC)
    run_id = create_run(
        engine,
        dataset_id=dataset_id,
        judge=judge,
        name=name or f"{get_dataset(engine, dataset_id).name}, {judge.title}, {now:%Y-%m-%d %H:%M}",
        options=RunOptions(),
        author=author,
        now=now,
    )
    say(f"Run {run_id} over dataset {dataset_id}. In the dashboard: /examples?run={run_id}")
    return run_id


def _judge_with_bar(engine: Engine, run_id: int) -> None:
    with progress() as shown:
        task = shown.add_task("Judging", total=None)

        def told(come: Progress) -> None:
            shown.update(task, total=come.total, completed=come.judged)

        try:
            judge_run(engine, run_id, told)
        except KeyboardInterrupt:
            say(f"Stopped. Run {run_id} is kept as it is; a worker of the app goes on with it.")
            raise


def _tell(engine: Engine, run_id: int, bar: Bar, against: str | None, *, as_json: bool) -> None:
    card, summary = get_run(engine, run_id), run_summary(engine, run_id, NOBODY)
    other = None if against is None else compared_with(engine, card, against)
    recall = headline(engine, run_id)
    status, why = bar.held(card, summary, other)
    if as_json:
        give_json(
            {
                **run_json(card, summary, recall),
                "exit_status": status,
                "reason": why,
                "against": None if other is None else _change_json(other),
            }
        )
    else:
        give("\n".join(run_lines(card, summary, recall)))
        if other is not None:
            give(_change_line(other))
    if why:
        say(why)
    if status != GOOD:
        raise typer.Exit(status)


def _change_json(other: Comparison) -> dict[str, Json]:
    return {
        "run": other.a.id,
        "name": other.a.name,
        "shared": other.final.shared,
        "change": other.final.judge,
        "fell": other.worse,
        "rose": other.better,
    }


def _change_line(other: Comparison) -> str:
    change = other.final.judge
    said = "no shared example has a score in both" if change is None else f"{change:+.2f}"
    return (
        f"Against run {other.a.id}, {other.a.name}: {said} on {other.final.shared} shared "
        f"examples; {other.worse} fell, {other.better} rose."
    )
