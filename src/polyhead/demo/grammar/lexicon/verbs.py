"""Verbs with who does them and to what, so that drinks are drunk and letters are read."""

from dataclasses import dataclass
from typing import Literal

from polyhead.demo.grammar.lexicon import animals, places, things
from polyhead.demo.grammar.words import Noun, Place, Verb

Agent = Literal["person", "animal", "both"]


@dataclass(frozen=True)
class Doing:
    """An intransitive verb: who does it, where."""

    verb: Verb
    agent: Agent
    places: tuple[Place, ...] = ()
    with_manner: bool = False


@dataclass(frozen=True)
class Dealing:
    """A transitive verb: who does it, to which nouns; `persons` allows pronouns, names and people as its object."""

    verb: Verb
    objects: tuple[Noun, ...] = ()
    agent: Agent = "person"
    persons: bool = False
    with_manner: bool = False
    places: tuple[Place, ...] = ()


DOINGS = (
    Doing(Verb("sleep", "dormir", "자다", "slept"), "both", places.OUTDOORS),
    Doing(Verb("run", "courir", "달리다", "ran"), "both", places.OUTDOORS, with_manner=True),
    Doing(Verb("walk", "marcher", "걷다"), "both", places.OUTDOORS, with_manner=True),
    Doing(Verb("swim", "nager", "헤엄치다", "swam"), "both", places.WATERY, with_manner=True),
    Doing(Verb("sing", "chanter", "노래하다", "sang"), "person", places.EVERYWHERE, with_manner=True),
    Doing(Verb("dance", "danser", "춤추다"), "person", places.EVERYWHERE, with_manner=True),
    Doing(Verb("work", "travailler", "일하다"), "person", places.EVERYWHERE, with_manner=True),
    Doing(Verb("cry", "pleurer", "울다"), "person", places.EVERYWHERE),
    Doing(Verb("laugh", "rire", "웃다"), "person", places.EVERYWHERE),
    Doing(Verb("smile", "sourire", "미소 짓다"), "person"),
    Doing(Verb("play", "jouer", "놀다"), "both", places.OUTDOORS),
    Doing(Verb("jump", "sauter", "뛰다"), "both", places.OUTDOORS),
    Doing(Verb("rest", "se reposer", "쉬다"), "both", places.OUTDOORS),
    Doing(Verb("hide", "se cacher", "숨다", "hid"), "both"),
    Doing(Verb("wake up", "se réveiller", "깨다", "woke"), "both"),
    Doing(Verb("stop", "s'arrêter", "멈추다", "stopped"), "both"),
    Doing(Verb("get up", "se lever", "일어나다", "got"), "person"),
    Doing(Verb("arrive", "arriver", "도착하다"), "both"),
    Doing(Verb("leave", "partir", "떠나다", "left"), "both"),
    Doing(Verb("fall", "tomber", "넘어지다", "fell"), "both"),
    Doing(Verb("come", "venir", "오다", "came"), "both"),
    Doing(Verb("go out", "sortir", "나가다", "went"), "both"),
    Doing(Verb("travel", "voyager", "여행하다"), "person"),
    Doing(Verb("study", "étudier", "공부하다"), "person", places.INDOORS, with_manner=True),
    Doing(Verb("cook", "cuisiner", "요리하다"), "person", with_manner=True),
    Doing(Verb("shout", "crier", "소리치다"), "person", places.EVERYWHERE),
    Doing(Verb("dream", "rêver", "꿈꾸다"), "person"),
    Doing(Verb("wait", "attendre", "기다리다"), "person", places.EVERYWHERE),
)
_NEED = Verb(
    "need", "avoir besoin", "필요하다", fr_preposition="de", ko_particle="이", ko_adjectival=True, stative=True
)
_HAVE = Verb("have", "avoir", "있다", "had", ko_particle="이", ko_adjectival=True, stative=True)
READ = Verb("read", "lire", "읽다", "read")
BUY = Verb("buy", "acheter", "사다", "bought")
EAT = Verb("eat", "manger", "먹다", "ate")
DRINK = Verb("drink", "boire", "마시다", "drank")
OPEN = Verb("open", "ouvrir", "열다")
CARRY = Verb("carry", "porter", "나르다")
REPAIR = Verb("repair", "réparer", "고치다")
CLEAN = Verb("clean", "nettoyer", "청소하다")
VISIT = Verb("visit", "visiter", "방문하다")
UNDERSTAND = Verb("understand", "comprendre", "이해하다", "understood")
WEAR = Verb("wear", "porter", "입다", "wore")
FINISH = Verb("finish", "finir", "끝내다")
TRANSLATE = Verb("translate", "traduire", "번역하다")
CROSS = Verb("cross", "traverser", "건너다")
CLIMB = Verb("climb", "escalader", "오르다", ko_particle="에")
JUMP_OVER = Verb("jump over", "franchir", "뛰어넘다")
ENTER = Verb("enter", "entrer", "들어가다", fr_preposition="dans", ko_particle="에")
PUSH = Verb("push", "pousser", "밀다")
PULL = Verb("pull", "tirer", "끌다")
LIKE = Verb("like", "aimer", "좋아하다", stative=True, generic=True)
LOVE = Verb("love", "adorer", "사랑하다", stative=True, generic=True)
HATE = Verb("hate", "détester", "싫어하다", stative=True, generic=True)
PREFER = Verb("prefer", "préférer", "선호하다", "preferred", stative=True, generic=True)
_TOOLS = things.GOODS + things.LOADS
_SALEABLE = things.CLOTHES + things.FURNITURE + things.GOODS + things.VEHICLES + things.DISHWARE + (places.HOUSE,)
LIKEABLE = things.DRINKS + things.FRUITS + things.DISHES + things.TEXTS[:3] + animals.ANIMALS + things.SUBJECTS[3:7]

