"""Numbers in one spelling: "1,000" and "1000", "twenty-five" and "25"."""

from __future__ import annotations

import re
from collections.abc import Mapping


def _counted(words: str, first: int = 0) -> dict[str, str]:
    """Words in counting order from `first`; spellings of one number are joined by "/"."""
    return {
        word: str(number)
        for number, spellings in enumerate(words.split(), first)
        for word in spellings.split("/")
    }


TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
ENGLISH = {
    **_counted(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen"
    ),
    **{word: str(10 * ten) for ten, word in enumerate(TENS.split(), 2)},
}
SCALES: Mapping[str, int] = {"hundred": 100, "thousand": 1000}
"""English words that multiply the number before them ("two hundred"); alone they stay words."""

# "One" is left out where it is also the article ("ein", "un", "uno").
NUMBER_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": ENGLISH,
    "de": _counted("zwei drei vier fünf/fuenf sechs sieben acht neun zehn elf zwölf/zwoelf", 2),
    "fr": _counted("deux trois quatre cinq six sept huit neuf dix onze douze", 2),
    "es": _counted("dos tres cuatro cinco seis siete ocho nueve diez once doce", 2),
    "it": _counted("due tre quattro cinque sei sette otto nove dieci undici dodici", 2),
    "pt": _counted("dois/duas três quatro cinco seis sete oito nove dez onze doze", 2),
    "nl": _counted("twee drie vier vijf zes zeven acht negen tien elf twaalf", 2),
    "sv": _counted("två tre fyra fem sex sju åtta nio tio elva tolv", 2),
    "da": _counted("to tre fire fem seks syv otte ni ti elleve tolv", 2),
    "no": _counted("to tre fire fem seks sju/syv åtte ni ti elleve tolv", 2),
    "ru": _counted("два/две три четыре пять шесть семь восемь девять десять", 2),
}

_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


def digits(surface: str) -> str:
    """The number in ASCII digits, without group marks or leading zeros, and with a decimal point.

    "1.000" is read as a thousand; as both sides are read alike, a wrong reading does no harm.
    """
    grouped = bool(_GROUPED.fullmatch(surface))
    plain = "".join(
        str(int(c)) if c.isdecimal() else c for c in surface if c.isdecimal() or not grouped
    )
    return plain.replace(",", ".").lstrip("0") or "0"
