"""The files that `polyhead.formats` knows, for the server."""

from polyhead.formats.document import Source
from polyhead.formats.kinds import FORMATS
from polyhead.formats.translating import translate_document
from polyhead.server.file_translation import FileFormats, Translate, TranslatedFile


def _translate(
    content: bytes,
    name: str,
    translate: Translate,
    target_language: str,
    source_language: str | None,
    kind: str | None = None,
) -> TranslatedFile:
    source = Source(content, name, target_language, source_language)
    done = translate_document(source, translate, kind)
    return TranslatedFile(done.content, tuple(map(str, done.problems)))


KNOWN_FILES = FileFormats(tuple(suffix for each in FORMATS.values() for suffix in each.suffixes), _translate)
"""All formats that `polyhead.formats` knows."""
