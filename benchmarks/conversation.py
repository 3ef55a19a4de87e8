"""The runner's side of the conversation with a driver: a process that answers one JSON object a line."""

import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

Answer = dict[str, Any]
DRIVERS = Path(__file__).parent / "drivers"


class DriverError(Exception):
    """A system could not do what it was asked; the message is its own."""


class Driver:
    """A running driver. Its answers come one by one; what it prints goes to its log."""

    def __init__(self, python: Path, script: str, log: Path, threads: int, environment: Mapping[str, str]) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self.log = log
        self.started = time.perf_counter()
        self.peak_mib = 0.0
        self._too_long: float | None = None
        with log.open("w", encoding="utf-8") as errors:
            self._process = subprocess.Popen(
                [python, "-u", DRIVERS / script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
                env=os.environ | thread_variables(threads) | OFFLINE | dict(environment),
            )

    def ask(self, do: str, seconds: float = 3600.0, **request: Any) -> Answer:
        """Sends a request, waits for its answer. Raises DriverError where the driver fails, dies or takes too long."""
        pipe = self._process.stdin
        if pipe is None or self._process.poll() is not None:
            raise DriverError(f"the driver has ended{self._why()}")
        watch = threading.Timer(seconds, self._stop, [seconds])
        watch.start()
        try:
            pipe.write(json.dumps({"do": do, **request}) + "\n")
            pipe.flush()
            line = self._process.stdout.readline() if self._process.stdout else ""
        except BrokenPipeError:
            line = ""
        finally:
            watch.cancel()
        if not line:
            raise DriverError(f"the driver ended before it answered ({do}){self._why()}")
        answer = cast("Answer", json.loads(line))
        self.peak_mib = max(self.peak_mib, float(answer.pop("peak_mib", 0.0)))
        if "error" in answer:
            raise DriverError(str(answer["error"]))
        return answer

    def _stop(self, seconds: float) -> None:
        """Of what takes too long."""
        self._too_long = seconds
        self._process.kill()

    def _why(self) -> str:
        """What is known of a driver's end."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)  # its pipe closes before it has ended
        signal = -(self._process.returncode or 0)
        why = f", killed by signal {signal}, perhaps for want of memory" if signal > 0 else ""
        if self._too_long is not None:
            why = f", as it took longer than {self._too_long:g} seconds"
        return f"{why}; see {Path(*self.log.parts[-2:])}"

    def age(self) -> float:
        """Seconds since its process was started."""
        return time.perf_counter() - self.started

    def close(self) -> None:
        """Ends the process."""
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):  # what a driver that is dead didn't read
                self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


def thread_variables(threads: int) -> dict[str, str]:
    """What the libraries underneath read when they are loaded."""
    return {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
