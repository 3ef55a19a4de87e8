"""The softmax over the vocabulary and the dense part of the loss's gradients by kernels.

The kernels compute in float32, or in bfloat16 where the CPU multiplies it natively.
Shapes: N target tokens, D d_model, V vocabulary.
"""

import math

import torch
from torch import Tensor, nn

from polyhead.hardware import may_use_tiles
from polyhead.kernels.arrays.scratch import Scratch
from polyhead.kernels.arrays.tensors import as_bfloat16_pairs, as_bfloat16s, as_floats
from polyhead.kernels.linear import gemm_int8
from polyhead.kernels.linear.gemm_float32 import is_supported
from polyhead.kernels.loss import softmax_amx as tiled
from polyhead.kernels.loss import softmax_bfloat16 as kernels
from polyhead.kernels.loss import softmax_float32, softmax_int8
from polyhead.kernels.microkernels.epilogue import BLOCK
from polyhead.kernels.microkernels.registers import HAS_BFLOAT16_DOT, MR, PANEL
from polyhead.kernels.microkernels.simd import WIDTH
from polyhead.kernels.numbers.exponential import LARGEST_EXPONENT
from polyhead.kernels.packing.pack_bfloat16 import pack_right_columns, pack_right_rows, unpack
from polyhead.training.precision import Arithmetic
from polyhead.training.softmax_projection import Expectations, softmax_projection

BYTES_KEPT = 1 << 27
"""Bytes of exponentials that are kept at once; more rows are taken in parts, as if they were shares of a batch."""

_Sums = tuple[Tensor, Tensor, Tensor]
"""`Expectations`, but the first is Σ_v exp(z_v - z_target) [N] instead of log Z."""

_scratch = Scratch()


def projection_by_kernels(
    arithmetic: Arithmetic, features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float
) -> Expectations:
    """A `SoftmaxProjection` once its first argument is bound. It uses kernels where there are some for these sizes."""
    given = features, weight, targets, target_logits, smoothing
    found = by_kernel(arithmetic, *given) if _has_kernel(features) else None
    return softmax_projection(*given) if found is None else found


def _has_kernel(features: Tensor) -> bool:
    if features.dtype == torch.float32:
        return features.size(1) % WIDTH == 0 and is_supported()
    return HAS_BFLOAT16_DOT


def by_kernel(
    arithmetic: Arithmetic, features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float
) -> Expectations | None:
    """What the loss needs; None where a word is so much likelier than the target that its exponential is cut off.

    A row's exponentials are taken of z less its target's: Z is at least about 1, and seldom large.
    Raises IndexError for a target that is not one of the V words, ValueError where there is not one for each row.
    """
    _check(targets, features.size(0), weight.size(0))
    given = features, weight, targets, target_logits, smoothing
    if features.dtype == torch.float32:
        totals, mean_weight, d_weight = _in_float32(*given)
    elif may_use_tiles() and features.size(1) % BLOCK == 0:
        totals, mean_weight, d_weight = _in_parts(*given)
    else:
        totals, mean_weight, d_weight = _in_vectors(_has_int8_logits(arithmetic, features), *given)
    if not bool((totals < math.exp(LARGEST_EXPONENT) * 0.99).all()):
        return None
    return target_logits + totals.log(), mean_weight, d_weight


def _check(targets: Tensor, rows: int, words: int) -> None:
    if targets.shape != (rows,):
        raise ValueError(f"{rows} rows of features, but targets of shape {tuple(targets.shape)}: give one for each row")
    if rows and not 0 <= int(targets.amin()) <= int(targets.amax()) < words:
        raise IndexError(f"targets {int(targets.amin())} … {int(targets.amax())}, but the vocabulary has {words} words")


