"""What known trainings would take on other machines: the model of fit.py with numbers that are assumptions.

Nothing here was measured on those machines. Every number that is assumed stands in `FLEETS` and `RUNS`, with its
reason, and the tables are computed anew from them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.counting import operations, training_products
from benchmarks.scaling.fit import MIB, Compute, Memory, Network, activations
from benchmarks.sizes import Size
from polyhead.model.config import PRESETS

HOUR = 3_600.0
BYTES_OF_GRADIENT = 4
GPU_BYTES_A_PARAMETER = 18
"""float32 weights, gradients and two moments, and weights in bfloat16."""
GPU_BYTES_AN_ACTIVATION = 34
"""bfloat16, 17 numbers kept for each token, layer and dimension: Korthikanti et al. (2022), section 4, without the
attention weights, which fused attention doesn't keep."""
GPU_TRAFFIC_A_PARAMETER = 32
"""Bytes that Adam reads and writes: weight, gradient, two moments; weight, two moments, and the weight in bfloat16."""
CPU_CORES = 32
CPU_SHARE = 0.8
"""Of the speed of so many cores by themselves, as all of them share memory and clock."""
BASE = Size("base", **PRESETS["base"], dropout=0.1, peak=7e-4)
BIG = Size("big", **PRESETS["big"], dropout=0.3, peak=7e-4)


@dataclass(frozen=True)
class Run:
    """A training as it is known."""

    name: str
    size: Size
    vocabulary: int
    updates: int
    tokens: int
    """Of each side in a batch."""
    length: int
    """Tokens of a sentence of each side."""

    @property
    def parameters(self) -> int:
        """With one matrix for both embeddings and the output layer."""
        d, f = self.size.d_model, self.size.d_ff
        attention, feed_forward, norm = 4 * (d * d + d), 2 * d * f + d + f, 2 * d
        encoder = self.size.encoder_layers * (attention + feed_forward + 2 * norm)
        decoder = self.size.decoder_layers * (2 * attention + feed_forward + 3 * norm)
        return encoder + decoder + self.vocabulary * d

    @property
    def operations(self) -> float:
        """Of the matrix products of an update."""
        sentences = self.tokens // self.length
        return float(operations(training_products(self.size, self.vocabulary, sentences, self.length, self.length)))


@dataclass(frozen=True)
class Fleet:
    """Devices that train together, each with a process of its own."""

    name: str
    devices: int
    compute: Compute
    memory: Memory
    network: Network
    """Of a device to the next one, where it is slowest."""


@dataclass(frozen=True)
class Forecast:
    """What a run would take on a fleet."""

    run: Run
    fleet: Fleet
    seconds: float
    """Of an update."""
    waiting: float
    """The share of it in which gradients are summed."""
    gibibytes: float
    """Of memory, on each device."""

    @property
    def hours(self) -> float:
        """Without validation."""
        return self.seconds * self.run.updates / HOUR


RUNS = (
    Run("WMT14, base", BASE, 37_000, 100_000, 25_000, 25),
    Run("WMT14, big", BIG, 37_000, 300_000, 25_000, 25),
    Run("10 billion pairs, base", BASE, 37_000, 625_000, 400_000, 25),
    Run("10 billion pairs, big", BIG, 37_000, 625_000, 400_000, 25),
)
"""The paper's two (section 5.1: batches of some 25,000 tokens of each side), and one reading of 10¹⁰ pairs in batches
of the size that Ott et al. (2018) used: 10¹⁰ · 25 / 400,000 updates."""


def fleets(here: Compute, memory: Memory, cores: int) -> list[Fleet]:
    """Those of the forecasts: the machine at hand, GPUs, and machines with CPUs of the same kind.

    here: what was fitted on the machine at hand; cores: how many it has
    """
    gpu = Compute(1 / (0.3 * 989e12), 0.0, GPU_TRAFFIC_A_PARAMETER / (0.7 * 3.35e12))
    gpu_memory = Memory(2 * 2**30, GPU_BYTES_A_PARAMETER, GPU_BYTES_AN_ACTIVATION)
    faster = CPU_SHARE * CPU_CORES / cores
    cpu = Compute(
        here.seconds_an_operation / faster,
        here.seconds_an_operation_by_width / faster,
        here.seconds_a_parameter / faster,
    )
    return [
        Fleet(f"this machine, {cores} cores", 1, here, memory, Network(0.0, 0.0)),
        Fleet("8 GPUs", 8, gpu, gpu_memory, Network(50e-6, 1 / (0.7 * 450e9))),
        Fleet("64 GPUs", 64, gpu, gpu_memory, Network(100e-6, 1 / (0.7 * 50e9))),
        Fleet(f"64 machines of {CPU_CORES} cores", 64, cpu, memory, Network(1e-3, 8 / (0.7 * 25e9))),
    ]


def forecast(run: Run, fleet: Fleet) -> Forecast:
    """Every device computes its share of each batch, then gradients are summed, then all do the optimizer's step."""
    alone = fleet.compute.seconds(run.operations / fleet.devices, run.size.d_model, run.parameters)
    summing = fleet.network.seconds(fleet.devices, BYTES_OF_GRADIENT * run.parameters)
    tokens = run.tokens / fleet.devices
    mebibytes = fleet.memory.mebibytes(run.parameters, activations(run.size, tokens, tokens))
    return Forecast(run, fleet, alone + summing, summing / (alone + summing), mebibytes * MIB / 2**30)


def forecasts(all_fleets: Sequence[Fleet]) -> list[Forecast]:
    """Every run on every fleet."""
    return [forecast(run, fleet) for run in RUNS for fleet in all_fleets]
