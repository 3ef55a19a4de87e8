"""SRT and WebVTT: sentences are translated whole, and all but the texts stays byte for byte."""

import pysubs2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import DataError
from polyhead.formats.cue_text import cut, goes_on
from polyhead.inline.codes import Code, Marked
from tests.formats.translators import copy, found, lose_codes, problems, say, shout, shuffle, translated

SRT = r"""1
00:00:01,000 --> 00:00:02,500 X1:1
The cat drinks <i>cold
water</i> and

2
00:00:02,600 --> 00:00:04,000
then it goes
to sleep.

3
00:00:05,000 --> 00:00:06,000
- Hello.
- <b>Hi!</b>

4
00:00:07,000 --> 00:00:08,000
{\an8}Top

still four


5
00:00:09,000 --> 00:00:10,000

6
00:00:11,000 --> 00:00:12,000
♪ 1 2 3 ♪
"""
VTT = """WEBVTT - a film

NOTE a --> note
kept

STYLE
::cue { color: red }

first
00:01.000 --> 00:02.000 align:start
<v Bob>tea &amp; milk <00:01.500><c.x>here</c>
second line

00:03.000 --> 00:04.000
alone &lt;3"""


@pytest.mark.parametrize(("content", "name"), [(SRT, "x.srt"), (VTT, "x.vtt"), ("WEBVTT\n", "x.vtt"), ("", "x.srt")])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_a_copying_translator_gives_the_file_back(content, name, ending, encoding):
    data = content.replace("\n", ending).encode(encoding)
    assert translated(data, name, copy) == data


def test_a_sentence_over_cues_is_one_text_and_comes_back_over_them():
    assert [unit.marked.text for unit in found(SRT, "x.srt")] == [
        "The cat drinks cold water and then it goes to sleep.",
        "Hello.",
        "Hi!",
        "Top  still four",
    ]
    assert [unit.line for unit in found(SRT, "x.srt")] == [3, 13, 14, 18]
    expected = SRT.replace("The cat drinks <i>cold\nwater</i> and", "THE CAT DRINKS\n<i>COLD WATER</i> AND")
    expected = expected.replace("then it goes\nto sleep.", "THEN IT GOES\nTO SLEEP.").replace("Hello", "HELLO")
    expected = expected.replace("Hi!", "HI!").replace("Top\n\nstill four", "TOP\nSTILL\nFOUR")
    assert translated(SRT, "x.srt", shout) == expected


def test_the_parser_of_another_library_reads_the_same_times():
    written = translated(SRT, "x.srt", say("하나 둘 셋 넷 다섯 여섯 일곱 여덟"))
    before, after = (pysubs2.SSAFile.from_string(text, format_="srt") for text in (SRT, written))
    assert [(event.start, event.end) for event in after] == [(event.start, event.end) for event in before]
    assert [event.plaintext for event in after][:2] == ["하나 둘\n셋 넷 다섯", "여섯\n일곱 여덟"]


def test_settings_notes_styles_and_entities_of_webvtt_stay():
    expected = VTT.replace("tea &amp; milk", "TEA &amp; MILK").replace("here</c>\nsecond line", "HERE</c>\nSECOND LINE")
    assert translated(VTT, "x.vtt", shout) == expected.replace("alone", "ALONE")


def test_a_voice_is_no_part_of_the_sentence():
    assert found(VTT, "x.vtt")[0].head.codes[0].content == "<v Bob>"


def test_a_translation_can_neither_end_a_cue_nor_begin_one():
    content = "1\n00:00:01,000 --> 00:00:02,000\nhello\n"
    assert translated(content, "x.srt", say("a\n\n9\n00:00:01,000 --> 00:00:02,000\nb")) == (
        content.replace("hello", "a  9 00:00:01,000 -> 00:00:02,000 b")
    )
    assert (
        "-->" not in translated("WEBVTT\n\n00:01.000 --> 00:02.000\nhi", "x.vtt", say("a --> b")).partition("2.000")[2]
    )


def test_a_text_that_lost_a_tag_keeps_its_cues():
    written = translated(SRT, "x.srt", lose_codes)
    assert "The cat drinks <i>cold\nwater</i> and" in written
    assert problems(SRT, "x.srt", lose_codes) == ["line 3: <i> is missing", "line 3: </i> is missing"]


