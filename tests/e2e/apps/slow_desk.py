"""The app, with a review desk that takes half a second more for each of its steps."""

from __future__ import annotations

import time
from typing import Any

from app import app
from pages.components import review_desk

__all__ = ["app"]

_quick = review_desk.items_or_trouble


def _slow(*args: Any) -> Any:
    time.sleep(0.5)
    return _quick(*args)


review_desk.items_or_trouble = _slow
