"""`polyhead demo`."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polyhead.cli.numbers import Seed
from polyhead.cli.paths import NamedPath


def demo(
    *keys: Annotated[str, Parameter(allow_leading_hyphen=True)],
    out: NamedPath = Path("runs/demo"),
    seed: Seed = 1,
) -> int:
    """Make a small corpus, train one model on it for French and Korean, translate, draw.

    Parameters
    ----------
    keys
        Any key of a recipe, such as --training.max_updates 500.
    out
        The model directory to write.
    seed
        Decides the corpus and the training.

    """
    from polyhead.demo.grammar import generate
    from polyhead.demo.run import run_demo
    from polyhead.recipe.load import parse_keys

    report = run_demo(out, generate(seed), seed, parse_keys(keys))
    if report is None:
        print(f"stopped; the same command goes on in {out}", file=sys.stderr)
        return 130
    print(report)
    print(f"\nthe model, its corpus and its pictures are in {out}; try:")
    print(f'  echo "The cat drinks water" | polyhead translate {out} --to fr')
    return 0
