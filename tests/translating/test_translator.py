"""Text in, text out, on a small model that has learnt to translate word by word."""

import random
import shutil
from dataclasses import replace

import numpy as np
import pytest

from polyhead.bundle.load import load_bundle
from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig
from polyhead.errors import ModelError, PolyheadError
from polyhead.shortlist.shortlist import Shortlist
from polyhead.symbols import EOS
from polyhead.translating.search import PieceSearch
from polyhead.translating.translation import Sentence
from polyhead.translating.translator import Translator

TEXTS = ["bado kilu", "mera", "noti pasu rovi sela", "tugo vani zeko fimo gura hepi", "bado", "jola wuto kilu"]


@pytest.fixture(scope="module")
def translator(toy_model):
    return Translator.load(toy_model)


def texts(results):
    return [result.text for result in results]


def words(number, seed=0):
    draw = random.Random(seed)
    return " ".join(draw.choice(["bado", "kilu", "mera", "noti", "pasu"]) for _ in range(number))


def test_it_translates(translator):
    results = translator.translate(["bado kilu mera", "noti pasu"])
    right = {"koda", "bilu", "nero", "mapi", "tozu"}
    assert len(right & set(" ".join(texts(results)).split())) >= 3
    assert all(result.log_probability <= 0 for result in results)


@pytest.mark.parametrize("search", [BeamConfig(beam_size=3), GreedyConfig(), SamplingConfig(seed=3)])
def test_batch_size_and_companions_change_nothing(translator, search):
    together = translator.translate(TEXTS, search=search)
    for budget in (1, 10, 40):
        apart = translator.translate(TEXTS, search=search, batch_tokens=budget)
        assert texts(apart) == texts(together)
        for one, other in zip(apart, together, strict=True):
            assert one.log_probability == pytest.approx(other.log_probability, abs=1e-4)


def test_order_and_the_presence_of_others_change_nothing(translator):
    expected = dict(zip(TEXTS, texts(translator.translate(TEXTS)), strict=True))
    shuffled = random.Random(1).sample(TEXTS * 3, 18)
    assert texts(translator.translate(shuffled)) == [expected[text] for text in shuffled]
    assert [translator.translate([text])[0].text for text in TEXTS] == list(expected.values())


BLANK = ["", " ", "\t  ", "\u2028", "\u3000", "\r", "-", "?", "5", "…", "😀", "\u200b", "12:30 – 5 €\n"]


@pytest.mark.parametrize("blank", BLANK)
def test_text_without_letters_stays_as_it_is_and_needs_no_model(translator, blank):
    middle = translator.translate(["bado", blank, "kilu"], align=True, n_best=2)
    assert (middle[1].text, middle[1].score, middle[1].tokens, middle[1].alignment) == (blank, 0.0, (), ())
    assert texts([middle[0], middle[2]]) == texts(translator.translate(["bado", "kilu"], n_best=2))
    assert translator.translate([]) == []
    assert texts(translator.translate([blank])) == [blank]


@pytest.mark.parametrize(
    "odd", ["bado\rkilu", "bado\u2028kilu", "bado\x00kilu", "\x00", "bado\u0085kilu", "한국어 😀", "\ufeff"]
)
def test_as_many_texts_out_as_in_whatever_is_in_them(translator, odd):
    assert len(translator.translate([odd, "bado", odd])) == 3


def test_a_single_text_must_stand_in_brackets(translator):
    with pytest.raises(TypeError, match="brackets"):
        translator.translate("bado")


class Echo(Translator):
    """Remembers what it was asked to decode."""

    seen: list[str]


@pytest.fixture
def echo(translator, monkeypatch):
    found, decode = Echo(translator.bundle), PieceSearch._decode
    found.seen = []

    def noting(self, pieces, keys):
        found.seen += [piece.content for piece in pieces]
        return decode(self, pieces, keys)

    monkeypatch.setattr(PieceSearch, "_decode", noting)
    return found


def test_a_text_that_is_too_long_is_split_at_sentence_ends_and_nothing_is_cut(echo):
    sentences = [f"{words(3, seed)}!" for seed in range(9)]
    result = echo.translate([" ".join(sentences)])[0]
    assert sorted(f"{each}!" for each in echo.seen) == sorted(sentences)
    apart = echo.translate(sentences)
    assert result.text == " ".join(one.text.strip() for one in apart)
    assert result.log_probability == pytest.approx(sum(one.log_probability for one in apart), abs=1e-3)
    assert len(result.tokens) == sum(len(one.tokens) for one in apart)


