"""Jobs whose translator writes lines in capitals."""

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from polyhead.bulk.inputs import find_inputs
from polyhead.bulk.job import Job, Listener, Summary, translate_files
from polyhead.bulk.record import Heading
from polyhead.bulk.workers import in_processes
from tests.bulk.echo import Echo


@dataclass
class Doing:
    """A directory with texts, and what translates them."""

    folder: Path
    said: list[str] = field(default_factory=list)

    @property
    def texts(self) -> Path:
        return self.folder / "texts"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def processes(self) -> int:
        """How many worker processes have translated something so far."""
        return len(list(self.folder.glob("process *")))

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.texts / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name: str) -> str:
        return (self.out / name).read_bytes().decode()

    def echo(self, **settings) -> Echo:
        return Echo("model", marks=self.folder, **settings)

    def job(self, *, shard_lines: int = 2, model: str = "a", **settings) -> Job:
        heading = Heading(model=model, settings=settings)
        return Job(find_inputs([self.texts], self.out), self.out, heading, shard_lines, has_column=False)

    def run(self, run=None, *, has_column: bool = False, **settings) -> Summary:
        listener = Listener(self.said.append, lambda total: nullcontext(lambda done: None))
        job = replace(self.job(**settings), has_column=has_column)
        return translate_files(job, run or in_processes(self.echo(), 1), listener)


@pytest.fixture
def doing(tmp_path) -> Doing:
    found = Doing(tmp_path)
    found.texts.mkdir()
    return found


def in_this_process(translator):
    """What translates shards here, one after the other: for what isn't about processes."""
    from polyhead.bulk.work import work

    return lambda shards: (work(translator, shard) for shard in shards)


@pytest.fixture
def here():
    return in_this_process
