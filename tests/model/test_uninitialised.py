"""Models whose weights are about to be read."""

import pytest
import torch
from torch import nn

from polyhead.model.build import build_model
from polyhead.model.config import CONFIGS, TransformerConfig
from polyhead.model.uninitialised import Uninitialised

SMALL = {"d_model": 16}


@pytest.mark.parametrize("kind", CONFIGS)
def test_the_same_model_without_the_values_of_its_parameters(kind) -> None:
    shape = CONFIGS[kind].model_validate({"hidden_size": 16, **SMALL} if kind == "rnn" else SMALL)
    usual = build_model(shape, 30, 30)
    with Uninitialised():
        model = build_model(shape, 30, 30)
    assert [(name, each.shape) for name, each in model.named_parameters()] == [
        (name, each.shape) for name, each in usual.named_parameters()
    ]
    for (name, buffer), (other, expected) in zip(model.named_buffers(), usual.named_buffers(), strict=True):
        assert name == other
        assert torch.equal(buffer, expected)


def test_no_random_number_is_drawn() -> None:
    before = torch.get_rng_state()
    with Uninitialised():
        build_model(TransformerConfig(**SMALL), 30, 30)
    assert torch.equal(torch.get_rng_state(), before)


def test_parameters_are_not_written() -> None:
    weight = nn.Parameter(torch.full((4, 4), 7.0))
    with Uninitialised():
        for fill in (nn.init.normal_, nn.init.uniform_, nn.init.xavier_uniform_, nn.init.kaiming_uniform_):
            fill(weight)
        nn.init.zeros_(weight)
        nn.init.ones_(weight)
        nn.init.constant_(weight, 3.0)
        table = torch.empty(2).fill_(5.0)
    assert torch.equal(weight, torch.full((4, 4), 7.0))
    assert torch.equal(table, torch.full((2,), 5.0))


def test_outside_the_block_models_are_initialised_as_ever() -> None:
    torch.manual_seed(3)
    expected = nn.Linear(4, 4).weight
    with Uninitialised():
        nn.Linear(4, 4)
    torch.manual_seed(3)
    assert torch.equal(nn.Linear(4, 4).weight, expected)
