"""Joining the translations of a text's pieces."""

from dataclasses import replace

from polyhead.translating.translation import Piece, Sentence, Translation, first_word, join


def translation(text, alignment=None):
    size = len(text.split())
    return Translation(text, -1.0, -float(size), tuple(text.split()), (-1.0,) * size, alignment=alignment)


def piece(content, space, first):
    return Piece(0, content, space, first, [], [], 0)


def test_the_words_before_a_place():
    text = "one two  three"
    assert [first_word(text, start) for start in (0, 4, 9, 14)] == [0, 1, 2, 3]
    assert first_word(text, 5) == 1, "a piece that begins within a word goes on with that word"


def test_pieces_are_joined_by_their_own_white_space():
    pieces = [piece("A.", "  ", 0), piece("B.", "\t", 1), piece("C.", "", 2), piece("D.", "", 2)]
    parts = [[translation(text)] for text in ("a.", " b.", "c. ", "d.")]
    joined = join(pieces, parts)
    assert joined.text == "a.  b.\tc. d."
    assert joined.log_probability == -4.0
    assert joined.score == -1.0
    assert joined.tokens == ("a.", "b.", "c.", "d.")
    assert joined.alignment is None


def test_alignments_count_the_words_of_the_whole_text():
    pieces = [piece("a b.", " ", 0), piece("c d.", "", 2)]
    joined = join(pieces, [[translation("x y z.", ((0, 0), (1, 1), (1, 2)))], [translation("u v.", ((1, 0), (0, 1)))]])
    assert joined.alignment == ((0, 0), (1, 1), (1, 2), (3, 3), (2, 4))


def test_the_n_best_of_a_whole_are_made_of_the_n_best_of_its_parts():
    pieces = [piece("a.", " ", 0), piece("b.", "", 1)]
    joined = join(
        pieces, [[translation("1"), translation("2")], [translation("3"), translation("4"), translation("5")]]
    )
    assert [each.text for each in joined.alternatives] == ["1 3", "2 4"]


def test_a_single_piece_is_left_as_it_is():
    only = translation(" as it is ")
    assert join([piece("a", "", 0)], [[only]]) == replace(only, sentences=(Sentence((0, 1), (0, 10), 3, False),))
