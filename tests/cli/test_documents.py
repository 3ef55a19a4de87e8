"""Files translated with their form kept, and lines with parts that stay."""

import gzip
import json

import pytest

PO = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

#, c-format
msgid "bado %s <b>kilu</b>\\n"
msgstr ""

msgid "mera"
msgstr "done"
"""


def test_a_file_comes_back_in_its_form(polyhead, toy_model, tmp_path):
    file, out = tmp_path / "messages.po", tmp_path / "messages.xb.po"
    file.write_text(PO, encoding="utf-8")
    answer = polyhead("translate", toy_model, file, "--out", out)
    assert answer.out == ""
    assert answer.err.endswith(f"polyhead: {out}: 1 text translated\n")
    written = out.read_text(encoding="utf-8")
    assert written.count("%s") == 2
    assert written.count("<b>") == written.count("</b>") == 2
    assert "#, fuzzy, c-format" in written
    assert 'msgstr "done"' in written


def test_what_cannot_be_is_said_before_the_model_is_loaded(polyhead, toy_model, tmp_path):
    file = tmp_path / "page.html"
    file.write_text("<p>bado</p>")
    refused = [
        ((toy_model, "--out", tmp_path / "x.html"), "name the file before it"),
        ((toy_model, file, "--out", file), "is the file that is to be translated"),
        ((toy_model, file, "--out", tmp_path / "x.html", "--align"), "--out writes a file in its own form"),
        ((toy_model, tmp_path / "none.po", "--out", tmp_path / "x.po"), "there is no such file"),
        ((toy_model, file, "--keep", "("), "is no regular expression"),
    ]
    for words, said in refused:
        answer = polyhead("translate", *words)
        assert answer.status in (1, 2)
        assert said in answer.err
    assert file.read_text() == "<p>bado</p>"
    assert not (tmp_path / "x.html").exists()


def test_a_broken_file_is_named_and_nothing_is_written(polyhead, toy_model, tmp_path):
    file, out = tmp_path / "strings.json", tmp_path / "out.json"
    file.write_text('{"a": ')
    answer = polyhead("translate", toy_model, file, "--out", out)
    assert answer.status == 1
    assert "strings.json" in answer.err
    assert "Traceback" not in answer.err
    assert not out.exists()


def test_parts_of_lines_stay_as_they_are(polyhead, toy_model):
    lines = "bado {name} <i>kilu</i>\nKEEP-1 mera\n"
    options = ["--protect", "braces", "--protect", "tags", "--keep", "KEEP-[0-9]"]
    first, second = polyhead("translate", toy_model, *options, stdin=lines).lines
    assert first.count("{name}") == first.count("<i>") == first.count("</i>") == 1
    assert second.count("KEEP-1") == 1
    (told,) = polyhead("translate", toy_model, *options, "--json", stdin="bado {name}\n").lines
    assert json.loads(told)["text"].count("{name}") == 1
    assert json.loads(told)["codes"][0]["content"] == "{name}"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (PO.encode(), "its format is PO and POT (gettext), not lines of text; to translate it with its form kept"),
        (b"<!doctype html><p>bado", "its format is HTML, not lines of text"),
        (b'{"title": "bado"}', "its format is JSON string table, not lines of text"),
        ("bado kilu\nmera\n".encode("utf-16-le") * 9, "UTF-16LE without a byte order mark"),
        (b"%PDF-1.7 bado", "it is a PDF document, not lines of text"),
    ],
)
def test_a_file_of_another_kind_is_named_with_what_to_type(polyhead, toy_model, tmp_path, content, said):
    file = tmp_path / "text"
    file.write_bytes(content)
    answer = polyhead("translate", toy_model, file)
    assert answer.status == 1
    assert said in answer.err
    assert answer.out == ""


def test_compressed_lines_are_read_whatever_their_name(polyhead, toy_model, tmp_path):
    file = tmp_path / "text"
    file.write_bytes(gzip.compress(b"bado kilu\nmera\n"))
    assert len(polyhead("translate", toy_model, file).lines) == 2
