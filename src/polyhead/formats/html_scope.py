"""Which elements of HTML are open at a place, and whether its text is to be translated."""

from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from polyhead.formats.markup_tokens import Token

INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em embed font i img input ins kbd map mark math q s samp"  # noqa: SIM905
    " script small span strike strong style sub sup svg time tt u var wbr ruby rb rp rt".split()
)
"""Elements that a sentence may go on through. All others end it, and so does a line break."""
_VERBATIM = frozenset("code kbd math pre samp script style svg textarea tt var xmp iframe noembed noframes".split())  # noqa: SIM905
_SCOPES = frozenset("article aside body button div dl fieldset form main ol section select table td th ul".split())  # noqa: SIM905
"""Elements within which nothing closes an element outside of them, except by an end tag."""
_DEEPEST_IMPLIED = 100
"""How many of the open elements are looked at to find one that closes without an end tag."""
_CLOSED_BY = {
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "tr": {"tr", "td", "th"},
    "td": {"td", "th"},
    "th": {"td", "th"},
    "option": {"option"},
}
"""An element → those that its beginning ends where nobody wrote their end."""


class Entered(NamedTuple):
    """What of an element that begins is to be translated."""

    content: bool
    attributes: bool
    """Whether attributes that people read are, such as `placeholder`: those of `textarea` are, but not its content."""


@dataclass
class Scope:
    """The open elements, from the outermost on, each with whether its text is to be translated."""

    ignored: AbstractSet[str] = frozenset()
    """Names of elements that are not to be translated, beside those that never are."""
    _open: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    _count: Counter[str] = field(default_factory=Counter[str])
    """How many elements of each name are open."""

    @property
    def is_translated(self) -> bool:
        """Whether text here is to be translated."""
        return self._open[-1][1] if self._open else True

    @property
    def keeps_space(self) -> bool:
        """Whether white space means something here."""
        return self._count["pre"] > 0

    def enter(self, tag: Token) -> Entered:
        """Takes note of a start tag, and says what of its element is to be translated."""
        self._close_implied(tag.name)
        said, outside = _said(tag), self.is_translated and tag.name not in self.ignored
        attributes = outside if said is None else said
        content = attributes and (said is not None or tag.name not in _VERBATIM)
        if not tag.is_empty:
            self._open.append((tag.name, content))
            self._count[tag.name] += 1
        return Entered(content, attributes)

    def leave(self, tag: Token) -> None:
        """Takes note of an end tag; where no such element is open, it changes nothing."""
        if self._count[tag.name]:
            self._close(next(i for i in reversed(range(len(self._open))) if self._open[i][0] == tag.name))

    def _close(self, place: int) -> None:
        """Closes an open element and all within it."""
        self._count.subtract(name for name, _ in self._open[place:])
        del self._open[place:]

    def _close_implied(self, name: str) -> None:
        closed = _CLOSED_BY.get(name, set[str]() if name in INLINE or name == "br" else {"p"})
        if not any(self._count[each] for each in closed):
            return
        scopes, last = _SCOPES - closed, max(0, len(self._open) - _DEEPEST_IMPLIED)
        for place in reversed(range(last, len(self._open))):
            if self._open[place][0] in closed:
                self._close(place)
            elif self._open[place][0] in scopes:
                return


def _said(tag: Token) -> bool | None:
    """Whether an element says itself that it is to be translated, or not; None where it says nothing."""
    said = tag.attribute("translate")
    if said is not None and said.lower() in ("no", "yes", ""):
        return said.lower() != "no"
    return False if "notranslate" in (tag.attribute("class") or "").split() else None
