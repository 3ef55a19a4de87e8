"""The model directory: settings, weights and vocabularies of one trained model, and nothing that executes.

    config.json          format (1), the version of polyhead, languages, whether sources are tagged, vocabulary sizes,
                         and the settings of model, tokenizer and search: `BundleConfig`
    model.safetensors    float32 weights by the names of `named_parameters()`; tied weights stand once
    shared.spm           the sentencepiece model of both sides, or source.spm and target.spm
    README.md            the model card, written when training ends
    shortlist.safetensors    only after `polyhead shortlist`: for each source piece the target pieces that may come of
                         it, `offsets` and `tokens`; its format (1), and the SHA-256 of the vocabularies it is for
    training/recipe.toml     every key in force, and the library versions; can be trained from again
    training/data.json       counts and fingerprints of the training and the dev pairs
    training/metrics.jsonl   an object a line. Training: update, epoch, seconds, learning_rate, loss, target_tokens,
                         target_tokens_per_second. Validation: update, epoch, dev_loss, dev_bleu, dev_chrf, and for
                         several target languages each of the last two by language
    training/scores.json     dev and test scores; stands there only when a run has come to its end
    training/checkpoints/    what `--resume` needs, the two newest
    training/snapshots/      the weights that the final average is made of
    distilled/           of a student: what its teacher wrote, and record.json, whose translations of what
    SHA256SUMS           here, in the folders of training/, and in distilled/ and its shards/: the SHA-256 of the files
                         beside it, but of metrics.jsonl, which grows

A file is written beside its place, flushed to disk, listed with its digest and renamed, so that it appears whole or
not at all and is listed at any moment at which a crash may come. A directory without `SHA256SUMS`, as older versions
wrote it, is read too.

Loading compares digests and checks the format number, the settings with their upper bounds, the vocabulary sizes and
every weight's name and shape. The weights' digest, and whether all are finite, is found out by a thread while they
are packed. `polyhead verify --accept` takes files on as they are, after `config.json` was edited. From the first
validation on `model.safetensors` holds the best weights so far; at the end they become the average that
`training.averaging` asks for, a Transformer's matrices rounded to whole multiples of a 127th of each output's largest
weight (`model.levels`).

On Linux weights are private pages of their file. A replaced file changes nothing; of one that was overwritten in
place scores, alignments and traces are refused (`Bundle.check`), and the server loads it anew. Modules over the same
memory are made when somebody asks for them (`Bundle.model`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import Field, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import save_file

from polyhead.config import Config
from polyhead.decoding.config import BeamConfig
from polyhead.errors import ModelError
from polyhead.files import Stamp
from polyhead.limits import LARGEST_PIECES, LARGEST_SETTINGS, LARGEST_VOCABULARY, LONGEST, MOST_LISTED
from polyhead.manifest import check_digest, check_listed, listed_file, write_listed_text
from polyhead.model.config import ModelConfig, TransformerConfig
from polyhead.model.stored import read_weights
from polyhead.model.trained import Floats, TransformerArrays, fill, shapes_of, without_values
from polyhead.model.weights_check import NotFinite, digest_of_weights
from polyhead.reading import read_text
from polyhead.tokenizers.build import load as load_tokenizer
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.tokenizers.protocol import Tokenizer

if TYPE_CHECKING:
    from torch import Tensor

    from polyhead.model.seq2seq import Seq2SeqModel

FORMAT = 1
_WRITTEN = "{} was written while it was read: load the model again"


class BundleConfig(Config):
    """What `config.json` holds."""

    format: int = Field(default=FORMAT, ge=FORMAT, le=FORMAT)
    """The version of this directory's format."""
    polyhead: str
    """The version of polyhead that wrote it."""
    source_language: str | None = None
    """Language code of what goes in."""
    target_languages: tuple[str, ...] = Field(default=(), max_length=MOST_LISTED)
    """Language codes of what can come out."""
    both_directions: bool = False
    """Whether what goes in is in any of the target languages."""
    tagged: bool = False
    """Whether the source begins with a tag that names the target language."""
    source_vocabulary: int = Field(ge=5, le=LARGEST_VOCABULARY)
    """V of the source."""
    target_vocabulary: int = Field(ge=5, le=LARGEST_VOCABULARY)
    """V of the target."""
    longest_source: int | None = Field(default=None, ge=2, le=LONGEST)
    """The longest source in training, in tokens with tag and `<eos>`: a longer text is translated in pieces."""
    score_tokenize: str | None = None
    """sacreBLEU's tokenizer that suits what it writes; unset: by target language."""
    model: ModelConfig = Field(discriminator="kind")
    tokenizer: TokenizerConfig
    decoding: BeamConfig = BeamConfig()
    """How this model translates unless asked otherwise."""

    @property
    def source_languages(self) -> tuple[str, ...]:
        """Language codes of all that can go in; none where they are not known."""
        if self.both_directions:
            return self.target_languages
        return () if self.source_language is None else (self.source_language,)


