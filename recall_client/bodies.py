"""An example as the body of a request that is answered at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from recall_client.choosing import JudgeChoice
from recall_client.examples import Example
from recall_core.errors import InvalidSetting
from recall_core.types import Formula, Json

MOST_EXAMPLES = 50
MOST_CHARACTERS = 500_000
"""A request ends at whichever comes first; the desk takes no more than 2 MB in one."""


def evaluate_data(example: Example, number: int, choice: JudgeChoice) -> dict[str, Json]:
    """The example in the words of the judge's family; what it has not is left out."""
    kind = choice.known
    if kind is None:
        raise InvalidSetting(
            f"{choice.name} is not installed here, so it can only judge what is stored."
        )
    core = example.as_core(number)
    contexts = _texts(example.retrieval_context)
    essential: Json = [p.text for p in core.essential]
    bonus: Json = [p.text for p in core.bonus]
    if kind.uses_statements:
        data: dict[str, Json] = {
            "input": example.input,
            "actual_output": example.actual_output,
            "expected_output": example.expected_output,
            "retrieval_context": contexts,
        }
    elif kind.formula is Formula.PASSAGE:
        data = {
            "question": example.input,
            "essential": essential,
            "bonus": bonus,
            "contexts": contexts,
            "actual_output": example.actual_output,
        }
    else:
        data = {"contexts": contexts, "expected_contexts": essential, "bonus": bonus}
    return {"id": core.id, **{name: value for name, value in data.items() if value is not None}}


def _texts(texts: Sequence[str] | None) -> Json:
    return None if texts is None else list(texts)


def batches(data: Sequence[dict[str, Json]]) -> Iterator[list[dict[str, Json]]]:
    """The data in requests that are not too large; a large example is alone in one."""
    batch: list[dict[str, Json]] = []
    characters = 0
    for one in data:
        size = len(json.dumps(one))
        if batch and (len(batch) >= MOST_EXAMPLES or characters + size > MOST_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(one)
        characters += size
    if batch:
        yield batch
