"""The lexical screen: the rule's numbers, verbatim copies, windows, places, sentences."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_core.lexical import (
    Screener,
    continuous_grade,
    evidence_of,
    explain,
    screen,
    unit_grade,
)
from recall_core.lexical.model import best_window, probability
from recall_core.lexical.text import PreparedText, sentences_of
from recall_core.types import UnitKind

ENGLISH = (
    "The municipal library reopened in March 2019 after two years of repairs, and 1,240 people "
    "came on the first day. Its reading room has 85 seats. Members may borrow up to twelve books "
    "for four weeks, e.g. novels or maps. Late returns cost 20 cents a day! Dr. Aho, who leads "
    'the house, says that "the roof no longer leaks". Visitors from the neighbouring towns of '
    "Lund and Malmö need a card with a photograph. The card is free for children under fourteen. "
    "On Mondays the doors stay shut because staff repair damaged bindings. In winter the heating "
    "is turned down to 18.5 degrees at night. A café on the ground floor sells soup, bread and "
    "coffee until six. Concerts take place in the hall every second Friday from October to May. "
    "The archive keeps letters from the years 1790 to 1911, many of them unread. Scholars may ask "
    "for scans, which arrive within ten working days. Photographs without flash are allowed. Dogs "
    "are not, except guide dogs. The bicycle stand has room for sixty. Bus 7 stops at the door. "
    "The last loan is recorded fifteen minutes before closing time. Whoever loses a book pays its "
    "price and a fee of five euros for the work."
)
CHINESE = (
    "市立图书馆经过两年的维修于二〇一九年三月重新开放，第一天有1240人前来参观。阅览室共有85个座位。"
    "会员每次最多可以借阅十二本书，期限为四周。逾期归还每天收费两角！馆长说：“屋顶不再漏水了。”"
    "来自邻近城镇的访客需要带照片的证件。十四岁以下儿童免费办理借书证。星期一闭馆，因为工作人员要修补"
    "损坏的书籍。冬天夜间暖气调低到18.5度。一楼的咖啡馆出售汤、面包和咖啡，营业到六点。十月到五月每隔"
    "一个星期五在大厅举行音乐会。档案馆保存着1790年至1911年的信件，其中许多还没有人读过。学者可以申请"
    "扫描件，十个工作日内送达。"
)
ARABIC = (
    "أعادت المكتبة البلدية فتح أبوابها في آذار ٢٠١٩ بعد عامين من الإصلاحات، وحضر ١٢٤٠ شخصا في "
    "اليوم الأول. تضم قاعة القراءة ٨٥ مقعدا. يحق للأعضاء استعارة اثني عشر كتابا لمدة أربعة أسابيع. "
    "هل تفتح يوم الاثنين؟ لا، تبقى مغلقة لأن الموظفين يصلحون الكتب التالفة. يحتاج الزوار من المدن "
    "المجاورة إلى بطاقة تحمل صورة. البطاقة مجانية للأطفال دون الرابعة عشرة. يبيع المقهى في الطابق "
    "الأرضي الحساء والخبز والقهوة حتى السادسة. تقام الحفلات الموسيقية كل جمعة ثانية من تشرين الأول "
    "إلى أيار. يحفظ الأرشيف رسائل من القرن التاسع عشر لم يقرأ كثيرا منها أحد. يمكن للباحثين طلب "
    "نسخ مصورة تصل خلال عشرة أيام عمل."
)
UNRELATED = {
    "en": "Photosynthesis converts light energy into sugar. Chlorophyll absorbs mostly red light.",
    "zh": "光合作用把光能转化为糖。叶绿素主要吸收红光。",
    "ar": "تحول عملية التمثيل الضوئي طاقة الشمس إلى سكر. يمتص اليخضور اللون الأحمر.",
}


def words_of(language: str, count: int) -> str:
    """The first `count` words; a Chinese word counts as 1.6 characters."""
    if language == "zh":
        return (CHINESE * 2)[: round(1.6 * count)]
    text = ENGLISH if language == "en" else ARABIC
    return " ".join((text.split() * 2)[:count])


@pytest.mark.parametrize("count", [10, 50, 200])
@pytest.mark.parametrize("language", ["en", "zh", "ar"])
def test_a_passage_scores_five_against_itself(language: str, count: int) -> None:
    passage = words_of(language, count)
    screening = screen(passage, [passage])
    assert screening.probability == 1
    assert unit_grade(UnitKind.ESSENTIAL, screening.probability) == 5


@pytest.mark.parametrize("language", ["en", "zh", "ar"])
def test_a_passage_scores_five_inside_a_longer_text(language: str) -> None:
    texts = {"en": ENGLISH, "zh": CHINESE, "ar": ARABIC}
    passage = words_of(language, 30)
    around = f"{UNRELATED[language]}\n\n{texts[language]} {UNRELATED[language]}"
    assert screen(passage, [UNRELATED[language], around]).probability == 1


@pytest.mark.parametrize("language", ["en", "zh", "ar"])
def test_unrelated_text_is_next_to_nothing(language: str) -> None:
    screening = screen(words_of(language, 50), [UNRELATED[language]])
    assert screening.probability < 0.04
    assert screening.places == ()


def test_nothing_to_search_in_is_zero() -> None:
    assert screen("The library opens.", []).probability == 0
    assert screen("The library opens.", [""]).probability == 0
    assert screen("The library opens.", ["…"]).probability == 0


def test_the_probability_is_the_logistic_of_the_settled_weights() -> None:
    # Found: 3 of 5 content stems, 5 of 8 stems; the number and the name are missing.
    (sentence,) = sentences_of("the cat Tom eats a mouse at 9", "en")
    (window,) = PreparedText("the cat eats a mouse", "en").windows
    content, everything, order, pairs = 3 / 5, 5 / 8, 5 / 8, 3 / 7
    logit = (
        2.122 * content
        + 1.282 * everything
        + 0.764 * order
        + 0.173 * pairs
        - 1.038 * 1
        - 0.342 * 1
        - 0.173 * 2
        - 0.052 * 5
        - 1.979
    )
    assert probability(sentence, window) == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-12)


def test_missing_content_counts_as_if_there_were_at_most_eight() -> None:
    (sentence,) = sentences_of(
        "red green blue black white brown grey pink gold silver ivory teal", "en"
    )
    (window,) = PreparedText("red green blue black white brown", "en").windows
    logit = 2.122 / 2 + 1.282 / 2 + 0.764 / 2 + 0.173 * 5 / 11 - 0.173 * 4 - 0.052 * 8 - 1.979
    assert probability(sentence, window) == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-12)


def test_verbatim_folds_blanks_and_case_but_no_word_is_cut() -> None:
    assert screen("The cat sat.", ["Look:\nthe  CAT\tsat down"]).probability == 1
    assert screen("The cat sat.", ["bathe catsat"]).probability < 1
    assert screen("the “old” cat", ['The "old" cat']).probability == 1
    assert screen("two old cats", ["**two** old cats"]).probability == 1


def test_two_words_are_too_few_to_count_as_verbatim() -> None:
    assert screen("old cats", ["many old cats here"]).probability < 1


def test_the_mean_over_sentences_is_weighted_by_their_tokens() -> None:
    unit = "The old library opens at nine. Photosynthesis needs light."
    screening = screen(unit, ["The old library opens at nine."])
    first, second = screening.sentences
    assert (first.weight, second.weight) == (6, 3)
    assert screening.probability == pytest.approx((6 + 3 * second.probability) / 9)


def test_words_scattered_over_a_long_text_do_not_add_up() -> None:
    filler = "Rain fell on the hills all day and nobody went out to see it. " * 12
    scattered = f"A helmet. {filler} Two ropes. {filler} Some chalk. {filler}"
    together = f"{filler} Bring a helmet, two ropes, chalk. {filler}"
    unit = "Climbers bring a helmet, two ropes and chalk."
    assert screen(unit, [scattered]).probability < 0.5 < screen(unit, [together]).probability


def test_a_text_without_full_stops_is_still_cut_into_windows() -> None:
    words = " ".join(f"word{i}" for i in range(400))
    windows = PreparedText(words, "en").windows
    assert all(sum(map(len, w.sentences)) <= 120 for w in windows)
    assert (windows[0].start, windows[-1].end) == (0, len(words))


@given(st.lists(st.sampled_from([*"abcdefgh", "The", "9", "Lund", "x. Y", "b. A"]), min_size=130))
@settings(deadline=None, max_examples=25)
def test_the_first_best_window_is_found_without_comparing_all(words: list[str]) -> None:
    text = PreparedText(" ".join(words), "en")
    (sentence,) = sentences_of("the h g Lund f e 9 d c", "en")
    best = best_window(sentence, text.windows)
    everyone = [probability(sentence, window) for window in text.windows]
    assert best is not None
    assert best.probability == max(everyone)
    assert best.window == everyone.index(max(everyone))


def test_of_equal_windows_the_first_is_pointed_at() -> None:
    filler = "Rain fell on the hills all day. " * 20
    text = f"{filler} Big dogs bite men. {filler} Big dogs bite men. {filler}"
    (place,) = screen("Dogs bite big men.", [text]).places
    assert place.start == text.index("Big dogs")


def test_the_place_is_the_shortest_stretch_that_supports_as_much() -> None:
    texts = ["Nothing here.", f"It rained. Members may borrow ten books. {UNRELATED['en']}"]
    screening = screen("Members borrow ten books.", texts)
    (place,) = screening.places
    assert texts[place.text][place.start : place.end] == "Members may borrow ten books."


def test_overlapping_places_become_one() -> None:
    text = "Members may borrow ten books. The loan lasts a month."
    unit = "Members borrow ten books for a month. The loan of ten books lasts long."
    evidence = evidence_of(screen(unit, [text]), [text], [7])
    assert [(e.rank, e.quote) for e in evidence] == [(7, text)]


def test_number_words_and_digits_are_the_same_number() -> None:
    digits = screen("They own 25 boats.", ["They have twenty-five boats."])
    other = screen("They own 25 boats.", ["They have twenty-four boats."])
    assert digits.probability > 0.6 > other.probability
    assert other.sentences[0].missing_numbers == ("25",)


def test_other_languages_are_stemmed() -> None:
    assert screen("Les chats noirs dorment.", ["Le chat noir dort ici et la."]).probability > 0.4
    assert screen("Die Häuser sind rot.", ["Das ist das rote Haus."]).probability > 0.4


def test_texts_of_two_languages_are_each_read_in_their_own() -> None:
    texts = ["Das ist das rote Haus und nicht der Hof.", "The boats are in the harbour."]
    screener = Screener(texts)
    assert screener.screen("Die Häuser sind rot.").places[0].text == 0
    assert screener.screen("The boat is in the harbour.").places[0].text == 1


def test_a_unit_without_a_word_is_there_or_it_is_not() -> None:
    assert screen(" 👍 ", ["fine 👍"]).probability == 1
    assert screen("👍", ["fine"]).probability == 0
    assert screen("", ["fine"]).probability == 0
    assert "no word or number" in explain(screen("👍", ["fine"]), [1], "passage")


def test_it_sees_no_contradiction_and_little_paraphrase_as_documented() -> None:
    assert (
        screen("The library is closed.", ["It is false that the library is closed."]).probability
        == 1
    )
    assert screen("The library is closed.", ["The reading rooms are shut."]).probability < 0.5


def test_the_sentence_names_what_is_missing_and_where_the_rest_stands() -> None:
    texts = ["Rain fell.", "Members may borrow ten books."]
    unit = "Members of Lund borrow 12 books."
    sentence = explain(screen(unit, texts), [1, 2], "passage")
    assert sentence.startswith("Lexical screen: 3 of this passage's 5 content words stand in")
    assert "retrieved passage 2" in sentence
    assert sentence.endswith("Missing there: “Lund”; the number 12.")


def test_the_sentence_says_word_for_word_or_how_few() -> None:
    assert "word for word in the actual output" in explain(
        screen("Ten books each.", ["ten books each"]), [None], "passage"
    )
    assert "0 of this statement's 3 content words" in explain(
        screen("Ten books remain.", ["Rain fell."]), [1], "statement"
    )


def test_the_sentence_counts_what_it_does_not_name() -> None:
    found = "The ivory teal roof door lamp chair table shelf stairs"
    unit = f"{found} red green blue black white brown grey pink gold"
    sentence = explain(screen(unit, [found]), [1], "passage")
    assert sentence.endswith("“pink” and 1 more.")


def test_missing_characters_are_shown_as_runs() -> None:
    screening = screen("图书馆关闭了。", ["图书馆在这里。"])
    assert screening.sentences[0].missing == ("馆关闭了",)
    assert "words or character pairs" in explain(screening, [1], "statement")


def test_words_in_another_order_are_said_to_be() -> None:
    sentence = explain(screen("Dogs bite old men.", ["Old men bite dogs."]), [1], "statement")
    assert sentence.endswith("Their order or the small words between them differ.")


@pytest.mark.parametrize(
    ("kind", "grades"),
    [
        (UnitKind.ESSENTIAL, {0.0: 1, 0.19: 1, 0.2: 2, 0.4: 3, 0.6: 4, 0.79: 4, 0.8: 5, 1.0: 5}),
        (UnitKind.BONUS, {0.0: 0, 0.09: 0, 0.1: 1, 0.2: 2, 0.4: 3, 0.6: 4, 0.8: 5, 1.0: 5}),
        (UnitKind.STATEMENT, {0.0: 0, 0.49: 0, 0.5: 1, 1.0: 1}),
    ],
)
def test_grades_are_cut_at_fixed_probabilities(kind: UnitKind, grades: dict[float, int]) -> None:
    assert {p: unit_grade(kind, p) for p in grades} == {p: Fraction(g) for p, g in grades.items()}


def test_the_continuous_grade_keeps_the_probability_on_the_units_scale() -> None:
    assert continuous_grade(UnitKind.ESSENTIAL, 0.25) == 2
    assert continuous_grade(UnitKind.BONUS, 0.25) == 1.25
    assert continuous_grade(UnitKind.STATEMENT, 0.25) == 0.25


PARTS = st.sampled_from(
    [
        *("the ", "Dog ", "cats ", "42 ", "3.5 ", "twenty", "-five ", "two hundred "),
        *("\n- ", "1. ", "| ", "\n", "。", "图书", "馆", "！", "ا", "لمكتبة ", "हि", "न्दी "),
        *("é", "e\u0301", "İ", "ß", "ﬁ", "\u200b", "\u00ad", ". ", "! ", '"', "(", "*", "`"),
        *("```\n", "½", "😀", "'s ", "—", "ไทย", "한국 ", "𠀀", "\ud800"),
    ]
)
MIXED_TEXT = st.lists(PARTS, max_size=14).map("".join)


@given(MIXED_TEXT, st.lists(MIXED_TEXT, max_size=3))
@settings(deadline=None)
def test_offsets_always_slice_to_the_quote(unit: str, texts: list[str]) -> None:
    screening = screen(unit, texts)
    assert 0 <= screening.probability <= 1
    for evidence in evidence_of(screening, texts, list(range(len(texts)))):
        assert evidence.rank is not None
        assert evidence.start is not None
        assert evidence.end is not None
        assert evidence.start < evidence.end
        assert texts[evidence.rank][evidence.start : evidence.end] == evidence.quote


@given(MIXED_TEXT.filter(lambda text: any(c.isalnum() for c in text)))
@settings(deadline=None)
def test_any_text_at_all_scores_five_against_itself(text: str) -> None:
    assert unit_grade(UnitKind.ESSENTIAL, screen(text, [text]).probability) == 5
