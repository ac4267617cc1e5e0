"""Judging on this machine, with what is installed here; nothing is stored."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import aclosing
from pathlib import Path

from recall_client.choosing import JudgeChoice
from recall_client.examples import Example
from recall_client.loops import LoopThread
from recall_client.progress import Progress
from recall_client.results import Evaluation, result_from
from recall_client.results import Result as ExampleResult
from recall_client.splitting import Split, split
from recall_core.asking.judge import ModelJudge
from recall_core.judges.base import Judge
from recall_core.judging import judge_all, judge_stream
from recall_core.llm.budgeted import Budget
from recall_core.llm.client import chosen, open_chat
from recall_core.llm.endpoints import load_endpoints
from recall_core.llm.paced import workers_for
from recall_core.results import Result, result_of
from recall_core.types import Example as CoreExample
from recall_core.types import Outcome

Tell = Callable[[int], None]
"""Called with how many examples are judged so far."""


def judged_here(judge: Judge, examples: Sequence[CoreExample], tell: Tell) -> list[Result]:
    """One result an example, in order. Judges that ask a model ask the endpoint of that name:
    `OPENAI_API_KEY` and `OPENAI_BASE_URL` make the first, `endpoints.toml` in the current folder,
    or the file that `RECALL_ENDPOINTS` names, the others.
    """
    if isinstance(judge, ModelJudge):
        with LoopThread() as loop:
            outcomes = loop.run(_by_model(judge, examples, tell))
    else:
        outcomes = []
        for outcome in judge_all(judge, examples):
            outcomes.append(outcome)
            tell(len(outcomes))
    return [result_of(e, judge, o) for e, o in zip(examples, outcomes, strict=True)]


async def _by_model(
    judge: ModelJudge, examples: Sequence[CoreExample], tell: Tell
) -> list[Outcome]:
    endpoints = load_endpoints(os.environ, file=Path.cwd() / "endpoints.toml")
    endpoint = chosen(endpoints, judge.endpoint)
    found: dict[int, Outcome] = {}
    async with open_chat(
        endpoint,
        budget=Budget(judge.budget),
        concurrency=judge.concurrency,
        requests_per_minute=judge.requests_per_minute,
        tokens_per_minute=judge.tokens_per_minute,
    ) as chat:
        window = endpoint.model(judge.model).window
        workers = workers_for(judge.concurrency)
        stream = judge_stream(judge, examples, chat, concurrency=workers, window=window)
        async with aclosing(stream):
            async for place, outcome in stream:
                found[place] = outcome
                tell(len(found))
    return [found[place] for place in range(len(examples))]


class Here:
    """Judges on this machine; nothing is stored and no address opens anything."""

    where = "on this machine; nothing is stored"

    def evaluate(
        self,
        name: str,
        examples: Sequence[Example],
        choices: Sequence[JudgeChoice],
        progress: Progress,
    ) -> Evaluation:
        """Every judge's results, in order."""
        judges = [choice.made() for choice in choices]
        results: list[ExampleResult] = []
        for judge, choice in zip(judges, choices, strict=True):
            part = split(choice, examples)
            results += part.together(_judged(judge, part, progress))
        return Evaluation(name, tuple(results))

    score = evaluate
    """The same, since nothing is stored anyway."""

    def close(self) -> None:
        """Nothing is held open."""


def _judged(judge: Judge, part: Split, progress: Progress) -> list[ExampleResult]:
    given = [part.examples[place].as_core(place + 1) for place in part.complete]

    def tell(done: int) -> None:
        progress(judge.name, done, len(given))

    found = judged_here(judge, given, tell)
    return [
        result_from(part.examples[place], place + 1, part.choice, result.as_json())
        for place, result in zip(part.complete, found, strict=True)
    ]
