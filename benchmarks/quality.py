"""How good translations are, and how much of a difference between two systems is luck of the test set."""

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.corpora import TextSet
from benchmarks.systems import OURS
from polyhead.evaluation.metrics import evaluate
from polyhead.evaluation.significance import paired_bootstrap


def quality(outputs: Sequence[str], test_set: TextSet, exact: Sequence[str] | None) -> Iterator[tuple[str, float, str]]:
    """Measure, value and unit: BLEU, and agreement with `exact`, our translations in float32.

    Nothing where the outputs are not those of the whole test set, as after a turn that was broken off.
    """
    if not is_whole(outputs, test_set):
        return
    yield "BLEU", round(bleu(outputs, test_set), 2), "BLEU"
    if exact is not None:
        same = sum(ours == theirs for ours, theirs in zip(exact, outputs, strict=True))
        yield "as polyhead in float32", round(100 * same / len(exact), 2), "% of sentences"


def chances(outputs: Mapping[str, Sequence[str]], test_set: TextSet) -> dict[str, float]:
    """outputs: system → translations, ours among them → every other one's probability (two-sided paired bootstrap).

    It says how often a BLEU as far from ours would come by chance, were the two systems equally good.
    """
    whole = {name: texts for name, texts in outputs.items() if is_whole(texts, test_set)}
    others = [name for name in whole if name != OURS]
    if OURS not in whole or not others:
        return {}
    ours_first = {name: whole[name] for name in (OURS, *others)}
    compared = paired_bootstrap(ours_first, test_set.references, test_set.language, metrics=("bleu",))
    found = {name: compared.result(name, "bleu").p_value for name in others}
    return {name: round(p, 3) for name, p in found.items() if p is not None}


def bleu(outputs: Sequence[str], test_set: TextSet) -> float:
    """Of a whole test set."""
    return evaluate(outputs, test_set.references, test_set.language, metrics=("bleu",))["bleu"].value


def is_whole(outputs: Sequence[str], test_set: TextSet) -> bool:
    """Whether there is a translation of every sentence."""
    return len(outputs) == len(test_set.references)
