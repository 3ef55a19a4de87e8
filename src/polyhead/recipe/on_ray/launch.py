"""What `polyhead train --ray` does: has a Ray cluster train, says what the workers say, and ends them when asked to."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from polyhead.bulk.cluster import connect, ray_for
from polyhead.cores import cores
from polyhead.errors import PolyheadError, TrainingError, counted, shortened
from polyhead.recipe.load import Values
from polyhead.recipe.on_ray.board import Board, News
from polyhead.recipe.on_ray.config import RayConfig
from polyhead.recipe.on_ray.shares import Shares, divide, machines_of
from polyhead.recipe.on_ray.worker import Job, work
from polyhead.recipe.signals import stop_on_signals
from polyhead.recipe.train import check_directory, directory_of
from polyhead.training.interrupt import Interrupt
from polyhead.training.log import say
from polyhead.training.process_group import PATIENCE

GO_ON = "go on with --resume from the last checkpoint"
LOOK = 0.2
"""Seconds after which the board is looked at again."""
SLOW = 60.0
"""Seconds after which it is said that the cluster has no room yet."""
ATTEMPTS = 10
"""How often Ray Train asks a busy cluster for room, each time for a minute."""
GRACE = 10.0
"""Seconds that the workers of a refused run have to end by themselves."""
COPIES = 2
"""How many copies of the model directory Ray keeps."""


def train_on_ray(values: Values, config: RayConfig, *, resume: bool = False) -> bool:
    """Trains what a recipe's tables describe → whether that came to its end; False where a signal ended it early.

    Raises what `recipe.train.train` raises, wherever it came up; PolyheadError also for a cluster that is too small,
    busy or lost, and TrainingError where workers were lost more often than they may be; MissingExtra without Ray.
    """
    out = directory_of(values).absolute()
    if not resume:
        check_directory(out, resume)  # the sooner said: the workers take some time to start
    ray = ray_for("train --ray", "ray.train.torch")
    with _connected(ray, (config.workers or 1) * (config.cpus or 1)), ExitStack() as stack:
        shares = divide(machines_of(ray.nodes()), config)
        say(f"Ray: {shares}")
        own = stack.enter_context(TemporaryDirectory(prefix="polyhead-ray-", ignore_cleanup_errors=True))
        board = _post(ray)
        job = Job(values, resume, str(Path.cwd()), out, shares.cpus, config.storage is not None, config.restarts, board)
        fit = _Fit(_trainer(ray, job, shares, config, own).fit)
        try:
            fit.start()
            news = _watch(ray, board, fit)
        except ray.exceptions.RayError as error:
            raise TrainingError(f"the Ray cluster is gone ({_reason(error)}); {GO_ON}") from error
    if news.refusal is not None:
        raise news.refusal
    if fit.error is not None or news.finished is None:
        raise _explained(ray, fit.error, shares, config)
    return news.finished


@contextmanager
def _connected(ray: Any, cpus: int) -> Generator[None]:
    """Within the block this process is connected with a Ray cluster; a connection made here is closed at the end."""
    connected_here = connect(ray, max(cores(), cpus))
    try:
        yield
    finally:
        if connected_here:
            ray.shutdown()


def _post(ray: Any) -> Any:
    """A board on this machine, so that it is there as long as the command is."""
    strategies: Any = ray.util.scheduling_strategies
    here = strategies.NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return ray.remote(num_cpus=0, scheduling_strategy=here)(Board).remote()


def _trainer(ray: Any, job: Job, shares: Shares, config: RayConfig, own: str) -> Any:
    """Ray Train's trainer of a job. Raises PolyheadError where the storage cannot be used.

    own: a directory of this machine for Ray's records of a run that has no storage
    """
    train: Any = ray.train
    storage = own if config.storage is None else _absolute(config.storage)
    run = train.RunConfig(
        name=f"{job.out.name}-{datetime.now():%Y%m%d-%H%M%S-%f}",
        storage_path=storage,
        failure_config=train.FailureConfig(max_failures=config.restarts, controller_failure_limit=ATTEMPTS - 1),
        checkpoint_config=train.CheckpointConfig(num_to_keep=COPIES),
        worker_runtime_env={} if shares.gpus else {"env_vars": {"CUDA_VISIBLE_DEVICES": ""}},
    )
    try:
        run.storage_context  # noqa: B018  Ray looks here whether it can write there
    except Exception as error:  # of whatever kind: the libraries of file systems have their own
        raise PolyheadError(f"--ray-storage {storage} cannot be written to: {_reason(error)}") from error
    return train.torch.TorchTrainer(
        work,
        train_loop_config={"job": job},
        torch_config=train.torch.TorchConfig(backend="gloo", timeout_s=int(PATIENCE.total_seconds())),
        scaling_config=train.ScalingConfig(
            num_workers=shares.workers,
            use_gpu=shares.gpus > 0,
            resources_per_worker={"CPU": shares.cpus, **({"GPU": shares.gpus} if shares.gpus else {})},
        ),
        run_config=run,
    )


def _absolute(storage: str) -> str:
    return storage if "://" in storage else str(Path(storage).absolute())


class _Fit(threading.Thread):
    """The thread in which Ray Train works. Signals come to the main thread, which must be free to answer."""

    def __init__(self, fit: Callable[[], object]) -> None:
        super().__init__(name="polyhead-ray", daemon=True)
        self._fit = fit
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._fit()
        except BaseException as error:
            self.error = error


def _watch(ray: Any, board: Any, fit: _Fit) -> News:
    """Says what the workers say, and asks them to stop after a signal, until the run has ended → the last news.

    Until the run has begun a signal ends the command as it ends any other one.
    """
    interrupt, began = Interrupt(), time.monotonic()
    heeding = asked = told = False
    refused: float | None = None
    with ExitStack() as stack:
        while True:
            is_over, now = not fit.is_alive(), time.monotonic()
            news: News = ray.get(board.news.remote())
            for text in news.said:
                say(text)
            if news.refusal is not None:
                refused = refused or now
            if is_over or (refused is not None and now - refused > GRACE):
                return news
            if not told and not news.starts and now - began > SLOW:
                say("waiting until the Ray cluster has room for the workers")
                told = True
            if news.begun and not heeding:
                stack.enter_context(stop_on_signals(interrupt))
                heeding = True
            if interrupt.requested and not asked:
                board.stop.remote()
                asked = True
            time.sleep(LOOK)


def _explained(ray: Any, error: BaseException | None, shares: Shares, config: RayConfig) -> PolyheadError:
    """The error to show to the user where Ray Train gave up."""
    if isinstance(error, ray.train.WorkerGroupError):
        times = counted(config.restarts + 1, "time")
        return TrainingError(
            f"workers were lost {times}, more often than --ray-restarts {config.restarts} makes up for; {GO_ON}"
        )
    cause: object = getattr(error, "controller_failure", error)
    if type(cause).__name__ == "WorkerGroupStartupTimeoutError":  # Ray has no public name for it
        return PolyheadError(
            f"the Ray cluster had no room for {shares} in all that time, as other work holds it or machines are gone: "
            "wait, lower --ray-workers or --ray-cpus, or add machines"
        )
    reason = "it ended without saying why" if cause is None else _reason(cause)
    return PolyheadError(
        f"Ray Train gave up ({reason}): every machine of the cluster needs the same polyhead, Ray and Python; what was "
        "written stays, and --resume goes on from the last checkpoint"
    )


def _reason(error: object) -> str:
    """The last line of an error's message, in which Ray writes the cause."""
    return shortened((str(error).strip().splitlines() or [type(error).__name__])[-1].strip(), 90)