def test_a_sentence_without_ends_is_split_at_words(echo):
    text = words(200)
    assert echo.translate([text])[0].text
    assert sorted(" ".join(echo.seen).split()) == sorted(text.split())
    assert len(echo.seen) > 5


def test_a_monstrous_word_is_split_too(echo):
    text = "badokilu" * 100
    result = echo.translate([text], align=True)[0]
    assert sum(len(part) for part in echo.seen) == len(text)
    assert {i for i, _ in result.alignment} == {0}, "there is only one word to read from"


def test_split_texts_do_not_disturb_their_neighbours(translator):
    long = ". ".join(words(4, seed) for seed in range(12))
    results = translator.translate(["bado", long, "", "kilu"])
    assert texts([results[0], results[3]]) == texts(translator.translate(["bado", "kilu"]))


def test_progress_counts_texts(translator):
    counts = []
    translator.translate([*TEXTS, "", words(60)], batch_tokens=20, progress=counts.append)
    assert sum(counts) == len(TEXTS) + 2


def test_progress_counts_texts_of_which_none_is_translated(translator):
    counts = []
    assert texts(translator.translate(["", " ", "12"], progress=counts.append)) == ["", " ", "12"]
    assert sum(counts) == 3


def test_an_observer_is_shown_every_step_and_can_end_the_search(translator):
    records = []
    translator.translate(["bado kilu"], beam_size=2, observer=records.append)
    assert [record.step for record in records] == list(range(len(records)))
    assert sum(len(record.finished.scores) for record in records) > 0

    def leave(record):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        translator.translate(["bado kilu"], observer=leave)


def test_a_check_at_every_step_can_end_the_search(translator):
    calls = []
    translator.translate(TEXTS * 3, beam_size=2, batch_tokens=10, check=lambda: calls.append(1))
    assert len(calls) > len(TEXTS)
    shown = []
    translator.translate(["bado"], observer=shown.append, check=lambda: calls.append(1))
    assert shown

    def leave():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        translator.translate(TEXTS, batch_tokens=10, check=leave)


def test_a_translation_knows_where_its_sentences_stand(translator):
    spoken = [f"{words(4, seed)}!" for seed in range(4)]
    long, short = translator.translate([" \n".join(spoken), "  bado kilu "])
    assert short.sentences == (Sentence((2, 11), (2, len(short.text) - 1), len(short.tokens), True),)
    source = " \n".join(spoken)
    assert [f"{source[slice(*sentence.source)]}!" for sentence in long.sentences] == spoken
    assert " \n".join(f"{long.text[slice(*sentence.target)]}!" for sentence in long.sentences) == long.text
    assert sum(sentence.tokens for sentence in long.sentences) == len(long.tokens)
    steps = sum(sentence.tokens + sentence.finished for sentence in long.sentences)
    assert steps == len(long.token_log_probabilities)


def test_n_best_lists_are_sorted_and_distinct(translator):
    for result in translator.translate(TEXTS, n_best=4):
        scores = [each.score for each in result.alternatives]
        assert len(scores) == 4
        assert scores == sorted(scores, reverse=True)
        assert result.text == result.alternatives[0].text
        assert len({each.tokens for each in result.alternatives}) == 4


def test_the_beam_is_widened_for_the_n_best(translator):
    assert len(translator.translate(["bado kilu"], beam_size=1, n_best=3)[0].alternatives) == 3
    assert translator.translate(["bado kilu"], search=BeamConfig(beam_size=4, n_best=2), beam_size=5)[0].alternatives


def test_prefixes_are_kept(translator):
    prefixes = ["", "xyz", "tozu b", "zugo", "kodo bilu", ""]
    results = translator.translate(TEXTS, prefixes=prefixes)
    for result, prefix in zip(results, prefixes, strict=True):
        assert result.text.startswith(prefix)
    free = translator.translate(TEXTS)
    assert texts([results[0], results[5]]) == texts([free[0], free[5]])
    long = ". ".join(words(4, seed) for seed in range(12))
    assert translator.translate([long], prefixes=["xyz"])[0].text.startswith("xyz")


def test_prefixes_must_fit(translator):
    with pytest.raises(PolyheadError, match="2 texts, but 1 target prefix"):
        translator.translate(["bado", "kilu"], prefixes=["x"])
    with pytest.raises(PolyheadError, match="prefix 1 is longer than the model's limit of 20 tokens"):
        translator.translate(["bado"], prefixes=[words(100)])


