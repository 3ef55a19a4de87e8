"""Linear maps with their weights packed once, in the layout and the precision that a CPU's kernels want.

Every projection takes float32 [N, in] and gives float32 [N, out], whatever it computes in. Each row's result depends on
that row alone.
"""

import warnings
from collections.abc import Callable
from typing import Final, Literal

import torch
from torch import Tensor, nn

from polyhead.hardware import few_sizes
from polyhead.kernels.sums.registers import LEVELS as LARGEST_BYTE

Activation = Literal["none", "relu", "gelu"]
LEVELS = 127.0
"""The largest 8-bit integer, to which the largest weight of an output is mapped."""
TINY = 1e-30
"""Too small to change a sum."""
FEW = 8
"""Rows that share a scale."""
SHORT = 1 << 18
"""Multiplications up to which a call of oneDNN costs more than its kernel saves: 20 µs against 5."""
ZERO = (LARGEST_BYTE + 1) // 2
"""The unsigned byte that stands for 0.0."""
INPUT_LEVELS = ZERO - 1.0
"""To which a row's largest element is mapped: 127, but 63 without VNNI, as two products then have to fit in 16 bits."""
WIDE = 4096
"""Outputs from which a few dozen rows of them don't fit a core's cache."""


Projection = nn.Module
"""f(x Wᵀ + b): [N, in] float32 → [N, out] float32, a tensor of the caller's own."""
Pack = Callable[[Tensor, Tensor | None, Activation], Projection]
"""(weight [out, in], bias [out] or None, activation f) → the projection."""


def activated(y: Tensor, activation: str) -> Tensor:
    """f(y), possibly in place."""
    if activation == "relu":
        return y.relu_()
    if activation == "gelu":
        return nn.functional.gelu(y)
    return y


def filled_up(x: Tensor) -> Tensor:
    """x [N, in] filled up with rows of zeros: few different N, where a search would ask for all as sentences finish."""
    spare = few_sizes(x.size(0)) - x.size(0)
    return nn.functional.pad(x, [0, 0, 0, spare]) if spare > 0 else x


class Plain(nn.Module):
    """The product as PyTorch chooses to compute it, for a CPU or a build without oneDNN."""

    activation: Final[str]
    bias: Tensor | None

    def __init__(self, weight: Tensor, bias: Tensor | None, activation: Activation) -> None:
        super().__init__()
        self.weight = weight
        self.bias = bias
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return activated(nn.functional.linear(x, self.weight, self.bias), self.activation)


class Packed(nn.Module):
    """oneDNN's product, bias and activation in one call, on weights in its own blocked layout; float32 or bfloat16."""

    activation: Final[str]
    bias: Tensor | None

    def __init__(self, weight: Tensor, bias: Tensor | None, activation: Activation, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.to(dtype))
        self.bias = None if bias is None else bias.to(dtype)
        self.activation = activation
        self.dtype = dtype

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = torch.ops.mkldnn._linear_pointwise(
            filled_up(x).to(self.dtype), self.weight, self.bias, self.activation, [], "none"
        )
        return y.float()[: x.size(0)]


class ByLength(nn.Module):
    """`short` while a product is short, `long` from then on."""

    rows: Final[int]

    def __init__(self, short: Projection, long: Projection, rows: int) -> None:
        """rows: the most for which it is short."""
        super().__init__()
        self.short = short
        self.long = long
        self.rows = rows

    def forward(self, x: Tensor) -> Tensor:
        if x.size(0) <= self.rows:
            return self.short(x)
        return self.long(x)


