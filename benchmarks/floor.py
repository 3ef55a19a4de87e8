"""The floor: how fast this machine could be at most, by its own measured speed and the counted arithmetic."""

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.contest import Contestant, Stage
from benchmarks.corpora import TrainingText, amounts
from benchmarks.counting import Product, operations, step_bytes, training_products, translation_products
from benchmarks.results import Row
from benchmarks.sizes import SIZES
from benchmarks.systems import FLOOR, OURS, Setting, System
from polyhead.hardware import multiplies_bfloat16

METER = System(FLOOR, None, "floor.py", (Setting("PyTorch's kernels"),))
WIDTHS = {"float32": 4, "bfloat16": 2} if multiplies_bfloat16() else {"float32": 4}
"""Bytes of a number in every format that this processor multiplies."""
REPEATS = 5
LARGE = Product(2048, 2048, 2048)
"""A product at which every kernel is at its best."""
HYPOTHESES = 320
"""Rows that a batched search is counted with: 64 sentences, beam 5."""


def measure(stage: Stage, text: TrainingText) -> list[Row]:
    """Rates of the machine, and for every size what they would allow."""
    contestant = stage.start(METER, METER.settings[0], {})
    if contestant is None:
        return []
    try:
        rows = _machine(stage, contestant)
        for dtype in WIDTHS:
            rows += [_training(stage, contestant, text, size, dtype) for size in stage.plan.training_sizes]
            for size in stage.plan.translation_sizes:
                rows += [_translation(stage, contestant, text, size, dtype, beam) for beam in stage.plan.beams]
                rows.append(_latency(rows, text, size, dtype))
        return rows
    finally:
        contestant.driver.close()


def seconds_of(stage: Stage, contestant: Contestant, products: Sequence[Product], dtype: str) -> float:
    """Measured time of all products, each at its own shape."""
    answer = contestant.driver.ask(
        "products",
        600.0,
        shapes=[[product.batch, product.m, product.k, product.n] for product in products],
        dtype=dtype,
        threads=stage.threads,
        repeats=REPEATS,
    )
    return sum(seconds * product.times for seconds, product in zip(answer["seconds"], products, strict=True))


def typical(text: TrainingText) -> tuple[int, int, int]:
    """The mean batch: sentences, source tokens a sentence, target tokens a sentence."""
    batches = amounts(text.batches)
    sentences = sum(batch.sentences for batch in batches)
    source = sum(batch.source_tokens for batch in batches) / sentences
    target = sum(batch.target_tokens for batch in batches) / sentences
    return round(sentences / len(batches)), round(source), round(target)


def with_fractions(rows: Sequence[Row]) -> list[Row]:
    """For each floor of training, what share of it polyhead reached in the same call."""
    timed = [row for row in rows if (row.task, row.measure) == ("training", "throughput") and row.value]
    ours = {(row.size, row.date): row for row in timed if row.system == OURS}
    return [
        replace(one, measure=f"share of the floor, {row.setting}", value=share, unit="%", data="", spread=None)
        for row in timed
        if row.system == FLOOR and (one := ours.get((row.size, row.date)))
        for share in [round(100 * (one.value or 0.0) / (row.value or 1.0), 1)]
    ]


def _machine(stage: Stage, contestant: Contestant) -> list[Row]:
    rows = [
        Row("machine", "", f"matrix products, {dtype}", FLOOR, "2048 × 2048 × 2048", round(rate, 1), "GFLOP/s")
        for dtype in WIDTHS
        for rate in [LARGE.operations / seconds_of(stage, contestant, [LARGE], dtype) / 1e9]
    ]
    memory = contestant.driver.ask("memory", 600.0, threads=stage.threads, repeats=REPEATS)["bytes_per_second"]
    return [*rows, Row("machine", "", "memory", FLOOR, "reading 256 MiB", round(memory / 1e9, 2), "GB/s")]


def _training(stage: Stage, contestant: Contestant, text: TrainingText, size: str, dtype: str) -> Row:
    """Target tokens a second if there were nothing but the matrix products."""
    sentences, source, target = typical(text)
    products = training_products(SIZES[size], text.pieces, sentences, source, target)
    seconds = seconds_of(stage, contestant, products, dtype)
    note = f"{operations(products) / 1e9:.0f} GFLOP a batch of {sentences} sentences"
    value = round(sentences * target / seconds, 1)
    setting = f"matrix products, {dtype}"
    return Row("training", size, "throughput", FLOOR, setting, value, "target tokens/s", "multi30k", note=note)


def _translation(stage: Stage, contestant: Contestant, text: TrainingText, size: str, dtype: str, beam: int) -> Row:
    """Sentences a second if there were nothing but the matrix products."""
    _, source, target = typical(text)
    sentences = HYPOTHESES // beam
    products = translation_products(SIZES[size], text.pieces, sentences, source, target, beam)
    value = round(sentences / seconds_of(stage, contestant, products, dtype), 1)
    note = f"{operations(products) / sentences / 1e9:.2f} GFLOP a sentence, {HYPOTHESES} rows a step"
    search = "greedy" if beam == 1 else f"beam {beam}"
    return Row(
        "translation",
        size,
        "throughput",
        FLOOR,
        f"matrix products, {dtype}",
        value,
        "sentences/s",
        data="multi30k",
        search=search,
        note=note,
    )


def _latency(machine: Sequence[Row], text: TrainingText, size: str, dtype: str) -> Row:
    """Milliseconds to read the decoder's weights from memory once a step: less only where a cache holds them."""
    memory = next(row.value for row in machine if row.measure == "memory") or 0.0
    target = typical(text)[2]
    value = 1000 * target * step_bytes(SIZES[size], text.pieces, WIDTHS[dtype]) / (memory * 1e9)
    return Row(
        "translation",
        size,
        "latency p50",
        FLOOR,
        f"weights read each step, {dtype}",
        round(value, 3),
        "ms",
        data="multi30k",
        search="greedy",
        note=f"{target} steps",
    )
