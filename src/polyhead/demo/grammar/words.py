"""Dictionary entries: what the three languages must know about one word. Inflected forms are derived, not stored."""

from dataclasses import dataclass
from typing import Literal

Gender = Literal["m", "f"]
Being = Literal["person", "animal", "thing"]
Register = Literal["plain", "polite"]


@dataclass(frozen=True)
class Noun:
    """A common noun. An empty plural means "by rule"; `mass` nouns have no plural and no indefinite article."""

    en: str
    fr: str
    gender: Gender
    ko: str
    being: Being = "thing"
    en_plural: str = ""
    mass: bool = False
    kin: bool = False


@dataclass(frozen=True)
class Name:
    """A first name, written alike in English and French."""

    text: str
    gender: Gender
    ko: str


@dataclass(frozen=True)
class Adjective:
    """An adjective. `en_comparative` is empty where English says "more …".

    `fr_precedes` puts it before a French noun; `fr_avoir` marks idioms such as « avoir faim ».
    `ko_adnominal` is given where the form before a noun does not follow from the predicate (새, "new").
    """

    en: str
    fr: str
    ko: str
    en_comparative: str = ""
    fr_precedes: bool = False
    fr_avoir: bool = False
    ko_adnominal: str = ""


@dataclass(frozen=True)
class Verb:
    """A verb with its government: the French preposition and the Korean particle its object takes.

    `stative` verbs have the French imparfait for the English simple past; `generic` ones turn a bare English object
    into a French definite one (« aimer les chats »).
    """

    en: str
    fr: str
    ko: str
    en_past: str = ""
    fr_preposition: str = ""
    ko_particle: str = "을"
    ko_adjectival: bool = False
    stative: bool = False
    generic: bool = False


@dataclass(frozen=True)
class Phrase:
    """An invariable adverbial, such as "yesterday" / « hier » / 어제."""

    en: str
    fr: str
    ko: str


@dataclass(frozen=True)
class Place:
    """Where something happens: a noun with the prepositions English and French use for it; Korean takes 에서 or 에."""

    en_preposition: str
    fr_preposition: str
    noun: Noun


@dataclass(frozen=True)
class Position:
    """A spatial relation to a landmark: "under" / « sous » / 아래."""

    en: str
    fr: str
    ko: str
