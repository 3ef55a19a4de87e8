"""What may be expected of a corpus that is too small for a translator, or of a run that is too short, in words."""

from polyhead.errors import counted
from polyhead.recipe.prepare import Pairs
from polyhead.recipe.schema import Recipe

FEW = 1000
"""Below so many training pairs it is said that they are few."""
FEW_TO_VALIDATE_ON = 100
"""Below so many held-out pairs it is said that their scores are rough."""


def what_to_expect(pairs: Pairs) -> list[str]:
    """Sentences to print before training; none for a corpus of a usual size."""
    said: list[str] = []
    if len(pairs.train) < FEW:
        said.append(
            f"this corpus is very small ({counted(len(pairs.train), 'pair')} to learn from): expect a model that knows "
            "little more than these sentences and their words; to translate other text it takes some thousand pairs at "
            "least"
        )
    if pairs.validates_on_training:
        said.append(
            "nothing can be held out of so little, so validation is on the training pairs themselves: the scores say "
            "how well these are learnt by heart, and nothing about other text"
        )
    elif pairs.held_out and len(pairs.dev) < FEW_TO_VALIDATE_ON:
        said.append(
            f"held out for validation: {counted(len(pairs.dev), 'pair')}; scores of so few say little, more can be "
            "given with --dev-source and --dev-target"
        )
    return said


def of_schedule(recipe: Recipe, possible: int | None = None) -> list[str]:
    """A sentence that the run ends before its learning rate reaches the peak; none where it does reach it.

    possible: about how many updates there is time for; None: any number. A long warm-up is not an error: the same run
    may be gone on with later, for more updates.
    """
    warmup, updates = recipe.training.schedule.warmup, recipe.training.max_updates
    limit = f"training.max_updates = {updates:,}"
    if possible is not None and possible < updates:
        updates, limit = possible, f"training.minutes = {recipe.training.minutes:g} is time for about {possible:,}"
    if warmup <= updates:
        return []
    sentence = (
        f"the warm-up is longer than the run: training.schedule.warmup = {warmup:,}, but {limit}; the learning rate "
        f"comes to {updates / warmup:.0%} of its peak at most: lower the warm-up"
    )
    return [sentence]
