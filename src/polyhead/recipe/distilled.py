"""A distilled corpus on disk: written shard by shard, so that an interruption costs at most one, then as lines.

record.json                    teachers, hash of the text, settings; counts, once all is translated
shards/                        what is translated so far
train.source  train.target     or train.fr.source … for each target language, train.x2.0.source … for each weight of its
                               corpora other than 1; sorted by these
original.*                     the pairs with their references, where these are to be learnt too
dev.*                          the dev set, where it was held out of the training text
SHA256SUMS                     what these files contain; shards/ has one of its own
"""

import json
import shutil
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Any, TextIO, cast

import polyhead
from polyhead.data.readers import Pair
from polyhead.data.weighting import Weights
from polyhead.errors import ModelError, RecipeError
from polyhead.files import remove_leftovers
from polyhead.limits import LARGEST_RECORD, LARGEST_SETTINGS
from polyhead.manifest import check_listed, listed_file, remove_listed, write_listed_text
from polyhead.reading import read_text
from polyhead.recipe.load import Values
from polyhead.text import without_surrogates

Identity = Mapping[str, Any]
"""What decides the corpus: the teachers' hashes, the settings, the fingerprint of the pairs."""


@dataclass(frozen=True)
class Distilled:
    """What a student learns in a reference's place."""

    text: str
    rank: int
    """The text's place in the teacher's n-best list, from 0."""
    log_probability: float
    """The text's log-probability under the teacher, in nats."""


