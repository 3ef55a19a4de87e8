"""YAML string tables: values are translated, and all else stays byte for byte."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import DataError
from tests.formats.translators import complain, copy, found, problems, say, shout, shuffle, translated

TABLE = """# kept
en:
  greeting: Hello, you   # also kept
  quoted: 'it''s'
  double: "a \\"b\\" \\u00e9"
  anchored: &here one
  again: *here
  tagged: !!str two
  list: [one, {x: zwei}, 3, null, yes]
  literal: |
    First line
      second line

    third
  folded: >-
    One sentence
    on two lines.

    Another.
  plain: two
    lines
  empty: ""
  files: "{n, plural, one {# file} other {# files}}"
---
other: "x"
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_copying_translator_gives_the_file_back(ending, encoding):
    data = TABLE.replace("\n", ending).encode(encoding)
    assert translated(data, "x.yaml", copy) == data


def test_values_are_translated_in_their_style():
    expected = TABLE
    for before, after in [
        ("Hello, you ", '"HELLO, YOU" '),
        ("'it''s'", "'IT''S'"),
        ('"a \\"b\\" \\u00e9"', '"A \\"B\\" É"'),
        ("&here one", "&here ONE"),
        ("!!str two", "!!str TWO"),
        ("[one, {x: zwei}", "[ONE, {x: ZWEI}"),
        ("First line\n      second line\n\n    third", "FIRST LINE\n      SECOND LINE\n\n    THIRD"),
        ("One sentence\n    on two lines.\n\n    Another.", "ONE SENTENCE ON TWO LINES.\n\n    ANOTHER."),
        ("plain: two\n    lines", "plain: TWO LINES"),
        ('other: "x"', 'other: "X"'),
    ]:
        assert before in expected
        expected = expected.replace(before, after)
    assert translated(TABLE, "x.yml", shout) == expected


def test_units_are_named_by_their_keys():
    units = found(TABLE, "x.yaml")
    assert (units[0].line, units[0].name) == (3, "en.greeting")
    assert [unit.name for unit in units if "list" in unit.name] == ["en.list.0", "en.list.1.x"]
    assert (
        next(unit for unit in units if unit.name == "en.folded").marked.text == "One sentence on two lines.\nAnother."
    )


def test_what_is_left_is_named():
    assert problems(TABLE, "x.yaml") == ["line 23: en.files is a choice of several texts (ICU) and was left as it is"]
    assert problems("a: |2\n   b\n", "x.yaml") == ["line 1: a says how far it is indented and was left as it is"]
    assert problems("a: b 5", "x.yaml", complain) == ["line 1, a: the number 5 is missing"]
    assert translated("a: b 5", "x.yaml", complain) == "a: b 5"


HARD = [
    "a: b",
    "- a",
    "# a",
    "yes",
    "1",
    "null",
    "'a",
    '"a',
    "{a}",
    "[a",
    "a #b",
    "&a",
    "*a",
    "!a",
    "a,b",
    "|",
    "> a",
    "@a",
]
HARD += [
    "%a",
    "a\nb",
    "a\\n",
    "\x07",
    "\x85",
    "\u2028",
    "é각",
    "~",
    "=",
    "<<",
    "2026-01-01",
    "a:",
    ": a",
    "\ttab",
    "--- a",
    "\ufeffb",
]


@pytest.mark.parametrize("text", HARD)
@pytest.mark.parametrize("frame", ["k: x", "k: 'x'", 'k: "x"', "k: &a x", "[x]", "{k: x}", "- x", "k:\n  x", "x"])
def test_any_translation_is_read_again_as_what_it_says(text, frame):
    read = yaml.safe_load(translated(frame, "x.yaml", say(text)))
    read = next(iter(read.values())) if isinstance(read, dict) else read[0] if isinstance(read, list) else read
    assert read == text


@pytest.mark.parametrize("text", HARD)
@pytest.mark.parametrize("style", ["|", ">", "|-", ">+"])
def test_a_block_stays_one_string(text, style):
    written = translated(f"k: {style}\n    x\n\nl: 5\n", "x.yaml", say(text))
    read = yaml.safe_load(written)
    assert list(read) == ["k", "l"]
    assert read["k"].split() == text.replace("\x07", "\ufffd").replace("\ufeff", "\ufffd").split()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: b: c", "x.yaml:1: this is not YAML: mapping values are not allowed here"),
        ("a: [1\nb: 2", "x.yaml:2: this is not YAML"),
        ("a: \x07", "x.yaml:1: a control character"),
        ("[" * 1000, "x.yaml: its lists"),
        ("a: *b", "x.yaml:1: this is not YAML: found undefined alias"),
    ],
)
def test_what_is_not_yaml_is_refused_with_its_place(content, message):
    with pytest.raises(DataError, match=f"^{message}"):
        translated(content, "x.yaml")


