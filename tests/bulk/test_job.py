"""Jobs: what is done, what isn't done twice, what is refused."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polyhead.bulk import workers
from polyhead.bulk.plan import SHARDS
from polyhead.bulk.record import NAME, heading_of
from polyhead.bulk.work import work
from polyhead.bulk.workers import in_processes
from polyhead.errors import PolyheadError


def test_files_are_joined_in_order_and_shards_are_gone(doing, here):
    doing.write("a.txt", "one\r\ntwo\nthree\nfour\nfive")
    doing.write("sub/b.txt", "six\n")
    doing.write("empty.txt", "")
    done = doing.run(here(doing.echo()))
    assert (done.files, done.lines, done.failures) == (3, 6, {})
    assert doing.read("a.txt") == "ONE\r\nTWO\nTHREE\nFOUR\nFIVE"
    assert doing.read("sub/b.txt") == "SIX\n"
    assert doing.read("empty.txt") == ""
    assert sorted(path.name for path in doing.out.iterdir()) == ["a.txt", "empty.txt", NAME, "sub"]


def test_the_manifest_says_what_was_done(doing, here):
    doing.write("a.txt", "one\ntwo\nthree\n")
    doing.run(here(doing.echo()), beam=4)
    heading, planned, done = map(json.loads, (doing.out / NAME).read_text().splitlines())
    assert (heading["model"], heading["settings"]) == ("a", {"beam": 4})
    assert (planned["file"], planned["lines"], planned["cuts"]) == ("a.txt", 3, [[0, 0], [8, 2]])
    assert (done["what"], done["file"], done["bytes"]) == ("done", "a.txt", 14)


def only_some(translator, most: int, seen: list):
    """What translates so many shards, and is interrupted then."""

    def run(shards):
        for number, shard in enumerate(shards):
            if number == most:
                raise KeyboardInterrupt
            seen.append((shard.file, shard.number))
            yield work(translator, shard)

    return run


def test_a_run_that_was_interrupted_is_finished_by_the_next_one(doing):
    doing.write("a.txt", "".join(f"line {i}\n" for i in range(9)))
    doing.write("b.txt", "".join(f"other {i}\n" for i in range(4)))
    first, second, third = [], [], []
    with pytest.raises(KeyboardInterrupt):
        doing.run(only_some(doing.echo(), 3, first))
    with pytest.raises(KeyboardInterrupt):
        doing.run(only_some(doing.echo(), 3, second))
    doing.run(only_some(doing.echo(), 99, third))
    assert sorted(first + second + third) == [("a.txt", i) for i in range(5)] + [("b.txt", i) for i in range(2)]
    assert doing.read("a.txt") == "".join(f"LINE {i}\n" for i in range(9))
    again = []
    doing.run(only_some(doing.echo(), 0, again))
    assert again == []


def test_the_manifest_counts_the_problems_of_earlier_runs_too(doing):
    doing.write("a.txt", "".join(f"line {'doubt ' * i}\n" for i in range(9)))
    with pytest.raises(KeyboardInterrupt):
        doing.run(only_some(doing.echo(), 3, []))
    doing.run(only_some(doing.echo(), 99, []))
    done = json.loads((doing.out / NAME).read_text().splitlines()[-1])
    assert (done["what"], done["problems"]) == ("done", sum(range(9)))


def test_what_is_finished_is_not_done_again_and_what_changed_is(doing, here):
    doing.write("a.txt", "one\n")
    doing.write("b.txt", "two\n")
    doing.run(here(doing.echo()))
    (doing.out / "a.txt").write_text("mine\n")
    doing.write("b.txt", "two and more\n")
    doing.write("c.txt", "three\n")
    done = doing.run(here(doing.echo()))
    assert [doing.read(name) for name in ("a.txt", "b.txt", "c.txt")] == ["mine\n", "TWO AND MORE\n", "THREE\n"]
    assert done.files == 3
    assert doing.said == [f"{doing.texts / 'b.txt'} has changed: it is translated again"]


def test_a_file_that_was_only_touched_is_not_translated_again(doing, here):
    path = doing.write("a.txt", "one\n")
    doing.run(here(doing.echo()))
    os.utime(path, (1, 1))
    doing.run(here(doing.echo(keep=("one",))))
    assert doing.said == []
    os.utime(path, (2, 2))
    (doing.out / "a.txt").unlink()
    doing.run(here(doing.echo()))
    assert doing.said == [f"{doing.out / 'a.txt'} is missing: it is made again"]
    assert doing.read("a.txt") == "ONE\n"


def test_another_model_or_other_settings_are_refused_and_nothing_is_touched(doing, here):
    doing.write("a.txt", "one\n")
    doing.run(here(doing.echo()), beam=4)
    before = (doing.out / NAME).read_bytes()
    with pytest.raises(PolyheadError, match="translations by another model"):
        doing.run(here(doing.echo()), beam=4, model="b")
    with pytest.raises(PolyheadError, match=r"other settings \(beam\)"):
        doing.run(here(doing.echo()), beam=5)
    assert (doing.out / NAME).read_bytes() == before


def test_what_is_in_the_way_is_never_overwritten(doing, here):
    doing.write("a.txt", "one\n")
    doing.out.mkdir()
    (doing.out / "a.txt").write_text("precious")
    with pytest.raises(PolyheadError, match="is in the way"):
        doing.run(here(doing.echo()))
    assert doing.read("a.txt") == "precious"
    assert not (doing.out / NAME).exists()


def test_an_older_translation_stays_the_jobs_own_though_its_file_is_not_asked_for(doing, here):
    path, other = doing.write("a.txt", "one\n"), doing.write("b.txt", "two\n")
    doing.run(here(doing.echo()))
    doing.write("a.txt", "be wrong\n")
    assert list(doing.run(here(doing.echo())).failures) == ["a.txt"]
    path.rename(doing.folder / "a.txt")
    doing.run(here(doing.echo()))
    assert doing.read("a.txt") == "ONE\n"
    (doing.folder / "a.txt").rename(path)
    other.unlink()
    doing.write("a.txt", "three\n")
    doing.run(here(doing.echo()))
    assert doing.read("a.txt") == "THREE\n"


@pytest.mark.parametrize("year", [1677, 2263, 9999])
def test_a_file_of_any_date(doing, here, year):
    seconds = (year - 1970) * 31_556_952
    path = doing.write("a.txt", "one\n")
    try:
        os.utime(path, (seconds, seconds))
    except (OSError, OverflowError):
        pytest.skip("a disk that knows no such dates")
    for _ in range(2):
        assert doing.run(here(doing.echo())).failures == {}
    assert doing.said == []


@pytest.mark.parametrize("setting", ["column", "into", "keep"])
def test_a_setting_that_is_no_utf8_is_told(doing, setting):
    value = "a\udcff"
    with pytest.raises(PolyheadError, match=f"{setting} is .*, which is not UTF-8, as the manifest is"):
        heading_of(doing.echo(**{setting: (value,) if setting == "keep" else value}))


def test_a_worker_that_is_gone_already_hinders_no_end(doing, monkeypatch):
    def gone(*_):
        raise OSError(errno.EINVAL, "The parameter is incorrect")

    worker = workers._Worker(doing.echo())
    worker._process = 1 << 30
    monkeypatch.setattr(os, "kill", gone)
    worker.end()


def test_a_bad_file_hinders_no_other_one(doing, here):
    doing.write("a.txt", "one\nbe wrong\nthree\nfour\nfive\n")
    doing.write("b.txt", b"one\ntwo\nth\xffree\n")
    doing.write("c.bin", b"\x1f\x8b\x08 compressed")
    doing.write("d.txt", "four\n")
    doing.write(NAME, "{}")
    done = doing.run(here(doing.echo()))
    assert sorted(done.failures) == ["a.txt", "b.txt", "c.bin", NAME]
    assert "ValueError: wrong" in done.failures["a.txt"]
    assert "b.txt:3: invalid UTF-8: byte 3" in done.failures["b.txt"]
    assert "compressed with gzip" in done.failures["c.bin"]
    assert "as the manifest is" in done.failures[NAME]
    assert doing.read("d.txt") == "FOUR\n"
    assert not (doing.out / "a.txt").exists()
    doing.write("a.txt", "one\n")
    assert sorted(doing.run(here(doing.echo())).failures) == ["b.txt", "c.bin", NAME]
    assert doing.read("a.txt") == "ONE\n"


def test_a_lost_model_ends_the_job(doing, here):
    doing.write("a.txt", "lose the model\n")
    with pytest.raises(PolyheadError, match="the model is lost"):
        doing.run(here(doing.echo()))


def test_a_file_that_changes_under_way_has_failed(doing):
    path = doing.write("a.txt", "one\ntwo\nthree\nfour\n")

    def run(shards):
        for shard in shards:
            yield work(doing.echo(), shard)
            path.write_text("five\nsix\nseven\neight\n")

    assert "changed while it was translated" in doing.run(run).failures["a.txt"]
    assert not (doing.out / "a.txt").exists()


def test_a_last_line_of_the_manifest_that_a_crash_cut_off_is_passed_over(doing, here):
    doing.write("a.txt", "one\n")
    doing.run(here(doing.echo()))
    manifest = doing.out / NAME
    manifest.write_bytes(manifest.read_bytes()[:-20])
    doing.run(here(doing.echo()))
    assert '"done"' in manifest.read_text().splitlines()[-1]
    manifest.write_text("rubbish\n")
    with pytest.raises(PolyheadError, match=r"manifest\.jsonl:1: this is no line of a manifest"):
        doing.run(here(doing.echo()))


def test_workers_that_are_killed_lose_no_line(doing):
    lines = [f"line {i}" for i in range(40)]
    lines[7], lines[29] = "die once a", "die once b"
    doing.write("a.txt", "".join(f"{line}\n" for line in lines))
    assert doing.run().failures == {}
    assert doing.read("a.txt") == "".join(f"{line.upper()}\n" for line in lines)
    assert doing.processes == 3


def test_a_shard_that_kills_every_worker_is_given_up(doing):
    doing.write("a.txt", "one\ntwo\nthree\ndie always\nfive\n")
    doing.write("b.txt", "six\n")
    failures = doing.run().failures
    assert list(failures) == ["a.txt"]
    assert "a.txt, from line 3 on: 3 workers died while they translated it" in failures["a.txt"]
    assert doing.read("b.txt") == "SIX\n"


JOB = """
import sys
from contextlib import nullcontext
from pathlib import Path
from tests.bulk.conftest import Doing
from polyhead.bulk.workers import in_processes
if __name__ == "__main__":
    doing = Doing(Path(sys.argv[1]))
    print("ready", flush=True)
    doing.run(in_processes(doing.echo(seconds=0.1), 2))
