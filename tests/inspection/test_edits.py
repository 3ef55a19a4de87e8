"""What-if edits: which models they fit, and what they leave alone."""

import pytest
import torch
from pydantic import ValidationError

from polyhead.errors import PolyheadError
from polyhead.inspection.editing import apply
from polyhead.inspection.edits import Edits, Head
from polyhead.inspection.tensors import UnknownPart
from polyhead.model.recording import view_of

SOURCE, TARGET = torch.tensor([[4, 8, 9, 10, 3]]), torch.tensor([[2, 8, 9, 11]])


def run(model, source=SOURCE):
    with torch.no_grad():
        return model(source, source != 0, TARGET)


def test_no_edit_changes_nothing(translator_of, kind):
    model = translator_of(kind).bundle.model
    view = view_of(model)
    apply(Edits(), view)
    assert torch.equal(run(view), run(model))


def test_without_positions_word_order_is_lost(translator_of, transformer):
    view = view_of(translator_of(transformer).bundle.model)
    swapped = SOURCE[:, [0, 3, 2, 1, 4]]
    apply(Edits(no_positions=True), view)
    torch.testing.assert_close(run(view, swapped), run(view), atol=1e-4, rtol=1e-4)


def test_each_edit_changes_the_model(translator_of):
    model = translator_of("paper").bundle.model
    for edits in (
        Edits(no_scale=True),
        Edits(no_look_ahead=True),
        Edits(no_positions=True),
        Edits(mute=(Head(site="encoder.self", layer=1, head=2),)),
    ):
        view = view_of(model)
        apply(edits, view)
        assert not torch.allclose(run(view), run(model), atol=1e-3)


@pytest.mark.parametrize(
    ("name", "edits", "said"),
    [
        ("paper", {"mute": [{"site": "encoder.self", "layer": 2, "head": 0}]}, "head 0 of encoder.self, layer 2"),
        ("paper", {"mute": [{"site": "decoder.cross", "layer": 0, "head": 4}]}, "no such head"),
        ("rnn", {"mute": [{"site": "decoder.cross", "layer": 0, "head": 0}]}, "no such head"),
        ("rnn", {"no_positions": True}, "no positions to drop"),
        ("rnn with attention", {"no_scale": True}, "no scale to drop"),
        ("rnn with attention", {"no_look_ahead": True}, "no look-ahead mask to drop"),
    ],
)
def test_edits_that_do_not_fit(translator_of, name, edits, said):
    with pytest.raises(UnknownPart if "such head" in said or said.startswith("head") else PolyheadError, match=said):
        apply(Edits.model_validate(edits), view_of(translator_of(name).bundle.model))


def test_the_context_of_an_rnn_can_be_muted(translator_of):
    view = view_of(translator_of("rnn with attention").bundle.model)
    apply(Edits(mute=(Head(site="decoder.cross", layer=0, head=0),)), view)
    contexts: list[torch.Tensor] = []
    view.cross_attention.register_forward_hook(lambda _, __, output: contexts.append(output))
    run(view)
    assert (contexts[0] == 0).all()


@pytest.mark.parametrize("values", [{"mute": [{"site": "x", "layer": 0, "head": 0}]}, {"no_skale": True}, {"mute": 3}])
def test_nonsense_is_no_edit(values):
    with pytest.raises(ValidationError):
        Edits.model_validate(values)
    with pytest.raises(ValidationError):
        Head(site="encoder.self", layer=-1, head=0)