def test_lengths_are_kept_to(translator):
    for search in (BeamConfig(min_length=8, max_length=9), GreedyConfig(min_length=8, max_length=9)):
        for result in translator.translate(TEXTS, search=search):
            assert 8 <= len(result.tokens) <= 9
    for result in translator.translate(TEXTS, search=BeamConfig(min_length=500)):
        assert len(result.tokens) < 20, "the model's own limit stands"


def test_samples_follow_from_the_seed(translator):
    hot = SamplingConfig(temperature=3.0, seed=1)
    first = texts(translator.translate(TEXTS, search=hot))
    assert texts(translator.translate(TEXTS, search=hot)) == first
    assert texts(translator.translate(TEXTS, search=hot.model_copy(update={"seed": 2}))) != first


def test_the_score_of_an_output_is_its_log_probability(toy_model):
    translator = Translator.load(toy_model, dtype="float32")
    results = translator.translate(TEXTS)
    scored = translator.score(TEXTS, texts(results))
    for result, again in zip(results, scored, strict=True):
        if translator.bundle.target_tokenizer.encode(result.text) == list(_ids(translator, result)):
            assert again.log_probability == pytest.approx(result.log_probability, abs=1e-4)
            assert again.score == pytest.approx(result.score, abs=1e-4), "a score is the same whoever asks for it"
    assert len(scored) == len(TEXTS)


def _ids(translator, result):
    tokenizer = translator.bundle.target_tokenizer
    pieces = tokenizer.pieces(range(tokenizer.vocabulary_size))
    return [pieces.index(token) for token in result.tokens]


def test_scoring_says_what_does_not_fit(translator):
    with pytest.raises(PolyheadError, match="2 source texts, but 1 translation to score"):
        translator.score(["bado", "kilu"], ["x"])
    with pytest.raises(PolyheadError, match="pair 2 is longer than the model's limit of 20 tokens"):
        translator.score(["bado", words(50)], ["x", "y"])
    assert translator.score([], []) == []
    assert translator.score([""], [""])[0].log_probability < 0


def test_a_model_agrees_with_itself_as_an_ensemble(translator, toy_model):
    twice = Translator.load(toy_model, toy_model)
    assert texts(twice.translate(TEXTS)) == texts(translator.translate(TEXTS))
    one, two = (each.score(TEXTS[:2], ["kodo", "x"]) for each in (translator, twice))
    for single, both in zip(one, two, strict=True):
        assert both.log_probability == pytest.approx(single.log_probability, abs=1e-3)


def test_an_ensemble_needs_one_vocabulary(toy_model, tagged_model):
    with pytest.raises(ModelError, match="must share their vocabularies"):
        Translator.load(toy_model, tagged_model)


def test_alignments_name_words_that_exist_and_are_mostly_right(translator):
    right = total = 0
    results = translator.translate([*TEXTS, words(40)], align=True)
    for text, result in zip([*TEXTS, words(40)], results, strict=True):
        source, target = text.split(), result.text.split()
        assert [j for _, j in result.alignment] == list(range(len(target)))
        assert all(0 <= i < len(source) for i, _ in result.alignment)
        right += sum(i == j for i, j in result.alignment if len(source) == len(target))
        total += len(target) if len(source) == len(target) else 0
    assert right > 0.6 * total


def test_weights_that_were_overwritten_are_not_read(toy_model, tmp_path):
    directory = shutil.copytree(toy_model, tmp_path / "model")
    translator = Translator.load(directory)
    before = texts(translator.translate(TEXTS))
    (directory / "model.safetensors").write_bytes(b"something else")
    assert texts(translator.translate(TEXTS, align=True)) == before
    looks = [
        lambda: translator.score(TEXTS, TEXTS),
        lambda: translator.attention(TEXTS[0]),
    ]
    for look in looks:
        with pytest.raises(ModelError, match=r"model\.safetensors was overwritten while it was in use: load"):
            look()


def test_alignment_needs_attention(toy_model, monkeypatch):
    translator = Translator.load(toy_model, engine="plain")
    monkeypatch.setattr(translator.bundle.model, "alignment_site", None)
    with pytest.raises(ModelError, match="no attention to read alignments from"):
        translator.translate(["bado"], align=True)


def test_the_target_language_must_be_named_and_known(tagged_model, translator):
    tagged = Translator.load(tagged_model)
    assert len(tagged.translate(["bado", "kilu"], target_language="xc", align=True)) == 2
    with pytest.raises(ModelError, match="name one of xb, xc"):
        tagged.translate(["bado"])
    with pytest.raises(ModelError, match="xb, xc"):
        tagged.translate(["bado"], target_language="xd")
    with pytest.raises(ModelError, match="translates to xb, not to fr"):
        translator.translate(["bado"], target_language="fr")
    assert translator.translate(["bado"], target_language="xb")[0].text


