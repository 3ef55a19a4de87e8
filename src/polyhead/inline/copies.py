"""What a translation has to contain as the source has it: addresses, file names, and numbers, digit by digit.

A number may be written in another way, `1,000.5` as `1.000,5` or a date's parts in another order, and up to twelve it
may be a word. A model that writes another year is wrong without looking wrong.
"""

import re
from collections import Counter
from unicodedata import digit

from polyhead.text import Span

_ADDRESS = re.compile(
    r"(?:https?|ftp)://[^\s<>\"'“”«»]*[\w/#=&%~-]|www\.[\w-]+(?:\.[\w-]+)+(?:/[^\s<>\"'“”«»]*[\w/#=&%~-])?"
    r"|[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+"
    r"|(?<![\w.])[\w-]{1,80}\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|txt|csv|json|xml|ya?ml|html?|png|jpe?g|gif|svg|mp[34]|zip"
    r"|tar|gz|exe|py|js|ts|java|cpp|sh|ini|cfg|log|md|toml)(?![\w.]*\w)",
    re.ASCII | re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?!\d)|\d+")
"""A whole number, with what separates its thousands; of a decimal fraction and of a date each part is one."""
_CLOCK = re.compile(r"\d\s?:\s?\d|\d\s?(?:[ap]\.?\s?m\b|o'clock|Uhr|h\b|시|時|点)", re.IGNORECASE)
"""A time of day: languages write it in their own ways, and count twelve hours or twenty-four."""
_SCALE = re.compile(
    r"\s?(?:[만억조천백万億亿兆千百]|thousand|[mb]illi|tausend|mille|mio|mrd|тыс|млн|млрд)", re.IGNORECASE
)
"""A word that multiplies the number before it: 15,000 may be 1만 5천 or 15 thousand."""
_MOST_DIGITS = 400
"""The most digits of a number that is compared."""
_AS_WORDS = 12
"""Numbers up to this are written as words as often as in digits."""


def addresses(text: str) -> list[Span]:
    """Where web and mail addresses and names of files stand in a text: its translation has them as they are."""
    if "." not in text[:-1]:  # addresses and names of files have one
        return []
    return [match.span() for match in _ADDRESS.finditer(text)]


def has_numbers(text: str) -> bool:
    """Whether there is a number in a text."""
    return _DIGIT.search(text) is not None


def numbers(text: str) -> list[Span]:
    """Where numbers stand in a text that hardly become words: those above twelve."""
    return [span for value, span in _numbers(text) if value > _AS_WORDS]


def differing_numbers(source: str, target: str) -> tuple[list[Span], list[Span]]:
    """The numbers of a source that its translation lacks, and those of the translation that the source lacks.

    A number that may have become a word, or come from one, is left out, unless there is something in its place.
    """
    if not has_numbers(source):
        return [], []
    ours, theirs = _numbers(source), _numbers(target)
    missing, extra = _without(ours, theirs), _without(theirs, ours)
    if not missing or _CLOCK.search(source) or any(_SCALE.match(target, end) for _, (_, end) in extra):
        return [], []
    if not extra:
        missing = [(value, span) for value, span in missing if value > _AS_WORDS]
    return [span for _, span in missing], [span for _, span in extra]


def _numbers(text: str) -> list[tuple[int, Span]]:
    """The value and the place of each whole number."""
    outside = addresses(text)
    found: list[tuple[int, Span]] = []
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        digits = "".join(str(digit(each)) for each in match.group() if each.isdecimal())
        if len(digits) <= _MOST_DIGITS and not any(begin < end and start < stop for begin, stop in outside):
            found.append((int(digits), (start, end)))
    return found


def _without(numbers: list[tuple[int, Span]], others: list[tuple[int, Span]]) -> list[tuple[int, Span]]:
    """The numbers, without as many of each value as there are among the others."""
    left = Counter(value for value, _ in others)
    found: list[tuple[int, Span]] = []
    for value, span in numbers:
        if left[value]:
            left[value] -= 1
        else:
            found.append((value, span))
    return found
