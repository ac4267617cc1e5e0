"""Delimited text: encodings, delimiters, quotes, ragged rows."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.errors import UnreadableFile
from recall_core.ingest import FileFormat, Role, delimited, read_file, suggest_mapping
from recall_core.ingest.limits import MAX_CELL_CHARACTERS
from recall_core.ingest.table import Table

TEXT = "question;réponse;contexts\nOù est la clé?;à côté;Sous le pot d’été\n"


def only_row(table: Table) -> dict[str, object]:
    (row,) = table.rows()
    return dict(row.values)


@pytest.mark.parametrize(
    ("codec", "said"),
    [
        ("utf-8", "UTF-8, semicolons"),
        ("utf-8-sig", "UTF-8 with BOM, semicolons"),
        ("utf-16", "UTF-16, semicolons"),
        ("utf-16-le", "UTF-16, semicolons"),
        ("utf-16-be", "UTF-16, semicolons"),
        ("cp1252", "cp1252 (Windows), semicolons"),
    ],
)
def test_encodings_and_semicolons_are_detected_and_said(codec: str, said: str) -> None:
    table = read_file(TEXT.encode(codec), "rows.csv")

    assert table.columns == ("question", "réponse", "contexts")
    assert only_row(table)["contexts"] == "Sous le pot d’été"
    assert table.description.endswith(said)


def test_the_french_spreadsheet_export_is_cp1252_with_semicolons() -> None:
    table = read_file(b"r\xe9ponse;contexte\r\n", "export.csv")

    assert (table.encoding, table.delimiter) == ("cp1252", ";")
    assert table.columns == ("réponse", "contexte")


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1251", "Библиотека закрыта в понедельник. Во вторник она открыта с девяти часов."),
        ("shift_jis", "図書館は月曜日に閉まっています。火曜日は九時に開きます。"),
        ("cp1250", "Zażółć gęślą jaźń. Książka leży na stole i proszę bardzo dzień dobry."),
        ("cp1256", "المكتبة مغلقة يوم الاثنين. تفتح يوم الثلاثاء في الساعة التاسعة."),
        ("big5", "圖書館星期一關門。星期二九點開門，請帶上借書證和學生證。"),
        ("gb18030", "图书馆星期一关门。星期二九点开门，请带上借书证和学生证。"),
    ],
)
def test_other_scripts_in_old_encodings_are_recognised(codec: str, text: str) -> None:
    content = "question,contexts\n" + f"{text},{text}\n" * 20

    table = read_file(content.encode(codec), "rows.csv")

    assert next(table.rows()).values["contexts"] == text


@pytest.mark.parametrize(
    "text",
    [
        "Größe;Länge\nÜber die Straße führt ein Weg. Er ist schön;ja\n",
        "spørsmål;svar\nHvor er nøkkelen?;Under blomsterpotten på trappen\n",
        "pregunta;respuesta\n¿Dónde está la llave?;Está debajo de la maceta, señor\n",
        "ação;não\n",
    ],
)
def test_western_european_spreadsheets_are_cp1252(text: str) -> None:
    table = read_file(text.encode("cp1252"), "rows.csv")

    assert table.encoding == "cp1252"
    assert list(table.columns) == text.split("\n")[0].split(";")


def test_a_strange_byte_far_into_the_file_is_noticed() -> None:
    content = b"question,contexts\n" + b"plain,text\n" * 300_000 + b"r\xe9ponse,fin\n"

    assert read_file(content, "rows.csv").encoding == "cp1252"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_makes_even_rows_of_known_names(delimiter: str) -> None:
    rows = [["question", "contexts"], ["one, two; three", "a|b, c;d"], ["x; y, z", "w, v; u"]]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)

    table = read_file(text.getvalue().encode(), "rows.csv")

    assert table.delimiter == delimiter
    assert [list(row.values.values()) for row in table.rows()] == rows[1:]


def test_excels_line_about_its_delimiter_is_no_header(load) -> None:
    loaded = load("sep=;\r\nquestion;answer\r\na, b;c\r\n", "rows.csv")

    assert loaded.table.columns == ("question", "answer")
    assert [(e.id, e.question) for e in loaded.examples] == [("row-1", "a, b")]


def test_a_chosen_delimiter_and_encoding_win() -> None:
    table = read_file("a;b,c\n1;2,3\n".encode("utf-16"), "r.csv", delimiter=",", encoding="utf-16")

    assert table.columns == ("a;b", "c")


def test_a_tsv_is_split_at_tabs() -> None:
    table = read_file(b"question\tcontexts\na, b\tc\n", "rows.tsv")

    assert table.format is FileFormat.TSV
    assert only_row(table) == {"question": "a, b", "contexts": "c"}


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0'"), max_size=30)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5))
def test_every_text_in_quotes_arrives_as_it_was(rows: list[tuple[str, str]]) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([("question", "contexts"), *rows])

    table = read_file(text.getvalue().encode(), "rows.csv")

    expected = [row for row in rows if any(row)]
    assert [tuple(row.values.values()) for row in table.rows()] == expected


def test_a_row_with_more_cells_than_the_header_is_an_error_and_the_others_go_on(load) -> None:
    loaded = load("question,answer\na,b\nwhat, really,c\nd,e\n", "rows.csv")

    assert [p.row for p in loaded.problems] == [2]
    assert "3 cells, the header only 2" in loaded.problems[0].reason
    assert loaded.problems[0].said == "what, really,c"
    assert [e.question for e in loaded.examples] == ["a", "d"]


def test_a_row_with_fewer_cells_lacks_the_last_ones(load) -> None:
    loaded = load("question,answer,topic\na\n,,\n\nb,c\n", "rows.csv")

    assert [(e.id, e.question, e.actual_output) for e in loaded.examples] == [
        ("row-1", "a", None),
        ("row-4", "b", "c"),
    ]


def test_a_quote_that_never_closes_is_an_error_of_its_row(load) -> None:
    loaded = load('question,answer\na,b\n"c,d\ne,f\n', "rows.csv")

    assert [e.question for e in loaded.examples] == ["a"]
    assert loaded.problems[0].row == 2
    assert "never closes" in loaded.problems[0].reason


def test_a_huge_cell_is_an_error_that_names_the_limit(load) -> None:
    huge = "x" * (MAX_CELL_CHARACTERS + 1)

    loaded = load(f"question,answer\na,{huge}\nb,c\n", "rows.csv")

    assert "10,000,000 characters" in loaded.problems[0].reason
    assert [e.question for e in loaded.examples] == ["b"]


def test_a_passage_longer_than_the_csv_modules_default_is_read(load) -> None:
    loaded = load(f"question,contexts\na,{'x' * 200_000}\n", "rows.csv")

    assert len(loaded.examples[0].retrieved[0].text) == 200_000


def test_too_many_columns_are_refused_with_the_limit() -> None:
    header = ",".join(f"c{n}" for n in range(100_000))

    with pytest.raises(UnreadableFile, match=r"100,000 columns; at most 2,000"):
        read_file(header.encode(), "rows.csv")


def test_columns_without_a_name_or_with_the_same_one_are_told_apart() -> None:
    table = read_file(b"question,,question,\nq,a,b,c\n", "rows.csv")

    assert table.columns == ("question", "column 2", "question (2)", "column 4")
    assert table.notices == (
        "There are two columns named question; the later one is called question (2).",
    )


@pytest.mark.parametrize(
    ("content", "filename", "reason"),
    [
        (b"", "a.csv", "empty"),
        (b"\n\n", "a.csv", "no header"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.xls", "Save it as .xlsx"),
        (b"\x1f\x8b\x08", "a.csv.gz", "Unpack"),
        (b"%PDF-1.7", "a.pdf", "PDF"),
        (b"a,b\n\xff\xfe", "a.csv", "Choose its encoding"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(content: bytes, filename: str, reason: str) -> None:
    with pytest.raises(UnreadableFile, match=reason) as caught:
        read_file(content, filename, **({"encoding": "utf-8"} if b"\xff" in content else {}))

    assert filename in str(caught.value)


def test_bytes_that_are_in_no_encoding_are_refused() -> None:
    noise = bytes(range(128, 256)) * 40

    with pytest.raises(UnreadableFile, match=r"noise\.csv: its encoding was not recognised"):
        read_file(b"question,answer\n" + noise, "noise.csv")


def test_bytes_that_cp1252_lacks_are_read_as_something_else() -> None:
    content = b"question,answer\n" + b"\x81\x8d\x8f\x90\x9d caf\xe9 " * 30

    assert read_file(content, "rows.csv").encoding not in (None, "utf-8", "cp1252")


def test_a_header_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="header row cannot be read"):
        read_file(b"q" * (MAX_CELL_CHARACTERS + 1), "rows.csv")


def test_letters_after_a_closing_quote_are_an_error_of_the_row(load) -> None:
    loaded = load('question,answer\n"a"b,c\nd,e\n', "rows.csv")

    assert "cannot be read" in loaded.problems[0].reason
    assert [e.question for e in loaded.examples] == ["d"]


def test_tagged_text_as_long_as_a_book_is_not_one_example(monkeypatch) -> None:
    monkeypatch.setattr(delimited, "MAX_CELL_CHARACTERS", 30)

    with pytest.raises(UnreadableFile, match="not read as one example"):
        read_file(b"[ESSENTIAL PASSAGE]\nsome text of a passage\n", "truth.txt")


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="no encoding named klingon"):
        read_file(b"question\na\n", "a.csv", encoding="klingon")


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(UnreadableFile, match=r"nowhere\.csv"):
        read_file(tmp_path / "nowhere.csv")


def test_a_file_of_tagged_text_is_one_example(load) -> None:
    loaded = load("[ESSENTIAL PASSAGE]\na\n\n[BONUS PASSAGE]\nb\n", "truth.txt")

    assert loaded.table.format is FileFormat.TAGGED_TEXT
    assert [p.text for p in loaded.examples[0].ground_truth] == ["a", "b"]


def test_rows_can_be_read_again_from_the_top(tmp_path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("question\na\nb\n")
    table = read_file(path)

    assert [r.number for r in table.rows()] == [r.number for r in table.rows()] == [1, 2]
    assert table.sample(1)[0].values == {"question": "a"}


def test_cells_that_a_spreadsheet_would_run_lose_their_apostrophe(load) -> None:
    loaded = load("question,answer\n'=1+1,'tis\n", "rows.csv")

    assert loaded.examples[0].question == "=1+1"
    assert loaded.examples[0].actual_output == "'tis"


def test_a_delimiter_inside_cells_splits_only_by_choice(load) -> None:
    text = "question,contexts\nq,a;b\n"

    assert len(load(text, "r.csv").examples[0].retrieved) == 1
    split = load(text, "r.csv", change=lambda m: replace(m, split_at=";"))
    assert [p.text for p in split.examples[0].retrieved] == ["a", "b"]


def test_a_header_that_names_nothing_known_still_loads_once_it_is_mapped() -> None:
    table = read_file(b"Frage,Fundstellen\nWo?,hier\n", "rows.csv")
    mapping = suggest_mapping(table.columns, table.sample())

    assert mapping.columns == {}
    assert mapping.with_column(Role.QUESTION, "Frage").column(Role.QUESTION) == "Frage"


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
@pytest.mark.parametrize("before", [3, 40_000])
def test_one_damaged_byte_does_not_turn_every_umlaut_into_two_letters(
    name: str, before: int
) -> None:
    row = {
        "rows.csv": "{},größer,ü\n",
        "rows.jsonl": '{{"question": "{}", "contexts": ["größer"]}}\n',
    }
    lines = ["question,essential,contexts\n", *(row[name].format(n) for n in range(before))]
    content = "".join(lines).encode() + row[name].format("\udcff").encode(errors="surrogateescape")

    with pytest.raises(UnreadableFile, match=rf"it is UTF-8, but not in line {before + 2:d},"):
        read_file(content, name)
    assert read_file(content, name, encoding="cp1252").encoding == "cp1252"


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1252", "Große Ärzte fürchten Übermut — „so“ œuvre, coûte 5 €"),
        ("cp1251", "Привет, как дела? Всё хорошо, спасибо за вопрос"),
        ("koi8-r", "Привет, как дела? Всё хорошо, спасибо за вопрос"),
        ("gb18030", "今天天气很好我们去公园散步吧可以吗"),
        ("shift_jis", "今日は天気がいいので公園を散歩しましょう"),
        ("euc-kr", "오늘은 날씨가 좋으니 공원에 산책하러 가자"),
        ("cp874", "สวัสดีครับ วันนี้อากาศดีมาก"),
        ("cp1253", "Καλημέρα, τι κάνετε σήμερα; Όλα καλά"),
    ],
)
def test_other_encodings_are_never_taken_for_damaged_utf8(codec: str, text: str) -> None:
    table = read_file(f"question,contexts\n{text},{text}\n".encode(codec), "rows.csv")

    assert table.encoding is not None
