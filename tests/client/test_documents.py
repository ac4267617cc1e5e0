"""The program that `docs/ci.md` shows, run as it stands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from db.runs import list_runs
from tests.client.conftest import Served
from tests.client.samples import POLICY
from tests.llm_server import LlmServer
from tests.model_answers import judging

ROOT = Path(__file__).resolve().parents[2]


def test_the_gate_at_a_desk_passes_and_its_run_is_kept(
    desk: Served,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    program = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[-1]
    row = {
        "question": "q",
        "answer": "a",
        "expected_output": POLICY,
        "contexts": [POLICY],
    }
    (tmp_path / "answers.jsonl").write_text(json.dumps(row) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RECALL_ENDPOINTS", raising=False)
    for name, value in {
        "RECALL_URL": desk.address,
        "RECALL_TOKEN": desk.token,
        "NAME": "branch 12",
        "OPENAI_API_KEY": "a-key",
    }.items():
        monkeypatch.setenv(name, value)

    with LlmServer(judging()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with pytest.raises(SystemExit) as ended:
            exec(compile(program, "docs/ci.md", "exec"), {})

    assert ended.value.code == 0
    [run] = list_runs(desk.engine)
    assert (run.name, run.model) == ("branch 12", "gpt-4o")
    assert f"1 (1 of 1) {desk.address}/examples?run={run.id}" in capsys.readouterr().out
