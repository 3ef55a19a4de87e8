"""The model card: README.md of a model directory."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from polyhead.bundle.bundle import Bundle
from polyhead.data.readers import ReaderConfig
from polyhead.errors import counted
from polyhead.evaluation.metrics import Scores
from polyhead.manifest import write_listed_text
from polyhead.recipe.distilled import DistilledCorpus
from polyhead.recipe.prepare import Pairs
from polyhead.recipe.schema import Recipe
from polyhead.training.checkpoint import Progress
from polyhead.training.log import duration


def write_card(
    recipe: Recipe, bundle: Bundle, pairs: Pairs, progress: Progress, scores: Mapping[str, Scores], today: date
) -> None:
    """Writes the model card: data, sizes, scores with signatures, and the command that uses the model.

    Files and directories appear by their names alone: whoever gets the model need not know where they were.
    """
    config = bundle.config
    parameters = bundle.parameters
    to = f" --to {config.target_languages[0]}" if config.tagged else ""
    lines = [
        f"# {_directions(recipe, bundle)}",
        "",
        f"A {config.model.kind} model of {parameters:,} parameters, trained with polyhead {config.polyhead}.",
        "",
        "```sh",
        f'echo "…" | polyhead translate {recipe.out.resolve().name}{to}',
        "```",
        "",
        "## Training",
        "",
        f"- Data: {_listed(recipe.data.train)}, {counted(len(pairs.train), 'pair')}",
        f"- Validated on: {_dev_set(recipe, pairs)}",
        *_teachers(recipe),
        f"- Vocabulary: {config.target_vocabulary:,} pieces ({config.tokenizer.kind})",
        f"- Finished: {today.isoformat()}",
        f"- Licence: {recipe.licence or 'none is named; the texts that it was trained on have their own'}",
        f"- Updates: {progress.update:,} in {duration(progress.seconds)}; best validation at {progress.best_update:,}",
        (
            "- Every setting: [training/recipe.toml](training/recipe.toml); "
            "every measurement: [training/metrics.jsonl](training/metrics.jsonl)"
        ),
        "",
        "## Scores",
        "",
        f"Beam {recipe.decoding.beam_size}.",
        "",
        "| set | metric | score | signature |",
        "|---|---|---|---|",
    ]
    for title, result in scores.items():
        name = Path(title).name
        lines += [f"| {name} | {score.name} | {score.value:.2f} | `{score.signature}` |" for score in result.scores]
    write_listed_text(recipe.out / "README.md", "\n".join(lines) + "\n")


def _directions(recipe: Recipe, bundle: Bundle) -> str:
    """The languages for the title: `en → fr, ko`, or `en ↔ fr` for a model of both directions."""
    source, arrow = bundle.config.source_language, "→"
    if recipe.data.both_directions:
        source, arrow = recipe.data.source_language, "↔"
    targets = [language for language in bundle.config.target_languages if language != source]
    return f"{source or 'source'} {arrow} {', '.join(targets) or 'target'}"


def _dev_set(recipe: Recipe, pairs: Pairs) -> str:
    number = counted(len(pairs.dev), "pair")
    if pairs.validates_on_training:
        return f"the training text itself, {number}"
    return f"{number} held out of the training text" if pairs.held_out else f"{_listed(recipe.data.dev)}, {number}"


def _teachers(recipe: Recipe) -> list[str]:
    """The line that names a student's teachers; no line for a model that was not distilled."""
    corpus = DistilledCorpus(recipe.out / "distilled")
    return [f"- Teacher: {', '.join(f'`{name}`' for name in corpus.teachers)}"] if corpus.begun else []


def _listed(readers: Sequence[ReaderConfig]) -> str:
    return ", ".join(_files(readers))


def _files(readers: Sequence[ReaderConfig]) -> list[str]:
    """The names of the files that are read, without their directories."""
    values = [reader.model_dump(mode="json") for reader in readers]
    return [f"`{Path(each[key]).name}`" for each in values for key in ("source", "target", "path") if key in each]
