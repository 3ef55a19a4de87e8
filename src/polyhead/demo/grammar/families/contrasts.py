"""A whole in contrast to one of its parts: "The Law will never be perfect, but its application should be just"."""

from random import Random

from polyhead.demo.grammar.clauses import BeQuality, Clause, Contrast, NounPhrase, Number, Polarity, Tense, anaphor
from polyhead.demo.grammar.families.referents import weighted
from polyhead.demo.grammar.lexicon import wholes

# Tense and polarity of the whole, tense of the part.
_SHAPES: dict[tuple[Tense, Polarity, Tense], int] = {
    ("future", "never", "should"): 30,
    ("present", "not", "should"): 15,
    ("present", "positive", "should"): 15,
    ("present", "not", "present"): 15,
    ("past", "not", "past"): 15,
    ("future", "not", "future"): 10,
}


def contrast(rng: Random) -> Contrast:
    """Return a random contrast of a whole and one of its parts."""
    whole = rng.choice(wholes.WHOLES)
    part = rng.choice(whole.parts)
    number: Number = "plural" if rng.random() < 0.2 else "singular"
    topic = NounPhrase(whole.noun, "this" if rng.random() < 0.15 else "the", number)
    owned = NounPhrase(part.noun, "possessive", "plural" if part.is_plural else "singular", possessor=anaphor(topic))
    first_tense, polarity, second_tense = weighted(rng, _SHAPES)
    quality = rng.choice(whole.qualities)
    other = rng.choice([adjective for adjective in part.qualities if adjective != quality])
    return Contrast(
        Clause(topic, BeQuality(quality), first_tense, polarity),
        Clause(owned, BeQuality(other), second_tense),
    )
