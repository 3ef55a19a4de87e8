"""Places to be in, to go to, to cross and to climb."""

from polyhead.demo.grammar.words import Noun, Place, Position

STREET = Noun("street", "rue", "f", "길")
_RIVER = Noun("river", "rivière", "f", "강")
_GARDEN = Noun("garden", "jardin", "m", "정원")
_PARK = Noun("park", "parc", "m", "공원")
_FOREST = Noun("forest", "forêt", "f", "숲")
_KITCHEN = Noun("kitchen", "cuisine", "f", "부엌")
_LAKE = Noun("lake", "lac", "m", "호수")
_BARN = Noun("barn", "grange", "f", "헛간")
_FIELD = Noun("field", "champ", "m", "들판")
HOUSE = Noun("house", "maison", "f", "집")

ROADS = (
    STREET,
    Noun("road", "route", "f", "도로"),
    Noun("avenue", "avenue", "f", "큰길"),
    Noun("square", "place", "f", "광장"),
    Noun("path", "sentier", "m", "오솔길"),
    Noun("bridge", "pont", "m", "다리"),
    Noun("tunnel", "tunnel", "m", "터널"),
    Noun("parking lot", "parking", "m", "주차장"),
)
WATERS = (
    _RIVER,
    _LAKE,
    Noun("stream", "ruisseau", "m", "시내"),
    Noun("canal", "canal", "m", "운하"),
    Noun("pond", "étang", "m", "연못"),
    Noun("bay", "baie", "f", "만"),
    Noun("lagoon", "lagune", "f", "석호"),
)
LANDS = (
    _FIELD,
    Noun("desert", "désert", "m", "사막"),
    Noun("swamp", "marais", "m", "늪"),
    Noun("meadow", "prairie", "f", "초원"),
    Noun("valley", "vallée", "f", "골짜기"),
    Noun("plain", "plaine", "f", "평야"),
)
HEIGHTS = (
    Noun("wall", "mur", "m", "벽"),
    Noun("rock", "rocher", "m", "바위"),
    Noun("volcano", "volcan", "m", "화산"),
    Noun("hill", "colline", "f", "언덕"),
    Noun("mountain", "montagne", "f", "산"),
    Noun("cliff", "falaise", "f", "절벽"),
)
BARRIERS = (
    Noun("ditch", "fossé", "m", "도랑"),
    Noun("fence", "clôture", "f", "울타리"),
    Noun("hedge", "haie", "f", "산울타리"),
    Noun("puddle", "flaque", "f", "웅덩이"),
    Noun("gate", "portail", "m", "대문"),
)
SHELTERS = (
    HOUSE,
    _BARN,
    _FOREST,
    Noun("cave", "grotte", "f", "동굴"),
    Noun("hut", "cabane", "f", "오두막"),
    Noun("tent", "tente", "f", "텐트"),
    Noun("garage", "garage", "m", "차고"),
    Noun("building", "bâtiment", "m", "건물"),
    Noun("hole", "trou", "m", "구멍"),
    Noun("cellar", "cave", "f", "지하실"),
    Noun("corridor", "couloir", "m", "복도"),
)
ROOMS = (
    _KITCHEN,
    Noun("room", "chambre", "f", "방"),
    Noun("office", "bureau", "m", "사무실"),
    Noun("garage", "garage", "m", "차고"),
    Noun("living room", "salon", "m", "거실"),
    Noun("bathroom", "salle de bains", "f", "욕실"),
)
SIGHTS = (
    Noun("museum", "musée", "m", "박물관"),
    Noun("castle", "château", "m", "성"),
    Noun("village", "village", "m", "마을"),
    Noun("temple", "temple", "m", "절"),
    Noun("city", "ville", "f", "도시"),
    Noun("church", "église", "f", "교회"),
    Noun("factory", "usine", "f", "공장"),
    Noun("farm", "ferme", "f", "농장"),
    Noun("island", "île", "f", "섬"),
    Noun("country", "pays", "m", "나라"),
)
DESTINATIONS = (
    *(noun for noun in SIGHTS if noun.en not in {"island", "city", "country"}),
    _PARK,
    Noun("market", "marché", "m", "시장"),
    Noun("restaurant", "restaurant", "m", "식당"),
    Noun("hospital", "hôpital", "m", "병원"),
    Noun("airport", "aéroport", "m", "공항"),
    Noun("hotel", "hôtel", "m", "호텔"),
    Noun("theater", "théâtre", "m", "극장"),
    Noun("school", "école", "f", "학교"),
    Noun("library", "bibliothèque", "f", "도서관"),
    Noun("station", "gare", "f", "역"),
    Noun("beach", "plage", "f", "해변"),
    Noun("university", "université", "f", "대학교"),
)
IN_ROOMS = tuple(Place("in", "dans", noun) for noun in ROOMS if noun.en != "bathroom")
INDOORS = (
    *(
        Place("at", "à", noun)
        for noun in DESTINATIONS
        if noun.en not in {"park", "beach", "castle", "village", "temple"}
    ),
    *IN_ROOMS,
)
OUTDOORS = (
    *(Place("in", "dans", noun) for noun in (_PARK, _GARDEN, _FOREST, _FIELD, STREET, _BARN)),
    Place("on", "sur", Noun("beach", "plage", "f", "해변")),
)
EVERYWHERE = INDOORS + OUTDOORS
WATERY = tuple(Place("in", "dans", noun) for noun in (_RIVER, _LAKE, Noun("sea", "mer", "f", "바다")))
BUILDINGS = (
    HOUSE,
    Noun("school", "école", "f", "학교"),
    Noun("hotel", "hôtel", "m", "호텔"),
    Noun("bridge", "pont", "m", "다리"),
    Noun("castle", "château", "m", "성"),
    Noun("tower", "tour", "f", "탑"),
    Noun("hospital", "hôpital", "m", "병원"),
    Noun("factory", "usine", "f", "공장"),
)
POSITIONS = (
    Position("under", "sous", "아래"),
    Position("behind", "derrière", "뒤"),
    Position("in front of", "devant", "앞"),
    Position("next to", "à côté de", "옆"),
)
ON = Position("on", "sur", "위")
IN = Position("in", "dans", "안")
