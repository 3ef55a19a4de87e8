"""`polyhead serve` as a process of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest


def post(address, **asked):
    body = json.dumps(asked).encode()
    request = urllib.request.Request(f"{address}/api/translate", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)


def waiting(address):
    """How many texts wait for a model."""
    with urllib.request.urlopen(f"{address}/metrics", timeout=60) as answer:
        found = re.search(r'polyhead_texts_waiting{model="tagged"} (\S+)', answer.read().decode())
    return float(found.group(1)) if found else 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_lets_the_requests_under_way_finish(tagged, number):
    command = [
        sys.executable,
        "-m",
        "polyhead",
        "serve",
        str(tagged),
        "--port",
        "0",
        "--batch-tokens",
        "400",
        "--timeout",
        "300",
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    answers = []
    text = ["Bado kilu mera noti pasu. " * 15] * 10
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline()).group()
        threads = [
            threading.Thread(target=lambda: answers.append(post(address, text=text, target="xb"))) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        while waiting(address) <= 20 and len(answers) < 1:  # more than two requests' texts: all three have come
            time.sleep(0.02)
        process.send_signal(number)
        for thread in threads:
            thread.join(300)
        assert [len(answer["translations"]) for answer in answers] == [10] * 3
        assert process.wait(100) == 0
        with pytest.raises(OSError, match="refused"):
            post(address, text="too late", target="xb")
        assert "Traceback" not in process.stderr.read()
