"""Languages as files name them: ko, ko-KR, ko_KR, KO."""

from polyhead.errors import DataError


def is_same(first: str, second: str) -> bool:
    """Whether two codes name one language, one perhaps more exactly than the other; und may be any."""
    one, other = (code.replace("_", "-").lower().split("-") for code in (first, second))
    if "und" in (one[0], other[0]):
        return True
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def check_target(said: str | None, wanted: str, has_translations: bool, name: str, line: int) -> bool:
    """Whether the target language still has to be written into a file, which now says `said` of it.

    Raises DataError where the file has translations into another language.
    """
    if said and is_same(said, wanted):
        return False
    if said and has_translations:
        raise DataError(f"it has translations into {said[:20]}; name that language, or a file without them", name, line)
    return True
