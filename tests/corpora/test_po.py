"""PO: translated messages, with all forms of their plurals."""

import polib
import pytest

from polyhead.corpora import Wanted, languages_of
from tests.corpora.conftest import Write
from tests.corpora.reading import pairs, refusal, units

HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={charset}\\n"\n"Language: {language}\\n"\n{plural}\n'


def po(body: str, language: str = "de", plural: str = "nplurals=2; plural=(n != 1);", charset: str = "UTF-8") -> str:
    return HEADER.format(charset=charset, language=language, plural=f'"Plural-Forms: {plural}\\n"\n') + body


def test_messages_that_are_translated_and_no_others(write: Write) -> None:
    body = (
        '#: a.c:1\nmsgctxt "menu"\nmsgid "Open\\n"\nmsgstr "Öffnen\\n"\n\n'
        '#, fuzzy\nmsgid "Close"\nmsgstr "Zu"\n\n'
        'msgid "Quit"\nmsgstr ""\n\n'
        'msgid ""\n"Two "\n"parts.\\n"\n"Next line."\nmsgstr "Zwei Teile.\\nNächste Zeile."\n\n'
        '#~ msgid "old"\n#~ msgstr "alt"\n'
    )
    path = write("a.po", po(body))
    assert pairs(path) == [("Open", "Öffnen"), ("Two parts. Next line.", "Zwei Teile. Nächste Zeile.")]
    found = units(path)
    assert [each.flaw for each in found] == [None, "unfinished translation", "no translation", None]
    assert found[1].place.endswith("a.po:12 (message 2)")


@pytest.mark.parametrize(
    ("plural", "forms", "expected"),
    [
        ("nplurals=2; plural=(n != 1);", ["Datei", "Dateien"], [("file", "Datei"), ("files", "Dateien")]),
        ("nplurals=1; plural=0;", ["파일"], [("file", "파일"), ("files", "파일")]),
        (
            "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
            ["файл", "файла", "файлов"],
            [("file", "файл"), ("files", "файла"), ("files", "файлов")],
        ),
        (
            "nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);",
            ["datotek", "datoteka", "datoteki", "datoteke"],
            [("file", "datoteka"), ("files", "datotek"), ("files", "datoteki"), ("files", "datoteke")],
        ),
        ("nonsense", ["Datei", "Dateien"], [("file", "Datei"), ("files", "Dateien")]),
        ("nplurals=2; plural=__import__('os');", ["Datei", "Dateien"], [("file", "Datei"), ("files", "Dateien")]),
    ],
)
def test_each_form_of_a_plural(write: Write, plural: str, forms: list[str], expected: list[tuple[str, str]]) -> None:
    body = 'msgid "file"\nmsgid_plural "files"\n' + "".join(f'msgstr[{i}] "{form}"\n' for i, form in enumerate(forms))
    assert pairs(write("a.po", po(body, plural=plural))) == expected


def test_its_language_is_that_of_the_header(write: Write) -> None:
    path = write("a.po", po('msgid "a"\nmsgstr "b"\n', language="pt_BR"))
    assert languages_of(path, Wanted()) == (None, "pt_BR")
    assert pairs(path, "en", "pt") == pairs(path) == [("a", "b")]
    assert pairs(path, "pt-br", "en") == [("b", "a")]
    assert "there are texts in source, pt_BR" in refusal(path, "en", "fr")
    latin = write("c.po", po('msgid "a"\nmsgstr "b"\n', language="sr@latin"))
    assert languages_of(latin, Wanted()) == (None, "sr")
    unnamed = write("b.po", 'msgid "a"\nmsgstr "b"\n')
    assert languages_of(unnamed, Wanted()) == (None, None)
    assert pairs(unnamed, "en", "fr") == [("a", "b")]


def test_encodings(write: Write) -> None:
    body = 'msgid "dog"\nmsgstr "개"\n'
    assert pairs(write("a.po", po(body, charset="EUC-KR").encode("euc-kr"))) == [("dog", "개")]
    assert "its encoding 'nonsense' is not known" in refusal(write("b.po", po(body, charset="nonsense")))
    assert "b.po:8: it is not UTF-8: byte" in refusal(write("b.po", po(body).encode("euc-kr")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('msgid "a"\nmsgstr "b"\n\nmsgid "a" nonsense\nmsgstr "c"\n', "a.po:4: unescaped double quote found; mend it"),
        ("", "is empty"),
        (po('msgid "a"\nmsgstr ""\n'), "of its 1 units none has a finished translation"),
    ],
)
def test_what_is_wrong_is_said(write: Write, text: str, said: str) -> None:
    assert said in refusal(write("a.po", text))


def test_a_file_whose_text_is_the_name_of_another_is_not_that_other(write: Write, monkeypatch, tmp_path) -> None:
    write("other.po", po('msgid "secret"\nmsgstr "x"\n'))
    monkeypatch.chdir(tmp_path)
    assert "secret" not in refusal(write("a.po", "other.po"))


def test_what_polib_writes_is_read(write: Write, tmp_path) -> None:
    file = polib.POFile()
    file.metadata = {"Content-Type": "text/plain; charset=utf-8", "Language": "ko"}
    file.append(polib.POEntry(msgid='say "hello"\tnow \\ then', msgstr='"안녕"\t지금 \\ 그때'))
    file.save(str(tmp_path / "a.po"))
    assert pairs(tmp_path / "a.po") == [('say "hello"\tnow \\ then', '"안녕"\t지금 \\ 그때')]
