"""The results as a page: Markdown tables, a column a model size, a row a system."""

from collections.abc import Iterator, Sequence

from benchmarks.results import Results, Row
from benchmarks.systems import OURS

TASKS = ("machine", "training", "time to BLEU", "translation")
"""In the order of the page."""
HIGHER_IS_BETTER = ("/s", "BLEU", "%")
"""How the units end of which more is better; of milliseconds and mebibytes less is."""


def markdown(results: Results) -> str:
    """The whole page."""
    parts = ["# Benchmark results", *_introduction(results)]
    for task in sorted({row.task for row in results.rows}, key=TASKS.index):
        parts += ["", f"## {task[0].upper()}{task[1:]}"]
        rows = [row for row in results.rows if row.task == task]
        for group in groups(rows):
            parts += ["", f"**{title(group[0])}**{days(group)}", "", *table(group)]
    if results.notes:
        parts += ["", "## What could not be measured", "", *(f"- {note}" for note in results.notes)]
    parts += ["", "## Versions", "", *versions(results)]
    return "\n".join(parts) + "\n"


def groups(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows that differ in system, setting and size alone."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault((row.measure, row.data, row.search, row.unit), []).append(row)
    return list(found.values())


def title(row: Row) -> str:
    """What a table is about."""
    where = ", ".join(part for part in (row.data, row.search) if part)
    return f"{row.measure}, {row.unit}" + (f" ({where})" if where else "")


def days(rows: Sequence[Row]) -> str:
    """When they were measured."""
    found = sorted({row.date[:10] for row in rows if row.date})
    return f" · {' to '.join(dict.fromkeys([found[0], found[-1]]))}" if found else ""


def table(rows: Sequence[Row]) -> list[str]:
    """polyhead first, then the others, the best one on top."""
    sizes = list(dict.fromkeys(row.size for row in rows))
    if sizes == [""]:
        return ["| | |", "|---|--:|", *(f"| {row.setting} | {number(row.value)} |" for row in rows)]
    chosen: dict[tuple[str, str], Row] = {}
    for row in rows:
        place = (row.system, row.size)
        if place not in chosen or better(row, chosen[place]):
            chosen[place] = row
    systems = sorted({row.system for row in rows}, key=lambda system: _order(system, sizes, chosen))
    lines = [f"| system | {' | '.join(sizes)} |", f"|---|{'--:|' * len(sizes)}"]
    for system in systems:
        cells = [cell(chosen.get((system, size))) for size in sizes]
        lines.append(f"| {system} | {' | '.join(cells)} |")
    return lines


def cell(row: Row | None) -> str:
    """Value, setting, and how polyhead compares with it."""
    if row is None:
        return "–"
    if row.value is None:
        return "not reached"
    ratio = f", {row.ratio:.2f}×" if row.ratio is not None and row.system != OURS else ""
    said = f"<br>{row.setting}{ratio}" if row.setting or ratio else ""
    return f"{number(row.value)}{said}"


def better(row: Row, other: Row) -> bool:
    """By the direction that its unit has."""
    if row.value is None or other.value is None:
        return row.value is not None
    more = row.unit.endswith(HIGHER_IS_BETTER) or row.unit.startswith("%")
    return row.value > other.value if more else row.value < other.value


def number(value: float | None) -> str:
    """About four digits."""
    if value is None:
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.2f}"


def _order(system: str, sizes: Sequence[str], chosen: dict[tuple[str, str], Row]) -> tuple[bool, float]:
    row = next((chosen[system, size] for size in sizes if (system, size) in chosen), None)
    value = row.value if row is not None and row.value is not None else 0.0
    more = row is not None and better(row, Row(*[""] * 5, value=0.0, unit=row.unit))
    return system != OURS, -value if more else value


def _introduction(results: Results) -> Iterator[str]:
    machine = results.machine
    yield ""
    yield (
        f"Last measured {results.date} on {machine['cores']} cores of {machine['processor']} (family and model "
        f"{machine['family']}; {', '.join(machine['flags']) or 'no vector extensions of note'}), "
        f"{machine['memory_gib']} GiB, {machine['system']}, Python {machine['python']}, plan `{results.plan}`."
    )
    yield ""
    yield (
        "Systems took turns on the same machine in the same call; values are medians over the rounds. Each system is "
        "shown in its best setting, which stands under the value; × says how many times its value polyhead's is. "
        "The floor is what this machine's own speed in matrix products, measured in the same call, would allow."
    )


def versions(results: Results) -> Iterator[str]:
    """A line for each system: what of its packages decides its speed."""
    telling = ("torch", "polyhead", "transformers", "ctranslate2", "joeynmt", "eole", "sockeye", "pymarian", "numpy")
    for system, packages in results.versions.items():
        named = [f"{name} {packages[name]}" for name in telling if name in packages]
        yield f"- {system}: {', '.join(named)}"
