"""Each file of the kernels has a file of tests of its name, in the same place."""

from pathlib import Path

import polyhead.kernels

SOURCES, TESTS = Path(polyhead.kernels.__file__).parent, Path(__file__).parent


def test_no_file_is_tested_through_its_callers_alone() -> None:
    sources = [path.relative_to(SOURCES) for path in SOURCES.rglob("*.py") if path.name != "__init__.py"]
    assert len(sources) > 50
    assert [str(each) for each in sources if not (TESTS / each.with_name(f"test_{each.name}")).is_file()] == []
