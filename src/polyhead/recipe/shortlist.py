"""A finished model's shortlist, from the text it was trained on or from any other."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polyhead.bundle.config import BundleConfig, read_config
from polyhead.bundle.load import load_tokenizers
from polyhead.data.clean import clean
from polyhead.data.encode import encode
from polyhead.data.readers import Pair, ReaderConfig, read_all, usable
from polyhead.data.store import EncodedCorpus
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
    """A shortlist, where it stands, and how many sentence pairs it was found in."""

    path: Path
    shortlist: Shortlist
    pairs: int
    coverage: Coverage
    """The shortlist's coverage of the text that it was found in."""


def make_shortlists(
    model: Path, readers: Sequence[ReaderConfig] = (), config: ShortlistConfig | None = None
) -> list[Written]:
    """Finds a model directory's shortlist and writes it there; for a model that writes several languages, one for each.

    readers: the parallel text; without any, the training text that `training/recipe.toml` names, cleaned as it says.
    The shortlists of languages that the text doesn't have stay as they are.
    Raises ModelError without a model, DataError for text that can't be read, RecipeError where the training text isn't
    known or isn't there any more, or where pairs don't say into which of the model's languages they go, PolyheadError
    where another process writes in the directory.
    """
    description = read_config(model)
    source, target = load_tokenizers(model, description.tokenizer)
    pairs = list(usable(read_all(readers))) if readers else _training_pairs(model)
    _check_languages(pairs, description)
    made: list[tuple[str | None, EncodedCorpus, Shortlist]] = []
    for language, some in _by_language(pairs, description.tagged).items():
        corpus = encode(some, source, target, description.tagged)[0]
        made.append((language, corpus, build_shortlist(corpus, source, target, config or ShortlistConfig())))
    written: list[Written] = []
    with exclusive(model):
        for language, corpus, shortlist in made:
            path = save_shortlist(model, shortlist, source, target, language)
            written.append(Written(path, shortlist, len(corpus), measure_coverage(shortlist, corpus)))
    return written


def _by_language(pairs: Sequence[Pair], tagged: bool) -> dict[str | None, list[Pair]]:
    """Target language → its pairs; all under None for a model without language tags."""
    found: dict[str | None, list[Pair]] = {} if tagged and pairs else {None: []}
    for pair in pairs:
        found.setdefault(pair.target_language if tagged else None, []).append(pair)
    return found


def _training_pairs(model: Path) -> list[Pair]:
    """The pairs that the model was trained on. Raises RecipeError where they aren't known or can't be read."""
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
    """Raises RecipeError where a pair names a language that the model doesn't write, or none of its several."""
    known = description.target_languages
    for pair in pairs if known else ():
        if pair.target_language not in known and (description.tagged or pair.target_language is not None):
            named = pair.target_language or "no target language"
            raise RecipeError(f"{pair.origin} has {named}; this model writes {', '.join(known)}: name one with --to")
