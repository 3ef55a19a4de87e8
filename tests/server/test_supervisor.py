"""What happens to workers whose server can't go on."""

import signal

import pytest
from uvicorn.supervisors.multiprocess import SIGNALS

from polyhead.errors import PolyheadError
from polyhead.server.beginning import bound
from polyhead.server.settings import ServerConfig
from polyhead.server.workers import Supervisor, run_workers


@pytest.fixture
def signals_stay():
    """Puts the handlers of signals back."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals_stay")
def test_workers_end_where_another_server_has_taken_the_address(monkeypatch):
    ended = []
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")  # which `run_workers` sets
    monkeypatch.setattr(Supervisor, "init_processes", lambda self: self._ready.touch())
    monkeypatch.setattr(Supervisor, "terminate_all", lambda self: ended.append(self))
    with bound("127.0.0.1", 0) as listener, bound("127.0.0.1", listener.getsockname()[1]) as other:
        other.listen()
        with pytest.raises(PolyheadError, match="cannot listen at 127.0.0.1"):
            run_workers(2, [], ServerConfig(), listener, {"log_config": None}, "serving")
    assert len(ended) == 1
