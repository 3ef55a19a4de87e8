"""A translator that can be pickled: it travels as settings, and the model is loaded where it is called."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, cast, overload

import numpy as np
from numpy.typing import NDArray

from polyhead.bulk.fingerprint import fingerprint
from polyhead.cores import use_cores
from polyhead.decoding.config import SamplingConfig, SearchConfig
from polyhead.engine.choice import DtypeName, EngineName
from polyhead.errors import ModelError
from polyhead.inline.codes import Marked
from polyhead.inline.find import Kind, find, pattern
from polyhead.translating.arguments import check_texts
from polyhead.translating.pieces import Split
from polyhead.translating.translation import Translation
from polyhead.translating.translator import BATCH_TOKENS, Translator

_LOADING = Lock()


@dataclass(frozen=True)
class BatchTranslator:
    """A translator for Ray, Spark and pools of processes: it can be pickled, and it can be called.

    It holds the path of a model and how to translate, never the model itself, which each process loads when the first
    batch comes to it and keeps for the next ones. Called with a list of texts, it gives a list of translations. Called
    with a mapping of columns, as by Ray Data's `map_batches`, it gives the same columns and one more. `frames` is for
    Spark's `mapInPandas`. A text that is missing (None, or not a number) has None for its translation.
    """

    model: Path | str
    """The model directory, which every machine must be able to read under this path."""
    others: tuple[Path | str, ...] = ()
    """More model directories, which make an ensemble."""
    target_language: str | None = None
    """The language to translate to, for a model that writes several."""
    search: SearchConfig | None = None
    """How to search; None for the model's own settings."""
    beam_size: int | None = None
    """The beam size in place of that of `search`; None to keep that."""
    split: Split = "auto"
    """Whether texts are translated sentence by sentence or line by line, as in `Translator.translate`."""
    batch_tokens: int = BATCH_TOKENS
    """Padded source tokens × hypotheses translated together."""
    engine: EngineName = "auto"
    """The engine that translates, as in `Translator.load`."""
    dtype: DtypeName = "auto"
    """The type of the engine's products, as in `Translator.load`."""
    shortlist: bool = False
    """Whether to write only what the model's shortlist has for a sentence, as in `Translator.load`."""
    protect: tuple[Kind, ...] = ()
    """Kinds of placeholders that stay as they are, such as printf."""
    keep: tuple[str, ...] = ()
    """Regular expressions of more text that stays as it is."""
    threads: int | None = None
    """CPU threads of each process; None leaves that to the environment (OMP_NUM_THREADS, which Ray sets)."""
    column: str = "text"
    """The column of a table that is translated."""
    into: str = "translation"
    """The column that the translations are written to."""
    fingerprint: str | None = None
    """The digest that `polyhead.bulk.fingerprint` must give of the model; None allows any model."""

    def __post_init__(self) -> None:
        # The processes that this is sent to may work in other directories.
        object.__setattr__(self, "model", Path(self.model).absolute())
        object.__setattr__(self, "others", tuple(Path(other).absolute() for other in self.others))

    @overload
    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]: ...
    @overload
    def __call__(self, batch: Sequence[str | None]) -> list[str | None]: ...
    def __call__(self, batch: Mapping[str, Any] | Sequence[str | None]) -> dict[str, Any] | list[str | None]:
        """Translates a list of texts, or the texts in a column of a table.

        batch: the texts; or the columns by their names, sequences or arrays of the same length

        Gives a list with a translation for each text; or the columns with one more, an array of objects. Raises
        PolyheadError for a model that can't be loaded and settings that don't fit it, KeyError where the column is
        missing.
        """
        if isinstance(batch, Mapping):
            return {**batch, self.into: _array(self._texts(list(batch[self.column])))}
        return self._texts(list(batch))

    def frames(self, frames: Iterable[Any]) -> Iterator[Any]:
        """Translates pandas' data frames one after the other, as `mapInPandas` wants it.

        Yields each frame with one more column. The schema that Spark is given must name it, as a string.
        """
        for frame in frames:
            column = frame[self.column]
            texts = [None if missing else text for text, missing in zip(column, column.isna(), strict=True)]
            yield frame.assign(**{self.into: self._texts(texts)})

    def translations(self, texts: Sequence[str | Marked]) -> list[Translation]:
        """What `Translator.translate` gives for the texts, with the settings of this translator."""
        return self.loaded().translate(
            texts,
            search=self.search,
            beam_size=self.beam_size,
            target_language=self.target_language,
            split=self.split,
            batch_tokens=self.batch_tokens,
        )

    def apart(self, place: str) -> "BatchTranslator":
        """The translator for the texts at a place: if it draws samples, its seed is another one at every place."""
        if not isinstance(self.search, SamplingConfig):
            return self
        digest = hashlib.sha256(f"{self.search.seed} {place}".encode()).digest()
        return replace(self, search=self.search.model_copy(update={"seed": int.from_bytes(digest[:7])}))

    def marked(self, text: str) -> Marked:
        """A text in which what is to stay as it is, by `protect` and `keep`, is an inline code."""
        return find(text, self.protect, [pattern(each) for each in self.keep])

    def loaded(self) -> Translator:
        """The model as this process has it, loaded if it isn't yet. Raises ModelError."""
        models = (Path(self.model), *map(Path, self.others))
        with _LOADING:
            return _load(models, self.engine, self.dtype, self.shortlist, self.threads, self.fingerprint)

    def check(self) -> Translator:
        """Loads the model and finds out whether the settings fit it. Raises PolyheadError where they don't."""
        translator = self.loaded()
        self.translations([""])
        return translator

    def _texts(self, texts: Sequence[object]) -> list[str | None]:
        """A translation for each text; None for a missing one. Raises TypeError for what is neither of them."""
        there = [number for number, text in enumerate(texts) if not _is_missing(text)]
        given = check_texts([texts[number] for number in there], "BatchTranslator")
        found: list[str | None] = [None] * len(texts)
        for number, done in zip(there, self.translations(list(map(self.marked, given))), strict=True):
            found[number] = done.marked.written()
        return found


@lru_cache(maxsize=1)
def _load(
    models: tuple[Path, ...],
    engine: EngineName,
    dtype: DtypeName,
    shortlist: bool,
    threads: int | None,
    expected: str | None,
) -> Translator:
    """Loads a model. Each process keeps the last one that it loaded, so using several in turn loads each again."""
    if threads is not None:
        use_cores(threads)
    translator = Translator.load(*models, engine=engine, dtype=dtype, shortlist=shortlist)
    if expected is not None and fingerprint(models) != expected:
        raise ModelError(
            f"{models[0]} is another model now than when the work began: give it its own directory, and begin again "
            "with another --out"
        )
    return translator


def forget() -> None:
    """Lets go of the model that this process has loaded."""
    _load.cache_clear()


def _is_missing(text: object) -> bool:
    return text is None or (isinstance(text, float | np.floating) and math.isnan(cast(float, text)))


def _array(values: Sequence[object]) -> NDArray[np.object_]:
    """Values of any kind as an array of objects: by itself, NumPy would make texts one length, and lists a table."""
    column = np.empty(len(values), object)
    column[:] = values
    return column
