"""A model's double shares its weights and nothing else."""

import torch

from polyhead.inspection.view import view_of


def test_weights_are_shared_modules_are_not(translator_of, kind):
    model = translator_of(kind).bundle.model
    view = view_of(model)
    assert {id(parameter) for parameter in view.parameters()} == {id(parameter) for parameter in model.parameters()}
    pairs = list(zip(view.named_buffers(), model.named_buffers(), strict=True))
    assert all(one.data_ptr() == other.data_ptr() for (_, one), (_, other) in pairs)
    assert not {id(module) for module in view.modules()} & {id(module) for module in model.modules()}
    assert not view.training
    source, target = torch.tensor([[4, 8, 9, 3]]), torch.tensor([[2, 8]])
    assert torch.equal(view(source, source != 0, target), model(source, source != 0, target))
