"""Looking into a model from outside, while it may be in use."""

import threading

import pytest
import torch
from torch import Tensor, nn

from polyhead.batch import Batch, collate
from polyhead.model.attention import ScaledDotProductAttention, attention_weights
from polyhead.model.recording import Noting, view_of, weights_of
from polyhead.model.seq2seq import Seq2SeqModel

BATCH = collate([[5, 6, 7], [8]], [[6, 7], [9, 10]])


def run(model: Seq2SeqModel, batch: Batch = BATCH) -> Tensor:
    return model(batch.source, batch.source_mask, batch.target_in)


def cores(model: nn.Module) -> dict[str, nn.Module]:
    found = ((name, getattr(module, "core", None)) for name, module in model.named_modules())
    return {name: core for name, core in found if isinstance(core, nn.Module)}


def test_a_view_shares_weights_but_no_modules(model: Seq2SeqModel) -> None:
    view = view_of(model)
    assert {id(parameter) for parameter in view.parameters()} == {id(parameter) for parameter in model.parameters()}
    pairs = list(zip(view.named_buffers(), model.named_buffers(), strict=True))
    assert all(one.data_ptr() == other.data_ptr() for (_, one), (_, other) in pairs)
    assert not {id(module) for module in view.modules()} & {id(module) for module in model.modules()}
    assert not view.training
    assert torch.equal(run(view), run(model))


def test_the_weights_are_those_that_the_core_computes(model: Seq2SeqModel) -> None:
    before = cores(model)
    for name, core in before.items():
        expected: list[Tensor] = []

        def recompute(module: nn.Module, inputs: tuple[Tensor, Tensor, Tensor, Tensor], expected=expected) -> None:
            query, key, _, mask = inputs
            expected.append(attention_weights(query, key, mask))

        handle = core.register_forward_pre_hook(recompute)
        run(model)
        handle.remove()
        found = weights_of(model, name, BATCH)
        torch.testing.assert_close(found, expected[0])
        assert not found.requires_grad
        if "cross" in name:
            assert tuple(found.shape[2:]) == (3, 4)
            assert (found[1, :, :, 2:] == 0).all(), "padding is never looked at"
    assert cores(model) == before


def test_another_thread_may_use_the_model_meanwhile(model: Seq2SeqModel) -> None:
    """Every module that the other thread meets is the model's own, at every moment of the looking."""
    site = next(iter(cores(model)), None)
    if site is None:
        pytest.skip("no attention to look at")
    own, met, done = cores(model), [], threading.Event()

    def watch() -> None:
        while not done.is_set():
            met.append(cores(model))

    other = threading.Thread(target=watch)
    other.start()
    for _ in range(5):
        weights_of(model, site, BATCH)
    done.set()
    other.join()
    assert met
    assert all(found == own for found in met)


@pytest.mark.parametrize("masked", [True, False])
def test_a_listener_hears_the_weights_and_changes_nothing(masked: bool) -> None:
    core = ScaledDotProductAttention()
    query, key, value = (torch.randn(2, 4, length, 8) for length in (3, 5, 5))
    mask = torch.tensor([[True, True, False, True, False], [True] * 5])[:, None, None] if masked else None
    heard: list[Tensor] = []
    found = Noting(core, lambda *everything: heard.append(everything[-1]))(query, key, value, mask)
    torch.testing.assert_close(found, core(query, key, value, mask))
    torch.testing.assert_close(heard[0], attention_weights(query, key, mask))
    if masked:
        assert (heard[0][0, :, :, [2, 4]] == 0).all()
