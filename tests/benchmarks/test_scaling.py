"""The model of training's time and memory finds the factors that made its data; forecasts are those of whole models."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scaling.curves import WAYS, differences, draw
from benchmarks.scaling.fit import Compute, Memory, Network, activations_of, compute_of, memory_of, network_of
from benchmarks.scaling.forecast import RUNS, Fleet, forecast
from benchmarks.scaling.measure import SETTINGS, Measured, Setting, Summed, run
from benchmarks.scaling.report import TABLES, Measurements, written
from benchmarks.sizes import SIZES
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig

FACTOR = st.floats(1e-3, 1e3)


def measured(compute: Compute, memory: Memory) -> list[Measured]:
    found: list[Measured] = []
    for number, setting in enumerate(SETTINGS[:7], start=1):
        tokens, parameters = setting.max_tokens / 2.2, 10**6 * number
        operations = 5e5 * tokens * SIZES[setting.size].d_model
        one = Measured(setting, parameters, 0.0, tokens, tokens, operations, 0.0)
        seconds = compute.seconds(operations, SIZES[setting.size].d_model, parameters)
        found.append(replace(one, seconds=seconds, mebibytes=memory.mebibytes(parameters, activations_of(one))))
    return found


@given(FACTOR, FACTOR, FACTOR)
def test_the_factors_that_made_the_measurements_are_found(first, second, third):
    compute = Compute(1e-12 * first, 1e-10 * second, 1e-9 * third)
    memory = Memory(1e8 * first, 10 * second, 10 * third)
    found = measured(compute, memory)
    for one in found:
        d_model = SIZES[one.setting.size].d_model
        said = compute_of(found).seconds(one.operations, d_model, one.parameters)
        assert said == pytest.approx(one.seconds, rel=1e-3)
        assert memory_of(found).mebibytes(one.parameters, activations_of(one)) == pytest.approx(one.mebibytes, rel=1e-3)


@given(st.floats(1e-6, 1e-2), st.floats(1e-12, 1e-8))
def test_latency_and_bandwidth_are_found(latency, seconds_a_byte):
    network = Network(latency, seconds_a_byte)
    sums = [Summed(n, size, network.seconds(n, size)) for n in (2, 4) for size in (1 << 16, 1 << 24, 1 << 28)]
    for one in sums:
        assert network_of(sums).seconds(one.processes, one.nbytes) == pytest.approx(one.seconds, rel=1e-3)


def test_no_factor_is_below_zero_whatever_was_measured():
    found = measured(Compute(1e-12, 0, 1e-9), Memory(1e8, 10, 10))
    odd = [replace(one, seconds=1 / (number + 1)) for number, one in enumerate(found)]
    compute = compute_of(odd)
    assert min(compute.seconds_an_operation, compute.seconds_an_operation_by_width, compute.seconds_a_parameter) >= 0


@pytest.mark.parametrize("known", RUNS, ids=lambda one: one.name)
def test_a_run_has_as_many_parameters_as_its_model(known):
    size = known.size
    config = TransformerConfig(
        encoder_layers=size.encoder_layers,
        decoder_layers=size.decoder_layers,
        d_model=size.d_model,
        d_ff=size.d_ff,
        num_heads=size.num_heads,
    )
    model = build_model(config, known.vocabulary, known.vocabulary)
    assert known.parameters == sum(weight.numel() for weight in model.parameters())


def test_twice_the_devices_halve_the_work_and_not_the_optimizer_or_the_sum():
    compute, memory, network = Compute(1e-12, 0.0, 1e-9), Memory(0.0, 16.0, 30.0), Network(0.0, 1e-12)
    one, two = (forecast(RUNS[0], Fleet("", devices, compute, memory, network)) for devices in (1, 2))
    work, rest = RUNS[0].operations * 1e-12, RUNS[0].parameters * 1e-9
    assert one.seconds == pytest.approx(work + rest)
    assert one.waiting == 0
    assert two.seconds == pytest.approx(work / 2 + rest + 4 * RUNS[0].parameters / 1e12)


def test_measurements_come_back_from_json_and_fill_every_table():
    found = measured(Compute(1e-12, 1e-10, 1e-9), Memory(1e8, 10, 10))
    several = replace(found[0], setting=Setting("tiny", 8_192, 2, 1))
    sums = tuple(Summed(n, 1 << 20, 0.01) for n in (2, 4))
    measurements = Measurements({"cores": 2}, "2026-11-27", (*found, several), sums)
    assert Measurements.of_values(measurements.as_values()) == measurements
    for table in TABLES.values():
        rows = table(measurements)
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}
        assert written(rows).count("\n") == len(rows)


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the peak of memory")
def test_the_memory_of_all_that_a_command_starts_counts(tmp_path):
    take = "import time; held = bytearray(100 << 20); held[::4096] = b'1' * len(held[::4096]); time.sleep(1)"
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {take!r}]); {take}"
    assert 200 < run([sys.executable, "-c", start], tmp_path / "said") < 300


def test_a_command_that_fails_says_its_last_words(tmp_path):
    with pytest.raises(RuntimeError, match="no corpus here"):
        run([sys.executable, "-c", "raise SystemExit('no corpus here')"], tmp_path / "said")


def test_the_largest_difference_from_one_worker_is_said_up_to_each_update(tmp_path):
    one = np.linspace(5, 1, 60)
    others = [one + 1e-6 * number * (np.arange(60) == 30) for number in range(1, len(WAYS))]
    head, *rows = differences([one, *others])
    assert head == ("", "1–20", "1–50")
    assert rows[0] == ("1 process, 2 workers", "0", "1e-06")
    assert rows[-1] == ("4 processes, 1 worker each", "0", "4e-06")
    draw([one, *others], tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000


LABELS = {"One process": 1, "Several processes": 1, "Sums over processes": 0, "Assumptions": 1, "Forecasts": 2}
"""How many columns of each table are names, which the pages translate."""
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_pages_show_what_the_measurements_say(language):
    page = (ROOT / "docs" / language / "scaling.md").read_text(encoding="utf-8")
    shown = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("|")]
    values = json.loads((ROOT / "benchmarks" / "results" / "scaling.json").read_text(encoding="utf-8"))
    found = Measurements.of_values(values)
    for name, table in TABLES.items():
        for row in table(found)[1:]:
            assert list(row[LABELS[name] :]) in [cells[LABELS[name] :] for cells in shown], (name, row)
    assert found.date in page
