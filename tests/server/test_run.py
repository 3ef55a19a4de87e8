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
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


@pytest.mark.slow
def test_sigterm_lets_the_requests_under_way_finish(tagged):
    command = [sys.executable, "-m", "polyhead", "serve", str(tagged), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    line = process.stderr.readline()
    address = re.search(r"http://127\.0\.0\.1:\d+", line).group()
    text = ["Bado kilu mera noti pasu. " * 60] * 40
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(post(address, text=text, target="xb"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    with pytest.raises(OSError, match="refused"):
        post(address, text="too late", target="xb")
    for thread in threads:
        thread.join(120)
    assert [len(answer["translations"]) for answer in answers] == [40] * 4
    assert process.wait(60) == 0
    assert "Traceback" not in process.stderr.read()
