"""French conjugation: three regular groups with their changes of spelling, and a table of principal parts for the rest.

A form is chosen by the slot 0–5: je, tu, il, nous, vous, ils.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from polyhead.demo.grammar.french import TABLES
from polyhead.demo.grammar.tables import read

FrenchTense = Literal["présent", "imparfait", "futur", "conditionnel"]


@dataclass(frozen=True)
class _PrincipalParts:
    """What an irregular verb's forms are made of: its present in the six persons, its participle, its future's stem."""

    infinitive: str
    je: str
    tu: str
    il: str
    nous: str
    vous: str
    ils: str
    participle: str
    future_stem: str

    @property
    def present(self) -> tuple[str, ...]:
        return self.je, self.tu, self.il, self.nous, self.vous, self.ils


_IRREGULAR = read(TABLES / "irregular_verbs.tsv", _PrincipalParts)
_ENDINGS = {
    "er": ("e", "es", "e", "ons", "ez", "ent"),
    "ir": ("is", "is", "it", "issons", "issez", "issent"),
    "re": ("s", "s", "", "ons", "ez", "ent"),
}
_PARTICIPLES = {"er": "é", "ir": "i", "re": "u"}
_IMPERFECT = ("ais", "ais", "ait", "ions", "iez", "aient")
_FUTURE = ("ai", "as", "a", "ons", "ez", "ont")
_DOUBLING = ("appel", "jet")
_WITH_ETRE = frozenset({"aller", "venir", "arriver", "partir", "entrer", "sortir", "tomber", "rester", "retourner"})


@cache
def conjugate(infinitive: str, tense: FrenchTense, slot: int) -> str:
    """Return a simple form of a verb: ("boire", "imparfait", 2) → buvait."""
    match tense:
        case "présent":
            return _present(infinitive)[slot]
        case "imparfait":
            return _imperfect(infinitive, slot)
        case "futur":
            return _future_stem(infinitive) + _FUTURE[slot]
        case "conditionnel":
            return _future_stem(infinitive) + _IMPERFECT[slot]


@cache
def participle(infinitive: str) -> str:
    """Return the past participle, masculine singular."""
    if infinitive in _IRREGULAR:
        return _IRREGULAR[infinitive].participle
    return infinitive[:-2] + _PARTICIPLES[infinitive[-2:]]


def takes_etre(infinitive: str) -> bool:
    """Tell whether the compound past is built with être."""
    return infinitive in _WITH_ETRE


def _present(infinitive: str) -> tuple[str, ...]:
    if infinitive in _IRREGULAR:
        return _IRREGULAR[infinitive].present
    stem, group = infinitive[:-2], infinitive[-2:]
    stems = [stem] * 6
    if group == "er":
        stems = [_soft(stem) if slot == 3 else stem if slot == 4 else _stressed(stem) for slot in range(6)]
    return tuple(part + ending for part, ending in zip(stems, _ENDINGS[group], strict=True))


def _imperfect(infinitive: str, slot: int) -> str:
    stem = "ét" if infinitive == "être" else _present(infinitive)[3].removesuffix("ons")
    ending = _IMPERFECT[slot]
    if ending.startswith("i"):
        # The i keeps c and g soft by itself: nous mangions, nous commencions.
        stem = re.sub("ge$", "g", stem).replace("ç", "c")
    return stem + ending


def _future_stem(infinitive: str) -> str:
    if infinitive in _IRREGULAR:
        return _IRREGULAR[infinitive].future_stem
    if infinitive.endswith("er"):
        stem = infinitive[:-2]
        # « préférera » keeps its é, « achètera » doesn't keep its e.
        return (stem if re.search("é[^aeiouy]+$", stem) else _stressed(stem)) + "er"
    return infinitive.removesuffix("e")


def _soft(stem: str) -> str:
    """The stem before o and a: nous mangeons, nous commençons."""
    if stem.endswith("g"):
        return stem + "e"
    return stem.removesuffix("c") + "ç" if stem.endswith("c") else stem


def _stressed(stem: str) -> str:
    """The stem before a mute e: achèt-, préfèr-, appell-, nettoi-."""
    if stem.endswith(_DOUBLING):
        return stem + stem[-1]
    if stem.endswith(("oy", "uy")):
        return stem[:-1] + "i"
    return re.sub("[eé]([bcdfgjklmnpqrstvxz])$", r"è\1", stem)
