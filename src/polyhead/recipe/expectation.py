"""What may be expected of a corpus that is too small for a translator, in words."""

from polyhead.recipe.prepare import Pairs

FEW = 1000
"""Below so many training pairs it is said that they are few."""
FEW_TO_VALIDATE_ON = 100
"""Below so many held-out pairs it is said that their scores are rough."""


def what_to_expect(pairs: Pairs) -> list[str]:
    """Sentences to print before training; none for a corpus of a usual size."""
    said: list[str] = []
    if len(pairs.train) < FEW:
        said.append(
            f"this corpus is very small ({counted(len(pairs.train))} to learn from): expect a model that knows little "
            "more than these sentences and their words; to translate other text it takes some thousand pairs at least"
        )
    if pairs.validates_on_training:
        said.append(
            "nothing can be held out of so little, so validation is on the training pairs themselves: the scores say "
            "how well these are learnt by heart, and nothing about other text"
        )
    elif pairs.held_out and len(pairs.dev) < FEW_TO_VALIDATE_ON:
        said.append(
            f"held out for validation: {counted(len(pairs.dev))}; scores of so few say little, more can be given with "
            "--dev-source and --dev-target"
        )
    return said


def counted(pairs: int) -> str:
    """`1 pair`, `2 pairs`."""
    return f"{pairs:,} pair" if pairs == 1 else f"{pairs:,} pairs"
