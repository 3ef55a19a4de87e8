"""Which arithmetic is chosen, where it holds, and that it learns what float32 does."""

from typing import Any

import pytest
import torch
from torch import Tensor

from polyhead.batch import Batch
from polyhead.errors import RecipeError
from polyhead.hardware import meanwhile
from polyhead.model.build import build_model
from polyhead.model.config import RNNConfig, TransformerConfig
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.training import precision as module
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.precision import Arithmetic, choose_arithmetic
from tests.marks import vectors

CPU, GPU = torch.device("cpu"), torch.device("cuda")
INT16 = Arithmetic(torch.float32, "high")


def transformer(width: int = 64) -> Seq2SeqModel[Any]:
    config = TransformerConfig(
        encoder_layers=2, decoder_layers=2, d_model=width, d_ff=2 * width, num_heads=2, dropout=0.0, activation="gelu"
    )
    return build_model(config, 100, 100)


@pytest.fixture(autouse=True)
def avx2(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a CPU with AVX2 alone, unless a test says otherwise."""
    monkeypatch.setattr(module, "has_bfloat16", lambda _: False)
    monkeypatch.setattr(module, "may_multiply", lambda: True)


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
    assert choose_arithmetic("auto", CPU, transformer(), 1) == chosen


def test_what_is_asked_for_is_what_there_is() -> None:
    assert choose_arithmetic("float32", CPU, transformer(), 1) == Arithmetic(torch.float32, "highest")
    assert choose_arithmetic("bfloat16", CPU, transformer(), 1) == Arithmetic(torch.bfloat16, "highest")
    assert choose_arithmetic("int16", CPU, transformer(), 1) == INT16


@pytest.mark.parametrize(
    ("device", "model", "cores", "avx2_alone"),
    [
        (CPU, transformer(), 1, False),
        (GPU, transformer(), 1, True),
        (CPU, transformer(), 2, True),
        (CPU, transformer(width=48), 1, True),
        (CPU, build_model(RNNConfig(d_model=64, hidden_size=64), 100, 100), 1, True),
    ],
)
def test_int16_is_only_where_kernels_multiply_all(
    device: torch.device, model: Seq2SeqModel[Any], cores: int, avx2_alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "may_multiply", lambda: avx2_alone)
    with pytest.raises(RecipeError, match=r'training\.precision "int16" is for a CPU with AVX2 .* multiples of 32'):
        choose_arithmetic("int16", device, model, cores)
    assert choose_arithmetic("auto", device, model, cores).dtype == torch.float32
    assert choose_arithmetic("auto", device, model, cores).products != "high"


def test_on_a_gpu_it_is_for_the_user_to_allow_tf32() -> None:
    arithmetic = choose_arithmetic("float32", GPU, transformer(), 1)
    with meanwhile(torch.get_float32_matmul_precision, torch.set_float32_matmul_precision, "high"):
        with arithmetic.chosen():
            assert torch.get_float32_matmul_precision() == "high"
        with choose_arithmetic("float32", CPU, transformer(), 1).chosen():
            assert torch.get_float32_matmul_precision() == "highest"


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
    model = transformer(width).train()
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
