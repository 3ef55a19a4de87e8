"""The models of one server: described from the start, loaded when first needed, unloaded when memory is short."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path

from safetensors import SafetensorError, safe_open

from polyhead.bundle.config import BundleConfig, read_config
from polyhead.bundle.load import load_tokenizers
from polyhead.bundle.profiles import read_profiles
from polyhead.errors import ModelError
from polyhead.ngrams import Profile
from polyhead.reading import check_tensors
from polyhead.server.metrics import Metrics
from polyhead.server.problems import Problem
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.translating.translator import Translator
from polyhead.translating.warm_up import warm_up

FLOAT32 = 4
"""The bytes of a weight."""


@dataclass(frozen=True)
class ModelDirectory:
    """A model on disk and what its settings say; its weights may be in memory or not."""

    id: str
    path: Path
    config: BundleConfig
    parameters: int

    @cached_property
    def tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        """The source's and the target's tokenizer, which are small enough to be kept."""
        return load_tokenizers(self.path, self.config.tokenizer)

    @cached_property
    def profiles(self) -> Mapping[str, Profile]:
        """The n-grams of the model's languages. Raises ModelError where their file is damaged."""
        return read_profiles(self.path)

    @property
    def nbytes(self) -> int:
        """The bytes that the model's weights take in memory."""
        return FLOAT32 * self.parameters


def open_directory(path: Path) -> ModelDirectory:
    """Reads the description of a model, not its weights. Raises ModelError."""
    config = read_config(path)
    weights = path / "model.safetensors"
    try:
        check_tensors(weights)
        with safe_open(weights, framework="numpy") as file:
            shapes: list[list[int]] = [file.get_slice(name).get_shape() for name in file.keys()]  # noqa: SIM118  no mapping
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{weights} cannot be read: {error}; copy the model directory again") from error
    return ModelDirectory(path.resolve().name, path, config, sum(prod(shape) for shape in shapes))


def open_directories(paths: Sequence[Path]) -> list[ModelDirectory]:
    """The model of each path. Raises ModelError for two of the same name, as clients call them by it."""
    models = [open_directory(path) for path in paths]
    names = Counter(model.id for model in models)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ModelError(f"two model directories are called {twice[0]!r}; rename one, clients call models by this name")
    return models


class ModelPool:
    """Loaded models within a budget of bytes. Above it idle models are unloaded, those used longest ago first."""

    def __init__(self, budget: int | None, metrics: Metrics, packed: Path | None = None) -> None:
        """packed: the folder in which processes share packed weights; None: this process is alone"""
        self._budget = budget
        self._packed = packed
        self._metrics = metrics
        self._lock = threading.Lock()
        self._loaded: OrderedDict[str, tuple[ModelDirectory, Translator]] = OrderedDict()
        self._busy: set[str] = set()

    @property
    def loaded(self) -> list[str]:
        """The ids of the models in memory, the one used last at the end."""
        with self._lock:
            return list(self._loaded)

    def get_ready(self, model: ModelDirectory) -> None:
        """Loads the model and translates a little, so that nobody waits for kernels that have to be compiled first.

        For a model that cannot be loaded nothing is raised here, but by `use` when the model is asked for.
        """
        with suppress(Problem), self.use(model) as translator:
            warm_up(translator)

    @contextmanager
    def use(self, model: ModelDirectory) -> Generator[Translator]:
        """The loaded model, which stays loaded within the block. Only the model's own thread may use it.

        Raises Problem model_unavailable where it cannot be loaded.
        """
        with self._lock:
            self._busy.add(model.id)
            entry = self._loaded.get(model.id)
            if entry and entry[1].bundle.overwritten:  # a new model has been copied over it
                entry = None
            self._make_room(0 if entry else model.nbytes)
        try:
            translator = entry[1] if entry else self._load(model)
            with self._lock:
                self._loaded[model.id] = model, translator
                self._loaded.move_to_end(model.id)
            yield translator
        finally:
            with self._lock:
                self._busy.discard(model.id)
                self._make_room(0)

    def _load(self, model: ModelDirectory) -> Translator:
        try:
            translator = Translator.load(model.path, packed=self._packed)
        except ModelError as error:
            raise Problem("model_unavailable", f"the model {model.id} cannot be loaded: {error}") from error
        self._metrics.loaded.labels(model.id).set(model.nbytes)
        return translator

    def _make_room(self, needed: int) -> None:
        """Unloads idle models until `needed` more bytes fit; the last one used stays if nothing more is needed."""
        if self._budget is None:
            return
        total = needed + sum(model.nbytes for model, _ in self._loaded.values())
        for name, (model, _) in list(self._loaded.items()):
            last = not needed and len(self._loaded) == 1
            if total <= self._budget or last:
                return
            if name not in self._busy:
                del self._loaded[name]
                self._metrics.loaded.labels(name).set(0)
                total -= model.nbytes
