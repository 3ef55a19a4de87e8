"""What every kind of tokenizer promises; walks the table of kinds."""

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import ModelError, PolyheadError
from polyhead.symbols import EOS, PAD, SOS, SPECIAL_PIECES, UNK
from polyhead.text import Normalisation
from polyhead.tokenizers import TOKENIZERS, Kind, Tokenizer, TokenizerConfig, default_vocabulary_size, load, train

LINES = [
    "A dog runs across the green field.",
    "The dogs are running; the cat sleeps on a mat.",
    "Ein Hund läuft über die grüne Wiese.",
    "Le chien court à travers le champ, n'est-ce pas ?",
    "개가 푸른 들판을 달린다.",
    "고양이는 매트 위에서 잔다!",
] * 5
KINDS: list[Kind] = list(TOKENIZERS)
SPELLING: list[Kind] = [kind for kind in KINDS if kind != "word"]
FORMS: list[Normalisation] = ["none", "NFC", "NFKC", "nmt-NFC"]
# Any Unicode text, and often what is special to sentencepiece or to this package.
TEXT = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    | st.sampled_from(["▁", "\ue581", "\ue5810", "\ue5811", "  ", "\t", "\n", "\r", "\0", "\u2585", "\u2028", "\ufeff"])
    | st.sampled_from(["<2fr>", "<unk>", "<pad>", "<0x41>", "⁇", "dog", "개", "ΑΣ", "İ", "ﬁ", "\u1112\u1161\u11ab"])
).map("".join)

_trained: dict[tuple[Kind, Normalisation, bool, float], Tokenizer] = {}


def tokenizer(
    kind: Kind, normalisation: Normalisation = "NFC", lowercase: bool = False, dropout: float = 0.0
) -> Tokenizer:
    key = (kind, normalisation, lowercase, dropout)
    if key not in _trained:
        config = TokenizerConfig(kind=kind, normalisation=normalisation, lowercase=lowercase, dropout=dropout)
        _trained[key] = train(LINES, config, 420, ["fr", "ko"])
    return _trained[key]


@pytest.mark.parametrize("kind", SPELLING)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lowercase", [False, True])
def test_any_text_comes_back(kind: Kind, form: Normalisation, lowercase: bool) -> None:
    subject = tokenizer(kind, form, lowercase)

    @given(TEXT)
    def comes_back(text: str) -> None:
        assert subject.decode(subject.encode(text)) == subject.normalise(text)

    comes_back()


@pytest.mark.parametrize("kind", SPELLING)
@given(text=TEXT)
def test_a_sample_comes_back_too(kind: Kind, text: str) -> None:
    subject = tokenizer(kind, dropout=0.5)
    assert subject.decode(subject.sample(text)) == subject.normalise(text)


@given(st.lists(st.sampled_from(" ".join(LINES).split()), max_size=8), st.sampled_from([" ", "  ", "\t", "\u3000"]))
def test_known_words_come_back(known: list[str], space: str) -> None:
    subject = tokenizer("word")
    ids = subject.encode(space.join(known))
    assert UNK not in ids
    assert subject.decode(ids) == " ".join(known) == subject.normalise(space.join(known))


def test_each_unknown_word_is_one_unknown() -> None:
    subject = tokenizer("word")
    assert subject.encode("The zebra ▁ <2fr> runs")[1:4] == [UNK, UNK, UNK]
    assert subject.decode(subject.encode("The zebra runs")) == "The ⁇ runs"


def test_words_with_signs_of_sentencepiece_are_words() -> None:
    subject = train(["snake▁case \ue581 \u00a0x a" + "b" * 40] * 2, TokenizerConfig(kind="word"), 100)
    text = "snake▁case \ue581 a" + "b" * 40
    assert UNK not in subject.encode(text)
    assert subject.decode(subject.encode(text)) == text


