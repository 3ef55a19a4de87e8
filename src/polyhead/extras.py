"""Packages that only some uses need, and what to install where one of them is missing."""

from collections.abc import Generator
from contextlib import contextmanager

from polyhead.errors import PolyheadError

EXTRAS = {
    "torch": "train",
    "sacrebleu": "train",
    "lxml": "files",
    "markdown_it": "files",
    "polib": "files",
    "pyarrow": "files",
    "yaml": "files",
    "ray": "ray",
}
"""Package → the extra of polyhead that brings it."""


class MissingExtra(PolyheadError):
    """What was asked for needs a package that is not installed."""


def missing_extra(what: str, error: ModuleNotFoundError) -> MissingExtra | None:
    """The error to raise where `what` failed for want of an extra's package; None for any other missing package."""
    package = (error.name or "").partition(".")[0]
    extra = EXTRAS.get(package)
    if extra is None:
        return None
    return MissingExtra(f"{what} needs the package {package}: pip install 'polyhead[{extra}]'")


@contextmanager
def needing_extra(what: str) -> Generator[None]:
    """Raises MissingExtra, in the name of `what`, where a package of an extra is not there to be imported."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = missing_extra(what, error)
        if missing is None:
            raise
        raise missing from error
