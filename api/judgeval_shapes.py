"""What the `judgeval` package sends, as far as the desk reads it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class Loose(BaseModel):
    """What the package sends; the key that stands in its bodies is not even read."""

    model_config = ConfigDict(extra="ignore")


class RunName(Loose):
    eval_name: str | None = None
    project_name: str | None = None

    @property
    def key(self) -> str:
        """How the run is found again."""
        return f"{self.project_name or ''}/{self.eval_name or ''}"


class Scorer(Loose):
    score_type: str
    threshold: float = Field(default=0.5, ge=0, le=1)
    strict_mode: bool | None = None


class Evaluation(RunName):
    log_results: bool = False
    examples: list[dict[str, JsonValue]] = Field(min_length=1, max_length=20_000)
    scorers: list[Scorer] = Field(min_length=1, max_length=20)
    model: str | list[str] | None = None
    override: bool | None = None
    append: bool | None = None

    @property
    def model_name(self) -> str:
        """The one model that is asked."""
        several = self.model if isinstance(self.model, list) else [self.model or ""]
        return several[0] if several else ""


class LoggedRun(Loose):
    run: RunName