DEALINGS = (
    Dealing(READ, things.TEXTS, places=places.EVERYWHERE, with_manner=True),
    Dealing(Verb("write", "écrire", "쓰다", "wrote"), things.TEXTS, places=places.INDOORS, with_manner=True),
    Dealing(BUY, _SALEABLE + things.FRUITS + things.DISHES),
    Dealing(Verb("sell", "vendre", "팔다", "sold"), _SALEABLE + things.FRUITS + things.DISHES),
    Dealing(EAT, things.FRUITS + things.DISHES, "both", places=places.EVERYWHERE, with_manner=True),
    Dealing(DRINK, things.DRINKS, "both", places=places.EVERYWHERE, with_manner=True),
    Dealing(OPEN, things.OPENABLE, with_manner=True),
    Dealing(Verb("close", "fermer", "닫다"), things.OPENABLE, with_manner=True),
    Dealing(REPAIR, things.MACHINES + things.VEHICLES + things.FURNITURE, with_manner=True),
    Dealing(CLEAN, places.ROOMS),
    Dealing(Verb("wash", "laver", "씻다"), things.DISHWARE + things.FRUITS, with_manner=True),
    Dealing(Verb("break", "casser", "깨뜨리다", "broke"), things.DISHWARE),
    Dealing(WEAR, things.CLOTHES),
    Dealing(Verb("find", "trouver", "발견하다", "found"), _TOOLS + things.GIFTS, persons=True),
    Dealing(Verb("look for", "chercher", "찾다"), _TOOLS + things.GIFTS, persons=True),
    Dealing(Verb("lose", "perdre", "잃어버리다", "lost"), things.GOODS + things.GIFTS),
    Dealing(Verb("hide", "cacher", "숨기다", "hid"), things.GOODS + things.GIFTS),
    Dealing(Verb("steal", "voler", "훔치다", "stole"), things.GOODS + things.VEHICLES),
    Dealing(Verb("forget", "oublier", "잊어버리다", "forgot"), things.GOODS + things.QUESTIONS),
    Dealing(Verb("build", "construire", "짓다", "built"), places.BUILDINGS),
    Dealing(
        Verb("draw", "dessiner", "그리다", "drew"), animals.ANIMALS + things.PLANTS + places.BUILDINGS, persons=True
    ),
    Dealing(Verb("plant", "planter", "심다"), things.PLANTS),
    Dealing(Verb("prepare", "préparer", "준비하다"), things.DISHES[:5] + things.DRINKS),
    Dealing(Verb("drive", "conduire", "운전하다", "drove"), things.VEHICLES, with_manner=True),
    Dealing(Verb("take", "prendre", "타다", "took"), things.VEHICLES[:1] + things.VEHICLES[2:3] + things.CARRIERS),
    Dealing(VISIT, places.SIGHTS),
    Dealing(Verb("leave", "quitter", "떠나다", "left"), places.SIGHTS),
    Dealing(Verb("receive", "recevoir", "받다"), things.GIFTS + things.TEXTS[6:7]),
    Dealing(Verb("choose", "choisir", "고르다", "chose"), _SALEABLE + things.FRUITS),
    Dealing(FINISH, (*things.TEXTS, things.EXERCISE)),
    Dealing(Verb("begin", "commencer", "시작하다", "began"), (things.EXERCISE, things.QUESTIONS[3])),
    Dealing(UNDERSTAND, things.TEXTS + things.QUESTIONS, persons=True),
    Dealing(TRANSLATE, things.TEXTS + things.QUESTIONS[5:], with_manner=True),
    Dealing(Verb("learn", "apprendre", "배우다", generic=True), things.SUBJECTS, places=places.INDOORS),
    Dealing(Verb("study", "étudier", "공부하다", generic=True), things.SUBJECTS, places=places.INDOORS),
    Dealing(Verb("teach", "enseigner", "가르치다", "taught", generic=True), things.SUBJECTS, places=places.INDOORS),
    Dealing(Verb("listen to", "écouter", "듣다"), things.SOUNDS, places=places.INDOORS),
    Dealing(Verb("watch", "regarder", "보다"), things.SHOWS),
    Dealing(Verb("throw", "lancer", "던지다", "threw"), (things.GOODS[6], things.LOADS[5])),
    Dealing(CARRY, things.LOADS + things.FURNITURE, with_manner=True),
    Dealing(PUSH, things.FURNITURE + things.VEHICLES, "both"),
    Dealing(PULL, things.LOADS, "both"),
    Dealing(CROSS, places.ROADS[:1] + places.ROADS[5:6] + places.WATERS[:3], "both", with_manner=True),
    Dealing(CLIMB, places.HEIGHTS, "both", with_manner=True),
    Dealing(ENTER, places.SHELTERS + places.ROOMS[:1], "both", with_manner=True),
    Dealing(Verb("go to", "aller", "가다", "went", fr_preposition="à", ko_particle="에"), places.DESTINATIONS),
    Dealing(Verb("return to", "retourner", "돌아가다", fr_preposition="à", ko_particle="에"), places.DESTINATIONS),
    Dealing(_NEED, _TOOLS + things.FURNITURE + things.VEHICLES),
    Dealing(_HAVE, _TOOLS + things.FURNITURE + things.VEHICLES + animals.PETS + (places.HOUSE,)),
    Dealing(LIKE, LIKEABLE),
    Dealing(HATE, LIKEABLE),
    Dealing(LOVE, animals.ANIMALS + things.SUBJECTS[3:7]),
    Dealing(Verb("see", "voir", "보다", "saw"), animals.ANIMALS + things.GOODS, "both", persons=True),
    Dealing(Verb("hear", "entendre", "듣다", "heard"), agent="both", persons=True),
    Dealing(Verb("follow", "suivre", "따라가다"), animals.WALKERS, "both", persons=True),
    Dealing(Verb("help", "aider", "돕다"), animals.ANIMALS, persons=True),
    Dealing(Verb("call", "appeler", "부르다"), animals.PETS, persons=True),
    Dealing(Verb("meet", "rencontrer", "만나다", "met"), persons=True),
    Dealing(Verb("invite", "inviter", "초대하다"), persons=True),
    Dealing(Verb("know", "connaître", "알다", "knew", stative=True), persons=True),
    Dealing(Verb("admire", "admirer", "존경하다", stative=True), persons=True),
    Dealing(Verb("wait for", "attendre", "기다리다"), persons=True),
    Dealing(Verb("talk with", "parler", "이야기하다", fr_preposition="avec", ko_particle="과"), persons=True),
    Dealing(Verb("play with", "jouer", "놀다", fr_preposition="avec", ko_particle="과"), animals.PETS, persons=True),
    Dealing(Verb("dance with", "danser", "춤추다", fr_preposition="avec", ko_particle="과"), persons=True),
    Dealing(Verb("feed", "nourrir", "먹이를 주다", "fed", ko_particle="에게"), animals.ANIMALS),
)
_PORTABLE = things.GOODS + things.GIFTS + things.FRUITS + things.TEXTS[:7]
GIVINGS = (
    Dealing(Verb("give", "donner", "주다", "gave"), _PORTABLE),
    Dealing(Verb("show", "montrer", "보여 주다"), _PORTABLE),
    Dealing(Verb("send", "envoyer", "보내다", "sent"), things.GIFTS + things.TEXTS),
    Dealing(Verb("sell", "vendre", "팔다", "sold"), things.GOODS + things.VEHICLES + things.CLOTHES),
    Dealing(Verb("lend", "prêter", "빌려주다", "lent"), things.GOODS + things.VEHICLES + things.CLOTHES),
    Dealing(Verb("bring", "apporter", "가져다주다", "brought"), _PORTABLE + things.FURNITURE),
    Dealing(Verb("explain", "expliquer", "설명하다"), things.QUESTIONS),
)
