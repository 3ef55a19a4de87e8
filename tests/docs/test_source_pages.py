from docs.source_pages import ROOT, page_of


def test_a_file_keeps_its_path() -> None:
    assert page_of("src/polyhead/text.py") == "source/src/polyhead/text.py"
    assert (ROOT / "pyproject.toml").is_file()
