"""What follows from the corpus where a recipe leaves it open."""

from dataclasses import replace

import pytest
import torch

from polyhead.data.statistics import LOOKED_AT, CorpusStatistics
from polyhead.recipe.defaults import complete
from polyhead.recipe.load import make_recipe

CPU = torch.device("cpu")
DATA = {"data": {"train": [{"kind": "lines", "source": "a", "target": "b"}]}}


def prose(pairs: int) -> CorpusStatistics:
    """A corpus of natural sentences."""
    types = round(4 * (30 * pairs) ** 0.65)
    return CorpusStatistics(pairs, min(24 * pairs, types), 100, 14 * pairs, 16 * pairs)


def drill(pairs: int) -> CorpusStatistics:
    """A corpus of a few hundred words in regular sentences."""
    return CorpusStatistics(pairs, 700, 60, 10 * pairs, 10 * pairs)


@pytest.mark.parametrize("corpus", [prose, drill])
@pytest.mark.parametrize("pairs", [1, 100, 3_000, 30_000, 100_000, 1_000_000, 50_000_000])
def test_every_corpus_gets_a_valid_recipe(corpus, pairs):
    values, choices = complete(DATA, corpus(pairs), CPU)
    recipe = make_recipe(values)
    assert recipe.training.max_updates >= 5 * recipe.training.validate_every
    assert recipe.training.schedule.warmup < recipe.training.max_updates / 10
    assert {choice.key for choice in choices} >= {"model.preset", "training.max_updates", "tokenizer.vocabulary_size"}
    assert all(str(choice).startswith(choice.key) for choice in choices)
    assert all(len(choice.why) > 5 for choice in choices)
    assert recipe.decoding.length_penalty == "average"


def test_larger_corpora_get_larger_models_and_less_dropout():
    recipes = [make_recipe(complete(DATA, prose(pairs), CPU)[0]) for pairs in (9_000, 25_000, 90_000, 1_000_000)]
    assert [recipe.model.d_model for recipe in recipes] == [128, 128, 128, 256]
    assert [recipe.model.dropout for recipe in recipes] == [0.3, 0.2, 0.1, 0.1]
    assert [recipe.tokenizer.dropout for recipe in recipes] == [0.0, 0.1, 0.0, 0.0]
    gpu = make_recipe(complete(DATA, prose(1_000_000), torch.device("cuda"))[0])
    assert gpu.model.d_model == 512


@pytest.mark.parametrize(
    ("share", "dropout", "bpe_dropout"), [(0.1, 0.1, 0.0), (0.28, 0.1, 0.0), (0.5, 0.1, 0.0), (0.8, 0.2, 0.1)]
)
@pytest.mark.parametrize("limit", ["asked for", "time"])
def test_a_short_run_has_less_dropout_and_fewer_validations(share, dropout, bpe_dropout, limit):
    needed = make_recipe(complete(DATA, prose(25_000), CPU)[0]).training.max_updates
    updates = round(share * needed)
    asked = {"training": {"max_updates": updates}} if limit == "asked for" else {}
    values, choices = complete({**DATA, **asked}, prose(25_000), CPU, possible=updates if limit == "time" else None)
    recipe = make_recipe(values)
    assert (recipe.model.dropout, recipe.tokenizer.dropout) == (dropout, bpe_dropout)
    (why,) = (choice.why for choice in choices if choice.key == "model.dropout")
    assert ("in so few updates" in why) == (share < 0.7), "else it is what a long run has"
    validations = updates // recipe.training.validate_every
    assert validations == pytest.approx(max(10, 40 * share), abs=1), "they would take much of a short run's time"


def smoothing(corpus, **given):
    return make_recipe(complete({**DATA, **given}, corpus, CPU)[0]).training.label_smoothing


def test_a_small_text_that_is_read_to_the_end_has_more_label_smoothing():
    assert [smoothing(prose(pairs)) for pairs in (100, 3_000, 15_000, 30_000, 1_000_000)] == [0.2, 0.2, 0.2, 0.1, 0.1]
    assert smoothing(drill(9_000)) == 0.1, "it has few words, each in many sentences"
    assert smoothing(prose(3_000), training={"max_updates": 500}) == 0.1, "a short run has to learn fast"
    assert smoothing(prose(3_000), model={"kind": "rnn-attention"}) == 0.1
    assert smoothing(prose(3_000), training={"label_smoothing": 0.0}) == 0.0


