"""TMX as translation tools write it."""

import subprocess
import sys
from pathlib import Path

import pytest

from polyhead.corpora import Wanted, languages_of
from tests.corpora.conftest import Write
from tests.corpora.reading import pairs, refusal, tmx, units

TWO = [{"en": "A dog.", "ko": "개."}, {"en": "A cat.", "ko": "고양이."}]
EXPECTED = [("A dog.", "개."), ("A cat.", "고양이.")]


def test_two_languages_need_no_choice_and_the_header_says_which_is_the_source(write: Write) -> None:
    assert pairs(write("a.tmx", tmx(TWO))) == EXPECTED
    path = write("b.tmx", tmx(TWO, source="ko"))
    assert pairs(path) == [(target, source) for source, target in EXPECTED]
    assert languages_of(path, Wanted()) == ("ko", "en")
    assert pairs(write("c.tmx", tmx(TWO, source="*all*"))) == EXPECTED
    assert pairs(write("d.tmx", tmx(TWO, source="KO-kr"))) == pairs(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "euc-kr"])
def test_encodings(write: Write, encoding: str) -> None:
    named = {"utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE", "utf-8-sig": "UTF-8"}.get(encoding, encoding)
    text = tmx(TWO).replace('encoding="UTF-8"', f'encoding="{named}"')
    assert pairs(write("a.tmx", text.encode(encoding))) == EXPECTED


def test_line_ends_of_windows_and_texts_over_several_lines(write: Write) -> None:
    text = tmx([{"en": "\n   A dog\n   runs. \n", "ko": "개가\n달린다."}]).replace("\n", "\r\n")
    assert pairs(write("a.tmx", text)) == [("A dog runs.", "개가 달린다.")]


def test_codes_inside_are_dropped_and_their_surroundings_kept(write: Write) -> None:
    inside = '<bpt i="1">&lt;b&gt;</bpt>A <hi type="x">big <ph>{0}</ph></hi>dog<ept i="1">&lt;/b&gt;</ept> runs<it/>.'
    path = write(
        "a.tmx", tmx([{"en": inside, "ko": '개<!-- so --> <ph x="1"><sub>note</sub></ph>하나'}], escaped=False)
    )
    assert pairs(path) == [("A big dog runs.", "개 하나")]


THREE = [{"en-US": "one", "fr": "un", "KO-kr": "하나"}, {"en-US": "two", "fr": "deux", "KO-kr": "둘"}]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("en", "ko", ("one", "하나")),
        ("EN_us", "ko-KR", ("one", "하나")),
        ("eng", "fra", ("one", "un")),
        ("fr", "en", ("un", "one")),
        ("fr-CA", "ko", ("un", "하나")),
    ],
)
def test_languages_are_chosen_whatever_their_region_and_case(
    write: Write, source: str, target: str, expected: tuple[str, str]
) -> None:
    assert pairs(write("a.tmx", tmx(THREE, source="en-US")), source, target)[0] == expected


def test_another_region_or_script_is_another_language(write: Write) -> None:
    texts = [{"en": "a", "zh-Hant": "甲", "zh-Hans": "乙", "pt-PT": "x"}]
    path = write("a.tmx", tmx(texts))
    assert pairs(path, "en", "zh-hans") == [("a", "乙")]
    assert "none of its 1 units has both en and pt-BR" in refusal(path, "en", "pt-BR")
    assert pairs(path, "en", "pt") == [("a", "x")]


def test_several_languages_without_a_choice_are_listed(write: Write) -> None:
    assert "there are texts in en-US, fr, KO-kr" in refusal(write("a.tmx", tmx(THREE, source="en-US")))
    late = [{"en": "a", "de": "b"}] * 3 + [{"en": "a", "fr": "c"}]
    said = refusal(write("b.tmx", tmx(late)))
    assert "(unit 4): there are texts in en, de, fr" in said
    assert "--target-language" in said


def test_a_language_that_is_not_there_is_said_with_those_that_are(write: Write) -> None:
    said = refusal(write("a.tmx", tmx(TWO)), "en", "de")
    assert "none of its 2 units has both en and de; there are texts in en, ko" in said
    assert "none of its 2 units has both a source and de" in refusal(write("a.tmx", tmx(TWO)), None, "de")


def test_units_without_a_translation_are_counted_with_their_place(write: Write) -> None:
    texts = [{"en": "A dog.", "ko": "개."}, {"en": "no partner"}, {"en": "blank", "ko": "  "}, {"en": "", "ko": "빈"}]
    found = units(write("a.tmx", tmx(texts)))
    assert [unit.flaw for unit in found] == [None, *["no translation"] * 3]
    assert found[1].place.endswith("a.tmx:7 (unit 2)")


def test_the_older_attribute_and_repeated_languages(write: Write) -> None:
    text = tmx([{"en": "a", "ko": "가"}]).replace("xml:lang", "lang")
    text = text.replace("</tu>", '<tuv lang="ko"><seg>나</seg></tuv></tu>')
    assert pairs(write("a.tmx", text)) == [("a", "가")]


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda text: text[: len(text) // 2], "no well-formed XML"),
        (lambda text: text.replace("</seg>", "", 1), ":6: this is no well-formed XML: Opening and ending tag mismatch"),
        (lambda text: text.replace("dog", "&dog;"), ":6: the entity '&dog;' is unknown"),
        (lambda text: text.replace("<body>", "<body>\0"), "no well-formed XML"),
        (lambda text: "", "no well-formed XML"),
        (lambda text: text.replace("tu>", "unit>"), "there is nothing in it that could be a sentence pair"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write: Write, harm, said: str) -> None:
    assert said in refusal(write("a.tmx", harm(tmx(TWO))))


def test_a_wrong_encoding_is_said(write: Write) -> None:
    said = refusal(write("a.tmx", tmx(TWO).encode("euc-kr")))
    assert "a.tmx:6: this is no well-formed XML" in said
    assert "its encoding isn't the one that it names" in said


MEASURE = """
import re, sys
from pathlib import Path
import lxml.etree
from polyhead.corpora import Wanted, read_corpus

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

path = Path(sys.argv[1])
first = next(read_corpus(path, Wanted()))
before = peak()
print(sum(1 for _ in read_corpus(path, Wanted())), peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process's memory as Linux tells it")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.tmx"
    before, after = tmx([]).split("</body>")
    unit = tmx([{"en": "word " * 30, "ko": "낱말 " * 30}]).split("<body>")[1].split("</body>")[0]
    path.write_text(f"{before}{unit * 20_000}</body>{after}", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
    count, grown = map(int, done.stdout.split())
    assert count == 20_000
    assert grown * 1024 < path.stat().st_size / 2
