"""Reading a model directory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError

from polyhead.bundle.bundle import Bundle
from polyhead.bundle.config import BundleConfig, read_config
from polyhead.bundle.listed import check_small
from polyhead.bundle.weights_check import NotFinite, digest_of_weights
from polyhead.errors import ModelError
from polyhead.extras import needing_extra
from polyhead.files import Stamp
from polyhead.manifest import check_digest
from polyhead.model.config import TransformerConfig
from polyhead.model.stored import read_weights
from polyhead.model.trained import Floats, TransformerArrays, fill, shapes_of, without_values
from polyhead.tokenizers.build import load as load_tokenizer
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.tokenizers.protocol import Tokenizer

if TYPE_CHECKING:
    from polyhead.model.seq2seq import Seq2SeqModel

_WRITTEN = "{} was written while it was read: load the model again"


def load_bundle(directory: Path | str) -> Bundle:
    """Reads a model directory, ready to translate (float32, eval mode).

    On Linux the weights are the file's own pages, read when they are first used. To change a weight changes no file,
    and to replace the file changes no weight; for a file that is overwritten in place see `Bundle.check`.
    Raises ModelError naming the file that is missing, damaged or doesn't fit the others. Whether the weights are
    damaged is found out by a thread, and `Bundle.check` raises ModelError for it.
    """
    directory = Path(directory)
    if not directory.is_dir():
        raise ModelError(f"{directory} is not a model directory: there is no such directory")
    config = read_config(directory)
    source, target = load_tokenizers(directory, config.tokenizer)
    for side, tokenizer, size in (
        ("source", source, config.source_vocabulary),
        ("target", target, config.target_vocabulary),
    ):
        if tokenizer.vocabulary_size != size:
            raise ModelError(
                f"{directory}: the {side} vocabulary has {tokenizer.vocabulary_size} pieces, config.json says {size}"
            )
    path = directory / "model.safetensors"
    weights, stamp = _load_weights(path)
    return Bundle(config, _fitted(config, weights, path), source, target, stamp, _begin_verifying(path, stamp))


def load_tokenizers(directory: Path, config: TokenizerConfig) -> tuple[Tokenizer, Tokenizer]:
    """The source's and the target's tokenizer (the same one where it is shared). Raises ModelError."""
    names = ["shared.spm"] if config.shared else ["source.spm", "target.spm"]
    for name in names:
        check_small(directory / name)
    found = [load_tokenizer(directory / name, config) for name in names]
    return found[0], found[-1]


def _begin_verifying(path: Path, stamp: Stamp | None) -> Callable[[], None]:
    """Starts a thread that checks the file; returns what waits for it and raises ModelError for a damaged file."""
    executor = ThreadPoolExecutor(1, "polyhead-verify")
    try:
        return executor.submit(_verify_weights, path, stamp).result
    finally:
        executor.shutdown(wait=False)


def _verify_weights(path: Path, stamp: Stamp | None) -> None:
    try:
        digest = digest_of_weights(path)
        check_digest(path, lambda: digest)
    except NotFinite as error:
        raise ModelError(
            f"{path}: {error} has numbers that are infinite or no numbers at all; copy the model directory again, or "
            "train the model again"
        ) from error
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} cannot be read: {error}; copy the model directory again") from error
    except ModelError as error:
        if Stamp.of(path) != stamp:
            raise ModelError(_WRITTEN.format(path)) from error
        raise


def _load_weights(path: Path) -> tuple[dict[str, Floats], Stamp]:
    try:
        stamp = Stamp.of(path)
        weights = read_weights(path)
        if Stamp.of(path) != stamp:
            raise ModelError(_WRITTEN.format(path))
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} cannot be read: {error}; copy the model directory again") from error
    return weights, stamp


def _fitted(config: BundleConfig, weights: Mapping[str, Floats], path: Path) -> Seq2SeqModel[Any] | TransformerArrays:
    """The model of these settings with these weights. Raises ModelError where names or shapes don't fit."""
    sizes = config.source_vocabulary, config.target_vocabulary
    with needing_extra(f"a model of kind {config.model.kind}"):
        _check_fit(weights, shapes_of(config.model, *sizes), path)
        if isinstance(config.model, TransformerConfig):
            return TransformerArrays(config.model, weights)
        model = without_values(config.model, *sizes)
        fill(model, weights)
    return model


def _check_fit(weights: Mapping[str, Floats], shapes: Mapping[str, tuple[int, ...]], path: Path) -> None:
    if missing := sorted(shapes.keys() ^ weights.keys()):
        raise ModelError(f"{path} does not fit config.json: {missing[0]} stands in only one of them")
    for name, shape in shapes.items():
        if weights[name].shape != shape:
            raise ModelError(f"{path} does not fit config.json: {name} is {weights[name].shape}, expected {shape}")
