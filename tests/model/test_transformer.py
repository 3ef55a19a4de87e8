"""The Transformer: against PyTorch's own, and its sizes, errors and sense of order."""

import dataclasses
import typing
from typing import Any, Literal

import pytest
import torch
from pydantic import ValidationError
from torch import Tensor, nn

from polyhead.batch import pad
from polyhead.errors import RecipeError
from polyhead.model.config import PRESETS, TransformerConfig
from polyhead.model.feed_forward import FEED_FORWARDS
from polyhead.model.masks import look_ahead_mask
from polyhead.model.positions import POSITIONS
from polyhead.model.sublayer import SUBLAYERS
from polyhead.model.transformer import Transformer, build_transformer
from polyhead.symbols import PAD, SOS

VOCABULARY = 19
SOURCE = pad([[5, 6, 7, 8, 3], [9, 10, 3]])
TARGET = pad([[SOS, 7, 8, 9], [SOS, 11, 12]])
SMALL = TransformerConfig(
    encoder_layers=3, decoder_layers=2, d_model=16, d_ff=28, num_heads=4, max_length=20, dropout=0
)


def small(**changes: Any) -> Transformer:
    torch.manual_seed(0)
    model = build_transformer(TransformerConfig(**{**SMALL.model_dump(), **changes}), VOCABULARY, VOCABULARY)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.1)
    return model.eval()


def torch_twin(model: Transformer, norm: Literal["post", "pre"], activation: str) -> nn.Transformer:
    """PyTorch's Transformer with the same weights; what ours calls by the paper's names, that calls by its own."""
    c = SMALL
    twin = nn.Transformer(
        c.d_model, c.num_heads, c.encoder_layers, c.decoder_layers, c.d_ff, 0.0, activation, batch_first=True,
        norm_first=norm == "pre",
    )  # fmt: skip
    if norm == "post":  # nn.Transformer always ends its stacks with a LayerNorm; the paper's post-norm has none there
        twin.encoder.norm = twin.decoder.norm = None
    renamed: dict[str, Tensor] = {}
    parts = {
        "self_attention.query_key_value.": "self_attn.in_proj_",
        "self_attention.output": "self_attn.out_proj",
        "cross_attention.query_key_value.": "multihead_attn.in_proj_",
        "cross_attention.output": "multihead_attn.out_proj",
        "feed_forward.inner": "linear1",
        "feed_forward.outer": "linear2",
        "self_attention_sublayer.norm": "norm1",
        "cross_attention_sublayer.norm": "norm2",
    }
    for name, weight in model.state_dict().items():
        stack = name.split(".")[0]
        if stack not in ("encoder", "decoder"):
            continue
        last = {"encoder": "norm2", "decoder": "norm3"}[stack]
        for ours, theirs in {**parts, "feed_forward_sublayer.norm": last}.items():
            name = name.replace(ours, theirs)
        renamed[name] = weight
    twin.load_state_dict(renamed)
    return twin.eval()


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_agrees_with_pytorchs_transformer(norm: Literal["post", "pre"], activation: str) -> None:
    model = small(norm=norm, activation=activation)
    twin = torch_twin(model, norm, activation)
    embedded_source, embedded_target = model.source_embedding(SOURCE), model.target_embedding(TARGET)
    features = twin(
        embedded_source,
        embedded_target,
        tgt_mask=~look_ahead_mask(TARGET.size(1))[0, 0],
        src_key_padding_mask=SOURCE == PAD,
        memory_key_padding_mask=SOURCE == PAD,
    )
    memory = model.encode(SOURCE, SOURCE != PAD)
    torch.testing.assert_close(model.decode(TARGET, memory), features, atol=1e-5, rtol=1e-5)
    logits = nn.functional.linear(features, model.output.weight)
    torch.testing.assert_close(model(SOURCE, SOURCE != PAD, TARGET), logits, atol=1e-5, rtol=1e-5)


def test_embeddings_are_scaled_and_placed() -> None:
    """Sections 3.4 and 3.5: E[token] · √d_model + PE."""
    model = small()
    expected = model.source_embedding.tokens.weight[SOURCE] * 4 + POSITIONS["sinusoidal"](16, 20).encoding[:5]
    torch.testing.assert_close(model.source_embedding(SOURCE), expected)


def permuted_states(positions: str) -> tuple[Tensor, Tensor]:
    """The encoder's states of a sentence, and those of the sentence reordered, put back in the first order."""
    model = small(positions=positions)
    source, order = torch.tensor([[5, 6, 7, 8, 9]]), torch.tensor([3, 0, 4, 2, 1])
    mask = torch.ones_like(source, dtype=torch.bool)
    states, moved = (model.encode(tokens, mask).states[0] for tokens in (source, source[:, order]))
    return states, moved[order.argsort()]


@pytest.mark.parametrize("positions", POSITIONS)
def test_only_positions_let_the_encoder_see_order(positions: str) -> None:
    states, moved = permuted_states(positions)
    same = torch.allclose(states, moved, atol=1e-5)
    assert same == (positions == "none")


def test_without_positions_swapped_nouns_mean_the_same() -> None:
    """Lecture: "I like cats more than dogs" is then "I like dogs more than cats"."""
    sentence, swapped = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[5, 8, 7, 6]])
    mask = torch.ones_like(sentence, dtype=torch.bool)
    target = torch.tensor([[SOS, 4, 5]])
    for positions in ("none", "sinusoidal"):
        model = small(positions=positions)
        same = torch.allclose(model(sentence, mask, target), model(swapped, mask, target), atol=1e-5)
        assert same == (positions == "none")


def test_tables_and_settings_name_the_same_kinds() -> None:
    for field, table in {"norm": SUBLAYERS, "activation": FEED_FORWARDS, "positions": POSITIONS}.items():
        assert set(typing.get_args(TransformerConfig.model_fields[field].annotation)) == set(table)