@pytest.mark.parametrize("kind", KINDS)
def test_specials_and_tags_have_their_ids(kind: Kind) -> None:
    subject = tokenizer(kind)
    assert subject.pieces([PAD, UNK, SOS, EOS, 4, 5]) == [*SPECIAL_PIECES, "<2fr>", "<2ko>"]
    assert (subject.tag("fr"), subject.tag("ko")) == (4, 5)
    assert subject.languages == ("fr", "ko")
    with pytest.raises(ModelError, match="does not translate to 'de'; its target languages: fr, ko"):
        subject.tag("de")


@pytest.mark.parametrize("kind", KINDS)
def test_decoding_skips_specials_and_tags(kind: Kind) -> None:
    subject = tokenizer(kind)
    ids = subject.encode("A dog runs")
    noisy = [SOS, subject.tag("fr"), PAD, *ids[:2], subject.tag("ko"), *ids[2:], EOS, PAD]
    assert subject.decode(noisy) == subject.decode(ids)
    assert "⁇" in subject.decode([UNK])


@pytest.mark.parametrize("kind", KINDS)
def test_text_never_becomes_a_special_or_a_tag(kind: Kind) -> None:
    ids = tokenizer(kind).encode("<2fr> <pad> <sos> <eos> <2ko>dog")
    assert not {PAD, SOS, EOS, 4, 5} & set(ids)


@pytest.mark.parametrize("kind", KINDS)
@given(texts=st.lists(TEXT, max_size=4), times=st.sampled_from([1, 10, 50]))
def test_many_are_as_one_by_one(kind: Kind, texts: list[str], times: int) -> None:
    subject = tokenizer(kind)
    ids = [subject.encode(text) for text in texts]
    assert subject.encode_many(texts * times) == ids * times
    assert subject.decode_many(ids * times) == [subject.decode(each) for each in ids] * times


@pytest.mark.parametrize("kind", KINDS)
@given(text=TEXT)
def test_tokens_are_the_encoding_in_rising_places(kind: Kind, text: str) -> None:
    subject = tokenizer(kind, "NFKC", True)
    tokens = subject.tokens(text)
    assert [token.id for token in tokens] == subject.encode(text)
    assert subject.pieces([token.id for token in tokens]) == [token.piece for token in tokens]
    assert all(0 <= token.start <= token.end <= len(text) for token in tokens)
    assert all(a.start <= b.start and a.end <= b.end for a, b in pairwise(tokens))
    covered = {place for token in tokens for place in range(token.start, token.end)}
    assert covered >= {place for place, c in enumerate(text) if not c.isspace()}


@pytest.mark.parametrize("kind", KINDS)
@given(text=TEXT)
def test_decoded_places_are_those_of_the_text(kind: Kind, text: str) -> None:
    subject = tokenizer(kind)
    ids = [SOS, subject.tag("fr"), *subject.encode(text), EOS]
    tokens = subject.decoded(ids)
    decoded = subject.decode(ids)
    assert [token.id for token in tokens] == ids
    assert all(0 <= token.start <= token.end <= len(decoded) for token in tokens)
    covered = {place for token in tokens for place in range(token.start, token.end)}
    assert covered >= {place for place, c in enumerate(decoded) if not c.isspace()}


