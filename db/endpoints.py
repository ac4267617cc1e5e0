"""The endpoints of this installation: from the environment, `endpoints.toml` and the secrets."""

from __future__ import annotations

import os

from db.engine import PROJECT_ROOT
from recall_core.llm.endpoints import Endpoint, load_endpoints


def known_endpoints() -> dict[str, Endpoint]:
    """Every endpoint by name; `InvalidSetting` names the file and the field that cannot be read."""
    return load_endpoints(
        os.environ,
        file=PROJECT_ROOT / "endpoints.toml",
        secrets=PROJECT_ROOT / ".streamlit" / "secrets.toml",
    )
