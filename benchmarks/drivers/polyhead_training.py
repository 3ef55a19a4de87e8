"""polyhead: its own trainer, as `polyhead train` assembles it, on the batches that every system gets.

The trainer asks its stream for a batch when it has done with the one before, so the stream is where time is taken.
"""

import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import torch

import polyhead
from device import Device
from plain_loop import PAD, endless_batches, read_batches
from polyhead.batch import Batch
from polyhead.bundle.bundle import Bundle
from polyhead.bundle.config import BundleConfig
from polyhead.bundle.save import save_weights
from polyhead.data.loader import Position
from polyhead.data.statistics import CorpusStatistics
from polyhead.decoding.config import GreedyConfig
from polyhead.decoding.scoring import score
from polyhead.model.build import build_model
from polyhead.model.trained import without_values
from polyhead.recipe.assemble import Parts
from polyhead.recipe.defaults import complete
from polyhead.recipe.load import make_recipe
from polyhead.recipe.schema import Recipe
from polyhead.recipe.trainers import make_trainer
from polyhead.recipe.validation import Validator, load_weights
from polyhead.run_lock import Held
from polyhead.tokenizers.build import load as load_tokenizer
from polyhead.training.log import PlainDisplay
from polyhead.training.loop import Trainer
from polyhead.translating.translator import Translator
from wire import Wire, failure

NEVER = 1_000_000_000
SHAPE = ("encoder_layers", "decoder_layers", "d_model", "d_ff", "num_heads", "dropout")


def recipe_of(request: dict[str, Any], corpus: CorpusStatistics) -> Recipe:
    """The recipe that a user would write for this size, with what follows from corpus and machine filled in."""
    size, setting, schedule = request["size"], request["setting"], request["schedule"]
    values = {
        "out": request["scratch"],
        "threads": setting["threads"],
        "data": request["data"],
        "tokenizer": {"kind": "bpe", "vocabulary_size": size["vocabulary"]},
        "model": {name: size[name] for name in SHAPE},
        "training": {
            "max_updates": NEVER,
            "validate_every": NEVER,
            "precision": setting["precision"],
            "label_smoothing": size["label_smoothing"],
            "optimizer": {"kind": "adam"},
            "schedule": {"kind": "inverse-sqrt", "learning_rate": schedule["peak"], "warmup": schedule["warmup"]},
        },
    }
    torch.set_num_threads(setting["threads"])
    completed, choices = complete(values, corpus, Device.of(setting).torch)
    for choice in choices:
        print(f"chosen: {choice}")
    return make_recipe(completed)


def parts_of(recipe: Recipe, vocabulary: str, device: Device) -> Parts:
    """A fresh model there, with the given vocabulary; what reads the corpus is left out, as the batches are given."""
    tokenizer = load_tokenizer(Path(vocabulary), recipe.tokenizer)
    pieces = tokenizer.vocabulary_size
    config = BundleConfig(
        polyhead=polyhead.__version__,
        source_vocabulary=pieces,
        target_vocabulary=pieces,
        model=recipe.model,
        tokenizer=recipe.tokenizer,
    )
    torch.manual_seed(recipe.seed)
    model = build_model(config.model, pieces, pieces)
    bundle = Bundle(config, without_values(config.model, pieces, pieces), tokenizer, tokenizer)
    return Parts(bundle, model.to(device.torch), _no_corpus, Validator(bundle, (), None))


def _statistics(batches: str) -> CorpusStatistics:
    """What the batches tell of the text that they were made from."""
    pairs = sources = targets = 0
    for source, _, target in read_batches(batches):
        pairs, sources, targets = (
            pairs + len(source),
            sources + int((source != PAD).sum()),
            targets + int((target != PAD).sum()),
        )
    return CorpusStatistics(pairs, sources + targets, 100, sources, targets)


def _no_corpus(epoch: int, sampled_epochs: int | None) -> NoReturn:
    raise RuntimeError(f"the batches are given, but epoch {epoch} of a corpus was asked for")


class Session:
    """A trainer whose stream of batches answers the runner's requests."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.requests = wire.requests()
        self.request = next(self.requests)
        recipe = recipe_of(self.request, _statistics(self.request["batches"]))
        self.device = Device.of(self.request["setting"])
        self.parts = parts_of(recipe, self.request["vocabulary"], self.device)
        (recipe.out / "training").mkdir(parents=True, exist_ok=True)
        held = Held(recipe.out, None)
        trainer = make_trainer(self.parts, recipe, held, self.device.torch, PlainDisplay(), resume=False)
        self.trainer: Trainer = replace(trainer, stream=self.stream)
        self.weights = sum(parameter.numel() for parameter in self.parts.model.parameters())
        self.arithmetic = str(trainer.differentiation.fused.arithmetic)

    def stream(self, _: Position, sampled_epochs: int | None) -> Generator[tuple[Position, Batch], None, None]:
        """Batches as long as requests ask for some; the end of the requests ends the process."""
        batches = (Batch(*arrays) for arrays in endless_batches(self.request["batches"]))
        self.wire.answer({"parameters": self.weights, "said": self.arithmetic})
        for request in self.requests:
            if request["do"] == "run":
                yield from self._timed(request["count"], batches)
            else:
                self.wire.answer(self._other(request))
        raise SystemExit

    def _other(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "judge":
                return self._judge()
            case "save":
                return self._save(Path(request["directory"]))
            case _:
                return self._translate(request)

    def _timed(self, count: int, batches: Iterator[Batch]) -> Iterator[tuple[Position, Batch]]:
        chosen = [next(batches) for _ in range(count)]
        tokens = sum(int((batch.target_out != PAD).sum()) for batch in chosen)
        self.device.wait()
        start = time.perf_counter()
        for batch in chosen:
            yield Position(), batch
        # Here the trainer asks for the batch after the last one: it has done with that, or asked a GPU for all of it.
        self.device.wait()
        self.wire.answer({"tokens": tokens, "seconds": time.perf_counter() - start, **self.device.peaks()})

    def _judge(self) -> dict[str, Any]:
        load_weights(self.parts.bundle, self.trainer.weights())
        total, tokens = 0.0, 0
        for arrays in read_batches(self.request["judged"]):
            batch = Batch(*arrays)
            table = score(self.parts.bundle.model, batch.source, batch.source_mask, batch.target_in, batch.target_out)
            total, tokens = total - float(table.sum()), tokens + int((batch.target_out != PAD).sum())
        return {"loss": total / tokens}

    def _save(self, directory: Path) -> dict[str, Any]:
        """Writes a model directory of the weights as they are now."""
        directory.mkdir(parents=True, exist_ok=True)
        self.parts.write_description(directory)
        save_weights(directory, self.trainer.weights())
        return {}

    def _translate(self, request: dict[str, Any]) -> dict[str, Any]:
        load_weights(self.parts.bundle, self.trainer.weights())
        tokenizer = self.parts.bundle.target_tokenizer
        texts = [tokenizer.decode(ids[:-1]) for ids in request["sources"]]  # without `<eos>`
        found = Translator(self.parts.bundle).translate(texts, search=GreedyConfig())
        return {"outputs": [tokenizer.encode(translation.text) for translation in found]}


def main() -> None:
    """Trains until the runner has no more requests."""
    wire = Wire()
    try:
        session = Session(wire)
        session.trainer.run()
    except Exception as error:
        wire.answer(failure(error))
        raise


if __name__ == "__main__":
    main()
