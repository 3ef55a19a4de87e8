"""The address is taken at once, and who connects is refused until there can be answers."""

import logging
import socket
from contextlib import closing

import pytest
import uvicorn

from polyhead.errors import PolyheadError
from polyhead.server import run as module
from polyhead.server.beginning import begin, bound, show_pauses
from polyhead.server.pool import ModelPool
from polyhead.server.settings import ServerConfig


def connect(port):
    with socket.create_connection(("127.0.0.1", port), 10):
        return "accepted"


def test_until_it_begins_connections_are_refused(capsys):
    with closing(bound("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(ConnectionRefusedError):
            connect(port)
        begin(listener, "serving")
        assert connect(port) == "accepted"
    assert capsys.readouterr().err == "serving\n"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_address_that_another_has_is_named(host):
    try:
        first = bound(host, 0)
    except PolyheadError:
        pytest.skip("no such addresses here")
    with closing(first):
        begin(first, "")
        port = first.getsockname()[1]
        with pytest.raises(PolyheadError, match=rf"cannot listen at {host}, port {port}: .*; choose others: --host"):
            bound(host, port)


def test_of_two_servers_that_begin_together_one_says_that_it_cannot():
    with closing(bound("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        try:
            second = bound("127.0.0.1", port)
        except PolyheadError:
            return  # as some systems have it
        with closing(second):
            begin(first, "")
            with pytest.raises(PolyheadError, match=f"cannot listen at 127.0.0.1, port {port}"):
                begin(second, "")


def test_a_server_is_not_reached_before_its_kernels_are_there(tagged, monkeypatch, capsys):
    seen = []

    class Server:
        def __init__(self, config):
            pass

        def run(self, sockets):
            seen.append(connect(sockets[0].getsockname()[1]))

    get_ready, sockets = ModelPool.get_ready, []

    def watched(pool, model):
        with pytest.raises(ConnectionRefusedError):
            connect(sockets[0].getsockname()[1])
        assert "serving" not in capsys.readouterr().err
        get_ready(pool, model)
        seen.append(pool.loaded)

    def kept(host, port):
        sockets.append(bound(host, port))
        return sockets[0]

    monkeypatch.setattr(module, "bound", kept)
    monkeypatch.setattr(ModelPool, "get_ready", watched)
    monkeypatch.setattr(uvicorn, "Server", Server)
    monkeypatch.setattr(module, "_let_finish", lambda: None)
    module.run([tagged], ServerConfig(), "127.0.0.1", 0)
    assert seen == [["tagged"], "accepted"]
    assert "serving tagged at http://127.0.0.1:" in capsys.readouterr().err


def test_pauses_are_said_where_no_terminal_is(monkeypatch, capsys):
    logger = logging.getLogger("polyhead")
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "level", logger.level)
    show_pauses()
    show_pauses()
    logging.getLogger("polyhead.kernels.compiler").info("compiling")
    assert capsys.readouterr().err == "polyhead: compiling\n"
    logger.setLevel(logging.NOTSET)
