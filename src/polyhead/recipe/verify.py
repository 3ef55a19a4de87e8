"""Whether a model directory, with all that its training left in it, is as it was written."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from polyhead.bundle.load import load_bundle
from polyhead.errors import ModelError
from polyhead.files import atomic_file
from polyhead.manifest import NAME, accept, check_listed, listable, read_manifest
from polyhead.recipe.folders import CHECKPOINTS, WRITTEN_BY_DISTILLING, WRITTEN_BY_TRAINING
from polyhead.run_lock import exclusive
from polyhead.training.checkpoint import PARTS


@dataclass(frozen=True)
class Found:
    """How many files were looked at, and what is wrong with some of them."""

    files: int
    differences: dict[Path, str]


def find_differences(model: Path) -> Found:
    """Compares every file with what `SHA256SUMS` beside it lists.

    Raises ModelError where there is no model directory, or nothing is listed.
    """
    listed = [folder for folder in _folders(model) if read_manifest(folder) is not None]
    if not listed:
        raise ModelError(f"{model} has no {NAME}; write one of the files as they are with `polyhead verify --accept`")
    paths = [path for folder in listed for path in sorted({*listable(folder), *_listed(folder)})]
    differences = {path: difference for path in paths if (difference := _difference(path)) is not None}
    return Found(len(paths), differences)


def accept_files(model: Path) -> None:
    """Lists the files as they are, if they fit each other and every weight is finite.

    Raises ModelError where they don't; then what is listed stays as it was. Raises PolyheadError where another process
    writes in the directory.
    """
    folders = [folder for folder in _folders(model) if listable(folder)]
    with exclusive(model):
        with _unless_refused(model / NAME):
            accept(model)
            load_bundle(model).check()
        for folder in folders:
            accept(folder)


@contextmanager
def _unless_refused(path: Path) -> Generator[None]:
    """Puts a file back as it was, or removes it if there was none, where the block raises anything."""
    before = path.read_bytes() if path.exists() else None
    try:
        yield
    except BaseException:
        if before is None:
            path.unlink(missing_ok=True)
        else:
            with atomic_file(path) as temporary:
                temporary.write_bytes(before)
        raise


def _folders(model: Path) -> Iterator[Path]:
    if not model.is_dir():
        raise ModelError(f"{model} is not a model directory: there is no such directory")
    return (
        folder
        for folder in (
            *(model / name for name in (*WRITTEN_BY_TRAINING, *WRITTEN_BY_DISTILLING)),
            *sorted((model / CHECKPOINTS).glob(f"*{PARTS}")),
        )
        if folder.is_dir()
    )


def _listed(folder: Path) -> Iterator[Path]:
    return (folder / name for name in read_manifest(folder) or {})


def _difference(path: Path) -> str | None:
    try:
        check_listed(path)
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    except ModelError:
        return "not as it was written" if path in _listed(path.parent) else "not listed"
    return None
