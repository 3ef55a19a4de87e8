"""Things, by what one does with them."""

from functools import partial

from polyhead.demo.grammar.words import Noun

_mass = partial(Noun, mass=True)

DRINKS = (
    _mass("water", "eau", "f", "물"),
    _mass("milk", "lait", "m", "우유"),
    _mass("juice", "jus", "m", "주스"),
    _mass("tea", "thé", "m", "차"),
    _mass("coffee", "café", "m", "커피"),
    _mass("lemonade", "limonade", "f", "레모네이드"),
    _mass("beer", "bière", "f", "맥주"),
)
FRUITS = (
    Noun("apple", "pomme", "f", "사과"),
    Noun("pear", "poire", "f", "배"),
    Noun("orange", "orange", "f", "오렌지"),
    Noun("strawberry", "fraise", "f", "딸기"),
    Noun("cherry", "cerise", "f", "체리"),
    Noun("peach", "pêche", "f", "복숭아"),
    Noun("lemon", "citron", "m", "레몬"),
    Noun("melon", "melon", "m", "멜론"),
    Noun("mango", "mangue", "f", "망고"),
    Noun("pineapple", "ananas", "m", "파인애플"),
    Noun("apricot", "abricot", "m", "살구"),
)
DISHES = (
    Noun("cake", "gâteau", "m", "케이크"),
    Noun("egg", "œuf", "m", "달걀"),
    Noun("potato", "pomme de terre", "f", "감자"),
    Noun("sandwich", "sandwich", "m", "샌드위치"),
    Noun("pizza", "pizza", "f", "피자"),
    Noun("sausage", "saucisse", "f", "소시지"),
    _mass("bread", "pain", "m", "빵"),
    _mass("cheese", "fromage", "m", "치즈"),
    _mass("meat", "viande", "f", "고기"),
    _mass("soup", "soupe", "f", "수프"),
    _mass("rice", "riz", "m", "밥"),
    _mass("fish", "poisson", "m", "생선"),
    _mass("chocolate", "chocolat", "m", "초콜릿"),
)
TEXTS = (
    Noun("book", "livre", "m", "책"),
    Noun("novel", "roman", "m", "소설"),
    Noun("poem", "poème", "m", "시"),
    Noun("text", "texte", "m", "글"),
    Noun("article", "article", "m", "기사"),
    Noun("report", "rapport", "m", "보고서"),
    Noun("letter", "lettre", "f", "편지"),
    Noun("story", "histoire", "f", "이야기"),
    Noun("speech", "discours", "m", "연설문"),
    Noun("play", "pièce", "f", "희곡"),
)
QUESTIONS = (
    Noun("question", "question", "f", "질문"),
    Noun("answer", "réponse", "f", "대답"),
    Noun("problem", "problème", "m", "문제"),
    Noun("lesson", "leçon", "f", "수업"),
    Noun("rule", "règle", "f", "규칙"),
    Noun("sentence", "phrase", "f", "문장"),
    Noun("word", "mot", "m", "단어"),
)
CLOTHES = (
    Noun("coat", "manteau", "m", "외투"),
    Noun("sweater", "pull", "m", "스웨터"),
    Noun("uniform", "uniforme", "m", "제복"),
    Noun("dress", "robe", "f", "원피스"),
    Noun("shirt", "chemise", "f", "셔츠"),
    Noun("skirt", "jupe", "f", "치마"),
    Noun("jacket", "veste", "f", "재킷"),
)
LOADS = (
    Noun("bag", "sac", "m", "가방"),
    Noun("basket", "panier", "m", "바구니"),
    Noun("bucket", "seau", "m", "양동이"),
    Noun("barrel", "tonneau", "m", "통"),
    Noun("box", "boîte", "f", "상자"),
    Noun("stone", "pierre", "f", "돌"),
    Noun("branch", "branche", "f", "나뭇가지"),
    Noun("suitcase", "valise", "f", "여행 가방"),
    Noun("wheel", "roue", "f", "바퀴"),
    Noun("plank", "planche", "f", "판자"),
)
FURNITURE = (
    Noun("sofa", "canapé", "m", "소파"),
    Noun("bed", "lit", "m", "침대"),
    Noun("desk", "bureau", "m", "책상"),
    Noun("piano", "piano", "m", "피아노", en_plural="pianos"),
    Noun("table", "table", "f", "탁자"),
    Noun("chair", "chaise", "f", "의자"),
    Noun("wardrobe", "armoire", "f", "옷장"),
    Noun("lamp", "lampe", "f", "전등"),
)
GOODS = (
    Noun("phone", "téléphone", "m", "전화기"),
    Noun("computer", "ordinateur", "m", "컴퓨터"),
    Noun("painting", "tableau", "m", "그림"),
    Noun("umbrella", "parapluie", "m", "우산"),
    Noun("hat", "chapeau", "m", "모자"),
    Noun("knife", "couteau", "m", "칼", en_plural="knives"),
    Noun("ball", "balle", "f", "공"),
    Noun("key", "clé", "f", "열쇠"),
    Noun("watch", "montre", "f", "시계"),
    Noun("ring", "bague", "f", "반지"),
    Noun("guitar", "guitare", "f", "기타"),
    Noun("camera", "caméra", "f", "카메라"),
)
MACHINES = tuple(noun for noun in GOODS if noun.en in {"phone", "computer", "watch", "camera"})
DISHWARE = (
    Noun("glass", "verre", "m", "유리잔"),
    Noun("vase", "vase", "m", "꽃병"),
    Noun("bowl", "bol", "m", "그릇"),
    Noun("plate", "assiette", "f", "접시"),
    Noun("cup", "tasse", "f", "컵"),
    Noun("bottle", "bouteille", "f", "병"),
)
GIFTS = (
    Noun("gift", "cadeau", "m", "선물"),
    Noun("package", "colis", "m", "소포"),
    Noun("flower", "fleur", "f", "꽃"),
    Noun("ticket", "billet", "m", "표"),
    Noun("photo", "photo", "f", "사진", en_plural="photos"),
)
VEHICLES = (
    Noun("bus", "bus", "m", "버스"),
    Noun("truck", "camion", "m", "트럭"),
    Noun("taxi", "taxi", "m", "택시"),
    Noun("car", "voiture", "f", "자동차"),
)
CARRIERS = (
    Noun("train", "train", "m", "기차"),
    Noun("plane", "avion", "m", "비행기"),
    Noun("boat", "bateau", "m", "배"),
    Noun("bike", "vélo", "m", "자전거"),
)
OPENABLE = (
    Noun("door", "porte", "f", "문"),
    Noun("window", "fenêtre", "f", "창문"),
    Noun("drawer", "tiroir", "m", "서랍"),
    Noun("safe", "coffre", "m", "금고"),
)
PLANTS = (
    Noun("tree", "arbre", "m", "나무"),
    Noun("rose", "rose", "f", "장미"),
    Noun("flower", "fleur", "f", "꽃"),
    Noun("bush", "buisson", "m", "덤불"),
)
SUBJECTS = (
    _mass("French", "français", "m", "프랑스어"),
    _mass("Korean", "coréen", "m", "한국어"),
    _mass("English", "anglais", "m", "영어"),
    _mass("history", "histoire", "f", "역사"),
    _mass("physics", "physique", "f", "물리학"),
    _mass("chemistry", "chimie", "f", "화학"),
    _mass("music", "musique", "f", "음악"),
)
SOUNDS = (
    _mass("music", "musique", "f", "음악"),
    Noun("song", "chanson", "f", "노래"),
    Noun("radio", "radio", "f", "라디오", en_plural="radios"),
    Noun("concert", "concert", "m", "연주회"),
)
SHOWS = (
    Noun("film", "film", "m", "영화"),
    Noun("match", "match", "m", "경기"),
    Noun("show", "spectacle", "m", "공연"),
)
EXERCISE = Noun("exercise", "exercice", "m", "연습 문제")
