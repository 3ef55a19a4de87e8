"""Searching in each sentence's own vocabulary: what is found, whatever stands beside it, is what the list allows."""

import pytest
import torch

from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig
from polyhead.decoding.ensemble import Ensemble
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.rules import Forbid
from polyhead.decoding.search import search
from polyhead.decoding.searchable import Booleans, Numbers
from polyhead.decoding.trace import SearchTree
from polyhead.engine.choice import Choice
from polyhead.engine.prepare import prepare
from polyhead.shortlist import groups
from polyhead.shortlist.masked import Masked
from polyhead.shortlist.search import ShortlistSearch
from polyhead.symbols import EOS, PAD

BEAM = BeamConfig(beam_size=3, n_best=2, max_length=8)
SEARCHES = [BEAM, GreedyConfig(max_length=8), SamplingConfig(max_length=8, seed=2)]
ENGINES = [Choice("plain", "float32"), Choice("prepared", "float32")]


@pytest.fixture(autouse=True)
def _small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "SENTENCES", 3)


@pytest.fixture
def batch(bundle) -> tuple[Numbers, Booleans]:
    """Eight sentences of 1 to 8 pieces."""
    rows = torch.randint(4, bundle.config.source_vocabulary, (8, 9), generator=torch.Generator().manual_seed(1)).numpy()
    for row in range(8):
        rows[row, row + 1], rows[row, row + 2 :] = EOS, PAD
    return rows, rows != PAD


def alike(ours: list[list[Hypothesis]], theirs: list[list[Hypothesis]]) -> None:
    assert [[one.tokens for one in ranked] for ranked in ours] == [[one.tokens for one in ranked] for ranked in theirs]
    scores = [one.score for ranked in ours for one in ranked]
    assert scores == pytest.approx([one.score for ranked in theirs for one in ranked], abs=1e-3)


@pytest.mark.parametrize("config", SEARCHES, ids=lambda config: type(config).__name__)
@pytest.mark.parametrize("choice", ENGINES, ids=str)
def test_a_list_of_everything_finds_what_is_found_without(bundle, everything, batch, choice, config) -> None:
    model = prepare(bundle.model, choice)
    alike(ShortlistSearch([model], everything)(*batch, config), search(model, *batch, config))


@pytest.mark.parametrize("config", SEARCHES, ids=lambda config: type(config).__name__)
@pytest.mark.parametrize("choice", ENGINES, ids=str)
def test_nothing_outside_a_list_is_written_and_all_else_competes_as_ever(bundle, some, batch, choice, config) -> None:
    model = prepare(bundle.model, choice)
    found = ShortlistSearch([model], some)(*batch, config)
    alike(found, search(Masked(model, some), *batch, config))
    assert [one.tokens for one, *_ in found] != [one.tokens for one, *_ in search(model, *batch, config)]
    for source, ranked in zip(batch[0], found, strict=True):
        allowed = set(some.of(source.tolist()).tolist())
        assert all(set(one.tokens) <= allowed for one in ranked)


@pytest.mark.parametrize("config", SEARCHES, ids=lambda config: type(config).__name__)
@pytest.mark.parametrize("choice", ENGINES, ids=str)
def test_companions_change_nothing(bundle, some, batch, choice, config) -> None:
    run = ShortlistSearch([prepare(bundle.model, choice)], some)
    source, mask = batch
    together = run(source, mask, config, sentences=range(8))
    order = [6, 0, 3, 7, 1]
    alike(run(source[order], mask[order], config, sentences=order), [together[i] for i in order])
    alike([run(source[i : i + 1], mask[i : i + 1], config, sentences=[i])[0] for i in range(8)], together)


def test_prefixes_rules_and_repetitions(bundle, some, batch) -> None:
    model, size = prepare(bundle.model, ENGINES[1]), bundle.config.target_vocabulary
    outside = [next(i for i in range(size) if i not in some.of(row.tolist())) for row in batch[0]]
    prefixes: list[list[int]] = [[token, 9] if row % 2 else [] for row, token in enumerate(outside)]
    config = BeamConfig(beam_size=2, max_length=12, min_length=11, no_repeat_ngram=1)
    found = ShortlistSearch([model], some)(*batch, config, prefixes=prefixes, rules=[Forbid((3,))])
    for prefix, (best,) in zip(prefixes, found, strict=True):
        assert list(best.tokens[: len(prefix)]) == prefix, "what a person wrote need not be in the list"
        assert len(set(best.tokens)) == len(best.tokens) >= 8
        assert not best.finished, "<eos> is forbidden, by its own number"


def test_an_ensembles_models_share_the_list(bundle, some, batch) -> None:
    models = [prepare(bundle.model, choice) for choice in ENGINES]
    expected = search(Ensemble([Masked(model, some) for model in models]), *batch, BEAM)
    alike(ShortlistSearch(models, some)(*batch, BEAM), expected)


def test_an_observer_sees_the_whole_vocabularys_numbers_and_a_check_may_end_it(bundle, some, batch) -> None:
    model, tree, expected = prepare(bundle.model, ENGINES[1]), SearchTree(2), SearchTree(2)
    ShortlistSearch([model], some)(*batch, BEAM, observer=tree)
    search(Masked(model, some), *batch, BEAM, observer=expected)
    assert [[node.token for node in step.nodes if node.fate != "pruned"] for step in tree.steps] == [
        [node.token for node in step.nodes if node.fate != "pruned"] for step in expected.steps
    ]

    def check() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        ShortlistSearch([model], some)(*batch, BEAM, check=check)
