"""Is one output better than another, or is it luck of the test set? Paired bootstrap resampling (Koehn 2004).

The same sentences, drawn with replacement, are scored for both outputs many times over.
"""

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from polyhead.errors import PolyheadError
from polyhead.evaluation.scoring import METRICS, MetricOptions, References, build_metrics, check_references
from polyhead.evaluation.tokenization import choose_tokenization

SIGNIFICANT = 0.05
"""Below this p-value a difference is marked in the text form."""


@dataclass(frozen=True)
class SystemResult:
    """The result of one system by one metric."""

    system: str
    metric: str
    score: float
    """The score on the test set itself."""
    mean: float
    """The mean score over the resampled test sets."""
    half_width: float
    """Half the width of the 95 % confidence interval: mean ± half_width."""
    p_value: float | None
    """How likely a difference from the baseline as large as this is by chance (two-sided); None for the baseline."""


@dataclass(frozen=True)
class Comparison:
    """The result of a paired bootstrap; the first system is the baseline."""

    baseline: str
    samples: int
    seed: int
    results: tuple[SystemResult, ...]
    signatures: Mapping[str, str]
    """The signature of each metric, with the number of samples and the seed in it."""
    notes: tuple[str, ...] = ()

    def result(self, system: str, metric: str) -> SystemResult:
        """The result of one system by one metric; raises PolyheadError where there is none."""
        for each in self.results:
            if (each.system, each.metric) == (system, metric):
                return each
        raise PolyheadError(f"there is no result of system {system!r} by metric {metric!r}")

    def to_dict(self) -> dict[str, object]:
        """The comparison as a dictionary for `json.dumps`."""
        return {**asdict(self), "results": [asdict(each) for each in self.results], "notes": list(self.notes)}

    def __str__(self) -> str:
        lines = [f"paired bootstrap, {self.samples} samples, seed {self.seed}, against {self.baseline}"]
        width = max(len(each.system) for each in self.results)
        for metric, signature in self.signatures.items():
            direction = "" if METRICS[metric].higher_is_better else " (lower is better)"
            lines += ["", f"{METRICS[metric].label}{direction}  {signature}"]
            lines += [_line(each, width) for each in self.results if each.metric == metric]
        lines += ["", f"* differs from {self.baseline}, p < {SIGNIFICANT}", *(f"note: {note}" for note in self.notes)]
        return "\n".join(lines)


def paired_bootstrap(
    systems: Mapping[str, Sequence[str]],
    references: References,
    target_language: str | None,
    metrics: Sequence[str] = ("bleu", "chrf"),
    tokenize: str | None = None,
    samples: int = 1000,
    seed: int = 12345,
) -> Comparison:
    """Compare two or more outputs for the same test set; the first in `systems` (name → sentences) is the baseline.

    samples: how many test sets are drawn. seed: at least 1; the same seed gives the same figures. The other arguments
    are those of `evaluate`. A system that scores exactly as the baseline has the p-value 1.

    Raises PolyheadError for fewer than two systems, numbers of sentences that differ, too few samples, a seed below 1.
    """
    if len(systems) < 2:
        raise PolyheadError(f"a comparison needs at least two outputs, not {len(systems)}")
    if samples < 1 or seed < 1:
        raise PolyheadError(f"samples and seed must be at least 1, not {samples} and {seed}")
    reference_sets: list[list[str]] = []
    for sentences in systems.values():
        reference_sets = check_references(sentences, references)
    tokenization = choose_tokenization(target_language, tokenize)
    built = build_metrics(metrics, MetricOptions(tokenization.name, target_language))
    with _sacrebleu_seed(seed):
        significance: Any = import_module("sacrebleu.significance")
        named = [(name, list(sentences)) for name, sentences in systems.items()]
        signatures, columns = significance.PairedTest(named, built, reference_sets, "bs", n_samples=samples)()
    # sacreBLEU keys both tables by its own metric names, in the order the metrics were given.
    keys = dict(zip(built, signatures, strict=True))
    results = tuple(
        _result(system, metric, columns[key][row], columns[key][0].score)
        for metric, key in keys.items()
        for row, system in enumerate(systems)
    )
    texts = {metric: str(signatures[key]) for metric, key in keys.items()}
    notes = (tokenization.note,) if tokenization.note and "bleu" in built else ()
    return Comparison(next(iter(systems)), samples, seed, results, texts, notes)


def _result(system: str, metric: str, result: Any, baseline_score: float) -> SystemResult:
    p_value = result.p_value
    if p_value is not None and result.score == baseline_score:
        # The count behind the p-value is strict, so it gives equal outputs 1/(samples + 1), as if they surely differed.
        p_value = 1.0
    p_value = None if p_value is None else float(p_value)
    return SystemResult(system, metric, float(result.score), float(result.mean), float(result.ci), p_value)


def _line(result: SystemResult, width: int) -> str:
    text = f"  {result.system:<{width}}  {result.score:6.2f}   {result.mean:6.2f} ± {result.half_width:5.2f}"
    if result.p_value is None:
        return f"{text}   baseline"
    return f"{text}   p = {result.p_value:.4f}{' *' if result.p_value < SIGNIFICANT else ''}"


@contextmanager
def _sacrebleu_seed(seed: int) -> Generator[None, None, None]:
    """Sets sacreBLEU's seed in the environment, the only place it is read from, and restores it after the block."""
    before = os.environ.get("SACREBLEU_SEED")
    os.environ["SACREBLEU_SEED"] = str(seed)
    try:
        yield
    finally:
        if before is None:
            del os.environ["SACREBLEU_SEED"]
        else:
            os.environ["SACREBLEU_SEED"] = before
