"""SHA256SUMS: sha256sum agrees with it, damage is found, and a crash at any moment leaves files that are listed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead import manifest
from polyhead.errors import ModelError
from polyhead.limits import LARGEST_RECORD
from polyhead.manifest import (
    NAME,
    accept,
    check_listed,
    list_all,
    listable,
    listed_file,
    read_manifest,
    remove_listed,
    settle,
)
from polyhead.manifest import write_listed_text as write

SHA256SUM = shutil.which("sha256sum")


def sha256sum_agrees(directory: Path) -> bool:
    """Whether the command finds every listed file as it is listed."""
    done = subprocess.run(["sha256sum", "--check", "--strict", NAME], cwd=directory, capture_output=True)
    return done.returncode == 0


@pytest.mark.skipif(SHA256SUM is None, reason="there is no sha256sum")
def test_the_command_sha256sum_reads_it(tmp_path):
    write(tmp_path / "config.json", "{}")
    write(tmp_path / "README.md", "한글\n")
    write(tmp_path / "config.json", '{"a": 1}')
    assert sha256sum_agrees(tmp_path)
    remove_listed(tmp_path, ["config.json", "absent"])
    assert sha256sum_agrees(tmp_path)
    assert read_manifest(tmp_path).keys() == {"README.md"}
    (tmp_path / "README.md").write_text("other")
    assert not sha256sum_agrees(tmp_path)


@pytest.mark.skipif(SHA256SUM is None, reason="there is no sha256sum")
def test_it_reads_what_the_command_writes(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    said = subprocess.run(["sha256sum", "--binary", "config.json"], cwd=tmp_path, capture_output=True, check=True)
    (tmp_path / NAME).write_bytes(said.stdout)
    check_listed(tmp_path / "config.json")


@given(st.binary(min_size=1, max_size=200), st.data())
def test_any_change_is_found(tmp_path_factory, content, data):
    path = tmp_path_factory.mktemp("any") / "model.safetensors"
    with listed_file(path) as temporary:
        temporary.write_bytes(content)
    check_listed(path)
    place = data.draw(st.integers(0, len(content) - 1))
    bit = 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :])
    with pytest.raises(ModelError, match=r"model\.safetensors is damaged, or was changed by hand"):
        check_listed(path)


def test_a_file_that_is_not_listed_is_refused_and_one_without_a_list_is_not(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    check_listed(tmp_path / "config.json")
    accept(tmp_path)
    (tmp_path / "shared.spm").write_text("")
    with pytest.raises(ModelError, match=r"shared\.spm is not listed in SHA256SUMS"):
        check_listed(tmp_path / "shared.spm")


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"no digest\n", b"0" * 63 + b"  config.json\n", b"0" * 64 + b"  a/b\n"]
)
def test_a_damaged_list_is_named(tmp_path, content):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(ModelError, match=r"SHA256SUMS.*polyhead verify --accept"):
        check_listed(tmp_path / "config.json")


def test_an_endless_list_is_not_read(tmp_path):
    with (tmp_path / NAME).open("wb") as file:
        file.truncate(LARGEST_RECORD + 1)
    with pytest.raises(ModelError, match=r"SHA256SUMS cannot be read \(it has .* bytes"):
        read_manifest(tmp_path)


def test_a_first_list_takes_on_what_an_older_version_wrote(tmp_path):
    for name in ("config.json", "shared.spm", "update-00000008.safetensors", "000001.jsonl"):
        (tmp_path / name).write_text(name)
    others = ("metrics.jsonl", "notes.txt", ".config.json.x.unfinished", "mine.json")
    for name in others:
        (tmp_path / name).write_text(name)
    write(tmp_path / "README.md", "new")
    assert read_manifest(tmp_path).keys() == {path.name for path in tmp_path.iterdir()} - {*others, NAME}
    for path in listable(tmp_path):
        check_listed(path)


def test_a_crash_at_any_moment_leaves_a_file_that_is_listed(tmp_path, monkeypatch):
    """The process dies before its n-th renaming, for every n until it gets to its end."""
    path = tmp_path / "config.json"
    write(path, "old")
    replace, deaths = Path.replace, 0

    class DeadError(BaseException):
        """Nothing catches it."""

    for moment in range(100):
        left = moment

        def dying(self, target):
            nonlocal left
            if left == 0:
                raise DeadError
            left -= 1
            return replace(self, target)

        monkeypatch.setattr(Path, "replace", dying)
        try:
            write(path, "new")
        except DeadError:
            deaths += 1
            check_listed(path)
            assert path.read_text() in ("old", "new")
            monkeypatch.setattr(Path, "replace", replace)
            settle(tmp_path)
            check_listed(path)
            assert len(read_manifest(tmp_path)["config.json"]) == 1
            continue
        break
    assert deaths == 3
    check_listed(path)
    assert len(read_manifest(tmp_path)["config.json"]) == 1
    assert path.read_text() == "new"


def test_what_the_system_does_not_let_go_stays_and_is_listed_no_more(tmp_path, monkeypatch):
    write(tmp_path / "a.safetensors", "a")
    write(tmp_path / "b.safetensors", "b")

    def refused(self, missing_ok=False):
        raise PermissionError(13, "in use", os.fspath(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        patch.setattr(manifest, "write_text", lambda path, text: path.write_text(text))
        remove_listed(tmp_path, ["a.safetensors"])
    assert (tmp_path / "a.safetensors").exists()
    assert read_manifest(tmp_path).keys() == {"b.safetensors"}


def test_all_files_of_a_directory_are_listed_whatever_their_names(tmp_path):
    for name in ("a.int64", "b"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    (tmp_path / "below").mkdir()
    list_all(tmp_path)
    assert set(read_manifest(tmp_path)) == {"a.int64", "b"}
    check_listed(tmp_path / "b")
    (tmp_path / "b").write_text("c", encoding="utf-8")
    with pytest.raises(ModelError, match="is damaged"):
        check_listed(tmp_path / "b")
