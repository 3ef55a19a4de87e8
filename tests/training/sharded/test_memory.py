"""What a process of several needs to hold a model of 50 million parameters falls as their number grows."""

import pytest
import torch

from polyhead.batch import Batch
from polyhead.memory.freed import return_at_once, trim
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig
from polyhead.training.optimizer import Optimizer, OptimizerConfig
from polyhead.training.sharded.differentiation import ShardedDifferentiation
from polyhead.training.sharded.model import divide
from tests import together

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # a process that has threads is copied
]

MEGABYTE = 1_000_000


def resident() -> float:
    """Megabytes of this process's own that are in main memory."""
    trim()
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  a name of the system's
        return int(file.read().split()[1]) * 4096 / MEGABYTE


def test_weights_and_moments_take_a_share_of_the_memory(monkeypatch):
    monkeypatch.setattr(together, "LONGEST", 400.0)
    sizes = {"d_model": 512, "d_ff": 2048, "num_heads": 8, "encoder_layers": 6, "decoder_layers": 6, "dropout": 0.0}

    def work(world):
        return_at_once()
        before = resident()
        model = build_model(TransformerConfig(**sizes), 12_000, 12_000)
        parameters = sum(each.numel() for each in model.parameters())
        loss, shards = divide(model, 0.1, torch.float32, world, torch.device("cpu"))
        optimizer = Optimizer(model, OptimizerConfig(), torch.float32, shards)
        differentiation = ShardedDifferentiation(loss, optimizer, world, torch.device("cpu"))
        ids = torch.randint(4, 12_000, (2 * world.size, 6))
        batch = Batch(ids, ids, ids, tuple(range(len(ids))))
        optimizer.step(1e-4, differentiation.collect([batch], lambda share: share, 1).tokens)
        held = sum(each.nbytes for each in optimizer.tensors().values()) / MEGABYTE
        return parameters, held, resident() - before

    used = {}
    for size in (2, 4):
        for parameters, held, resident_ in together.together(size, work):
            assert parameters > 50_000_000
            assert held == pytest.approx(3 * 4 * parameters / size / MEGABYTE, rel=0.01)
            used[size] = max(used.get(size, 0.0), resident_)
    print(used)
    # weights, gradients just forgotten, moments; the libraries that FSDP2 loads take the same in all
    assert used[2] - used[4] > 0.8 * 3 * 4 * parameters / 4 / MEGABYTE
