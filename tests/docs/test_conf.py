"""Pages that are made from the code are made anew by every build, also where an earlier one left its cache."""

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

DOCS = Path(__file__).parents[2] / "docs"
FROM_CODE = re.compile(
    r"^(`{3,}\{(recipe-keys|public-interface)\}|\.\. (cyclopts|autoclass|autofunction)::)", re.MULTILINE
)
"""Directives that read the code."""


@pytest.mark.parametrize("language", ["en", "ko"])
def test_pages_made_from_the_code_are_always_out_of_date(language):
    connected = {}
    runpy.run_path(str(DOCS / "conf.py"))["setup"](SimpleNamespace(connect=connected.__setitem__))
    outdated = connected["env-get-outdated"]("app", "env", set(), set(), set())
    pages = {path.stem for path in (DOCS / language).glob("*.md") if FROM_CODE.search(path.read_text(encoding="utf-8"))}
    assert {"commands", "recipe-keys"} <= pages
    assert pages == set(outdated)
