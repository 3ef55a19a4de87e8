"""`languages.json`: the n-grams of a model's languages, by which the server tells which language a text is in."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from polyhead.bundle.listed import check_small
from polyhead.config import Config
from polyhead.errors import ModelError
from polyhead.limits import LARGEST_PIECES, MOST_COUNTED
from polyhead.manifest import write_listed_text
from polyhead.ngrams import ORDERS, Profile
from polyhead.reading import read_text

NAME = "languages.json"
FORMAT = 1

Gram = Annotated[str, Field(min_length=1, max_length=len(ORDERS))]
Count = Annotated[int, Field(ge=0, le=MOST_COUNTED)]


class WrittenProfile(Config):
    """The n-grams of one language."""

    totals: Annotated[tuple[Count, ...], Field(min_length=len(ORDERS), max_length=len(ORDERS))]
    """For each length, how many n-grams were counted in all."""
    usual: float = Field(ge=-100, le=0)
    """The mean of log P(n-gram) over stretches of other text of the language, in nats."""
    spread: float = Field(ge=0, le=100)
    """The standard deviation, from stretch to stretch, of the mean of log P(n-gram), in nats."""
    grams: dict[Gram, Count]
    """The most frequent n-grams and how often each was counted."""


class WrittenProfiles(Config):
    """The content of `languages.json`: all languages of a model."""

    format: int = Field(ge=1, le=MOST_COUNTED)
    """The version of the file's format."""
    languages: dict[str, WrittenProfile]
    """Language code → its n-grams."""


def save_profiles(directory: Path, profiles: Mapping[str, Profile]) -> None:
    """Writes `languages.json`, atomically. Raises WriteError."""
    written = WrittenProfiles(
        format=FORMAT,
        languages={
            language: WrittenProfile(
                totals=profile.totals, usual=profile.usual, spread=profile.spread, grams=dict(profile.grams)
            )
            for language, profile in profiles.items()
        },
    )
    content = json.dumps(written.model_dump(), ensure_ascii=False, separators=(",", ":"))
    write_listed_text(directory / NAME, content + "\n")


def read_profiles(directory: Path) -> Mapping[str, Profile]:
    """Language code → its n-grams; empty where the version that wrote the model directory wrote no `languages.json`.

    Raises ModelError for a damaged file, and for one of a newer version.
    """
    path = directory / NAME
    if not path.exists():
        return {}
    check_small(path)
    try:
        written = WrittenProfiles.model_validate_json(read_text(path, LARGEST_PIECES))
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read: {error}; copy the model directory again") from error
    except ValidationError as error:
        problem = error.errors()[0]
        key = ".".join(map(str, problem["loc"]))
        raise ModelError(f"{path}: {key}: {problem['msg']}; copy the model directory again") from None
    if written.format > FORMAT:
        raise ModelError(f"{path}: format {written.format} is newer than this version reads; install a newer polyhead")
    return {
        language: Profile(each.grams, each.totals, each.usual, each.spread)
        for language, each in written.languages.items()
    }
