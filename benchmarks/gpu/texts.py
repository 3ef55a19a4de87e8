"""The text that is trained on and translated: Multi30k where it is, else sentences of the demo's grammar."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpora import VOCABULARY_FILE, TextSet, TrainingText, encoded_text
from benchmarks.gpu.plan import Amounts
from benchmarks.sizes import VOCABULARY
from polyhead.data.readers import Pair
from polyhead.demo.grammar import Example, generate
from polyhead.files import write_text
from polyhead.recipe.prepare import make_tokenizers, read_pairs
from polyhead.recipe.schema import DataConfig
from polyhead.tokenizers.config import TokenizerConfig


@dataclass(frozen=True)
class Corpus:
    """Aligned files, by their names without the language."""

    name: str
    folder: str
    source: str
    target: str
    train: str
    dev: str
    test: str
    vocabulary: int
    """Pieces; the grammar's few words are made of fewer."""


MULTI30K = Corpus("multi30k", "multi30k-en-de", "en", "de", "train", "val", "test_2016_flickr", VOCABULARY)
GRAMMAR = Corpus("demo grammar", "grammar-en-fr", "en", "fr", "train", "dev", "test", 1_000)


@dataclass(frozen=True)
class Text:
    """What drivers are given."""

    corpus: Corpus
    training: TrainingText
    data: dict[str, Any]
    """The `data` of a recipe that reads the corpus."""
    test: TextSet


def prepare(data: Path, cache: Path, amounts: Amounts) -> Text:
    """Writes vocabulary and batches, and the made-up corpus where `data` has no Multi30k."""
    corpus, root = MULTI30K, data / MULTI30K.folder
    if not (root / f"{corpus.train}.{corpus.source}").exists():
        corpus, root = GRAMMAR, cache / f"{GRAMMAR.folder}-{amounts.pairs}"
        _generate(corpus, root, amounts.pairs)
    config = _data_config(corpus, root)
    found = read_pairs(DataConfig.model_validate(config), seed=1)
    judged = found.dev[: amounts.judged_sentences]
    folder = cache / f"{root.name}-{amounts.max_tokens}"
    training = _training_text(corpus, folder, found.train, judged, amounts.max_tokens)
    return Text(corpus, training, config, _test_set(corpus, root, amounts.plan.sentences))


def _generate(corpus: Corpus, root: Path, pairs: int) -> None:
    made = generate(1, train_size=pairs)
    splits: dict[str, tuple[Example, ...]] = {corpus.train: made.train, corpus.dev: made.dev, corpus.test: made.test}
    root.mkdir(parents=True, exist_ok=True)
    for name, examples in splits.items():
        kept = [each for each in examples if each.language == corpus.target]
        write_text(root / f"{name}.{corpus.source}", "".join(f"{each.source}\n" for each in kept))
        write_text(root / f"{name}.{corpus.target}", "".join(f"{each.target}\n" for each in kept))


def _data_config(corpus: Corpus, root: Path) -> dict[str, Any]:
    def reader(name: str) -> dict[str, str]:
        return {"kind": "lines", "source": f"{name}.{corpus.source}", "target": f"{name}.{corpus.target}"}

    return {
        "root": str(root.resolve()),
        "source_language": corpus.source,
        "target_language": corpus.target,
        "train": [reader(corpus.train)],
        "dev": [reader(corpus.dev)],
    }


def _training_text(
    corpus: Corpus, folder: Path, pairs: Sequence[Pair], judged: Sequence[Pair], max_tokens: int
) -> TrainingText:
    folder.mkdir(parents=True, exist_ok=True)
    config = TokenizerConfig(kind="bpe", vocabulary_size=corpus.vocabulary)
    tokenizer = make_tokenizers(pairs, config, ())[0]
    tokenizer.save(folder / VOCABULARY_FILE)
    return encoded_text(folder, tokenizer, pairs, judged, max_tokens)


def _test_set(corpus: Corpus, root: Path, sentences: int) -> TextSet:
    sides = [
        (root / f"{corpus.test}.{language}").read_text(encoding="utf-8").splitlines()[:sentences]
        for language in (corpus.source, corpus.target)
    ]
    return TextSet(corpus.name, corpus.target, tuple(sides[0]), tuple(sides[1]))
