"""PO and POT: what has no translation gets one, marked as fuzzy, and all else stays."""

import shutil
import subprocess
from contextlib import suppress

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import DataError
from polyhead.formats.po_entries import decoded_po
from tests.formats.translators import complain, copy, found, lose_codes, problems, say, shout, translated
from tests.growth import grows_like_its_input

HEADER = r"""msgid ""
msgstr ""
"Project-Id-Version: cats 1\n"
"Language: ko\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=1; plural=0;\n"

"""
BODY = r"""# a remark
#: a.c:1
#, c-format
msgid "%d cat"
msgid_plural "%d cats"
msgstr[0] ""

#| msgid "old"
msgid ""
"Long\n"
"text \"quoted\"\n"
msgstr ""

msgctxt "menu"
msgid "Open"
msgstr "열기"

#, fuzzy
msgid "Close"
msgstr "닫기"

#~ msgid "gone"
#~ msgstr "x"
"""
FILLED = (
    BODY.replace('#, c-format', '#, fuzzy, c-format')
    .replace('msgstr[0] ""', 'msgstr[0] "%d cats"')
    .replace('#| msgid "old"', '#, fuzzy\n#| msgid "old"')
    .replace('quoted\\"\\n"\nmsgstr ""', 'quoted\\"\\n"\nmsgstr ""\n"Long\\n"\n"text \\"quoted\\"\\n"')
)  # fmt: skip


def checked(content):
    """What gettext's own tool says about a file."""
    if shutil.which("msgfmt") is None:
        pytest.skip("msgfmt is not installed")
    command = ["msgfmt", "-c", "--use-fuzzy", "-o", "/dev/null", "-"]
    return subprocess.run(command, input=content.encode(), capture_output=True, check=False, timeout=60)


def test_a_copying_translator_fills_what_is_empty_and_marks_it():
    assert translated(HEADER + BODY, "x.po") == HEADER + FILLED


def test_what_is_translated_already_is_not_sent():
    assert [unit.marked.text for unit in found(HEADER + BODY, "x.po")] == ["%d cats", 'Long\ntext "quoted"']


def test_a_file_without_anything_to_do_stays_as_it_is():
    content = HEADER + 'msgid "a"\nmsgstr "b"\n'
    assert translated(content, "x.po", shout) == content


def test_line_ends_and_a_missing_last_one_are_kept():
    content = (HEADER + 'msgid "a"\nmsgstr ""').replace("\n", "\r\n")
    assert translated(content, "x.po") == (HEADER + '#, fuzzy\nmsgid "a"\nmsgstr "a"').replace("\n", "\r\n")


def test_a_template_becomes_a_catalogue_of_the_language():
    template = r"""# Copyright
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: cats 1\n"
"Language: \n"
"Content-Type: text/plain; charset=CHARSET\n"
"Plural-Forms: nplurals=INTEGER; "
"plural=EXPRESSION;\n"

msgid "%d cat"
msgid_plural "%d cats"
msgstr[0] ""
msgstr[1] ""
"""
    written = translated(template, "x.pot", say("%d"), target_language="pt-BR")
    read = polib.pofile(written)
    assert read.metadata["Language"] == "pt_BR"
    assert read.metadata["Content-Type"] == "text/plain; charset=UTF-8"
    assert read.metadata["Plural-Forms"] == "nplurals=2; plural=(n > 1);"
    assert not read.metadata_is_fuzzy
    assert "EXPRESSION" not in written
    assert checked(written).returncode == 0


def test_a_file_without_a_header_gets_one():
    written = translated('msgid "a"\nmsgstr ""\n', "x.po")
    assert written.endswith('\n\n#, fuzzy\nmsgid "a"\nmsgstr "a"\n')
    assert polib.pofile(written).metadata["Language"] == "ko"


