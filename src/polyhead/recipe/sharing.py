"""What process 0 of several makes or reads, and the others are given: they need no file of the model directory."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from polyhead.bundle.load import load_tokenizers
from polyhead.bundle.save import tokenizer_files
from polyhead.errors import RecipeError
from polyhead.recipe.load import Values
from polyhead.recipe.prepare import Pairs
from polyhead.recipe.record import Fingerprints, as_values, fingerprint
from polyhead.recipe.schema import Recipe
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.training.world import World

Tokenizers = tuple[Tokenizer, Tokenizer]


@dataclass(frozen=True)
class Orders:
    """What process 0 tells the other processes to train."""

    values: Values
    """The recipe, which leaves nothing open."""
    fingerprints: Fingerprints
    """The fingerprints of the text to learn from and of the text to validate on."""
    tests: str
    """The fingerprint of the text to test on."""

    @classmethod
    def of(cls, recipe: Recipe, pairs: Pairs) -> "Orders":
        """The orders that follow from a recipe and the text that was read for it."""
        return cls(as_values(recipe), Fingerprints.of(pairs), fingerprint_of_tests(pairs))

    def check(self, pairs: Pairs, rank: int) -> None:
        """Raises RecipeError where another process has read other text than process 0."""
        found = Fingerprints.of(pairs)
        same = {
            "data.train": found.training == self.fingerprints.training,
            "data.dev": found.validation == self.fingerprints.validation,
            "data.test": fingerprint_of_tests(pairs) == self.tests,
        }
        if others := [key for key, right in same.items() if not right]:
            raise RecipeError(
                f"process {rank} reads other sentence pairs than process 0 from the files of {' and '.join(others)}: "
                "every machine must have the same files at the same paths; copy them anew, or use a shared directory"
            )


def fingerprint_of_tests(pairs: Pairs) -> str:
    """SHA-256 of all test sets."""
    return fingerprint(pair for _, some in pairs.test for pair in some)


def tokenizers_of(world: World, config: TokenizerConfig, make: Callable[[], Tokenizers]) -> Tokenizers:
    """In every process, the tokenizers that `make` gives in process 0."""
    made = make() if world.rank == 0 else None
    if world.size == 1 and made is not None:
        return made
    with TemporaryDirectory() as folder:
        directory = Path(folder)
        files = world.broadcast({} if made is None else _contents(directory, config, *made))
        if made is not None:
            return made
        for name, content in files.items():
            (directory / name).write_bytes(content)
        return load_tokenizers(directory, config)


def _contents(directory: Path, config: TokenizerConfig, source: Tokenizer, target: Tokenizer) -> dict[str, bytes]:
    """The contents of the vocabularies' files, by name, after they are written into `directory`."""
    named = tokenizer_files(config, source, target)
    for name, tokenizer in named.items():
        tokenizer.save(directory / name)
    return {name: (directory / name).read_bytes() for name in named}
