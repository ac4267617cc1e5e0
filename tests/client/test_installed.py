"""What other projects get: the core and the client, which need nothing of the application."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

ALONE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"sqlalchemy", "starlette", "streamlit",
                                  "pandas", "typer", "rich", "alembic", "uvicorn", "psutil"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refuse())
from recall_client import Client, Example

client = Client()
print(client.where)
print(client.run_evaluation(
    [Example("q", "a", "It rains.", ["It rains."])], "contextual_recall_lexical"
)[0].score)
"""


def _run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RECALL_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_without_the_application_the_client_judges_on_this_machine(tmp_path: Path) -> None:
    for package in ("recall_core", "recall_client"):
        (tmp_path / package).symlink_to(ROOT / package)

    done = _run(ALONE, tmp_path)

    assert done.stderr == ""
    assert done.stdout.splitlines() == ["on this machine; nothing is stored", "1.0"]


def test_somebody_elses_package_called_api_is_not_taken_for_the_application(
    tmp_path: Path,
) -> None:
    for package in ("recall_core", "recall_client"):
        (tmp_path / package).symlink_to(ROOT / package)
    for package in ("api", "db"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise SystemExit('not yours')")

    done = _run("from recall_client import Client; print(Client().where)", tmp_path)

    assert done.stderr == ""
    assert done.stdout == "on this machine; nothing is stored\n"
