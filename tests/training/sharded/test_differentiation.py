"""The gradients of a divided model are those of the whole one, in sum and not on average, row by row."""

import pytest
import torch
import torch._dynamo  # which FSDP2 loads: here once, and not in every process

from polyhead.batch import Batch
from polyhead.model.build import build_model
from polyhead.model.config import RNNAttentionConfig, TransformerConfig
from polyhead.training.fused.fuse import Fused
from polyhead.training.optimizer import Optimizer, OptimizerConfig
from polyhead.training.parallel import Workers
from polyhead.training.precision import Arithmetic
from polyhead.training.sharded.differentiation import ShardedDifferentiation
from polyhead.training.sharded.model import divide
from polyhead.training.shares import Differentiation
from tests.together import together

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a process that has threads is copied

SIZES = {"d_model": 12, "num_heads": 2, "d_ff": 14, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0}
CONFIGS = {
    "transformer": TransformerConfig(**SIZES),
    "pre-norm": TransformerConfig(**SIZES, norm="pre", positions="learned", max_length=9, tie_embeddings="none"),
    "recurrent": RNNAttentionConfig(d_model=10, dropout=0.0),
}
VOCABULARY = 31


def batch(sentences: int) -> Batch:
    draw = torch.Generator().manual_seed(sentences)
    source, target = (torch.randint(4, VOCABULARY, (sentences, width), generator=draw) for width in (7, 5))
    return Batch(source, target, target, tuple(range(sentences)))


def model(kind: str, seed: int = 1):
    torch.manual_seed(seed)
    return build_model(CONFIGS[kind], VOCABULARY, VOCABULARY)


@pytest.mark.parametrize(
    "kind", ["transformer", *(pytest.param(kind, marks=pytest.mark.slow) for kind in CONFIGS if kind != "transformer")]
)
def test_gradients_are_the_sums_over_all_processes(kind):
    """Of two sentences the third process has none; each process begins with other weights than process 0."""
    batches = [batch(5), batch(2)]

    def work(world):
        cpu = torch.device("cpu")
        loss, shards = divide(model(kind, seed=1 + world.rank), 0.1, torch.float32, world, cpu)
        optimizer = Optimizer(loss.model, OptimizerConfig(), torch.float32, shards)
        found = ShardedDifferentiation(loss, optimizer, world, cpu).collect(batches, lambda share: share, 1)
        gradients = {name: each.summed() for name, each in optimizer.gradients.items()}
        return found, shards.whole(gradients), sum(each.numel() for each in gradients.values())

    plain = model(kind).train()
    optimizer = Optimizer(plain, OptimizerConfig(), torch.float32)
    whole = Differentiation(Fused(plain, Arithmetic()), optimizer, Workers(), 0.1)
    expected = whole.collect(batches, lambda share: share, 1)
    gradients = {name: each.summed() for name, each in optimizer.gradients.items()}
    results = together(3, work)
    for found, whole_gradients, _ in results:
        assert (found.tokens, found.loss) == (expected.tokens, pytest.approx(expected.loss, rel=1e-6))
        torch.testing.assert_close(whole_gradients, gradients, rtol=1e-4, atol=1e-5)
    assert sum(held for _, _, held in results) == sum(each.numel() for each in gradients.values())
