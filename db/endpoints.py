"""The endpoints of this installation: from the environment, `endpoints.toml` and the secrets."""

from __future__ import annotations

import os
from pathlib import Path

from db.engine import PROJECT_ROOT
from recall_core.llm.endpoints import Endpoint, load_endpoints

ENDPOINTS = "endpoints.toml"


def endpoints_file() -> Path:
    """Where the operator writes down servers, models and prices, whether or not it is there yet."""
    chosen = os.environ.get("RECALL_ENDPOINTS", "").strip()
    return Path(chosen).expanduser() if chosen else PROJECT_ROOT / ENDPOINTS


def known_endpoints() -> dict[str, Endpoint]:
    """Every endpoint by name; `InvalidSetting` names the file and the field that cannot be read."""
    return load_endpoints(
        os.environ,
        file=PROJECT_ROOT / ENDPOINTS,
        secrets=PROJECT_ROOT / ".streamlit" / "secrets.toml",
    )
