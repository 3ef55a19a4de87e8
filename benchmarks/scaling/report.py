"""The tables of what was measured, what the fitted model says of it, and what it says of other machines."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.scaling.fit import Compute, Memory, Network, activations_of, compute_of, memory_of, network_of
from benchmarks.scaling.forecast import Fleet, fleets, forecasts
from benchmarks.scaling.measure import Measured, Setting, Summed
from benchmarks.sizes import SIZES

Table = list[tuple[str, ...]]
"""Rows; the first names the columns."""


@dataclass(frozen=True)
class Measurements:
    """All that was measured on a machine, in one call."""

    machine: dict[str, Any]
    date: str
    trainings: tuple[Measured, ...]
    sums: tuple[Summed, ...]

    def as_values(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def of_values(cls, values: dict[str, Any]) -> "Measurements":
        """The inverse of `as_values`."""
        trainings = (Measured(Setting(**each.pop("setting")), **each) for each in map(dict, values["trainings"]))
        sums = (Summed(**each) for each in values["sums"])
        return cls(values["machine"], values["date"], tuple(trainings), tuple(sums))

    @property
    def single(self) -> list[Measured]:
        """The trainings by one process with a worker for every core."""
        return [one for one in self.trainings if one.setting.processes == 1 and one.setting.workers > 1]

    @property
    def fitted(self) -> tuple[Compute, Memory, Network]:
        """The model of these measurements."""
        return compute_of(self.single), memory_of(self.single), network_of(self.sums)

    @property
    def fleets(self) -> list[Fleet]:
        """The machine at hand and others."""
        compute, memory, _ = self.fitted
        return fleets(compute, memory, self.machine["cores"])


def single_process(found: Measurements) -> Table:
    """Model sizes and batches on one process: measured, and as the model says."""
    compute, memory, _ = found.fitted
    rows: Table = [("model", "max_tokens", "target tokens", "tokens/s", "s", "model: s", "MiB", "model: MiB")]
    for one in found.single:
        said = compute.seconds(one.operations, SIZES[one.setting.size].d_model, one.parameters)
        rows.append((
            one.setting.size,
            f"{one.setting.max_tokens:,}",
            f"{one.target_tokens:,.0f}",
            f"{one.target_tokens / one.seconds:,.0f}",
            f"{one.seconds:.3f}",
            f"{said:.3f}",
            f"{one.mebibytes:,.0f}",
            f"{memory.mebibytes(one.parameters, activations_of(one)):,.0f}",
        ))  # fmt: skip
    return rows


def processes(found: Measurements) -> Table:
    """The same batch by several workers and several processes."""
    rows: Table = [("model", "processes", "workers", "tokens/s", "ratio", "sum: s", "MiB")]
    network = found.fitted[2]
    for one in found.trainings:
        alike = [
            other
            for other in found.trainings
            if (other.setting.size, other.setting.max_tokens) == (one.setting.size, one.setting.max_tokens)
        ]
        if len(alike) > 1:
            setting, alone = one.setting, next(other for other in found.single if other in alike)
            rows.append((
                setting.size,
                str(setting.processes),
                str(setting.workers),
                f"{one.target_tokens / one.seconds:,.0f}",
                f"{one.target_tokens / one.seconds / (alone.target_tokens / alone.seconds):.2f}",
                f"{network.seconds(setting.processes, 4 * one.parameters):.3f}",
                f"{one.mebibytes:,.0f}",
            ))  # fmt: skip
    return [rows[0], *sorted(rows[1:])]


def sums(found: Measurements) -> Table:
    """Sums over processes: measured, and as the model says."""
    network = found.fitted[2]
    rows: Table = [("processes", "MiB", "s", "model: s")]
    rows += [
        (
            str(one.processes),
            f"{one.nbytes / 2**20:g}",
            f"{one.seconds:.4f}",
            f"{network.seconds(one.processes, one.nbytes):.4f}",
        )
        for one in found.sums
    ]
    return rows


def assumptions(found: Measurements) -> Table:
    """The numbers of every fleet."""
    rows: Table = [("fleet", "TFLOP/s", "ns/parameter", "bytes/parameter", "bytes/activation", "GB/s", "µs")]
    for fleet in found.fleets:
        rate = 1 / (fleet.compute.seconds_an_operation + fleet.compute.seconds_an_operation_by_width / 512) / 1e12
        alone = fleet.devices == 1
        rows.append((
            fleet.name,
            f"{rate:.3g}",
            f"{fleet.compute.seconds_a_parameter * 1e9:.3g}",
            f"{fleet.memory.bytes_a_parameter:.3g}",
            f"{fleet.memory.bytes_an_activation:.3g}",
            "–" if alone else f"{1e-9 / fleet.network.seconds_a_byte:.3g}",
            "–" if alone else f"{fleet.network.latency * 1e6:.0f}",
        ))  # fmt: skip
    return rows


def runs(found: Measurements) -> Table:
    """What known trainings would take."""
    rows: Table = [("run", "fleet", "s", "waiting", "GiB", "hours")]
    rows += [
        (
            each.run.name,
            each.fleet.name,
            f"{each.seconds:.3g}",
            f"{each.waiting:.0%}",
            f"{each.gibibytes:.1f}",
            f"{each.hours:,.3g}" if each.hours < 1_000 else f"{each.hours:,.0f}",
        )
        for each in forecasts(found.fleets)
    ]
    return rows


TABLES = {
    "One process": single_process,
    "Several processes": processes,
    "Sums over processes": sums,
    "Assumptions": assumptions,
    "Forecasts": runs,
}


def written(table: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    head, *rows = (f"| {' | '.join(row)} |" for row in table)
    return "\n".join([head, f"|{'---|' * len(table[0])}", *rows])
