"""Wholes and their parts, for sentences in which "its" has to be resolved: the Law and its application."""

from dataclasses import dataclass

from polyhead.demo.grammar.lexicon.adjectives import adjectives
from polyhead.demo.grammar.words import Adjective, Noun

LAW = Noun("Law", "loi", "f", "법", en_plural="Laws")
APPLICATION = Noun("application", "application", "f", "적용")


@dataclass(frozen=True)
class Part:
    """A part or an aspect of a whole, and what can be said of it."""

    noun: Noun
    qualities: tuple[Adjective, ...]
    is_plural: bool = False


@dataclass(frozen=True)
class Whole:
    """A thing, what can be said of it, and its parts."""

    noun: Noun
    qualities: tuple[Adjective, ...]
    parts: tuple[Part, ...]


def _part(noun: Noun, names: str, *, is_plural: bool = False) -> Part:
    return Part(noun, adjectives(names), is_plural)


_ABSTRACT = "perfect simple clear popular complicated"
_PLACE = "big small beautiful famous calm perfect"
_WORK = "perfect long short famous popular difficult simple"
_TOOL = "perfect expensive simple light practical heavy"
_PRICE = _part(Noun("price", "prix", "m", "가격"), "fair just clear")
_STRUCTURE = _part(Noun("structure", "structure", "f", "구조"), "simple clear solid transparent")
_GOAL = _part(Noun("goal", "but", "m", "목표"), "clear just simple important precise")
_RULES = _part(Noun("rule", "règle", "f", "규칙"), "clear simple fair just strict", is_plural=True)
_LANGUAGE = _part(Noun("language", "langue", "f", "언어"), "clear simple beautiful natural precise")
_STORY = _part(Noun("story", "histoire", "f", "이야기"), "interesting clear simple beautiful sad")
_TITLE = _part(Noun("title", "titre", "m", "제목"), "clear short simple interesting")
_GARDEN = _part(Noun("garden", "jardin", "m", "정원"), "big beautiful calm clean")
_ENTRANCE = _part(Noun("entrance", "entrée", "f", "입구"), "wide clean bright big")
_WALLS = _part(Noun("wall", "mur", "m", "벽"), "solid white clean high", is_plural=True)
_CENTRE = _part(Noun("center", "centre", "m", "중심지"), "calm clean beautiful famous")
_STREETS = _part(Noun("street", "rue", "f", "길"), "wide clean calm narrow", is_plural=True)
_ENGINE = _part(Noun("engine", "moteur", "m", "엔진"), "solid light simple practical")
_SCREEN = _part(Noun("screen", "écran", "m", "화면"), "big bright clear clean")
_MUSIC = _part(Noun("music", "musique", "f", "음악"), "beautiful calm sad natural")
_END = _part(Noun("ending", "fin", "f", "결말"), "clear sad natural interesting short")
_EXECUTION = _part(Noun("execution", "exécution", "f", "실행"), "precise simple perfect transparent")
_SCHOOL = _part(Noun("school", "école", "f", "학교"), "good big famous clean")
_ECONOMY = _part(Noun("economy", "économie", "f", "경제"), "solid transparent fair")
_EXPLANATION = _part(Noun("explanation", "explication", "f", "설명"), "clear simple complete precise")
_HISTORY = _part(Noun("history", "histoire", "f", "역사"), "long interesting sad important")
_USE = _part(Noun("use", "utilisation", "f", "사용법"), "simple easy clear natural")
_SEAT = _part(Noun("seat", "siège", "m", "좌석"), "comfortable clean practical", is_plural=True)
_KEYBOARD = _part(Noun("keyboard", "clavier", "m", "자판"), "comfortable practical light clean")
_APPLICATION = Part(APPLICATION, adjectives("just fair simple transparent strict clear natural precise"))

