"""Adjectives, and which nouns each can be said of."""

from functools import partial

from polyhead.demo.grammar.lexicon import animals, people, places, things
from polyhead.demo.grammar.words import Adjective, Noun

_before = partial(Adjective, fr_precedes=True)

_ALL = (
    # said of people and animals alone
    Adjective("tired", "fatigué", "피곤하다"),
    Adjective("hungry", "faim", "배고프다", fr_avoir=True),
    Adjective("thirsty", "soif", "목마르다", fr_avoir=True),
    Adjective("sick", "malade", "아프다", "sicker"),
    Adjective("weak", "faible", "약하다", "weaker"),
    Adjective("lazy", "paresseux", "게으르다", "lazier"),
    Adjective("sad", "triste", "슬프다", "sadder"),
    Adjective("shy", "timide", "소심하다", "shyer"),
    Adjective("nervous", "nerveux", "초조하다"),
    Adjective("busy", "occupé", "바쁘다", "busier"),
    Adjective("slow", "lent", "느리다", "slower"),
    Adjective("fast", "rapide", "빠르다", "faster"),
    _before("young", "jeune", "어리다", "younger"),
    Adjective("cautious", "prudent", "신중하다"),
    Adjective("clumsy", "maladroit", "서투르다", "clumsier"),
    Adjective("distracted", "distrait", "산만하다"),
    Adjective("worried", "inquiet", "불안하다"),
    Adjective("stubborn", "têtu", "고집스럽다"),
    Adjective("arrogant", "arrogant", "거만하다"),
    Adjective("confused", "désorienté", "혼란스럽다"),
    Adjective("curious", "curieux", "호기심이 많다"),
    Adjective("brave", "courageux", "용감하다", "braver"),
    Adjective("impatient", "impatient", "성급하다"),
    Adjective("strong", "fort", "힘이 세다", "stronger"),
    Adjective("happy", "heureux", "행복하다", "happier"),
    Adjective("tall", "grand", "키가 크다", "taller"),
    Adjective("rich", "riche", "부유하다", "richer"),
    Adjective("poor", "pauvre", "가난하다", "poorer"),
    Adjective("intelligent", "intelligent", "똑똑하다"),
    Adjective("kind", "gentil", "친절하다", "kinder"),
    Adjective("honest", "honnête", "정직하다"),
    Adjective("polite", "poli", "예의 바르다"),
    Adjective("patient", "patient", "참을성이 많다"),
    Adjective("serious", "sérieux", "진지하다"),
    Adjective("modest", "modeste", "겸손하다"),
    Adjective("generous", "généreux", "너그럽다"),
    Adjective("strict", "sévère", "엄격하다", "stricter"),
    # said of things alone
    Adjective("wide", "large", "넓다", "wider"),
    Adjective("narrow", "étroit", "좁다", "narrower"),
    Adjective("long", "long", "길다", "longer", fr_precedes=True),
    Adjective("short", "court", "짧다", "shorter"),
    Adjective("deep", "profond", "깊다", "deeper"),
    Adjective("high", "haut", "높다", "higher"),
    Adjective("low", "bas", "낮다", "lower"),
    Adjective("steep", "raide", "가파르다", "steeper"),
    Adjective("slippery", "glissant", "미끄럽다"),
    Adjective("dark", "sombre", "어둡다", "darker"),
    Adjective("bright", "lumineux", "밝다", "brighter"),
    Adjective("dirty", "sale", "더럽다", "dirtier"),
    Adjective("clean", "propre", "깨끗하다", "cleaner"),
    Adjective("noisy", "bruyant", "시끄럽다", "noisier"),
    Adjective("expensive", "cher", "비싸다"),
    Adjective("heavy", "lourd", "무겁다", "heavier"),
    Adjective("light", "léger", "가볍다", "lighter"),
    Adjective("hard", "dur", "딱딱하다", "harder"),
    Adjective("salty", "salé", "짜다", "saltier"),
    Adjective("bitter", "amer", "쓰다"),
    Adjective("sour", "acide", "시다"),
    Adjective("sweet", "sucré", "달다", "sweeter"),
    Adjective("spicy", "épicé", "맵다", "spicier"),
    Adjective("hot", "chaud", "뜨겁다", "hotter"),
    Adjective("cold", "froid", "차갑다", "colder"),
    Adjective("fresh", "frais", "신선하다", "fresher"),
    Adjective("delicious", "délicieux", "맛있다"),
    Adjective("difficult", "difficile", "어렵다"),
    Adjective("easy", "facile", "쉽다", "easier"),
    Adjective("boring", "ennuyeux", "지루하다"),
    Adjective("interesting", "intéressant", "흥미롭다"),
    Adjective("important", "important", "중요하다"),
    Adjective("complicated", "compliqué", "복잡하다"),
    Adjective("useful", "utile", "유용하다"),
    Adjective("practical", "pratique", "편리하다"),
    Adjective("elegant", "élégant", "우아하다"),
    Adjective("precious", "précieux", "소중하다"),
    Adjective("solid", "solide", "튼튼하다"),
    _before("new", "nouveau", "새롭다", ko_adnominal="새"),
    _before("old", "vieux", "오래되다", ko_adnominal="오래된"),
    Adjective("red", "rouge", "빨갛다"),
    Adjective("blue", "bleu", "파랗다"),
    Adjective("black", "noir", "까맣다"),
    Adjective("white", "blanc", "하얗다"),
    Adjective("yellow", "jaune", "노랗다"),
    # said of both
    _before("big", "grand", "크다", "bigger"),
    _before("small", "petit", "작다", "smaller"),
    _before("beautiful", "beau", "아름답다"),
    _before("pretty", "joli", "예쁘다", "prettier"),
    _before("good", "bon", "좋다", "better"),
    Adjective("strange", "étrange", "이상하다", "stranger"),
    Adjective("famous", "célèbre", "유명하다"),
    Adjective("calm", "calme", "조용하다", "calmer"),
    Adjective("dangerous", "dangereux", "위험하다"),
    # said of institutions and works
    Adjective("perfect", "parfait", "완벽하다"),
    Adjective("simple", "simple", "간단하다", "simpler"),
    Adjective("clear", "clair", "명확하다", "clearer"),
    Adjective("popular", "populaire", "인기가 많다"),
    Adjective("just", "juste", "공정하다"),
    Adjective("transparent", "transparent", "투명하다"),
    Adjective("fair", "équitable", "공평하다", "fairer"),
    Adjective("precise", "précis", "정확하다"),
    Adjective("complete", "complet", "완전하다"),
    Adjective("natural", "naturel", "자연스럽다"),
    Adjective("comfortable", "confortable", "편안하다"),
)
_BY_NAME = {adjective.en: adjective for adjective in _ALL}


