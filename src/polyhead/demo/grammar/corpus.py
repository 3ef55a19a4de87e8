"""The corpus: random meanings, realised in three languages and dealt out into splits that share nothing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Literal

from polyhead.demo.grammar.clauses import Because, Sentence
from polyhead.demo.grammar.english import realise as english
from polyhead.demo.grammar.english.realise import Style
from polyhead.demo.grammar.families import reasons, sample
from polyhead.demo.grammar.french import realise as french
from polyhead.demo.grammar.korean import realise as korean
from polyhead.demo.grammar.lecture import LECTURE
from polyhead.demo.grammar.words import Gender, Register

COREFERENCE_SIZE = 400

# Genders of the subject. The object has the other one, so that the antecedent decides between il and elle.
_SUBJECT_GENDERS: tuple[Gender, ...] = ("m", "f")
_STYLES = tuple(Style(contracted, comma) for contracted, comma in product((True, False), repeat=2))


@dataclass(frozen=True)
class Example:
    """One sentence pair; `language` is the language of the target."""

    source: str
    target: str
    language: Literal["fr", "ko"]


@dataclass(frozen=True)
class DemoCorpus:
    """Splits that share no English sentence, however contracted, and no target with the training split.

    `lecture` holds the sentences of the lecture. `coreference` is French: "it" stands for one of two nouns of different
    gender, so that neither "always the subject" nor "always il" is right in more than half of the cases.
    """

    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    test: tuple[Example, ...]
    lecture: tuple[Example, ...]
    coreference: tuple[Example, ...]


def generate(
    seed: int = 1,
    train_size: int = 30_000,
    dev_size: int = 500,
    test_size: int = 2_000,
    register: Register = "plain",
) -> DemoCorpus:
    """Return the corpus of a seed. Sizes count English sentences; each has a French and a Korean translation.

    The held-out splits depend on the seed, not on `train_size`. Raises ValueError for a negative size.
    """
    if min(train_size, dev_size, test_size) < 0:
        raise ValueError("the sizes of the splits can't be negative")
    rng = Random(seed)
    dealer = _Dealer(rng, register)
    lecture = dealer.lecture()
    coreference = dealer.coreference()
    test = dealer.deal(test_size, sample, held_out=True)
    dev = dealer.deal(dev_size, sample, held_out=True)
    train = dealer.deal(train_size, sample, held_out=False)
    return DemoCorpus(
        train=_examples(train),
        dev=_examples(dev),
        test=_examples(test),
        lecture=_examples(lecture),
        coreference=tuple(example for example in _examples(coreference) if example.language == "fr"),
    )


@dataclass(frozen=True)
class _Trio:
    """One meaning in three languages."""

    english: str
    french: str
    korean: str


class _Dealer:
    """Deals out meanings, each once, and keeps every target of a held-out split away from all later splits."""

    def __init__(self, rng: Random, register: Register) -> None:
        self._rng = rng
        self._register: Register = register
        self._dealt: set[str] = set()
        self._held_out: set[str] = set()

    def lecture(self) -> list[_Trio]:
        """Return the sentences of the lecture, with and without the comma."""
        trios = [self._trio(meaning, style) for meaning in LECTURE for style in _STYLES if style.contracted]
        self._dealt.update(english.sentence(meaning, _STYLES[0]) for meaning in LECTURE)
        self._held_out.update(target for trio in trios for target in (trio.french, trio.korean))
        return list(dict.fromkeys(trios))

    def coreference(self) -> list[_Trio]:
        """Return equally many sentences for each gender of the subject and each noun that "it" can stand for."""
        kinds = tuple(product(_SUBJECT_GENDERS, (True, False)))
        size = COREFERENCE_SIZE // len(kinds)
        return [trio for kind in kinds for trio in self.deal(size, _coreference(*kind), held_out=True)]

    def deal(self, size: int, draw: Callable[[Random], Sentence], *, held_out: bool) -> list[_Trio]:
        """Return `size` new sentences."""
        trios: list[_Trio] = []
        while len(trios) < size:
            meaning = draw(self._rng)
            trio = self._trio(meaning, self._rng.choice(_STYLES))
            canonical = english.sentence(meaning, _STYLES[0])
            if canonical in self._dealt or not self._held_out.isdisjoint((trio.french, trio.korean)):
                continue
            self._dealt.add(canonical)
            if held_out:
                self._held_out.update((trio.french, trio.korean))
            trios.append(trio)
        return trios

    def _trio(self, meaning: Sentence, style: Style) -> _Trio:
        return _Trio(
            english.sentence(meaning, style),
            french.sentence(meaning),
            korean.sentence(meaning, self._register),
        )


def _coreference(subject: Gender, about_subject: bool) -> Callable[[Random], Because]:
    other: Gender = "f" if subject == "m" else "m"
    return lambda rng: reasons.coreference(rng, subject, other, about_subject=about_subject)


def _examples(trios: Iterable[_Trio]) -> tuple[Example, ...]:
    """The sentence pairs of some meanings: first all French ones, then all Korean ones."""
    trios = tuple(trios)
    in_french = (Example(trio.english, trio.french, "fr") for trio in trios)
    in_korean = (Example(trio.english, trio.korean, "ko") for trio in trios)
    return (*in_french, *in_korean)
