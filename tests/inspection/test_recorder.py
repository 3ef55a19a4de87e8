"""Every tensor of a trace against an independent computation in float64 NumPy, written from the paper's formulas."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from polyhead.inspection.trace import Edits, Head, trace
from polyhead.model.config import TransformerConfig
from polyhead.model.recording import weights_of

TEXT, LONGER = "bado kilu mera", "noti pasu rovi sela tugo vani zeko fimo"


def sinusoids(length: int, d_model: int) -> np.ndarray:
    angle = np.arange(length)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angle), np.cos(angle)], -1).reshape(length, d_model)


def erf(x: np.ndarray) -> np.ndarray:
    return np.vectorize(math.erf)(x)


class Reference:
    """A teacher-forced pass of the Transformer; every intermediate result under its name in a trace."""

    def __init__(self, model: Any, config: TransformerConfig, edits: Edits) -> None:
        self.w = {
            name: value.detach().double().numpy() for name, value in model.named_parameters(remove_duplicate=False)
        }
        self.config, self.edits = config, edits
        self.found: dict[tuple[str, int | None], np.ndarray] = {}

    def linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def norm(self, name: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        mean, std = x.mean(-1), np.sqrt(x.var(-1) + 1e-5)
        scaled = (x - mean[:, None]) / std[:, None]
        return scaled * self.w[f"{name}.weight"] + self.w[f"{name}.bias"], mean, std

    def embed(self, stack: str, side: str, tokens: list[int]) -> np.ndarray:
        weights = self.w[f"{side}_embedding.tokens.weight"]
        d_model = self.config.d_model
        embedding = weights[tokens] * math.sqrt(d_model)
        self.found[f"{stack}.embedding", None] = x = embedding
        if self.config.positions != "none":
            learned = self.w.get(f"{side}_embedding.positions.encoding")
            position = sinusoids(len(tokens), d_model) if learned is None else learned[: len(tokens)]
            position = position * (not self.edits.no_positions)
            self.found[f"{stack}.position", None] = position
            x = embedding + position
            if self.config.positions == "sinusoidal-concat":
                x = self.linear(f"{side}_embedding.positions.merge", np.concatenate([embedding, position], -1))
        self.found[f"{stack}.input", None] = x
        return x

    def attention(self, site: str, layer: int, name: str, x: np.ndarray, memory: np.ndarray, mask: np.ndarray) -> Any:
        heads, d_model = self.config.num_heads, self.config.d_model

        def split(part: int, y: np.ndarray) -> np.ndarray:
            rows = slice(part * d_model, (part + 1) * d_model)
            weight, bias = (self.w[f"{name}.query_key_value.{kind}"][rows] for kind in ("weight", "bias"))
            return (y @ weight.T + bias).reshape(len(y), heads, -1).transpose(1, 0, 2)

        q, k, v = split(0, x), split(1, memory), split(2, memory)
        scores = q @ k.transpose(0, 2, 1)
        scaled = scores / (1 if self.edits.no_scale else math.sqrt(d_model / heads))
        exponents = np.where(mask, np.exp(scaled), 0)
        weights = exponents / exponents.sum(-1, keepdims=True)
        context = weights @ v
        for one in self.edits.mute:
            if (one.site, one.layer) == (site, layer):
                context[one.head] = 0
        concat = context.transpose(1, 0, 2).reshape(len(x), d_model)
        output = self.linear(f"{name}.output", concat)
        maps = self.w[f"{name}.output.weight"].reshape(d_model, heads, -1)
        norms = np.stack([np.linalg.norm(v[h] @ maps[:, h].T, axis=-1) for h in range(heads)])
        named = {"q": q, "k": k, "v": v, "scores": scores, "scaled": scaled, "weights": weights, "context": context}
        named |= {"mask": np.broadcast_to(mask, scores.shape), "concat": concat, "output": output}
        named |= {"value_norms": norms, "weighted_norms": weights * norms[:, None]}
        self.found |= {(f"{site}.{last}", layer): array for last, array in named.items()}
        return output

    def feed_forward(self, site: str, layer: int, name: str, x: np.ndarray) -> np.ndarray:
        inner = self.linear(f"{name}.inner", x)
        match self.config.activation:
            case "relu":
                hidden = np.maximum(inner, 0)
            case "gelu":
                hidden = inner * (1 + erf(inner / math.sqrt(2))) / 2
            case "swiglu":
                gate, value = np.split(inner, 2, -1)
                hidden = gate / (1 + np.exp(-gate)) * value
        self.found[f"{site}.hidden", layer] = hidden
        self.found[f"{site}.output", layer] = self.linear(f"{name}.outer", hidden)
        return self.found[f"{site}.output", layer]

    def sublayer(self, site: str, layer: int, name: str, x: np.ndarray, function: Any) -> np.ndarray:
        if self.config.norm == "pre":
            normed, mean, std = self.norm(f"{name}.norm", x)
            result = residual = x + function(normed)
        else:
            residual = x + function(x)
            result = normed = (statistics := self.norm(f"{name}.norm", residual))[0]
            _, mean, std = statistics
        named = {"residual": residual, "norm": normed, "norm_mean": mean, "norm_std": std}
        self.found |= {(f"{site}.{last}", layer): array for last, array in named.items()}
        return result

    def stack(self, name: str, x: np.ndarray, memory: np.ndarray | None, masks: dict[str, np.ndarray]) -> np.ndarray:
        sites = [("encoder.self", "self")] if memory is None else [("decoder.self", "self"), ("decoder.cross", "cross")]
        for n in range(self.config.encoder_layers if memory is None else self.config.decoder_layers):
            prefix = f"{name}.layers.{n}"
            for site, kind in sites:
                module = f"{prefix}.{kind}_attention"

                def attend(y: np.ndarray, site=site, n=n, module=module, kind=kind) -> np.ndarray:
                    return self.attention(site, n, module, y, y if kind == "self" else memory, masks[site])

                x = self.sublayer(site, n, f"{module}_sublayer", x, attend)
            network = f"{prefix}.feed_forward"

            def feed(y: np.ndarray, n=n, network=network) -> np.ndarray:
                return self.feed_forward(f"{name}.ffn", n, network, y)

            x = self.sublayer(f"{name}.ffn", n, f"{network}_sublayer", x, feed)
        x = self.norm(f"{name}.norm", x)[0] if self.config.norm == "pre" else x
        self.found[f"{name}.output", None] = x
        return x

    def run(self, source: list[int], target: list[int], padding: int) -> np.ndarray:
        real = np.arange(len(source)) < len(source) - padding
        ahead = np.tri(len(target), dtype=bool) | self.edits.no_look_ahead
        masks = {
            "encoder.self": np.broadcast_to(real, (len(source), len(source))),
            "decoder.self": ahead,
            "decoder.cross": np.broadcast_to(real, (len(target), len(source))),
        }
        memory = self.stack("encoder", self.embed("encoder", "source", source), None, masks)
        features = self.stack("decoder", self.embed("decoder", "target", target), memory, masks)
        logits = features @ self.w["output.weight"].T
        return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


EDITS = {
    "nothing": Edits(),
    "scale": Edits(no_scale=True),
    "positions": Edits(no_positions=True),
    "look-ahead": Edits(no_look_ahead=True),
    "heads": Edits(mute=(Head(site="decoder.cross", layer=2, head=0), Head(site="encoder.self", layer=0, head=3))),
    "all": Edits(
        no_scale=True, no_positions=True, no_look_ahead=True, mute=(Head(site="decoder.self", layer=1, head=2),)
    ),
}


@pytest.mark.parametrize(
    ("edits", "companion"),
    [*((edits, None) for edits in EDITS.values()), (EDITS["nothing"], LONGER), (EDITS["all"], LONGER)],
    ids=[*(f"without {name}" for name in EDITS), "padded", "padded, without all"],
)
def test_every_tensor_is_what_the_paper_says(translator_of, transformer, edits, companion):
    translator = translator_of(transformer)
    found = trace(translator, TEXT, target="koda bilu", target_language="xb", edits=edits, companion=companion)
    reference = Reference(translator.bundle.model, translator.config.model, edits)
    log_probabilities = reference.run(
        [token.id for token in found.source], [token.id for token in found.target.tokens_in], found.source_padding
    )
    assert bool(found.source_padding) == bool(companion)
    np.testing.assert_allclose(found.prediction.log_probabilities, log_probabilities, atol=2e-4)
    assert {name for name, _ in reference.found} == set(found.tensors.layers)
    for (name, layer), expected in reference.found.items():
        array = found.tensor(name, layer)
        assert array.dtype == (np.bool_ if name.endswith(".mask") else np.float32)
        np.testing.assert_allclose(array, expected, atol=2e-4, rtol=1e-4, err_msg=f"{name} {layer}")


@pytest.mark.parametrize("rnn", ["rnn with attention", "gru with attention"])
def test_an_rnns_alignment_is_the_softmax_of_dot_products(translator_of, rnn):
    translator = translator_of(rnn)
    found = trace(translator, TEXT, target="koda bilu", target_language="xb", companion=LONGER)
    assert list(found.tensors.layers) == [
        f"decoder.cross.{last}" for last in ("q", "k", "v", "scores", "scaled", "mask", "weights")
    ]
    q, k, mask = (found.tensor(f"decoder.cross.{last}", 0, 0) for last in ("q", "k", "mask"))
    exponents = np.where(mask, np.exp(q.astype(float) @ k.T), 0)
    np.testing.assert_allclose(
        found.tensor("decoder.cross.weights", 0, 0), exponents / exponents.sum(1)[:, None], atol=1e-5
    )
    np.testing.assert_array_equal(found.tensor("decoder.cross.v"), found.tensor("decoder.cross.k"))
    memory = translator.bundle.model.encode(
        torch.tensor([[token.id for token in found.source]]), torch.tensor(mask[:1])
    )
    np.testing.assert_allclose(
        k[: len(k) - found.source_padding], memory.states[0].detach()[: mask[0].sum()], atol=1e-5
    )


def test_an_alignment_is_read_from_the_same_weights(translator_of, transformer):
    from polyhead.batch import collate

    translator = translator_of(transformer)
    found = trace(translator, TEXT, target="koda", target_language="xb")
    batch = collate([[token.id for token in found.source[:-1]]], [found.target.ids])
    for n in range(3):
        weights = weights_of(translator.bundle.model, f"decoder.layers.{n}.cross_attention", batch)[0]
        np.testing.assert_allclose(found.tensor("decoder.cross.weights", n), weights, atol=1e-6)
