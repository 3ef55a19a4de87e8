"""The formats. A new one is a function that reads it, and its line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from re import Pattern

from polyhead.formats.document import Document, Source
from polyhead.formats.docx import read_docx
from polyhead.formats.html_document import read_html
from polyhead.formats.json_strings import read_json
from polyhead.formats.markdown import read_markdown
from polyhead.formats.odt import read_odt
from polyhead.formats.plain import read_plain
from polyhead.formats.po import read_po
from polyhead.formats.subtitles import read_srt, read_vtt
from polyhead.formats.tmx import read_tmx
from polyhead.formats.xliff import read_xliff
from polyhead.formats.yaml_strings import read_yaml


@dataclass(frozen=True)
class Format:
    """A kind of file that is translated with its form kept."""

    title: str
    """What people call it."""
    suffixes: tuple[str, ...]
    """The endings of its files' names, in lower case."""
    read: Callable[[Source], Document]
    """Raises PolyheadError for a file that is damaged or isn't of this kind."""
    placeholders: tuple[str, ...] = ()
    """Kinds of placeholders that its texts usually have, by the names of `polyhead.inline.find`."""
    patterns: tuple[Pattern[str], ...] = ()
    """More that stays as it is in its texts."""


FORMATS: Mapping[str, Format] = {
    "html": Format("HTML", (".html", ".htm", ".xhtml"), read_html, ("braces",)),
    "po": Format("PO and POT (gettext)", (".po", ".pot"), read_po, ("printf", "braces", "tags", "entities")),
    "md": Format("Markdown", (".md", ".markdown"), read_markdown, ("braces",)),
    "srt": Format("SRT (SubRip)", (".srt",), read_srt),
    "vtt": Format("WebVTT", (".vtt",), read_vtt),
    "json": Format("JSON string table", (".json", ".arb"), read_json, ("printf", "braces", "tags", "entities")),
    "xliff": Format("XLIFF 1.2 and 2", (".xlf", ".xliff"), read_xliff, ("printf", "braces")),
    "tmx": Format("TMX", (".tmx",), read_tmx, ("printf", "braces")),
    "docx": Format("DOCX (Word)", (".docx",), read_docx),
    "odt": Format("ODT (OpenDocument)", (".odt",), read_odt),
    "yaml": Format("YAML string table", (".yaml", ".yml"), read_yaml, ("printf", "braces", "tags", "entities")),
    "text": Format("plain text", (".txt",), read_plain),
}
"""Kind → format, in the order in which a listing shows them."""
