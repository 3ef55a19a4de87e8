"""Two hundred clients at once, of all sorts, against a server in a process of its own.

A few seconds with a toy model as a test. To measure, name a model, a file of sentences and a time:

    export POLYHEAD_LOAD_MODEL=runs/demo POLYHEAD_LOAD_TEXT=sentences.en POLYHEAD_LOAD_SECONDS=60
    pytest -m slow -s tests/server/test_load.py
"""

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx2 as httpx
import pytest
import torch

from polyhead.translating.translator import Translator

CLIENTS = 200
SECONDS = float(os.environ.get("POLYHEAD_LOAD_SECONDS", "6"))
PATH, JSON = "/api/translate", {"Content-Type": "application/json"}
WORDS = ["bado", "kilu", "mera", "noti", "pasu", "rovi", "sela", "tugo", "vani", "zeko"]
RUBBISH = [
    b"\xff\xfe",
    b"[" * 5000,
    b'{"text": 7}',
    b'{"text": "a", "target": "nowhere"}',
    b'{"text": "a", "beam_size": -1}',
    b'{"text": "' + b"x" * 20_000 + b'"}',
]


@dataclass
class Tally:
    """What the clients saw."""

    right: Counter = field(default_factory=Counter)
    wrong: list = field(default_factory=list)
    statuses: Counter = field(default_factory=Counter)
    left: int = 0

    def take(self, asked: list[str], given: list[str], texts: dict[str, str]) -> None:
        """Compares an answer with what the translator says by itself."""
        wrong = [(text, found) for text, found in zip(asked, given, strict=True) if texts[text] != found]
        self.right["texts"] += len(asked) - len(wrong)
        self.wrong += wrong


@pytest.fixture(scope="module")
def model(tagged):
    """The model under load and its target language."""
    directory = Path(os.environ.get("POLYHEAD_LOAD_MODEL", tagged))
    return directory, Translator.load(directory).config.target_languages[0]


@pytest.fixture(scope="module")
def expected(model):
    """Sentences of mixed lengths with their translations; texts a second, and CPU seconds a text, of the translator."""
    directory, language = model
    if file := os.environ.get("POLYHEAD_LOAD_TEXT"):
        texts = list(dict.fromkeys(Path(file).read_text(encoding="utf-8").splitlines()))[:2000]
    else:
        draw = random.Random(1)
        texts = [" ".join(draw.choice(WORDS) for _ in range(draw.choice((1, 3, 5, 30)))) for _ in range(200)]
    translator = Translator.load(directory)
    translator.translate(texts[:20], target_language=language)
    begun = time.perf_counter(), time.process_time()
    found = translator.translate(texts, target_language=language)
    rate = len(texts) / (time.perf_counter() - begun[0])
    cost = (time.process_time() - begun[1]) / len(texts)
    return {text: each.text for text, each in zip(texts, found, strict=True)}, rate, cost


@pytest.fixture
def server(model):
    """(address, process) of the server."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(torch.get_num_threads())}
    command = [sys.executable, "-m", "polyhead", "serve", str(model[0]), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline()).group()
        yield address, process
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert "Traceback" not in process.stderr.read()


async def one_client(number: int, http, texts: dict, language: str, until: float, tally: Tally) -> None:
    """Asks again and again; now and then it leaves early or sends rubbish."""
    draw = random.Random(number)
    known = list(texts)
    while time.perf_counter() < until:
        kind = draw.random()
        asked = draw.choices(known, k=draw.choice((1, 1, 2, 8)))
        wish = {"text": asked, "target": language}
        if kind < 0.05:
            answer = await http.post(PATH, content=draw.choice(RUBBISH), headers=JSON)
            tally.statuses[answer.status_code] += 1
        elif kind < 0.1:
            try:
                await http.post(PATH, json=wish, timeout=draw.uniform(0.01, 0.3))
            except httpx.TimeoutException:
                tally.left += 1
        else:
            answer = await http.post(PATH, json=wish)
            tally.statuses[answer.status_code] += 1
            if answer.status_code == 429:
                await asyncio.sleep(float(answer.headers["Retry-After"]))
            elif answer.status_code == 200:
                tally.take(asked, [each["text"] for each in answer.json()["translations"]], texts)


def memory_of(process) -> float:
    """MiB in memory."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024


def seconds_of(process) -> float:
    """CPU time so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_two_hundred_clients(server, expected, model):
    (address, process), (texts, alone, cost) = server, expected
    tally, memory = Tally(), []

    async def load() -> None:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as http:
            until = time.perf_counter() + SECONDS
            clients = [one_client(number, http, texts, model[1], until, tally) for number in range(CLIENTS)]
            work = asyncio.gather(*clients)
            while not work.done():
                memory.append(memory_of(process))
                await asyncio.sleep(min(10, SECONDS / 12))
            await work

    httpx.post(address + PATH, json={"text": list(texts)[:50], "target": model[1]}, timeout=120)  # loads the model
    begun, used = time.perf_counter(), seconds_of(process)
    asyncio.run(load())
    seconds, used = time.perf_counter() - begun, seconds_of(process) - used
    served = tally.right["texts"] / seconds
    print(f"\n{served:.0f} texts/s served, {alone:.0f} texts/s by the translator alone: {served / alone:.0%}")
    each = used / tally.right["texts"]
    print(f"CPU a text: {1e3 * each:.2f} ms in the server, {1e3 * cost:.2f} ms in the translator: {cost / each:.0%}")
    print(f"statuses {dict(tally.statuses)}, {tally.left} left, memory {' '.join(f'{one:.0f}' for one in memory)} MiB")
    assert not tally.wrong
    assert tally.right["texts"] > 0
    assert tally.left > 0
    assert not [status for status in tally.statuses if status >= 500]
    assert set(tally.statuses) <= {200, 400, 429}
    if SECONDS >= 30:  # before, buffers and kernels of the first batches are still being made
        assert memory[-1] < 1.1 * memory[len(memory) // 2]
