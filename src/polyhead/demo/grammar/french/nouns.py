"""French noun phrases and pronouns as lists of words; elision and contraction come at the very end."""

from polyhead.demo.grammar.clauses import Name, NounPhrase, Number, Pair, Pronoun, Referent
from polyhead.demo.grammar.french import agreement
from polyhead.demo.grammar.french.sounds import begins_with_vowel
from polyhead.demo.grammar.words import Gender

_ARTICLES = {("m", "singular"): "le", ("f", "singular"): "la", ("m", "plural"): "les", ("f", "plural"): "les"}
_INDEFINITE = {"m": "un", "f": "une"}
_DEMONSTRATIVES = {("m", "singular"): "ce", ("f", "singular"): "cette", ("m", "plural"): "ces", ("f", "plural"): "ces"}
# By the possessor's person and number: the forms before a masculine, a feminine and a plural noun.
_POSSESSIVES = {
    (1, "singular"): ("mon", "ma", "mes"),
    (2, "singular"): ("ton", "ta", "tes"),
    (3, "singular"): ("son", "sa", "ses"),
    (1, "plural"): ("notre", "notre", "nos"),
    (2, "plural"): ("votre", "votre", "vos"),
    (3, "plural"): ("leur", "leur", "leurs"),
}
_SUBJECTS = {(1, "singular"): "je", (2, "singular"): "tu", (1, "plural"): "nous", (2, "plural"): "vous"}
_STRESSED = {(1, "singular"): "moi", (2, "singular"): "toi", (1, "plural"): "nous", (2, "plural"): "vous"}
_CLITICS = {(1, "singular"): "me", (2, "singular"): "te", (1, "plural"): "nous", (2, "plural"): "vous"}


def subject(referent: Referent) -> list[str]:
    """Return a referent as the subject of a clause."""
    if isinstance(referent, Pronoun):
        third = {"m": "il", "f": "elle"}[referent.gender]
        return [_SUBJECTS.get((referent.person, referent.number), third + ("s" if referent.number == "plural" else ""))]
    return phrase(referent)


def clitic(pronoun: Pronoun) -> str:
    """Return a pronoun as the direct object before the verb."""
    third = "les" if pronoun.number == "plural" else {"m": "le", "f": "la"}[pronoun.gender]
    return _CLITICS.get((pronoun.person, pronoun.number), third)


def phrase(referent: Referent, *, generic: bool = False, negated: bool = False, preposition: str = "") -> list[str]:
    """Return a referent after a verb or a preposition.

    `generic` reads a noun without determiner as the whole kind (« les chats »). `negated` marks the object of a negated
    verb, whose indefinite article becomes « de ».
    """
    before = preposition.split()
    match referent:
        case Pronoun():
            third = {
                ("m", "singular"): "lui",
                ("m", "plural"): "eux",
                ("f", "singular"): "elle",
                ("f", "plural"): "elles",
            }
            stressed = _STRESSED.get((referent.person, referent.number), third[referent.gender, referent.number])
            return [*before, stressed]
        case Name():
            return [*before, referent.text]
        case Pair():
            return [*before, *phrase(referent.first), "et", *before, *phrase(referent.second)]
        case NounPhrase():
            words = _noun_and_adjective(referent)
            return [
                *before,
                *_determiner(referent, words[0], generic=generic, negated=negated, after=preposition),
                *words,
            ]


def _noun_and_adjective(noun_phrase: NounPhrase) -> list[str]:
    noun, adjective, number = noun_phrase.noun, noun_phrase.adjective, noun_phrase.number
    form = agreement.plural(noun.fr) if number == "plural" else noun.fr
    if noun_phrase.determiner == "that":
        form += "-là"
    if adjective is None:
        return [form]
    if adjective.fr_precedes:
        return [agreement.before_noun(adjective.fr, noun.gender, number, noun.fr), form]
    return [form, agreement.agree(adjective.fr, noun.gender, number)]


def _determiner(noun_phrase: NounPhrase, following: str, *, generic: bool, negated: bool, after: str) -> list[str]:
    gender, number = noun_phrase.noun.gender, noun_phrase.number
    match noun_phrase.determiner:
        case "the":
            return [_ARTICLES[gender, number]]
        case "this" | "that":
            before_vowel = (gender, number) == ("m", "singular") and begins_with_vowel(following)
            return ["cet" if before_vowel else _DEMONSTRATIVES[gender, number]]
        case "possessive":
            return [_possessive(noun_phrase.possessor or Pronoun(3, "singular"), gender, number, following)]
        case "a":
            return ["de"] if negated else [_INDEFINITE[gender]]
        case "bare":
            if generic:
                return [_ARTICLES[gender, number]]
            if after.endswith("de"):
                return []  # « besoin de livres »: the article melts into the preposition
            adjective = noun_phrase.adjective
            adjective_first = adjective is not None and adjective.fr_precedes
            if negated or (number == "plural" and adjective_first):
                return ["de"]
            return ["des"] if number == "plural" else ["de", _ARTICLES[gender, number]]


def _possessive(possessor: Pronoun, gender: Gender, number: Number, following: str) -> str:
    masculine, feminine, plural = _POSSESSIVES[possessor.person, possessor.number]
    if number == "plural":
        return plural
    return feminine if gender == "f" and not begins_with_vowel(following) else masculine
