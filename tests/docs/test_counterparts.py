from pathlib import Path

from docs.counterparts import counterpart


def test_addresses_lead_from_one_tree_to_the_other(tmp_path: Path) -> None:
    for language in ("en", "ko"):
        (tmp_path / language).mkdir()
        (tmp_path / language / "data.md").touch()
    assert counterpart("data", "en", tmp_path) == {"language": "ko", "name": "한국어", "address": "ko/data.html"}
    assert counterpart("data", "ko", tmp_path) == {"language": "en", "name": "English", "address": "../data.html"}


def test_only_pages_that_are_there_have_one(tmp_path: Path) -> None:
    assert counterpart("source/README.md", "en", tmp_path) is None
