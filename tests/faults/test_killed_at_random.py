"""Killed at random moments and resumed, in every precision and with every kind of training, a run ends the same."""

import pytest

from tests.faults.bit_exact import Chains, chains, keys
from tests.faults.conftest import LeftAlone
from tests.faults.nursery import Nursery
from tests.faults.runs import Run, recipe
from tests.faults.tally import tallied

FAULT = "killed at a random moment"
WIDE = {"model__d_model": 64, "model__d_ff": 64, "training__log_every": 1}
"""Sizes that kernels for every precision can multiply."""
BEST, EMA = (
    {"training__averaging": {"kind": "best", "count": 2}},
    {"training__averaging": {"kind": "ema", "decay": 0.9}},
)
MUON = {"training__optimizer": {"kind": "muon"}}
SETTINGS = {
    "float32, last": ("float32", {}),
    "float32, best, Muon": ("float32", {**BEST, **MUON}),
    "float32, ema, two workers": ("float32", {**EMA, "training__workers": 2}),
    "float32, accumulation, AdamW": (
        "float32",
        {"training__optimizer": {"kind": "adamw", "accumulation": 2, "weight_decay": 0.01}},
    ),
    "bfloat16, last": ("bfloat16", {}),
    "bfloat16, best, Muon": ("bfloat16", {**BEST, **MUON}),
    "bfloat16, ema, two workers": ("bfloat16", {**EMA, "training__workers": 2}),
    "int8, last": ("int8", {}),
    "int8, ema, Muon": ("int8", {**EMA, **MUON}),
    "recurrent, float32": ("float32", {"model": {"kind": "rnn-attention", "d_model": 16, "hidden_size": 32}}),
    "recurrent, bfloat16": ("bfloat16", {"model": {"kind": "rnn-attention", "d_model": 16, "hidden_size": 32}}),
}
"""Precision and the keys that are particular."""
ON_AN_OLD_CPU = {"AVX2, last": ("auto", {}), "AVX2, ema, Muon": ("auto", {**EMA, **MUON})}
WITHOUT_BFLOAT16 = {"POLYHEAD_CPU_WITHOUT": "avx512 avx10 amx", "ATEN_CPU_CAPABILITY": "avx2"}
"""The environment in which every CPU is one that has AVX2 alone, and so trains in float32 by its own kernels."""
KILLS, CHAIN = 12, 6


@pytest.fixture(scope="session")
def old_cpu(tmp_path_factory):
    """Commands as a CPU without units for bfloat16 does them."""
    nursery = Nursery(tmp_path_factory.mktemp("old-cpu"), WITHOUT_BFLOAT16)
    yield nursery
    nursery.close()


def campaign(nursery: Nursery, corpus, directory, record, setting: str, seed: int) -> None:
    precision, more = (SETTINGS | ON_AN_OLD_CPU)[setting]
    directory.mkdir(exist_ok=True)
    given = keys("toy", precision, {**WIDE, **more, "threads": 2 if "two" in setting else 1})
    run = Run(nursery, ("train", str(recipe(corpus, directory / "recipe.toml", **given))))
    refused = nursery.run(*run.words, "--training.max_updates=1", directory=directory)
    if refused.status == 1 and "training.precision" in refused.sentence:
        pytest.skip(refused.sentence)
    made = Chains.of(run, directory / "alone")
    kill_all(made, directory, record, f"training, {setting}", f"{seed} {setting}", KILLS)


def kill_all(made: Chains, directory, record, how: str, seed: str, kills: int) -> None:
    """Chains of kills, each of which counts as lost if its training ends otherwise."""
    with tallied(record, FAULT, how) as tally:
        for chain in chains(made, directory / "run", seed, kills, CHAIN):
            for _ in chain.signals:
                tally.end(chain.problems, f"seed {seed!r}, signals {', '.join(chain.signals)}")


def test_a_training_in_default_precision(nursery, corpus, tmp_path, faults_seed, record_property):
    given = keys("toy", "auto", {"model": {"preset": "tiny", "encoder_layers": 2, "decoder_layers": 2}})
    run = Run(nursery, ("train", str(recipe(corpus, tmp_path / "recipe.toml", **given))))
    made = Chains.of(run, tmp_path / "alone")
    kill_all(made, tmp_path, record_property, "default precision, a sample", f"{faults_seed} sample", 6)


@pytest.mark.faults
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_training(nursery, corpus, tmp_path, faults_seed, setting, record_property):
    campaign(nursery, corpus, tmp_path, record_property, setting, faults_seed)


@pytest.mark.faults
def test_a_training_on_a_cpu_without_bfloat16(old_cpu, corpus, tmp_path, faults_seed, record_property):
    for number, setting in enumerate(ON_AN_OLD_CPU):
        campaign(old_cpu, corpus, tmp_path / str(number), record_property, setting, faults_seed)


@pytest.mark.faults
def test_a_distillation(distillation: LeftAlone, tmp_path, faults_seed, record_property):
    made = Chains.of(distillation.run, tmp_path / "alone")
    assert made.alone == distillation.traces
    kill_all(made, tmp_path, record_property, "distillation", f"{faults_seed} distillation", KILLS)


@pytest.mark.faults
@pytest.mark.parametrize("size", ["tiny", "small"])
def test_a_training_of_a_real_size(nursery, corpus, tmp_path, faults_seed, size, record_property):
    run = Run(nursery, ("train", str(recipe(corpus, tmp_path / "recipe.toml", **keys(size, "auto")))))
    made = Chains.of(run, tmp_path / "alone")
    kill_all(made, tmp_path, record_property, f"default precision, {size}", f"{faults_seed} {size}", KILLS)
