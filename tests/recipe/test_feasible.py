"""What cannot work is refused before the corpus is read: here there is none to read."""

import os

import pytest
import torch

from polyhead.errors import DataError, RecipeError
from polyhead.limits import usable_memory
from polyhead.recipe.feasible import check_feasible
from polyhead.recipe.load import make_recipe
from polyhead.recipe.train import train
from polyhead.training import precision

NOTHING = {"kind": "lines", "source": "no such text", "target": "no such text"}
RECURRENT = {"kind": "rnn", "d_model": 8, "hidden_size": 8}
HUGE = {"encoder_layers": 8, "decoder_layers": 8, "d_model": 8192, "d_ff": 200_000, "num_heads": 8}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"model": {"d_model": 20, "num_heads": 3}}, "d_model = 20 is not divisible by model.num_heads = 3"),
        ({"model": {"num_heads": 3}}, "is not divisible by model.num_heads = 3"),
        ({"model": {"preset": "tiny", "num_heads": 5}}, "d_model = 128 is not divisible by model.num_heads = 5"),
        ({"model": {"tie_embeddings": "all"}, "tokenizer": {"shared": False}}, "needs one shared vocabulary"),
        ({"model": {**RECURRENT, "tie_embeddings": "all"}, "tokenizer": {"shared": False}}, "needs one shared vocab"),
        ({"model": RECURRENT, "training": {"workers": 2}}, "training.workers above 1 needs a Transformer"),
        ({"model": RECURRENT, "training": {"precision": "int8"}}, 'training.precision "int8" is for'),
        ({"model": {"d_model": 20, "num_heads": 2}, "training": {"precision": "int8"}}, '"int8" is for'),
        ({"training": {"precision": "int16"}}, "training.precision = 'int16': Input should be 'auto', 'float32', "),
    ],
)
def test_it_is_one_sentence_and_nothing_is_left_behind(tmp_path, keys, said):
    values = {"out": str(tmp_path / "model"), "data": {"train": [NOTHING]}, **keys}
    with pytest.raises(RecipeError, match=said) as caught:
        train(values)
    assert len(str(caught.value)) < 300
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"model": {"preset": "base"}},
        {"tokenizer": {"shared": False}},  # what is tied follows from that
        {"model": {"tie_embeddings": "all"}},
        {"model": RECURRENT},
    ],
)
def test_what_can_work_comes_to_its_corpus(tmp_path, keys):
    with pytest.raises(DataError, match="no such text"):
        train({"out": str(tmp_path / "model"), "data": {"train": [NOTHING]}, **keys})
    assert list(tmp_path.iterdir()) == []


def test_weights_for_which_there_is_no_memory(monkeypatch):
    recipe = make_recipe({"data": {"train": [NOTHING]}, "model": HUGE})
    monkeypatch.setattr("polyhead.recipe.room.usable_memory", lambda: 16 << 30)
    with pytest.raises(RecipeError, match=r"at least 58,\d{3},\d{3},\d{3} parameters and takes 7\d\d GB .* has 17 GB"):
        check_feasible(recipe, torch.device("cpu"))
    monkeypatch.setattr("polyhead.recipe.room.usable_memory", lambda: None)
    check_feasible(recipe, torch.device("cpu"))


def test_workers_that_are_not_given_are_taken_to_be_as_a_precision_needs_them(monkeypatch):
    """One for every core: only then there are kernels of whole numbers."""
    monkeypatch.setattr(precision.gemm_int8, "is_supported", lambda: True)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)
    values = {"data": {"train": [NOTHING]}, "training": {"precision": "int8"}}
    check_feasible(make_recipe(values), torch.device("cpu"))
    with pytest.raises(RecipeError, match="a training.workers for every thread"):
        check_feasible(make_recipe({**values, "training": {"precision": "int8", "workers": 2}}), torch.device("cpu"))


def test_the_memory_of_the_machine_is_known_or_not(monkeypatch):
    found = usable_memory()
    assert found is None or found > 1 << 28
    monkeypatch.delattr(os, "sysconf_names")  # as on Windows
    monkeypatch.setattr("polyhead.limits.memory_limit", lambda: None)
    assert usable_memory() is None
