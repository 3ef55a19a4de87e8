"""What tells whether a model is the same as before."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from polyhead.errors import ModelError
from polyhead.manifest import NAME, digest_of, is_listing, listable


def fingerprint(models: Iterable[Path]) -> str:
    """A digest of one or more model directories: of their `SHA256SUMS`, which has the digests of all their files.

    Of a directory without one, which an older version wrote, the files themselves are read. Raises ModelError where a
    file can't be read.
    """
    whole = hashlib.sha256()
    for model in models:
        try:
            files = [model / NAME] if is_listing(model) else listable(model)
            whole.update("".join(f"{file.name} {digest_of(file)}\n" for file in files).encode())
        except OSError as error:
            raise ModelError(f"{error.filename or model} cannot be read: {error.strerror or error}") from error
        whole.update(b"\n")
    return whole.hexdigest()
