"""Which engine is taken."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch

from polyhead.engine import kernel_engine
from polyhead.engine.choice import Choice, choose, kernel_arrays
from polyhead.engine.kernel_engine import KernelEngine
from polyhead.engine.modules import arrays_of
from polyhead.engine.prepare import prepare
from polyhead.errors import ModelError
from polyhead.kernels.linear.packed_int8 import LONGEST
from polyhead.model.attention import ScaledDotProductAttention
from polyhead.model.build import build_model
from polyhead.model.config import RNNConfig, TransformerConfig
from polyhead.model.levels import on_levels
from polyhead.model.positions import POSITIONS, NoPosition
from polyhead.model.shapes import transformer_shapes
from polyhead.model.sublayer import PreNorm
from polyhead.model.trained import TransformerArrays, fill


def transformer(d_model: int = 16):
    config = TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=d_model, d_ff=8, num_heads=2)
    return build_model(config, 9, 9)


def rounded(model: Any) -> Any:
    """The same, as training leaves its weights."""
    fill(model, on_levels({name: weight.detach().numpy() for name, weight in model.named_parameters()}))
    return model


def recurrent():
    return build_model(RNNConfig(d_model=8, hidden_size=8), 9, 9)


@pytest.mark.parametrize(
    ("features", "dtype"), [(set(), "float32"), ({"avx2", "fma3"}, "float32"), ({"avx2", "fma3", "avx_vnni"}, "int8")]
)
def test_the_fastest_for_this_cpu(monkeypatch: pytest.MonkeyPatch, features: set[str], dtype: Any) -> None:
    monkeypatch.setattr(kernel_engine, "cpu_features", lambda: features)
    for d_model in (16, 256):
        assert choose(rounded(transformer(d_model))) == Choice("prepared", dtype)
        assert choose(transformer(d_model)) == Choice("prepared", "float32"), "int8 would give other translations"


def test_what_is_asked_for_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_engine, "cpu_features", lambda: {"avx2", "fma3"})
    assert choose(transformer(256), "plain") == Choice("plain", "float32")
    assert choose(transformer(), dtype="int8") == Choice("prepared", "int8")
    assert str(choose(transformer(), "auto", "float32")) == "prepared engine, float32"


def test_an_rnn_is_searched_as_it_is() -> None:
    model = recurrent()
    assert prepare(model, choose(model)).model is model
    with pytest.raises(ModelError, match="Transformer"):
        choose(model, "prepared")
    with pytest.raises(ModelError, match="float32"):
        choose(model, dtype="int8")


def test_what_this_cpu_or_this_model_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_engine, "cpu_features", lambda: {"avx2", "fma3"})
    odd = build_model(TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=18, d_ff=8, num_heads=2), 9, 9)
    with pytest.raises(ModelError, match="multiples of 4"):
        choose(odd, dtype="int8")
    assert choose(odd) == Choice("prepared", "float32")
    monkeypatch.setattr(kernel_engine, "cpu_features", set[str])
    with pytest.raises(ModelError, match="AVX2"):
        choose(transformer(), dtype="int8")


@pytest.mark.skipif(not kernel_engine.has_int8_products(), reason="the CPU doesn't multiply bytes")
def test_sums_in_int8_fit_32_bits() -> None:
    settings = TransformerConfig(d_model=64, d_ff=LONGEST, num_heads=2)
    assert kernel_engine.has_kernels(settings, "int8")
    assert not kernel_engine.has_kernels(settings.model_copy(update={"d_ff": LONGEST + 4}), "int8")
    assert (1 << 31) - (1 << 26) < LONGEST * 255 * 127 < 1 << 31


def _other_activation(model: Any) -> None:
    model.decoder.layers[0].feed_forward.activation = torch.tanh


def _no_sublayer(model: Any) -> None:
    model.encoder.layers[0].feed_forward_sublayer = torch.nn.Identity()


def _no_positions(model: Any) -> None:
    model.target_embedding.positions = torch.nn.Identity()


def _other_core(model: Any) -> None:
    class Core(ScaledDotProductAttention):
        pass

    model.decoder.layers[0].cross_attention.core = Core()


def _other_epsilon(model: Any) -> None:
    model.encoder.layers[0].feed_forward_sublayer.norm.eps = 1e-3


def _more_heads(model: Any) -> None:
    model.encoder.layers[0].self_attention.num_heads = 4


def _mixed_norms(model: Any) -> None:
    model.encoder.layers[0].feed_forward_sublayer = PreNorm(16, 0.1)


def _one_layer_more(model: Any) -> None:
    model.decoder.layers.append(model.decoder.layers[0])


def _shared_weight(model: Any) -> None:
    model.decoder.layers[0].self_attention.output.weight = model.encoder.layers[0].self_attention.output.weight


@pytest.mark.parametrize(
    "change",
    [
        _other_activation,
        _no_sublayer,
        _no_positions,
        _other_core,
        _other_epsilon,
        _more_heads,
        _mixed_norms,
        _one_layer_more,
        _shared_weight,
    ],
)
def test_a_model_changed_by_hand_is_searched_as_it_is(change: Callable[[Any], None]) -> None:
    model = transformer()
    assert kernel_arrays(model, "float32") is not None
    change(model)
    assert kernel_arrays(model, "float32") is None
    assert choose(model) == Choice("plain", "float32")
    with pytest.raises(TypeError, match="no kernels"):
        prepare(model, Choice("prepared", "float32"))


def test_what_matters_in_training_alone_changes_nothing() -> None:
    model = transformer().train()
    model.get_submodule("source_embedding.dropout").rate = 0.5
    assert isinstance(prepare(model, choose(model)), KernelEngine)


def test_what_modules_are_is_what_their_settings_say() -> None:
    for settings in itertools.product(("post", "pre"), ("relu", "gelu", "swiglu"), POSITIONS):
        names = dict(zip(("norm", "activation", "positions"), settings, strict=True))
        config = TransformerConfig(
            encoder_layers=2, decoder_layers=1, d_model=16, d_ff=8, num_heads=2, dropout=0.0, max_length=30,
            tie_embeddings="none", **names,
        )  # fmt: skip
        found = arrays_of(build_model(config, 9, 11))
        assert found is not None
        assert found.config == config
        assert {name: array.shape for name, array in found.arrays.items()} == transformer_shapes(config, 9, 11)


@pytest.mark.parametrize("part", ["positions", "activation", "norm"])
def test_what_no_engine_knows_yet_leaves_the_model_as_it_is(part: str) -> None:
    found = arrays_of(transformer())
    assert found is not None
    assert choose(found).engine == "prepared"
    newer = TransformerArrays(found.config.model_copy(update={part: "of tomorrow"}), found.arrays)
    assert choose(newer) == Choice("plain", "float32")


def test_positions_that_models_know_and_engines_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ramp(NoPosition):
        """New in the table of models."""

    monkeypatch.setitem(POSITIONS, "ramp", Ramp)
    model = transformer()
    model.source_embedding.positions = Ramp(16, 30)
    assert choose(model) == Choice("plain", "float32")
