"""XLIFF: units without a translation get one, marked for review, and all else stays byte for byte."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from polyhead.errors import DataError
from tests.formats.translators import (
    complain,
    copy,
    double_codes,
    found,
    lose_codes,
    lose_one_code,
    problems,
    say,
    shout,
    shuffle,
    translated,
)

ONE = """<?xml version='1.0' encoding="UTF-8" ?>
<!-- kept -->
<xliff version="1.2"  xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file original='a' source-language="en" target-language="ko" datatype="plaintext">
  <body>
   <trans-unit id="1" >
    <source>각 The <g id="1">cat</g> &amp; <x id="2"/> <bpt id="3">&lt;b></bpt>dog<ept id="3">&lt;/b></ept></source>
   </trans-unit>
   <trans-unit id="2"><source>a</source><target>b</target></trans-unit>
   <trans-unit id="3"><source><![CDATA[x <b>]]> y</source><target state="new"/><note>n</note></trans-unit>
   <group translate="no"><trans-unit id="4"><source>a</source></trans-unit></group>
   <trans-unit id="5"><source>Two. Parts.</source>
    <seg-source><mrk mtype="seg" mid="1">Two.</mrk> Parts.</seg-source></trans-unit>
  </body>
 </file>
</xliff>
"""
TWO = """<x:xliff version="2.1" srcLang="en" trgLang="ko" xmlns:x="urn:oasis:names:tc:xliff:document:2.0">
 <x:file id="f">
  <x:unit id="u">
   <x:originalData><x:data id="d">x</x:data></x:originalData>
   <x:segment id="s"><x:source
    >The <x:pc id="1">cat</x:pc> <x:sc id="2"/>x<x:ec startRef="2"/> <x:ph id="3"/></x:source></x:segment>
   <x:ignorable><x:source> </x:source></x:ignorable>
   <x:segment state="initial">
    <x:source>dog</x:source>
   </x:segment>
  </x:unit>
  <x:unit id="v" translate="no"><x:segment><x:source>a</x:source></x:segment></x:unit>
  <x:unit id="w"><x:notes><x:note>n</x:note></x:notes><x:segment><x:source>a</x:source><x:target/></x:segment></x:unit>
  <x:unit id="z"><x:segment><x:source>a</x:source><x:target>b</x:target></x:segment></x:unit>
 </x:file>
