"""Hugging Face: `generate`."""

from collections.abc import Sequence
from typing import Any

import sentencepiece
import torch
from transformers import AutoModelForSeq2SeqLM

from device import Device
from plain_loop import EOS, PAD
from plain_translation import EXTRA_TOKENS, by_length, serve_translation


class HuggingFace:
    """A loaded model."""

    def __init__(self, model: str, vocabulary: str, setting: dict[str, Any]) -> None:
        torch.set_num_threads(setting["threads"])
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=vocabulary)
        dtype = {"float32": torch.float32, "bfloat16": torch.bfloat16}[setting["precision"]]
        self.device = Device.of(setting)
        self.model = AutoModelForSeq2SeqLM.from_pretrained(model, dtype=dtype).eval().to(self.device.torch)
        # `generate` as it is by default: nothing forced or suppressed, and a beam that ends when its rule says so.
        for name, value in {"suppress_tokens": None, "forced_eos_token_id": None, "early_stopping": False}.items():
            setattr(self.model.generation_config, name, value)

    def peaks(self) -> dict[str, float]:
        """Of a GPU's memory."""
        return self.device.peaks()

    @torch.inference_mode()
    def translate(self, sentences: Sequence[str], beam_size: int, batch: int | None) -> list[str]:
        """`batch` sentences of like length at a time."""
        tokens = [[*ids, EOS] for ids in self.pieces.encode(list(sentences))]
        found = [""] * len(tokens)
        for rows in by_length([len(ids) for ids in tokens], batch or len(tokens)):
            padded = torch.nn.utils.rnn.pad_sequence([torch.tensor(tokens[row]) for row in rows], batch_first=True)
            source = self.device.sent(padded)
            outputs = self.model.generate(
                input_ids=source,
                attention_mask=(source != PAD).to(torch.int64),
                num_beams=beam_size,
                do_sample=False,
                length_penalty=1.0,
                max_length=source.size(1) + EXTRA_TOKENS,
            )
            for row, ids in zip(rows, outputs.tolist(), strict=True):
                found[row] = self.pieces.decode([token for token in ids[1:] if token > EOS])
        return found


if __name__ == "__main__":
    serve_translation(HuggingFace)
