"""JSON string tables: values are translated, and all else stays byte for byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import DataError
from tests.formats.translators import complain, copy, found, problems, say, shout, shuffle, translated

TABLE = """{
  "@@locale": "en",
  "greeting" : "Hello\\n\\u00e9 \\"you\\"",
    "list": ["one", {"two": "zwei: {x}"}, 3, null, true , "4"],
  "empty": "", "greeting2":"  padded  ",
  "@greeting": {"description": "kept"},
  "files": "{n, plural, one {# file} other {# files}}"
}
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_copying_translator_gives_the_file_back(ending, encoding):
    data = TABLE.replace("\n", ending).encode(encoding)
    assert translated(data, "x.json", copy) == data


def test_a_string_that_stays_is_not_written_anew():
    content = '["a\\/b", "\\u00E9", "c"]'
    assert translated(content, "x.json", copy) == content
    assert translated(content, "x.json", shout) == '["A/B", "\\u00c9", "C"]'


def test_values_are_translated_and_keys_are_not():
    expected = TABLE.replace('"Hello\\n\\u00e9 \\"you\\""', '"HELLO\\n\\u00c9 \\"YOU\\""').replace('"one"', '"ONE"')
    expected = expected.replace('"zwei: {x}"', '"ZWEI: {x}"').replace("  padded  ", "  PADDED  ")
    assert translated(TABLE, "x.arb", shout) == expected


def test_units_are_named_by_their_keys():
    assert [(unit.line, unit.name) for unit in found(TABLE, "x.json")] == [
        (3, "greeting"),
        (4, "list.0"),
        (4, "list.1.two"),
        (5, "greeting2"),
    ]


def test_a_choice_of_plurals_is_left_and_named():
    (problem,) = problems(TABLE, "x.json")
    assert problem == "line 7: files is a choice of several texts (ICU) and was left as it is"


def test_letters_are_escaped_only_in_files_that_escape_them():
    assert translated('["a", "é"]', "x.json", say("각")) == '["각", "각"]'
    assert translated('["a", "\\u00E9"]', "x.json", say("각")) == '["\\uac01", "\\uac01"]'


def test_half_of_a_surrogate_pair_is_not_sent():
    assert translated('["\\ud800 a", "b"]', "x.json", shout) == '["\\ud800 a", "B"]'
    assert problems('["\\ud800 a"]', "x.json") == ["line 1: 0 has half of a surrogate pair in it and was left as it is"]


def test_a_doubtful_translation_is_not_shipped():
    assert translated('{"k": "a 5"}', "x.json", complain) == '{"k": "a 5"}'
    assert problems('{"k": "a 5"}', "x.json", complain) == ["line 1, k: the number 5 is missing"]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ('{\n "a": }', "x.json:2: this is not JSON"),
        ("", "x.json:1: this is not JSON"),
        ('{"a": "b"} // c', "x.json:1: this is not JSON"),
        ("[" * 100_000, "x.json: its lists"),
        ("9" * 10_000, "x.json: its lists"),
        (b'"\xff"', "x.json:1: it is not UTF-8"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(content, place):
    with pytest.raises(DataError, match=f"^{place}"):
        translated(content, "x.json")


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans(), st.integers(0, 1000))
def test_any_table_keeps_its_shape(value, indent, ascii_only, seed):
    content = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    content = content.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    assert translated(content, "x.json", copy) == content
    for translate in (shout, shuffle(seed)):
        written = json.loads(translated(content, "x.json", translate))
        assert shape(written) == shape(json.loads(content))


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


def test_what_programs_read_is_left():
    content = '{"a": "user_id", "b": "#ff00aa", "c": "Yes/No"}'
    assert translated(content, "x.json", shout) == content.replace("Yes/No", "YES/NO")
