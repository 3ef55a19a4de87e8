"""The runs of a WordprocessingML paragraph as text with codes, and such a text as runs.

Word cuts text into runs for many reasons, most of which nobody sees. Here runs of one format are one text. The format
that most of a paragraph has is that of its text; any other is a pair of codes around the text that has it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from polyhead.formats.paragraphs import Break
from polyhead.formats.xml_tree import Element, Other, Text, Tree
from polyhead.formats.xml_writing import escaped
from polyhead.inline.codes import Code, Marked

_CONTAINERS = frozenset({"hyperlink", "smartTag", "ins", "moveTo", "fldSimple", "customXml", "dir", "bdo", "sdt"})
_UNSEEN = frozenset({"lastRenderedPageBreak", "proofErr"})
_UNSEEN_PROPERTIES = frozenset({"lang", "noProof"})
_BREAKS = frozenset({"br", "cr", "tab", "ptab"})
"""What ends a text: a sentence hardly goes on behind a tab."""
_LINE_BREAKS = frozenset({"br", "cr"})
_ENDING = ("break", "line break")
_CHARACTERS = {"noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
_BEGIN, _END = "format ", "end of format"
"""How the content of the code before a stretch of another format begins, and the content of the code behind it."""


@dataclass(frozen=True)
class _Atom:
    """A piece of a paragraph."""

    text: str = ""
    format: str = ""
    """For text: the properties of its run, as they are written."""
    code: str = ""
    """What is written for anything but text."""
    kind: str = ""
    """open, close or alone; break or line break; begin, separate or end of a field."""
    element: Element | None = None
    """The element that a code stands for, if it may hold paragraphs."""


@dataclass(frozen=True)
class Runs:
    """A paragraph's runs."""

    atoms: tuple[_Atom, ...]
    prefix: str
    """The namespace prefix of the elements, such as "w:"."""

    @classmethod
    def of(cls, tree: Tree, paragraph: Element) -> "Runs":
        """The runs of a paragraph."""
        prefix = tree.prefix(paragraph)
        return cls(tuple(_with_fields(list(_atoms(tree, paragraph, prefix)), prefix)), prefix)

    @cached_property
    def usual(self) -> str:
        """The format that most of the text has."""
        lengths = Counter[str]()
        for atom in self.atoms:
            lengths[atom.format] += len(atom.text)
        return max(lengths, key=lambda each: lengths[each], default="")

    def pieces(self) -> Iterator[str | Code | Break]:
        """The paragraph as text, codes and line breaks."""
        numbers, opened, style, usual, number = count(1), list[int](), self.usual, self.usual, 0
        for atom in (*self.atoms, _Atom(kind="done")):
            if style != usual and not (atom.text and atom.format == style):
                yield Code(_END, 0, 0, "close", number)
                style = usual
            if atom.text and atom.format != style:
                style, number = atom.format, next(numbers)
                yield Code(_BEGIN + style, 0, 0, "open", number)
            if atom.text:
                yield atom.text
            elif atom.kind == "open":
                opened.append(next(numbers))
                yield Code(atom.code, 0, 0, "open", opened[-1])
            elif atom.kind == "close":
                yield Code(atom.code, 0, 0, "close", opened.pop())
            elif atom.kind in _ENDING:
                yield Break(atom.code, atom.kind == "line break")
            elif atom.code:
                yield Code(atom.code, 0, 0)

    def holders(self) -> Iterator[tuple[str, Element]]:
        """The contents of codes that may hold paragraphs, with their elements."""
        return ((atom.code, atom.element) for atom in self.atoms if atom.element is not None)

    def written(self, whole: Marked) -> str:
        """A text of the paragraph as runs."""
        written, styles = "", [self.usual]
        for part in whole.parts():
            if isinstance(part, str):
                written += _run(" ".join(part.split("\n")), styles[-1], self.prefix)
            elif part.content.startswith(_BEGIN):
                styles.append(part.content.removeprefix(_BEGIN))
            elif part.content == _END:
                styles.pop()
            else:
                written += part.content
        return written


