"""How good weights are on the dev set: loss, BLEU, chrF."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from torch import Tensor

from polyhead.batch import Batch
from polyhead.bundle.bundle import Bundle
from polyhead.data.batching import BatchingConfig, batches
from polyhead.data.encode import EncodingReport, encode
from polyhead.data.loader import collate_rows
from polyhead.data.readers import Pair
from polyhead.data.store import EncodedCorpus
from polyhead.data.windows import Window
from polyhead.decoding.config import GreedyConfig, SearchConfig
from polyhead.decoding.scoring import score
from polyhead.evaluation.metrics import Scores, evaluate
from polyhead.model.trained import fill
from polyhead.training.judging import Part, Weights
from polyhead.training.world import ALONE, World
from polyhead.translating.translator import Translator


class Validator:
    """Scores weights with a model of its own, in float32, so that the one in training is not touched.

    Where several processes train, each judges some batches and translates some sentences. As no sentence's translation
    depends on what else is translated, and as losses are added up in the order of the batches, the scores are those
    of one process. The loss is that of the pairs that fit the model; `encoding` counts the others.
    """

    def __init__(
        self,
        bundle: Bundle,
        pairs: Sequence[Pair],
        tokenize: str | None,
        search: SearchConfig | None = None,
        world: World = ALONE,
    ) -> None:
        self.bundle = bundle
        self.world = world
        self.pairs = pairs
        self.tokenize = tokenize
        self.search = search if search is not None else GreedyConfig()
        corpus, self.encoding = _encoded(bundle, pairs)
        self._batches = list(_batches(corpus))

    def part(self, weights: Weights) -> Part:
        """Judges this process's part of the dev set."""
        load_weights(self.bundle, weights)
        losses = {number: self._loss(self._batches[number]) for number in _own(len(self._batches), self.world)}
        translator = Translator(self.bundle, engine="auto", dtype="float32")
        return Part(losses, translations(translator, self.pairs, self.search, _own(len(self.pairs), self.world)))

    def scores(self, parts: Sequence[Part]) -> dict[str, float]:
        """All processes' parts → dev_loss (nats a token), dev_bleu, dev_chrf (0–100; mean over target languages)."""
        losses = {number: loss for part in parts for number, loss in part.losses.items()}
        outputs = {number: text for part in parts for number, text in part.outputs.items()}
        total = -sum(losses[number] for number in range(len(self._batches)))
        numbers = {"dev_loss": total / max(1, sum(batch.target_tokens for batch in self._batches))}
        texts = [outputs[number] for number in range(len(self.pairs))]
        results = _scored(self.pairs, texts, self.tokenize, ("bleu", "chrf"))
        for metric in ("bleu", "chrf"):
            values = {language: result[metric].value for language, result in results.items()}
            numbers[f"dev_{metric}"] = sum(values.values()) / len(values)
            if len(values) > 1:
                numbers |= {f"dev_{metric}_{language}": value for language, value in values.items()}
        return numbers

    def _loss(self, batch: Batch) -> float:
        """The sum of the target tokens' log-probabilities, in nats."""
        return float(score(self.bundle.model, batch).sum())


def load_weights(bundle: Bundle, weights: Mapping[str, Tensor]) -> None:
    """Sets the weights of the bundle's model, in float32. On a CPU it may share memory with a model in training."""
    fill(bundle.model, {name: weight.detach().float().cpu().numpy() for name, weight in weights.items()})


def score_pairs(
    translator: Translator,
    pairs: Sequence[Pair],
    search: SearchConfig | None,
    tokenize: str | None,
    metrics: Sequence[str] = ("bleu", "chrf", "ter"),
    world: World = ALONE,
) -> dict[str, Scores]:
    """Translates the sources, each process of a world a part of them, and scores them against the targets.

    Each target language is scored apart.
    """
    parts = world.all_gather(translations(translator, pairs, search, _own(len(pairs), world)))
    outputs = {number: text for part in parts for number, text in part.items()}
    return _scored(pairs, [outputs[number] for number in range(len(pairs))], tokenize, metrics)


def translations(
    translator: Translator, pairs: Sequence[Pair], search: SearchConfig | None, rows: Iterable[int]
) -> dict[int, str]:
    """The translations of those pairs whose numbers are in `rows`, by these numbers."""
    found: dict[int, str] = {}
    for language, members in _by_language(pairs, rows):
        asked = language if translator.config.tagged else None
        sources = [pairs[row].source for row in members]
        outputs = translator.translate(sources, search=search, target_language=asked)
        found |= {row: output.text for row, output in zip(members, outputs, strict=True)}
    return found


def _scored(
    pairs: Sequence[Pair], texts: Sequence[str], tokenize: str | None, metrics: Sequence[str]
) -> dict[str, Scores]:
    """texts: the translation of each pair → the scores of each target language."""
    return {
        language: evaluate(
            [texts[row] for row in members],
            [pairs[row].target for row in members],
            language or None,
            metrics=metrics,
            tokenize=tokenize,
        )
        for language, members in _by_language(pairs, range(len(pairs)))
    }


def _by_language(pairs: Sequence[Pair], rows: Iterable[int]) -> Iterator[tuple[str, list[int]]]:
    """The rows of each target language, in their order."""

    def language(row: int) -> str:
        return pairs[row].target_language or ""

    for name, members in groupby(sorted(rows, key=language), key=language):
        yield name, list(members)


def _own(count: int, world: World) -> range:
    """The numbers of those of `count` tasks that this process does."""
    return range(world.rank, count, world.size)


def _encoded(bundle: Bundle, pairs: Sequence[Pair]) -> tuple[EncodedCorpus, EncodingReport]:
    limit = bundle.config.model.max_length
    return encode(pairs, bundle.source_tokenizer, bundle.target_tokenizer, bundle.config.tagged, max_tokens=limit)


def _batches(corpus: EncodedCorpus) -> Iterator[Batch]:
    config = BatchingConfig(max_tokens=1024, shuffle=False)  # the logits take a few MiB, near the size of caches
    for draw in batches(corpus.source_lengths, corpus.target_lengths, config, seed=0, window=Window()):
        yield collate_rows(corpus, draw)
