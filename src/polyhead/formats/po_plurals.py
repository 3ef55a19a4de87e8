"""How many plural forms a language has in a PO file, and which of them is for how many."""

import gettext
import re
from dataclasses import dataclass
from typing import Any, cast

from polyhead.errors import DataError

_SLAVIC = "n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2"
_RULES = {
    "bo dz id ja jv km ko lo ms my th vi wo zh": (1, "0"),
    "ak am fa fil fr hi ln mg oc pa pt-BR ti tl uz wa": (2, "n > 1"),
    "be bs hr ru sr uk": (3, _SLAVIC),
    "pl": (3, "n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2"),
    "cs sk": (3, "n==1 ? 0 : n>=2 && n<=4 ? 1 : 2"),
    "lt": (3, "n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2"),
    "lv": (3, "n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2"),
    "ro": (3, "n==1 ? 0 : n==0 || (n%100 > 0 && n%100 < 20) ? 1 : 2"),
    "sl": (4, "n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3"),
    "ar": (6, "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5"),
    "cy": (4, "n==1 ? 0 : n==2 ? 1 : n != 8 && n != 11 ? 2 : 3"),
    "ga": (5, "n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4"),
    "gd": (4, "n==1 || n==11 ? 0 : n==2 || n==12 ? 1 : n > 2 && n < 20 ? 2 : 3"),
    "is mk": (2, "n%10!=1 || n%100==11"),
    "mt": (4, "n==1 ? 0 : n==0 || (n%100 > 1 && n%100 < 11) ? 1 : n%100 > 10 && n%100 < 20 ? 2 : 3"),
}
_OF = {language: rule for languages, rule in _RULES.items() for language in languages.split()}
_WRITTEN = re.compile(r"nplurals\s*=\s*(\d+)\s*;\s*plural\s*=\s*([^;]+)")
_MOST = 10


@dataclass(frozen=True)
class Plurals:
    """The plural forms of a language."""

    count: int
    expression: str
    """What gives the number of the form for n things, as in C."""
    singular: int
    """The number of the form that is for one thing."""

    @property
    def written(self) -> str:
        """The plural forms as a header writes them."""
        return f"nplurals={self.count}; plural=({self.expression});"

    @classmethod
    def of(cls, language: str) -> "Plurals":
        """The plural forms of a language by its code; those of English for a language not known here."""
        count, expression = _OF.get(language) or _OF.get(language.partition("-")[0]) or (2, "n != 1")
        return cls(count, expression, _number(expression, 1))

    @classmethod
    def read(cls, header: str, name: str) -> "Plurals | None":
        """The plural forms that a header's field gives, or None. Raises DataError for what can't be used."""
        match = _WRITTEN.search(header)
        if match is None:
            return None
        try:
            count, singular = int(match[1][:3]), _number(match[2], 1)
        except (ValueError, ArithmeticError, RecursionError):
            count, singular = 0, 0
        if not 0 <= singular < count <= _MOST:
            raise DataError(
                f"Plural-Forms in its header cannot be used: {match[0][:80]}; mend or delete that line", name
            )
        return cls(count, match[2].strip(), singular)


def _number(expression: str, things: int) -> int:
    return int(cast(Any, gettext).c2py(expression)(things))