def test_a_text_of_few_words_gets_few_pieces_little_dropout_and_a_short_run():
    prosaic, regular = (make_recipe(complete(DATA, corpus(9_000), CPU)[0]) for corpus in (prose, drill))
    assert regular.tokenizer.vocabulary_size < prosaic.tokenizer.vocabulary_size / 3
    assert regular.model.dropout < prosaic.model.dropout
    assert regular.training.max_updates < prosaic.training.max_updates


def test_a_batch_of_several_parts_makes_the_run_shorter():
    one, four = (
        make_recipe(complete({**DATA, "training": {"optimizer": {"accumulation": parts}}}, prose(20_000), CPU)[0])
        for parts in (1, 4)
    )
    assert four.training.max_updates == pytest.approx(one.training.max_updates / 4, rel=0.01)


def test_what_is_given_stays():
    given = {
        **DATA,
        "model": {"d_model": 64, "dropout": 0.0},
        "training": {"schedule": {"kind": "paper"}, "patience": "none"},
    }
    values, choices = complete(given, prose(1000), CPU)
    recipe = make_recipe(values)
    assert (recipe.model.d_model, recipe.model.dropout, recipe.training.schedule.kind) == (64, 0.0, "paper")
    assert recipe.training.patience is None
    assert not {"model.preset", "model.dropout", "training.patience"} & {choice.key for choice in choices}


def test_two_vocabularies_are_not_tied_three_ways():
    values = complete({**DATA, "tokenizer": {"shared": False}}, prose(1000), CPU)[0]
    assert make_recipe(values).model.tie_embeddings == "output"


def test_numbers_given_as_text_count_too():
    given = {"data": {**DATA["data"], "batching": {"max_tokens": "512"}}, "model": {"d_model": "64"}}
    assert make_recipe(complete(given, prose(1000), CPU)[0]).data.batching.max_tokens == 512


@pytest.mark.parametrize("kind", ["rnn", "rnn-attention"])
def test_the_ancestors_have_no_presets(kind):
    values, choices = complete({**DATA, "model": {"kind": kind}}, prose(1000), CPU)
    assert make_recipe(values).model.kind == kind
    assert make_recipe(values).decoding.length_penalty == 1.0
    assert "model.preset" not in {choice.key for choice in choices}


@pytest.mark.parametrize(
    ("cores", "max_tokens", "workers"), [(1, 8192, 1), (2, 8192, 2), (8, 8192, 2), (8, 4096, 2), (8, 2048, 1)]
)
def test_cores_share_large_batches(cores, max_tokens, workers, monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: cores)
    given = {"data": {**DATA["data"], "batching": {"max_tokens": max_tokens}}}
    assert make_recipe(complete(given, prose(30_000), CPU)[0]).training.workers == workers
    assert make_recipe(complete(given, prose(30_000), torch.device("cuda"))[0]).training.workers == 1
    threads = make_recipe(complete(given, prose(30_000), CPU)[0]).threads
    assert threads == (1 if cores > 1 and max_tokens < 4096 else None)
    ancestor = {**given, "model": {"kind": "rnn"}}
    assert make_recipe(complete(ancestor, prose(30_000), CPU)[0]).training.workers == 1


@pytest.mark.parametrize(("processes", "workers", "threads"), [(1, 4, None), (2, 2, None), (8, 1, 1)])
def test_processes_share_batches_before_workers_do(processes, workers, threads, monkeypatch):
    """Each of them has so many cores."""
    monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    given = {"data": {**DATA["data"], "batching": {"max_tokens": 16_384}}}
    recipe = make_recipe(complete(given, prose(30_000), CPU, processes=processes)[0])
    assert (recipe.training.workers, recipe.threads) == (workers, threads)


