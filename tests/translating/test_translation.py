"""Joining the translations of a text's pieces."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.inline.codes import Code, Marked
from polyhead.translating.translation import Piece, Sentence, Translation, join


def translation(text, alignment=None):
    size = len(text.split())
    return Translation(text, -1.0, -float(size), tuple(text.split()), (-1.0,) * size, alignment=alignment)


def pieces_of(text, *contents):
    starts = []
    for content in contents:
        starts.append(text.index(content, starts[-1] + 1 if starts else 0))
    return [
        Piece(0, (start, start + len(content)), content, [], [])
        for start, content in zip(starts, contents, strict=True)
    ]


def test_all_that_is_between_pieces_stays():
    text = " \tA.  B.\tC.\r\n\n5\nD. \n"
    parts = [[translation(each)] for each in ("a.", " b.", "c. ", "d.")]
    joined = join(Marked(text), pieces_of(text, "A.", "B.", "C.", "D."), parts)
    assert joined.text == " \ta.  b.\tc.\r\n\n5\nd. \n"
    assert joined.log_probability == -4.0
    assert joined.score == -1.0
    assert joined.tokens == ("a.", "b.", "c.", "d.")
    assert joined.alignment is None


@pytest.mark.parametrize(
    ("text", "contents", "translations", "whole"),
    [
        ("好。再见！", ("好。", "再见！"), ("Good.", "Bye!"), "Good. Bye!"),
        ("好。再见！", ("好。", "再见！"), ("좋아.", "안녕!"), "좋아. 안녕!"),
        ("好。再见！", ("好。", "再见！"), ("よし。", "またね！"), "よし。またね！"),
        ("Good. Bye!", ("Good.", "Bye!"), ("好。", "再见！"), "好。 再见！"),
        ("abcdef", ("abc", "def"), ("uvw", "xyz"), "uvwxyz"),
    ],
)
def test_a_space_comes_between_sentences_where_the_target_language_has_one(text, contents, translations, whole):
    joined = join(Marked(text), pieces_of(text, *contents), [[translation(each)] for each in translations])
    assert joined.text == whole
    assert [whole[slice(*sentence.target)] for sentence in joined.sentences] == list(translations)


@pytest.mark.parametrize(
    ("text", "content", "written", "whole"),
    [
        ("A dog runs!", "A dog runs", "Ein Hund rennt.", "Ein Hund rennt!"),
        ("A dog runs?!", "A dog runs", "Un chien court !", "Un chien court ?!"),
        ("A dog runs！", "A dog runs", "개가 달린다", "개가 달린다！"),
        ("A dog runs)", "A dog runs", "Ein Hund rennt.", "Ein Hund rennt.)"),
        ("A dog runs.!", "A dog runs.", "Ein Hund rennt.", "Ein Hund rennt.!"),
    ],
)
def test_a_sentence_ends_once_where_the_model_did_not_read_its_end(text, content, written, whole):
    joined = join(Marked(text), pieces_of(text, content), [[translation(written)]])
    assert joined.text == whole
    assert joined.sentences[0].target[1] <= len(whole)


@given(st.lists(st.sampled_from(["A b.", "好。", " ", "\n", "\u3000", "5", "Ça va?", "네.", "\r\n"])))
def test_a_text_that_is_copied_comes_back_to_the_byte(parts):
    text = "".join(parts)
    spans = [match.span() for match in re.finditer(r"A b\.|好。|Ça va\?|네\.", text)]
    pieces = [Piece(0, (start, end), text[start:end], [], []) for start, end in spans]
    assert join(Marked(text), pieces, [[translation(piece.content)] for piece in pieces]).text == text


def test_alignments_count_the_words_of_the_whole_text():
    text = "1) a b. c d."
    parts = [[translation("x y z.", ((0, 0), (1, 1), (1, 2)))], [translation("u v.", ((1, 0), (0, 1)))]]
    joined = join(Marked(text), pieces_of(text, "a b.", "c d."), parts)
    assert joined.text == "1) x y z. u v."
    assert joined.alignment == ((1, 1), (2, 2), (2, 3), (4, 4), (3, 5))


def test_the_n_best_of_a_whole_are_made_of_the_n_best_of_its_parts():
    parts = [[translation("1"), translation("2")], [translation("3"), translation("4"), translation("5")]]
    joined = join(Marked("a. b."), pieces_of("a. b.", "a.", "b."), parts)
    assert [each.text for each in joined.alternatives] == ["1 3", "2 4"]


def test_a_text_without_pieces_is_its_own_translation():
    joined = join(Marked(" 5\n"), [], [])
    assert (joined.text, joined.tokens, joined.score, joined.sentences) == (" 5\n", (), 0.0, ())


def test_the_place_of_a_single_piece():
    joined = join(Marked(" a"), pieces_of(" a", "a"), [[translation(" as it is ")]])
    assert (joined.text, joined.sentences) == (" as it is", (Sentence((1, 2), (1, 9), 3, False),))


@given(
    st.sampled_from(["a", "a b.", "", " a", "a ", "\n"]),
    st.sampled_from([None, (), ((0, 0),), ((0, 1), (1, 0))]),
    st.integers(1, 3),
)
def test_a_text_that_is_one_piece_is_translated_as_within_another(content, alignment, best):
    piece = Piece(0, (0, 3), "A b", [], [], codes=(Code("x", 1, 1),))
    ranked = [replace(translation(content, alignment), codes=(Code("x", 0, 0),), problems=("p",))] * best
    alone = join(Marked("A b"), [piece], [ranked])
    within = join(Marked("A b\n"), [piece], [ranked])
    assert within.text == f"{alone.text}\n"
    ends = [replace(each, text=f"{each.text}\n") for each in alone.alternatives]
    assert within == replace(alone, text=within.text, alternatives=tuple(ends))
