"""Which engine is taken."""

import itertools
from typing import Any

import pytest
import torch

from polyhead.engine import choice, fused
from polyhead.engine.choice import Choice, choose, fused_arrays
from polyhead.engine.in_arrays import PreparedInArrays
from polyhead.engine.modules import arrays_of
from polyhead.engine.prepare import prepare
from polyhead.engine.projection import Plain
from polyhead.errors import ModelError
from polyhead.model.build import build_model
from polyhead.model.config import RNNConfig, TransformerConfig
from polyhead.model.positions import POSITIONS, NoPosition
from polyhead.model.shapes import transformer_shapes
from polyhead.model.sublayer import PreNorm
from polyhead.model.trained import TransformerArrays


def transformer(d_model: int = 16):
    config = TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=d_model, d_ff=8, num_heads=2)
    return build_model(config, 9, 9)


def recurrent():
    return build_model(RNNConfig(d_model=8, hidden_size=8), 9, 9)


@pytest.mark.parametrize(
    ("features", "dtype"),
    [(set(), "float32"), ({"avx512_vnni", "avx512_bf16"}, "int8"), ({"avx512_bf16"}, "bfloat16")],
)
def test_the_fastest_for_this_cpu(monkeypatch: pytest.MonkeyPatch, features: set[str], dtype: Any) -> None:
    monkeypatch.setattr(choice, "cpu_features", lambda: features)
    monkeypatch.setattr(fused, "cpu_features", set[str])
    monkeypatch.setattr(choice, "has_int8", lambda: True)
    assert choose(transformer(256)) == Choice("prepared", dtype)
    assert choose(transformer()) == Choice("prepared", "float32"), "a narrow model is quick enough"


def test_our_own_products_need_nothing_of_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused, "cpu_features", lambda: {"avx2", "fma3"})
    monkeypatch.setattr(choice, "has_int8", lambda: False)
    assert choose(transformer(256)) == choose(transformer(), dtype="int8") == Choice("prepared", "int8")


def test_what_is_asked_for_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "multiplies_bfloat16", lambda: True)
    assert choose(transformer(256), "plain") == Choice("plain", "float32")
    assert choose(transformer(), "prepared", "bfloat16") == Choice("prepared", "bfloat16")
    assert str(choose(transformer(), "auto", "float32")) == "prepared engine, float32"


def test_an_rnn_is_searched_as_it_is() -> None:
    model = recurrent()
    assert prepare(model, choose(model)).model is model
    with pytest.raises(ModelError, match="Transformer"):
        choose(model, "prepared")
    with pytest.raises(ModelError, match="float32"):
        choose(model, dtype="int8")


def test_what_this_build_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "has_int8", lambda: False)
    monkeypatch.setattr(fused, "cpu_features", set[str])
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    monkeypatch.setattr(choice, "multiplies_bfloat16", lambda: False)
    with pytest.raises(ModelError, match="FBGEMM"):
        choose(transformer(), dtype="int8")
    with pytest.raises(ModelError, match="AVX-512"):
        choose(transformer(), dtype="bfloat16")
    prepared = prepare(transformer(), choose(transformer(256)))
    assert isinstance(prepared, PreparedInArrays)
    assert isinstance(prepared.prepared.output, Plain)


def test_a_part_without_a_prepared_form_leaves_the_model_as_it_is() -> None:
    model = transformer()
    model.get_submodule("decoder.layers.0.feed_forward").activation = torch.tanh
    assert choose(model) == Choice("plain", "float32")
    with pytest.raises(TypeError, match="FeedForward"):
        prepare(model, Choice("prepared", "float32"))
    model = transformer()
    model.get_submodule("encoder.layers.0").feed_forward_sublayer = torch.nn.Identity()
    assert choose(model) == Choice("plain", "float32")
    with pytest.raises(TypeError, match="Identity"):
        prepare(model, Choice("prepared", "float32"))
    model = transformer()
    model.target_embedding.positions = torch.nn.Identity()
    assert choose(model) == Choice("plain", "float32")
    with pytest.raises(TypeError, match="Identity"):
        prepare(model, Choice("prepared", "float32"))


@pytest.mark.parametrize("change", ["epsilon", "heads", "sub-layers"])
def test_layers_that_differ_have_no_kernel_but_are_prepared(monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    monkeypatch.setattr(fused, "cpu_features", lambda: {"avx2", "fma3"})
    model = transformer(16)
    assert fused_arrays(model, "float32") is not None
    layer = model.get_submodule("encoder.layers.0")
    match change:
        case "epsilon":
            layer.feed_forward_sublayer.norm.eps = 1e-3
        case "heads":
            layer.self_attention.num_heads = 4
        case _:
            layer.feed_forward_sublayer = PreNorm(16, 0.1)
    assert fused_arrays(model, "float32") is None
    assert isinstance(prepare(model, choose(model)), PreparedInArrays)


def test_what_modules_are_is_what_their_settings_say() -> None:
    for settings in itertools.product(("post", "pre"), ("relu", "gelu", "swiglu"), POSITIONS):
        names = dict(zip(("norm", "activation", "positions"), settings, strict=True))
        config = TransformerConfig(
            encoder_layers=2, decoder_layers=1, d_model=16, d_ff=8, num_heads=2, dropout=0.0, max_length=30,
            tie_embeddings="none", **names,
        )  # fmt: skip
        found = arrays_of(build_model(config, 9, 11))
        assert found is not None
        left = {"dropout", "tie_embeddings"}  # which an engine has no use for
        assert found.config.model_dump(exclude=left) == config.model_dump(exclude=left)
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
