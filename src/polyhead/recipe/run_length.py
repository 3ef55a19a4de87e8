"""How many updates a text is worth, and which share of them a run has."""

from polyhead.recipe.situation import Situation

READINGS, OF_PAIRS = 70, 30_000
"""How often a text of so many pairs is read. The work of a run grows with the square root of the number of pairs."""
LEAST_READINGS, MOST_READINGS = 4, 80
USUAL_LENGTH = 32
"""Subwords of a pair, source and target together: shorter ones are read more often, longer ones less often."""
SEEN_IN_DRILL = 1_700
"""How often an average piece of the vocabulary is seen in a run on a text of few words, which is learnt sooner."""
SHORT = 0.7
"""A run that has less than this share of the updates that its text is worth is short."""


def needed_updates(now: Situation) -> int:
    """After how many updates a text has been read as often as it is worth."""
    corpus = now.corpus
    times = min(MOST_READINGS, max(LEAST_READINGS, READINGS * (OF_PAIRS / max(1, corpus.pairs)) ** 0.5))
    tokens = times * USUAL_LENGTH * corpus.pairs
    if now.is_regular:
        pieces = now.number("tokenizer.vocabulary_size", 8000)
        tokens = min(tokens, SEEN_IN_DRILL * pieces * corpus.tokens / max(1, corpus.target_tokens))
    return round(max(300.0, tokens / now.batch))


def readings(now: Situation) -> float:
    """How often the subwords of a text fit into the batches of as many updates as it is worth.

    Batches also hold padding and the marks of sentences' ends, so a run has fewer epochs than this.
    """
    return needed_updates(now) * now.batch / max(1, now.corpus.tokens)


def share_of_needed(now: Situation) -> float:
    """Which share of the updates that its text is worth a run has, 1 at most."""
    return min(1.0, now.updates / needed_updates(now))


def is_short(now: Situation) -> bool:
    """Whether a limit ends the run long before it has read its text as often as that is worth."""
    return share_of_needed(now) < SHORT
