"""Packed weights that several processes have in memory once."""

import numpy as np
import pytest

from polyhead.engine.choice import Choice
from polyhead.engine.kernel_engine import has_int8_products
from polyhead.engine.prepare import prepare
from polyhead.errors import PolyheadError
from polyhead.files import Stamp
from polyhead.kernels.code.permissions import ASKED
from polyhead.memory.weights_file import FilePages
from polyhead.model.config import TransformerConfig
from polyhead.translating.translator import Translator
from tests.small import small_bundle, write_small

SHAPE = TransformerConfig(d_model=16, d_ff=24, num_heads=2, encoder_layers=2, decoder_layers=2, max_length=40)
TEXTS = ["bado kilu mera", "The cat sat down. noti pasu"]


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_a_shared_engine_computes_the_same_from_pages_of_a_file(tmp_path, dtype):
    if dtype == "int8" and not has_int8_products():
        pytest.skip("has no products of bytes")
    folder = tmp_path / "packed"
    folder.mkdir()
    model = write_small(tmp_path / "model", SHAPE)
    alone = Translator.load(model, engine="prepared", dtype=dtype)
    shared = [Translator.load(model, engine="prepared", dtype=dtype, packed=folder) for _ in range(2)]
    expected = alone.translate(TEXTS, target_language="xb")
    for each in shared:
        assert each.translate(TEXTS, target_language="xb") == expected
        weights = each.engine.logits.weight
        assert weights.ctypes.data % 64 == 0
        assert FilePages.of([weights.ctypes.data]).ranges, "its pages are the file's, and nobody has written to them"
    assert not FilePages.of([alone.engine.logits.weight.ctypes.data]).ranges
    assert len(list(folder.glob("*.rest"))) == 1


def test_another_file_of_weights_is_another_engine(tmp_path):
    (tmp_path / "weights").write_bytes(b"")
    bundle = small_bundle(SHAPE)
    choice = Choice("prepared", "float32")
    engines = []
    for content in (b"1", b"22"):
        (tmp_path / "weights").write_bytes(content)
        engines.append(prepare(bundle.trained, choice, tmp_path, Stamp.of(tmp_path / "weights")))
        bundle.model.output.weight.data += 1
    first, second = (np.array(engine.logits.weight) for engine in engines)
    assert np.allclose(first + 1, second)


@pytest.mark.skipif(not ASKED, reason="folders have no permission bits here")
def test_from_a_folder_that_others_may_write_to_nothing_is_read(tmp_path):
    folder = tmp_path / "packed"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(PolyheadError, match="others than this user can write"):
        Translator.load(write_small(tmp_path / "model", SHAPE), engine="prepared", packed=folder)
    assert not list(folder.iterdir())
