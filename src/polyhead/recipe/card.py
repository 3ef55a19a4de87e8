"""The model card: README.md of a model directory."""

from collections.abc import Mapping

from polyhead.bundle.bundle import Bundle
from polyhead.evaluation.metrics import Scores
from polyhead.manifest import write_listed_text
from polyhead.recipe.schema import Recipe
from polyhead.training.checkpoint import Progress
from polyhead.training.log import duration


def write_card(recipe: Recipe, bundle: Bundle, progress: Progress, scores: Mapping[str, Scores]) -> None:
    """Data, sizes, scores with signatures, and the command that uses the model."""
    config = bundle.config
    parameters = bundle.parameters
    to = f" --to {config.target_languages[0]}" if config.tagged else ""
    lines = [
        f"# {_directions(recipe, bundle)}",
        "",
        f"A {config.model.kind} model of {parameters:,} parameters, trained with polyhead {config.polyhead}.",
        "",
        "```sh",
        f'echo "…" | polyhead translate {recipe.out}{to}',
        "```",
        "",
        "## Training",
        "",
        f"- Data: {', '.join(_sources(recipe))}",
        f"- Vocabulary: {config.target_vocabulary:,} pieces ({config.tokenizer.kind})",
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
        lines += [f"| {title} | {score.name} | {score.value:.2f} | `{score.signature}` |" for score in result.scores]
    write_listed_text(recipe.out / "README.md", "\n".join(lines) + "\n")


def _directions(recipe: Recipe, bundle: Bundle) -> str:
    """`en → fr, ko`, or `en ↔ fr` for a model of both directions."""
    source, arrow = bundle.config.source_language, "→"
    if recipe.data.both_directions:
        source, arrow = recipe.data.source_language, "↔"
    targets = [language for language in bundle.config.target_languages if language != source]
    return f"{source or 'source'} {arrow} {', '.join(targets) or 'target'}"


def _sources(recipe: Recipe) -> list[str]:
    names: list[str] = []
    for reader in recipe.data.train:
        values = reader.model_dump(mode="json")
        names += [f"`{values[key]}`" for key in ("source", "target", "path") if key in values]
    return names