def test_workers_and_threads_that_are_given_stay(monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    small = {"data": {**DATA["data"], "batching": {"max_tokens": 1024}}}
    assert make_recipe(complete({**small, "threads": 8}, prose(30_000), CPU)[0]).threads == 8
    assert make_recipe(complete({**small, "threads": "none"}, prose(30_000), CPU)[0]).threads is None
    assert make_recipe(complete({**small, "training": {"workers": 2}}, prose(30_000), CPU)[0]).threads is None


def test_a_resumed_run_keeps_its_shares_whatever_the_machine(monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    begun = {"training": {"workers": 1}}
    assert make_recipe(complete(DATA, prose(30_000), CPU, begun)[0]).training.workers == 1
    given = {**DATA, "training": {"workers": 4}}
    assert make_recipe(complete(given, prose(30_000), CPU, begun)[0]).training.workers == 4


@pytest.mark.parametrize("pairs", [200_000, 1_000_000, 10_000_000, 100_000_000])
def test_a_large_text_does_not_count_as_one_of_few_words_because_only_its_first_pairs_are_looked_at(pairs):
    corpus = replace(prose(pairs), word_types=prose(LOOKED_AT).word_types)
    values, choices = complete(DATA, corpus, CPU)
    assert values["training"]["max_updates"] >= 4 * corpus.pairs * 30 / values["data"]["batching"]["max_tokens"]
    assert make_recipe(values).training.optimizer.weight_decay == 0.2
    assert not any("few different words" in choice.why for choice in choices)


def test_a_resumed_run_keeps_the_choices_that_other_rules_made():
    begun = {"tokenizer": {"vocabulary_size": 777}, "model": {"dropout": 0.25}, "training": {"max_updates": 12_345}}
    values, choices = complete({**DATA, "training": {"max_updates": 99}}, prose(30_000), CPU, begun)
    recipe = make_recipe(values)
    assert (recipe.tokenizer.vocabulary_size, recipe.model.dropout, recipe.training.max_updates) == (777, 0.25, 99)
    assert {choice.why for choice in choices if choice.key == "model.dropout"} == {"as the run was begun"}


def test_with_adam_and_with_the_ancestors_the_peak_is_adams():
    given = {**DATA, "training": {"optimizer": {"kind": "adam"}}}
    assert make_recipe(complete(given, prose(5_000), CPU)[0]).training.schedule.learning_rate == 5e-3
    assert make_recipe(complete(DATA, prose(30_000), CPU)[0]).training.schedule.learning_rate == 4e-3
    assert make_recipe(complete(DATA, prose(5_000), CPU)[0]).training.schedule.learning_rate == 2e-3
    ancestor = make_recipe(complete({**DATA, "model": {"kind": "rnn"}}, prose(5_000), CPU)[0])
    assert (ancestor.training.optimizer.kind, ancestor.training.schedule.learning_rate) == ("adam", 2e-3)


def test_the_weights_decay_where_muon_was_chosen_unless_much_text_has_few_words():
    def decay(pairs=5_000, begun=None, words=None, text=prose, **given):
        corpus = text(pairs) if words is None else replace(text(pairs), word_types=words)
        return make_recipe(complete({**DATA, **given}, corpus, CPU, begun)[0]).training.optimizer.weight_decay

    assert [decay(pairs, words=27_000) for pairs in (100, 15_000, 30_000)] == [0.2, 0.2, 0.2]
    assert [decay(pairs, words=28_000) for pairs in (30_000, 60_000)] == [0.2, 0.2]
    assert [decay(pairs, text=drill) for pairs in (1_000, 15_000, 60_000)] == [0.2, 0.2, 0]
    assert decay(training={"optimizer": {"weight_decay": 0.05}}) == 0.05
    assert decay(training={"optimizer": {"kind": "adam"}}) == decay(training={"optimizer": {"kind": "muon"}}) == 0
    assert decay(model={"kind": "rnn-attention"}) == 0
    older = {"training": {"optimizer": {"kind": "muon", "clip_norm": 0.0, "weight_decay": 0.0}}}
    assert decay(begun=older) == 0, "a run that was begun without it goes on without it"


@pytest.mark.parametrize(
    ("corpus", "preset"),
    [(prose(3_000), "shallow"), (prose(4_400), "shallow"), (prose(4_500), "tiny"), (drill(1_000), "tiny")],
)
def test_the_smallest_texts_of_many_words_get_few_layers(corpus, preset):
    chosen = {choice.key: choice.value for choice in complete(DATA, corpus, CPU)[1]}
    assert chosen["model.preset"] == preset
    few = complete({**DATA, "model": {"encoder_layers": 3}}, corpus, CPU)[0]
    assert make_recipe(few).model.encoder_layers == 3


@pytest.mark.parametrize(
    ("pairs", "tokens", "words", "preset", "batch"),
    [
        (5_000, 249_999, 20_000, "shallow", 2048),
        (5_000, 250_001, 20_000, "tiny", 4096),
        (7_000, 225_000, 20_000, "shallow", 2048),
        (7_200, 225_000, 20_000, "tiny", 4096),
        (5_000, 160_001, 20_000, "shallow", 2048),
        (5_000, 160_000, 20_000, "tiny", 4096),
        (5_000, 160_001, 700, "tiny", 8192),
    ],
)
def test_texts_of_long_pairs_get_few_layers_and_small_batches_up_to_more_tokens(pairs, tokens, words, preset, batch):
    corpus = CorpusStatistics(pairs, words, 100, tokens // 2, tokens - tokens // 2)
    chosen = complete(DATA, corpus, CPU)[0]
    assert (chosen["model"]["preset"], chosen["data"]["batching"]["max_tokens"]) == (preset, batch)


@pytest.mark.parametrize(
    ("pairs", "words", "on_cpu", "on_gpu"),
    [
        (9_000, 27_499, "tiny", "tiny"),
        (9_000, 27_500, "tiny", "small"),
        (99_999, 60_000, "tiny", "small"),
        (99_999, 27_499, "tiny", "tiny"),
        (100_000, 5_000, "small", "small"),
        (1_000_000, 5_000, "small", "base"),
    ],
)
def test_texts_of_many_different_words_get_wide_vectors(pairs, words, on_cpu, on_gpu):
    corpus = replace(prose(pairs), word_types=words)
    devices = (CPU, on_cpu), (torch.device("cuda"), on_gpu)
    assert all(complete(DATA, corpus, device)[0]["model"]["preset"] == preset for device, preset in devices)


@pytest.mark.parametrize(("share", "dropout"), [(0.2, 0.1), (0.5, 0.2), (0.8, 0.3)])
def test_a_short_run_on_little_text_has_less_dropout_than_a_whole_one(share, dropout):
    needed = make_recipe(complete(DATA, prose(9_000), CPU)[0]).training.max_updates
    assert make_recipe(complete(DATA, prose(9_000), CPU, possible=round(share * needed))[0]).model.dropout == dropout


@pytest.mark.parametrize(
    ("pairs", "tokens", "keys", "share", "dropout"),
    [
        (4_500, 134_999, {}, 1, 0.4),
        (4_500, 134_999, {}, 0.8, 0.4),
        (4_500, 134_999, {}, 0.5, 0.2),
        (4_500, 134_999, {}, 0.2, 0.1),
        (3_000, 134_999, {}, 1, 0.3),
        (1_500, 45_000, {}, 1, 0.3),
        (4_500, 135_001, {"preset": "shallow"}, 1, 0.3),
        (4_500, 134_999, {"preset": "tiny"}, 1, 0.3),
        (4_500, 134_999, {"kind": "rnn-attention"}, 1, 0.3),
    ],
)
def test_wide_vectors_that_read_the_smallest_texts_often_get_the_most_dropout(pairs, tokens, keys, share, dropout):
    corpus = replace(prose(pairs), source_tokens=tokens // 2, target_tokens=tokens - tokens // 2)
    given = {**DATA, "model": keys}
    needed = complete(given, corpus, CPU)[0]["training"]["max_updates"]
    values, _ = complete(given, corpus, CPU, possible=round(share * needed))
    assert values["model"]["dropout"] == dropout


@pytest.mark.parametrize(("tokens", "preset", "dropout"), [(31, "tiny", 0.3), (33, "tiny", 0.2), (33, "small", 0.3)])
def test_narrow_vectors_that_read_a_text_less_often_get_less_dropout(tokens, preset, dropout):
    corpus = replace(prose(9_000), source_tokens=14 * 9_000, target_tokens=(tokens - 14) * 9_000)
    assert complete({**DATA, "model": {"preset": preset}}, corpus, CPU)[0]["model"]["dropout"] == dropout


@pytest.mark.parametrize(
    ("tokens", "regular", "batch"),
    [
        (134_999, False, 2048),
        (135_001, False, 4096),
        (134_999, True, 2048),
        (135_001, True, 8192),
        (600_001, False, 16_384),
        (600_001, True, 16_384),
    ],
)
def test_larger_corpora_get_larger_batches(tokens, regular, batch):
    words = 700 if regular else 15_000
    corpus = CorpusStatistics(10_000, words, 100, tokens - 70_000, 70_000)
    assert complete(DATA, corpus, CPU)[0]["data"]["batching"]["max_tokens"] == batch


def test_a_large_corpus_is_shuffled_in_windows_and_a_run_that_was_begun_without_goes_on_without():
    def window(read, begun=None, **given):
        corpus = replace(prose(30_000), read=read)
        values = {"data": {**DATA["data"], **given}}
        return make_recipe(complete(values, corpus, CPU, begun)[0]).data.batching.window

    assert window(2_000_000) is None
    assert window(2_000_001) == 262_144
    assert window(2_000_001, batching={"window": 1_000}) == 1_000
    assert window(2_000_001, batching={"window": "none"}) is None
    assert window(2_000_001, {"data": {"batching": {"max_tokens": 8192}}}) is None, "an older version knew no windows"
    assert window(2_000_001, {"data": {"batching": {"window": 500}}}) == 500
    assert window(2_000_001, {"data": {"batching": {"window": "none"}}}) is None
