"""Both recurrent models, over every cell, direction and depth: what must hold for any model, and what is theirs."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from polyhead.batch import Batch
from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig
from polyhead.decoding.greedy import greedy
from polyhead.decoding.scoring import score
from polyhead.errors import RecipeError
from polyhead.model.config import RecurrentConfig, RNNAttentionConfig, RNNConfig
from polyhead.model.rnn import build_rnn
from polyhead.model.rnn_attention import build_rnn_attention
from polyhead.model.seq2seq import Seq2SeqModel

SIZES: dict[str, Any] = {"d_model": 12, "hidden_size": 12, "dropout": 0.3}
SHAPES: list[dict[str, Any]] = [
    {"cell": cell, "bidirectional": bidirectional, "num_layers": layers}
    for cell in ("lstm", "gru")
    for bidirectional in (False, True)
    for layers in (1, 2)
]


def rnn(**values: Any) -> Seq2SeqModel[Any]:
    return build_rnn(RNNConfig(**values), 20, 20)


def rnn_attention(**values: Any) -> Seq2SeqModel[Any]:
    return build_rnn_attention(RNNAttentionConfig(**values), 20, 20)


BUILDERS: dict[str, Callable[..., Seq2SeqModel[Any]]] = {
    "rnn": rnn,
    "rnn-attention": rnn_attention,
}


@pytest.fixture(autouse=True)
def seeded() -> Iterator[None]:
    torch.set_num_threads(1)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


@pytest.fixture(params=list(BUILDERS))
def build(request: pytest.FixtureRequest) -> Callable[..., Seq2SeqModel[Any]]:
    return BUILDERS[request.param]


@pytest.fixture(params=SHAPES, ids=lambda shape: "-".join(map(str, shape.values())))
def model(request: pytest.FixtureRequest, build: Callable[..., Seq2SeqModel[Any]]) -> Seq2SeqModel[Any]:
    return build(**SIZES, **request.param).eval()


def pairs() -> tuple[Tensor, Tensor, Tensor]:
    """source [4, 6] with lengths 6, 2, 4, 1, its mask, target_in [4, 5]."""
    mask = torch.arange(6) < torch.tensor([6, 2, 4, 1])[:, None]
    source = torch.randint(4, 20, (4, 6)).masked_fill(~mask, 0)
    return source, mask, torch.randint(4, 20, (4, 5))


def test_stepwise_logits_equal_forward(model: Seq2SeqModel[Any]) -> None:
    source, mask, target = pairs()
    with torch.inference_mode():
        logits = model(source, mask, target)
        state = model.start(model.encode(source, mask))
        for position in range(5):
            step, state = model.step(target[:, position], state)
            assert torch.allclose(step, logits[:, position], atol=1e-5)


def test_select_picks_repeats_and_reorders(model: Seq2SeqModel[Any]) -> None:
    source, mask, target = pairs()
    rows = torch.tensor([2, 2, 0])
    with torch.inference_mode():
        memory = model.encode(source, mask)
        _, state = model.step(target[:, 0], model.start(memory))
        expected, _ = model.step(target[:, 1], state)
        found, _ = model.step(target[rows, 1], state.select(rows))
        assert torch.allclose(found, expected[rows], atol=1e-6)
        again, _ = model.step(target[rows, 0], model.start(memory.select(rows)))
        assert torch.allclose(again, model.step(target[:, 0], model.start(memory))[0][rows], atol=1e-6)


def test_padding_and_companions_change_nothing(model: Seq2SeqModel[Any]) -> None:
    source, mask, target = pairs()
    with torch.inference_mode():
        together = model(source, mask, target)
        garbage = model(source.masked_fill(~mask, 9), mask, target)
        assert torch.equal(together, garbage)
        for row in range(4):
            length = int(mask[row].sum())
            alone = model(source[row : row + 1, :length], mask[row : row + 1, :length], target[row : row + 1])
            assert torch.allclose(alone[0], together[row], atol=1e-5)


def test_a_fully_masked_row_gives_no_nan(model: Seq2SeqModel[Any]) -> None:
    source, mask, target = pairs()
    mask[1] = False
    logits = model(source, mask, target)
    assert logits.isfinite().all()
    logits.square().sum().backward()
    for parameter in model.parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all()


def test_no_gradient_flows_from_a_later_target_token(model: Seq2SeqModel[Any]) -> None:
    source, mask, target = pairs()
    seen: list[Tensor] = []

    def keep(_module: nn.Module, _inputs: object, output: Tensor) -> None:
        seen.append(output)

    embedding = model.get_submodule("target_embedding")
    handle = embedding.register_forward_hook(keep)
    logits = model(source, mask, target)
    handle.remove()
    for position in range(5):
        (gradient,) = torch.autograd.grad(logits[:, position].sum(), seen[-1], retain_graph=True)
        assert gradient[:, position + 1 :].eq(0).all()
        assert gradient[:, : position + 1].ne(0).any(-1).all()


def test_every_parameter_learns(model: Seq2SeqModel[Any]) -> None:
    source, mask, target = pairs()
    model.train()
    model(source, mask, target).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.ne(0).any(), name


def test_searches_and_scoring_agree(model: Seq2SeqModel[Any]) -> None:
    source, mask, _ = pairs()
    found = greedy(model, source, mask)
    narrow = beam(model, source, mask, BeamConfig(beam_size=1))
    assert [one.tokens for one in found] == [hypotheses[0].tokens for hypotheses in narrow]
    one = found[0]
    scores = score(model, Batch(source[:1], torch.tensor([[2, *one.tokens]]), torch.tensor([[*one.tokens, 3]])))
    assert float(scores.sum()) == pytest.approx(one.log_probability, abs=1e-3)


def test_dropout_in_training_only(build: Callable[..., Seq2SeqModel[Any]]) -> None:
    model = build(**SIZES)
    source, mask, target = pairs()
    assert not torch.equal(model(source, mask, target), model(source, mask, target))
    model.eval()
    assert torch.equal(model(source, mask, target), model(source, mask, target))


def test_tied_embeddings(build: Callable[..., Seq2SeqModel[Any]]) -> None:
    tied = build(**SIZES, tie_embeddings="all")
    source, target = (tied.get_submodule(f"{side}_embedding.tokens") for side in ("source", "target"))
    assert source.weight is target.weight is tied.output_layer.weight
    free = build(**SIZES)
    assert free.get_submodule("target_embedding.tokens").weight is not free.output_layer.weight
    output = build(**SIZES, tie_embeddings="output")
    assert output.get_submodule("target_embedding.tokens").weight is output.output_layer.weight


def test_the_reversed_source_is_another_source(build: Callable[..., Seq2SeqModel[Any]]) -> None:
    model = build(**SIZES).eval()
    source, mask, target = pairs()
    assert not torch.allclose(model(source[:1], mask[:1], target[:1]), model(source[:1].flip(1), mask[:1], target[:1]))


def test_overfits_a_few_pairs(build: Callable[..., Seq2SeqModel[Any]]) -> None:
    model = build(**{**SIZES, "dropout": 0.0})
    source, mask, target = pairs()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    for _ in range(60):
        logits = model(source, mask, target[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert (model(source, mask, target[:, :-1]).argmax(-1) == target[:, 1:]).all()


def test_the_forget_gate_starts_open(build: Callable[..., Seq2SeqModel[Any]]) -> None:
    layers = dict(build(**SIZES).get_submodule("decoder.layers").named_parameters())
    assert (layers["bias_ih_l0"] + layers["bias_hh_l0"]).tolist() == [0.0] * 12 + [1.0] * 12 + [0.0] * 24
    recurrent = layers["weight_hh_l0"][:12]
    assert torch.allclose(recurrent @ recurrent.T, torch.eye(12), atol=1e-5)


def test_sizes_that_do_not_fit() -> None:
    with pytest.raises(RecipeError, match="needs one shared vocabulary"):
        build_rnn(RNNConfig(**SIZES, tie_embeddings="all"), 20, 30)
    with pytest.raises(RecipeError, match="make them equal"):
        build_rnn(RNNConfig(d_model=8, hidden_size=12), 20, 20)
    with pytest.raises(RecipeError, match="make it even"):
        build_rnn_attention(RNNAttentionConfig(d_model=8, hidden_size=11), 20, 20)


@pytest.mark.parametrize("config", [RNNConfig, RNNAttentionConfig])
def test_every_field_is_documented(config: type[RecurrentConfig]) -> None:
    fields = {name: field for name, field in config.model_fields.items() if name != "kind"}
    assert all(field.description for field in fields.values())
