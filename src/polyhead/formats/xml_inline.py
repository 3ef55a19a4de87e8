"""The content of an element as text with codes, and back."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from polyhead.formats.xml_tree import Element, Text, Tree
from polyhead.formats.xml_writing import escaped
from polyhead.inline.codes import Code, Marked


@dataclass(frozen=True)
class Half:
    """An element that is one half of a pair whose other half is another element."""

    is_end: bool
    key: str
    """What the two halves have in common."""


@dataclass(frozen=True)
class Kept:
    """An element whose text stays as it is; a model reads it within its sentence."""


Alike = Callable[[Element], Half | Kept | bool]
"""What an element within a text is: half of a pair; kept; True: around text; False: something alone."""
TMX_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})
"""Elements of TMX in whose content there is no text of the sentence but formatting, or a footnote within that."""
XLIFF_CODES = frozenset({"bpt", "ept", "it", "ph", "x", "bx", "ex", "sc", "ec", "sm", "em", "cp"})
"""Elements of XLIFF 1.2 and 2 without text of the sentence. All others hold text, also those not in the standard."""


def marked(tree: Tree, element: Element, alike: Alike) -> Marked:
    """An element's content as text, with the elements in it as codes, whose content is what is written for them."""
    parts = list(_parts(tree, element, alike))
    opened, numbers = dict[str, int](), dict[int, int]()
    for place, part in enumerate(parts):
        if not isinstance(part, _Tag) or part.half is None:
            continue
        if not part.half.is_end:
            opened[part.half.key] = place
        elif part.half.key in opened:
            number = len(numbers) // 2 + 1
            numbers[opened.pop(part.half.key)] = numbers[place] = number
    return Marked.of(_coded(part, numbers.get(place)) for place, part in enumerate(parts))


@dataclass(frozen=True)
class _Tag:
    content: str
    half: Half | None = None


def _coded(part: "str | tuple[str, str] | _Tag", number: int | None) -> str | tuple[str, str] | Code:
    if not isinstance(part, _Tag):
        return part
    if part.half is None or number is None:
        return Code(part.content, 0, 0)
    return Code(part.content, 0, 0, "close" if part.half.is_end else "open", number)


def _parts(tree: Tree, element: Element, alike: Alike) -> Iterator["str | tuple[str, str] | _Tag"]:
    for child in element.children:
        if isinstance(child, Text):
            yield child.content
            continue
        raw = tree.text[child.start : child.end]
        kind = alike(child) if isinstance(child, Element) else False
        if isinstance(kind, Half):
            yield _Tag(raw, kind)
        elif isinstance(kind, Kept) and isinstance(child, Element):
            yield raw, child.text
        elif kind and isinstance(child, Element) and child.inner_start < child.end:
            key = f"around {child.start}"
            yield _Tag(tree.tag(child), Half(is_end=False, key=key))
            yield from _parts(tree, child, alike)
            yield _Tag(tree.text[child.inner_end : child.end], Half(is_end=True, key=key))
        else:
            yield _Tag(raw)


def written(whole: Marked) -> str:
    """A text with codes as XML."""
    return "".join(escaped(part) if isinstance(part, str) else part.content for part in whole.parts())