WHOLES = (
    Whole(LAW, adjectives(_ABSTRACT + " strict complete"), (_APPLICATION, _LANGUAGE, _RULES, _GOAL)),
    Whole(
        Noun("contract", "contrat", "m", "계약"),
        adjectives(_ABSTRACT + " strict"),
        (_APPLICATION, _LANGUAGE, _RULES, _GOAL),
    ),
    Whole(Noun("rule", "règle", "f", "규칙"), adjectives(_ABSTRACT + " strict"), (_APPLICATION, _EXPLANATION, _GOAL)),
    Whole(Noun("plan", "plan", "m", "계획"), adjectives(_ABSTRACT), (_EXECUTION, _GOAL, _STRUCTURE, _APPLICATION)),
    Whole(
        Noun("theory", "théorie", "f", "이론"),
        adjectives(_ABSTRACT),
        (_APPLICATION, _EXPLANATION, _LANGUAGE, _STRUCTURE),
    ),
    Whole(Noun("method", "méthode", "f", "방법"), adjectives(_ABSTRACT), (_APPLICATION, _EXPLANATION, _GOAL, _USE)),
    Whole(Noun("system", "système", "m", "체계"), adjectives(_ABSTRACT), (_STRUCTURE, _RULES, _APPLICATION, _USE)),
    Whole(Noun("project", "projet", "m", "사업"), adjectives(_ABSTRACT), (_EXECUTION, _GOAL, _STRUCTURE, _TITLE)),
    Whole(Noun("game", "jeu", "m", "놀이"), adjectives(_ABSTRACT), (_RULES, _EXPLANATION, _GOAL)),
    Whole(Noun("house", "maison", "f", "집"), adjectives(_PLACE), (_GARDEN, _ENTRANCE, _WALLS, _PRICE)),
    Whole(Noun("hotel", "hôtel", "m", "호텔"), adjectives(_PLACE), (_GARDEN, _ENTRANCE, _WALLS, _PRICE)),
    Whole(Noun("castle", "château", "m", "성"), adjectives(_PLACE), (_GARDEN, _ENTRANCE, _WALLS, _HISTORY)),
    Whole(Noun("hospital", "hôpital", "m", "병원"), adjectives(_PLACE), (_GARDEN, _ENTRANCE, _RULES)),
    Whole(Noun("school", "école", "f", "학교"), adjectives(_PLACE), (_GARDEN, _ENTRANCE, _WALLS, _RULES)),
    Whole(Noun("city", "ville", "f", "도시"), adjectives(_PLACE), (_CENTRE, _STREETS, _SCHOOL, _HISTORY)),
    Whole(Noun("village", "village", "m", "마을"), adjectives(_PLACE), (_CENTRE, _STREETS, _SCHOOL, _HISTORY)),
    Whole(Noun("country", "pays", "m", "나라"), adjectives(_PLACE), (_ECONOMY, _LANGUAGE, _HISTORY)),
    Whole(Noun("island", "île", "f", "섬"), adjectives(_PLACE), (_ECONOMY, _LANGUAGE, _HISTORY)),
    Whole(Noun("book", "livre", "m", "책"), adjectives(_WORK), (_STORY, _TITLE, _LANGUAGE, _END, _PRICE)),
    Whole(Noun("novel", "roman", "m", "소설"), adjectives(_WORK), (_STORY, _TITLE, _LANGUAGE, _END, _STRUCTURE)),
    Whole(Noun("play", "pièce", "f", "희곡"), adjectives(_WORK), (_STORY, _TITLE, _LANGUAGE, _END)),
    Whole(Noun("film", "film", "m", "영화"), adjectives(_WORK), (_STORY, _TITLE, _MUSIC, _END)),
    Whole(Noun("car", "voiture", "f", "자동차"), adjectives(_TOOL), (_ENGINE, _SEAT, _PRICE, _USE)),
    Whole(Noun("bus", "bus", "m", "버스"), adjectives(_TOOL), (_ENGINE, _SEAT, _PRICE)),
    Whole(Noun("phone", "téléphone", "m", "전화기"), adjectives(_TOOL), (_SCREEN, _PRICE, _USE)),
    Whole(Noun("computer", "ordinateur", "m", "컴퓨터"), adjectives(_TOOL), (_SCREEN, _KEYBOARD, _PRICE, _USE)),
    Whole(Noun("machine", "machine", "f", "기계"), adjectives(_TOOL), (_ENGINE, _KEYBOARD, _PRICE, _USE)),
)
