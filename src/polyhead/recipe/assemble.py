"""From corpora to what a trainer is made of: vocabularies, the model, the corpus of every epoch.

Everything that can be wrong with a recipe is found here, before anything is written.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

import polyhead
from polyhead.bundle.bundle import Bundle
from polyhead.bundle.config import BundleConfig
from polyhead.bundle.load import load_tokenizers
from polyhead.bundle.save import save_description, tokenizer_files
from polyhead.data.encode import Encoder, EncodingReport, sampled_in_epochs
from polyhead.data.statistics import SENTENCES_LOOKED_AT, share_of_several
from polyhead.data.weighting import CorpusForEpoch, weighted
from polyhead.errors import ModelError, RecipeError, counted
from polyhead.manifest import check_digest, digest_of, is_listing
from polyhead.model.build import build_model
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.model.trained import without_values
from polyhead.recipe.directions import both_ways
from polyhead.recipe.prepare import Pairs, make_tokenizers
from polyhead.recipe.room import check_room
from polyhead.recipe.schema import Recipe
from polyhead.recipe.sharing import tokenizers_of
from polyhead.recipe.stored import stored_tokenizers, stored_tokens
from polyhead.recipe.validation import Validator
from polyhead.recipe.word_vectors import load_word_vectors
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.training.log import Display
from polyhead.training.world import ALONE, World


@dataclass(frozen=True)
class Parts:
    """What a trainer is made of."""

    bundle: Bundle
    """The description, the vocabularies, and a model for validation, which has no weights before it is given some."""
    model: Seq2SeqModel[Any]
    """The model to train, freshly initialised, on its device; if it is to be divided, on the CPU."""
    corpus: CorpusForEpoch
    """Gives the corpus of an epoch, from its number and the number of epochs in which words are cut up at random."""
    validator: Validator

    def write_description(self, directory: Path) -> None:
        """Writes vocabularies and settings, which are the same whether the run is begun or resumed."""
        save_description(directory, self.bundle.config, self.bundle.source_tokenizer, self.bundle.target_tokenizer)


def assemble(recipe: Recipe, pairs: Pairs, device: torch.device, display: Display, world: World = ALONE) -> Parts:
    """Makes the parts of a trainer in memory. Raises PolyheadError for settings that do not fit each other or the data.

    Process 0 alone trains or reads the vocabularies, and gives them to the other processes of the world; it alone reads
    word vectors.
    """
    source, target = tokenizers_of(world, recipe.tokenizer, lambda: _tokenizers(recipe, pairs, display))
    sizes = source.vocabulary_size, target.vocabulary_size
    check_room(recipe.model, device, *sizes, divided=recipe.training.sharded)
    tagged = len(pairs.languages) > 1
    longest = min(recipe.data.max_tokens, recipe.model.max_length)
    corpus, report = _encoded(pairs, Encoder(source, target, tagged, longest), recipe.seed, display)
    if report.too_long:
        limit = "data.max_tokens" if recipe.data.max_tokens <= recipe.model.max_length else "model.max_length"
        display.message(f"left out: {counted(report.too_long, 'pair')} {_longer(report, limit, longest)}")
    if not report.kept:
        raise RecipeError(
            f"every training pair has more than {longest} tokens on a side; raise data.max_tokens or model.max_length"
        )
    source_language = both_ways(recipe.data).source_language
    config = BundleConfig(
        polyhead=polyhead.__version__,
        source_language=source_language,
        target_languages=pairs.languages,
        both_directions=recipe.data.both_directions,
        tagged=tagged,
        source_vocabulary=source.vocabulary_size,
        target_vocabulary=target.vocabulary_size,
        longest_source=report.longest_source,
        several_sentences=share_of_several(_some_sources(pairs), source_language),
        score_tokenize=recipe.data.score_tokenize,
        model=recipe.model,
        tokenizer=recipe.tokenizer,
        decoding=recipe.decoding,
    )
    torch.manual_seed(recipe.seed)
    model = build_model(config.model, source.vocabulary_size, target.vocabulary_size)
    if recipe.word_vectors is not None and world.rank == 0:  # whose weights all processes begin with
        _start_from_vectors(model, recipe.word_vectors, source, target, display)
    display.message(f"model: {sum(parameter.numel() for parameter in model.parameters()):,} parameters")
    judged = without_values(config.model, source.vocabulary_size, target.vocabulary_size)
    bundle = Bundle(config, judged, source, target)
    validator = Validator(bundle, pairs.dev, recipe.data.score_tokenize, world=world)
    _check_validation(validator.encoding, recipe.model.max_length, display)
    # A model that is to be divided may be too large for one device.
    return Parts(bundle, model if recipe.training.sharded else model.to(device), corpus, validator)


def _check_validation(report: EncodingReport, longest: int, display: Display) -> None:
    """Says how many pairs to validate on are too long. Raises RecipeError where all are, as the loss would be 0."""
    if not report.too_long:
        return
    longer = _longer(report, "model.max_length", longest)
    if not report.kept:
        raise RecipeError(
            f"nothing is left to validate on: {counted(report.too_long, 'pair')} {longer}; raise it, or give shorter "
            "pairs as data.dev"
        )
    judged = counted(report.kept + report.too_long, "pair")
    display.message(f"left out of dev_loss: {report.too_long:,} of {judged} {longer}")


def _longer(report: EncodingReport, limit: str, longest: int) -> str:
    """What is too long about some pairs, and where the first one is. limit: a key, whose value is `longest`"""
    return f"with more tokens on a side than {limit} = {longest:,} (first: {report.example})"


def _some_sources(pairs: Pairs) -> list[str]:
    """Sources at even distances, as many as `share_of_several` looks at or up to twice as many."""
    return [pair.source for pair in pairs.train[:: max(1, len(pairs.train) // SENTENCES_LOOKED_AT)]]


def _encoded(pairs: Pairs, encoder: Encoder, seed: int, display: Display) -> tuple[CorpusForEpoch, EncodingReport]:
    """The training pairs as token ids, each as often as its weight says."""
    if pairs.stored is None:
        corpus, report = encoder(pairs.train)
    else:
        corpus, report = stored_tokens(pairs.stored, encoder, display.message)
    in_epochs = sampled_in_epochs(corpus, pairs.train, report.rows, encoder, seed)
    if pairs.weights is not None:
        in_epochs = weighted(in_epochs, pairs.weights, seed, report.rows)
    return in_epochs, report


def _tokenizers(recipe: Recipe, pairs: Pairs, display: Display) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of the run that is resumed, if it has written its description already, else newly trained ones."""
    if (recipe.out / "config.json").exists():
        source, target = _read_tokenizers(recipe, pairs, display)
    else:
        source, target = _new_tokenizers(recipe, pairs, display)
    two = "" if recipe.tokenizer.shared else f" (source), {target.vocabulary_size:,} (target)"
    display.message(f"vocabulary: {source.vocabulary_size:,} pieces{two}")
    asked = recipe.tokenizer.vocabulary_size
    for size in dict.fromkeys([source.vocabulary_size, target.vocabulary_size]):
        if asked is not None and size != asked:
            why = "the text has no more to give" if size < asked else "its characters alone need so many"
            display.message(f"tokenizer.vocabulary_size = {asked:,} became {size:,}: {why}")
    return source, target