"""


def alive(process: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has waited for doesn't."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_a_job_that_is_killed_leaves_no_worker_and_is_finished_by_the_next_one(doing):
    doing.write("a.txt", "".join(f"line {i}\n" for i in range(60)))
    script = doing.folder / "job.py"
    script.write_text(JOB)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, script, doing.folder], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout.readline()
        shards = doing.out / SHARDS
        deadline = time.monotonic() + 60
        while len(list(shards.glob("*/0*"))) < 4 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    workers = [int(path.name.split()[1]) for path in doing.folder.glob("process *")]
    assert workers
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(alive, workers))
    assert 4 <= len(list(shards.glob("*/0*"))) < 30
    assert not (doing.out / "a.txt").exists()
    doing.run()
    assert doing.read("a.txt") == "".join(f"LINE {i}\n" for i in range(60))


def test_ending_a_job_ends_its_workers_at_once(doing):
    doing.write("a.txt", "one\ntwo\nthree\ntake long\n")
    begun = []

    def ended(shards):
        outcomes = in_processes(doing.echo(), 1)(shards)
        yield next(outcomes)
        begun.append(time.monotonic())
        outcomes.close()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        doing.run(ended)
    assert time.monotonic() - begun[0] < 40
    (worker,) = (int(path.name.split()[1]) for path in doing.folder.glob("process *"))
    assert not alive(worker)
