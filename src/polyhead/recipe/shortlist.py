"""A finished model's shortlist, from the text it was trained on or from any other."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polyhead.bundle.config import BundleConfig, read_config
from polyhead.bundle.load import load_tokenizers
from polyhead.data.clean import clean
from polyhead.data.encode import encode
from polyhead.data.readers import Pair, ReaderConfig, read_all, usable
from polyhead.errors import DataError, RecipeError
from polyhead.recipe.directions import both_ways
from polyhead.recipe.load import make_recipe
from polyhead.recipe.prepare import read_with_languages
from polyhead.recipe.record import read_record, started
from polyhead.run_lock import exclusive
from polyhead.shortlist.build import ShortlistConfig, build_shortlist
from polyhead.shortlist.coverage import Coverage, measure_coverage
from polyhead.shortlist.file import save_shortlist
from polyhead.shortlist.shortlist import Shortlist


@dataclass(frozen=True)
class Written:
    """A shortlist, where it stands, and the sentence pairs it was found in."""

    path: Path
    shortlist: Shortlist
    pairs: int
    coverage: Coverage
    """Of that very text."""


def make_shortlist(model: Path, readers: Sequence[ReaderConfig] = (), config: ShortlistConfig | None = None) -> Written:
    """Finds a model directory's shortlist and writes it there.

    readers: the parallel text; without any, the training text that `training/recipe.toml` names, cleaned as it says
    Raises ModelError without a model, DataError for text that can't be read, RecipeError where the training text isn't
    known or isn't there any more, or where pairs don't say into which of the model's languages they go, PolyheadError
    where another process writes in the directory.
    """
    description = read_config(model)
    source, target = load_tokenizers(model, description.tokenizer)
    pairs = list(usable(read_all(readers))) if readers else _training_pairs(model)
    _check_languages(pairs, description)
    corpus = encode(pairs, source, target, description.tagged)[0]
    shortlist = build_shortlist(corpus, source, target, config or ShortlistConfig())
    with exclusive(model):
        path = save_shortlist(model, shortlist, source, target)
    return Written(path, shortlist, len(corpus), measure_coverage(shortlist, corpus))


def _training_pairs(model: Path) -> list[Pair]:
    """What the model was trained on."""
    if not started(model):
        raise RecipeError(f"{model} doesn't say what it was trained on; name parallel text with --source and --target")
    # Of the recipe only this table: the others may have keys that this version has no longer.
    data = both_ways(make_recipe({"data": read_record(model).get("data", {})}).data)
    try:
        pairs = list(read_with_languages(data.train, data))
    except (DataError, FileNotFoundError) as error:
        raise RecipeError(
            f"the text that {model} was trained on can't be read ({error}); name other text with --source and --target"
        ) from error
    return clean(pairs, data.cleaning)[0]


def _check_languages(pairs: Sequence[Pair], description: BundleConfig) -> None:
    """For a model that writes several languages every pair must name one of them."""
    if not description.tagged:
        return
    known = description.target_languages
    for pair in pairs:
        if pair.target_language not in known:
            named = pair.target_language or "no target language"
            raise RecipeError(f"{pair.origin} has {named}; this model writes {', '.join(known)}")
