"""JoeyNMT: its greedy and beam search on its own model, with our weights copied into it."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import sentencepiece
import torch
from joeynmt.search import search
from safetensors.torch import load_file
from torch import Tensor, nn

from joeynmt_model import EOS, joey_batch, joey_model
from plain_translation import EXTRA_TOKENS, by_length, serve_translation

NORM_EPSILON = 1e-5
"""PyTorch's, with which the weights were trained; JoeyNMT's own is 1e-6."""
SHAPE = ("encoder_layers", "decoder_layers", "d_model", "d_ff", "num_heads")
ATTENTIONS = {"encoder": {"self_attention": "src_src_att"}}
ATTENTIONS["decoder"] = {"self_attention": "trg_trg_att", "cross_attention": "src_trg_att"}
NORMS = {
    "encoder": {"self_attention": "layer_norm", "feed_forward": "feed_forward.layer_norm"},
    "decoder": {
        "self_attention": "x_layer_norm",
        "cross_attention": "dec_layer_norm",
        "feed_forward": "feed_forward.layer_norm",
    },
}
TIED = ("src_embed.lut.weight", "trg_embed.lut.weight", "decoder.output_layer.weight")
FEED_FORWARD = {"inner": "feed_forward.pwff_layer.0", "outer": "feed_forward.pwff_layer.3"}


def converted(weights: dict[str, Tensor], shape: dict[str, Any]) -> dict[str, Tensor]:
    """Our weights by JoeyNMT's names. Post-norm, sinusoidal, ReLU, one embedding for all: nothing else fits."""
    embedding = weights["source_embedding.tokens.weight"]
    found = dict.fromkeys(("src_embed.lut.weight", "trg_embed.lut.weight", "decoder.output_layer.weight"), embedding)
    for stack in ("encoder", "decoder"):
        for number in range(shape[f"{stack}_layers"]):
            layer = f"{stack}.layers.{number}"
            for kind in ("weight", "bias"):
                for ours, theirs in ATTENTIONS[stack].items():
                    parts = weights[f"{layer}.{ours}.query_key_value.{kind}"].chunk(3)
                    for letter, part in zip("qkv", parts, strict=True):
                        found[f"{layer}.{theirs}.{letter}_layer.{kind}"] = part
                    found[f"{layer}.{theirs}.output_layer.{kind}"] = weights[f"{layer}.{ours}.output.{kind}"]
                for ours, theirs in NORMS[stack].items():
                    found[f"{layer}.{theirs}.{kind}"] = weights[f"{layer}.{ours}_sublayer.norm.{kind}"]
                for ours, theirs in FEED_FORWARD.items():
                    found[f"{layer}.{theirs}.{kind}"] = weights[f"{layer}.feed_forward.{ours}.{kind}"]
    return found


class JoeyNMT:
    """A loaded model."""

    def __init__(self, model: str, vocabulary: str, setting: dict[str, Any]) -> None:
        torch.set_num_threads(setting["threads"])
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=vocabulary)
        config = json.loads((Path(model) / "config.json").read_text(encoding="utf-8"))
        shape = {name: config["model"][name] for name in SHAPE}
        size = {**shape, "dropout": 0.0, "vocabulary": config["source_vocabulary"], "label_smoothing": 0.0}
        self.model = joey_model(size).eval()
        missing, unknown = self.model.load_state_dict(
            converted(load_file(Path(model) / "model.safetensors"), shape), strict=False
        )
        if unknown or [name for name in missing if not name.endswith("pe.pe")]:
            raise ValueError(f"weights don't fit: {[*missing, *unknown]}")
        for module in self.model.modules():
            if isinstance(module, nn.LayerNorm):
                module.eps = NORM_EPSILON
        self.autocast = setting["precision"] == "bf16-autocast"

    @torch.inference_mode()
    def translate(self, sentences: Sequence[str], beam_size: int, batch: int | None) -> list[str]:
        """`batch` sentences of like length at a time. Its length penalty is Wu et al.'s (2016), with α = 1."""
        tokens = [[*ids, EOS] for ids in self.pieces.encode(list(sentences))]
        found = [""] * len(tokens)
        for rows in by_length([len(ids) for ids in tokens], batch or len(tokens)):
            source = nn.utils.rnn.pad_sequence([torch.tensor(tokens[row]) for row in rows], batch_first=True)
            with torch.autocast("cpu", torch.bfloat16) if self.autocast else nullcontext():
                outputs, _, _ = search(
                    model=self.model,
                    batch=joey_batch(source, None),
                    max_output_length=source.size(1) + EXTRA_TOKENS,
                    beam_size=beam_size,
                    beam_alpha=1.0,
                    **({"autocast": {"device_type": "cpu", "dtype": torch.bfloat16}} if self.autocast else {}),
                )
            for row, ids in zip(rows, outputs.tolist(), strict=True):
                ended = ids.index(EOS) if EOS in ids else len(ids)
                found[row] = self.pieces.decode([token for token in ids[:ended] if token > EOS])
        return found


if __name__ == "__main__":
    serve_translation(JoeyNMT)
