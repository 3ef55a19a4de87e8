"""Where the engine of kernels looks, against the model as it was trained."""

import numpy as np
import pytest

from polyhead.batch import collate
from polyhead.engine.choice import Choice
from polyhead.engine.cross_attention import cross_attention
from polyhead.engine.kernel_engine import KernelEngine, has_int8_products, has_two_byte_inputs
from polyhead.engine.prepare import prepare
from polyhead.model.recording import weights_of
from tests.engine.conftest import make

SOURCES = [[5, 6, 7, 8, 9], [10], [11, 12, 5], list(range(4, 22))]
TARGETS = [[7, 8], [9, 10, 11, 12, 13], [], [4, 5, 6]]
ERRORS = {"float32": 1e-5, "int8": 0.02 if has_two_byte_inputs() else 0.03}
"""By how much a weight may differ. Without VNNI inputs are rounded too, to 7 bits."""


@pytest.mark.parametrize("dtype", [name for name in ERRORS if name != "int8" or has_int8_products()])
@pytest.mark.parametrize(("norm", "heads"), [("post", 4), ("pre", 3)])
@pytest.mark.parametrize("layer", [0, 1])
def test_it_looks_where_the_model_looks(dtype, norm, heads, layer):
    model = make(norm=norm, d_model=48, num_heads=heads, d_ff=72)
    engine = prepare(model, Choice("prepared", dtype))
    assert isinstance(engine, KernelEngine)
    found = cross_attention(engine, SOURCES, TARGETS, layer)
    expected = weights_of(model, f"decoder.layers.{layer}.cross_attention", collate(SOURCES, TARGETS)).mean(1).numpy()
    for row, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        assert found[row].shape == (len(target) + 1, len(source) + 1)
        np.testing.assert_allclose(found[row].sum(1), 1, rtol=1e-5)
        wanted = expected[row, : len(target) + 1, : len(source) + 1]
        np.testing.assert_allclose(found[row], wanted, atol=ERRORS[dtype])


def test_the_layer_that_aligns_is_the_last_but_one():
    assert [make(decoder_layers=count).config.alignment_layer for count in (1, 2, 3)] == [0, 0, 1]
