"""The lexical screen: how likely people are to find a unit in a text, from its words alone.

It needs no model and no key. It cannot see paraphrase ("shut" for "closed") or contradiction
("is not closed"). `docs/lexical-screen.md` has the rule, its figures and its limits.
"""

from recall_core.lexical.explain import evidence_of, explain, named_texts
from recall_core.lexical.grades import continuous_grade, unit_grade
from recall_core.lexical.model import SCREEN_VERSION
from recall_core.lexical.screening import Place, ScreenedSentence, Screener, Screening, screen

__all__ = [
    "SCREEN_VERSION",
    "Place",
    "ScreenedSentence",
    "Screener",
    "Screening",
    "continuous_grade",
    "evidence_of",
    "explain",
    "named_texts",
    "screen",
    "unit_grade",
]
