"""The numbers that options take, within the bounds of the settings that they become."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from cyclopts import Parameter, Token, validators

from polyhead.errors import shown
from polyhead.limits import (
    HEAVIEST,
    LARGEST_BYTES,
    LARGEST_SEED,
    LARGEST_VOCABULARY,
    LONGEST,
    LONGEST_WAIT,
    MOST_COUNTED,
    MOST_LAYERS,
    MOST_MINUTES,
    MOST_SENTENCES,
    MOST_THREADS,
    MOST_TOKENS_DECODED,
    WIDEST_BEAM,
)

MEBIBYTE = 1 << 20
PENALTIES = 0, 10
"""The least and the largest length penalty that is a number."""


def _whole(kind: Any, tokens: Sequence[Token]) -> int:
    """A whole number as it was typed. The parser's own conversion would round 1.5 without a word."""
    del kind
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"{shown(tokens[0].value)} is not a whole number") from None


def _penalty(kind: Any, tokens: Sequence[Token]) -> float | str:
    """A length penalty as it was typed, within its bounds: the parser doesn't validate a part of a union."""
    del kind
    least, most = PENALTIES
    if tokens[0].value == "average":
        return "average"
    try:
        number = float(tokens[0].value)
    except ValueError:
        raise ValueError(f"{shown(tokens[0].value)} is neither a number nor average") from None
    if not least <= number <= most:
        raise ValueError(f"{number:g} is not from {least} to {most}")
    return number


def _integer(least: int, most: int) -> Parameter:
    return Parameter(converter=_whole, validator=validators.Number(gte=least, lte=most))


def _number(least: float, most: float) -> Parameter:
    return Parameter(validator=validators.Number(gte=least, lte=most))


def _above(bound: float, most: float) -> Parameter:
    return Parameter(validator=validators.Number(gt=bound, lte=most))


Beam = Annotated[int, _integer(1, WIDEST_BEAM)]
Seed = Annotated[int, _integer(0, LARGEST_SEED)]
Threads = Annotated[int, _integer(1, MOST_THREADS)]
BatchTokens = Annotated[int, _integer(1, MOST_TOKENS_DECODED)]
Length = Annotated[int, _integer(0, LONGEST)]
PositiveLength = Annotated[int, _integer(1, LONGEST)]
Pieces = Annotated[int, _integer(0, LARGEST_VOCABULARY)]
LengthPenalty = Annotated[Annotated[float, _number(*PENALTIES)] | Literal["average"], Parameter(converter=_penalty)]
Patience = Annotated[float, _above(0, 1_000)]
Ngram = Annotated[int, _integer(0, 1_000)]
Temperature = Annotated[float, _number(1e-6, 1e6)]
Share = Annotated[float, _above(0, 1)]
Minutes = Annotated[float, _above(0, MOST_MINUTES)]
Weight = Annotated[float, _above(0, HEAVIEST)]
Layer = Annotated[int, _integer(-1, MOST_LAYERS - 1)]
Texts = Annotated[int, _integer(1, MOST_SENTENCES)]
Characters = Annotated[int, _integer(1, MOST_COUNTED)]
Seconds = Annotated[float, _above(0, LONGEST_WAIT)]
Mebibytes = Annotated[int, _integer(0, LARGEST_BYTES // MEBIBYTE)]
PositiveMebibytes = Annotated[int, _integer(1, LARGEST_BYTES // MEBIBYTE)]
Gpus = Annotated[int, _integer(0, 1)]
Times = Annotated[int, _integer(0, MOST_COUNTED)]
Port = Annotated[int, _integer(0, 65_535)]
