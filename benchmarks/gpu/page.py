"""The results of a device as a page: a line for each system and setting, a column for each size."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.gpu.equality import Outcome
from benchmarks.report import groups, number, title, versions
from benchmarks.results import Results, Row
from benchmarks.systems import OURS

FACTS = (
    ("device", "device"),
    ("device memory, GiB", "device_memory_gib"),
    ("compute capability", "compute_capability"),
    ("driver", "driver"),
    ("CUDA", "cuda"),
    ("cuDNN", "cudnn"),
    ("PyTorch", "torch"),
    ("processor", "processor"),
    ("cores", "cores"),
    ("system", "system"),
    ("Python", "python"),
    ("command", "command"),
    ("seconds", "seconds"),
)
"""What the page says of the machine, and where that stands in the results."""
TRIAL = (
    "**This is a trial of the command on a CPU. No GPU was measured, and no figure below says anything about speed.**"
)


def markdown(results: Results, outcome: Outcome | None) -> str:
    """The whole page. outcome: of the equality tests, once they are done"""
    is_gpu = "driver" in results.machine
    parts = ["# On a GPU" if is_gpu else "# A trial on a CPU", "", *([] if is_gpu else [TRIAL, ""])]
    parts += [f"Measured {results.date} in one call.", "", *_facts(results.machine)]
    parts += ["", "## Equality tests", "", *_tests(outcome)]
    for task, said in (("training", TRAINING), ("translation", TRANSLATION)):
        rows = [row for row in results.rows if row.task == task]
        if rows:
            parts += ["", f"## {task.capitalize()}", "", said]
        for group in groups(rows):
            parts += ["", f"**{title(group[0])}**", "", *table(group)]
    if results.notes:
        parts += ["", "## What is missing, and why", "", *(f"- {note}" for note in results.notes)]
    parts += ["", "## Versions", "", *versions(results)]
    return "\n".join(parts) + "\n"


TRAINING = (
    "The same batches in the same order, in turns; medians over the rounds. × says how many times its speed or memory "
    "polyhead's is. Losses are of held-out text after as many updates as each had in its time."
)
TRANSLATION = "The model that polyhead has become in the training above, with the same weights for all."


def table(rows: Sequence[Row]) -> list[str]:
    """Systems and settings in the order in which they were measured."""
    sizes = list(dict.fromkeys(row.size for row in rows))
    cells = {(row.system, row.setting, row.size): _cell(row) for row in rows}
    lines = [f"| system | setting | {' | '.join(sizes)} |", f"|---|---|{'--:|' * len(sizes)}"]
    for system, setting in dict.fromkeys((row.system, row.setting) for row in rows):
        found = [cells.get((system, setting, size), "–") for size in sizes]
        lines.append(f"| {system} | {setting} | {' | '.join(found)} |")
    return lines


def _cell(row: Row) -> str:
    if row.value is None:
        return "no figure"
    ratio = f" ({row.ratio:.2f}×)" if row.ratio is not None and row.system != OURS else ""
    return f"{number(row.value)}{ratio}"


def _facts(machine: dict[str, Any]) -> Iterator[str]:
    yield "| | |"
    yield "|---|---|"
    for name, key in FACTS:
        if key in machine:
            yield f"| {name} | {machine[key]} |"


def _tests(outcome: Outcome | None) -> Iterator[str]:
    """What they compare and how it went."""
    yield (
        "Losses, gradients, optimizer steps, resumed runs and translations, in float32 and in bfloat16, against the "
        "plain model on the CPU in float32; the tolerances stand in the tests."
    )
    yield ""
    if outcome is None:
        yield "They were not run."
        return
    counted = ", ".join(f"{count} {name}" for name, count in outcome.counts.items())
    yield f"{'All passed' if outcome.is_good else 'NOT ALL PASSED'}: {counted}; {outcome.seconds:.0f} seconds."
