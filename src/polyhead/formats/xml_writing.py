"""Text and tags as XML writes them."""

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

_ATTRIBUTE = re.compile(r"""([^\s=<>/"']+)\s*=\s*(?:"[^"]*"|'[^']*')""")
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML can't have."""


def escaped(text: str) -> str:
    """Text as XML has it. What XML can't have, such as the character NUL, becomes U+FFFD."""
    return escape(_IMPOSSIBLE.sub("\ufffd", text))


def opened(tag: str) -> str:
    """A start tag that content can follow, made of one that may be an empty element's."""
    return f"{tag[:-2].rstrip()}>" if tag.endswith("/>") else tag


def with_attributes(tag: str, attributes: Mapping[str, str]) -> str:
    """A start tag with other values of some attributes, or with more of them."""
    written = {name: f"{name}={quoteattr(_IMPOSSIBLE.sub('', value))}" for name, value in attributes.items()}
    missing = dict(written)

    def changed(found: re.Match[str]) -> str:
        missing.pop(found[1], None)
        return written.get(found[1], found[0])

    tag = _ATTRIBUTE.sub(changed, tag)
    end = len(tag) - (2 if tag.endswith("/>") else 1)
    return f"{' '.join([tag[:end].rstrip(), *missing.values()])}{tag[end:]}" if missing else tag
