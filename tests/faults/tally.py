"""What faults cost: counted while they are provoked, and shown as a table at the end."""

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

SAID = "the average lacks a snapshot, and that is said"
GOOD = frozenset({"nothing lost", "same output", "refused in one sentence", SAID})
"""Outcomes that were promised; every other is a fault of ours."""
ENDINGS = ("differs", "is left over", "is missing", "is not listed")
"""How problems with a file end."""
SHOWN = 12
"""Problems that a failure's message lists."""


@dataclass
class Tally:
    """Outcomes of one kind of fault, provoked in one way."""

    fault: str
    how: str
    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def count(self, result: str, repeat: str) -> None:
        """One more outcome; `repeat` says how it can be had again."""
        self.outcomes[result] += 1
        if result not in GOOD:
            self.problems.append(f"{repeat}: {result}")

    def end(self, problems: Iterable[str], repeat: str) -> None:
        """One more run brought to its end with these problems, or none."""
        problems = list(problems)
        self.count("nothing lost" if not problems else "; ".join(problems), repeat)


@contextmanager
def tallied(record: Callable[[str, Any], None], fault: str, how: str) -> Generator[Tally]:
    """Yields a tally, reports it when the block ends, and fails if something came out that must not."""
    tally = Tally(fault, how)
    try:
        yield tally
    finally:
        record("fault", [tally.fault, tally.how, dict(tally.outcomes)])
    if tally.problems:
        more = len(tally.problems) - SHOWN
        shown = [*tally.problems[:SHOWN], *([f"… and {more} more"] if more > 0 else [])]
        message = f"{len(tally.problems)} of {tally.outcomes.total()} ({how}):\n" + "\n".join(shown)
        raise AssertionError(message)


def table(rows: Iterable[tuple[str, str, dict[str, int]]]) -> list[str]:
    """The lines of a table in Markdown; rows of the same fault and way become one."""
    merged: dict[tuple[str, str], Counter[str]] = {}
    for fault, how, outcomes in rows:
        merged.setdefault((fault, how), Counter()).update(outcomes)
    lines = ["| fault | how it was provoked | how many | what came of it |", "|---|---|---|---|"]
    for (fault, how), outcomes in sorted(merged.items()):
        said = ", ".join(f"{result}: {number}" for result, number in _summed(outcomes).most_common())
        lines.append(f"| {fault} | {how} | {outcomes.total()} | {said} |")
    return lines


def _summed(outcomes: Counter[str]) -> Counter[str]:
    """Outcomes that read alike counted together."""
    summed: Counter[str] = Counter()
    for result, number in outcomes.items():
        summed[_brief(result)] += number
    return summed


def _brief(result: str) -> str:
    """An outcome in the few words of a table: its first problem, without the names of files."""
    first = result.split("; ")[0].split(": ")[0]
    ending = next((ending for ending in ENDINGS if first.endswith(ending)), None)
    return first if ending is None else f"a file {ending}"