def test_a_cue_that_nothing_is_left_for_keeps_its_time():
    content = "1\n00:00:01,000 --> 00:00:02,000\nI am,\n\n2\n00:00:02,000 --> 00:00:03,000\nhere.\n"
    assert translated(content, "x.srt", say("x")) == content.replace("I am,", "x").replace("here.", "")


def test_a_short_translation_leaves_no_blank_line_in_its_cue():
    content = "WEBVTT\n\n00:01.000 --> 00:02.000\na\nb\nc\n"
    assert translated(content, "x.vtt", say("x")) == content.replace("a\nb\nc", "x")


@pytest.mark.parametrize(
    ("before", "after", "pause", "expected"),
    [
        ("The cat drinks", "water.", 0.1, True),
        ("The cat drinks.", "water.", 0.1, False),
        ("The cat drinks", "Water.", 0.1, False),
        ("Well,", "Bob, come.", 0.1, True),
        ("The cat drinks", "water.", 5.0, False),
        ("The cat drinks", "- water", 0.1, False),
        ("- Hi\n- Hello", "you", 0.1, False),
        ("고양이가", "물을 마신다", 0.1, False),
        ("고양이가,", "물을 마신다", 0.1, True),
        ("♪ la la ♪", "la", 0.1, False),
    ],
)
def test_punctuation_capitals_and_pauses_tell_whether_a_sentence_goes_on(before, after, pause, expected):
    assert goes_on(before, after, pause) is expected


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("hello\n", "x.srt", "x.srt:1: there is no line with times"),
        (SRT.replace("06,000", "0x,000"), "x.srt", "x.srt:12: these are no times such as"),
        (SRT.replace("\r", "").replace("\n", "\r"), "x.srt", "x.srt: its lines end in carriage returns alone"),
        ("WEBVTT\r\r00:01.000 --> 00:02.000\ra\r", "x.vtt", "x.vtt: its lines end in carriage returns alone"),
        ("hello\n", "x.vtt", "x.vtt:1: a WebVTT file begins with the word WEBVTT"),
    ],
)
def test_what_is_no_subtitle_file_is_refused(content, name, message):
    with pytest.raises(DataError, match=f"^{message}"):
        translated(content, name)


def test_many_blank_lines_and_tags_take_no_time():
    content = "1\n00:00:01,000 --> 00:00:02,000\n" + "\n" * 50_000 + "<i>" * 9_000 + "a b\n" * 9_000
    assert translated(content, "x.srt", copy) == content
    assert len(translated(content, "x.srt", shout)) < len(content)


CUES = [
    "1\n",
    "00:00:01,000 --> 00:00:02,000\n",
    "\n",
    "a\n",
    "b <i>c\n",
    "</i>.\n",
    "- d\n",
    "- e\n",
    "  \n",
    "{\\an8}f\n",
    "\r\n",
]


@given(st.lists(st.sampled_from(CUES), max_size=20), st.integers(0, 1000), st.sampled_from(["x.srt", "x.vtt"]))
def test_times_are_kept_whatever_the_translator_does(parts, seed, name):
    content = ("WEBVTT\n\n" if name == "x.vtt" else "0\n00:00:00,000 --> 00:00:01,000\n") + "".join(parts)
    assert translated(content, name, copy) == content
    for translate in (shout, shuffle(seed), lose_codes):
        written = translated(content, name, translate)
        assert written.count("-->") == content.count("-->")
        if translate is not shout:
            assert written.count("{\\an8}") == content.count("{\\an8}")


@given(st.text(alphabet="ab c각", max_size=30), st.lists(st.integers(1, 9), min_size=1, max_size=5), st.data())
def test_cutting_loses_nothing(text, lengths, data):
    place = data.draw(st.integers(0, len(text)))
    parts = cut(Marked(text, (Code("<i>", place, place),)), lengths)
    assert len(parts) == len(lengths)
    assert "".join(part.text for part in parts) == text
    assert sum(len(part.codes) for part in parts) == 1
    assert "".join(part.written() for part in parts) == text[:place] + "<i>" + text[place:]
