"""Reading a corpus as the tests do, and writers that are as simple as the formats allow."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from polyhead.corpora import Translation, Wanted, read_corpus
from polyhead.errors import PolyheadError

Both = tuple[str, str]


def units(
    path: Path, source: str | None = None, target: str | None = None, columns: Both | None = None
) -> list[Translation]:
    return list(read_corpus(path, Wanted(source, target, columns)))


def pairs(path: Path, source: str | None = None, target: str | None = None, columns: Both | None = None) -> list[Both]:
    """The pairs that can be learnt from."""
    return [(unit.source, unit.target) for unit in units(path, source, target, columns) if unit.flaw is None]


def refusal(path: Path, source: str | None = None, target: str | None = None, columns: Both | None = None) -> str:
    """What is said of a corpus that can't be read; short enough, and the place first."""
    with pytest.raises(PolyheadError) as raised:
        units(path, source, target, columns)
    assert len(str(raised.value)) < 300
    return str(raised.value)


def tmx(texts: Sequence[Mapping[str, str]], source: str = "en", escaped: bool = True) -> str:
    """A TMX file with a unit for each table of texts by language."""

    def variant(code: str, text: str) -> str:
        return f'<tuv xml:lang="{code}"><seg>{escape(text) if escaped else text}</seg></tuv>'

    body = "".join(f"<tu>{''.join(variant(*each) for each in unit.items())}</tu>\n" for unit in texts)
    header = (
        f'<header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en" '
        f'srclang="{source}" datatype="plaintext"/>'
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'
        f'<tmx version="1.4">\n{header}\n<body>\n{body}</body>\n</tmx>\n'
    )
