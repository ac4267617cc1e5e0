"""Guessing the language of a text."""

from __future__ import annotations

import pytest

from recall_core.languages import language_of


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The library is closed on Mondays.", "en"),
        ("Die Bibliothek ist am Montag nicht geöffnet.", "de"),
        ("La bibliothèque est fermée le lundi et les jours fériés.", "fr"),
        ("La biblioteca está cerrada los lunes y los domingos.", "es"),
        ("La biblioteca è chiusa il lunedì e non apre la sera.", "it"),
        ("A biblioteca não abre às segundas.", "pt"),
        ("De bibliotheek is op maandag niet open.", "nl"),
        ("Biblioteket är inte öppet på måndagar och helgdagar.", "sv"),
        ("Библиотека закрыта по понедельникам.", "ru"),
        ("Η βιβλιοθήκη είναι κλειστή.", "el"),
        ("المكتبة مغلقة يوم الاثنين.", "ar"),
        ("کتابخانه دوشنبه‌ها بسته است و باز نمی‌شود.", "fa"),
        ("पुस्तकालय सोमवार को बंद है।", "hi"),
        ("图书馆星期一关闭。", "zh"),
        ("図書館は月曜日に休みです。", "ja"),
        ("도서관은 월요일에 닫습니다.", "ko"),
        ("ห้องสมุดปิดวันจันทร์", "th"),
    ],
)
def test_script_or_function_words_tell_the_language(text: str, code: str) -> None:
    assert language_of(text) == code


def test_a_few_foreign_letters_do_not_change_the_language() -> None:
    assert language_of("The word 图书馆 is the Chinese name of the library.") == "en"


def test_a_text_that_tells_nothing_takes_the_default() -> None:
    assert language_of("Paris") == "en"
    assert language_of("Paris", "fr") == "fr"
    assert language_of("", "de") == "de"
    assert language_of("123 😀", "de") == "de"
