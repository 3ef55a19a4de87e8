"""CSV, TSV and JSON Lines."""

import json

import pytest

from polyhead.corpora import Wanted, languages_of
from tests.corpora.conftest import Write
from tests.corpora.reading import pairs, refusal, units


def test_columns_named_by_languages(write: Write) -> None:
    path = write("a.csv", 'id,ko,en,fr\n1,개,"A ""big"" dog, running.",chien\n2,"고양이\r\n하나",cat,chat\n')
    assert pairs(path, "en", "ko") == [('A "big" dog, running.', "개"), ("cat", "고양이 하나")]
    assert units(path, "en", "ko")[1].place.endswith("a.csv:3")
    assert "texts in id, ko, en, fr" in refusal(path)
    assert languages_of(path, Wanted(columns=("fr", "ko"))) == ("fr", "ko")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_two_columns_without_a_header(write: Write, separator: str, end: str) -> None:
    path = write("a.csv", f"\ufeffa dog{separator}개{end}a cat{separator}고양이{end}")
    assert pairs(path) == pairs(path, "en", "ko") == [("a dog", "개"), ("a cat", "고양이")]
    assert languages_of(path, Wanted()) == (None, None)


@pytest.mark.parametrize(
    ("header", "known"), [("en,ko", ("en", "ko")), ("Source,Target", (None, None)), ("src,tgt", (None, None))]
)
def test_a_header_of_two_columns_is_no_pair(write: Write, header: str, known: tuple[str, str]) -> None:
    path = write("a.csv", f"{header}\na dog,개\n")
    assert pairs(path) == [("a dog", "개")]
    assert languages_of(path, Wanted()) == known


def test_columns_are_chosen_by_name_or_by_number(write: Write) -> None:
    path = write("a.csv", "No,English,Korean\n1,a dog,개\n")
    assert pairs(path, columns=("english", "Korean")) == [("a dog", "개")]
    assert pairs(path, columns=("Korean", "English")) == [("개", "a dog")]
    assert pairs(write("b.csv", "1,a dog,개\n2,a cat,고양이\n"), columns=("2", "3"))[0] == ("a dog", "개")
    assert "a.csv:1: there is no column 'German'; the first row has No, English, Korean" in refusal(
        path, columns=("English", "German")
    )
    assert "two must be meant; name them with --columns" in refusal(path)


@pytest.mark.parametrize("column", ["²", "9" * 5000, "0", "3", "٢"])
def test_what_is_no_number_of_a_column_is_named(write: Write, column: str) -> None:
    path = write("a.csv", "a dog,개\na cat,고양이\n")
    said = refusal(path, columns=(column, "1"))
    assert f"a.csv:1: there is no column '{column[:20]}" in said
    assert "; the first row has a dog, 개" in said


def test_quotation_marks_are_text_in_tsv(write: Write) -> None:
    path = write("a.tsv", 'en\tko\n"Hello," he said.\t"안녕"\n')
    assert pairs(path) == [('"Hello," he said.', '"안녕"')]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "en,ko\na dog,개\na cat\n", "a.csv:3: this row has 1 columns, and the first has 2"),
        ("a.csv", 'en,ko\n"a dog,개\na cat,고양이\n', "a.csv:2: this row is no CSV"),
        ("a.csv", 'en,ko\n"a "dog,개\n', "a.csv:2: this row is no CSV"),
        ("a.csv", "", "is empty"),
        ("a.csv", "\n\n", "is empty"),
        ("a.csv", "en,ko\n", "there is nothing in it"),
        ("a.csv", "one column\n", "of 1 columns"),
        ("a.tsv", "en\tko\na\tb\tc\n", "a.tsv:2: this row has 3 columns"),
        ("a.jsonl", '{"en": "a", "ko": "b"}\n{"en": "a", \n', "a.jsonl:2: this is no JSON"),
        ("a.jsonl", '{"en": "a", "ko": "b"}\n["a", "b"]\n', "a.jsonl:2: "),
        ("a.jsonl", "[" * 100_000, "no JSON"),
        ("a.jsonl", '{"en": "a", "ko": ' + "[" * 100_000, "no JSON"),
        ("a.jsonl", '{"text": "a", "other": "b", "third": "c"}\n', "texts in text, other, third. Choose"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write: Write, name: str, text: str, said: str) -> None:
    assert said in refusal(write(name, text))


def test_wrong_encodings(write: Write) -> None:
    assert "a.csv:2: invalid UTF-8: byte 3" in refusal(write("a.csv", "en,ko\na,개\n".encode("cp949")))
    assert "UTF-16" in refusal(write("a.csv", "en,ko\na,개\n".encode("utf-16")))


def test_objects_a_line_in_a_list_and_nested(write: Write) -> None:
    rows = [
        {"id": "7", "translation": {"en": "a dog", "ko": "개"}},
        {"id": "8", "translation": {"en": "a cat", "ko": None}},
    ]
    lines = write("a.jsonl", "\n".join(map(json.dumps, rows)) + "\n\n")
    whole = write("a.json", json.dumps(rows, indent=1))
    for path in (lines, whole):
        assert pairs(path) == pairs(path, "en", "ko") == pairs(path, columns=("en", "ko")) == [("a dog", "개")]
        assert pairs(path, columns=("translation.ko", "translation.en")) == [("개", "a dog")]
        assert [each.flaw for each in units(path)] == [None, "no translation"]
        assert languages_of(path, Wanted()) == ("en", "ko")
    assert units(whole)[1].place.endswith("a.json (object 2)")


def test_what_is_no_text_is_no_language_and_refused_where_it_is_asked_for(write: Write) -> None:
    path = write("a.jsonl", '{"id": 1, "en": "a", "ko": "b"}\n')
    assert pairs(path) == [("a", "b")]
    assert "a.jsonl:1: id is 1, where text belongs" in refusal(path, columns=("id", "ko"))


def test_half_a_surrogate_pair_does_not_end_in_a_traceback(write: Write) -> None:
    assert len(units(write("a.jsonl", '{"en": "a\\ud800", "ko": "b"}\n'))) == 1


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", '[{"en": "a", "ko": "b"}]'), ("a.po", 'msgid "a"\nmsgstr "b"\n')]
)
def test_what_must_be_read_whole_is_bounded(
    write: Write, name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(name, text)
    assert pairs(path) == [("a", "b")]
    monkeypatch.setattr("polyhead.corpora.compressed.LARGEST_DOCUMENT", 10)
    assert "this file has more than 10 bytes" in refusal(path)


@pytest.mark.parametrize("number", ["²", "1" * 5_000])
def test_what_is_no_number_of_a_column_is_a_name(write: Write, number: str) -> None:
    said = refusal(write("a.csv", "one,two,three\n"), columns=(number, "3"))
    assert "there is no column" in said