@pytest.mark.parametrize(
    ("language", "forms"),
    [("ko", ["%d CATS"]), ("de", ["%d CAT", "%d CATS"]), ("ru", ["%d CAT", "%d CATS", "%d CATS"])],
)
def test_each_number_of_the_language_gets_a_form(language, forms):
    message = 'msgid "%d cat"\nmsgid_plural "%d cats"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    (entry,) = polib.pofile(translated(message, "x.po", shout, target_language=language))
    assert list(entry.msgstr_plural.values()) == forms
    assert entry.fuzzy


def test_forms_that_are_there_are_kept():
    header = HEADER.replace("nplurals=1; plural=0", "nplurals=2; plural=n != 1")
    message = 'msgid "%d cat"\nmsgid_plural "%d cats"\nmsgstr[0] "mine"\nmsgstr[1] ""\n'
    (entry,) = polib.pofile(translated(header + message, "x.po", shout))
    assert entry.msgstr_plural == {0: "mine", 1: "%d CATS"}


def test_a_doubtful_translation_says_why():
    content = HEADER + 'msgid "a 5"\nmsgstr ""\n'
    assert translated(content, "x.po", complain) == (
        HEADER + '# polyhead: the number 5 is missing\n#, fuzzy\nmsgid "a 5"\nmsgstr "A 5"\n'
    )
    assert problems(content, "x.po", complain) == ["line 10: the number 5 is missing"]


