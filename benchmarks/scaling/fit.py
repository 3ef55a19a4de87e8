"""Time, memory and communication of an update as sums of a few terms, whose factors are fitted to what was measured.

    seconds   = operations / rate + operations / (rate_by_width · D) + parameters · seconds_a_parameter
    mebibytes = fixed + parameters · bytes_a_parameter + activations · bytes_an_activation
    sum       = latency + 2 (N − 1) / N · bytes · seconds_a_byte

The second term says that narrow layers compute more slowly than wide ones. N is the number of processes; the factor
before the bytes is what every process sends when sums go round in a ring.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.scaling.measure import Measured, Summed
from benchmarks.sizes import SIZES, Size

MIB = 2**20


@dataclass(frozen=True)
class Compute:
    """How long a machine takes for an update without the others."""

    seconds_an_operation: float
    seconds_an_operation_by_width: float
    """Divided by D = d_model."""
    seconds_a_parameter: float
    """Of the optimizer's step."""

    def seconds(self, operations: float, d_model: int, parameters: int) -> float:
        """Of an update."""
        an_operation = self.seconds_an_operation + self.seconds_an_operation_by_width / d_model
        return operations * an_operation + parameters * self.seconds_a_parameter


@dataclass(frozen=True)
class Memory:
    """What a process takes."""

    fixed: float
    """Bytes of Python, its libraries, the corpus and the kernels."""
    bytes_a_parameter: float
    bytes_an_activation: float

    def mebibytes(self, parameters: int, activations: float) -> float:
        """The peak of its resident memory."""
        return (self.fixed + parameters * self.bytes_a_parameter + activations * self.bytes_an_activation) / MIB


@dataclass(frozen=True)
class Network:
    """How long a sum over processes takes."""

    latency: float
    """Seconds."""
    seconds_a_byte: float
    """That a process sends, while it receives another."""

    def seconds(self, processes: int, nbytes: float) -> float:
        """Of the sum of so many bytes of each process."""
        if processes == 1:
            return 0.0
        return self.latency + 2 * (processes - 1) / processes * nbytes * self.seconds_a_byte


def compute_of(measured: Sequence[Measured]) -> Compute:
    """Fitted to trainings by one process with the same number of workers."""
    terms = [[one.operations, one.operations / SIZES[one.setting.size].d_model, one.parameters] for one in measured]
    return Compute(*_fitted(terms, [one.seconds for one in measured]))


def memory_of(measured: Sequence[Measured]) -> Memory:
    """Fitted to trainings by one process."""
    terms = [[1.0, one.parameters, activations_of(one)] for one in measured]
    return Memory(*(MIB * factor for factor in _fitted(terms, [one.mebibytes for one in measured])))


def network_of(sums: Sequence[Summed]) -> Network:
    """Fitted to sums over different numbers of processes."""
    terms = [[1.0, 2 * (one.processes - 1) / one.processes * one.nbytes] for one in sums]
    return Network(*_fitted(terms, [one.seconds for one in sums]))


def activations(size: Size, source_tokens: float, target_tokens: float) -> float:
    """The numbers of one kind that all layers keep for the backward pass: tokens × layers × D."""
    return (source_tokens * size.encoder_layers + target_tokens * size.decoder_layers) * size.d_model


def activations_of(one: Measured) -> float:
    """Those of a training's update, which one process computes."""
    return activations(SIZES[one.setting.size], one.source_tokens, one.target_tokens)


def _fitted(terms: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    """The factors, none below 0, for which the sum of squared relative errors is least."""
    matrix: NDArray[np.float64] = np.array(terms) / np.array(values)[:, None]
    scale = np.abs(matrix).max(axis=0)
    used = list(range(matrix.shape[1]))
    while True:
        found = np.linalg.lstsq(matrix[:, used] / scale[used], np.ones(len(values)), rcond=None)[0]
        if (found >= 0).all() or len(used) == 1:
            break
        used.pop(int(found.argmin()))
    factors = np.zeros(matrix.shape[1])
    factors[used] = np.maximum(found, 0) / scale[used]
    return [float(factor) for factor in factors]
