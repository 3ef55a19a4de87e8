"""Documents, which keep their form: each is one shard."""

import hashlib
from pathlib import Path

from polyhead.bulk.batch_translator import BatchTranslator
from polyhead.bulk.cutting import Cutting
from polyhead.bulk.shard import Shard, Translated
from polyhead.bundle.config import languages_of
from polyhead.errors import DataError
from polyhead.formats.document import Source
from polyhead.formats.recognising import LOOKED_AT, recognise
from polyhead.formats.translating import translate_document
from polyhead.inline.find import pattern
from polyhead.limits import LARGEST_DOCUMENT
from polyhead.reading import open_regular


def cut_document(path: Path, lines: int) -> Cutting:
    """A document as one shard. Raises DataError for one that is too large, OSError for one that can't be read."""
    del lines
    with open_regular(path) as file:
        size = file.seek(0, 2)
        if size > LARGEST_DOCUMENT:
            message = f"it has {size:,} bytes, but documents above {LARGEST_DOCUMENT:,} are not translated; divide it"
            raise DataError(message, path)
        file.seek(0)
        return Cutting(hashlib.file_digest(file, "sha256").hexdigest(), size, 1, ((0, 0),))


def translate_whole(shard: Shard, translator: BatchTranslator) -> Translated:
    """A document in translation. Raises PolyheadError for one that can't be read."""
    content = shard.source.read_bytes()
    known, wanted = languages_of(translator.loaded().config, translator.target_language)
    source = Source(content, str(shard.source), wanted, known)
    own = [pattern(each) for each in translator.keep]
    kind = recognise(shard.source.name, content[:LOOKED_AT]) or "text"
    done = translate_document(source, translator.translations, kind, own)
    return Translated(done.content, tuple(f"{shard.source}, {problem}" for problem in done.problems))
