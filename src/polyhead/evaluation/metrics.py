"""How good a translation is: BLEU, chrF and TER by sacreBLEU (Post 2018).

Each figure carries the signature that makes it comparable.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from polyhead.errors import PolyheadError, counted
from polyhead.evaluation.by_length import QualityByLength, quality_by_length
from polyhead.evaluation.scoring import MetricOptions, References, Score, check_references, measure
from polyhead.evaluation.tokenization import choose_tokenization

__all__ = ["Score", "Scores", "evaluate"]


@dataclass(frozen=True)
class Scores:
    """The scores of one output against its references."""

    scores: tuple[Score, ...]
    sentences: int
    """How many sentences were compared."""
    notes: tuple[str, ...] = ()
    """What a reader of the figures should know, for instance that a tokenizer was not installed."""
    by_length: QualityByLength | None = None
    """The scores by source length, where the sources were given."""

    def __getitem__(self, name: str) -> Score:
        """The score called `name`; raises PolyheadError where it was not measured."""
        for score in self.scores:
            if score.name == name:
                return score
        measured = ", ".join(score.name for score in self.scores)
        raise PolyheadError(f"{name!r} was not measured, only {measured}")

    def to_dict(self) -> dict[str, object]:
        """A dictionary for `json.dumps`: the scores by name, the count, the notes, the buckets of source length."""
        return {
            "sentences": self.sentences,
            "scores": {score.name: score.to_dict() for score in self.scores},
            "notes": list(self.notes),
            "by_length": self.by_length.to_dict() if self.by_length is not None else None,
        }

    def __str__(self) -> str:
        lines = [counted(self.sentences, "sentence")]
        for score in self.scores:
            lines.append(str(score))
            if score.details:
                lines.append(f"{'':15}{score.details}")
        lines.extend(f"note: {note}" for note in self.notes)
        if self.by_length is not None:
            lines.extend(["", str(self.by_length)])
        return "\n".join(lines)


def evaluate(
    hypotheses: Sequence[str],
    references: References,
    target_language: str | None,
    metrics: Sequence[str] = ("bleu", "chrf", "ter"),
    tokenize: str | None = None,
    sources: Sequence[str] | None = None,
) -> Scores:
    """Compare translations with references.

    hypotheses: one detokenized translation a sentence. references: as many, or a list of several such sets.
    target_language: chooses BLEU's tokenizer (see `choose_tokenization`) unless `tokenize` names it; for text that is
    already tokenized ("tokenized BLEU") say `tokenize="none"`. sources: if given, `by_length` is filled too.

    An empty translation counts as one that says nothing. BLEU is 0 where no translation has four words in a row that
    can match, by its definition. Raises PolyheadError where numbers of sentences differ, nothing is given, or a metric
    or tokenizer is unknown.
    """
    reference_sets = check_references(hypotheses, references)
    tokenization = choose_tokenization(target_language, tokenize)
    scores = measure(hypotheses, reference_sets, metrics, MetricOptions(tokenization.name, target_language))
    by_length = None
    if sources is not None:
        by_length = quality_by_length(sources, hypotheses, references, target_language, metrics, tokenize)
    notes = (tokenization.note,) if tokenization.note and "bleu" in metrics else ()
    return Scores(scores, len(hypotheses), notes, by_length)
