"""When, how often and how."""

from polyhead.demo.grammar.clauses import Tense
from polyhead.demo.grammar.words import Phrase

TIMES: dict[Tense, tuple[Phrase, ...]] = {
    "past": (
        Phrase("yesterday", "hier", "어제"),
        Phrase("last night", "hier soir", "어젯밤에"),
        Phrase("last week", "la semaine dernière", "지난주에"),
        Phrase("last year", "l'année dernière", "작년에"),
        Phrase("this morning", "ce matin", "오늘 아침에"),
        Phrase("two days ago", "il y a deux jours", "이틀 전에"),
    ),
    "present": (
        Phrase("every day", "tous les jours", "매일"),
        Phrase("every morning", "chaque matin", "매일 아침"),
        Phrase("in the evening", "le soir", "저녁에"),
        Phrase("on Sunday", "le dimanche", "일요일에"),
        Phrase("in summer", "en été", "여름에"),
        Phrase("in winter", "en hiver", "겨울에"),
        Phrase("today", "aujourd'hui", "오늘"),
    ),
    "future": (
        Phrase("tomorrow", "demain", "내일"),
        Phrase("tonight", "ce soir", "오늘 밤에"),
        Phrase("next week", "la semaine prochaine", "다음 주에"),
        Phrase("next year", "l'année prochaine", "내년에"),
        Phrase("soon", "bientôt", "곧"),
    ),
}
FREQUENCIES = (
    Phrase("often", "souvent", "자주"),
    Phrase("always", "toujours", "항상"),
    Phrase("sometimes", "parfois", "가끔"),
    Phrase("usually", "généralement", "보통"),
)
MANNERS = (
    Phrase("slowly", "lentement", "천천히"),
    Phrase("quickly", "rapidement", "빨리"),
    Phrase("quietly", "doucement", "조용히"),
    Phrase("carefully", "prudemment", "조심스럽게"),
)
