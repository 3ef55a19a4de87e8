"""Carries a recipe out: files in, a model directory out."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

import polyhead
from polyhead.bundle import Bundle, BundleConfig, load_tokenizers, save_description, save_weights
from polyhead.data.encode import corpus_for_epochs
from polyhead.data.loader import Loader
from polyhead.errors import RecipeError, TrainingError
from polyhead.files import remove_leftovers
from polyhead.model.build import build_model
from polyhead.recipe.card import write_card
from polyhead.recipe.defaults import complete
from polyhead.recipe.load import Values, make_recipe
from polyhead.recipe.prepare import Pairs, located, make_tokenizers, read_pairs, target_languages, with_language
from polyhead.recipe.record import check_same, read_record, write_record
from polyhead.recipe.schema import Recipe
from polyhead.recipe.signals import stop_on_signals
from polyhead.recipe.validation import Validator, load_weights, score_pairs
from polyhead.data.readers import read_all
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.training.averaging import RunningMean, average, snapshot_path
from polyhead.training.checkpoint import Progress, checkpoints, load_checkpoint
from polyhead.training.log import Display, MetricsFile, make_display
from polyhead.training.loop import Interrupt, Trainer
from polyhead.training.optimizer import Optimizer
from polyhead.training.precision import choose_dtype
from polyhead.training.schedule import build_schedule
from polyhead.translator import Translator

NOMINAL_PAIRS = 30_000
"""Stands for the corpus size while a recipe is checked before its files are read."""


@dataclass(frozen=True)
class Outcome:
    """What became of a run."""

    directory: Path
    finished: bool
    """False when a signal ended it early; `--resume` goes on."""
    scores: Mapping[str, Mapping[str, float]]
    """Test set → metric → value."""


def train(values: Values, *, resume: bool = False) -> Outcome:
    """Trains what `values` (a recipe's tables) describe, and writes the model directory.

    Raises RecipeError, DataError or TrainingError; what was written stays, and `resume` goes on from it.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    draft = make_recipe(complete(values, NOMINAL_PAIRS, device)[0])
    _check_directory(draft.out, resume)
    if draft.threads is not None:
        torch.set_num_threads(draft.threads)
    display = make_display(draft.training.max_updates)
    try:
        display.message("reading the corpus")
        pairs = read_pairs(draft.data, draft.seed)
        display.message(str(pairs.report))
        completed, choices = complete(values, len(pairs.train), device)
        recipe = make_recipe(completed)
        for choice in choices:
            display.message(f"chosen: {choice}")
        if resume:
            check_same(recipe, read_record(recipe.out))
        return _run(recipe, pairs, device, display, resume)
    finally:
        display.close()


def _run(recipe: Recipe, pairs: Pairs, device: torch.device, display: Display, resume: bool) -> Outcome:
    torch.manual_seed(recipe.seed)
    bundle = _make_bundle(recipe, pairs, resume, display)
    trainer = _make_trainer(recipe, bundle, pairs, device, display, resume)
    with stop_on_signals(trainer.interrupt), closing(trainer.metrics):
        done = trainer.run()
    if not done:
        display.message(
            f"stopped at update {trainer.progress.update}; the same command with --resume goes on from there"
        )
        return Outcome(recipe.out, False, {})
    return _finish(recipe, bundle, trainer, display)


def _make_bundle(recipe: Recipe, pairs: Pairs, resume: bool, display: Display) -> Bundle:
    """Tokenizers (trained, or those of the run that is resumed) and a fresh model in evaluation mode."""
    languages = target_languages(pairs.train)
    if resume:
        source, target = load_tokenizers(recipe.out, recipe.tokenizer)
    else:
        display.message("training the tokenizer")
        source, target = make_tokenizers(pairs.train, recipe.tokenizer, languages)
    display.message(
        f"vocabulary: {source.vocabulary_size:,} pieces"
        + ("" if recipe.tokenizer.shared else f" (source), {target.vocabulary_size:,} (target)")
    )
    config = BundleConfig(
        polyhead=polyhead.__version__,
        source_language=recipe.data.source_language,
        target_languages=languages,
        tagged=len(languages) > 1,
        source_vocabulary=source.vocabulary_size,
        target_vocabulary=target.vocabulary_size,
        model=recipe.model,
        tokenizer=recipe.tokenizer,
        decoding=recipe.decoding,
    )
    if not resume:
        save_description(recipe.out, config, source, target)
        write_record(recipe)
    model = build_model(config.model, source.vocabulary_size, target.vocabulary_size)
    return Bundle(config, model.eval(), source, target)


def _make_trainer(
    recipe: Recipe, bundle: Bundle, pairs: Pairs, device: torch.device, display: Display, resume: bool
) -> Trainer:
    config = recipe.training
    torch.manual_seed(recipe.seed)
    model = build_model(recipe.model, bundle.config.source_vocabulary, bundle.config.target_vocabulary).to(device)
    display.message(f"model: {sum(p.numel() for p in model.parameters()):,} parameters")
    optimizer = Optimizer(model, config.optimizer, choose_dtype(config.precision, device))
    directory = recipe.out / "training"
    progress, mean = Progress(), None
    if config.averaging.kind == "ema":
        mean = RunningMean(optimizer.masters, config.averaging.decay)
    torch.manual_seed(recipe.seed + 1)
    metrics_from = None
    if resume:
        progress = _restore(directory, optimizer, mean)
        metrics_from = progress.update
        display.message(f"resuming after update {progress.update}")
    corpus, report = corpus_for_epochs(
        pairs.train,
        bundle.source_tokenizer,
        bundle.target_tokenizer,
        bundle.config.tagged,
        recipe.seed,
        min(recipe.data.max_tokens, recipe.model.max_length),
    )
    if report.too_long:
        display.message(f"{report.too_long} pairs of too many tokens are left out (first: {report.example})")
    loader = Loader(corpus, recipe.data.batching, recipe.seed)
    return Trainer(
        model=model,
        optimizer=optimizer,
        schedule=build_schedule(config.schedule, recipe.model.d_model, config.max_updates),
        stream=loader.stream,
        validate=Validator(bundle, pairs.dev, recipe.data.score_tokenize),
        config=config,
        directory=directory,
        metrics=MetricsFile(directory / "metrics.jsonl", metrics_from),
        display=display,
        progress=progress,
        interrupt=Interrupt(),
        running_mean=mean,
        on_best=lambda weights: save_weights(recipe.out, weights),
    )


def _restore(directory: Path, optimizer: Optimizer, mean: RunningMean | None) -> Progress:
    """The newest checkpoint into optimizer and mean; from the start if there is none yet."""
    remove_leftovers(directory / "checkpoints")
    remove_leftovers(directory / "snapshots")
    found = checkpoints(directory / "checkpoints")
    if not found:
        return Progress()
    progress, tensors = load_checkpoint(found[-1])
    optimizer.restore(tensors)
    if mean is not None:
        mean.weights = {name: tensors[f"mean.{name}"] for name in mean.weights}
    return progress


def _finish(recipe: Recipe, bundle: Bundle, trainer: Trainer, display: Display) -> Outcome:
    """Averages, saves, scores the test sets, writes the model card."""
    weights = final_weights(trainer)
    save_weights(recipe.out, weights)
    load_weights(bundle, weights)
    sets = [("dev", list(trainer.validate.pairs))] if isinstance(trainer.validate, Validator) else []
    for reader in recipe.data.test:
        name = str(getattr(reader, "source", getattr(reader, "path", "test")))
        pairs = list(read_all(located([reader], recipe.data.root)))
        sets.append((name, with_language(pairs, recipe.data.target_language)))
    translator = Translator(bundle)
    results = {}
    for name, pairs in sets:
        for language, scores in score_pairs(translator, pairs, None, recipe.data.score_tokenize).items():
            title = f"{name} ({language})" if bundle.config.tagged else name
            results[title] = scores
            display.message(f"{title}, beam {recipe.decoding.beam_size}:\n{scores}")
    write_card(recipe, bundle, trainer.progress, results)
    display.message(f"the model is in {recipe.out}")
    numbers = {
        title: {name: scores[name].value for name in ("bleu", "chrf", "ter")} for title, scores in results.items()
    }
    return Outcome(recipe.out, True, numbers)


def final_weights(trainer: Trainer) -> Mapping[str, Tensor]:
    """The average that the recipe asks for. Raises TrainingError if its snapshots are gone."""
    if trainer.running_mean is not None:
        return trainer.running_mean.weights
    paths = [snapshot_path(trainer.directory / "snapshots", int(update)) for update in trainer.progress.scores]
    if missing := [path for path in paths if not path.exists()]:
        raise TrainingError(f"{missing[0]} is missing, so the final average cannot be made")
    return average(sorted(paths))


def _check_directory(directory: Path, resume: bool) -> None:
    started = (directory / "training" / "recipe.toml").exists()
    if resume and not started:
        raise RecipeError(f"{directory}: there is no training run to resume")
    if not resume and (started or (directory / "config.json").exists()):
        raise RecipeError(
            f"{directory} already holds a model or a run: go on with --resume, or choose another --out"
        )
