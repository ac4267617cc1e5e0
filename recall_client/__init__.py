"""Recall Desk from programs: scripts, notebooks, tests.

from recall_client import Client, Example

results = Client("http://127.0.0.1:8501", token="…").run_evaluation(
    examples=[Example(input="…", actual_output="…", expected_output="…",
                      retrieval_context=["…"])],
    judges=["contextual_recall"],
    model="gpt-4o",
)
print(results)
"""

from recall_client.choosing import JudgeChoice, judge
from recall_client.client import Client
from recall_client.errors import DeskError, InvalidExample
from recall_client.examples import Example, read_examples
from recall_client.results import Evaluation, Evidence, Result, RunLink, Verdict
from recall_client.testing import assert_recall

__all__ = [
    "Client",
    "DeskError",
    "Evaluation",
    "Evidence",
    "Example",
    "InvalidExample",
    "JudgeChoice",
    "Result",
    "RunLink",
    "Verdict",
    "assert_recall",
    "judge",
    "read_examples",
]