def test_the_encoding_becomes_utf8_and_the_header_says_so():
    content = (HEADER.replace("UTF-8", "EUC-KR") + '# 주\nmsgid "a"\nmsgstr ""\n').encode("euc-kr")
    written = translated(content, "x.po", say("é")).decode("utf-8")
    assert "charset=UTF-8" in written
    assert written.endswith('# 주\n#, fuzzy\nmsgid "a"\nmsgstr "é"\n')


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        ('msgid "a\nmsgstr ""\n', "x.po:1", "no line of a PO file"),
        ('msgid "a"\nmsgstr ""\n\njunk\n', "x.po:4", "no line of a PO file"),
        ('msgid "a" "b"\nmsgstr ""\n', "x.po:1", ""),
        ('msgstr "a"\n', "x.po:1", ""),
        ('msgid "a"\nmsgstr ""\n\n' + HEADER, "x.po:4", "msgcat"),
        (HEADER.replace("plural=0", "plural=n/0"), "x.po", "Plural-Forms"),
        (HEADER.replace("plural=0", "plural=os.system(1)"), "x.po", "Plural-Forms"),
        (HEADER.replace("Language: ko", "Language: de") + 'msgid "a"\nmsgstr "b"\n', "x.po", "translations into de"),
        (b"\xff\xfa\x00", "x.po:1", "save the file as UTF-8"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(content, place, message):
    with pytest.raises(DataError, match=f"^{place}: .*{message}"):
        translated(content, "x.po")


def test_a_file_that_names_another_file_opens_nothing(tmp_path, monkeypatch):
    (tmp_path / "# other").write_text('msgid "secret"\nmsgstr ""\n')
    monkeypatch.chdir(tmp_path)
    assert found("# other", "x.po") == ()


def test_comments_need_no_space():
    content = HEADER + '#remark\nmsgid "a"\nmsgstr ""\n'
    assert translated(content, "x.po") == HEADER + '#remark\n#, fuzzy\nmsgid "a"\nmsgstr "a"\n'


def test_a_lost_tag_is_said():
    content = HEADER + 'msgid "a <b>x</b>"\nmsgstr ""\n'
    assert problems(content, "x.po", lose_codes) == [
        "line 10: <b> is missing",
        "line 10: </b> is missing",
    ]
    assert '#, fuzzy\nmsgid "a <b>x</b>"\nmsgstr "A <b>x</b>"' in translated(content, "x.po", keep)


def keep(texts):
    """Only the first letter changes."""
    answers = copy(texts)
    return [type(each)(type(each.marked)("A" + each.marked.text[1:], each.marked.codes)) for each in answers]


TEXTS = st.text(
    alphabet=st.characters(blacklist_categories=["Cs"], blacklist_characters="\0\ue000"), min_size=1, max_size=30
)


@given(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
def test_any_message_comes_back_as_its_own_translation(messages):
    catalogue = polib.POFile(wrapwidth=30)
    for message in messages:
        catalogue.append(polib.POEntry(msgid=message, msgstr=""))
    content = HEADER + str(catalogue).partition("\n\n")[2]
    units = found(content, "x.po")
    assert [unit.head.text + unit.marked.text + unit.tail.text for unit in units] == messages
    written = translated(content, "x.po")
    again = found(written, "x.po")
    assert not again, "all are translated"
    assert translated(written, "x.po", shout) == written


@given(
    st.lists(
        st.sampled_from(
            ['msgid "a"', 'msgid ""', 'msgstr ""', '"x\\n"', "#, fuzzy", "# c", "", 'msgstr[0] ""', "#~ x"]
        ),
        max_size=12,
    )
)
def test_whatever_the_lines_are_it_is_read_or_refused(lines):
    with suppress(DataError):
        translated("\n".join(lines), "x.po", shout)


def test_gettext_finds_nothing_wrong():
    people = (
        r'"PO-Revision-Date: 2026-01-01 00:00+0000\n"'
        "\n"
        r'"Last-Translator: a <a@b.c>\n"'
        "\n"
        r'"Language-Team: b\n"'
    )
    result = checked(translated(HEADER.rstrip() + f"\n{people}\n\n" + BODY, "x.po"))
    assert (result.returncode, result.stderr) == (0, b"")


def test_what_xgettext_writes_is_translated(tmp_path):
    if shutil.which("xgettext") is None:
        pytest.skip("xgettext is not installed")
    (tmp_path / "a.c").write_text(
        'f(_("One file\\n"), ngettext("%d cat", "%d cats", n)); /* TRANSLATORS: a */ g(_("Two"));'
    )
    command = ["xgettext", "-k_", "-kngettext:1,2", "-c", "--from-code=UTF-8", "-o", "-", "a.c"]
    template = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=60).stdout.decode()
    assert [unit.marked.text for unit in found(template, "x.pot", kind="po")] == ["One file", "%d cats", "Two"]
    written = translated(template, "x.pot", shout)
    assert checked(written).returncode == 0
    assert [entry.msgstr or entry.msgstr_plural for entry in polib.pofile(written)] == [
        "ONE FILE\n",
        {0: "%d CATS"},
        "TWO",
    ]


@pytest.mark.parametrize(
    "header",
    [
        r'msgstr "Language: ko\nContent-Type: text/plain; charset=EUC-KR\n"',
        'msgstr ""\n"Language: ko\\n" \n"X-A: b\\nContent-Type: text/plain; "\n"charset=EUC-KR\\n"',
    ],
)
def test_fields_of_a_header_may_stand_in_one_line(header):
    content = f'msgid ""\n{header}\n\nmsgid "a"\nmsgstr ""\n'
    written = translated(content.encode("euc-kr"), "x.po", say("각")).decode()
    for field in ("Language: ko\\n", "Content-Type: text/plain; charset=UTF-8\\n"):
        assert written.count(f'"{field}"') == 1
    assert written.count("Content-Type") == 1
    assert ('"X-A: b\\n"' in written) == ("X-A" in header)
    assert checked(written).returncode == 0
    again = translated(written, "x.po", shout)
    assert again == written


def test_choices_of_icu_are_left_and_named():
    content = HEADER + 'msgctxt "n"\nmsgid "{n, plural, one {a file} other {# files}}"\nmsgstr ""\n'
    assert translated(content, "x.po", shout) == content
    assert problems(content, "x.po") == ["line 10: n is a choice of several texts (ICU) and was left as it is"]


def test_a_hostile_header_takes_no_long_time():
    assert grows_like_its_input(lambda parts: decoded_po(rb"\nContent-Type:" * parts, "x.po"), 1_000)