def test_language_tags_are_never_written(tagged_model):
    tagged = Translator.load(tagged_model)
    hot = SamplingConfig(temperature=50.0, max_length_offset=10)
    for result in tagged.translate(["bado kilu"] * 40, search=hot, target_language="xb"):
        assert not any(token.startswith("<2") for token in result.tokens)


def test_translations_are_values(translator):
    first = translator.translate(["bado"])[0]
    assert replace(first) == first


def test_text_longer_than_any_in_training_is_translated_in_pieces(toy_model, monkeypatch):
    translator = Translator.load(toy_model)
    longest = translator.bundle.config.longest_source
    assert 2 < longest <= translator.bundle.config.model.max_length
    assert translator.longest_source == longest
    seen, encode = [], translator.engine.encode
    monkeypatch.setattr(
        translator.engine, "encode", lambda source, mask: seen.append(source.shape[1]) or encode(source, mask)
    )
    translator.translate(["bado kilu " * longest])
    assert 2 < max(seen) <= longest


@pytest.fixture(scope="module")
def with_everything(toy_model):
    """A translator whose shortlist leaves nothing out, for each engine."""

    def load(engine, dtype="auto"):
        bundle = load_bundle(toy_model)
        size = bundle.config.target_vocabulary
        offsets = np.repeat([0, size], [EOS + 1, size - EOS]).astype(np.int64)  # every piece beside <eos>
        shortlist = Shortlist(offsets, np.arange(size, dtype=np.int32), 4, size)
        return Translator(bundle, engine=engine, dtype=dtype, shortlist=shortlist)

    return load


@pytest.mark.parametrize("engine", ["plain", "prepared"])
@pytest.mark.parametrize("search", [BeamConfig(beam_size=3), GreedyConfig()])
def test_a_shortlist_that_leaves_nothing_out_changes_nothing(toy_model, with_everything, engine, search):
    whole = Translator.load(toy_model, engine=engine, dtype="float32")
    expected = whole.translate(TEXTS * 4, search=search, align=True)
    found = with_everything(engine, "float32").translate(TEXTS * 4, search=search, align=True)
    assert texts(found) == texts(expected)
    assert [each.alignment for each in found] == [each.alignment for each in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.log_probability == pytest.approx(other.log_probability, abs=1e-4)


@pytest.mark.parametrize("search", [BeamConfig(beam_size=3), GreedyConfig()])
def test_in_int8_a_shortlist_changes_nothing_but_near_ties(toy_model, with_everything, search):
    # Logits of listed pieces are computed in float32, those of all in int8.
    whole = Translator.load(toy_model, engine="prepared", dtype="int8")
    expected = whole.translate(TEXTS * 4, search=search, align=True)
    found = with_everything("prepared", "int8").translate(TEXTS * 4, search=search, align=True)
    same = [(one, other) for one, other in zip(found, expected, strict=True) if one.text == other.text]
    assert len(same) > len(expected) / 2
    for one, other in same:
        assert one.alignment == other.alignment
        assert one.log_probability == pytest.approx(other.log_probability, abs=0.1)


def test_a_look_inside_shows_what_the_shortlist_allows(toy_model, with_everything):
    everything = with_everything("prepared", "float32")
    assert everything.attention("bado kilu").target.text == texts(everything.translate(["bado kilu"]))[0]
    bundle = everything.bundle
    nothing = Shortlist(np.zeros(bundle.config.source_vocabulary + 1, np.int64), np.zeros(0, np.int32), 4, 320)
    only = Translator(bundle, engine="prepared", shortlist=nothing)
    assert texts(only.translate(["bado kilu"])) == [""]
    assert only.attention("bado kilu").target.text == ""


def test_every_sentence_of_a_text_is_translated_and_its_shape_is_kept(translator):
    spoken = [f"{words(2, seed).capitalize()}." for seed in range(4)]
    first, second, third, fourth = (one.text for one in translator.translate(spoken))
    text = "  {} {}\r\n\r\n\t{}\n- {}\n"
    (whole,) = translator.translate([text.format(*spoken)])
    assert whole.text == text.format(first, second, third, fourth)
    (lines,) = translator.translate([text.format(*spoken)], split="line")
    assert len(lines.sentences) == 3
