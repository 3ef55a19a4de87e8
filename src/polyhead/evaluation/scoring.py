"""The metrics, as a table, and the one place that touches sacreBLEU (Post 2018).

sacreBLEU is imported when a metric is built, never before: `import polyhead` stays quick. No data set is ever fetched.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

from polyhead.errors import PolyheadError, counted
from polyhead.evaluation.tokenization import primary_language

References = Sequence[str] | Sequence[Sequence[str]]
"""One reference a sentence, or several: a list of full sets, each as long as the hypotheses."""


@dataclass(frozen=True)
class Score:
    """One figure over a whole corpus. It means nothing without its signature."""

    name: str
    """The metric's name in `METRICS`."""
    value: float
    """The score, from 0 to 100 (TER may exceed 100)."""
    signature: str
    """sacreBLEU's signature: number of references, case, tokenizer, smoothing, version."""
    details: str = ""
    """BLEU: the four n-gram precisions in percent, brevity penalty, lengths in words."""

    def to_dict(self) -> dict[str, object]:
        """The score as a dictionary for `json.dumps`."""
        return {"name": self.name, "value": self.value, "signature": self.signature, "details": self.details}

    def __str__(self) -> str:
        return f"{METRICS[self.name].label:<7}{self.value:6.2f}  {self.signature}"


@dataclass(frozen=True)
class MetricOptions:
    """What a metric has to know about the text."""

    tokenizer: str
    """BLEU's tokenizer, by sacreBLEU's name."""
    target_language: str | None = None
    effective_order: bool = False
    """BLEU: leave out n-gram orders that the hypotheses are too short for. No change once there is a 4-gram."""


class CorpusScore(Protocol):
    """The part of sacreBLEU's score object that is used."""

    score: float


class CorpusMetric(Protocol):
    """The part of sacreBLEU's metric object that is used."""

    def corpus_score(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> CorpusScore:
        """The score of all hypotheses against the sets of references."""
        ...

    def get_signature(self) -> object:
        """The signature; known after the first score only."""
        ...


@dataclass(frozen=True)
class MetricKind:
    """A row of the table: how a metric is written, which way is better, how it is built."""

    label: str
    higher_is_better: bool
    build: Callable[[MetricOptions], CorpusMetric]


@cache
def _bleu(options: MetricOptions) -> CorpusMetric:
    # Cached for good, as nothing frees a metric: its tokenizer's cache of sentences holds the tokenizer, too, and
    # Korean's a dictionary of 50 MB. Training, which scores again and again, would gather them.
    # `force` silences the warning that the text looks tokenized where the caller has said that it is.
    forced = options.tokenizer == "none"
    return _sacrebleu().BLEU(tokenize=options.tokenizer, force=forced, effective_order=options.effective_order)


def _chrf(options: MetricOptions) -> CorpusMetric:
    return _sacrebleu().CHRF()


def _chrf_plus_plus(options: MetricOptions) -> CorpusMetric:
    return _sacrebleu().CHRF(word_order=2)


def _ter(options: MetricOptions) -> CorpusMetric:
    # Chinese and Japanese put no spaces between words, a sentence would be a single word: TER's own splitting helps.
    unspaced = primary_language(options.target_language) in ("zh", "ja") and options.tokenizer != "none"
    return _sacrebleu().TER(normalized=unspaced, asian_support=unspaced)


METRICS: Mapping[str, MetricKind] = {
    "bleu": MetricKind("BLEU", True, _bleu),  # Papineni et al. 2002
    "chrf": MetricKind("chrF2", True, _chrf),  # Popović 2015
    "chrf++": MetricKind("chrF2++", True, _chrf_plus_plus),  # Popović 2017
    "ter": MetricKind("TER", False, _ter),  # Snover et al. 2006
}
"""Every metric by name. A new one is a function above and a line here."""


def build_metrics(names: Sequence[str], options: MetricOptions) -> dict[str, CorpusMetric]:
    """The metrics that are asked for, in the order of `names`, each once.

    Raises PolyheadError for an unknown name, for no name, and for a tokenizer whose dictionary does not load.
    """
    unknown = [name for name in names if name not in METRICS]
    if unknown or not names:
        asked = f"there is no metric {unknown[0]!r}" if unknown else "no metric is asked for"
        raise PolyheadError(f"{asked}: choose from {', '.join(METRICS)}")
    try:
        return {name: METRICS[name].build(options) for name in names}
    except (RuntimeError, AssertionError) as error:
        reason = str(error).strip()
        raise PolyheadError(f"the BLEU tokenizer {options.tokenizer} does not work here: {reason}") from error


def measure(
    hypotheses: Sequence[str], reference_sets: Sequence[Sequence[str]], names: Sequence[str], options: MetricOptions
) -> tuple[Score, ...]:
    """The scores that are asked for, over all sentences. The caller has checked the arguments by `check_references`."""
    scores: list[Score] = []
    for name, metric in build_metrics(names, options).items():
        result = metric.corpus_score(hypotheses, reference_sets)
        details = str(getattr(result, "_verbose", "")) if name == "bleu" else ""
        scores.append(Score(name, float(result.score), str(metric.get_signature()), details))
    return tuple(scores)


def check_references(hypotheses: Sequence[str], references: References) -> list[list[str]]:
    """The references as a list of full sets, each as long as the hypotheses.

    Raises PolyheadError where there is nothing to compare or the numbers of sentences differ (both are named).
    """
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise PolyheadError("a list of sentences is needed, not a single string: put the sentence into a list")
    if not hypotheses or not references:
        given = counted(len(references), "reference")
        raise PolyheadError(f"nothing to compare: {_hypotheses(hypotheses)} and {given}")
    single = isinstance(references[0], str)
    sets = [list(cast(Sequence[str], references))] if single else [list(each) for each in references]
    for number, reference_set in enumerate(sets, start=1):
        check_count(hypotheses, reference_set, "reference", "" if single else f" in set {number}")
    return sets


def check_count(hypotheses: Sequence[str], others: Sequence[str], noun: str, where: str = "") -> None:
    """Raises PolyheadError with both numbers where there are not as many `others` as hypotheses.

    noun: what messages call one of `others`; where: words that say which of several sets they are
    """
    if len(others) != len(hypotheses):
        raise PolyheadError(
            f"{_hypotheses(hypotheses)} but {counted(len(others), noun)}{where}: they must be aligned, sentence by "
            "sentence"
        )


def _hypotheses(hypotheses: Sequence[str]) -> str:
    return counted(len(hypotheses), "hypothesis", "hypotheses")


def _sacrebleu() -> Any:
    # `Any` on purpose: sacreBLEU is typed in part only, the protocols above say what is relied on.
    return import_module("sacrebleu.metrics")
