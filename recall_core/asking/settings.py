"""The settings that every judge with a model has; the form and the options are made from them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar, Literal

from pydantic import Field, JsonValue, field_validator
from pydantic_core import PydanticCustomError

from recall_core.asking.template import template_problem
from recall_core.asking.words import FIXED_WORDS
from recall_core.judges.base import Judge
from recall_core.types import Json

USUAL_LIMIT = 4000
"""Most output tokens, unless somebody says otherwise."""
ADVANCED: dict[str, JsonValue] = {"advanced": True}
"""Marks the settings that few people change, so that a form may put them aside."""


class LongExamples(StrEnum):
    """The setting: what happens to an example that does not fit the model's window."""

    REFUSE = "refuse"
    BATCHES = "batches"


class ModelSettings(Judge):
    """Whom to ask, how, how often, and in which words."""

    schema_name: ClassVar[str]
    reply_schema: ClassVar[Mapping[str, Json]]
    units_name: ClassVar[str]
    """What the units are called in the prompt: the placeholder that stands for them."""

    endpoint: str = Field(
        default="default",
        title="Endpoint",
        description="The server to ask, by the name that the operator gave it.",
    )
    model: str = Field(default="", title="Model", description="The model's name at that endpoint.")
    temperature: float | None = Field(
        default=0.0,
        ge=0,
        le=2,
        allow_inf_nan=False,
        title="Temperature",
        description="0 gives the steadiest answers. Empty: the server's own.",
        json_schema_extra=ADVANCED,
    )
    seed: int | None = Field(
        default=None,
        title="Seed",
        description="Asks the server for repeatable answers; each further sample adds 1 to it.",
        json_schema_extra=ADVANCED,
    )
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high"] | None = Field(
        default=None,
        title="Reasoning effort",
        description="For models that think before they answer. Empty: the server's own.",
        json_schema_extra=ADVANCED,
    )
    max_output_tokens: int | None = Field(
        default=USUAL_LIMIT,
        ge=1,
        title="Most output tokens",
        description=(
            "The longest answer that is paid for, thinking included. An answer that is cut off is "
            "asked for once more with four times as much. Empty: the server's own limit."
        ),
        json_schema_extra=ADVANCED,
    )
    samples: int = Field(
        default=1,
        ge=1,
        le=9,
        title="Samples",
        description=(
            "How often the same question is asked; the median counts and the spread is kept. "
            "Odd numbers avoid ties. Above 1, raise the temperature or the samples are alike."
        ),
    )
    reasoning_language: str = Field(
        default="",
        title="Language of the reasoning",
        description="As in English or Deutsch. Empty: the model chooses.",
        json_schema_extra=ADVANCED,
    )
    concurrency: int = Field(
        default=8,
        ge=1,
        le=256,
        title="Concurrency",
        description="How many calls are under way at the same time.",
    )
    requests_per_minute: int | None = Field(
        default=None,
        ge=1,
        title="Requests a minute",
        description="Never more than that. Empty: no limit.",
        json_schema_extra=ADVANCED,
    )
    tokens_per_minute: int | None = Field(
        default=None,
        ge=1,
        title="Tokens a minute",
        description="In and out together, never more than that. Empty: no limit.",
        json_schema_extra=ADVANCED,
    )
    timeout_seconds: float = Field(
        default=120.0,
        gt=0,
        le=3600,
        allow_inf_nan=False,
        title="Timeout in seconds",
        description="How long one try may take before it is given up and made again.",
        json_schema_extra=ADVANCED,
    )
    fresh: bool = Field(
        default=False,
        title="Fresh answers",
        description="Ask the model even where the same question was answered before.",
    )
    budget_usd: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        title="Budget in US dollars",
        description="The run stops before the call that could pass it. Empty: no budget.",
    )
    long_examples: LongExamples = Field(
        default=LongExamples.REFUSE,
        title="Long examples",
        description=(
            "What happens to an example that does not fit the model's window. refuse: it fails, "
            "with both numbers. batches: its passages are judged in groups, and each unit keeps "
            "its best verdict."
        ),
        json_schema_extra=ADVANCED,
    )
    prompt: str = Field(
        default="",
        title="Prompt",
        description="What the model is asked. Names in double braces stand for the data.",
        json_schema_extra={"multiline": True},
    )

    @field_validator("prompt")
    @classmethod
    def _prompt_can_be_used(cls, prompt: str) -> str:
        needed = (cls.units_name, "passages")
        problem = template_problem(prompt, known=(*needed, "question", "boundary"), needed=needed)
        if problem is not None:
            raise PydanticCustomError("prompt", "{problem}", {"problem": problem})
        return prompt

    @property
    def prompt_hash(self) -> str:
        """Over the template, every sentence that code adds to it, and the shape asked for."""
        parts = (self.prompt, *FIXED_WORDS, repr(self.reply_schema))
        return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def budget(self) -> Decimal | None:
        """What a run may cost in US dollars."""
        return None if self.budget_usd is None else Decimal(str(self.budget_usd))

    @property
    def not_set(self) -> str | None:
        """What has to be set before it can ask anybody, in a sentence."""
        if not self.endpoint.strip():
            return f"{self.title} is not configured: choose an endpoint (setting endpoint)."
        if not self.model.strip():
            return f"{self.title} is not configured: choose a model (setting model)."
        return None
