"""YAML string tables: values that are strings are translated; keys, comments, order and indentation stay."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from polyhead.errors import DataError
from polyhead.extras import needing_extra
from polyhead.formats.document import Source, TextDocument
from polyhead.formats.encoding import decoded
from polyhead.formats.identifiers import is_identifier
from polyhead.formats.left_strings import why_left
from polyhead.formats.splicing import Region, Spliced, single
from polyhead.formats.unit import has_words, without_margins
from polyhead.formats.yaml_scalars import block_place, write_block, write_flow
from polyhead.inline.codes import Marked

if TYPE_CHECKING:
    import yaml

_STRING = "tag:yaml.org,2002:str"
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+(?:#[^\r\n]*\s+)*)*")
"""An anchor and a tag, which stand before a value, and comments behind them."""


def read_yaml(source: Source) -> TextDocument:
    """A YAML file. Raises DataError for one that isn't YAML, and MissingExtra without PyYAML."""
    text, encoding = decoded(source.content, source.name)
    found = [each for _, each in string_regions(text, source.name)]
    regions = tuple(each for each in found if isinstance(each, Region))
    return TextDocument(Spliced(text, regions), encoding, tuple(each for each in found if not isinstance(each, Region)))


def string_regions(text: str, name: str) -> Iterator[tuple[tuple[str, ...], Region | tuple[int, str]]]:
    """The values that are strings with words: the keys and numbers that lead to one, and its region, or a note on it.

    name: what messages call the file. Raises DataError for what isn't YAML, and MissingExtra without PyYAML.
    """
    seen = set[int]()
    for node, path in _strings(text, name):
        line, key = node.start_mark.line + 1, ".".join(path)
        if node.start_mark.index in seen:  # an alias is what it stands for
            continue
        seen.add(node.start_mark.index)
        if not has_words(Marked(node.value)) or is_identifier(node.value):
            continue
        left = why_left(node.value, key)
        yield path, (line, left) if left else _region(text, node, line, key)


def _region(text: str, node: "yaml.ScalarNode", line: int, name: str) -> Region | tuple[int, str]:
    """The region of a string, or a note on a block whose lines can't be written anew."""
    start, end, style = node.start_mark.index, node.end_mark.index, node.style or ""
    properties = _PROPERTIES.match(text, start)
    start = properties.end() if properties else start
    unit = without_margins(Marked(node.value), line, name)
    if style not in ("|", ">"):
        return single(text, start, end, unit, lambda whole: write_flow(whole.written(), style))
    place = block_place(text, start, end)
    if isinstance(place, str):
        return line, f"{name or 'a text'} {place} and was left as it is"
    start, end, indentation = place
    return single(text, start, end, unit, lambda whole: write_block(whole.written(), style, indentation))


def _strings(text: str, name: str) -> "Iterator[tuple[yaml.ScalarNode, tuple[str, ...]]]":
    """The values that are strings, in order, each with the keys and numbers that lead to it."""
    with needing_extra("reading YAML"):
        import yaml
    try:
        documents = list(yaml.compose_all(text, yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise DataError(f"this is not YAML: {error.problem}; mend it", name, line) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise DataError(f"a control character (number {error.character}) is in it; delete it", name, line) from error
    except (ValueError, OverflowError) as error:
        raise DataError("an escape in it is no character, or a number is too long; mend it", name) from error
    except RecursionError as error:
        raise DataError("its lists and tables are nested too deeply", name) from error
    left: list[tuple[yaml.Node, tuple[str, ...]]] = [(node, ()) for node in reversed(documents) if node]
    done = set[int]()
    while left:
        node, path = left.pop()
        if isinstance(node, yaml.ScalarNode):
            if node.tag == _STRING:
                yield node, path
        elif id(node) not in done:
            done.add(id(node))
            left += reversed([(child, (*path, key)) for key, child in _children(node)])


def _children(node: "yaml.Node") -> "Iterator[tuple[str, yaml.Node]]":
    import yaml

    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield str(key.value) if isinstance(key, yaml.ScalarNode) else "?", value
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield str(number), value
