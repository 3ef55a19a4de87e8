"""Running commands in this process, which saves the seconds that loading PyTorch takes."""

import io
import sys
from dataclasses import dataclass

import pytest

from polyhead.cli import main


@dataclass(frozen=True)
class Answer:
    """What a command left: exit status, standard output, standard error."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines of standard output, split at line feeds alone."""
        return self.out.split("\n")[:-1]


@pytest.fixture
def polyhead(capfd, monkeypatch):
    r"""`polyhead("translate", model, stdin="A dog.\n")` → Answer. Never is there a traceback."""

    def run(*arguments, stdin: str | bytes = b"") -> Answer:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        capfd.readouterr()
        status = main([str(argument) for argument in arguments])
        sys.stdout.flush()
        captured = capfd.readouterr()
        assert "Traceback" not in captured.err
        return Answer(status, captured.out, captured.err)

    return run
