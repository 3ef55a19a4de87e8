"""Which two of a unit's texts are the pair: by columns, by languages, or because there are no others."""

from collections.abc import Sequence

from polyhead.corpora.unit import SOURCE, TARGET, Wanted
from polyhead.errors import DataError
from polyhead.languages import is_language, same_code, same_language

Names = tuple[str, ...]
Choice = tuple[str | None, str | None]
"""The names of source and target in a unit; None for a side that the unit doesn't have."""
_SHOWN = 8
_IDENTIFIERS = frozenset(["id", "_id", "tuid", "key", "index"])
"""Names of columns that number their rows; `id` is Indonesian only where nothing else can be meant."""


class Chooser:
    """Chooses source and target of one unit after the other. What it chose by itself stays chosen for a corpus."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._cache: dict[Names, Choice] = {}
        self._settled: tuple[str, str] | None = None
        self.seen: dict[str, None] = {}
        """All names in the units so far, in the order in which they first came."""
        self.found = False
        """Whether a unit had both source and target."""

    def __call__(self, names: Names, place: str) -> Choice:
        """The names of source and target among those of a unit. Raises DataError where more than two could be meant."""
        if names not in self._cache:
            self.seen |= dict.fromkeys(names)
            self._cache[names] = self._choose(names, place)
            self.found |= None not in self._cache[names]
        return self._cache[names]

    def _choose(self, names: Names, place: str) -> Choice:
        wanted = self._wanted
        if wanted.columns is not None:
            source, target = (column_named(names, column) for column in wanted.columns)
            return source, target
        source = _in_language(names, wanted.source)
        target = _in_language([name for name in names if name != source], wanted.target)
        left = [name for name in names if name not in (source, target)]
        source = source or _take(left, [SOURCE])
        target = target or _take(left, [TARGET])
        # A text whose language the file doesn't say may be the one in a wanted language that isn't there.
        source = source or (_take(left, _unnamed(left)) if wanted.source else None)
        target = target or (_take(left, _unnamed(left)) if wanted.target else None)
        return self._complete((source, target), left, place)

    def _complete(self, found: Choice, left: list[str], place: str) -> Choice:
        """Fills sides for which no language is wanted with what is left, if that is certain."""
        wanted = (self._wanted.source, self._wanted.target)
        is_open = [side is None and code is None for side, code in zip(found, wanted, strict=True)]
        count = sum(is_open)
        if not count or any(side is None and code for side, code in zip(found, wanted, strict=True)):
            return found
        candidates = _candidates(left, count)
        if self._settled is not None:
            known = [name for name in self._settled if name in candidates]
            if len(candidates) > len(known) and any(map(is_code, candidates)):
                raise self._doubtful(place)
            candidates = known
        if len(candidates) > count:
            raise self._doubtful(place)
        if len(candidates) < count:
            return found
        filling = iter(candidates)
        source, target = (next(filling) if free else side for free, side in zip(is_open, found, strict=True))
        if source is not None and target is not None:
            self._settled = (source, target)
        return source, target

    def _doubtful(self, place: str) -> DataError:
        return DataError(
            f"there are texts in {listed(list(self.seen))}; say which are meant with --source-language and "
            "--target-language, or with --columns",
            place,
        )


def listed(names: Sequence[str]) -> str:
    """Names as a message shows them."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def code_of(name: str | None) -> str | None:
    """The language code that a name is, or that the last part of a nested one is; None for any other name."""
    last = name.rpartition(".")[2] if name is not None else ""
    return last if is_language(last) else None


def is_code(name: str) -> bool:
    """Whether a name says a language."""
    return code_of(name) is not None and name.lower() not in _IDENTIFIERS


def column_named(names: Sequence[str], column: str) -> str | None:
    """The name that is meant by `column`: equal to it, or but for case, or in its last part if it is a nested one."""
    if column in names:
        return column
    alike = [name for name in names if name.lower() == column.lower()] or [
        name for name in names if name.rpartition(".")[2].lower() == column.lower()
    ]
    return alike[0] if len(alike) == 1 else None


def _in_language(names: Sequence[str], code: str | None) -> str | None:
    """The name that says this language: spelt alike but for case, or else where only one of both codes has a region."""
    if code is None:
        return None
    codes = {name: found for name in names if (found := name.rpartition(".")[2])}
    exact = [name for name, found in codes.items() if same_code(found, code)]
    near = [name for name, found in codes.items() if is_code(found) and _fits(found, code)]
    return next(iter(exact or near), None)


def _fits(found: str, code: str) -> bool:
    """Whether two codes mean the same language, of which one at least says neither script nor region."""
    is_bare = not ("-" in found or "_" in found) or not ("-" in code or "_" in code)
    return is_bare and same_language(found, code)


def _unnamed(names: Sequence[str]) -> list[str]:
    """The names that say no language."""
    return [name for name in names if name in (SOURCE, TARGET) or name.isdigit()]


def _take(left: list[str], any_of: Sequence[str]) -> str | None:
    """Removes and returns the first name of `any_of` that is in `left`; None where there is none."""
    taken = next((name for name in any_of if name in left), None)
    if taken is not None:
        left.remove(taken)
    return taken


def _candidates(names: Sequence[str], count: int) -> list[str]:
    """The names that may be meant: all, where there are few enough, else those that say a language."""
    return list(names) if len(names) <= count else [name for name in names if is_code(name)]
