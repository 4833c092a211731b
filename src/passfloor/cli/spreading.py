"""The flags that say where attempts are made, and what a run does with them."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.models.receipt import Environment
    from passfloor.scrubbing import Scrubber


@dataclass
class Spread:
    """Attempts are made by this process.

    Attributes:
        concurrency: How many side by side.
        environment: The receipt's entry for where that is; None: this machine.
        elsewhere: Whether it is on machines of which this process knows nothing.
    """

    adapter: "AnyAdapter"
    concurrency: int
    environment: "Environment | None" = None
    elsewhere: bool = False
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    @contextlib.contextmanager
    def open(self) -> Iterator["AnyAdapter"]:
        """The adapter to run attempts with, while the context is open."""
        yield self.adapter

    def close(self) -> None:
        """Let go of whatever is held."""
        self._stack.close()


@dataclass
class _OwnWorkers(Spread):
    """Attempts are made by worker processes that are there while some are due."""

    scrubber: "Scrubber | None" = None

    @contextlib.contextmanager
    def open(self) -> Iterator["AnyAdapter"]:
        from passfloor.executors import clusters
        from passfloor.keys.keystore import KEY_FILE_VARIABLE, KEY_VARIABLE
        from passfloor.running import remote
        from passfloor.scrubbing import Scrubber
        from passfloor.signing.names import PASSWORD_VARIABLE

        hidden = (KEY_VARIABLE, KEY_FILE_VARIABLE, PASSWORD_VARIABLE)
        with (
            clusters.start(self.concurrency, hidden=hidden) as cluster,
            remote.spread(self.adapter, cluster, self.scrubber or Scrubber()) as adapter,
        ):
            yield adapter


@dataclass(frozen=True)
class SpreadFlags:
    """The flags as given."""

    executor: Annotated[
        str | None,
        typer.Option(
            "--executor",
            metavar="local|dask",
            help="Where attempts are made: by this process, or by worker processes of a Dask cluster that is "
            "started for the run. [default: local]",
        ),
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="ADDR",
            help="Use the Dask cluster whose scheduler is at this address, such as tcp://10.0.0.5:8786; "
            "--concurrency is the number of its worker threads by default.",
        ),
    ] = None
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            metavar="N",
            help="Attempts side by side; 1 for agents that share a database or a port. "
            "[default: the number of processors]",
            min=1,
            max=1000,
        ),
    ] = None

    def check(self) -> None:
        """Refuse what contradicts itself or cannot be had.

        Raises:
            UsageError: Another executor; a cluster beside ``local``; no address; or the package is missing.
        """
        if self.executor not in {None, "local", "dask"}:
            raise UsageError(f"--executor {self.executor!a}: say 'local' or 'dask'")
        if self.cluster is not None and self.executor == "local":
            raise UsageError(
                f"--cluster {self.cluster!a} has no meaning beside --executor local: leave one of them out"
            )
        if self._is_dask:
            from passfloor.executors import clusters

            if self.cluster is not None:
                clusters.check_address(self.cluster)
            clusters.check_installed()

    def ready(self, adapter: "AnyAdapter", scrubber: "Scrubber") -> Spread:
        """How attempts are made; a cluster that is there is connected, and its workers are looked at.

        Raises:
            UsageError: Model calls are to be recorded; a worker cannot run the agent; or the cluster has
                fewer threads than are asked for.
            EnvironmentFault: The cluster cannot be reached.
        """
        from passfloor.executors.local import default_concurrency

        if self._is_dask:
            from passfloor.running.remote import require_unrecorded

            require_unrecorded(adapter)
        if self.cluster is not None:
            return self._connected(self.cluster, adapter, scrubber)
        concurrency = self.concurrency or default_concurrency()
        if not self._is_dask:
            return Spread(adapter, concurrency)
        from passfloor.running.remote import place

        return _OwnWorkers(adapter, concurrency, place(concurrency, concurrency), scrubber=scrubber)

    @property
    def _is_dask(self) -> bool:
        return self.executor == "dask" or self.cluster is not None

    def _connected(self, address: str, adapter: "AnyAdapter", scrubber: "Scrubber") -> Spread:
        from passfloor.executors import clusters
        from passfloor.running import remote

        with contextlib.ExitStack() as stack:
            cluster = stack.enter_context(clusters.connect(address))
            there = stack.enter_context(remote.spread(adapter, cluster, scrubber))
            threads = cluster.threads
            if self.concurrency is not None and self.concurrency > threads:
                raise UsageError(
                    f"--concurrency {self.concurrency}: the cluster at {address} has {threads} worker "
                    f"threads; give at most {threads}, or leave it out"
                )
            concurrency = self.concurrency or threads
            where = remote.place_of(cluster, concurrency)
            return Spread(there, concurrency, where, elsewhere=True, _stack=stack.pop_all())
