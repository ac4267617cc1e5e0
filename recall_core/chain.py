"""The chain of a run's decisions: each hash is over a decision's facts and the hash before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from recall_core.types import Json

START = "0" * 64
"""What stands in the place of the previous hash in the first decision of a run."""


def chain_hash(facts: Mapping[str, Json]) -> str:
    """SHA-256 over the facts as canonical JSON: keys sorted, no blanks, UTF-8.

    One of the facts is the previous hash. Scores are decimal text, times UTC to the microsecond.
    """
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
