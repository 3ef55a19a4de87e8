"""`polyhead verify`."""

from polyhead.cli.paths import NamedPath
from polyhead.errors import ModelError, counted


def verify(model: NamedPath, /, *, accept: bool = False) -> None:
    """Say whether the files of a model directory are as they were written, by their SHA-256 in `SHA256SUMS`.

    Parameters
    ----------
    model
        A model directory.
    accept
        Take the files as they are now, as after `config.json` was edited by hand: the model is loaded to see that its
        files fit each other, and then `SHA256SUMS` is written anew.

    """
    from polyhead.recipe.verify import accept_files, find_differences

    if accept:
        accept_files(model)
        print(f"{model}: SHA256SUMS lists the files as they are now")
        return
    found = find_differences(model)
    for path, difference in found.differences.items():
        print(f"{path}: {difference}")
    print(f"{model}: {counted(found.files, 'file')}, {found.files - len(found.differences):,} as they were written")
    if found.differences:
        raise ModelError(
            f"{next(iter(found.differences))} is not as it was written; copy it again, or take the files as they are "
            "with `polyhead verify --accept`"
        )
