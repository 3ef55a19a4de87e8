"""Clients of a real server that leave, and those that send too much."""

import json
import socket
import threading
import time
from urllib.parse import urlsplit

import pytest

from polyhead.server.batcher import Batcher
from polyhead.server.pool import open_directories
from polyhead.server.services import Services
from polyhead.server.settings import ServerConfig


@pytest.fixture
def services(tagged, echo):
    """A server whose model is the echo."""
    services = Services.start(open_directories([tagged]), ServerConfig(max_body=100_000))
    services.batchers["tagged"].close()
    batcher = Batcher("tagged", echo.use, services.config, services.metrics)
    return Services(
        services.config, services.models, services.pool, {"tagged": batcher}, services.traces, services.metrics
    )


def connect(address):
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def request(path, body: bytes, kind="application/json"):
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}"
    )
    return head.encode() + b"\r\n\r\n" + body


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
            client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
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
