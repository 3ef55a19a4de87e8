"""Kinds of files that are recognised although nothing in them is translated, with what to do with one."""

from collections.abc import Mapping
from typing import NamedTuple

_UNPACK = "unpack it first"
_AS_LINES = "write the column with the text as lines first"


class Other(NamedTuple):
    """A kind of file that has no text to be translated here."""

    title: str
    """What messages say that such a file is: "a PDF document"."""
    advice: str
    """What to do with such a file."""


OTHERS: Mapping[str, Other] = {
    "gzip": Other("compressed with gzip", f"{_UNPACK}, or give its name the ending .gz"),
    "bzip2": Other("compressed with bzip2", f"{_UNPACK}: bunzip2"),
    "xz": Other("compressed with xz", f"{_UNPACK}, or give its name the ending .xz"),
    "zstd": Other("compressed with zstd", f"{_UNPACK}, or give its name the ending .zst"),
    "zip": Other("a zip archive", f"{_UNPACK}: unzip"),
    "7z": Other("a 7z archive", f"{_UNPACK}: 7z x"),
    "tar": Other("a tar archive", f"{_UNPACK}: tar xf"),
    "parquet": Other("a Parquet table", _AS_LINES),
    "arrow": Other("an Arrow table", _AS_LINES),
    "sqlite": Other("an SQLite database", _AS_LINES),
    "pdf": Other("a PDF document", "save it as .docx or .odt, or its text as .txt"),
    "doc": Other("an old Word, Excel or PowerPoint document", "save it as .docx or .odt"),
    "locked": Other("a document with a password", "save it without one"),
    "rtf": Other("an RTF document", "save it as .docx or .odt"),
    "xlsx": Other("an Excel workbook", "save the sheet as .csv, or its texts as .txt"),
    "ods": Other("an OpenDocument spreadsheet", "save the sheet as .csv, or its texts as .txt"),
    "pptx": Other("a PowerPoint presentation", "save its texts as .docx or .txt"),
    "odp": Other("an OpenDocument presentation", "save its texts as .odt or .txt"),
    "xml": Other("XML of a kind that is not known here", "XLIFF and TMX are"),
}
"""The name that `recognising.recognise` gives a kind → what is known of that kind."""
