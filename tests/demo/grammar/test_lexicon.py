"""The words as a whole: every one can come up, and each language has its spelling."""

import re

from polyhead.demo.grammar.lexicon import places, situations, wholes
from polyhead.demo.grammar.lexicon.adjectives import ADJECTIVES, attributes_of, qualities_of
from polyhead.demo.grammar.lexicon.nouns import GROUPS, NAMES, NOUNS
from polyhead.demo.grammar.lexicon.verbs import DEALINGS, DOINGS, GIVINGS, VERBS
from polyhead.demo.grammar.words import Adjective, Noun


def _parts() -> list[wholes.Part]:
    return [part for whole in wholes.WHOLES for part in whole.parts]


def test_every_noun_is_used() -> None:
    grouped = {noun for group in GROUPS.values() for noun in group}
    dealt_with = {noun for dealing in DEALINGS for noun in dealing.objects}
    of_wholes = {one.noun for one in (*wholes.WHOLES, *_parts())}
    assert set(NOUNS.values()) == grouped | dealt_with | of_wholes | {place.noun for place in places.PLACES.values()}


def test_every_verb_is_used() -> None:
    used = {one.verb for one in (*DOINGS, *DEALINGS, *GIVINGS, *situations.OF_PEOPLE)}
    assert set(VERBS.values()) == used | {VERBS["prefer"]}


def test_every_adjective_is_used() -> None:
    used: set[Adjective] = set()
    for noun in NOUNS.values():
        used.update(attributes_of(noun), qualities_of(noun))
    for situation in situations.OF_PEOPLE:
        used.update(situation.object_hinders, situation.object_attracts)
        used.update(situation.subject_hindered, situation.subject_driven)
    for one in (*wholes.WHOLES, *_parts()):
        used.update(one.qualities)
    assert set(ADJECTIVES.values()) == used


def test_every_place_is_used() -> None:
    assert set(places.PLACES.values()) == {place for group in places.GROUPS.values() for place in group}


def test_korean_is_written_in_hangul_and_english_and_french_in_latin_letters() -> None:
    entries = [*NOUNS.values(), *ADJECTIVES.values(), *VERBS.values()]
    for entry in entries:
        assert re.fullmatch("[가-힣]+( [가-힣]+)*", entry.ko), entry
        assert re.fullmatch("[A-Za-z]+( [a-z]+)*", entry.en), entry
        assert re.fullmatch("[a-zà-ÿœ'-]+( [a-zà-ÿ-]+)*", entry.fr), entry
    assert all(re.fullmatch("[가-힣]+", name.ko) for name in NAMES)


def test_verbs_and_adjectives_stand_in_their_dictionary_form() -> None:
    assert all(entry.ko.endswith("다") for entry in (*VERBS.values(), *ADJECTIVES.values()))


def test_a_sense_tells_words_apart_and_is_not_written() -> None:
    assert (VERBS["leave"].en, VERBS["leave"].fr) == ("leave", "partir")
    assert (VERBS["leave (a place)"].en, VERBS["leave (a place)"].fr) == ("leave", "quitter")


def test_only_what_can_be_counted_has_a_plural() -> None:
    massive: list[Noun] = [noun for noun in NOUNS.values() if noun.mass]
    assert massive
    assert not [noun for noun in massive if noun.en_plural]