@dataclass(frozen=True)
class Bundle:
    """A model with everything that its text needs."""

    config: BundleConfig
    given: Seq2SeqModel[Any] | TransformerArrays
    """The model as it came: as modules, or as a file's arrays."""
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    weights: Stamp | None = None
    """The file that the model's weights may be pages of."""
    verify: Callable[[], None] = lambda: None
    """Waits until the file of the weights has been read whole; raises ModelError where it is damaged."""

    @cached_property
    def model(self) -> Seq2SeqModel[Any]:
        """The model as modules of PyTorch, which are made when they are first asked for.

        Raises ModelError where the file of the weights is damaged.
        """
        self.verify()
        if not isinstance(self.given, TransformerArrays):
            return self.given
        model = without_values(self.config.model, self.config.source_vocabulary, self.config.target_vocabulary)
        fill(model, self.given.arrays)
        return model

    @property
    def trained(self) -> Seq2SeqModel[Any] | TransformerArrays:
        """What an engine is made of: the modules, which may have been changed, if there are any by now."""
        return cast("Seq2SeqModel[Any] | None", self.__dict__.get("model")) or self.given

    @property
    def parameters(self) -> int:
        """How many numbers were learnt."""
        if isinstance(self.given, TransformerArrays):
            return sum(array.size for array in self.given.arrays.values())
        return sum(parameter.numel() for parameter in self.given.parameters())

    @property
    def overwritten(self) -> bool:
        """Whether somebody has written to the file of the weights since it was loaded."""
        return self.weights is not None and self.weights.overwritten

    def check(self) -> None:
        """To be called before what the model says is believed.

        Raises ModelError where the file of its weights is damaged, or was overwritten since it was loaded.
        """
        self.verify()
        if self.weights is not None and self.weights.overwritten:
            raise ModelError(
                f"{self.weights.path} was overwritten while it was in use: load the model again, and replace such "
                "files by renaming new ones, which disturbs nobody"
            )


def save_description(
    directory: Path, config: BundleConfig, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer
) -> None:
    """Writes all but the weights, each file atomically and `config.json` last: where it stands the others do."""
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


def load_bundle(directory: Path | str) -> Bundle:
    """Reads a model directory, ready to translate (float32, eval mode).

    On Linux the weights are the file's own pages, read when they are looked at. To change a weight changes no file, and
    a file that another one replaces leaves them as they are; for one that is overwritten in place see `Bundle.check`.
    Raises ModelError naming the file that is missing, damaged or doesn't fit the others; of the weights, whether they
    are damaged is found out beside other work, and `Bundle.check` raises it.
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
        _check_small(directory / name)
    found = [load_tokenizer(directory / name, config) for name in names]
    return found[0], found[-1]


def read_config(directory: Path) -> BundleConfig:
    """What a model directory's `config.json` says. Raises ModelError naming the file and what is wrong with it."""
    path = directory / "config.json"
    _check_small(path)
    try:
        values: object = json.loads(read_text(path, LARGEST_SETTINGS))
    except FileNotFoundError as error:
        raise ModelError(f"{path} is missing: {path.parent} is not a (finished) model directory") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path} cannot be read: {error}; copy the model directory again") from error
    written = cast(dict[str, object], values).get("format") if isinstance(values, dict) else None
    if isinstance(written, int) and written > FORMAT:
        raise ModelError(f"{path}: format {written} is newer than this version of polyhead reads; install a newer one")
    if written != FORMAT:
        raise ModelError(f"{path}: no settings of a polyhead model (format {written!r}, expected {FORMAT})")
    try:
        return BundleConfig.model_validate(values)
    except ValidationError as error:
        problem = error.errors()[0]
        key = ".".join(str(part) for part in problem["loc"])
        raise ModelError(f"{path}: {key}: {problem['msg']}; copy the model directory again") from None


def _check_small(path: Path) -> None:
    """Raises ModelError where a file isn't as listed; one that can't be read is left to whoever reads it next."""
    with suppress(OSError):
        check_listed(path, LARGEST_PIECES)


def _begin_verifying(path: Path, stamp: Stamp | None) -> Callable[[], None]:
    """Reads the file in a thread of its own → what waits for it and raises ModelError where the file is damaged."""
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
    """The model with those weights. Raises ModelError where they are not its own."""
    sizes = config.source_vocabulary, config.target_vocabulary
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
