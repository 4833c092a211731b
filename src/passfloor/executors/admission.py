"""Whether a worker may make attempts: it has this version of passfloor, and the agent can run there."""

from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from passfloor.executors import tickets

Ready = tuple[Callable[..., Awaitable[str | None]], tuple[Any, ...]]
"""A coroutine function and its arguments: run on a worker it gives None, or why the worker cannot be used."""

Run = Callable[..., dict[str, Any]]
"""Calls a function on the workers named: address -> what it returned, or raised; nothing of those silent."""

_SILENT = "does not answer; look whether it is stuck"


def examine(
    run: Run, workers: Sequence[str], ready: Ready | None, *, private: bool
) -> dict[str, tuple[str, int] | str]:
    """Look workers over.

    Args:
        run: Asks them.
        workers: Their addresses.
        ready: Asked last.
        private: Whether they belong to a run of this machine.

    Returns:
        Address -> the name and the number of its process; or what is said against it, after its address.
    """
    found: dict[str, tuple[str, int] | str] = {}
    # A function of the standard library: a worker may have no passfloor to look for ours in.
    versions = run(version, "passfloor", workers=workers)
    for address in workers:
        if problem := _other_version(versions.get(address)):
            found[address] = problem
    processes = _asked(run, [a for a in workers if a not in found], tickets.identify, private)
    here = [address for address, process in processes.items() if isinstance(process, tuple)]
    answers = _asked(run, here, ready[0], *ready[1]) if ready is not None else dict.fromkeys(here)
    for address, process in processes.items():
        answer = answers.get(address, process)
        found[address] = process if answer is None else _against(answer)
    return found


def _asked(run: Run, workers: Sequence[str], function: Callable[..., Any], *args: Any) -> dict[str, Any]:
    answers = run(function, *args, workers=workers) if workers else {}
    return {address: answers.get(address, TimeoutError()) for address in workers}


def _other_version(theirs: object) -> str | None:
    ours = version("passfloor")
    if theirs == ours:
        return None
    if isinstance(theirs, PackageNotFoundError):
        return f"has no passfloor; install {ours} there, as here"
    if isinstance(theirs, str):
        return f"has passfloor {theirs[:40]!a}, this machine has {ours!a}; install one version on both"
    return _SILENT


def _against(answer: object) -> str:
    if isinstance(answer, TimeoutError):
        return _SILENT
    if isinstance(answer, Exception):
        return (
            f"cannot be used ({type(answer).__name__}: {str(answer)[:200]}); "
            "it needs the same software as this machine"
        )
    return f"cannot be used: {answer}"
