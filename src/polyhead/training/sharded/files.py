"""The files of a checkpoint to which each process writes the rows that it holds, by `torch.distributed.checkpoint`.

That library's usual files hold pickle, which executes what is in it. These are safetensors with a few numbers in JSON,
as the library has them for Hugging Face: `shard-00001-model-00001-of-00001.safetensors` and so on, in one folder.
"""

# PyTorch documents these names as torch.distributed.checkpoint's, but its types say otherwise:
# pyright: reportPrivateImportUsage=false

import warnings
from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor
from torch.distributed import checkpoint
from torch.distributed.checkpoint import (
    CheckpointException,
    HuggingFaceStorageReader,
    HuggingFaceStorageWriter,
    TensorStorageMetadata,
)

from polyhead.errors import ModelError
from polyhead.manifest import check_listed, read_manifest
from polyhead.reading import check_tensors
from polyhead.training.process_group import answered

Described = dict[str, Tensor]
"""Whole tensors by name, without values."""


DTYPES = {"F32": "float32", "BF16": "bfloat16", "F16": "float16", "F64": "float64", "I64": "int64"}
"""What a checkpoint's numbers may be, by the names of safetensors."""
_WRONG = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, SafetensorError, TypeError, ValueError,
)  # fmt: skip
"""The errors that reading files of unexpected content leads to."""


class Unfit(ModelError):
    """A folder that holds no whole checkpoint."""


def write_parts(folder: Path, tensors: Mapping[str, Tensor], group: Any) -> None:
    """Writes what each process of a group holds into one folder, which exists and which all of them reach.

    tensors: DTensors, of which each process writes its rows, and others, which are the same in all and written once
    Raises OSError in the process that could not write, and RuntimeError in the others.
    """
    writer = HuggingFaceStorageWriter(str(folder), save_distributed=True)
    with _as_they_were(group):
        checkpoint.save(dict(tensors), storage_writer=writer, process_group=group)


def check_parts(folder: Path, count: int) -> None:
    """Raises ModelError or OSError where a folder doesn't hold exactly `count` files, each as it was written."""
    listed = read_manifest(folder)
    found = {path.name for path in folder.glob("*.safetensors")}
    if listed is None or set(listed) != found or len(found) != count:
        raise Unfit(f"{folder} should hold {count} files of a checkpoint, but holds {len(found)}")
    for name in sorted(found):
        check_tensors(folder / name)
        check_listed(folder / name)


def describe_parts(folder: Path) -> Described:
    """What is in a folder that `check_parts` has seen. Raises Unfit where the parts are not those of whole tensors."""
    with _unfit(folder):
        found = HuggingFaceStorageReader(str(folder)).read_metadata().state_dict_metadata
    described: Described = {}
    for name, tensor in found.items():
        if not isinstance(tensor, TensorStorageMetadata):
            raise Unfit(f"{folder} holds {name}, which is no tensor")
        if not _is_whole(tensor):
            raise Unfit(f"{folder} doesn't hold all parts of {name}")
        described[name] = torch.empty(tensor.size, dtype=tensor.properties.dtype, device="meta")
    return described


def _is_whole(tensor: TensorStorageMetadata) -> bool:
    """Whether the parts of a tensor are rows that follow each other from the first to the last."""
    rows = 0
    for chunk in sorted(tensor.chunks, key=lambda chunk: (chunk.offsets, chunk.sizes)):
        if chunk.offsets != torch.Size((rows, *(0,) * (len(tensor.size) - 1)))[: len(tensor.size)]:
            return False
        rows += chunk.sizes[0] if chunk.sizes else 0
    return rows == (tensor.size[0] if tensor.size else 0) and len(tensor.chunks) > 0


def describe_file(path: Path) -> Described:
    """What is in one file of whole tensors."""
    described: Described = {}
    with safe_open(path, "pt") as file:
        for name in cast("list[str]", file.keys()):
            stored = file.get_slice(name)
            dtype = cast(torch.dtype, getattr(torch, DTYPES[stored.get_dtype()]))
            described[name] = torch.empty(cast(list[int], stored.get_shape()), dtype=dtype, device="meta")
    return described


def read_parts(folder: Path, tensors: Mapping[str, Tensor], group: Any = None) -> None:
    """Puts what a folder holds into tensors of the shapes and dtypes that `describe_parts` gives.

    tensors: DTensors, of which each process of a group reads the rows that it holds, and others, read whole
    group: None for a process by itself, in which no tensor is a DTensor
    """
    with _unfit(folder), warnings.catch_warnings(action="ignore", category=UserWarning):  # it warns of a lone process
        reader = HuggingFaceStorageReader(str(folder))
        with nullcontext() if group is None else answered():
            checkpoint.load(dict(tensors), storage_reader=reader, process_group=group, no_dist=group is None)


def read_whole(folder: Path) -> dict[str, Tensor]:
    """All tensors of a folder that `check_parts` has seen, on the CPU. Raises Unfit where they are not whole."""
    tensors = {name: torch.empty(each.shape, dtype=each.dtype) for name, each in describe_parts(folder).items()}
    read_parts(folder, tensors)
    return tensors


@contextmanager
def _unfit(folder: Path) -> Generator[None]:
    """Within the block, errors that a file of unexpected content leads to become Unfit."""
    try:
        yield
    except _WRONG as error:
        raise Unfit(f"{folder} holds no checkpoint in parts: {error}") from error
    except CheckpointException as error:
        reason, _ = next(iter(error.failures.values()))
        raise Unfit(f"{folder} holds no checkpoint in parts: {reason}") from error


@contextmanager
def _as_they_were(group: Any) -> Generator[None]:
    """Within the block, errors that the library has collected from all processes become this process's own again."""
    try:
        yield
    except CheckpointException as error:
        own = error.failures.get(torch.distributed.get_rank(group))
        reason = own or next(iter(error.failures.values()))
        if own is not None and isinstance(own[0], Exception):
            raise own[0] from error
        raise RuntimeError(f"another process could not write its part: {cast(object, reason[0])}") from error
