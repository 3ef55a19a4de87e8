"""Codes of languages: which are real, what they are called, and which mean the same language.

A code is a language of ISO 639, then a script and a region if need be: `en`, `deu`, `zh-Hans`, `pt_BR`, `kor_Hang`.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iso639 import Language

_CODE = re.compile(
    r"(?P<language>[A-Za-z]{2,3})(?:[-_](?P<script>[A-Z][a-z]{3}))?(?:[-_](?P<region>[A-Za-z]{2}|[0-9]{3}))?"
)
_INDIVIDUAL_AND_MACRO = ("I", "M")
_IN_CORPORA = frozenset(["apc", "arb", "ary", "arz", "ckb", "cmn", "kmr", "nan", "pes", "wuu", "yue", "zsm"])
"""The codes of ISO 639-3 alone that files of corpora are named by. Its other 7,000 codes include common endings of file
names: src, tok, txt."""

_OTHER_NAMES = {
    "zh": "zh-hans", "zh-cn": "zh-hans", "zh-sg": "zh-hans", "cmn": "zh-hans", "zh-hans-cn": "zh-hans",
    "zt": "zh-hant", "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant", "zh-hant-tw": "zh-hant",
    "pb": "pt-br", "no": "nb", "nor": "nb", "nob": "nb", "iw": "he", "in": "id", "ji": "yi", "fil": "tl", "tgl": "tl",
    "arb": "ar", "pes": "fa", "zsm": "ms", "mo": "ro", "sh": "sr",
}  # fmt: skip
"""Other programs' code of a language → the code used here, in lower case. LibreTranslate has zt and pb, browsers zh-TW,
Java iw."""


def is_language(code: str) -> bool:
    """Whether a text is the code of a language, and hardly anything else.

    Two letters are a language of ISO 639-1, three letters one of ISO 639-2 or of a few more. With a script behind them
    three letters may be any language of ISO 639-3.
    """
    found = _CODE.fullmatch(code)
    if found is None:
        return False
    language = _find(found["language"])
    if language is None:
        return False
    well_known = language.part1 or language.part2t or language.part3 in _IN_CORPORA
    return bool(well_known or found["script"])


def name_of(code: str) -> str:
    """The English name: `de` → German, `pt_BR` → Portuguese (BR). A code that isn't known is its own name."""
    found = _CODE.fullmatch(code)
    language = _find(found["language"]) if found is not None else None
    if found is None or language is None:
        return code
    more = ", ".join(part for part in (found["script"], found["region"]) if part)
    name = language.name.partition(" (")[0]
    return f"{name} ({more})" if more else name


def same_language(one: str, other: str) -> bool:
    """Whether two codes mean the same language, whatever the script and the region: `pt_BR` and `por` do."""
    return _primary(one) == _primary(other)


def same_code(one: str, other: str) -> bool:
    """Whether two codes are the same but for their spelling: `pt_BR` and `pt-br` are, `zh-Hans` and `zh-Hant` not."""
    return one.replace("_", "-").lower() == other.replace("_", "-").lower()


def nearest(code: str, known: Sequence[str]) -> str | None:
    """The known code that the given one means; None if there is none.

    If several do, it is the very same code, else the same code spelt otherwise (`pt_BR`, `pt-br`), else another name of
    it (`zt` and `zh-TW` are `zh-Hant`), else the language without script and region, else the first code of that
    language.
    """
    if code in known:
        return code
    for is_alike in (same_code, _same_name, _is_whole_language, _is_of_language):
        for each in known:
            if is_alike(code, each):
                return each
    return None


def _same_name(code: str, known: str) -> bool:
    return _canonical(code) == _canonical(known)


def _is_whole_language(code: str, known: str) -> bool:
    return _is_of_language(code, known) and not re.search("[-_]", known)


def _is_of_language(code: str, known: str) -> bool:
    return same_language(_canonical(code), _canonical(known))


def _canonical(code: str) -> str:
    """The code in lower case or, where `_OTHER_NAMES` has it, the code that is used here in its place."""
    code = code.replace("_", "-").lower()
    return _OTHER_NAMES.get(code, code)


def names_direction(code: str, other: str) -> bool:
    """Whether what looks like a region is the other language: `en-de` beside `de` is a direction."""
    found = _CODE.fullmatch(code)
    region = found["region"] if found is not None else None
    return bool(region) and region.islower() and same_language(region, other)


def _primary(code: str) -> str:
    first = re.split("[-_]", code, maxsplit=1)[0].lower()
    could_be_one = len(first) in (2, 3) and first.isascii() and first.isalpha()
    language = _find(first) if could_be_one else None  # `_find` keeps whatever it is asked
    return language.part3 if language is not None else first


@cache
def _find(code: str) -> "Language | None":
    """The language of two or three letters. The table is loaded when it is first asked, which takes 0.2 s."""
    from iso639 import Language, LanguageNotFoundError

    code = code.lower()
    kinds = (Language.from_part1,) if len(code) == 2 else (Language.from_part2b, Language.from_part3)
    for kind in kinds:
        try:
            language = kind(code)
        except LanguageNotFoundError:
            continue
        return language if language.scope in _INDIVIDUAL_AND_MACRO and language.status == "A" else None
    return None
