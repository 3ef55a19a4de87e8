"""Which arithmetic is chosen, and that it learns what float32 does."""

from typing import Any

import pytest
import torch
from torch import Tensor

from polyhead.batch import Batch
from polyhead.errors import RecipeError
from polyhead.kernels.arrays.scratch import Scratch
from polyhead.kernels.linear import gemm_int8
from polyhead.model.build import build_model
from polyhead.model.config import RNNConfig, TransformerConfig
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.training import precision as module
from polyhead.training.fused.fuse import fuse
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.precision import Arithmetic, Precision, choose_arithmetic
from tests.marks import int8

CPU, GPU = torch.device("cpu"), torch.device("cuda")
INT8, INT8_OF_FLOAT32 = Arithmetic(torch.bfloat16, int8=True), Arithmetic(int8=True)


def transformer(width: int = 64) -> Seq2SeqModel[Any]:
    config = TransformerConfig(
        encoder_layers=2, decoder_layers=2, d_model=width, d_ff=2 * width, num_heads=2, dropout=0.0, activation="gelu"
    )
    return build_model(config, 100, 100)


def make_cpu(patch: pytest.MonkeyPatch, bfloat16: bool, bytes_: bool) -> None:
    """A CPU that multiplies bfloat16, or bytes without having AMX, or both."""
    patch.setattr(module, "has_bfloat16", lambda _: bfloat16)
    patch.setattr(gemm_int8, "is_supported", lambda: bytes_)


@pytest.mark.parametrize(
    ("bfloat16", "bytes_", "chosen"),
    [
        (True, True, INT8),
        (True, False, Arithmetic(torch.bfloat16)),
        (False, True, INT8_OF_FLOAT32),
        (False, False, Arithmetic(torch.float32)),
    ],
)
def test_auto_is_what_is_fastest(
    bfloat16: bool, bytes_: bool, chosen: Arithmetic, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_cpu(monkeypatch, bfloat16, bytes_)
    assert choose_arithmetic("auto", CPU, transformer(), 1) == chosen


def test_what_is_asked_for_is_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    make_cpu(monkeypatch, bfloat16=True, bytes_=True)
    asked: list[Precision] = ["float32", "bfloat16", "int8"]
    assert [choose_arithmetic(each, CPU, transformer(), 1) for each in asked] == [
        Arithmetic(),
        Arithmetic(torch.bfloat16),
        INT8,
    ]


@pytest.mark.parametrize(
    ("device", "model", "cores", "fits"),
    [
        (CPU, transformer(), 1, False),
        (GPU, transformer(), 1, True),
        (CPU, transformer(), 2, True),
        (CPU, transformer(width=48), 1, True),
        (CPU, build_model(RNNConfig(d_model=64, hidden_size=64), 100, 100), 1, True),
    ],
)
def test_whole_numbers_are_only_where_kernels_multiply_all(
    device: torch.device, model: Seq2SeqModel[Any], cores: int, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_cpu(monkeypatch, bfloat16=False, bytes_=fits)
    with pytest.raises(RecipeError, match=r'training\.precision "int8" is for a CPU with VNNI, or .* multiples of 64'):
        choose_arithmetic("int8", device, model, cores)
    assert choose_arithmetic("auto", device, model, cores) == Arithmetic()


def test_it_is_said() -> None:
    said = [str(each) for each in (Arithmetic(), Arithmetic(torch.bfloat16), INT8, INT8_OF_FLOAT32)]
    assert said == [
        "float32",
        "bfloat16",
        "bfloat16, products of 8-bit whole numbers",
        "float32, products of 8-bit whole numbers",
    ]


def gradients(arithmetic: Arithmetic, width: int) -> list[Tensor]:
    """Of a small Transformer's loss, as a trainer of one core takes them."""
    torch.manual_seed(3)
    model = transformer(width).to(arithmetic.dtype).train()
    ids = torch.randint(5, 100, (2, 7, 9))
    batch = Batch(ids[0], ids[1], ids[1].roll(-1, 1))
    fused, weight = fuse(model, arithmetic, 1), model.output_layer.weight
    targets = batch.target_out.flatten()
    loss, _ = label_smoothed_loss(fused.model.features(batch), weight, targets, 0.1, fused.projection)
    return [each.float() for each in torch.autograd.grad(loss, list(model.parameters()))]


@pytest.mark.parametrize("width", [64, 48])
@pytest.mark.parametrize(
    ("arithmetic", "near"),
    [
        pytest.param(INT8, 0.05, marks=int8),
        pytest.param(INT8_OF_FLOAT32, 0.05, marks=int8),
    ],
)
def test_gradients_are_nearly_those_of_float32(arithmetic: Arithmetic, near: float, width: int) -> None:
    """Where there are kernels of the width; else without rounding. With ReLU numbers near 0 would change sides."""
    found, exact = gradients(arithmetic, width), gradients(Arithmetic(), width)
    as_they_are = gradients(Arithmetic(arithmetic.dtype), width)
    assert any(not torch.equal(*both) for both in zip(found, as_they_are, strict=True)) == (width == 64)
    for one, other in zip(found, exact, strict=True):
        assert float((one - other).norm()) <= near * float(other.norm()) + 1e-6


@pytest.mark.parametrize("width", [64, 48])
@pytest.mark.parametrize(
    "arithmetic",
    [
        Arithmetic(),
        Arithmetic(torch.bfloat16),
        pytest.param(INT8, marks=int8),
        pytest.param(INT8_OF_FLOAT32, marks=int8),
    ],
)
def test_gradients_depend_on_nothing_that_lay_in_memory_before(
    arithmetic: Arithmetic, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyTorch's new tensors, and those that kernels work in, begin with NaN: the same bits come of it."""
    expected, take = gradients(arithmetic, width), Scratch.get
    monkeypatch.setattr(Scratch, "get", lambda *asked: _filled(take(*asked)))
    torch.use_deterministic_algorithms(True)
    try:
        found = gradients(arithmetic, width)
    finally:
        torch.use_deterministic_algorithms(False)
    assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


def _filled(workspace: Tensor) -> Tensor:
    workspace.view(torch.uint8).fill_(0xFF)
    return workspace
