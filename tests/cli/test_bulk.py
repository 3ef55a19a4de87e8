"""`polyhead translate` into a directory."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from polyhead.translating.translator import Translator
from tests.processes import workers_of


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("bado kilu\n\nmera noti\nrovi")
    (folder / "sub" / "page.html").write_text("<p>bado <b>kilu</b></p>\n")
    return folder


def test_a_directory_is_translated_file_by_file(polyhead, toy_model, texts, tmp_path):
    out = tmp_path / "out"
    answer = polyhead("translate", toy_model, texts, "--out", out, "--workers", 1, "--shard-lines", 3)
    assert (answer.status, answer.out) == (0, "")
    lines = ["bado kilu", "", "mera noti", "rovi"]
    assert (out / "a.txt").read_text() == "\n".join(each.text for each in Translator.load(toy_model).translate(lines))
    assert (out / "sub" / "page.html").read_text().startswith("<p>")
    assert answer.err.splitlines()[1:] == [
        "polyhead: 2 files, 1 worker",
        f"polyhead: {out}: 2 files, 5 lines translated",
    ]
    before = (out / "a.txt").stat().st_mtime_ns
    assert polyhead("translate", toy_model, texts, "--out", out, "--workers", 1).status == 0
    assert (out / "a.txt").stat().st_mtime_ns == before
    answer = polyhead("translate", toy_model, texts, "--out", out, "--workers", 1, "--beam", 3)
    assert answer.status == 1
    assert "has translations with other settings (beam_size); give the same ones" in answer.err


def test_a_bad_file_is_named_at_the_end(polyhead, toy_model, texts, tmp_path):
    (texts / "b.pdf").write_bytes(b"%PDF-1.4 \xff")
    answer = polyhead("translate", toy_model, texts / "*", texts / "a.txt", "--out", tmp_path / "out", "--workers", 1)
    assert answer.status == 1
    assert answer.err.splitlines()[-3].endswith("1 file, 4 lines translated")
    assert "b.pdf: it is a PDF document" in answer.err.splitlines()[-2]
    assert answer.err.endswith("polyhead: 1 file of 2 could not be translated\n")


def test_what_cannot_be_is_said_before_anything_is_written(polyhead, toy_model, tagged_model, texts, tmp_path):
    out, file = tmp_path / "out", tmp_path / "file"
    file.write_text("mine")
    refused = [
        ((toy_model, texts), "name the directory that the translations are written to with --out"),
        ((toy_model, texts / "a.txt", texts / "a.txt"), "with --out"),
        ((toy_model, "--workers", 2), "with --out"),
        ((toy_model, "--out", out, "--workers", 2), "--out translates files: name them before it"),
        ((toy_model, texts, "--out", file), "is a file; name a directory"),
        ((toy_model, texts, "--out", texts), "is the directory that is to be translated"),
        ((toy_model, texts, "--out", out, "--align"), "--out writes a file in its own form"),
        ((toy_model, texts / "*.po", "--out", out), "no file matches this pattern"),
        ((toy_model, texts, "--out", out, "--keep", "("), "is no regular expression"),
        ((toy_model, texts, "--out", out, "--min-length", 9, "--max-length", 8), "no output can have both"),
        ((tagged_model, texts, "--out", out, "--to", "xd"), "does not translate to 'xd'"),
        ((tmp_path / "none", texts, "--out", out), "is not a (finished) model directory"),
    ]
    for words, said in refused:
        answer = polyhead("translate", *words)
        assert answer.status in (1, 2)
        assert said in answer.err
    assert file.read_text() == "mine"
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_many_lines_while_workers_and_the_whole_job_are_killed(toy_model, toy, tmp_path):
    texts, out = tmp_path / "texts", tmp_path / "out"
    texts.mkdir()
    lines = [line for line in toy.source(4000, seed=5) if len(line.split()) < 5]
    (texts / "a.txt").write_text("".join(f"{line}\n" for line in lines))
    command = [sys.executable, "-m", "polyhead", "translate", toy_model, texts, "--out", out, "--workers", "2"]
    command += ["--shard-lines", "50", "--beam", "1"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}

    def shards() -> int:
        return len(list((out / ".shards").glob("*/0*")))

    killed = []
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        for more in (3, 6, 9):
            aim = time.monotonic() + 200
            while shards() < more and time.monotonic() < aim:
                time.sleep(0.01)
            assert shards() >= more
            if more < 9:
                worker = workers_of(process.pid)[0]
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)
        process.kill()
    assert len(set(killed)) == 2
    assert not (out / "a.txt").exists()
    subprocess.run(command, env=environment, check=True, timeout=500)
    expected = Translator.load(toy_model).translate(lines, beam_size=1)
    assert (out / "a.txt").read_text() == "".join(f"{each.text}\n" for each in expected)
    done = [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()]
    assert [each["what"] for each in done] == ["job", "planned", "done"]
