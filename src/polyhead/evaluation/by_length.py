"""Quality by source length: where a model gives way, on short sentences or on long ones (Cho et al. 2014, figure 4)."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from polyhead.errors import PolyheadError
from polyhead.evaluation.scoring import (
    METRICS,
    MetricOptions,
    References,
    Score,
    check_count,
    check_references,
    measure,
)
from polyhead.evaluation.tokenization import choose_tokenization
from polyhead.text import Unit, length


@dataclass(frozen=True)
class LengthBucket:
    """The sentences whose source has `shortest` … `longest` words (or characters), both included."""

    shortest: int
    longest: int | None
    """The upper limit; None: there is none."""
    sentences: int
    scores: tuple[Score, ...]

    @property
    def label(self) -> str:
        """The bucket's lengths as text: `11–20`, `7` or `51+`."""
        if self.longest is None:
            return f"{self.shortest}+"
        return str(self.shortest) if self.shortest == self.longest else f"{self.shortest}–{self.longest}"

    def to_dict(self) -> dict[str, object]:
        """The bucket as a dictionary for `json.dumps`."""
        return {
            "shortest": self.shortest,
            "longest": self.longest,
            "sentences": self.sentences,
            "scores": {score.name: score.to_dict() for score in self.scores},
        }


@dataclass(frozen=True)
class QualityByLength:
    """The buckets that hold at least one sentence, shortest first."""

    unit: Unit
    buckets: tuple[LengthBucket, ...]

    def to_dict(self) -> dict[str, object]:
        """The buckets and their unit as a dictionary for `json.dumps`."""
        return {"unit": self.unit, "buckets": [bucket.to_dict() for bucket in self.buckets]}

    def __str__(self) -> str:
        names = [score.name for score in self.buckets[0].scores]
        lines = [f"source {self.unit:<10} sentences" + "".join(f"{METRICS[name].label:>9}" for name in names)]
        for bucket in self.buckets:
            figures = "".join(f"{score.value:9.2f}" for score in bucket.scores)
            lines.append(f"{bucket.label:<17} {bucket.sentences:>9}{figures}")
        return "\n".join(lines)


def quality_by_length(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: References,
    target_language: str | None,
    metrics: Sequence[str] = ("bleu", "chrf"),
    tokenize: str | None = None,
    upper_bounds: Sequence[int] = (10, 20, 30, 40, 50),
    quantiles: int | None = None,
    unit: Unit = "words",
) -> QualityByLength:
    """The scores of the sentences in each bucket of source length.

    upper_bounds: the longest source of each bucket, ascending; the last bucket is open. quantiles: choose the bounds
    instead so that each of so many buckets holds about as many sentences (equal lengths stay together, so there may be
    fewer buckets). Sources without a word make a bucket 0. The other arguments are those of `evaluate`.

    BLEU is taken at the effective order (`eff:yes` in the signature): a bucket of sentences too short for a 4-gram
    would otherwise score 0 even when every one is right. Raises PolyheadError like `evaluate`, and for bad bounds.
    """
    reference_sets = check_references(hypotheses, references)
    check_count(hypotheses, sources, "source")
    lengths = [length(source, unit) for source in sources]
    bounds = _quantile_bounds(lengths, quantiles) if quantiles is not None else list(upper_bounds)
    if any(low >= high for low, high in zip([0, *bounds], bounds, strict=False)):
        raise PolyheadError(f"upper bounds of lengths must ascend from 1, not {bounds}")

    # Bucket 0 holds sources without a word; bucket i ends at edges[i]; the last has no end.
    edges = [0, *bounds]
    rows_of: list[list[int]] = [[] for _ in range(len(edges) + 1)]
    for row, measured in enumerate(lengths):
        rows_of[bisect_left(edges, measured)].append(row)

    options = MetricOptions(choose_tokenization(target_language, tokenize).name, target_language, effective_order=True)
    buckets: list[LengthBucket] = []
    for index, rows in enumerate(rows_of):
        if rows:
            chosen = [hypotheses[row] for row in rows]
            chosen_references = [[reference_set[row] for row in rows] for reference_set in reference_sets]
            shortest = edges[index - 1] + 1 if index else 0
            longest = edges[index] if index < len(edges) else None
            scores = measure(chosen, chosen_references, metrics, options)
            buckets.append(LengthBucket(shortest, longest, len(rows), scores))
    return QualityByLength(unit, tuple(buckets))


def _quantile_bounds(lengths: Sequence[int], quantiles: int) -> list[int]:
    """The upper bounds that cut the lengths into so many buckets of about equal size; the longest ends the last."""
    if quantiles < 1:
        raise PolyheadError(f"at least 1 quantile is needed, not {quantiles}")
    ordered = sorted(lengths)
    last = len(ordered) - 1
    ends = {ordered[min(last, -(-len(ordered) * part // quantiles) - 1)] for part in range(1, quantiles + 1)}
    return sorted(ends - {0})
