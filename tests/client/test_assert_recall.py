"""The pytest helper: it fails with what a person needs to see, and passes with the result."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recall_client import assert_recall
from tests.client.samples import socks

ROOT = Path(__file__).resolve().parents[2]
SCREEN = "contextual_recall_lexical"


def test_an_example_with_enough_recall_passes_and_gives_its_result() -> None:
    assert assert_recall(socks(), judge=SCREEN, at_least=0.5).score == 0.5


def test_too_little_recall_fails_with_the_score_and_what_is_missing() -> None:
    with pytest.raises(AssertionError) as failed:
        assert_recall(socks(id="policy"), judge=SCREEN, at_least=0.8)

    first, *units = str(failed.value).splitlines()
    assert first == (
        f"{SCREEN} gives 0.5, and at least 0.8 is asked for, of example policy "
        "(What's your return policy for a pair of socks?)."
    )
    assert any("statement 2: Shipping costs four euros." in line for line in units)


def test_a_failure_that_rounding_would_hide_is_shown() -> None:
    example = socks(
        expected_output="A first claim here. A second claim here. Unheard.",
        retrieval_context=["A first claim here. A second claim here."],
    )

    with pytest.raises(AssertionError, match=r"0\.666667, and at least 0\.67"):
        assert_recall(example, judge=SCREEN, at_least=0.67)


def test_no_score_is_a_failure_that_says_why() -> None:
    with pytest.raises(AssertionError, match=r"gave no score for example 1: .*expected_output"):
        assert_recall(socks(expected_output=None, input=None), judge=SCREEN, at_least=0)


def test_settings_of_the_judge_can_be_given() -> None:
    result = assert_recall(
        socks(), judge="context_recall", at_least=0.5, distance_measure="hamming"
    )

    assert "hamming" in result.reason


def test_a_failure_in_pytest_ends_at_the_test_and_shows_what_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "test_policy.py"
    file.write_text(
        "from recall_client import Example, assert_recall\n\n"
        "def test_policy():\n"
        "    example = Example(expected_contexts=['Thirty days.'], retrieval_context=['Else.'])\n"
        "    assert_recall(example, judge='context_recall', at_least=0.8)\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file.name],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert "expected context 1: Thirty days." in done.stdout
    assert "recall_client/testing.py" not in done.stdout
