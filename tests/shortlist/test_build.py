"""From text to lists."""

import pytest

from polyhead.data.encode import encode
from polyhead.data.readers import Pair
from polyhead.errors import PolyheadError
from polyhead.shortlist.build import ShortlistConfig, build_shortlist
from polyhead.shortlist.coverage import measure_coverage
from polyhead.symbols import EOS
from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig

WORDS = {"bado": "koda", "kilu": "bilu", "mera": "nero", "noti": "mapi", "pasu": "tozu"}


def build(languages: tuple[str, ...] = (), **settings):
    """Of sentences of two words, translated word by word; into a second language backwards."""
    kind = TokenizerConfig(kind="word", shared=False)
    into = {"xb": WORDS, "xc": {word: word[::-1] for word in WORDS}}
    pairs = [
        Pair(f"{one} {other}", f"{words[one]} {words[other]}", language if languages else None, "")
        for language, words in into.items()
        for one in WORDS
        for other in WORDS
        if language in (languages or ("xb",))
    ]
    source = train([pair.source for pair in pairs], kind, 30, languages)
    target = train([pair.target for pair in pairs], kind, 30, ())
    corpus = encode(pairs, source, target, tagged=bool(languages))[0]
    return build_shortlist(corpus, source, target, ShortlistConfig(**settings)), source, target, corpus


def words(shortlist, target, source: list[int]) -> set[str]:
    return {piece.removeprefix("▁") for piece in target.pieces(shortlist.of(source).tolist()[shortlist.fixed :])}


def test_each_piece_brings_its_translation() -> None:
    shortlist, source, target, corpus = build(best=1, frequent=0)
    for word, translation in WORDS.items():
        assert words(shortlist, target, [*source.encode(word), EOS]) == {translation}
    assert measure_coverage(shortlist, corpus).held == 1.0
    assert measure_coverage(shortlist, corpus).pieces == pytest.approx(4 + 2 * 0.8 + 1 * 0.2)


def test_the_most_frequent_pieces_come_with_the_end_of_every_sentence() -> None:
    shortlist, _, target, corpus = build(best=0, frequent=2)
    assert len(words(shortlist, target, [EOS])) == 2
    assert measure_coverage(shortlist, corpus).held == pytest.approx(2 / 5)


def test_or_with_the_tag_of_their_language() -> None:
    shortlist, source, target, _ = build(("xb", "xc"), best=0, frequent=5)
    assert words(shortlist, target, [EOS]) == set()
    assert words(shortlist, target, [source.tag("xb"), EOS]) == set(WORDS.values())
    assert words(shortlist, target, [source.tag("xc"), EOS]) == {word[::-1] for word in WORDS}


def test_a_piece_that_both_sides_have_may_stay_as_it_is() -> None:
    shared = train([*WORDS, *WORDS.values()], TokenizerConfig(kind="word"), 30, ())
    corpus = encode([Pair("bado", "koda", None, "")], shared, shared, tagged=False)[0]
    shortlist = build_shortlist(corpus, shared, shared, ShortlistConfig(best=0, frequent=0))
    assert words(shortlist, shared, [*shared.encode("kilu"), EOS]) == {"kilu"}


def test_no_text() -> None:
    shared = train([*WORDS], TokenizerConfig(kind="word"), 30, ())
    with pytest.raises(PolyheadError, match="no sentence pair"):
        build_shortlist(encode([], shared, shared, tagged=False)[0], shared, shared, ShortlistConfig())
