"""polyhead: `Translator`, as `polyhead translate` uses it, or its plain model on another device."""

from collections.abc import Sequence
from typing import Any

import torch

from device import Device
from plain_translation import serve_translation
from polyhead.bundle.load import load_bundle
from polyhead.decoding.config import BeamConfig, GreedyConfig, SearchConfig
from polyhead.translating.translator import BATCH_TOKENS, Translator


class Polyhead:
    """A loaded model."""

    def __init__(self, model: str, _: str, setting: dict[str, Any]) -> None:
        self.device, self.patience = Device.of(setting), setting["patience"]
        self.batch_tokens = setting.get("batch_tokens", BATCH_TOKENS)
        if "device" in setting:
            self.translator = moved(model, self.device, setting["precision"])
            self.said = None
        else:
            self.translator = Translator.load(model, engine=setting["engine"], dtype=setting["dtype"])
            self.said = ", ".join(str(choice) for choice in self.translator.choices)

    def peaks(self) -> dict[str, float]:
        """Of a GPU's memory."""
        return self.device.peaks()

    def translate(self, sentences: Sequence[str], beam_size: int, batch: int | None) -> list[str]:
        """Batches are the translator's own affair."""
        del batch
        search: SearchConfig = GreedyConfig()
        if beam_size > 1:
            search = BeamConfig(beam_size=beam_size, length_penalty="average", patience=self.patience)
        found = self.translator.translate(sentences, search=search, batch_tokens=self.batch_tokens)
        return [translation.text for translation in found]


def moved(model: str, device: Device, precision: str) -> Translator:
    """The plain model on a device. One thread asks it for batches as large as they may be, not one for each core."""
    torch.set_num_threads(1)
    bundle = load_bundle(model)
    bundle.model.to(device.torch, {"float32": torch.float32, "bfloat16": torch.bfloat16}[precision])
    return Translator(bundle, engine="plain")


if __name__ == "__main__":
    serve_translation(Polyhead)