def adjectives(names: str) -> tuple[Adjective, ...]:
    """Return the adjectives with these English names, separated by blanks. Raises KeyError for an unknown one."""
    return tuple(_BY_NAME[name] for name in names.split())


OF_PEOPLE = adjectives(
    "tired hungry thirsty sick sad shy nervous busy slow young cautious clumsy worried stubborn arrogant curious "
    "brave impatient strong happy tall rich poor intelligent kind honest polite patient serious modest generous famous "
    "strange calm"
)
OF_ANIMALS = adjectives(
    "tired hungry thirsty sick weak lazy slow fast young curious brave strong intelligent big small beautiful pretty "
    "strange calm dangerous black white"
)
COLOURS = adjectives("red blue black white yellow")
_SIZES = adjectives("big small")
_GROUPS: tuple[tuple[tuple[Noun, ...], tuple[Adjective, ...]], ...] = (
    (people.PEOPLE, adjectives("rich poor kind famous brave honest sad strange happy strong intelligent")),
    (people.PROFESSIONS, adjectives("famous intelligent kind honest serious rich strict patient good")),
    (
        animals.ANIMALS,
        adjectives("big small beautiful pretty black white young strange intelligent tired hungry strong"),
    ),
    (things.DRINKS, adjectives("hot cold fresh sweet delicious")),
    (things.FRUITS, adjectives("big small sweet sour fresh delicious hard")),
    (things.DISHES, adjectives("hot cold fresh salty delicious")),
    (
        things.TEXTS,
        adjectives("long short difficult easy boring interesting important beautiful sad good new old strange"),
    ),
    (
        things.QUESTIONS,
        adjectives("long short difficult easy interesting important good new strange complicated simple"),
    ),
    (things.CLOTHES, (*COLOURS, *adjectives("new old beautiful pretty expensive elegant long short dirty"))),
    (things.LOADS, (*_SIZES, *adjectives("heavy light dirty strange solid"))),
    (things.FURNITURE, (*_SIZES, *adjectives("heavy old new beautiful expensive solid elegant comfortable"))),
    (things.GOODS, (*COLOURS, *adjectives("small new old beautiful pretty expensive useful precious strange"))),
    (things.DISHWARE, (*COLOURS, *adjectives("big small old pretty dirty clean precious"))),
    (things.GIFTS, adjectives("beautiful pretty small precious expensive strange")),
    (
        things.VEHICLES + things.CARRIERS,
        (*COLOURS, *adjectives("big small new old fast slow beautiful dirty expensive")),
    ),
    (things.OPENABLE, adjectives("big small heavy old new solid")),
    (things.PLANTS, adjectives("big small beautiful old pretty strange")),
    (things.SHOWS, adjectives("long short boring interesting beautiful sad good famous")),
    (places.ROADS, adjectives("long short wide narrow beautiful dangerous noisy dark calm")),
    (places.WATERS, adjectives("deep wide beautiful calm dangerous")),
    (places.LANDS, adjectives("big wide beautiful dangerous calm")),
    (places.HEIGHTS, adjectives("high steep dangerous beautiful")),
    (places.BARRIERS, adjectives("wide long big")),
    (places.SHELTERS, adjectives("big small dark calm dirty strange")),
    (places.ROOMS, adjectives("big small dark bright clean dirty calm comfortable")),
    (places.SIGHTS + places.DESTINATIONS, adjectives("big small beautiful famous calm old new noisy")),
    (places.BUILDINGS, adjectives("big small old new beautiful")),
)
_ONLY_BEFORE_NOUNS = frozenset({"new", "old"})


def attributes_of(noun: Noun) -> tuple[Adjective, ...]:
    """Return the adjectives that may stand beside a noun; idioms such as « avoir faim » can't."""
    return tuple(adjective for adjective in _said_of(noun) if not adjective.fr_avoir)


def qualities_of(noun: Noun) -> tuple[Adjective, ...]:
    """Return the adjectives that can be the predicate of a noun."""
    if noun.being == "person":
        return OF_PEOPLE
    if noun.being == "animal":
        return OF_ANIMALS
    return tuple(adjective for adjective in _said_of(noun) if adjective.en not in _ONLY_BEFORE_NOUNS)


def _said_of(noun: Noun) -> tuple[Adjective, ...]:
    return next((qualities for nouns, qualities in _GROUPS if noun in nouns), ())
