"""What `config.json` holds, and how it is read."""

import json
from pathlib import Path
from typing import cast

from pydantic import Field, ValidationError

from polyhead.bundle.listed import check_small
from polyhead.config import Config
from polyhead.decoding.config import BeamConfig
from polyhead.errors import ModelError
from polyhead.limits import LARGEST_SETTINGS, LARGEST_VOCABULARY, LONGEST, MOST_LISTED
from polyhead.model.config import ModelConfig
from polyhead.reading import read_text
from polyhead.tokenizers.config import TokenizerConfig

FORMAT = 1


class BundleConfig(Config):
    """What `config.json` holds."""

    format: int = Field(default=FORMAT, ge=FORMAT, le=FORMAT)
    """The version of this directory's format."""
    polyhead: str
    """The version of polyhead that wrote the model."""
    source_language: str | None = None
    """The code of the language that the model translates from."""
    target_languages: tuple[str, ...] = Field(default=(), max_length=MOST_LISTED)
    """The codes of the languages that the model can translate to."""
    both_directions: bool = False
    """Whether the source may be in any of the target languages."""
    tagged: bool = False
    """Whether the source begins with a tag that names the target language."""
    source_vocabulary: int = Field(ge=5, le=LARGEST_VOCABULARY)
    """The size V of the source vocabulary."""
    target_vocabulary: int = Field(ge=5, le=LARGEST_VOCABULARY)
    """The size V of the target vocabulary."""
    longest_source: int | None = Field(default=None, ge=2, le=LONGEST)
    """The longest source in training, in tokens with tag and `<eos>`: a longer text is translated in pieces."""
    several_sentences: float | None = Field(default=None, ge=0, le=1)
    """The share of source texts in training that had more than one sentence; unset: not known."""
    score_tokenize: str | None = None
    """The sacreBLEU tokenizer that suits the model's output; unset: chosen by target language."""
    model: ModelConfig = Field(discriminator="kind")
    tokenizer: TokenizerConfig
    decoding: BeamConfig = BeamConfig()
    """How this model translates unless asked otherwise."""

    @property
    def source_languages(self) -> tuple[str, ...]:
        """The codes of all languages that the model can translate from; empty where they are not known."""
        if self.both_directions:
            return self.target_languages
        return () if self.source_language is None else (self.source_language,)


def read_config(directory: Path) -> BundleConfig:
    """What a model directory's `config.json` says. Raises ModelError naming the file and what is wrong with it."""
    path = directory / "config.json"
    check_small(path)
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


def languages_of(config: BundleConfig, asked: str | None) -> tuple[str | None, str]:
    """The codes of the source language, None where it isn't certain, and of the target, "und" where it isn't known.

    asked: the target language that the user named, if any
    """
    known = [language for language in config.source_languages if language != asked]
    return known[0] if len(known) == 1 else None, asked or next(iter(config.target_languages), "und")