</x:xliff>
"""
TARGET = ' state="needs-review-translation" state-qualifier="mt-suggestion"'


def test_a_copying_translator_adds_targets_and_nothing_else():
    written = translated(ONE, "x.xlf")
    cat = ONE.partition("<source>")[2].partition("</source>")[0]
    expected = ONE.replace(f"{cat}</source>", f"{cat}</source>\n    <target{TARGET}>{cat}</target>")
    expected = expected.replace('<target state="new"/>', f"<target{TARGET}>x &lt;b&gt; y</target>")
    parts = '<mrk mtype="seg" mid="1">Two.</mrk> Parts.'
    assert written == expected.replace("</seg-source>", f"</seg-source><target{TARGET}>{parts}</target>")


def test_a_copying_translator_adds_targets_to_the_second_version_too():
    written = translated(TWO, "x.xliff")
    assert written.count("<x:target>") == 4
    assert re.sub(r"\s*<x:target>(?!b<).*?</x:target>| state=\"\w+\"| subState=\"[\w:]+\"", "", written) == re.sub(
        r"<x:target/>| state=\"initial\"", "", TWO
    )
    assert written.count('state="translated" subState="polyhead:machine"') == 3


def test_only_what_has_no_translation_is_sent():
    assert [(unit.line, unit.name, unit.marked.text) for unit in found(ONE, "x.xlf", kind="xliff")] == [
        (7, "1", "각 The cat &  dog"),
        (10, "3", "x <b> y"),
        (12, "5", "Two. Parts."),
    ]
    assert [(unit.name, unit.marked.text) for unit in found(TWO, "x.xliff")] == [
        ("u", "The cat x "),
        ("u", "dog"),
        ("w", "a"),
    ]


def test_halves_of_pairs_find_each_other():
    first, *_ = found(ONE, "x.xlf", kind="xliff")
    assert [(code.role, code.pair) for code in first.marked.codes] == [
        ("open", 1), ("close", 1), ("alone", None), ("open", 2), ("close", 2),
    ]  # fmt: skip


@pytest.mark.parametrize("content", [ONE, TWO])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_other_encodings_are_kept(content, encoding):
    content = content.replace(' encoding="UTF-8"', ' encoding="UTF-16"' if "16" in encoding else "")
    written = translated(content.encode(encoding), "x.xlf", shout).decode(encoding)
    assert written == translated(content, "x.xlf", shout)


def test_letters_that_an_encoding_lacks_are_written_by_number():
    content = ONE.replace("UTF-8", "ISO-8859-1").replace("각", "é").encode("latin-1")
    assert b"&#44033;" in translated(content, "x.xlf", say("각"))


@pytest.mark.parametrize(("content", "attribute"), [(ONE, "target-language"), (TWO, "trgLang")])
def test_the_target_language_is_said(content, attribute):
    without = content.replace(f' {attribute}="ko"', "")
    assert f'{attribute}="ko"' in translated(without, "x.xlf")
    with pytest.raises(DataError, match="translations into ko"):
        translated(content, "x.xlf", target_language="de")
    empty = re.sub(r"<(x:)?target>b</(x:)?target>", "", content)
    assert f'{attribute}="de"' in translated(empty, "x.xlf", target_language="de")


def test_what_is_wrong_is_noted():
    written = translated(ONE, "x.xlf", complain)
    assert written.count(f'{"</target>"}\n    <note from="polyhead">the number 5 is missing</note>') == 1
    assert written.count('<note from="polyhead">') == 3
    assert problems(ONE, "x.xlf", complain)[0] == "line 7, 1: the number 5 is missing"
    assert ONE.count("note") + 6 == written.count("note")


def test_what_is_wrong_is_noted_in_the_second_version_too():
    written = translated(TWO, "x.xliff", complain)
    assert written.count('state="initial" subState="polyhead:doubtful"') == 3
    assert (
        '<x:notes><x:note>n</x:note><x:note category="polyhead">the number 5 is missing</x:note></x:notes>' in written
    )
    unit = etree.fromstring(written.encode())[0][0]
    assert [etree.QName(child).localname for child in unit][:2] == ["notes", "originalData"]


@pytest.mark.parametrize(
    "notes", ["<x:notes/>", '<x:notes a="b" />', "<x:notes></x:notes >", "<x:notes><x:note/></x:notes>"]
)
def test_a_unit_has_notes_once(notes):
    content = TWO.replace("<x:notes><x:note>n</x:note></x:notes>", notes)
    unit = etree.fromstring(translated(content, "x.xliff", complain).encode())[0][2]
    assert [etree.QName(child).localname for child in unit] == ["notes", "segment"]
    assert unit[0][-1].text == "the number 5 is missing"
    assert notes in translated(content, "x.xliff")


@pytest.mark.parametrize("content", [ONE, TWO])
@pytest.mark.parametrize("translate", [shout, lose_codes, lose_one_code, double_codes, complain, say("<&]]>\0")])
def test_whatever_is_translated_it_is_xml(content, translate):
    etree.fromstring(translated(content, "x.xlf", translate).encode())


BOMB = '<!DOCTYPE xliff [<!ENTITY a "b">]><xliff version="1.2">&a;</xliff>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<xliff", "x.xlf:1: it is not well-formed XML"),
        ('<?xml version="1.0"?>\n\n<xliff>\n</a>', "x.xlf:4: it is not well-formed XML: mismatched tag"),
        ("<html/>", "x.xlf:1: its root is <html>"),
        ('<xliff version="3.0"/>', "x.xlf:1: it is XLIFF 3.0"),
        (BOMB, "x.xlf:1: its DOCTYPE has declarations"),
        ("<!DOCTYPE xliff SYSTEM 'file:///etc/passwd' [<!ENTITY % a SYSTEM 'x'> %a;]><xliff/>", "x.xlf:1: its DOCTYPE"),
        ('<?xml version="1.0" encoding="nonsense"?><xliff/>', "x.xlf: its encoding 'nonsense' is not known"),
        ("<a>" * 100_000, "x.xlf:1: its elements are nested"),
        ("<xliff version='1.2'>&a;</xliff>", "x.xlf:1: it is not well-formed XML: undefined entity"),
        ("", "x.xlf:1: it is not well-formed XML: no element found"),
    ],
)
def test_what_is_no_xliff_is_refused_with_its_place(content, message):
    with pytest.raises(DataError, match=f"^{message}"):
        translated(content, "x.xlf")


TEXT = st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufffe\uffff"), max_size=8)
INLINE = st.recursive(
    TEXT.map(lambda text: ("", text, [])),
    lambda inner: st.tuples(st.sampled_from(["g", "x", "ph", "mrk"]), TEXT, st.lists(inner, max_size=3)),
    max_leaves=8,
)


def grown(parent, parts):
    """Adds text and inline elements to an element."""
    for name, text, inner in parts:
        if name:
            child = etree.SubElement(parent, name, id="1")
            if name != "x":
                child.text = text
                grown(child, inner)
        elif len(parent):
            parent[-1].tail = (parent[-1].tail or "") + text
        else:
            parent.text = (parent.text or "") + text


@given(
    st.lists(st.lists(INLINE, max_size=4), max_size=3),
    st.integers(0, 1000),
    st.sampled_from(["utf-8", "utf-16", "ascii"]),
)
def test_any_unit_comes_back_as_its_own_target(units, seed, encoding):
    root = etree.Element("xliff", version="1.2")
    file = etree.SubElement(root, "file")
    for parts in units:
        grown(etree.SubElement(etree.SubElement(file, "trans-unit"), "source"), parts)
    content = etree.tostring(root, encoding=encoding, xml_declaration=True)
    written = etree.fromstring(translated(content, "x.xlf", copy))
    for unit in written.iter("trans-unit"):
        source, target = unit.find("source"), unit.find("target")
        if target is None:
            assert not len(source)
            assert not source.text
            continue
        for name in list(target.attrib):
            del target.attrib[name]
        target.tag = "source"
        assert etree.tostring(target, method="c14n") == etree.tostring(source, method="c14n")
        unit.remove(target)
    del written[0].attrib["target-language"]
    assert etree.tostring(written, method="c14n") == etree.tostring(etree.fromstring(content), method="c14n")
    etree.fromstring(translated(content, "x.xlf", shuffle(seed)))


def test_the_deepest_nesting_that_is_read_is_written():
    deep = "<g>" * 490 + "a" + "</g>" * 490 + "b"
    content = f"<xliff version='1.2'><file><trans-unit><source>{deep}</source></trans-unit></file></xliff>"
    assert f"{deep.replace('a', 'A').replace('b', 'B')}</target>" in translated(content, "x.xlf", shout)


def test_other_attributes_of_a_target_are_kept_whatever_is_in_them():
    target = """<target a="/> state='x'" state = 'new' b='>'/>"""
    content = f"<xliff version='1.2'><file><trans-unit><source>a</source>{target}</trans-unit></file></xliff>"
    expected = (
        """<target a="/> state='x'" state="needs-review-translation" b='>' state-qualifier="mt-suggestion">a</target>"""
    )
    assert expected in translated(content, "x.xlf")


def test_a_target_that_says_it_is_no_translation_is_replaced():
    unit = "<trans-unit><source>a</source><target state='{}'>b</target></trans-unit>"
    states = ["needs-translation", "final", "new"]
    content = f"<xliff version='1.2'><file>{''.join(map(unit.format, states))}</file></xliff>"
    written = etree.fromstring(translated(content, "x.xlf"))
    assert [target.text for target in written.iter("target")] == ["a", "b", "a"]


def test_text_that_looks_like_a_code_of_the_text_stays_text():
    source = """a <x id="1"/> b &lt;x id="1"/&gt; c"""
    content = f"<xliff version='1.2'><file><trans-unit><source>{source}</source></trans-unit></file></xliff>"
    assert f"{source}</target>" in translated(content, "x.xlf")


@pytest.mark.parametrize(
    ("content", "source"),
    [
        (ONE, 'My <mrk mtype="protected">polyhead</mrk> is <b>new</b>'),
        (TWO, 'My <x:mrk id="m" translate="no">polyhead</x:mrk> is <x:b>new</x:b>'),
    ],
)
def test_what_is_protected_is_read_and_kept_and_what_the_standard_lacks_is_translated(content, source):
    content = re.sub(r"(<(?:x:)?source>)a(?=</)", rf"\1{source}", content, count=1) if content is TWO else content
    content = content.replace("<source>Two. Parts.</source>", f"<source>{source}</source>").replace("seg-source", "y")
    content = content.replace(' translate="no"><x:segment>', "><x:segment>")
    unit = next(unit for unit in found(content, "x.xliff") if unit.marked.text.startswith("My"))
    assert unit.marked.text == "My polyhead is new"
    written = re.sub("(My|is|new)(?=[ <])", lambda word: word[0].upper(), source)
    assert f"target>{written}<" in translated(content, "x.xliff", shout).replace(TARGET, "")


@pytest.mark.parametrize("content", [ONE, TWO])
def test_choices_of_icu_are_left_and_named(content):
    choice = '{n, plural, =0 {none} other {<x:ph id="7"/> many}}'.replace("x:ph", "x" if content is ONE else "x:ph")
    changed = re.sub(r"(?<=source>)(Two\. Parts\.|dog)(?=</)", choice, content, count=1).replace("seg-source", "y")
    written = translated(changed, "x.xlf", shout)
    assert written.count(choice) == 1
    assert "MANY" not in written
    name, line = ("5", 12) if content is ONE else ("u", 8)
    said = f"line {line}: {name} is a choice of several texts (ICU) and was left as it is"
    assert said in problems(changed, "x.xlf")


def test_tags_that_angular_writes_are_pairs():
    start, end = '<x id="START_BOLD_TEXT" ctype="x-b"/>', '<x id="CLOSE_BOLD_TEXT" ctype="x-b"/>'
    content = ONE.replace("<source>Two. Parts.</source>", f"<source>My {start}cat{end}</source>").replace(
        "seg-source", "y"
    )
    unit = next(unit for unit in found(content, "x.xlf", kind="xliff") if unit.marked.text == "My cat")
    assert [(code.role, code.start) for code in unit.marked.codes] == [("open", 3), ("close", 6)]


def _in_one_unit(inside):
    return (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:q="urn:oasis:names:tc:xliff:document:2.0" '
        f'version="2.0" srcLang="en" trgLang="ko"><file id="f"><unit id="u">{inside}</unit></file></xliff>'
    )


@pytest.mark.parametrize("translate", [shout, complain])
@pytest.mark.parametrize(
    "inside",
    [
        "<segment><source>ab</source></segment><notes><note>n</note></notes>",
        "<segment><source>ab</source></segment><notes><note>n</note></notes><segment><source>cd</source></segment>",
        "<notes><note>n</note></notes><segment><source>ab</source></segment>",
        "<segment><target/><source>ab</source></segment>",
        "<segment><source>ab</source><q:target></q:target></segment>",
    ],
)
def test_parts_in_an_unusual_order_are_there_once(inside, translate):
    root = etree.fromstring(translated(_in_one_unit(inside), "x.xlf", translate))
    texts = [element.text for element in root.iter("{*}source", "{*}target")]
    assert sorted(texts) == sorted([*re.findall(r"ab|cd", inside), *re.findall(r"AB|CD", inside.upper())])
    own = [element for element in root.iter("{*}note") if element.get("category") is None]
    assert len(own) == inside.count("<note>")


def test_a_target_keeps_its_prefix():
    content = ONE.replace('<target state="new"/>', '<q:target xmlns:q="urn:oasis:names:tc:xliff:document:1.2"/>')
    assert etree.fromstring(translated(content.encode(), "x.xlf", shout)).find(".//{*}target[@state]") is not None
