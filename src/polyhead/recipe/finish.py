"""What follows training: the final average, its scores, the model card."""

import json
from collections.abc import Container, Mapping
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import cast

import torch
from torch import Tensor

from polyhead.bundle.bundle import Bundle
from polyhead.bundle.save import save_weights
from polyhead.errors import ModelError, TrainingError
from polyhead.evaluation.metrics import Scores
from polyhead.limits import LARGEST_SETTINGS
from polyhead.manifest import check_listed, remove_listed, write_listed_text
from polyhead.model.config import ModelConfig, TransformerConfig
from polyhead.model.levels import on_levels
from polyhead.reading import read_text
from polyhead.recipe.card import write_card
from polyhead.recipe.prepare import Pairs
from polyhead.recipe.schema import Recipe
from polyhead.recipe.validation import load_weights, score_pairs
from polyhead.training.averaging import average, snapshot_path
from polyhead.training.log import Display
from polyhead.training.loop import Trainer
from polyhead.training.world import World
from polyhead.translating.translator import Translator

Results = dict[str, dict[str, float]]
"""Name of a dev or test set → metric → value."""


def finish(recipe: Recipe, bundle: Bundle, trainer: Trainer, pairs: Pairs, display: Display) -> Results:
    """Averages, rounds and saves the weights, scores the dev and test sets, and writes the card and then the scores."""
    weights = rounded(final_weights(trainer, recipe.out / "training"), recipe.model)
    trainer.output.check()
    save_weights(recipe.out, weights)
    results = judge_finished(recipe, bundle, weights, pairs, display, trainer.world)
    trainer.output.check()
    write_card(recipe, bundle, pairs, trainer.progress, results, datetime.now(UTC).date())
    numbers = {title: {score.name: score.value for score in scores.scores} for title, scores in results.items()}
    write_listed_text(_scores_path(recipe.out), json.dumps(numbers, ensure_ascii=False, indent=2) + "\n")
    display.message(f"the model is in {recipe.out}")
    return numbers


def judge_finished(
    recipe: Recipe, bundle: Bundle, weights: Mapping[str, Tensor], pairs: Pairs, display: Display, world: World
) -> dict[str, Scores]:
    """The scores of the dev and test sets by title, for which each process of a world translates a part of them.

    weights: those of the finished model in process 0; what other processes give is ignored
    """
    load_weights(bundle, world.broadcast_tensors(weights))
    translator = Translator(bundle, engine="auto", dtype="float32")
    results: dict[str, Scores] = {}
    for name, some in [("dev", pairs.dev), *pairs.test]:
        display.message(f"scoring {name}")
        for language, scores in score_pairs(translator, some, None, recipe.data.score_tokenize, world=world).items():
            title = _distinct(f"{name} ({language})" if bundle.config.tagged else name, results)
            results[title] = scores
            display.message(f"{title}, beam {recipe.decoding.beam_size}:\n{scores}")
    return results


def _distinct(title: str, taken: Container[str]) -> str:
    """The title; with a number behind it where another set, of the same file, has it already."""
    return next(each for each in chain([title], (f"{title} #{number}" for number in count(2))) if each not in taken)


def final_weights(trainer: Trainer, directory: Path) -> Mapping[str, Tensor]:
    """The average that the recipe asks for, of snapshots below `directory`.

    Raises TrainingError if snapshots are missing or damaged.
    """
    if (averaged := trainer.averaged()) is not None:
        return averaged
    paths = [snapshot_path(directory / "snapshots", int(update)) for update in trainer.progress.scores]
    if missing := [path for path in paths if not path.exists()]:
        raise TrainingError(f"{missing[0]} is missing, so the final average cannot be made")
    try:
        return average(sorted(paths))
    except ModelError as error:
        raise TrainingError(f"{error}; or go on with --resume, which makes the average without it") from error


def rounded(weights: Mapping[str, Tensor], config: ModelConfig) -> Mapping[str, Tensor]:
    """A Transformer's weights at the levels that 8-bit products have, so that int8 translates as float32 does.

    Other models' weights stay as they are. The rounding costs no quality that could be measured, and what 8-bit
    products round besides, the inputs, changes too little to be seen.
    """
    if not isinstance(config, TransformerConfig):
        return weights
    arrays = {name: weight.detach().cpu().numpy() for name, weight in weights.items()}
    return {name: torch.from_numpy(array) for name, array in on_levels(arrays).items()}


def read_scores(directory: Path) -> Results | None:
    """The scores that `finish` wrote; None where it has not come to its end, or where scores or weights are damaged."""
    try:
        check_listed(_scores_path(directory), LARGEST_SETTINGS)
        check_listed(directory / "model.safetensors")
        return cast(Results, json.loads(read_text(_scores_path(directory), LARGEST_SETTINGS)))
    except (OSError, ValueError, ModelError):
        return None


def remove_scores(directory: Path) -> None:
    """Deletes the scores, which mark a run as finished, as this one goes on."""
    path = _scores_path(directory)
    remove_listed(path.parent, [path.name])


def _scores_path(directory: Path) -> Path:
    return directory / "training" / "scores.json"