def test_defaults_are_the_papers_base_model() -> None:
    c = TransformerConfig()
    assert (c.encoder_layers, c.decoder_layers, c.d_model, c.d_ff, c.num_heads, c.dropout) == (6, 6, 512, 2048, 8, 0.1)
    assert (c.norm, c.positions, c.activation, c.tie_embeddings) == ("post", "sinusoidal", "relu", "all")
    assert (c.attention_dropout, c.activation_dropout) == (0.0, 0.0)
    assert TransformerConfig(**PRESETS["base"]) == c


@pytest.mark.parametrize(
    ("name", "layers", "d_model", "d_ff", "num_heads"),
    [("tiny", 4, 128, 256, 4), ("small", 3, 256, 1024, 4), ("base", 6, 512, 2048, 8), ("big", 6, 1024, 4096, 16)],
)
def test_presets_have_their_sizes(name: str, layers: int, d_model: int, d_ff: int, num_heads: int) -> None:
    c = TransformerConfig(**PRESETS[name])
    assert (c.encoder_layers, c.decoder_layers) == (layers, layers)
    assert (c.d_model, c.d_ff, c.num_heads) == (d_model, d_ff, num_heads)


def analytic_count(c: TransformerConfig, vocabulary: int) -> int:
    """Weights of a post-norm ReLU Transformer with sinusoids and one embedding for all."""
    d, ff = c.d_model, c.d_ff
    attention = 4 * (d * d + d)
    feed_forward = (d * ff + ff) + (ff * d + d)
    norm = 2 * d
    encoder = c.encoder_layers * (attention + feed_forward + 2 * norm)
    decoder = c.decoder_layers * (2 * attention + feed_forward + 3 * norm)
    return vocabulary * d + encoder + decoder


@pytest.mark.parametrize("name", PRESETS)
def test_parameter_counts_match_the_formula(name: str) -> None:
    config = TransformerConfig(**PRESETS[name])
    with torch.device("meta"):
        model = build_transformer(config, 37000, 37000)
    assert sum(p.numel() for p in model.parameters()) == analytic_count(config, 37000)


def test_the_papers_base_model_has_about_65_million_weights() -> None:
    """Table 3, with the 37,000 shared pieces of section 5.1; the paper rounds."""
    assert analytic_count(TransformerConfig(), 37000) / 1e6 == pytest.approx(65, abs=2)


def test_a_deep_encoder_with_a_shallow_decoder() -> None:
    model = small(encoder_layers=12, decoder_layers=1)
    assert (len(model.encoder.layers), len(model.decoder.layers)) == (12, 1)
    assert model(SOURCE, SOURCE != PAD, TARGET).shape == (*TARGET.shape, VOCABULARY)


def test_a_state_knows_its_length_and_grows_only_its_own_past() -> None:
    model = small()
    state = model.start(model.encode(SOURCE, SOURCE != PAD))
    for length in range(3):
        assert state.length == length
        assert {cache.self_key.size(2) for cache in state.caches} == {length}
        assert {cache.cross_key.size(2) for cache in state.caches} == {SOURCE.size(1)}
        _, state = model.step(TARGET[:, length], state)
    picked = state.select(torch.tensor([1]))
    assert picked.length == 3
    for cache, whole in zip(picked.caches, state.caches, strict=True):
        for field in dataclasses.fields(cache):
            assert torch.equal(getattr(cache, field.name), getattr(whole, field.name)[1:])


@pytest.mark.parametrize("heads", [3, 5, 17])
def test_heads_that_do_not_share_d_model_evenly_are_refused(heads: int) -> None:
    with pytest.raises(RecipeError, match=rf"model\.d_model = 16 .*model\.num_heads = {heads}"):
        build_transformer(SMALL.model_copy(update={"num_heads": heads}), VOCABULARY, VOCABULARY)


@pytest.mark.parametrize(
    "wrong", [{"num_heads": 0}, {"d_model": 0}, {"encoder_layers": 0}, {"dropout": 1.0}, {"norm": "both"}, {"heads": 4}]
)
def test_impossible_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TransformerConfig(**wrong)


@pytest.mark.parametrize("setting", ["dropout", "attention_dropout", "activation_dropout"])
def test_each_dropout_acts_by_itself_in_training_only(setting: str) -> None:
    model, plain = small(**{setting: 0.5}), small()
    expected = plain(SOURCE, SOURCE != PAD, TARGET)
    torch.testing.assert_close(model(SOURCE, SOURCE != PAD, TARGET), expected)
    model.train()
    assert not torch.allclose(model(SOURCE, SOURCE != PAD, TARGET), expected, atol=1e-3)
    places = {
        "attention_dropout": "encoder.layers.0.self_attention.core.dropout",
        "activation_dropout": "encoder.layers.0.feed_forward.dropout",
        "dropout": "source_embedding.dropout",
    }
    assert {name: model.get_submodule(place).rate for name, place in places.items()} == {
        name: 0.5 if name == setting else 0.0 for name in places
    }


def test_embedding_of_padding_starts_at_zero_and_is_never_trained() -> None:
    model = build_transformer(SMALL, VOCABULARY, VOCABULARY)
    assert (model.source_embedding.tokens.weight[PAD] == 0).all()
    separate = build_transformer(SMALL.model_copy(update={"tie_embeddings": "none"}), VOCABULARY, VOCABULARY)
    separate(SOURCE, SOURCE != PAD, TARGET).logsumexp(-1).sum().backward()
    for embedding in (separate.source_embedding, separate.target_embedding):
        gradient = embedding.tokens.weight.grad
        assert gradient is not None
        assert (gradient[PAD] == 0).all()
