"""The command line: score, judge, import, and look at what there is.

Results go to standard output, progress and errors to standard error. The exit status is 0 when all
went well, 1 when something is not as it should be, 2 for a wrong use, 3 when some example has no
score.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import typer

from api.commands import config, datasets, importing, judge, judges, recount, score, token, verify
from api.console import WRONG_USE, say
from recall_core.errors import RecallError

app = typer.Typer(
    name="python -m api",
    help=(
        "Recall Desk on the command line. Results go to standard output, progress and errors to "
        "standard error; the exit status is 0 for good, 1 when something is not as it should be, "
        "2 for a wrong use, 3 when some example has no score."
    ),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("score")(score.score)
app.command("judge")(judge.judge)
app.command("judges")(judges.list_judges)
app.command("import")(importing.import_file)
app.command("datasets")(datasets.datasets)
app.command("config")(config.config)
app.command("recount")(recount.recount)
app.command("verify")(verify.verify)
app.add_typer(token.app, name="token")

INTERNAL = 1


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
        return INTERNAL
    return 0
