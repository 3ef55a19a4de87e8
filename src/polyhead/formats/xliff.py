"""XLIFF 1.2 and 2: units without a translation get one, to be reviewed; all else stays byte for byte."""

from polyhead.errors import DataError
from polyhead.formats.document import Source, TextDocument
from polyhead.formats.splicing import Region, Spliced
from polyhead.formats.xliff1 import regions as regions1
from polyhead.formats.xliff2 import regions as regions2
from polyhead.formats.xml_tree import Tree, read_xml


def read_xliff(source: Source) -> TextDocument:
    """An XLIFF file. Raises DataError for one that isn't, or that is for another language."""
    tree = read_xml(source.content, source.name)
    if tree.root.name != "xliff":
        raise DataError(f"its root is <{tree.root.name[:40]}>, where XLIFF has <xliff>", source.name, 1)
    found = _regions(tree, source)
    written = sorted(
        (each for each in found if isinstance(each, Region)), key=lambda region: (region.start, region.end)
    )
    notes = tuple(each for each in found if not isinstance(each, Region))
    return TextDocument(Spliced(tree.text, tuple(written)), tree.encoding, notes)


def _regions(tree: Tree, source: Source) -> list[Region | tuple[int, str]]:
    version = tree.root.attributes.get("version", "1.2")
    if version.startswith("1."):
        return list(regions1(tree, source))
    if version.startswith("2."):
        return list(regions2(tree, source))
    raise DataError(f"it is XLIFF {version[:20]}; 1.0 to 1.2 and 2.0 to 2.2 are known here", source.name, 1)
