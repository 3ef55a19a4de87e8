"""Elision, contraction, agreement and conjugation."""

import pytest

from polyhead.demo.grammar import pronoun_of
from polyhead.demo.grammar.clauses import Act, Clause, Name, NounPhrase, Pronoun, Tense
from polyhead.demo.grammar.french.agreement import agree, before_noun, feminine, plural
from polyhead.demo.grammar.french.conjugation import FrenchTense, conjugate, participle
from polyhead.demo.grammar.french.realise import sentence
from polyhead.demo.grammar.french.sounds import join
from polyhead.demo.grammar.lexicon.adjectives import ADJECTIVES
from polyhead.demo.grammar.words import Noun, Verb

SHE = Pronoun(3, "singular", "f")
SCHOOL = Noun("school", "école", "f", "학교")
TREE = Noun("tree", "arbre", "m", "나무")
WATER = Noun("water", "eau", "f", "물", mass=True)
BOOK = Noun("book", "livre", "m", "책")
BUY = Verb("buy", "acheter", "사다", "bought")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("le animal", "l'animal"),
        ("la école", "l'école"),
        ("le œuf", "l'œuf"),
        ("le hérisson", "le hérisson"),
        ("la haie", "la haie"),
        ("le homme", "l'homme"),
        ("je ne ai pas", "je n'ai pas"),
        ("parce que il est", "parce qu'il est"),
        ("elle se arrête", "elle s'arrête"),
        ("à le parc", "au parc"),
        ("à les enfants", "aux enfants"),
        ("de le pain", "du pain"),
        ("à le hôpital", "à l'hôpital"),
        ("de la eau", "de l'eau"),
        ("à côté de les livres", "à côté des livres"),
    ],
)
def test_words_melt_where_they_meet(words: str, expected: str) -> None:
    assert join(words.split()) == expected


@pytest.mark.parametrize(
    ("masculine", "expected"),
    [
        ("fatigué", "fatiguée"), ("large", "large"), ("heureux", "heureuse"), ("beau", "belle"), ("blanc", "blanche"),
        ("cher", "chère"), ("gentil", "gentille"), ("bas", "basse"), ("inquiet", "inquiète"), ("acteur", "actrice"),
        ("chanteur", "chanteuse"), ("ingénieur", "ingénieure"), ("musicien", "musicienne"), ("médecin", "médecin"),
        ("naturel", "naturelle"), ("infirmier", "infirmière"),
    ],
)  # fmt: skip
def test_feminines(masculine: str, expected: str) -> None:
    assert feminine(masculine) == expected


@pytest.mark.parametrize(
    ("singular", "expected"),
    [
        ("cheval", "chevaux"),
        ("oiseau", "oiseaux"),
        ("souris", "souris"),
        ("jeu", "jeux"),
        ("bleu", "bleus"),
        ("chat", "chats"),
    ],
)
def test_plurals(singular: str, expected: str) -> None:
    assert plural(singular) == expected
    assert agree("beau", "f", "plural") == "belles"


def test_adjectives_before_a_vowel() -> None:
    assert before_noun("beau", "m", "singular", "arbre") == "bel"
    assert before_noun("vieux", "m", "singular", "homme") == "vieil"
    assert before_noun("nouveau", "m", "singular", "hérisson") == "nouveau"
    assert before_noun("beau", "m", "plural", "arbres") == "beaux"


