"""Animals, about as many feminine in French as masculine."""

from functools import partial

from polyhead.demo.grammar.words import Noun

_animal = partial(Noun, being="animal")

CAT = _animal("cat", "chat", "m", "고양이")
DOG = _animal("dog", "chien", "m", "강아지")
ANIMAL = _animal("animal", "animal", "m", "동물")
WALKERS = (
    ANIMAL,
    CAT,
    DOG,
    _animal("horse", "cheval", "m", "말"),
    _animal("pig", "cochon", "m", "돼지"),
    _animal("rabbit", "lapin", "m", "토끼"),
    _animal("fox", "renard", "m", "여우"),
    _animal("wolf", "loup", "m", "늑대", en_plural="wolves"),
    _animal("bear", "ours", "m", "곰"),
    _animal("lion", "lion", "m", "사자"),
    _animal("tiger", "tigre", "m", "호랑이"),
    _animal("elephant", "éléphant", "m", "코끼리"),
    _animal("monkey", "singe", "m", "원숭이"),
    _animal("squirrel", "écureuil", "m", "다람쥐"),
    _animal("hedgehog", "hérisson", "m", "고슴도치"),
    _animal("donkey", "âne", "m", "당나귀"),
    _animal("camel", "chameau", "m", "낙타"),
    _animal("kangaroo", "kangourou", "m", "캥거루", en_plural="kangaroos"),
    _animal("pony", "poney", "m", "조랑말"),
    _animal("cow", "vache", "f", "소"),
    _animal("goat", "chèvre", "f", "염소"),
    _animal("mouse", "souris", "f", "쥐", en_plural="mice"),
    _animal("giraffe", "girafe", "f", "기린"),
    _animal("panther", "panthère", "f", "표범"),
    _animal("otter", "loutre", "f", "수달"),
    _animal("gazelle", "gazelle", "f", "가젤"),
    _animal("lioness", "lionne", "f", "암사자"),
    _animal("mole", "taupe", "f", "두더지"),
    _animal("weasel", "belette", "f", "족제비"),
)
OTHERS = (
    _animal("bird", "oiseau", "m", "새"),
    _animal("duck", "canard", "m", "오리"),
    _animal("snake", "serpent", "m", "뱀"),
    _animal("lizard", "lézard", "m", "도마뱀"),
    _animal("crocodile", "crocodile", "m", "악어"),
    _animal("snail", "escargot", "m", "달팽이"),
    _animal("hen", "poule", "f", "암탉"),
    _animal("goose", "oie", "f", "거위", en_plural="geese"),
    _animal("turtle", "tortue", "f", "거북이"),
    _animal("frog", "grenouille", "f", "개구리"),
    _animal("ostrich", "autruche", "f", "타조"),
    _animal("spider", "araignée", "f", "거미"),
    _animal("ant", "fourmi", "f", "개미"),
    _animal("caterpillar", "chenille", "f", "애벌레"),
    _animal("grasshopper", "sauterelle", "f", "메뚜기"),
    _animal("owl", "chouette", "f", "올빼미"),
)
ANIMALS = WALKERS + OTHERS
PETS = tuple(
    animal for animal in ANIMALS if animal.en in {"cat", "dog", "rabbit", "mouse", "turtle", "bird", "pony", "snake"}
)
