"""Subtitles of one film in two languages, by their times."""

import pytest

from polyhead.corpora.cues import read_cues
from polyhead.corpora.member import Member
from polyhead.corpora.subtitles import read_subtitles
from polyhead.data.readers import SubtitlesConfig, read
from polyhead.errors import DataError
from tests.corpora.conftest import Write

Times = tuple[float, float, str]


def srt(cues: list[Times], end: str = "\n") -> str:
    def clock(seconds: float) -> str:
        whole = round(seconds * 1000)
        return f"{whole // 3_600_000:02d}:{whole // 60_000 % 60:02d}:{whole // 1000 % 60:02d},{whole % 1000:03d}"

    parts = [f"{n}{end}{clock(a)} --> {clock(b)}{end}{text}{end}{end}" for n, (a, b, text) in enumerate(cues, start=1)]
    return "".join(parts)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_cues_are_read_with_their_times_and_without_formatting(write: Write, end: str) -> None:
    text = srt([(3661.5, 3662.25, f"{{\\an8}}<i>A dog</i>{end}runs.")], end)
    (cue,) = read_cues(Member.of(write("a.srt", "\ufeff" + text)))
    assert (cue.start, cue.end, cue.text) == (3661.5, 3662.25, "A dog runs.")
    assert cue.place.endswith("a.srt:3")


def test_untidy_files_are_read(write: Write) -> None:
    text = "\n\n1\n0:0:1.5 --> 0:0:2.5 X1:0\none\n\n1990\n\n3\n00:00:03-->00:00:04,000\ntwo\n"
    text += "00:00:05,000 --> 00:00:06,000\n"
    cues = read_cues(Member.of(write("a.srt", text)))
    assert [cue.text for cue in cues] == ["one 1990", "two"]
    assert [(cue.start, cue.end) for cue in cues] == [(1.5, 2.5), (3, 4)]


def test_subtitles_in_utf_16_are_read(write: Write) -> None:
    (cue,) = read_cues(Member.of(write("a.srt", srt([(1, 2, "개가 달린다.")]).encode("utf-16"))))
    assert cue.text == "개가 달린다."


def found(write: Write, source: list[Times], target: list[Times]) -> list[tuple[str, str, str | None]]:
    config = SubtitlesConfig(source=write("a.en.srt", srt(source)), target=write("a.ko.srt", srt(target)))
    return [(pair.source, pair.target, pair.flaw) for pair in read(config)]


def test_one_to_one_with_times_that_differ_a_little(write: Write) -> None:
    source = [(1, 2, "one"), (2, 3, "two"), (5, 6, "three")]
    target = [(1.1, 2.1, "하나"), (2.2, 3.3, "둘"), (4.9, 6.1, "셋")]
    assert found(write, source, target) == [("one", "하나", None), ("two", "둘", None), ("three", "셋", None)]


def test_one_to_several_either_way_and_none(write: Write) -> None:
    source = [(1, 4, "one two"), (5, 6, "three"), (6, 8, "four"), (10, 12, "alone"), (20, 21, "five")]
    target = [(1, 2.5, "하나"), (2.6, 4, "둘"), (5, 8, "셋 넷"), (14, 16, "홀로"), (20, 21, "다섯")]
    assert found(write, source, target) == [
        ("one two", "하나 둘", None),
        ("three four", "셋 넷", None),
        ("alone", "", "no translation"),
        ("five", "다섯", None),
    ]


def test_many_for_one_are_doubtful(write: Write) -> None:
    source = [(n, n + 1, str(n)) for n in range(5)]
    assert found(write, source, [(0, 5, "모두")]) == [("0 1 2 3 4", "모두", "unfinished translation")]


def test_a_touch_is_no_translation(write: Write) -> None:
    source, target = [(1, 3, "one"), (3, 5, "two")], [(1, 3.2, "하나"), (3.2, 5, "둘")]
    assert [pair[:2] for pair in found(write, source, target)] == [("one", "하나"), ("two", "둘")]


def test_films_that_have_nothing_to_do_with_each_other(write: Write) -> None:
    source = [(n, n + 1, str(n)) for n in range(30)]
    with pytest.raises(
        DataError, match=r"a\.en\.srt: of 30 subtitles only 0 are shown together with one of .*a\.ko\.srt"
    ):
        found(write, source, [(n + 500, n + 501, str(n)) for n in range(30)])
    with pytest.raises(DataError, match="only 1 are"):
        found(write, source, [(0, 1, "x"), *((n + 500, n + 501, str(n)) for n in range(30))])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("just text\n", "no line has times"),
        ("", "is empty"),
        ("1\n00:00:xx,000 --> 00:00:01,000\na\n", "a.srt:2: these are no times"),
        (b"1\n00:00:00,000 --> 00:00:01,000\n\xb0\xb3\n", "a.srt:3: it is not UTF-8: byte 33 cannot be"),
    ],
)
def test_what_is_wrong_is_said(write: Write, text: str | bytes, said: str) -> None:
    member = Member.of(write("a.srt", text))
    with pytest.raises(DataError, match=said):
        list(read_subtitles(member, member))
