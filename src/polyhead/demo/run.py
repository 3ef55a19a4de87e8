"""`polyhead demo`: from nothing to a judged translator in minutes."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from polyhead.demo.grammar import DemoCorpus, Example, pronoun_of
from polyhead.demo.texts import TextScores, score_texts
from polyhead.evaluation.metrics import evaluate
from polyhead.files import remove_leftovers, write_text
from polyhead.inspection.pictures import loss_curve_picture, positional_encoding_picture
from polyhead.model.positions import positional_encoding
from polyhead.recipe.load import Values, merge
from polyhead.recipe.record import started
from polyhead.recipe.train import directory_of, train_in
from polyhead.run_lock import Held, exclusive
from polyhead.training.log import duration
from polyhead.translating.translator import Translator

LANGUAGES = ("fr", "ko")
PICTURED_SENTENCE = "The animal didn't cross the street because it was too tired"
PICTURED = (50, 128)
"""Positions and dimensions of the pictured positional encoding, as in the lecture."""


@dataclass(frozen=True)
class DemoReport:
    """What the demonstration measured."""

    bleu: dict[str, float]
    """Target language → BLEU on the held-out sentences."""
    signature: dict[str, str]
    pronouns: float
    """The share of il/elle that agree with the antecedent, in held-out sentences."""
    texts: TextScores
    """How well the model does on texts made of the held-out sentences."""
    lecture: tuple[tuple[Example, str], ...]
    """The lecture's sentences and what the model made of them."""
    seconds: float

    @property
    def lecture_right(self) -> int:
        """How many of the lecture's sentences came out exactly."""
        return sum(example.target == output for example, output in self.lecture)

    def __str__(self) -> str:
        lines = [
            f"BLEU on held-out {language}: {value:.1f}  ({self.signature[language]})"
            for language, value in self.bleu.items()
        ]
        lines.append(f"il/elle right: {100 * self.pronouns:.1f} %")
        for what, scores in (("paragraphs", self.texts.paragraphs), ("sentences in capitals", self.texts.capitals)):
            said = ", ".join(f"{language} {value:.1f}" for language, value in scores.items())
            lines.append(f"BLEU of {what} of the same: {said}")
        lines.append(f"tags, placeholders and numbers in them that came back once each: {100 * self.texts.kept:.1f} %")
        lines.append(
            f"the lecture's sentences, none of them in training: {self.lecture_right} of {len(self.lecture)} right"
        )
        for example, output in self.lecture:
            mark = "✓" if example.target == output else f"✗ expected: {example.target}"
            lines.append(f"  {example.source}\n    → {output}  {mark}")
        lines.append(f"all of it took {duration(self.seconds)}")
        return "\n".join(lines)


def run_demo(out: Path, corpus: DemoCorpus, seed: int = 1, keys: Values | None = None) -> DemoReport | None:
    """Trains on `corpus`, evaluates the model and draws pictures. None when a signal ended training early.

    Called again, it goes on where it stopped; a finished model is evaluated and drawn once more.
    Raises RecipeError if `out` holds a run with another seed, other keys or another corpus.
    """
    values = recipe_values(out, out / "corpus", seed, keys or {})
    with exclusive(directory_of(values)) as held:
        return _run_demo(held, values, corpus)


def _run_demo(held: Held, values: Values, corpus: DemoCorpus) -> DemoReport | None:
    began, out = time.monotonic(), held.directory
    for folder in ("corpus", "pictures"):
        remove_leftovers(out / folder)
    resume = started(out)
    if not resume:
        write_corpus(corpus, out / "corpus")
    if not train_in(held, values, resume=resume).finished:
        return None
    translator = Translator.load(out)
    report = _judge(translator, corpus, began)
    _draw(translator, out)
    summary = {
        "bleu": report.bleu,
        "signature": report.signature,
        "pronoun_accuracy": report.pronouns,
        "texts": asdict(report.texts),
        "lecture": [
            {"source": example.source, "language": example.language, "expected": example.target, "output": output}
            for example, output in report.lecture
        ],
        "seconds": round(report.seconds, 1),
    }
    write_text(out / "report.json", json.dumps(summary, ensure_ascii=False, indent=2) + "\n")
    return report


