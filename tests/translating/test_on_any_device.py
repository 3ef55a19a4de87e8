"""Translations on a GPU are those of the plain model on the CPU in float32."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from polyhead.batch import Batch
from polyhead.bundle.load import load_bundle
from polyhead.decoding.config import BeamConfig, GreedyConfig, SearchConfig
from polyhead.model.arrays import InArrays
from polyhead.translating.translation import Translation
from polyhead.translating.translator import Translator
from tests.conftest import Toy
from tests.devices import Elsewhere, on_any_device

SENTENCES = 60
SAME = {torch.float32: 59, torch.bfloat16: 54}
"""How many of the translations have to be the same: two words that are as likely may change places,"""
LIKELY = {torch.float32: 1e-3, torch.bfloat16: 0.1}
"""and how far off the log-probability of a token may be in those that are, in nats."""


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logits stay in tensors, as they do on a GPU; so searches on the CPU take that way too."""
    monkeypatch.setattr(InArrays, "_given", lambda self, numbers: numbers.float())


def translations(model: Path, search: SearchConfig, texts: list[str], *to: Any) -> list[Translation]:
    bundle = load_bundle(model)
    bundle.model.to(*to)
    return Translator(bundle, engine="plain").translate(texts, search=search)


def test_logits_of_another_device_stay_there(toy_model: Path) -> None:
    """The plain engine of a moved model searches there, whatever its format."""
    bundle = load_bundle(toy_model)
    bundle.model.to("cpu", torch.bfloat16)
    engine = Translator(bundle, engine="plain").engine
    memory = engine.encode(*(torch.ones(1, 2, dtype=kind).numpy() for kind in (torch.int64, torch.bool)))
    logits, _ = engine.step(torch.ones(1, dtype=torch.int64).numpy(), engine.start(memory))
    assert isinstance(logits, Tensor)
    assert logits.dtype == torch.float32


@on_any_device
@pytest.mark.parametrize("dtype", SAME, ids=["float32", "bfloat16"])
@pytest.mark.parametrize("search", [GreedyConfig(), BeamConfig(beam_size=5)], ids=["greedy", "beam 5"])
def test_translations_are_those_of_the_cpu_in_float32(
    search: SearchConfig, dtype: torch.dtype, device: str, toy_model: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    texts = Toy(tmp_path).source(SENTENCES, seed=3)
    found = translations(toy_model, search, texts, device, dtype)
    monkeypatch.undo()  # without the detour
    wanted = Translator.load(toy_model, engine="plain").translate(texts, search=search)
    same = [pair for pair in zip(found, wanted, strict=True) if pair[0].text == pair[1].text]
    assert len({each.text for each in wanted}) > SENTENCES // 2
    assert len(same) >= SAME[dtype]
    for one, other in same:
        assert abs(one.log_probability - other.log_probability) <= LIKELY[dtype] * (1 + len(other.text.split()) * 3)


@on_any_device
def test_word_alignments_are_those_of_the_cpu(device: str, toy_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are kept by them too. What the model looks at goes to where the model is."""
    texts, to, sent = ["bado kilu 57 mera", "noti pasu"], Batch.to, list[str]()

    def noting(batch: Batch, where: Any) -> Batch:
        sent.append(torch.device(where).type)
        return to(batch, where)

    monkeypatch.setattr(Batch, "to", noting)
    bundle = load_bundle(toy_model)
    bundle.model.to(device)
    found = Translator(bundle, engine="plain").translate(texts, align=True)
    assert sent
    assert set(sent) == {device}
    wanted = Translator.load(toy_model, engine="plain").translate(texts, align=True)
    assert [(each.text, each.alignment) for each in found] == [(each.text, each.alignment) for each in wanted]


@on_any_device
@pytest.mark.parametrize("count", [1, 2], ids=["a model", "an ensemble"])
def test_scores_are_those_of_the_cpu(count: int, device: str, toy_model: Path) -> None:
    """Only the first model of the ensemble is moved."""
    sources, targets = ["bado kilu mera", "noti pasu"], ["koda bilu nero", "mapi"]
    bundles = [load_bundle(toy_model) for _ in range(count)]
    bundles[0].model.to(device)
    found = Translator(bundles[0], bundles[1:]).score(sources, targets)
    wanted = Translator.load(toy_model).score(sources, targets)
    for one, other in zip(found, wanted, strict=True):
        assert one.token_log_probabilities == pytest.approx(other.token_log_probabilities, abs=1e-4)
        assert all(type(each) is float for each in one.token_log_probabilities)


def test_what_is_scored_goes_to_where_each_model_is(toy_model: Path) -> None:
    moved, other = load_bundle(toy_model), load_bundle(toy_model)
    moved.model.to("meta")
    translator = Translator(moved, [other])
    with Elsewhere():
        assert len(translator.score(["bado kilu mera", "noti"], ["koda bilu nero", "mapi"])) == 2
