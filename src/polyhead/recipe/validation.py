"""How good weights are on the dev set: loss, BLEU, chrF."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from torch import Tensor

from polyhead.batch import Batch
from polyhead.bundle.bundle import Bundle
from polyhead.data.batching import BatchingConfig, batches
from polyhead.data.encode import encode
from polyhead.data.loader import collate_rows
from polyhead.data.readers import Pair
from polyhead.data.windows import Window
from polyhead.decoding.config import GreedyConfig, SearchConfig
from polyhead.decoding.scoring import score
from polyhead.evaluation.metrics import Scores, evaluate
from polyhead.model.trained import fill
from polyhead.symbols import PAD
from polyhead.translating.translator import Translator


class Validator:
    """Scores weights with a model of its own, in float32, so that the one in training is not touched."""

    def __init__(
        self, bundle: Bundle, pairs: Sequence[Pair], tokenize: str | None, search: SearchConfig | None = None
    ) -> None:
        self.bundle = bundle
        self.pairs = pairs
        self.tokenize = tokenize
        self.search = search if search is not None else GreedyConfig()
        self._batches = list(_batches(bundle, pairs))

    def __call__(self, weights: Mapping[str, Tensor]) -> dict[str, float]:
        """weights by name → dev_loss (nats a token), dev_bleu, dev_chrf (0–100; the mean over target languages)."""
        load_weights(self.bundle, weights)
        numbers = {"dev_loss": self._loss()}
        translator = Translator(self.bundle, engine="auto", dtype="float32")
        scores = score_pairs(translator, self.pairs, self.search, self.tokenize, ("bleu", "chrf"))
        for metric in ("bleu", "chrf"):
            values = {language: result[metric].value for language, result in scores.items()}
            numbers[f"dev_{metric}"] = sum(values.values()) / len(values)
            if len(values) > 1:
                numbers |= {f"dev_{metric}_{language}": value for language, value in values.items()}
        return numbers

    def _loss(self) -> float:
        total, tokens = 0.0, 0
        for batch in self._batches:
            table = score(self.bundle.model, batch.source, batch.source_mask, batch.target_in, batch.target_out)
            total -= float(table.sum())
            tokens += int((batch.target_out != PAD).sum())
        return total / max(1, tokens)


def load_weights(bundle: Bundle, weights: Mapping[str, Tensor]) -> None:
    """Makes weights those of the bundle's model: on a CPU the very ones that may be in training, not a copy."""
    fill(bundle.model, {name: weight.detach().float().cpu().numpy() for name, weight in weights.items()})


def score_pairs(
    translator: Translator,
    pairs: Sequence[Pair],
    search: SearchConfig | None,
    tokenize: str | None,
    metrics: Sequence[str] = ("bleu", "chrf", "ter"),
) -> dict[str, Scores]:
    """Translates the sources and scores them against the targets, each target language apart."""
    ordered = sorted(pairs, key=lambda pair: pair.target_language or "")
    results: dict[str, Scores] = {}
    for language, group in groupby(ordered, key=lambda pair: pair.target_language or ""):
        members = list(group)
        asked = language if translator.config.tagged else None
        outputs = translator.translate([pair.source for pair in members], search=search, target_language=asked)
        references = [pair.target for pair in members]
        results[language] = evaluate(
            [output.text for output in outputs], references, language or None, metrics=metrics, tokenize=tokenize
        )
    return results


def _batches(bundle: Bundle, pairs: Sequence[Pair]) -> Iterator[Batch]:
    limit = bundle.config.model.max_length
    corpus, _ = encode(pairs, bundle.source_tokenizer, bundle.target_tokenizer, bundle.config.tagged, max_tokens=limit)
    config = BatchingConfig(max_tokens=1024, shuffle=False)  # whose logits are a few MiB, near the caches
    for draw in batches(corpus.source_lengths, corpus.target_lengths, config, seed=0, window=Window()):
        yield collate_rows(corpus, draw)
