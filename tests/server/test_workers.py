"""`polyhead serve --workers`: several processes at one address."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from prometheus_client.mmap_dict import MmapedDict

from tests.processes import workers_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them"),
]


def post(address, path, **asked):
    request = urllib.request.Request(
        f"{address}{path}", json.dumps(asked).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)


def get(address, path):
    with urllib.request.urlopen(f"{address}{path}", timeout=300) as answer:
        return answer.read()


def translated(address):
    """How many requests for translations were answered, as any worker says."""
    found = re.findall(r'polyhead_requests_total{.*route="/api/translate".*} (\S+)', get(address, "/metrics").decode())
    return sum(map(float, found))


def shared_folder(worker: int) -> Path:
    """Where the workers keep what they have together."""
    told = dict(each.partition(b"=")[::2] for each in Path(f"/proc/{worker}/environ").read_bytes().split(b"\0"))
    return Path(os.fsdecode(told[b"PROMETHEUS_MULTIPROC_DIR"])).parent


def counted_by(worker: int) -> float:
    """How many requests for translations a worker has answered itself."""
    file = shared_folder(worker) / "metrics" / f"counter_{worker}.db"
    values = MmapedDict.read_all_values_from_file(str(file)) if file.exists() else ()
    return sum(value for key, value, *_ in values if "/api/translate" in key and "polyhead_requests" in key)


@contextmanager
def serving(model, *more) -> Iterator[tuple[subprocess.Popen, str]]:
    command = [sys.executable, "-m", "polyhead", "serve", model, "--port", "0", "--workers", "2", *more]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            said = process.stderr.readline()
            assert said.endswith("by 2 workers\n")
            address = re.search(r"http://127\.0\.0\.1:\d+", said).group()
            yield process, address
        finally:
            if process.poll() is None:
                process.kill()


def ask_many(address, number):
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(post, address, "/api/translate", text="bado kilu", target="xb") for _ in range(number)]
        answers = [each.result() for each in asked]
    assert len({json.dumps(answer["translations"]) for answer in answers}) == 1


def until(true, seconds=200.0):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_two_workers_answer_and_have_everything_together(tagged, tmp_path):
    kept = tmp_path / "suggestions.jsonl"
    with serving(tagged, "--suggestions", kept) as (process, address):
        until(lambda: len(workers_of(process.pid)) == 2)
        first, second = workers_of(process.pid)
        rounds = 0
        while not (counted_by(first) and counted_by(second)):
            ask_many(address, 40)
            rounds += 1
            assert rounds < 20
        assert translated(address) == 40 * rounds == counted_by(first) + counted_by(second)

        for number in range(20):
            post(address, "/suggest", q=f"bado {number}", s="kado", source="xa", target="xb")
        assert [json.loads(line)["q"] for line in kept.read_text().splitlines()] == [f"bado {i}" for i in range(20)]

        trace = post(address, "/api/traces", text="bado kilu", language="xb")["id"]
        assert {json.loads(get(address, f"/api/traces/{trace}"))["id"] for _ in range(20)} == {trace}

        form = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nbado\r\n'
        form += '--x\r\nContent-Disposition: form-data; name="target"\r\n\r\nxb\r\n--x--\r\n'
        request = urllib.request.Request(
            f"{address}/translate_file", form.encode(), {"Content-Type": "multipart/form-data; boundary=x"}
        )
        with urllib.request.urlopen(request, timeout=300) as answer:
            file = json.load(answer)["translatedFileUrl"].removeprefix(address)
        assert len({get(address, file) for _ in range(20)}) == 1

        for _ in range(5):
            post(address, "/v2/translate", text=["bado"], target_lang="xb", source_lang="xa")
        assert {json.loads(get(address, "/v2/usage"))["character_count"] for _ in range(20)} == {20}

        packed = [path.name for path in (shared_folder(first) / "packed").iterdir() if not path.suffix]
        assert len(packed) == 1
        for worker in (first, second):
            assert own_pages(worker, packed[0]) == 0

        folder = shared_folder(first)
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
        assert not workers_of(process.pid)
        assert not folder.exists()
        assert "Traceback" not in process.stderr.read()


def own_pages(worker: int, name: str) -> int:
    """KiB that a process has of a mapped file for itself. Fails where it hasn't mapped it."""
    listed = Path(f"/proc/{worker}/smaps").read_text()
    parts = [part for part in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", listed) if name in part.partition("\n")[0]]
    assert parts
    return sum(int(found) for part in parts for found in re.findall(r"Anonymous: +(\d+) kB", part))


def test_a_worker_that_is_killed_is_replaced_and_its_counts_stay(tagged):
    with serving(tagged) as (process, address):
        until(lambda: len(workers_of(process.pid)) == 2)
        ask_many(address, 40)
        killed = workers_of(process.pid)[0]
        before = translated(address)
        os.kill(killed, signal.SIGKILL)
        until(lambda: len(workers_of(process.pid)) == 2 and killed not in workers_of(process.pid))
        ask_many(address, 40)
        assert translated(address) == before + 40
        process.send_signal(signal.SIGHUP)
        assert process.wait(120) == 0


def test_workers_end_with_a_server_that_is_killed(tagged):
    with serving(tagged) as (process, address):
        until(lambda: len(workers_of(process.pid)) == 2)
        ask_many(address, 4)
        workers = workers_of(process.pid)
        process.kill()
        process.wait()
        until(lambda: not any(Path(f"/proc/{worker}/cmdline").exists() and _runs(worker) for worker in workers))


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_cannot_be_served_is_said_before_there_are_workers(tmp_path, tagged):
    command = [sys.executable, "-m", "polyhead", "serve", "--workers", "2", "--port", "0"]
    for more, said in (
        ([tmp_path / "none"], "is not a (finished) model directory"),
        ([tagged, "--suggestions", tmp_path / "none" / "file"], "suggestions cannot be kept there"),
    ):
        done = subprocess.run([*command, *more], capture_output=True, text=True, timeout=120)
        assert done.returncode == 1
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1


DYING = """
import os, sys
from polyhead.cli import main
if __name__ == "__main__":
    sys.exit(main())
os._exit(7)
"""


def test_workers_that_die_at_once_are_not_replaced_for_ever(tagged, tmp_path):
    script = tmp_path / "dying.py"
    script.write_text(DYING)
    command = [sys.executable, script, "serve", tagged, "--workers", "2", "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 1
    assert "has died and is replaced" in done.stderr
    assert done.stderr.endswith("polyhead: the workers can't begin, or die soon after; what they said is above\n")