def test_tokens_of_a_sentence() -> None:
    subject = tokenizer("word", "NFKC", True)
    text = "A DOG  ﬁnds"
    assert [(token.piece, text[token.start : token.end]) for token in subject.tokens(text)] == [
        ("▁a", "A"),
        ("▁dog", "DOG"),
        ("<unk>", "ﬁnds"),
    ]
    subject = tokenizer("char")
    text = "e\u0301 한"  # é has no piece of its own and is spelled in two bytes, 한 in three
    spans = [text[token.start : token.end] for token in subject.tokens(text)]
    assert spans == ["", "e\u0301", "e\u0301", " ", "한", "한", "한"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_surrogate_is_replaced(kind: Kind) -> None:
    subject = tokenizer(kind)
    assert subject.encode("dog \ud83d") == subject.encode("dog \ufffd")
    assert [token.id for token in subject.tokens("dog \ud83d")] == subject.encode("dog \ufffd")


@pytest.mark.parametrize("kind", KINDS)
def test_training_twice_gives_the_same_bytes(kind: Kind, tmp_path: Path) -> None:
    for name in ("one", "two"):
        train(LINES, TokenizerConfig(kind=kind), 420, ["fr", "ko"]).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_tokenizer_is_the_same(kind: Kind, tmp_path: Path) -> None:
    subject = tokenizer(kind, "NFKC", True)
    subject.save(tmp_path / "shared.spm")
    loaded = load(tmp_path / "shared.spm", subject.config)
    text = "Ａ DOG läuft 개가 \t ▁ zebra"
    assert loaded.encode(text) == subject.encode(text)
    assert loaded.languages == subject.languages
    assert loaded.vocabulary_size == subject.vocabulary_size


@pytest.mark.parametrize(
    "harm", [lambda data: b"", lambda data: b"no model", lambda data: data[:200], lambda data: data[:-200]]
)
def test_a_damaged_file_is_refused(harm: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "shared.spm"
    subject = tokenizer("bpe")
    subject.save(path)
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(ModelError, match="shared.spm"):
        load(path, subject.config)


def test_a_file_of_another_kind_or_none_is_refused(tmp_path: Path) -> None:
    tokenizer("word").save(tmp_path / "word.spm")
    with pytest.raises(ModelError, match="kind bpe"):
        load(tmp_path / "word.spm", TokenizerConfig())
    with pytest.raises(ModelError, match=r"none\.spm"):
        load(tmp_path / "none.spm", TokenizerConfig())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [5, 100_000])
def test_an_impossible_size_becomes_the_nearest_possible(kind: Kind, size: int) -> None:
    subject = train(LINES, TokenizerConfig(kind=kind), size, ["fr"])
    assert 5 <= subject.vocabulary_size < 2_000
    if kind != "word":
        assert subject.decode(subject.encode("개 Öl")) == "개 Öl"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lines", [["a"], ["a \u2585"], ["a\nb\0c", ""], ["y " + "x" * 3_000]])
def test_odd_corpora_can_be_trained_on(kind: Kind, lines: list[str]) -> None:
    assert train(lines, TokenizerConfig(kind=kind), 300).vocabulary_size > 4


def test_words_that_are_all_too_long_are_said_to_be() -> None:
    with pytest.raises(PolyheadError, match="every word has more than 200 characters"):
        train(["x" * 300, "y" * 201], TokenizerConfig(kind="word"), 100)


@pytest.mark.parametrize("lines", [[], ["", "  "], ["\u2585\n"]])
def test_no_text_is_an_error(lines: list[str]) -> None:
    with pytest.raises(PolyheadError, match="no text"):
        train(lines, TokenizerConfig(), 300)


def test_long_lines_count_too() -> None:
    subject = train(["q" + "z" * 20_000 + " zz"], TokenizerConfig(kind="char", character_coverage=1.0), 300)
    assert "q" in subject.pieces(range(subject.vocabulary_size))


def test_training_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    train(LINES, TokenizerConfig(kind="unigram"), 100_000)
    assert capfd.readouterr() == ("", "")


def test_default_sizes_grow_with_the_corpus() -> None:
    assert 1_000 <= default_vocabulary_size(30_000, 4_000) <= 2_000
    assert 8_000 <= default_vocabulary_size(860_000, 27_000) <= 10_000
    assert default_vocabulary_size(300_000_000, 10**6) == 32_000
    assert default_vocabulary_size(860_000, 27_000, shared=False) < default_vocabulary_size(860_000, 27_000)
    assert default_vocabulary_size(3_000, 1_000, characters=2_000) > 3_000
    sizes = [default_vocabulary_size(tokens, 10**6) for tokens in range(0, 3_000_000, 15_000)]
    assert sizes == sorted(sizes)


def test_a_text_of_few_words_gets_few_pieces_however_long_it_is() -> None:
    assert default_vocabulary_size(10**7, 1_000) == default_vocabulary_size(10**6, 1_000) <= 1_000


def test_importing_needs_no_torch() -> None:
    code = (
        "import polyhead.tokenizers, polyhead.data.readers, polyhead.data.clean, sys; sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
