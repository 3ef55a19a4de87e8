"""A recipe: everything that decides what comes out of training, in one value that TOML can hold."""

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from polyhead.config import Config
from polyhead.data.batching import BatchingConfig
from polyhead.data.clean import CleaningConfig
from polyhead.data.readers import ReaderConfig
from polyhead.decoding.config import BeamConfig
from polyhead.limits import LARGEST_SEED, LONGEST, MOST_COUNTED, MOST_LISTED, MOST_THREADS
from polyhead.model.config import ModelConfig
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.training.config import TrainingConfig

Reader = Annotated[ReaderConfig, Field(discriminator="kind")]


def _named(path: object) -> object:
    """Refuses an empty path, which would be the current directory."""
    if path == "":
        raise ValueError("an empty path names no directory")
    return path


class DataConfig(Config):
    """Where the sentence pairs are and what happens to them before the tokenizer."""

    root: Path = Path()
    """The directory that relative paths of the readers start from."""
    train: tuple[Reader, ...] = Field(min_length=1, max_length=MOST_LISTED)
    """What to learn from; several sources are read one after the other."""
    dev: tuple[Reader, ...] = Field(default=(), max_length=MOST_LISTED)
    """What to validate on; without it a small part of the training text is held out."""
    test: tuple[Reader, ...] = Field(default=(), max_length=MOST_LISTED)
    """What to score the finished model on, one set after the other."""
    source_language: str | None = None
    """Code of the source language, for the model card; unset: by the names of the files, as `train.en`."""
    target_language: str | None = None
    """Code of the target language; BLEU's tokenizer follows it. Unset: by the names of the files, as `train.de`;
    readers may name their own instead."""
    both_directions: bool = False
    """Learn every pair the other way round, too: one model translates both ways. Both languages must be known."""
    score_tokenize: str | None = None
    """sacreBLEU's tokenizer for scores; "none" where the text is tokenized already; unset: by target language."""
    cleaning: CleaningConfig = CleaningConfig()
    batching: BatchingConfig = BatchingConfig()
    max_tokens: int = Field(default=256, ge=2, le=LONGEST)
    """Training sentences of more tokens on either side are left out, and counted."""
    store: Path | None = None
    """The directory in which a corpus is prepared on disk, to be read from there and not to be kept in memory; later
    runs find it there. Unset: for training files of more than 256 MB it is `polyhead-store` beside the model directory,
    and smaller ones are kept in memory."""
    sampled_epochs: int | None = Field(default=None, ge=0, le=MOST_COUNTED)
    """The epochs, from the first on, in which `tokenizer.dropout` cuts words up at random; after them words are cut
    as in translating, to which a model settles in a few hundred updates. Unset: all, but for those that begin while the
    learning rate falls at the end of a `wsd` schedule."""

    @field_validator("dev", "test")
    @classmethod
    def _unweighted(cls, readers: tuple[Reader, ...]) -> tuple[Reader, ...]:
        """Refuses weights in dev and test sets, as a score counts every sentence once."""
        if any(reader.weight != 1 for reader in readers):
            raise ValueError("weight is for the readers of data.train; leave it out here")
        return readers


class Recipe(Config):
    """Everything that decides a training run."""

    out: Annotated[Path, BeforeValidator(_named)] = Path("model")
    """The model directory to write."""
    seed: int = Field(default=1, ge=0, le=LARGEST_SEED)
    """Decides initial weights, dropout, the order of batches and subword sampling."""
    threads: int | None = Field(default=None, ge=1, le=MOST_THREADS)
    """CPU threads; unset: one for every core. Results are reproducible for a given number."""
    data: DataConfig
    tokenizer: TokenizerConfig = TokenizerConfig()
    model: ModelConfig
    training: TrainingConfig = TrainingConfig()
    decoding: BeamConfig = BeamConfig()
    """How the finished model translates unless asked otherwise."""
    licence: str | None = None
    """The licence under which the model may be used, such as `CC-BY-4.0`; the model card names it."""
    word_vectors: Path | None = None
    """Vectors in word2vec's format that a word-level model's embeddings start from."""
