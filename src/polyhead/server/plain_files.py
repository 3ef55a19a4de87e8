"""Files of plain text: every line is translated, and the line breaks, the encoding and its mark stay."""

import codecs

from polyhead.errors import DataError
from polyhead.server.file_translation import FileFormats, Translate, TranslatedFile

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def translate_plain_file(
    content: bytes,
    name: str,
    translate: Translate,
    target_language: str,
    source_language: str | None,
    kind: str | None = None,
) -> TranslatedFile:
    """The file in translation. Raises DataError for what is neither UTF-8 nor UTF-16 with a mark.

    The languages and `kind` make no difference to plain text.
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if content.startswith(mark)), (b"", "utf-8"))
    try:
        text = content[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        byte = len(mark) + error.start
        raise DataError(f"this is no text in {encoding.upper()} (byte {byte})", name) from error
    lines = text.splitlines(keepends=True)
    found = translate(lines)
    written = "".join(each.text for each in found).encode(encoding)
    return TranslatedFile(mark + written, tuple(problem for each in found for problem in each.problems))


PLAIN_TEXT = FileFormats((".txt",), translate_plain_file)
"""What a server translates without any other formats."""