class Int8(nn.Module):
    """8-bit integers: a weight's scale is its output's, an input's scale its row's largest element.

    With W = diag(v) W₈ and x = s x₈ the sums of x₈ W₈ᵀ are exact integers; only the rounding of W and x is not. As each
    row has its own scale, a sentence's companions don't touch it. Only a few rows, a sentence's hypotheses, share one:
    there the calls take the time, not the products, and all of it is a single call.
    """

    few: Final[int] = FEW
    step: Final[float] = 1 / INPUT_LEVELS
    in_part: Final[bool] = INPUT_LEVELS < LEVELS
    zero: Final[int] = ZERO
    tiny: Final[float] = TINY
    activation: Final[str]
    bias: Tensor | None

    def __init__(self, weight: Tensor, bias: Tensor | None, activation: Activation) -> None:
        super().__init__()
        scale = weight.abs().amax(1).clamp(min=TINY).double() / LEVELS
        zeros = torch.zeros(len(scale), dtype=torch.int64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # PyTorch's quantized tensors will have another form one day
            rounded = torch.quantize_per_channel(weight, scale, zeros, 0, torch.qint8)
        self.weight = torch.ops.quantized.linear_prepack(rounded, bias)
        self.bias = bias
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        if x.size(0) <= self.few:
            if self.activation == "relu":
                return torch.ops.quantized.linear_relu_dynamic(x, self.weight, self.in_part)
            return activated(torch.ops.quantized.linear_dynamic(x, self.weight, self.in_part), self.activation)
        scale = x.abs().amax(1, keepdim=True).add_(self.tiny)  # a row of zeros has none
        y: Tensor = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(
            x / scale, self.step, self.zero, self.weight
        )
        bias = self.bias
        if bias is None:
            return activated(y.mul_(scale), self.activation)
        # the kernel adds the bias, which isn't to be scaled: b + s (y - b)
        return activated(torch.lerp(bias, y, scale, out=y), self.activation)


class WideInt8(nn.Module):
    """The same onto a vocabulary, for more than a few rows: oneDNN writes the product once, in float32.

    FBGEMM first writes the sums as integers, which no cache holds: that takes twice the time.
    """

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.scale = weight.abs().amax(1).clamp(min=TINY) / LEVELS
        rounded = (weight / self.scale[:, None]).round_().to(torch.int8)
        self.weight: Tensor = torch.ops.onednn.qlinear_prepack(rounded, None)
        self.zeros = torch.zeros(len(weight), dtype=torch.int64)
        self.compute = torch.ops.onednn.qlinear_pointwise.default

    def forward(self, x: Tensor) -> Tensor:
        scale = x.abs().amax(1, keepdim=True).add_(TINY)
        levels = (x * (INPUT_LEVELS / scale)).add_(ZERO + 0.5).to(torch.uint8)  # cut off after adding a half: rounded
        y = self.compute(
            *(filled_up(levels), 1 / INPUT_LEVELS, ZERO, self.weight, self.scale, self.zeros),
            *(None, 1.0, 0, torch.float32, "none", [], ""),
        )
        return y[: x.size(0)].mul_(scale)


def pack_plain(weight: Tensor, bias: Tensor | None, activation: Activation) -> Projection:
    """float32 without a packed layout."""
    return Plain(weight, bias, activation)


def pack_float32(weight: Tensor, bias: Tensor | None, activation: Activation) -> Projection:
    """float32: exact to rounding."""
    packed = Packed(weight, bias, activation, torch.float32)
    rows = SHORT // weight.numel()
    return ByLength(Plain(weight.clone(), bias, activation), packed, rows) if rows else packed


def pack_bfloat16(weight: Tensor, bias: Tensor | None, activation: Activation) -> Projection:
    """bfloat16 factors, float32 sums, rounded again: about three significant digits, too few to rank a vocabulary by.

    There all is float32: a logit near 10 would be rounded to a sixteenth, and words that are no equals would tie.
    """
    if _onto_a_vocabulary(weight, bias, activation):
        return pack_float32(weight, bias, activation)
    return Packed(weight, bias, activation, torch.bfloat16)


def pack_int8(weight: Tensor, bias: Tensor | None, activation: Activation) -> Projection:
    """8-bit factors, exact sums: about two significant digits of each row."""
    few = Int8(weight, bias, activation)
    wide = _onto_a_vocabulary(weight, bias, activation) and torch.backends.mkldnn.is_available()
    return ByLength(few, WideInt8(weight), FEW) if wide else few


def _onto_a_vocabulary(weight: Tensor, bias: Tensor | None, activation: Activation) -> bool:
    return len(weight) >= WIDE and bias is None and activation == "none"
