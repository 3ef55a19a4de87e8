"""Where machine code is kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyhead.kernels.code import permissions
from polyhead.kernels.code.folders import CACHES, cache_folder

pytestmark = pytest.mark.skipif(not permissions.ASKED, reason="folders have no owner here that could be asked for")


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A process remembers what it has found, and this test is not to change that of the others."""
    monkeypatch.delenv(CACHES, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    cache_folder.cache_clear()
    yield
    cache_folder.cache_clear()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    found = tmp_path / "sources"
    found.mkdir(mode=0o755)
    return found


def test_it_is_beside_the_sources_where_that_can_be(sources: Path) -> None:
    assert cache_folder(sources) == sources / "__pycache__"


@pytest.mark.parametrize("mode", [0o775, 0o777])
@pytest.mark.parametrize("of", ["sources", "beside"])
def test_where_others_can_write_it_is_among_the_users_own_caches(sources: Path, mode: int, of: str) -> None:
    beside = sources / "__pycache__"
    beside.mkdir()
    (sources if of == "sources" else beside).chmod(mode)
    found = cache_folder(sources)
    assert found is not None
    assert found.parent == sources.parent / "home" / "polyhead"
    assert [each.stat().st_mode & 0o777 for each in (found, found.parent, found.parent.parent)] == [0o700] * 3


@pytest.mark.parametrize("unsafe", ["home", "home/polyhead"])
def test_where_these_are_not_safe_either_nothing_is_kept(sources: Path, unsafe: str) -> None:
    sources.chmod(0o777)
    folder = sources.parent / unsafe
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    assert cache_folder(sources) is None


def test_the_folder_that_is_named_is_taken_if_it_is_safe(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = sources.parent / "named"
    monkeypatch.setenv(CACHES, str(named))
    found = cache_folder(sources)
    assert found is not None
    assert found.parent == named
    cache_folder.cache_clear()
    named.chmod(0o777)
    other = cache_folder(sources)
    assert other is not None
    assert other.parent == sources.parent / "home" / "polyhead"


def test_what_a_link_leads_to_is_what_counts(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, mode, expected in (("safe", 0o755, "safe"), ("unsafe", 0o777, "home/polyhead")):
        folder, link = sources.parent / name, sources.parent / f"to-{name}"
        folder.mkdir()
        folder.chmod(mode)
        link.symlink_to(folder)
        monkeypatch.setenv(CACHES, str(link))
        cache_folder.cache_clear()
        found = cache_folder(sources)
        assert found is not None
        assert found.parent == sources.parent / expected


def test_sources_of_one_name_have_folders_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHES, str(tmp_path / "named"))
    assert cache_folder(tmp_path / "one" / "kernels") != cache_folder(tmp_path / "other" / "kernels")
