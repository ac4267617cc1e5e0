"""The servers that the operator lets people ask, each known by its name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from recall_core.errors import InvalidSetting
from recall_core.llm.address import OPENAI, checked_address, host_of
from recall_core.llm.prices import ANY_MODEL, ModelFacts, openai_model, read_models, window_size
from recall_core.llm.redaction import Redactor

FIRST = "default"
"""The endpoint that OPENAI_API_KEY and OPENAI_BASE_URL make."""
_NAME = re.compile(r"^[a-z0-9][a-z0-9_-]{0,39}$")
_FIELDS = frozenset({"base_url", "key_env", "key", "key_header", "query", "models", "window"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that speaks OpenAI's protocol, and what is known of its models.

    The key is hidden in every representation. `problem` says, in a sentence, why the endpoint
    cannot be asked (its key is not set); examples are then skipped. `key_header` is the header
    that carries the key where it is not `Authorization: Bearer`, `query` is put behind every
    address (`api-version` of older Azure APIs), `window` holds for models without their own.
    """

    name: str
    base_url: str
    key: SecretStr | None = field(default=None, repr=False)
    key_variable: str | None = None
    key_header: str | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, ModelFacts] = field(default_factory=dict)
    window: int | None = None
    problem: str | None = None

    @property
    def host(self) -> str:
        """Where it is, for people."""
        return host_of(self.base_url)

    @property
    def is_openai(self) -> bool:
        return self.base_url == OPENAI

    @property
    def model_names(self) -> tuple[str, ...]:
        """The models that the operator lists; empty: any name may be typed."""
        return tuple(name for name in self.models if name != ANY_MODEL)

    @property
    def redact(self) -> Redactor:
        """Takes this endpoint's key out of a text."""
        return Redactor(() if self.key is None else (self.key.get_secret_value(),))

    def model(self, name: str) -> ModelFacts:
        """What is known of a model: its own entry, else the entry `*`, else OpenAI's table."""
        known = self.models.get(name) or self.models.get(ANY_MODEL)
        if known is None and self.is_openai:
            known = openai_model(name)
        known = replace(known, name=name) if known else ModelFacts(name)
        return known if known.window else replace(known, window=self.window)


def load_endpoints(
    environ: Mapping[str, str], *, file: Path | None = None, secrets: Path | None = None
) -> dict[str, Endpoint]:
    """Every endpoint by name: the environment's, then those of `endpoints.toml` and the secrets.

    `file` (`RECALL_ENDPOINTS`, else the project's `endpoints.toml`) may be missing unless it was
    asked for by name; keys are not allowed in it. `secrets` is Streamlit's `secrets.toml`: there
    `[endpoints.NAME]` may hold the key itself, and `OPENAI_API_KEY` and `OPENAI_BASE_URL` may
    stand at its top. A later table of the same name adds to the earlier. Raises `InvalidSetting`
    with the file and the field.
    """
    kept = _read_toml(secrets)
    variables = {**{k: v for k, v in kept.items() if isinstance(v, str)}, **environ}
    tables: dict[str, dict[str, Any]] = {FIRST: _first(variables)}
    chosen = environ.get("RECALL_ENDPOINTS", "").strip()
    path = Path(chosen).expanduser() if chosen else file
    if chosen and path is not None and not path.is_file():
        raise InvalidSetting(f"RECALL_ENDPOINTS names {path}, but there is no such file.")
    for name, table in _tables(_read_toml(path), path).items():
        if "key" in table:
            raise InvalidSetting(
                f"{path}: endpoint {name} holds a key. Put it in a variable and name that as "
                "key_env, or in .streamlit/secrets.toml."
            )
        tables[name] = {**tables.get(name, {}), **table}
    for name, table in _tables(kept, secrets).items():
        tables[name] = {**tables.get(name, {}), **table}
    return {name: _endpoint(name, table, variables) for name, table in tables.items()}


def _first(variables: Mapping[str, str]) -> dict[str, Any]:
    """The table of the endpoint that the OpenAI package's own variables describe."""
    address = variables.get("OPENAI_BASE_URL", "").strip() or OPENAI
    wants_key = address.rstrip("/") == OPENAI or bool(variables.get("OPENAI_API_KEY", "").strip())
    return {"base_url": address, **({"key_env": "OPENAI_API_KEY"} if wants_key else {})}


def _read_toml(path: Path | None) -> dict[str, Any]:
    if path is None or not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8-sig"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"{path} is not TOML: {error}.") from None


def _tables(content: Mapping[str, Any], path: Path | None) -> dict[str, dict[str, Any]]:
    tables = content.get("endpoints", {})
    if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
        raise InvalidSetting(f"{path}: endpoints must be tables like [endpoints.lab].")
    for name, table in tables.items():
        if not _NAME.match(name):
            raise InvalidSetting(
                f"{path}: {name!r} is no name for an endpoint; use small letters, digits, - and _."
            )
        unknown = sorted(set(table) - _FIELDS)
        if unknown:
            raise InvalidSetting(
                f"{path}: endpoint {name} has {', '.join(unknown)}; known are "
                f"{', '.join(sorted(_FIELDS))}."
            )
    return tables


def _endpoint(name: str, table: Mapping[str, Any], variables: Mapping[str, str]) -> Endpoint:
    where = "OPENAI_BASE_URL" if name == FIRST else f"base_url of endpoint {name}"
    variable = _text(table, "key_env", name)
    key = _text(table, "key", name) or (variables.get(variable, "").strip() if variable else "")
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise InvalidSetting(f"The key in {variable or 'the secrets'} holds blanks or odd signs.")
    address = _text(table, "base_url", name)
    if address is None:
        raise InvalidSetting(f"Endpoint {name} needs a base_url.")
    query = table.get("query", {})
    if not isinstance(query, dict) or not all(isinstance(v, str) for v in query.values()):
        raise InvalidSetting(f"Endpoint {name}: query must be a table of texts.")
    return Endpoint(
        name=name,
        base_url=checked_address(address, where, with_key=bool(key)),
        key=SecretStr(key) if key else None,
        key_variable=variable,
        key_header=_text(table, "key_header", name),
        query=query,
        models=_models(table.get("models", {}), name),
        window=window_size(table.get("window"), f"Endpoint {name}"),
        problem=f"Endpoint {name}: {variable} is not set." if variable and not key else None,
    )


def _text(table: Mapping[str, Any], field_name: str, name: str) -> str | None:
    value = table.get(field_name)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise InvalidSetting(f"Endpoint {name}: {field_name} must be a text.")
    return value.strip()


def _models(value: object, name: str) -> dict[str, ModelFacts]:
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return {model: ModelFacts(model) for model in value}
    if isinstance(value, dict):
        return read_models(value, f"Endpoint {name}: models")
    raise InvalidSetting(f"Endpoint {name}: models must be a list of names or a table.")
