"""What a judge that asks a language model inherits: questions, samples and batches."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import replace

from recall_core.asking.answers import Answer, median_of
from recall_core.asking.conversation import STOPPED
from recall_core.asking.one_example import Asking
from recall_core.asking.room import within
from recall_core.asking.sections import (
    boundary_of,
    named_section,
    text_sections,
    unit_sections,
)
from recall_core.asking.settings import LongExamples, ModelSettings
from recall_core.asking.splitting import split_statements_by_model, splitting_request
from recall_core.asking.template import filled
from recall_core.asking.words import closing_lines
from recall_core.llm.plan import PlannedCall, answer_tokens, window_excess
from recall_core.llm.types import CallFailed, Chat, ChatRequest, Message, NotConfigured
from recall_core.replies import Again
from recall_core.scored_text import TextToScore
from recall_core.types import Example, Judgement, Outcome, Skipped, Unit, Verdict


class ModelJudge(ModelSettings):
    """A judge that gets its verdicts from a model, through whatever `Chat` it is handed."""

    @abstractmethod
    def texts(self, example: Example) -> tuple[TextToScore, ...]:
        """What the units are looked for in, in rank order; empty if nothing was retrieved."""

    @abstractmethod
    def without_asking(self, units: Sequence[Unit]) -> tuple[Verdict, ...]:
        """The verdicts where there is nothing to look in, so that no model need be asked."""

    @abstractmethod
    def told(self, verdicts: Sequence[Verdict], texts: Sequence[TextToScore]) -> str:
        """How the score came about, in a sentence made from the verdicts."""

    def hints(self, units: Sequence[Unit]) -> tuple[str, ...]:
        """What a reader should know about the units themselves."""
        return ()

    @property
    def splits_by_model(self) -> bool:
        """Whether statements that no run has frozen yet are made by the model (`split`)."""
        return False

    async def split(self, example: Example, chat: Chat) -> tuple[str, ...]:
        """The statements of the expected output as the model sees them; raises `CallFailed`."""
        text = example.expected_output or ""
        return await split_statements_by_model(text, chat, self, example_id=example.id)

    async def _units_to_judge(self, example: Example, chat: Chat) -> tuple[Unit, ...]:
        if not self.splits_by_model or example.statements is not None:
            return self.units(example)
        return self.units(replace(example, statements=await self.split(example, chat)))

    def scored_texts(self, example: Example) -> tuple[str, ...]:
        return tuple(t.text for t in self.texts(example))

    async def judge(self, example: Example, chat: Chat, *, window: int | None = None) -> Outcome:
        """Judge one example; called only when `lacks` says `None`.

        `window`: how many tokens the model takes, question and answer together, if known. Never
        raises what the chat raises.
        """
        if self.not_set is not None:
            return Skipped(example.id, self.not_set)
        texts = self.texts(example)
        if not any(t.text.strip() for t in texts):
            return self._with_nothing_to_read(example)
        asking = Asking(self, example, chat, window)
        try:
            units = await self._units_to_judge(example, asking)
            return await self._judge(units, texts, asking)
        except NotConfigured as error:
            return Skipped(example.id, str(error))
        except CallFailed as failed:
            return asking.failure(failed.kind, failed.message)

    def _with_nothing_to_read(self, example: Example) -> Outcome:
        """What is settled without a model; its sentences are the statements of a text that the
        model would have had to take apart."""
        units = self.units(example)
        if not units:
            return Skipped(example.id, "The expected output holds no sentence.")
        verdicts = self.without_asking(units)
        return Judgement(example.id, verdicts, self.told(verdicts, ()), self.hints(units))

    async def _judge(
        self, units: Sequence[Unit], texts: tuple[TextToScore, ...], asking: Asking
    ) -> Outcome:
        if not units:
            why = "The model found no statement in the expected output."
            return Skipped(asking.example.id, why)
        samples: list[Answer] = []
        for repeat in range(1, self.samples + 1):
            samples.append(await asking.sample(units, texts, repeat))
            if samples[-1].failure in STOPPED:
                break
        return asking.outcome(median_of(samples, self.samples), texts)

    def planned_calls(
        self, example: Example, *, window: int | None = None
    ) -> tuple[PlannedCall, ...]:
        """The calls that judging the example surely takes (what is asked again comes on top).

        Statements that a model has yet to make are taken to be as many as there are sentences.
        """
        texts = self.texts(example)
        if not any(t.text.strip() for t in texts):
            return ()
        units = self.units(example)
        answer = answer_tokens(
            len(units),
            self.max_output_tokens,
            thinks=self.reasoning_effort not in (None, "none"),
        )
        calls = []
        if self.splits_by_model and example.statements is None:
            text = example.expected_output or ""
            calls.append(PlannedCall(splitting_request(text, self, example_id=example.id), answer))
        batches = self.batches(example, units, texts, window) if units else []
        for repeat in range(1, self.samples + 1):
            for batch in batches:
                request = self.request(example, units, batch, repeat=repeat, window=window)
                calls.append(PlannedCall(request, answer))
        return tuple(calls)

    def batches(
        self,
        example: Example,
        units: Sequence[Unit],
        texts: tuple[TextToScore, ...],
        window: int | None,
    ) -> list[tuple[TextToScore, ...]]:
        """The texts in groups that fit the window; one group unless the settings say `batches`.

        A text that does not even fit alone is a group of its own.
        """
        if self.long_examples is LongExamples.REFUSE or self._fits(example, units, texts, window):
            return [texts]
        groups: list[tuple[TextToScore, ...]] = []
        for text in texts:
            longer = (*groups[-1], text) if groups else (text,)
            if groups and self._fits(example, units, longer, window):
                groups[-1] = longer
            else:
                groups.append((text,))
        return groups

    def _fits(
        self,
        example: Example,
        units: Sequence[Unit],
        texts: Sequence[TextToScore],
        window: int | None,
    ) -> bool:
        return window_excess(self.request(example, units, texts, window=window), window) is None

    def request(
        self,
        example: Example,
        units: Sequence[Unit],
        texts: Sequence[TextToScore],
        *,
        repeat: int = 1,
        ask: int = 1,
        again: Collection[Again] = (),
        limit: int | None = None,
        window: int | None = None,
    ) -> ChatRequest:
        """The question about these units, as it goes to the chat."""
        request = ChatRequest(
            messages=(Message("user", self.rendered(example, units, texts, again)),),
            model=self.model,
            schema_name=self.schema_name,
            schema=self.reply_schema,
            temperature=self.temperature,
            seed=None if self.seed is None else self.seed + repeat - 1,
            reasoning_effort=self.reasoning_effort,
            max_output_tokens=limit or self.max_output_tokens,
            timeout_seconds=self.timeout_seconds,
            example_id=example.id,
            repeat=repeat,
            ask=ask,
        )
        return within(request, window, answer_tokens(len(units), None).high)

    def rendered(
        self,
        example: Example,
        units: Sequence[Unit],
        texts: Sequence[TextToScore],
        again: Collection[Again] = (),
    ) -> str:
        """The prompt with the data in it."""
        question = example.question or ""
        boundary = boundary_of(
            [self.prompt, question, *(u.text for u in units), *(t.text for t in texts)]
        )
        body = filled(
            self.prompt,
            {
                self.units_name: unit_sections(units, boundary),
                "passages": text_sections(texts, boundary),
                "question": named_section("question", question, boundary),
                "boundary": boundary,
            },
        )
        closing = closing_lines(units, self.reasoning_language, again)
        return _LONE_HALF.sub("\ufffd", f"{body}\n\n{closing}")


_LONE_HALF = re.compile("[\ud800-\udfff]")
"""Half a character, which some files hold and no request can carry."""