def _atoms(tree: Tree, element: Element, prefix: str) -> Iterator[_Atom]:
    for child in element.children:
        if isinstance(child, Text):
            continue
        raw = tree.text[child.start : child.end]
        if isinstance(child, Other):
            yield _Atom(code=raw, kind="alone")
        elif child.name == "r":
            yield from _of_run(tree, child, prefix)
        elif child.name in _CONTAINERS and child.inner_start < child.end:
            inside = child.first("sdtContent") if child.name == "sdt" else child
            if inside is None or inside.inner_start == inside.end:
                yield _Atom(code=raw, kind="alone", element=child)
                continue
            yield _Atom(code=tree.text[child.start : inside.inner_start], kind="open")
            yield from _atoms(tree, inside, prefix)
            yield _Atom(code=tree.text[inside.inner_end : child.end], kind="close")
        elif child.name != "pPr" and child.name not in _UNSEEN:
            yield _Atom(code=raw, kind="alone", element=child)


def _of_run(tree: Tree, run: Element, prefix: str) -> Iterator[_Atom]:
    properties = run.first("rPr")
    style = _seen(tree, properties) if properties else ""
    for child in run.children:
        if isinstance(child, Text) or child is properties or (isinstance(child, Element) and child.name in _UNSEEN):
            continue
        code = f"<{prefix}r>{style}{tree.text[child.start : child.end]}</{prefix}r>"
        if isinstance(child, Other):
            yield _Atom(code=code, kind="alone")
        elif child.name == "t":
            yield _Atom(text=child.text, format=style)
        elif child.name in _CHARACTERS:
            yield _Atom(text=_CHARACTERS[child.name], format=style)
        elif child.name in _BREAKS:
            ends_line = child.name in _LINE_BREAKS and not child.attributes  # one with attributes may begin a page
            yield _Atom(code=code, kind="line break" if ends_line else "break")
        elif child.name == "fldChar":
            kind = next((value for name, value in child.attributes.items() if name.endswith("fldCharType")), "")
            yield _Atom(code=code, kind=kind if kind in ("begin", "separate", "end") else "alone")
        else:
            yield _Atom(code=code, kind="alone", element=child)


def _seen(tree: Tree, properties: Element) -> str:
    """A run's properties without what nobody sees, such as the language that Word checked its spelling in."""
    shown = [child for child in properties.elements if child.name not in _UNSEEN_PROPERTIES]
    if not shown:
        return ""
    inside = "".join(tree.text[child.start : child.end] for child in shown)
    return f"{tree.tag(properties)}{inside}{tree.text[properties.inner_end : properties.end]}"


def _with_fields(atoms: Sequence[_Atom], prefix: str) -> list[_Atom]:
    """The atoms with whole fields as codes: a hyperlink as a pair around its text, any other field as one code."""
    ends, found, place = _field_ends(atoms), list[_Atom](), 0
    while place < len(atoms):
        end = ends.get(place)
        if end is None:
            atom = atoms[place]
            is_half = atom.kind in ("begin", "separate", "end")
            found.append(_Atom(code=atom.code, kind="alone") if is_half else atom)
            place += 1
            continue
        inside = atoms[place : end + 1]
        parts = [i for i, atom in enumerate(inside) if atom.kind == "separate"]
        codes = [atom.code for atom in inside]
        if len(parts) == 1 and "HYPERLINK" in "".join(codes[: parts[0]]) and not _breaks(inside):
            found.append(_Atom(code="".join(codes[: parts[0] + 1]), kind="open"))
            found += inside[parts[0] + 1 : -1]
            found.append(_Atom(code=codes[-1], kind="close"))
        else:
            found.append(
                _Atom(code="".join(atom.code or _run(atom.text, atom.format, prefix) for atom in inside), kind="alone")
            )
        place = end + 1
    return found


def _breaks(atoms: Sequence[_Atom]) -> bool:
    return any(atom.kind in (*_ENDING, "open", "close") for atom in atoms)


def _run(text: str, style: str, prefix: str) -> str:
    return f'<{prefix}r>{style}<{prefix}t xml:space="preserve">{escaped(text)}</{prefix}t></{prefix}r>'


def _field_ends(atoms: Sequence[_Atom]) -> dict[int, int]:
    """Where each field begins that ends in this paragraph, within the same container → where it ends.

    The code of a field that begins outside of a container and ends within it would hold one of the container's tags.
    """
    opened, ends, containers = list[tuple[int, int]](), dict[int, int](), [-1]
    for place, atom in enumerate(atoms):
        if atom.kind == "open":
            containers.append(place)
        elif atom.kind == "close":
            containers.pop()
        elif atom.kind == "begin":
            opened.append((place, containers[-1]))
        elif atom.kind == "end" and opened:
            begin, container = opened.pop()
            if container == containers[-1]:
                ends[begin] = place
    return ends
