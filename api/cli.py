"""The command line: everything that the dashboard does without a person's judgement."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from api.commands import (
    backup,
    config,
    datasets,
    export,
    importing,
    judge,
    judges,
    recount,
    run,
    runs,
    score,
    token,
    verify,
)
from api.console import INCOMPLETE, WRONG_USE, say
from recall_core.errors import RecallError

EXAMPLES = """\
Examples:

\b
  python -m api import answers.csv --name "Release 12"
  python -m api run "Release 12" --judge contextual_recall --model gpt-4o --budget 5
  python -m api run answers.csv --judge context_recall --at-least 0.8
  python -m api report last --output report.html
  python -m api token create --name ci --scope evaluate --scope read
"""

SECTIONS = {
    "Data": ("import", "datasets"),
    "Judging": ("judges", "run", "judge", "score"),
    "What came of it": ("runs", "show", "export", "report", "verify", "recount"),
    "Upkeep": ("token", "backup", "restore", "config"),
}


class Sections(TyperGroup):
    """Lists the commands by what they are for, each with its whole first sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, _first_line(self.commands[name])) for name in names])


def _first_line(command: Any) -> str:
    return " ".join((command.help or "").split("\n\n")[0].split())


app = typer.Typer(
    name="python -m api",
    cls=Sections,
    help=(
        "Recall Desk on the command line. Results go to standard output, progress and errors to "
        "standard error; --json makes results objects for programs. The exit status is 0 for "
        "good, 1 below the bar or not as it should be, 2 for a wrong use, 3 when something has no "
        "answer, so that nobody can tell."
    ),
    epilog=EXAMPLES,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("import")(importing.import_file)
app.command("datasets")(datasets.datasets)
app.command("judges")(judges.list_judges)
app.command("run")(run.run)
app.command("runs")(runs.runs)
app.command("show")(runs.show)
app.command("export")(export.export)
app.command("report")(export.report)
app.command("score")(score.score)
app.command("judge")(judge.judge)
app.command("verify")(verify.verify)
app.command("recount")(recount.recount)
app.add_typer(token.app, name="token")
app.command("backup")(backup.backup)
app.command("restore")(backup.restore)
app.command("config")(config.config)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. Whatever goes wrong is a sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app(list(sys.argv[1:] if arguments is None else arguments))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else WRONG_USE
    except RecallError as error:
        say(str(error))
        return WRONG_USE
    except OSError as error:
        say(f"{error.filename}: {error.strerror}." if error.filename else str(error))
        return WRONG_USE
    except Exception as error:  # noqa: BLE001  # a fault of ours, said as a sentence all the same
        say(f"This is a fault of Recall Desk: {type(error).__name__}: {error}")
        return INCOMPLETE
    return 0
