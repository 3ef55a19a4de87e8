"""Writing a model directory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from safetensors.numpy import save_file

from polyhead.bundle.config import BundleConfig
from polyhead.manifest import listed_file, write_listed_text
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.tokenizers.protocol import Tokenizer

if TYPE_CHECKING:
    from torch import Tensor


def save_description(
    directory: Path, config: BundleConfig, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer
) -> None:
    """Writes all files but the weights, each atomically, `config.json` last: where it exists, so do the others."""
    for name, tokenizer in tokenizer_files(config.tokenizer, source_tokenizer, target_tokenizer).items():
        with listed_file(directory / name) as temporary:
            tokenizer.save(temporary)
    write_listed_text(directory / "config.json", config.model_dump_json(indent=2) + "\n")


def tokenizer_files(config: TokenizerConfig, source: Tokenizer, target: Tokenizer) -> dict[str, Tokenizer]:
    """File name → the tokenizer that it holds."""
    return {"shared.spm": source} if config.shared else {"source.spm": source, "target.spm": target}


def save_weights(directory: Path, weights: Mapping[str, Tensor]) -> None:
    """Writes `model.safetensors` in float32, atomically."""
    arrays = {name: weight.detach().float().cpu().contiguous().numpy() for name, weight in weights.items()}
    with listed_file(directory / "model.safetensors") as temporary:
        save_file(arrays, temporary, {"format": "pt"})
