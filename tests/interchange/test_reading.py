"""The weights as plain values: a forward pass written from nothing but them gives the model's logits."""

import math

import pytest
import torch
from torch.nn.functional import gelu, layer_norm, linear, relu, silu

from polyhead.batch import collate
from polyhead.errors import ModelError
from polyhead.interchange.reading import read_weights


class Plain:
    """Figure 1 of the paper over `TransformerWeights`, a sentence at a time, with none of the package's modules."""

    def __init__(self, weights, config):
        self.weights, self.config = weights, config

    def logits(self, source, target_in):
        """source [S], target_in [T] → [T, V]."""
        memory = self.stack(self.weights.encoder, source, None)
        return self.stack(self.weights.decoder, target_in, memory) @ self.weights.output.T

    def stack(self, stack, tokens, memory):
        x = stack.tokens[tokens] * math.sqrt(stack.tokens.size(1)) + stack.positions[: len(tokens)]
        for layer in stack.layers:
            own, cross = layer.self_attention, layer.cross_attention
            x = self.residual(x, own.norm, lambda y, own=own: self.attend(own, y, y, causal=memory is not None))
            if memory is not None:
                x = self.residual(x, cross.norm, lambda y, cross=cross: self.attend(cross, y, memory, causal=False))
            x = self.residual(x, layer.feed_forward.norm, lambda y, w=layer.feed_forward: self.feed_forward(w, y))
        return x if stack.norm is None else self.normalise(x, stack.norm)

    def residual(self, x, norm, function):
        if self.config.norm == "pre":
            return x + function(self.normalise(x, norm))
        return self.normalise(x + function(x), norm)

    def normalise(self, x, norm):
        return layer_norm(x, x.shape[-1:], norm.weight, norm.bias)

    def attend(self, weights, x, memory, causal):
        def heads(y):
            return y.unflatten(-1, (self.config.num_heads, -1)).transpose(0, 1)

        query = heads(linear(x, weights.query.weight, weights.query.bias))
        key = heads(linear(memory, weights.key.weight, weights.key.bias))
        value = heads(linear(memory, weights.value.weight, weights.value.bias))
        scores = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
        if causal:
            scores = scores.masked_fill(torch.ones(len(x), len(x)).triu(1).bool(), -math.inf)
        context = (scores.softmax(-1) @ value).transpose(0, 1).flatten(1)
        return linear(context, weights.output.weight, weights.output.bias)

    def feed_forward(self, weights, x):
        inner = linear(x, weights.inner.weight, weights.inner.bias)
        if weights.gate is not None:
            inner = silu(linear(x, weights.gate.weight, weights.gate.bias)) * inner
        else:
            inner = {"relu": relu, "gelu": gelu}[self.config.activation](inner)
        return linear(inner, weights.outer.weight, weights.outer.bias)


def test_a_pass_over_the_values_is_the_models(make_bundle, kind):
    bundle = make_bundle(**kind)
    weights = read_weights(bundle)
    shuffled = weights.reordered(torch.randperm(bundle.config.model.d_model))
    batch = collate([[5, 9, 200, 7, 30]], [[8, 6, 100]])
    with torch.no_grad():
        expected = bundle.model(batch.source, batch.source_mask, batch.target_in)[0]
        for values in (weights, shuffled):
            found = Plain(values, bundle.config.model).logits(batch.source[0], batch.target_in[0])
            torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
    assert not torch.equal(weights.encoder.tokens, shuffled.encoder.tokens)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize(("tying", "one"), [("all", 1), ("output", 2), ("none", 3)])
def test_what_is_tied_stays_one_tensor(make_bundle, tying, one, ordered):
    weights = read_weights(make_bundle(tie_embeddings=tying))
    if ordered:
        weights = weights.reordered(torch.arange(11, -1, -1))
    tables = weights.encoder.tokens, weights.decoder.tokens, weights.output
    assert len({id(table) for table in tables}) == one
    assert (weights.output is weights.decoder.tokens) == (tying != "none")


def test_other_models_are_refused(make_bundle):
    with pytest.raises(ModelError, match="kind rnn is no Transformer"):
        read_weights(make_bundle(kind="rnn", d_model=12, hidden_size=12))
