"""The formats: what people call them, and how their files' names end. `readers` has what reads each."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """A kind of file that is translated with its form kept."""

    title: str
    """What people call the format."""
    suffixes: tuple[str, ...]
    """The endings of its files' names, in lower case."""


FORMATS: Mapping[str, Format] = {
    "html": Format("HTML", (".html", ".htm", ".xhtml")),
    "po": Format("PO and POT (gettext)", (".po", ".pot")),
    "xliff": Format("XLIFF 1.2 and 2", (".xlf", ".xliff")),
    "tmx": Format("TMX", (".tmx",)),
    "docx": Format("DOCX (Word)", (".docx",)),
    "odt": Format("ODT (OpenDocument)", (".odt",)),
    "md": Format("Markdown", (".md", ".markdown")),
    "srt": Format("SRT (SubRip)", (".srt",)),
    "vtt": Format("WebVTT", (".vtt",)),
    "json": Format("JSON string table", (".json", ".arb")),
    "yaml": Format("YAML string table", (".yaml", ".yml")),
    "text": Format("plain text", (".txt",)),
}
"""Kind → format, in the order in which a listing shows them."""
