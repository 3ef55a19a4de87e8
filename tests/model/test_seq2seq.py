"""The contract of `Seq2SeqModel`, held by every model in every variant."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from polyhead.batch import collate, pad
from polyhead.config import Config
from polyhead.errors import RecipeError
from polyhead.model.build import build_model
from polyhead.model.seq2seq import OutputLayer, Seq2SeqModel
from polyhead.symbols import PAD, SOS

VOCABULARY = 23
SOURCES = [[5, 6, 7, 8, 9, 3], [10, 3], [11, 12, 5, 3]]
TARGETS = [[SOS, 9, 8, 7, 6], [SOS, 4, 5, 6, 7], [SOS, 12, 13, 13, 4]]
SOURCE, TARGET = pad(SOURCES), pad(TARGETS)
MASK = SOURCE != PAD


def stepwise(model: Seq2SeqModel, source: Tensor, mask: Tensor, target: Tensor) -> Tensor:
    """Logits [B, T, V] from one `step` after another."""
    state, logits = model.start(model.encode(source, mask)), []
    for t in range(target.size(1)):
        row, state = model.step(target[:, t], state)
        logits.append(row)
    return torch.stack(logits, 1)


def gradients(model: nn.Module, loss: Tensor) -> dict[str, Tensor]:
    model.zero_grad()
    loss.backward()
    return {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}


def test_stepwise_logits_equal_forward(model: Seq2SeqModel) -> None:
    torch.testing.assert_close(stepwise(model, SOURCE, MASK, TARGET), model(SOURCE, MASK, TARGET), atol=1e-5, rtol=1e-5)


def test_forward_is_the_projection_of_decode(model: Seq2SeqModel) -> None:
    features = model.decode(TARGET, model.encode(SOURCE, MASK))
    layer = model.output_layer
    expected = features @ layer.weight.T
    torch.testing.assert_close(model(SOURCE, MASK, TARGET), expected)


def test_features_are_those_of_real_tokens(model: Seq2SeqModel) -> None:
    batch = collate([[5, 6], [7]], [[8, 9, 10], [11]])
    decoded = model.decode(batch.target_in, model.encode(batch.source, batch.source_mask))
    torch.testing.assert_close(model.features(batch), torch.cat([decoded[0], decoded[1, :2]]))


def test_batch_mates_never_change_a_sentence(model: Seq2SeqModel) -> None:
    together = model(SOURCE, MASK, TARGET)
    steps = stepwise(model, SOURCE, MASK, TARGET)
    for row, source in enumerate(SOURCES):
        alone = torch.tensor([source])
        expected = model(alone, alone != PAD, TARGET[row : row + 1])[0]
        torch.testing.assert_close(together[row], expected, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(steps[row], expected, atol=1e-5, rtol=1e-5)


def test_what_stands_in_the_padding_changes_no_bit(model: Seq2SeqModel) -> None:
    other = SOURCE.masked_fill(~MASK, 17)
    assert torch.equal(model(other, MASK, TARGET), model(SOURCE, MASK, TARGET))


def test_more_padding_changes_nothing(model: Seq2SeqModel) -> None:
    wider = nn.functional.pad(SOURCE, (0, 5), value=PAD)
    longer = nn.functional.pad(TARGET, (0, 3), value=PAD)
    logits = model(wider, wider != PAD, longer)[:, : TARGET.size(1)]
    torch.testing.assert_close(logits, model(SOURCE, MASK, TARGET), atol=1e-5, rtol=1e-5)


def test_a_fully_masked_row_is_no_nan_and_harms_no_other(model: Seq2SeqModel) -> None:
    expected = model(SOURCE, MASK, TARGET)
    mask = MASK.clone()
    mask[1] = False
    logits = model(SOURCE, mask, TARGET)
    assert logits.isfinite().all()
    torch.testing.assert_close(logits[[0, 2]], expected[[0, 2]], atol=1e-5, rtol=1e-5)
    assert all(gradient.isfinite().all() for gradient in gradients(model, logits.sum()).values())
    assert stepwise(model, SOURCE, mask, TARGET).isfinite().all()


def test_no_position_sees_a_later_token(model: Seq2SeqModel) -> None:
    logits = model(SOURCE, MASK, TARGET)
    for t in range(1, TARGET.size(1)):
        other = TARGET.clone()
        other[:, t:] = 20
        changed = model(SOURCE, MASK, other)
        assert torch.equal(changed[:, :t], logits[:, :t])
        assert not torch.isclose(changed[:, t], logits[:, t]).all(), "a position must see its own token"


def test_no_gradient_flows_from_a_position_to_a_later_token(model: Seq2SeqModel) -> None:
    embedded: list[Tensor] = []

    def keep(module: nn.Module, inputs: Any, output: Tensor) -> None:
        output.retain_grad()
        embedded.append(output)

    model.target_embedding.register_forward_hook(keep)
    for t in range(TARGET.size(1)):
        model(SOURCE, MASK, TARGET)[:, t].square().sum().backward()
        gradient = embedded.pop().grad
        assert gradient is not None
        assert (gradient[:, t + 1 :] == 0).all()
        assert (gradient[:, t].abs().sum(-1) > 0).all()


def test_the_source_matters(model: Seq2SeqModel) -> None:
    other = SOURCE.clone()
    other[:, 0] = 20
    difference = (model(other, MASK, TARGET) - model(SOURCE, MASK, TARGET)).abs().amax(-1)
    assert (difference > 1e-6).all(), "every target position must see the source"


def test_every_weight_is_trained(model: Seq2SeqModel) -> None:
    found = gradients(model, model(SOURCE, MASK, TARGET).logsumexp(-1).sum())
    assert set(found) == {name for name, _ in model.named_parameters()}
    assert [name for name, gradient in found.items() if not gradient.abs().sum() > 0] == []


def test_selected_rows_go_on_as_themselves(model: Seq2SeqModel) -> None:
    """`select` may repeat, reorder and drop rows, before and in the middle of decoding."""
    rows = torch.tensor([2, 0, 0])
    expected = model(SOURCE[rows], MASK[rows], TARGET[rows])
    memory = model.encode(SOURCE, MASK)
    torch.testing.assert_close(
        model.decode(TARGET[rows], memory.select(rows)), model.decode(TARGET, memory)[rows], atol=1e-5, rtol=1e-5
    )
    for switch in range(TARGET.size(1)):
        state = model.start(memory)
        for t in range(TARGET.size(1)):
            if t == switch:
                state = state.select(rows)
            previous = TARGET[:, t] if t < switch else TARGET[rows, t]
            logits, state = model.step(previous, state)
            if t >= switch:
                torch.testing.assert_close(logits, expected[:, t], atol=1e-5, rtol=1e-5)


def test_a_step_leaves_the_state_before_it_alone(model: Seq2SeqModel) -> None:
    _, state = model.step(TARGET[:, 0], model.start(model.encode(SOURCE, MASK)))
    first, _ = model.step(TARGET[:, 1], state)
    model.step(TARGET[:, 2], state)
    again, _ = model.step(TARGET[:, 1], state)
    assert torch.equal(first, again)


def test_dropout_is_off_in_evaluation_and_repeatable_from_the_seed(variant: Config) -> None:
    model = build_model(variant.model_copy(update={"dropout": 0.3}), VOCABULARY, VOCABULARY)

    def logits(seed: int) -> Tensor:
        torch.manual_seed(seed)
        return model(SOURCE, MASK, TARGET)

    assert torch.equal(logits(1), logits(1))
    assert not torch.equal(logits(1), logits(2))
    model.eval()
    assert torch.equal(logits(1), logits(2))


def test_tied_weights_are_one_tensor(variant: Config, model: Seq2SeqModel) -> None:
    source, target = model.source_embedding.tokens.weight, model.target_embedding.tokens.weight
    output = model.output_layer.weight
    assert (source is target) == (variant.tie_embeddings == "all")
    assert (target is output) == (variant.tie_embeddings in ("all", "output"))
    separate = {"all": 1, "output": 2, "none": 3}[variant.tie_embeddings]
    assert len({weight.data_ptr() for weight in (source, target, output)}) == separate


def test_one_vocabulary_is_needed_to_tie_all(variant: Config) -> None:
    if variant.tie_embeddings == "all":
        with pytest.raises(RecipeError, match=r"model\.tie_embeddings"):
            build_model(variant, VOCABULARY, VOCABULARY + 1)
    else:
        model = build_model(variant, VOCABULARY, VOCABULARY + 1).eval()
        assert model(SOURCE, MASK, TARGET).shape == (*TARGET.shape, VOCABULARY + 1)


def test_weights_round_trip_by_name(variant: Config, model: Seq2SeqModel) -> None:
    """A model built from the same settings and given the weights is the same model."""
    other = build_model(variant, VOCABULARY, VOCABULARY).eval()
    other.load_state_dict(model.state_dict())
    assert torch.equal(other(SOURCE, MASK, TARGET), model(SOURCE, MASK, TARGET))


def test_the_seed_decides_the_initial_weights(variant: Config) -> None:
    def weights(seed: int) -> list[Tensor]:
        torch.manual_seed(seed)
        return list(build_model(variant, VOCABULARY, VOCABULARY).parameters())

    assert all(torch.equal(a, b) for a, b in zip(weights(1), weights(1), strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(weights(1), weights(2), strict=True))


def test_bfloat16_is_near_float32(model: Seq2SeqModel) -> None:
    with torch.no_grad():
        expected = model(SOURCE, MASK, TARGET)
        model.to(torch.bfloat16)
        logits = model(SOURCE, MASK, TARGET)
        steps = stepwise(model, SOURCE, MASK, TARGET)
    assert logits.dtype == torch.bfloat16
    scale = float(expected.abs().max())
    torch.testing.assert_close(logits.float(), expected, atol=0.1 * scale, rtol=0)
    torch.testing.assert_close(steps.float(), expected, atol=0.1 * scale, rtol=0)


def test_output_layer_is_the_embedding_transposed() -> None:
    weight = nn.Parameter(torch.randn(VOCABULARY, 16))
    layer, features = OutputLayer(weight), torch.randn(2, 3, 16)
    torch.testing.assert_close(layer(features), features @ weight.T)
