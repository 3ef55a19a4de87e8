"""Clients of a real server that leave, and those that send too much."""

import json
import socket
import threading
import time
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from polyhead.server.batcher import Batcher
from polyhead.server.pool import open_directories
from polyhead.server.services import Services
from polyhead.server.settings import ServerConfig
from polyhead.server.telling import Telling


@pytest.fixture
def services(tagged, echo):
    """A server whose model is the echo."""
    services = Services.start(open_directories([tagged]), ServerConfig(max_body=100_000))
    services.batchers["tagged"].close()
    batcher = Batcher("tagged", echo.use, services.config, services.metrics)
    return replace(services, batchers={"tagged": batcher})


def connect(address):
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def request(path, body: bytes, kind="application/json"):
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Connection: close", f"Content-Type: {kind}"]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


def until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_work_of_a_client_that_leaves_is_dropped(listen, services, echo):
    with listen(services) as address:
        asked = json.dumps({"text": "bado", "target": "xb"}).encode()
        with connect(address) as client:
            client.sendall(request("/api/translate", asked))
            assert echo.begun.wait(20)
            assert not echo.given_up.wait(0.1)
        assert echo.given_up.wait(20)
        echo.may_go.set()


def test_a_client_that_leaves_while_it_waits_is_never_decoded(listen, services, echo):
    with listen(services) as address:
        first, second = connect(address), connect(address)
        first.sendall(request("/api/translate", b'{"text": "first", "target": "xb"}'))
        assert echo.begun.wait(20)
        second.sendall(request("/api/translate", b'{"text": "second", "target": "xb"}'))
        until(lambda: services.batchers["tagged"].waiting == 1)
        second.close()
        until(lambda: services.metrics.left._value.get() == 1)
        echo.may_go.set()
        assert b"[first]" in first.makefile("rb").read()
        first.close()
    assert echo.seen == [["first"]]


@pytest.mark.parametrize("size", [150_000, 1_000_000])
def test_who_sends_far_too_much_still_reads_why(listen, services, size):
    with listen(services) as address, connect(address) as client:
        client.sendall(request("/translate", b"q=" + b"x" * size, "application/x-www-form-urlencoded"))
        answer = client.makefile("rb").read()
    assert b"413" in answer.split(b"\r\n")[0]
    assert b"100000 bytes" in answer


def test_rubbish_is_no_reason_to_fall(listen, services):
    with listen(services) as address:
        for rubbish in (
            b"\x00" * 100,
            b"GET / HTTP/9.9\r\n\r\n",
            b"POST /translate HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        ):
            with connect(address) as client:
                client.sendall(rubbish)
                assert not client.makefile("rb").read().startswith(b"HTTP/1.1 5")
        with connect(address) as client:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert b'{"status":"ok"}' in client.makefile("rb").read()


def test_requests_are_answered_without_a_thread_for_each(listen, services, echo):
    echo.may_go.set()
    with listen(services) as address:
        before = set(threading.enumerate())
        asked = json.dumps({"text": "bado", "target": "xb"}).encode()
        for _ in range(5):
            with connect(address) as client:
                client.sendall(request("/api/translate", asked))
                assert b" 200 " in client.recv(1000)
        assert set(threading.enumerate()) <= before


def test_clients_that_leave_are_counted_whatever_they_were_at(listen, services, echo, monkeypatch):
    """In the middle of a body, of JSON and of a form, and in the middle of a stream."""

    def tell(telling, translator):
        while not echo.may_go.wait(0.01):
            telling.send("step", {})

    monkeypatch.setattr(Telling, "__call__", tell)
    left = services.metrics.left._value
    form = "application/x-www-form-urlencoded"
    with listen(services) as address:
        for number, (path, kind) in enumerate([("/api/translate", "application/json"), ("/translate", form)], 1):
            with connect(address) as client:
                client.sendall(request(path, b"x" * 1000, kind)[:-500])
                time.sleep(0.1)
            until(lambda number=number: left.get() == number)
        with connect(address) as client:
            client.sendall(request("/api/translate/stream", b'{"text": "bado", "target": "xb"}'))
            assert b"event: meta" in client.recv(10_000) + client.recv(10_000)
        until(lambda: left.get() == 3)
        echo.may_go.set()


def test_a_request_that_trickles_in_is_given_up(listen, services, echo):
    slow = replace(services, config=services.config.model_copy(update={"timeout": 0.5}))
    begun = time.monotonic()
    with listen(slow) as address, connect(address) as client:
        whole = request("/translate", b"x" * 1000, "application/x-www-form-urlencoded")
        client.sendall(whole[:-900])
        client.settimeout(0.1)
        answer = b""
        while not answer and time.monotonic() - begun < 20:
            client.sendall(b"x")
            with suppress(TimeoutError):
                answer = client.recv(1000)
    assert b" 408 " in answer.split(b"\r\n")[0]
    assert time.monotonic() - begun < 10
    echo.may_go.set()
