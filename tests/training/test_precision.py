"""Which arithmetic is chosen, where it holds, and that it learns what float32 does."""

import pytest
import torch
from torch import Tensor

from polyhead.batch import Batch
from polyhead.errors import RecipeError
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig
from polyhead.training import precision as module
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.precision import Arithmetic, choose_arithmetic
from tests.marks import vectors

CPU, GPU = torch.device("cpu"), torch.device("cuda")
INT16 = Arithmetic(torch.float32, "high")


@pytest.mark.parametrize(
    ("bfloat16", "avx2_alone", "chosen"),
    [
        (True, False, Arithmetic(torch.bfloat16)),
        (True, True, Arithmetic(torch.bfloat16)),
        (False, True, INT16),
        (False, False, Arithmetic(torch.float32)),
    ],
)
def test_auto_is_what_is_fastest(
    bfloat16: bool, avx2_alone: bool, chosen: Arithmetic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "has_bfloat16", lambda _: bfloat16)
    monkeypatch.setattr(module, "may_multiply", lambda: avx2_alone)
    assert choose_arithmetic("auto", CPU) == chosen


def test_what_is_asked_for_is_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "may_multiply", lambda: True)
    assert choose_arithmetic("float32", CPU) == Arithmetic(torch.float32, "highest")
    assert choose_arithmetic("bfloat16", CPU) == Arithmetic(torch.bfloat16, "highest")
    assert choose_arithmetic("int16", CPU) == INT16


def test_int16_is_refused_where_there_are_no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "may_multiply", lambda: False)
    with pytest.raises(RecipeError, match=r'training\.precision "int16" is for CPUs with AVX2 .* use "auto"'):
        choose_arithmetic("int16", CPU)
    monkeypatch.setattr(module, "may_multiply", lambda: True)
    with pytest.raises(RecipeError, match="int16"):
        choose_arithmetic("int16", GPU)


def test_it_is_said() -> None:
    said = [str(each) for each in (Arithmetic(), Arithmetic(torch.bfloat16), INT16)]
    assert said == ["float32", "bfloat16", "float32, products of 16-bit whole numbers"]


def test_it_holds_within_its_block_alone() -> None:
    before, within = torch.get_float32_matmul_precision(), list[str]()

    def fail() -> None:
        with INT16.chosen():
            within.append(torch.get_float32_matmul_precision())
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert within == ["high"]
    assert torch.get_float32_matmul_precision() == before


def gradients(arithmetic: Arithmetic, width: int) -> list[Tensor]:
    """Of a small Transformer's loss, as a trainer of one core takes them."""
    torch.manual_seed(3)
    config = TransformerConfig(
        encoder_layers=2, decoder_layers=2, d_model=width, d_ff=2 * width, num_heads=2, dropout=0.0, activation="gelu"
    )
    model = build_model(config, 100, 100).train()
    ids = torch.randint(5, 100, (2, 7, 9))
    batch = Batch(ids[0], ids[1], ids[1].roll(-1, 1))
    with arithmetic.chosen():
        loss, _ = label_smoothed_loss(model.features(batch), model.output_layer.weight, batch.target_out.flatten(), 0.1)
        return list(torch.autograd.grad(loss, list(model.parameters())))


@vectors
@pytest.mark.parametrize(("width", "differs"), [(64, True), (48, False)])
def test_gradients_are_nearly_those_of_float32(width: int, differs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are kernels of the width; else the same. With ReLU numbers near 0 would fall to the other side."""
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    found, exact = gradients(INT16, width), gradients(Arithmetic(), width)
    assert any(not torch.equal(one, other) for one, other in zip(found, exact, strict=True)) == differs
    for one, other in zip(found, exact, strict=True):
        assert float((one - other).norm()) <= 2e-3 * float(other.norm()) + 1e-6