class DistilledCorpus:
    """A distilled corpus, as the files below one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._record = directory / "record.json"
        self._shards = directory / "shards"

    @property
    def begun(self) -> bool:
        """Whether there is a distilled corpus, finished or not."""
        return self._record.exists()

    @property
    def finished(self) -> bool:
        """Whether every pair is translated and the readable files stand."""
        return self.begun and "counts" in self._read()

    @property
    def teachers(self) -> list[str]:
        """The names of the teachers' directories. Raises RecipeError where the record is damaged."""
        return [Path(teacher).resolve().name for teacher in self._read()["teachers"]]

    def check(self, identity: Identity) -> None:
        """Raises RecipeError if the directory holds another corpus than this one, finished or not."""
        before = self._read()["identity"] if self.begun else identity
        if changed := [key for key in identity if before.get(key) != identity[key]]:
            raise RecipeError(
                f"{self.directory} was begun with another {' and another '.join(changed)}, so it cannot be gone on "
                "with; name what it was begun with, or another --out"
            )

    def begin(self, identity: Identity, teachers: Sequence[str]) -> int:
        """Writes down what this corpus is to be, and where its teachers are → how many shards were damaged.

        Removes what a kill left half written, and the damaged shards.
        """
        self._shards.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self.directory)
        remove_leftovers(self._shards)
        if not self.begun:
            self._write({"polyhead": polyhead.__version__, "teachers": list(teachers), "identity": identity})
        damaged = [path.name for path in self._shards.glob("*.jsonl") if _is_damaged(path)]
        remove_listed(self._shards, damaged)
        return len(damaged)

    def has(self, number: int) -> bool:
        """Whether a shard, counted from 0, is translated."""
        return self._shard(number).exists()

    def keep(self, number: int, distilled: Sequence[Distilled]) -> None:
        """Writes a shard, whole or not at all."""
        lines = [json.dumps(asdict(each)) for each in distilled]  # in ASCII: no line break but those between them
        write_listed_text(self._shard(number), "".join(f"{line}\n" for line in lines))

    def finish(self, sets: Mapping[str, Sequence[Pair]], weights: Weights | None = None) -> None:
        """Writes the readable files: the shards in place of the targets of sets["train"], other sets as they are.

        weights: [len(sets["train"])] of the training pairs; None: 1 each
        Pairs and shards are read one after the other, as they may be more than memory holds.
        """
        counts = _Counts()
        readers = {
            name: self._write_lines(
                name,
                self._with_targets(some, counts) if name == "train" else some,
                None if name == "dev" else weights,
            )
            for name, some in sets.items()
        }
        self._write({**self._read(), "counts": counts.record(), "readers": readers})
        self.remove_shards()

    def _with_targets(self, pairs: Sequence[Pair], counts: "_Counts") -> Iterator[Pair]:
        """The pairs with the shards' translations in place of their targets. Each pair is counted on the way."""
        numbers = range(len(list(self._shards.glob("*.jsonl"))))
        distilled = (each for number in numbers for each in self._load(number))
        for old, found in zip(pairs, distilled, strict=True):
            new = replace(old, target=_one_line(found.text))
            counts.add(old, new, found)
            yield new

    def remove_shards(self) -> None:
        """Deletes the shards, once their content is in the readable files."""
        shutil.rmtree(self._shards, ignore_errors=True)

    def readers(self) -> dict[str, list[Values]]:
        """The settings of each set's readers, by the set's name, with the paths where the directory is now.

        Raises RecipeError where a file that they read is damaged.
        """
        readers = cast(dict[str, list[Values]], self._read()["readers"])
        return {name: [self._here(reader) for reader in some] for name, some in readers.items()}

    def _here(self, reader: Values) -> Values:
        paths = {side: self.directory.resolve() / Path(reader[side]).name for side in ("source", "target")}
        for path in paths.values():
            self._check(path)
        return {**reader, **{side: str(path) for side, path in paths.items()}}

    def _write_lines(self, name: str, pairs: Iterable[Pair], weights: Weights | None) -> list[Values]:
        """Writes two files for every target language and weight → the settings of their readers."""
        readers: dict[tuple[str, float], Values] = {}
        files: dict[tuple[str, float], tuple[TextIO, TextIO]] = {}
        of_each = repeat(1.0) if weights is None else map(float, weights)
        with ExitStack() as open_files:
            for pair, weight in zip(pairs, of_each, strict=False):
                group = pair.target_language or "", weight
                if group not in files:
                    reader = readers[group] = self._reader(name, *group)
                    source, target = (open_files.enter_context(_lines(reader[side])) for side in ("source", "target"))
                    files[group] = source, target
                for file, text in zip(files[group], (pair.source, pair.target), strict=True):
                    file.write(f"{without_surrogates(text)}\n")
        return [reader for _, reader in sorted(readers.items(), key=lambda entry: entry[0])]

    def _reader(self, name: str, language: str, weight: float) -> Values:
        """The settings of what reads the pairs of a set that have this target language and this weight."""
        tag = {"target_language": language} if language else {}
        share = {"weight": weight} if weight != 1 else {}
        stem = ".".join([name, *tag.values(), *(f"x{weight}" for weight in share.values())])
        paths = {side: str(self.directory.resolve() / f"{stem}.{side}") for side in ("source", "target")}
        return {"kind": "lines", **paths, **tag, **share}

    def _shard(self, number: int) -> Path:
        return self._shards / f"{number:06d}.jsonl"

    def _load(self, number: int) -> list[Distilled]:
        path = self._shard(number)
        try:
            return [Distilled(**json.loads(line)) for line in read_text(path, LARGEST_RECORD).splitlines()]
        except (OSError, ValueError, TypeError) as error:
            raise RecipeError(f"{path} cannot be read ({error}); delete it and go on with --resume") from error

    def _read(self) -> dict[str, Any]:
        self._check(self._record)
        try:
            return json.loads(read_text(self._record, LARGEST_SETTINGS))
        except (OSError, ValueError) as error:
            raise RecipeError(f"{self._record} cannot be read: {error}; name another --out") from error

    def _check(self, path: Path) -> None:
        """Raises RecipeError where the file is damaged or can't be read."""
        try:
            check_listed(path)
        except OSError as error:
            raise RecipeError(f"{path} cannot be read: {error.strerror}; name another --out") from error
        except ModelError as error:
            raise RecipeError(f"{error}, or name another --out") from error

    def _write(self, record: Mapping[str, Any]) -> None:
        write_listed_text(self._record, json.dumps(record, ensure_ascii=False, indent=2) + "\n")


class _Counts:
    """The statistics of a distilled corpus that its record has."""

    def __init__(self) -> None:
        self._pairs = self._equal = 0
        self._log_probability = 0.0
        self._ranks = Counter[int]()

    def add(self, old: Pair, new: Pair, found: Distilled) -> None:
        """Counts a pair: with its reference, with its new target, and with the translation that this comes from."""
        self._pairs += 1
        self._equal += new.target == old.target != old.source
        self._log_probability += found.log_probability
        self._ranks[found.rank] += 1

    def record(self) -> dict[str, Any]:
        """The statistics, by their names in the record."""
        return {
            "pairs": self._pairs,
            "equal_to_the_reference": self._equal,
            "of_each_rank": [self._ranks[rank] for rank in range(max(self._ranks) + 1)],
            "mean_log_probability": self._log_probability / self._pairs,
        }


@contextmanager
def _lines(path: str) -> Generator[TextIO]:
    """A text file to write, which appears whole or not at all, and is listed."""
    with listed_file(Path(path)) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        yield file


def _is_damaged(path: Path) -> bool:
    try:
        check_listed(path)
    except (OSError, ModelError):
        return True
    return False


def _one_line(text: str) -> str:
    return text.replace("\n", " ").rstrip("\r")
