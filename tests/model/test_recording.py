"""Recording attention weights from outside."""

import pytest
import torch
from torch import Tensor, nn

from polyhead.batch import pad
from polyhead.model.attention import attention_weights
from polyhead.model.recording import recording
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.symbols import PAD, SOS

SOURCE = pad([[5, 6, 7, 3], [8, 3]])
TARGET = pad([[SOS, 6, 7], [SOS, 9, 10]])
MASK = SOURCE != PAD


def cores(model: nn.Module) -> dict[str, nn.Module]:
    found = ((name, getattr(module, "core", None)) for name, module in model.named_modules())
    return {name: core for name, core in found if isinstance(core, nn.Module)}


def test_gives_every_attentions_weights_and_changes_no_output(model: Seq2SeqModel) -> None:
    before = cores(model)
    expected: dict[str, Tensor] = {}

    def note(name: str) -> None:
        def recompute(module: nn.Module, inputs: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
            query, key, _, mask = inputs
            expected[name] = attention_weights(query, key, mask)

        handles.append(before[name].register_forward_pre_hook(recompute))

    handles: list[torch.utils.hooks.RemovableHandle] = []
    for name in before:
        note(name)
    logits = model(SOURCE, MASK, TARGET)
    for handle in handles:
        handle.remove()
    with recording(model) as maps:
        recorded = model(SOURCE, MASK, TARGET)
    torch.testing.assert_close(recorded, logits, atol=1e-5, rtol=1e-5)
    assert set(maps) == set(before)
    for name, calls in maps.items():
        (weights,) = calls
        torch.testing.assert_close(weights, expected[name])
        assert not weights.requires_grad
    after = cores(model)
    assert all(after[name] is core for name, core in before.items())


def test_cross_attention_never_looks_at_padding_and_decoding_records_every_step(model: Seq2SeqModel) -> None:
    with recording(model) as maps:
        state = model.start(model.encode(SOURCE, MASK))
        for t in range(TARGET.size(1)):
            _, state = model.step(TARGET[:, t], state)
    for name, calls in maps.items():
        if "cross" in name:
            assert [tuple(weights.shape[2:]) for weights in calls] == [(1, SOURCE.size(1))] * TARGET.size(1)
            assert all((weights[1, :, :, 2:] == 0).all() for weights in calls)


def test_restores_the_cores_when_the_block_fails(model: Seq2SeqModel) -> None:
    before = cores(model)
    with pytest.raises(ZeroDivisionError), recording(model):
        raise ZeroDivisionError
    after = cores(model)
    assert all(after[name] is core for name, core in before.items())


def test_recordings_may_be_nested(model: Seq2SeqModel) -> None:
    before = cores(model)
    with recording(model) as outer:
        with recording(model) as inner:
            model(SOURCE, MASK, TARGET)
        model(SOURCE, MASK, TARGET)
    assert {len(calls) for calls in inner.values()} <= {1}
    assert {len(calls) for calls in outer.values()} <= {1}
    assert all(cores(model)[name] is core for name, core in before.items())