def _new_tokenizers(recipe: Recipe, pairs: Pairs, display: Display) -> tuple[Tokenizer, Tokenizer]:
    """Tokenizers trained on the training text, or those that an earlier run has stored with a corpus on disk."""

    def train() -> tuple[Tokenizer, Tokenizer]:
        display.message("training the tokenizer")
        return make_tokenizers(pairs.train, recipe.tokenizer, pairs.languages)

    if pairs.stored is None:
        return train()
    return stored_tokenizers(pairs.stored, recipe.tokenizer, pairs.languages, train, display.message)


def _read_tokenizers(recipe: Recipe, pairs: Pairs, display: Display) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers that the run has written. Damaged ones are trained again, which must give the files listed."""
    try:
        return load_tokenizers(recipe.out, recipe.tokenizer)
    except ModelError as error:
        if not is_listing(recipe.out):
            raise
        display.message(f"{error}; training the tokenizer again")
    source, target = make_tokenizers(pairs.train, recipe.tokenizer, pairs.languages)
    with TemporaryDirectory() as elsewhere:
        for name, tokenizer in tokenizer_files(recipe.tokenizer, source, target).items():
            made = Path(elsewhere, name)
            tokenizer.save(made)
            check_digest(recipe.out / name, partial(digest_of, made))
    return source, target


def _start_from_vectors(
    model: Seq2SeqModel[Any], path: Path, source: Tokenizer, target: Tokenizer, display: Display
) -> None:
    """Copies word vectors into the embeddings of both sides, for the words that the file of vectors has."""
    for name, tokenizer in (("source", source), ("target", target)):
        embedding = getattr(model, f"{name}_embedding").tokens
        pieces = tokenizer.pieces(range(tokenizer.vocabulary_size))
        vectors = load_word_vectors(path, pieces, embedding.embedding_dim)
        vectors.write_into(embedding)
        display.message(f"{name}: {vectors.report}")
