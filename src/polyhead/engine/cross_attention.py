"""The weights of the decoder's cross-attention while given translations are written, by the engine of kernels.

Shapes: B sentences, T tokens of a translation with `<eos>`, S tokens of a source with `<eos>`, H heads, A the width of
all heads.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyhead.batch import padded, real
from polyhead.engine.kernel_engine import KernelEngine
from polyhead.symbols import EOS, SOS

Floats = NDArray[np.float32]


def cross_attention(
    engine: KernelEngine, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], layer: int
) -> list[Floats]:
    """Sources and translations as tokens without `<sos>` and `<eos>` → [T, S] for each, the mean of a layer's heads.

    Row t is where the model looked while it wrote token t. Raises IndexError for a token that is not in the vocabulary
    and for more of them than the model has positions.
    """
    read = [[*source, EOS] for source in sources]
    written = padded([[SOS, *target] for target in targets])
    state = engine.start(engine.encode(padded(read), real(read)))
    asked = np.empty((written.shape[1], layer + 1, len(read), engine.width), np.float32)
    for step, queries in enumerate(asked):
        _, state = engine.features(written[:, step], state, queries)
    keys, found = state.memory.values[layer, :, : engine.width], list[Floats]()
    for row, target in enumerate(targets):
        places = state.memory.rows[row, : state.memory.counts[row]]
        found.append(_weights(asked[: len(target) + 1, layer, row], keys[places], engine.heads))
    return found


def _weights(queries: Floats, keys: Floats, heads: int) -> Floats:
    """queries [T, A], divided by √d already, and keys [S, A] → the mean over heads of their softmax [T, S]."""
    apart = (each.reshape(len(each), heads, -1).swapaxes(0, 1) for each in (queries, keys))
    scores = np.matmul(next(apart), next(apart).swapaxes(1, 2))
    weights = np.exp(scores - scores.max(2, keepdims=True))
    mean: Floats = (weights / weights.sum(2, keepdims=True)).mean(0)
    return mean
