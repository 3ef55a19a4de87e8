"""Where sentences end."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.sentences import sentences

TEXT = st.text() | st.text("aB 1.!?…。！」\"'“”«»()[]\n\r\t\u2028\u00a0\u3000*-한", max_size=60)
SPACES = "\u00a0\u1680\u2000\u2003\u2009\u200a\u202f\u205f\u3000"
SPACED = st.lists(st.sampled_from(["A", "Z", "plan A", ".", ". ", "!", "(", "한", "é", *SPACES]), max_size=30)
LANGUAGES = st.sampled_from([None, "en", "de", "fr", "ko", "ja", "zh", "pt-BR", "xx"])


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "A dog runs. It barks!  Does it? Yes…", ["A dog runs. ", "It barks!  ", "Does it? ", "Yes…"]),
        ("en", "Dr. Smith met J. Doe at 3 p.m. in the U.S. office.", None),
        ("en", "J. R. R. Tolkien wrote it. I read it.", ["J. R. R. Tolkien wrote it. ", "I read it."]),
        ("en", "Version 3.11 is out. So.", ["Version 3.11 is out. ", "So."]),
        ("en", "He said: “Go.” Then he left.", ["He said: “Go.” ", "Then he left."]),
        ("en", "Well... maybe. ok", None),
        ("en", "Mail a.b@c.org! See www.example.com. Good.", ["Mail a.b@c.org! ", "See www.example.com. ", "Good."]),
        ("en", "What?! No way.", ["What?! ", "No way."]),
        ("en", "Title\n\nText goes on", ["Title\n", "\n", "Text goes on"]),
        ("en", "One\u2028two\x85three\rfour", ["One\u2028", "two\x85", "three\r", "four"]),
        ("de", "Am 3. Mai z. B. kam er. Gut.", ["Am 3. Mai z. B. kam er. ", "Gut."]),
        ("de", "„Gut.“ sagte Prof. Dr. Müller.", None),
        ("fr", "M. Dupont est arrivé. Bien.", ["M. Dupont est arrivé. ", "Bien."]),
        ("es", "El Sr. López llegó. ¿Qué tal? ¡Bien!", ["El Sr. López llegó. ", "¿Qué tal? ", "¡Bien!"]),
        ("ko", "개가 달린다. 고양이가 잔다.", ["개가 달린다. ", "고양이가 잔다."]),
        ("ko", "네. “밥 먹었어?”라고 물었다.", ["네. ", "“밥 먹었어?”라고 물었다."]),
        ("en", "Plan A\u00a0. Then B\u202f.", ["Plan A\u00a0. ", "Then B\u202f."]),
        ("en", "Plan B\u3000. It works. So\u2009.", ["Plan B\u3000. ", "It works. ", "So\u2009."]),
        ("fr", "Le plan A \u202f. Bien\u00a0! Oui.", ["Le plan A \u202f. Bien\u00a0! ", "Oui."]),
        ("zh", "我是学生。你呢？再见！", ["我是学生。", "你呢？", "再见！"]),
        ("ja", "「行きますか？」と聞いた。はい。", ["「行きますか？」と聞いた。", "はい。"]),
        (None, "One. Two.", ["One. ", "Two."]),
        ("en", "", []),
    ],
)
def test_sentence_ends(language: str | None, text: str, expected: list[str] | None) -> None:
    assert sentences(text, language) == ([text] if expected is None else expected)


@given(TEXT, LANGUAGES)
def test_sentences_join_to_the_text(text: str, language: str | None) -> None:
    parts = sentences(text, language)
    assert "".join(parts) == text
    assert all(parts)


@given(SPACED.map("".join), LANGUAGES)
def test_capital_letters_wide_spaces_and_full_stops_join_to_the_text(text: str, language: str | None) -> None:
    assert "".join(sentences(text, language)) == text


@pytest.mark.parametrize("space", SPACES)
def test_a_wide_space_between_a_capital_letter_and_a_full_stop_cuts_as_a_space_does(space: str) -> None:
    text = f"Plan A{space}. Then plan B {space}. It ends. So"
    as_space = [part.replace(space, " ") for part in sentences(text)]
    assert as_space == sentences(text.replace(space, " "))


class PanicException(BaseException):
    """Named as what a library in Rust raises."""


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, PanicException])
def test_a_line_that_the_library_fails_at_is_one_sentence(error: type[BaseException], monkeypatch) -> None:
    def segment(language: str, line: str) -> list[str]:
        if "two" in line:
            raise error
        return [line]

    monkeypatch.setattr("polyhead.sentences.sentencex", SimpleNamespace(segment=segment))
    if error is PanicException:
        assert sentences("One.\nA two. B\nThree.") == ["One.\n", "A two. B\n", "Three."]
    else:
        with pytest.raises(error):
            sentences("One.\nA two. B\nThree.")
