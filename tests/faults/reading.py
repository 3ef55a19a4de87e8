"""Commands that read a directory, and what came of them when it was damaged."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.faults.nursery import Answer, Nursery
from tests.faults.runs import differences, outcome, traces

SOURCES = "bado kilu\nmera noti pasu rovi\nsela tugo vani\n\nzeko fimo gura hepi jola\nwuto bado bado\n"
SAME, REFUSED = "same output", "refused in one sentence"


@dataclass(frozen=True)
class Reading:
    """A command done in the directory that holds the folder `model`."""

    words: tuple[str, ...]
    result: Callable[[Path, Answer], object] = lambda directory, answer: answer.out
    """Of a directory and what the command said: what must be the same."""

    def do(self, nursery: Nursery, directory: Path) -> tuple[Answer, object]:
        """Does it → what it said, and the result (None where it failed)."""
        answer = nursery.run(*self.words, directory=directory, stdin=SOURCES)
        return answer, self.result(directory, answer) if answer.status == 0 else None


def _file(name: str) -> Callable[[Path, Answer], object]:
    return lambda directory, answer: hashlib.sha256((directory / name).read_bytes()).hexdigest()


def _folder(name: str) -> Callable[[Path, Answer], object]:
    return lambda directory, answer: traces(directory / name)


READINGS = {
    "translate": Reading(("translate", "model")),
    "translate --shortlist": Reading(("translate", "model", "--shortlist")),
    "info": Reading(("info", "model")),
    "shortlist": Reading(("shortlist", "model", "--best", "2"), _file("model/shortlist.safetensors")),
    "export": Reading(("export", "model", "exported", "--to", "huggingface"), _folder("exported")),
}
ALWAYS = ["translate", "translate --shortlist", "info"]
"""What is quick; each of the others is tried in turn."""


def judged(answer: Answer, result: object, expected: object, names: set[str]) -> str:
    """What came of a command on a damaged directory. names: of the files there, one of which a refusal must name."""
    said = outcome(answer)
    if said == "done":
        return SAME if result == expected else "other result without a word"
    if said != "refused":
        return said
    if not any(name in answer.sentence for name in names):
        return f"refused without the name of a file: {answer.sentence}"
    return REFUSED


def judged_run(answer: Answer, alone: dict[str, str], directory: Path, names: set[str], free: str | None) -> str:
    """The same of a command that goes on with a run. free: a file that need not be what it was."""
    if answer.status != 0:
        return judged(answer, None, None, names)
    problems = [problem for problem in differences(alone, traces(directory)) if free is None or free not in problem]
    return SAME if not problems else "other result without a word: " + "; ".join(problems)


def names_in(directory: Path) -> set[str]:
    """The names of all files below a directory."""
    return {path.name for path in directory.rglob("*") if path.is_file()}
