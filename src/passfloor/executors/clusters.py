"""Starts a cluster of worker processes on this machine, or connects to one that is there."""

import asyncio
import contextlib
import logging
import os
import re
import signal
import tempfile
from collections.abc import Collection, Iterator
from multiprocessing import resource_tracker
from typing import Any

from passfloor.errors import EnvironmentFault, UsageError
from passfloor.executors import tickets
from passfloor.executors.bounded import within
from passfloor.executors.dask import Cluster

CONNECT_S = 5.0
"""Longest wait for a scheduler's answer."""

_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9A-Fa-f:.%\w]+\]|[^\s/:\[\]]+):([0-9]{1,5})")
_NOTHING = logging.CRITICAL + 1
_CLIENT = {
    # Starting files of a task travel with it; how much that is was decided when the suite was written.
    "distributed.admin.large-graph-warning-threshold": "1 GiB",
    "distributed.comm.timeouts.connect": f"{CONNECT_S:g}s",
}
_WORKERS: dict[str, Any] = {
    # Nothing of a run goes to the disk from here: neither memory that runs short nor a profile.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
    "distributed.diagnostics.nvml": False,
    # Nor does anything of it stand on a page.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # A worker that is busy for long is no dead worker.
    "distributed.scheduler.worker-ttl": None,
    "distributed.scheduler.work-stealing": False,
    # This process's environment is its own.
    "distributed.nanny.pre-spawn-environ": {},
}


def check_installed() -> None:
    """Look for the package that clusters need.

    Raises:
        UsageError: It is not installed.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise UsageError(
            "--executor dask needs the package distributed; install it with: pip install 'passfloor[dask]'"
        ) from None


def check_address(address: str) -> None:
    """Refuse what is no address of a scheduler.

    Raises:
        UsageError: It is none.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found[3]) < 2**16:
        raise UsageError(
            f"--cluster {address[:200]!a}: give a scheduler's address, such as tcp://10.0.0.5:8786"
        )


@contextlib.contextmanager
def start(workers: int, *, hidden: Collection[str] = ()) -> Iterator[Cluster]:
    """A cluster of worker processes with one thread each, on this machine and for this process alone.

    Its connections are encrypted and take nobody else in, its folder is private, and all of it is gone
    afterwards.

    Args:
        workers: How many processes.
        hidden: Variables that they do not get; meanwhile they are out of this process's environment as well.

    Raises:
        EnvironmentFault: It cannot be started.
    """
    import dask
    from distributed import Client, LocalCluster

    with contextlib.ExitStack() as stack:
        stack.enter_context(_without(hidden))
        stack.enter_context(_quiet())
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="passfloor-dask-", ignore_cleanup_errors=True)
        )
        stack.enter_context(dask.config.set({**_CLIENT, **_WORKERS, "temporary-directory": folder}))
        try:
            # Workers hold back from their start what this thread does, until they are asked who they are.
            with _held():
                local = LocalCluster(
                    n_workers=workers,
                    processes=True,
                    threads_per_worker=1,
                    dashboard_address=None,
                    memory_limit=0,
                    local_directory=folder,
                    security=True,
                    silence_logs=_NOTHING,
                    scheduler_kwargs={"allowed_failures": 0, "dashboard_address": "127.0.0.1:0"},
                )
        except (OSError, RuntimeError, TimeoutError) as error:
            raise EnvironmentFault(
                f"the {workers} workers of --executor dask cannot be started ({error}); "
                "lower --concurrency, or leave --executor dask out"
            ) from error
        stack.callback(_closed, local)
        client = Client(local, set_as_default=False)
        stack.callback(_closed, client)
        cluster = Cluster(client, "this machine", nannies=lambda: list(local.workers.values()))
        stack.callback(cluster.leave)
        yield cluster


@contextlib.contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """A cluster that is there already; it is left as it was.

    For ``tls://`` the certificates are those of Dask's own configuration.

    Raises:
        UsageError: That is no address.
        EnvironmentFault: No scheduler answers there within ``CONNECT_S`` seconds.
    """
    check_address(address)
    import dask
    from distributed import Client

    with contextlib.ExitStack() as stack:
        stack.enter_context(_quiet())
        stack.enter_context(dask.config.set(_CLIENT))
        try:
            # Asked first: a client that cannot connect stays behind, and has its say when it is collected.
            within(CONNECT_S + 1, lambda: asyncio.run(_greeted(address)))
            client = Client(address, timeout=CONNECT_S, set_as_default=False)
        except Exception as error:  # whatever answers there may be anything but a scheduler
            raise EnvironmentFault(
                f"no Dask scheduler answers at {address} within {CONNECT_S:g} s ({type(error).__name__}); "
                "start it, or give its address with --cluster"
            ) from error
        stack.callback(_closed, client)
        cluster = Cluster(client, address)
        stack.callback(cluster.leave)
        yield cluster


async def _greeted(address: str) -> None:
    """Ask a scheduler who it is.

    Raises:
        Exception: None is there.
    """
    from distributed.comm.core import connect as connected
    from distributed.security import Security

    comm = await connected(address, timeout=CONNECT_S, **Security().get_connection_args("client"))
    try:
        await comm.write({"op": "identity", "reply": True, "n_workers": 0})
        answer = await asyncio.wait_for(comm.read(), CONNECT_S)
    finally:
        comm.abort()
    if not isinstance(answer, dict) or "Scheduler" not in str(answer.get("type")):
        raise ConnectionError("it is no scheduler")


def _closed(thing: Any) -> None:
    """Close it; what it has to say about that changes nothing any more."""
    with contextlib.suppress(Exception):
        thing.close()


@contextlib.contextmanager
def _without(names: Collection[str]) -> Iterator[None]:
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What distributed logs is for its own operators: what matters to a run is said by the run."""
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado.application", "asyncio")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(_NOTHING)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextlib.contextmanager
def _held() -> Iterator[None]:
    # Started by the first worker otherwise, and its start lets signals through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, tickets.HELD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
