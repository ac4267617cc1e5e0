"""Prompt templates: text in which `{{name}}` stands for data. Every other brace is just a brace."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_PLACEHOLDER = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}")


def template_problem(
    template: str, *, known: Collection[str], needed: Collection[str]
) -> str | None:
    """A sentence for the person who edits the template, or `None` if it can be used."""
    used = _PLACEHOLDER.findall(template)
    unknown = sorted(set(used) - set(known))
    if unknown:
        return f"The prompt has {_listed(unknown)}, which stands for nothing. {_there_are(known)}"
    lacking = [name for name in needed if name not in used]
    if lacking:
        return f"The prompt lacks {_listed(lacking)}, without which there is nothing to judge."
    return None


def filled(template: str, values: Mapping[str, str]) -> str:
    """The template with its placeholders replaced, in one pass: braces in the values are inert."""
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template).strip()


def _there_are(known: Collection[str]) -> str:
    return f"There are {_listed(known)}."


def _listed(names: Collection[str]) -> str:
    written = [f"{{{{{name}}}}}" for name in names]
    return " and ".join([", ".join(written[:-1]), written[-1]] if written[1:] else written)