def write_corpus(corpus: DemoCorpus, directory: Path) -> None:
    """Writes aligned files `train.en-fr.en`, `train.en-fr.fr` and so on; makes the directory if it is missing."""
    directory.mkdir(parents=True, exist_ok=True)
    for split in ("train", "dev", "test"):
        for language in LANGUAGES:
            examples = [example for example in getattr(corpus, split) if example.language == language]
            stem = f"{split}.en-{language}"
            write_text(directory / f"{stem}.en", "".join(f"{example.source}\n" for example in examples))
            write_text(directory / f"{stem}.{language}", "".join(f"{example.target}\n" for example in examples))


def recipe_values(out: Path, files: Path, seed: int, keys: Values) -> Values:
    """The demonstration's recipe, in which `keys` replace or add values."""

    def sets(split: str) -> list[Values]:
        return [
            {
                "kind": "lines",
                "source": f"{split}.en-{language}.en",
                "target": f"{split}.en-{language}.{language}",
                "target_language": language,
            }
            for language in LANGUAGES
        ]

    values: Values = {
        "out": str(out),
        "seed": seed,
        "data": {
            "root": str(files.resolve()),
            "source_language": "en",
            "train": sets("train"),
            "dev": sets("dev"),
            "batching": {"max_tokens": 4096},
        },
        "tokenizer": {"kind": "bpe", "vocabulary_size": 4000},
        "model": {
            "encoder_layers": 2,
            "decoder_layers": 2,
            "d_model": 192,
            "d_ff": 512,
            "num_heads": 4,
            "dropout": 0.1,
        },
        "training": {
            "max_updates": 1800,
            "workers": 2,
            "label_smoothing": 0.1,
            "validate_every": 900,
            "metric": "dev_loss",
            "schedule": {"kind": "cosine"},
            "averaging": {"kind": "none"},
        },
        "decoding": {"beam_size": 4},
    }
    return merge(values, keys)


def _judge(translator: Translator, corpus: DemoCorpus, began: float) -> DemoReport:
    bleu: dict[str, float] = {}
    signature: dict[str, str] = {}
    for language in LANGUAGES:
        examples = [example for example in corpus.test if example.language == language]
        outputs = _translate(translator, examples)
        score = evaluate(outputs, [example.target for example in examples], language, metrics=("bleu",))["bleu"]
        bleu[language], signature[language] = score.value, score.signature
    outputs = _translate(translator, corpus.coreference)
    pairs = list(zip(corpus.coreference, outputs, strict=True))
    right = sum(pronoun_of(output) == pronoun_of(example.target) for example, output in pairs)
    lecture = tuple(zip(corpus.lecture, _translate(translator, corpus.lecture), strict=True))
    texts = score_texts(translator, corpus.test)
    return DemoReport(bleu, signature, right / len(pairs), texts, lecture, time.monotonic() - began)


def _translate(translator: Translator, examples: Sequence[Example]) -> list[str]:
    """Translates each example into its own language, in order."""
    outputs = [""] * len(examples)
    for language in LANGUAGES:
        rows = [row for row, example in enumerate(examples) if example.language == language]
        results = translator.translate([examples[row].source for row in rows], target_language=language)
        for row, result in zip(rows, results, strict=True):
            outputs[row] = result.text
    return outputs


def _draw(translator: Translator, out: Path) -> None:
    """Draws the cross-attention of a lecture's sentence for each language, the positional encoding and the losses."""
    pictures = out / "pictures"
    pictures.mkdir(exist_ok=True)
    for language in LANGUAGES:
        found = translator.attention(PICTURED_SENTENCE, target_language=language)
        found.save(pictures / f"cross-attention.{language}.png")
    positional_encoding_picture(positional_encoding(*PICTURED).numpy(), pictures / "positional-encoding.png")
    metrics = (out / "training" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    loss_curve_picture([json.loads(line) for line in metrics], pictures / "training.png")
