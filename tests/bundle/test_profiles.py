"""`languages.json`."""

import json

import pytest

from polyhead.bundle.profiles import read_profiles, save_profiles
from polyhead.errors import ModelError
from polyhead.manifest import accept, read_manifest
from polyhead.ngrams import profile_of
from tests.prose import PROSE


@pytest.fixture
def profiles(tmp_path):
    found = {language: profile_of(texts) for language, texts in PROSE.items()}
    save_profiles(tmp_path, found)
    return found


def test_what_was_written_is_read(profiles, tmp_path):
    assert read_profiles(tmp_path) == profiles
    assert "languages.json" in read_manifest(tmp_path)
    assert "눈" not in (tmp_path / "languages.json").read_text("utf-8"), "Korean syllables are counted as letters"


def test_a_directory_of_an_older_version_has_none(tmp_path):
    assert read_profiles(tmp_path) == {}


@pytest.mark.usefixtures("profiles")
def test_a_file_that_was_changed_is_refused(tmp_path):
    file = tmp_path / "languages.json"
    file.write_text(file.read_text("utf-8").replace("1", "2", 1), "utf-8")
    with pytest.raises(ModelError, match=r"languages\.json is damaged, or was changed by hand"):
        read_profiles(tmp_path)


@pytest.mark.usefixtures("profiles")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "2 is newer"),
        ({"languages": None}, "an object"),
        ({"languages": {"en": {}}}, "en.totals"),
        ({"languages": {"en": {"totals": [1, 1, 1, 1], "usual": -5, "spread": 1, "grams": {"abcde": 1}}}}, "grams"),
        ({"languages": {"en": {"totals": [1, 1, 1, 1], "usual": -5, "spread": 1, "grams": {"a": -1}}}}, "grams"),
        ({"languages": {"en": {"totals": [1], "usual": -5, "spread": 1, "grams": {}}}}, "totals"),
        ({"more": 1}, "not permitted"),
    ],
)
def test_what_is_no_profile_is_refused_by_its_place(tmp_path, change, said):
    file = tmp_path / "languages.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **change}), "utf-8")
    accept(tmp_path)
    with pytest.raises(ModelError, match=rf"languages\.json: .*{said}") as error:
        read_profiles(tmp_path)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("content", [b"\xff", b"[", b"[]", b"[" * 100_000])
def test_what_is_no_json_is_refused(tmp_path, content):
    (tmp_path / "languages.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"languages\.json"):
        read_profiles(tmp_path)
