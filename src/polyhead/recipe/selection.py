"""Which of a teacher's translations a student learns from."""

from collections.abc import Callable
from typing import Literal

from polyhead.evaluation.scoring import MetricOptions, build_metrics
from polyhead.evaluation.tokenization import choose_tokenization
from polyhead.translating.translation import Translation

SelectionKind = Literal["best", "bleu", "chrf"]
Select = Callable[[Translation, str], int]
"""(a translation with its n-best list, the reference) → the rank in that list, from 0, of the one to learn from."""


def build_selection(kind: SelectionKind, target_language: str | None, tokenize: str | None) -> Select:
    """`best`: the teacher's own choice; the others: what is nearest to the reference by the sentence's score.

    The former is sequence-level knowledge distillation, the latter sequence-level interpolation (Kim & Rush 2016,
    sections 3.2 and 3.3). Of equally near ones the teacher's better one is taken.
    Raises PolyheadError where BLEU's tokenizer isn't installed.
    """
    if kind == "best":
        return _best
    # A sentence may be too short for a 4-gram: BLEU then counts the orders there are.
    options = MetricOptions(choose_tokenization(target_language, tokenize).name, target_language, effective_order=True)
    (metric,) = build_metrics([kind], options).values()

    def nearest(translation: Translation, reference: str) -> int:
        texts = [each.text for each in translation.alternatives] or [translation.text]
        scores = [metric.corpus_score([text], [[reference]]).score for text in texts]
        return scores.index(max(scores))

    return nearest


def _best(translation: Translation, reference: str) -> int:
    return 0
