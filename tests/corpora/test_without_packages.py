"""Without the packages of the extra `files`: what needs one says what to install, and nothing else needs any."""

import sys

import pytest

from tests.corpora.conftest import Write
from tests.corpora.reading import pairs, refusal, tmx

FILES = {
    "a.tmx": ("lxml", tmx([{"en": "a", "ko": "b"}]).encode()),
    "a.xlf": ("lxml", b"<xliff/>"),
    "a.po": ("polib", b'msgid "a"\nmsgstr "b"\n'),
    "a.parquet": ("pyarrow", b"PAR1"),
    "a.arrow": ("pyarrow", b"ARROW1"),
}


@pytest.fixture(autouse=True)
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an environment that has none of them."""
    for name in [*sys.modules, "lxml", "polib", "pyarrow"]:
        if name.partition(".")[0] in ("lxml", "polib", "pyarrow"):
            monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize("name", FILES)
def test_what_to_install_is_said(write: Write, name: str) -> None:
    package, data = FILES[name]
    path = write(name, data)
    assert refusal(path) == f"reading {path} needs the package {package}: pip install 'polyhead[files]'"


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", "a,b\n"), ("a.tsv", "a\tb\n"), ("a.jsonl", '{"en": "a", "ko": "b"}\n')]
)
def test_the_other_formats_need_none(write: Write, name: str, text: str) -> None:
    assert pairs(write(name, text)) == [("a", "b")]
