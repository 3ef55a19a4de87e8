"""Real codes of languages are known, and endings of other kinds are not taken for them."""

import pytest

from polyhead import languages
from polyhead.languages import is_language, name_of, names_direction, nearest, same_code, same_language


@pytest.mark.parametrize(
    "code",
    [
        "en",
        "de",
        "ko",
        "fr",
        "zh",
        "eng",
        "deu",
        "ger",
        "kor",
        "fil",
        "ceb",
        "hsb",
        "yue",
        "cmn",
        "zh-Hans",
        "zh_Hant",
        "pt_BR",
        "pt-br",
        "en-GB",
        "es-419",
        "kor_Hang",
        "kmr_Latn",
        "EN",
        "sr-Latn-RS",
    ],
)  # fmt: skip
def test_codes_of_languages(code):
    assert is_language(code)


@pytest.mark.parametrize(
    "ending",
    [
        "txt",
        "src",
        "tgt",
        "tok",
        "bpe",
        "trg",
        "ref",
        "hyp",
        "dev",
        "raw",
        "out",
        "spm",
        "source",
        "target",
        "s",
        "t",
        "x1",
        "en1",
        "e",
        "german",
        "mul",
        "und",
        "zxx",
        "en-test",
        "en.de",
        "-en",
        "csv",
        "tsv",
        "xml",
        "en-de-fr",
        "q9",
        "lc",
        "tc",
        "norm",
        "clean",
        "gz",
        "xz",
        "zst",
    ],
)  # fmt: skip
def test_other_endings_are_no_languages(ending):
    assert not is_language(ending)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("de", "German"), ("ger", "German"), ("ko", "Korean"), ("ne", "Nepali"), ("pt_BR", "Portuguese (BR)"),
        ("kor_Hang", "Korean (Hang)"), ("ko-x-polite", "ko-x-polite"), ("xq", "xq"),
    ],
)  # fmt: skip
def test_names(code, name):
    assert name_of(code) == name


def test_what_is_the_same():
    assert same_language("pt_BR", "por")
    assert same_language("ko", "kor-Hang")
    assert not same_language("en", "de")
    assert same_code("pt_BR", "pt-br")
    assert not same_code("zh-Hans", "zh-Hant")


def test_a_direction_is_no_region():
    assert names_direction("en-de", "de")
    assert not names_direction("pt-br", "en")
    assert not names_direction("de_DE", "de")


@pytest.mark.parametrize(
    ("code", "known", "found"),
    [
        ("en", ["de", "en"], "en"),
        ("EN_us", ["de", "en", "en-US"], "en-US"),
        ("en-GB", ["de", "en"], "en"),
        ("deu", ["en", "de"], "de"),
        ("fr", ["en", "de"], None),
        ("xa", [], None),
    ],
)
def test_the_nearest_code(code: str, known: list[str], found: str | None) -> None:
    assert nearest(code, known) == found


@pytest.mark.parametrize(
    ("asked", "known", "found"),
    [
        ("zt", ["zh", "zh-Hant"], "zh-Hant"),
        ("zh-TW", ["zh_Hans", "zh_Hant"], "zh_Hant"),
        ("ZH-cn", ["zh-Hant", "zh"], "zh"),
        ("zh", ["zh-Hant", "zh-Hans"], "zh-Hans"),
        ("zh-Hant", ["zt"], "zt"),
        ("zh-Hant", ["zh"], "zh"),
        ("pb", ["pt", "pt_BR"], "pt_BR"),
        ("pt-BR", ["pt-PT", "pb"], "pb"),
        ("pt-BR", ["pt-PT", "pt"], "pt"),
        ("nb", ["no"], "no"),
        ("NO", ["nn", "nob"], "nob"),
        ("iw", ["he"], "he"),
        ("fil", ["tl"], "tl"),
        ("tlh", ["tl"], None),
        ("in", ["en", "hi"], None),
    ],
)
def test_other_names_of_a_language_are_known(asked, known, found):
    assert nearest(asked, known) == found


def test_what_cannot_be_a_code_is_not_kept():
    before = languages._find.cache_info().currsize
    for number in range(100):
        assert nearest(f"no language {number}", ["deu"]) is None
        assert nearest(f"한{number}", ["deu"]) is None
    assert nearest("DE_AT", ["deu"]) == "deu"
    assert languages._find.cache_info().currsize < before + 10
