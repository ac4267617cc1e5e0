"""The judges. A file in this folder that defines a `Judge` is found by itself."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from functools import cache

from pydantic import ValidationError

from recall_core.errors import InvalidSetting
from recall_core.judges.base import Judge, LocalJudge
from recall_core.types import Json

__all__ = ["Judge", "LocalJudge", "judge_named", "judges", "make_judge"]


@cache
def judges() -> Mapping[str, type[Judge]]:
    """Every judge by its name, in alphabetical order."""
    found: dict[str, type[Judge]] = {}
    for module in pkgutil.iter_modules(__path__):
        members = vars(importlib.import_module(f"{__name__}.{module.name}")).values()
        for member in members:
            if _is_judge(member) and member.__module__ == f"{__name__}.{module.name}":
                found[member.name] = member
    return dict(sorted(found.items()))


def _is_judge(member: object) -> bool:
    return inspect.isclass(member) and issubclass(member, Judge) and not inspect.isabstract(member)


def judge_named(name: str) -> type[Judge]:
    """The judge class of that name; `InvalidSetting` names the ones there are."""
    try:
        return judges()[name]
    except KeyError:
        known = ", ".join(judges())
        raise InvalidSetting(f"There is no judge named {name!r}. There are: {known}.") from None


def make_judge(name: str, settings: Mapping[str, Json] | None = None) -> Judge:
    """A judge with these settings; `InvalidSetting` names the field and what it takes."""
    try:
        return judge_named(name).model_validate(dict(settings or {}))
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'settings'}: {e['msg']}" for e in error.errors()
        )
        raise InvalidSetting(f"{name} cannot take these settings. {problems}.") from None