def _in_parts(features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float) -> _Sums:
    """The sums by products of tiles, of as many rows at once as `BYTES_KEPT` has room for."""
    most = max(BLOCK, BYTES_KEPT // (2 * weight.size(0)))
    parts = [x.chunk(max(1, -(-len(targets) // most))) for x in (features, targets, target_logits)]
    found = [_in_tiles(x, weight, words, logits, smoothing) for x, words, logits in zip(*parts, strict=True)]
    if len(found) == 1:
        return found[0]
    totals, mean_weight, d_weight = zip(*found, strict=True)
    return torch.cat(totals), torch.cat(mean_weight), torch.stack(d_weight).sum(0, dtype=torch.float32)


def _in_tiles(features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float) -> _Sums:
    (words, width), known = weight.shape, len(targets)
    rows = tiled.padded_rows(known)
    x = nn.functional.pad(features, (0, 0, 0, rows - known))
    row_inputs, totals = torch.zeros(rows, tiled.ROW_INPUTS), torch.empty(rows)
    row_inputs[:known, 0] = target_logits
    mean_weight, d_weight = torch.empty(known, width), weight.new_empty(words, width)
    workspace = tiled.TilesWorkspace(
        as_bfloat16s(_scratch.get("exponentials", (-(-words // BLOCK), rows, BLOCK), torch.bfloat16)),
        _scratch.get("sums", (rows // BLOCK, width // BLOCK, BLOCK, BLOCK), torch.float32).numpy(),
        as_bfloat16s(_scratch.get("features", (rows, width), torch.bfloat16)),
        _scratch.get("tiles", (tiled.workspace_bytes(rows, width),), torch.uint8).numpy(),
    )
    tiled.softmax_projection(
        as_bfloat16s(x),
        as_bfloat16s(weight),
        targets.numpy(),
        1 - smoothing,
        smoothing / words,
        row_inputs.numpy(),
        totals.numpy(),
        mean_weight.numpy(),
        as_bfloat16s(d_weight),
        workspace,
    )
    return totals[:known], mean_weight, d_weight


def _in_vectors(
    bytes_multiply: bool, features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float
) -> _Sums:
    """The sums by products of vectors; bytes_multiply: whether logits are products of 8-bit integers."""
    (rows, width), words = features.shape, weight.size(0)
    x = nn.functional.pad(features, (0, -width % PANEL, 0, -rows % MR))
    shifts, totals = x.new_zeros(2, x.size(0), dtype=torch.float32)
    shifts[:rows] = target_logits
    mean_weight = torch.zeros_like(x, dtype=torch.float32)
    count, depth = -(-words // PANEL), x.size(1) + -x.size(1) % MR
    across = as_bfloat16_pairs(_scratch.get("across", (x.size(1) // PANEL, count * PANEL // 2, PANEL), torch.int32))
    pack_right_columns(as_bfloat16s(weight), across)
    mean_features = _scratch.get("mean features", (count, depth, PANEL), torch.float32).zero_().numpy()
    of_pairs, of_rows, transposed = kernels.shapes(count, depth)
    workspace = kernels.BFloat16Workspace(
        as_bfloat16_pairs(_scratch.get("pairs", of_pairs, torch.int32)),
        as_bfloat16s(_scratch.get("rows", of_rows, torch.bfloat16)),
        as_bfloat16s(_scratch.get("transposed", transposed, torch.bfloat16)),
    )
    inputs = kernels.SoftmaxInputs(words, targets.numpy(), 1 - smoothing, shifts.numpy())
    outputs = kernels.SoftmaxOutputs(totals.numpy(), mean_weight.numpy(), mean_features)
    if bytes_multiply:
        size = softmax_int8.workspace_bytes(x.size(0), width, words)
        packed = _scratch.get("packed", (size,), torch.uint8).numpy()
        softmax_int8.softmax_projection(
            as_bfloat16s(x), as_bfloat16s(weight), across, inputs, outputs, workspace, packed
        )
    else:
        panels = as_bfloat16_pairs(_scratch.get("panels", (count, x.size(1) // 2, PANEL), torch.int32))
        pack_right_rows(as_bfloat16s(weight), panels)
        kernels.softmax_projection(as_bfloat16s(x), panels, across, inputs, outputs, workspace)
    d_weight = torch.empty_like(weight, memory_format=torch.contiguous_format)
    unpack(mean_features, (smoothing / words * x.sum(0, dtype=torch.float32)).numpy(), as_bfloat16s(d_weight))
    return totals[:rows], mean_weight[:rows, :width], d_weight


def _has_int8_logits(arithmetic: Arithmetic, features: Tensor) -> bool:
    return arithmetic.int8 and features.size(1) % PANEL == 0 and gemm_int8.is_supported()


def _in_float32(features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float) -> _Sums:
    (rows, width), words = features.shape, weight.size(0)
    shapes = softmax_float32.shapes(words, width)
    workspace = softmax_float32.Float32Workspace(
        *(as_floats(_scratch.get(name, shape, torch.float32)) for name, shape in shapes.items())
    )
    totals, mean_weight = features.new_empty(rows), features.new_empty(rows, width)
    d_weight = weight.new_empty(weight.shape)
    softmax_float32.softmax_projection(
        as_floats(features),
        as_floats(weight),
        targets.numpy(),
        1 - smoothing,
        smoothing / words,
        as_floats(target_logits),
        as_floats(totals),
        as_floats(mean_weight),
        as_floats(d_weight),
        workspace,
    )
    return totals, mean_weight, d_weight
