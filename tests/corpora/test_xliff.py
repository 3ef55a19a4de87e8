"""XLIFF 1.2 and 2: the translated units and no others."""

from collections.abc import Iterator

import pytest

from polyhead.corpora import Wanted, languages_of, xliff
from polyhead.corpora.xml import Element
from tests.corpora.conftest import Write
from tests.corpora.reading import pairs, refusal, units


def one(units: str, target: str = ' target-language="ko"') -> str:
    return (
        '<?xml version="1.0"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n'
        f'<file original="x" datatype="plaintext" source-language="en"{target}><body>\n{units}\n</body></file></xliff>'
    )


def two(units: str) -> str:
    return (
        '<?xml version="1.0"?>\n<xliff version="2.0" srcLang="en" trgLang="ko" '
        f'xmlns="urn:oasis:names:tc:xliff:document:2.0">\n<file id="f">\n{units}\n</file></xliff>'
    )


def test_version_1(write: Write) -> None:
    path = write(
        "a.xlf",
        one(
            '<trans-unit id="1"><source>A <g id="1">dog</g> <x id="2"/>runs.</source>'
            '<target state="translated">개가 <g id="1">달린다</g><ph id="3">{0}</ph>.</target>'
            "<alt-trans><source>no</source><target>아니</target></alt-trans></trans-unit>\n"
            '<group><trans-unit id="2"><source>A cat.</source><target>고양이.</target></trans-unit></group>'
        ),
    )
    assert pairs(path) == [("A dog runs.", "개가 달린다."), ("A cat.", "고양이.")]
    assert languages_of(path, Wanted()) == ("en", "ko")
    assert pairs(path, "ko-KR", "en") == [("개가 달린다.", "A dog runs."), ("고양이.", "A cat.")]


@pytest.mark.parametrize(
    ("unit", "flaw"),
    [
        ("<trans-unit><source>a</source></trans-unit>", "no translation"),
        ("<trans-unit><source>a</source><target/></trans-unit>", "no translation"),
        ('<trans-unit><source>a</source><target state="new">가</target></trans-unit>', "unfinished translation"),
        (
            '<trans-unit><source>a</source><target state="needs-review-translation">가</target></trans-unit>',
            "unfinished translation",
        ),
        ('<trans-unit><source>a</source><target state="signed-off">가</target></trans-unit>', None),
        ('<trans-unit><source>a</source><target state="x-own">가</target></trans-unit>', None),
    ],
)
def test_states_of_version_1(write: Write, unit: str, flaw: str | None) -> None:
    finished = "<trans-unit><source>b</source><target>나</target></trans-unit>"
    found = units(write("a.xliff", one(f"{unit}\n{finished}")))
    assert [each.flaw for each in found] == [flaw, None]
    assert found[1].place.endswith("a.xliff:5 (unit 2)")


def test_what_is_not_to_be_translated_is_no_unit(write: Write) -> None:
    unit = "<trans-unit{}><source>a</source><target>{}</target></trans-unit>"
    path = write("a.xlf", one(unit.format(' translate="no"', "a") + unit.format("", "가")))
    assert [each.target for each in units(path)] == ["가"]
    unit = "<unit{}><segment><source>a</source><target>{}</target></segment></unit>"
    path = write("b.xlf", two(unit.format(' translate="no"', "a") + unit.format("", "가")))
    assert [each.target for each in units(path)] == ["가"]


def test_segments_of_version_1_are_pairs_of_their_own(write: Write) -> None:
    def segmented(side: str, *texts: str) -> str:
        marks = " ".join(f'<mrk mtype="seg" mid="{mid}">{text}</mrk>' for mid, text in enumerate(texts))
        return f"<{side}>{marks}</{side}>"

    both = segmented("seg-source", "One.", "Two.") + segmented("target", "하나.", "둘.")
    unequal = segmented("seg-source", "One.", "Two.") + segmented("target", "하나 둘.")
    unit = "<trans-unit><source>One. Two.</source>{}</trans-unit>"
    path = write("a.xlf", one(unit.format(both) + unit.format(unequal)))
    assert pairs(path) == [("One.", "하나."), ("Two.", "둘."), ("One. Two.", "하나 둘.")]


def test_version_2(write: Write) -> None:
    path = write(
        "a.xlf",
        two(
            '<unit id="1"><segment state="final"><source>A <pc id="1">dog</pc><ph id="2"/>.</source>'
            '<target><mrk id="m" translate="no">개</mrk>.</target></segment>'
            "<ignorable><source> </source><target> </target></ignorable>"
            "<segment><source>A cat.</source><target>고양이.</target></segment></unit>\n"
            '<unit id="2"><segment state="initial"><source>x</source><target>y</target></segment>'
            "<segment><source>z</source></segment></unit>"
        ),
    )
    assert pairs(path) == [("A dog.", "개."), ("A cat.", "고양이.")]
    assert [each.flaw for each in units(path)][2:] == ["unfinished translation", "no translation"]
    assert languages_of(path, Wanted()) == ("en", "ko")


def test_without_a_target_language_any_is_meant(write: Write) -> None:
    path = write("a.xlf", one("<trans-unit><source>a</source><target>가</target></trans-unit>", target=""))
    assert pairs(path) == pairs(path, "en", "ko") == [("a", "가")]
    assert languages_of(path, Wanted()) == ("en", None)
    assert pairs(path, "ko", "en") == [("가", "a")]


def test_files_within_a_file_have_languages_of_their_own(write: Write) -> None:
    unit = "<trans-unit><source>{}</source><target>{}</target></trans-unit>"
    first, second = one(unit.format("a", "가")), one(unit.format("b", "be"), target="")
    path = write("a.xlf", first.replace("</xliff>", "") + second.partition('1.2">')[2])
    assert pairs(path, "en", "ko") == [("a", "가"), ("b", "be")]
    assert pairs(path, "en", "fr") == [("b", "be")]


def test_nothing_translated_is_said(write: Write) -> None:
    said = refusal(write("a.xlf", one("<trans-unit><source>a</source></trans-unit>")))
    assert "of its 1 units none has a finished translation" in said


def test_units_of_version_2_are_forgotten(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = "<unit><segment><source>a</source><target>b</target></segment></unit>"
    read_elements, most = xliff.read_elements, 0

    def counting(*given) -> Iterator[tuple[bool, Element]]:
        nonlocal most
        for has_ended, element in read_elements(*given):
            parent = element.getparent()
            most = max(most, 0 if parent is None else len(parent))
            yield has_ended, element

    monkeypatch.setattr(xliff, "read_elements", counting)
    assert len(pairs(write("a.xlf", two(unit * 3_000)))) == 3_000
    assert most < 2_000