def test_aliases_of_aliases_take_no_time():
    lines = ["a0: &a0 [x, x]", *(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60))]
    assert translated("\n".join(lines), "x.yaml", shout) == "\n".join(lines).replace("x, x", "X, X")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)


@given(VALUES, st.sampled_from([None, "'", '"', "|", ">"]), st.booleans(), st.integers(0, 1000))
def test_any_table_keeps_its_shape(value, style, flow, seed):
    content = yaml.safe_dump(value, default_style=style, default_flow_style=flow, allow_unicode=True)
    if content.startswith("\ufeff"):
        return
    assert translated(content, "x.yaml", copy) == content
    for translate in (shout, shuffle(seed)):
        assert shape(yaml.safe_load(translated(content, "x.yaml", translate))) == shape(value)


def shape(value):
    """A value with every string in it left out, but for those that are keys."""
    match value:
        case str():
            return str
        case list():
            return [shape(each) for each in value]
        case dict():
            return {key: shape(each) for key, each in value.items()}
        case _:
            return value


def test_a_blank_line_in_a_block_stays_empty():
    content = "a: |\n    one\n\n    two\nb: >-\n    three\n\n    four\n"
    assert translated(content, "x.yaml", shout) == "a: |\n    ONE\n\n    TWO\nb: >-\n    THREE\n\n    FOUR\n"


def test_an_emoji_is_written_as_it_was():
    content = 'a: "😀: b \\\\U0001F600 c\\u0001"\n'
    assert translated(content, "x.yaml", shout) == 'a: "😀: B \\\\U0001F600 C\\x01"\n'


def test_what_programs_read_is_left():
    content = 'a: user_id\nb: "#ff00aa"\nc: Yes/No\n'
    assert translated(content, "x.yaml", shout) == content.replace("Yes/No", "YES/NO")


@pytest.mark.parametrize("number", ["FFFFFFFF", "00110000"])
def test_an_escape_that_is_no_character_is_named(number):
    with pytest.raises(DataError, match=r"^x.yaml: an escape in it is no character"):
        found(f'a: "x \\U{number}"', "x.yaml")


def test_lists_that_are_nested_too_deeply_are_named():
    with pytest.raises(DataError, match=r"nested too deeply"):
        found("[" * 600, "x.yaml")


def test_half_of_a_surrogate_pair_is_not_sent():
    content = 'a: "Hello \\ud800"\nb: c d'
    assert translated(content, "x.yaml", shout) == content.replace("c d", "C D")
    assert problems(content, "x.yaml") == ["line 1: a has half of a surrogate pair in it and was left as it is"]


@pytest.mark.parametrize("text", ['"\\UFFFFFFFF"', "b, !!bool c", "b, !!timestamp c", 'b, !!int ""', "b, " + "[" * 900])
def test_any_translation_of_a_plain_text_can_be_written(text):
    assert yaml.safe_load(translated("a: b c", "x.yaml", say(text))) == {"a": text}


@pytest.mark.parametrize("ending", ["\r", "\r\n", "\n", "\u2028", "\x85"])
@pytest.mark.parametrize("second", ["\r", "\n"])
def test_a_block_may_end_its_lines_in_any_way(ending, second):
    content = f"a: |{ending}  one{second}  two\nb: c\n"
    assert yaml.safe_load(translated(content, "x.yaml", shout)) == {"a": "ONE\nTWO\n", "b": "C"}
    assert problems(content, "x.yaml") == []


def test_a_comment_behind_an_anchor_stays():
    content = "a: &x # b\n  |\n  c d\ne: &y # f\n  g h\n"
    assert translated(content, "x.yaml", shout) == "a: &x # b\n  |\n  C D\ne: &y # f\n  G H\n"


def test_a_block_that_says_its_indentation_is_left_and_named():
    assert problems("a: |2\n   b c\n", "x.yaml") == ["line 1: a says how far it is indented and was left as it is"]


def test_an_escape_that_is_no_character_in_a_front_matter_is_named():
    assert problems('---\ntitle: "a \\UFFFFFFFF"\n---\nb', "x.md") == [
        "line 1: what stands before its text is not YAML, so it was left as it is"
    ]