@pytest.mark.parametrize(
    ("infinitive", "tense", "forms"),
    [
        ("manger", "présent", "mange manges mange mangeons mangez mangent"),
        ("manger", "imparfait", "mangeais mangeais mangeait mangions mangiez mangeaient"),
        ("commencer", "présent", "commence commences commence commençons commencez commencent"),
        ("acheter", "présent", "achète achètes achète achetons achetez achètent"),
        ("acheter", "futur", "achèterai achèteras achètera achèterons achèterez achèteront"),
        ("préférer", "présent", "préfère préfères préfère préférons préférez préfèrent"),
        ("préférer", "futur", "préférerai préféreras préférera préférerons préférerez préféreront"),
        ("appeler", "présent", "appelle appelles appelle appelons appelez appellent"),
        ("nettoyer", "présent", "nettoie nettoies nettoie nettoyons nettoyez nettoient"),
        ("envoyer", "futur", "enverrai enverras enverra enverrons enverrez enverront"),
        ("finir", "imparfait", "finissais finissais finissait finissions finissiez finissaient"),
        ("vendre", "présent", "vends vends vend vendons vendez vendent"),
        ("vendre", "futur", "vendrai vendras vendra vendrons vendrez vendront"),
        ("être", "imparfait", "étais étais était étions étiez étaient"),
        ("devoir", "conditionnel", "devrais devrais devrait devrions devriez devraient"),
        ("boire", "imparfait", "buvais buvais buvait buvions buviez buvaient"),
        ("rencontrer", "présent", "rencontre rencontres rencontre rencontrons rencontrez rencontrent"),
    ],
)
def test_conjugation(infinitive: str, tense: FrenchTense, forms: str) -> None:
    assert [conjugate(infinitive, tense, slot) for slot in range(6)] == forms.split()


@pytest.mark.parametrize(("infinitive", "expected"), [("ouvrir", "ouvert"), ("perdre", "perdu"), ("choisir", "choisi")])
def test_participles(infinitive: str, expected: str) -> None:
    assert participle(infinitive) == expected


@pytest.mark.parametrize(
    ("verb", "tense", "expected"),
    [
        (Verb("leave", "partir", "떠나다"), "past", "elle est partie"),
        (Verb("rest", "se reposer", "쉬다"), "past", "elle s'est reposée"),
        (Verb("sleep", "dormir", "자다"), "past", "elle a dormi"),
        (Verb("sleep", "dormir", "자다"), "future", "elle dormira"),
    ],
)
def test_the_compound_past_chooses_its_auxiliary(verb: Verb, tense: Tense, expected: str) -> None:
    assert sentence(Clause(SHE, Act(verb), tense)) == expected


def test_a_participle_agrees_with_the_object_before_it() -> None:
    see = Verb("see", "voir", "보다")
    assert sentence(Clause(Name("Paul", "m", "폴"), Act(see, SHE), "past", "not")) == "Paul ne l'a pas vue"
    assert sentence(Clause(SHE, Act(see, Pronoun(3, "plural")))) == "elle les voit"
    assert sentence(Clause(SHE, Act(see, SHE, modal="want"))) == "elle veut la voir"


@pytest.mark.parametrize(
    ("thing", "positive", "negative"),
    [
        (NounPhrase(BOOK, "a"), "elle achète un livre", "elle n'achète pas de livre"),
        (NounPhrase(BOOK, "bare", "plural"), "elle achète des livres", "elle n'achète pas de livres"),
        (NounPhrase(TREE, "a"), "elle achète un arbre", "elle n'achète pas d'arbre"),
        (NounPhrase(WATER, "bare"), "elle achète de l'eau", "elle n'achète pas d'eau"),
        (NounPhrase(BOOK, "the"), "elle achète le livre", "elle n'achète pas le livre"),
        (NounPhrase(TREE, "this"), "elle achète cet arbre", "elle n'achète pas cet arbre"),
        (
            NounPhrase(SCHOOL, "possessive", possessor=SHE),
            "elle achète son école",
            "elle n'achète pas son école",
        ),
        (
            NounPhrase(BOOK, "bare", "plural", ADJECTIVES["beautiful"]),
            "elle achète de beaux livres",
            "elle n'achète pas de beaux livres",
        ),
    ],
)
def test_determiners_under_negation(thing: NounPhrase, positive: str, negative: str) -> None:
    assert sentence(Clause(SHE, Act(BUY, thing))) == positive
    assert sentence(Clause(SHE, Act(BUY, thing), polarity="not")) == negative


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("l'animal n'a pas traversé la rue parce qu'il était trop fatigué", "il"),
        ("l'animal n'a pas traversé la rue parce qu'elle était trop large", "elle"),
        ("les lions dorment parce qu\u2019ils sont fatigués", "ils"),
        ("les vaches dorment parce qu'elles sont fatiguées", "elles"),
        ("il dort", None),
        ("je dors parce que je suis fatigué", None),
    ],
)
def test_the_pronoun_of_a_reason_is_found(text: str, expected: str | None) -> None:
    assert pronoun_of(text) == expected
