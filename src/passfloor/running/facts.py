"""Where a run takes place: what its receipt says of the machine."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from passfloor.canonical import MAX_INT

_ROOT = Path("/")
_GROUPS = "sys/fs/cgroup"


def environment_facts(concurrency: int, *, root: Path = _ROOT) -> dict[str, Any]:
    """The receipt's entry for a stage that runs here; what is unknown is absent.

    Reads ``/proc`` and ``/sys/fs/cgroup`` alone and never raises.

    Args:
        concurrency: How many attempts run side by side.
        root: Where the two folders are looked for.

    Returns:
        ``platform``, ``limits`` and ``concurrency``. Limits: ``cpus`` (processors this process may use),
        ``cpu_quota`` (processors' worth of time, where a control group sets it), ``memory_bytes`` (the
        control group's limit or the machine's memory, whichever is less), ``open_files`` (of one process).
    """
    groups = dict(_groups(root))
    limits = {
        "cpus": _cpus(),
        "cpu_quota": _quota(root, groups),
        "memory_bytes": _memory(root, groups),
        "open_files": _open_files(),
    }
    return {
        "platform": platform.platform(),
        "limits": {name: value for name, value in limits.items() if value is not None},
        "concurrency": concurrency,
    }


def oversubscribed(concurrency: int, *, root: Path = _ROOT) -> str | None:
    """A warning where more attempts run side by side than there are processors, else None."""
    limits = environment_facts(concurrency, root=root)["limits"]
    known = [limits[name] for name in ("cpus", "cpu_quota") if name in limits]
    if not known or concurrency <= max(1, min(known)):
        return None
    quota = f", of which {limits['cpu_quota']:g} may be used" if "cpu_quota" in limits else ""
    return (
        f"warning: {concurrency} attempts run side by side on {limits.get('cpus', 'few')} processors{quota}: "
        "agents that compute take longer and may run into --timeout; lower --concurrency to "
        f"{max(1, int(min(known)))}, or raise --timeout"
    )


def _cpus() -> int | None:
    if hasattr(os, "sched_getaffinity"):
        try:
            return len(os.sched_getaffinity(0))
        except OSError:
            pass
    return os.cpu_count()


def _quota(root: Path, groups: dict[str, str]) -> int | float | None:
    shares = [*_unified_shares(root, groups), *_older_shares(root, groups)]
    if not shares:
        return None
    least = min(shares)
    return int(least) if least.is_integer() else least


def _unified_shares(root: Path, groups: dict[str, str]) -> Iterator[float]:
    for text in _values(root, groups, "", "cpu.max"):
        quota, _, period = text.partition(" ")
        yield from _share(_number(quota), _number(period))


def _older_shares(root: Path, groups: dict[str, str]) -> Iterator[float]:
    quotas = _values(root, groups, "cpu", "cpu.cfs_quota_us")
    periods = _values(root, groups, "cpu", "cpu.cfs_period_us")
    for quota, period in zip(quotas, periods, strict=False):
        yield from _share(_number(quota), _number(period))


def _share(quota: int | None, period: int | None) -> Iterator[float]:
    if quota and period:
        yield quota / period


def _memory(root: Path, groups: dict[str, str]) -> int | None:
    limits = [
        *_values(root, groups, "", "memory.max"),
        *_values(root, groups, "memory", "memory.limit_in_bytes"),
    ]
    known = [number for text in limits if (number := _number(text)) is not None]
    # What stands for "no limit" in the older control groups is more than any machine has.
    known += [size] if (size := _physical(root)) is not None else []
    return min(known, default=None)


def _physical(root: Path) -> int | None:
    for line in _read(root / "proc/meminfo").splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == "MemTotal:" and words[2] == "kB":
            size = _number(words[1])
            return None if size is None else size * 1024
    return None


def _open_files() -> int | None:
    try:
        # Not on every platform; a receipt must be readable on all of them.
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    except (ImportError, OSError, ValueError):
        return None
    return soft if 0 <= soft <= MAX_INT else None


def _groups(root: Path) -> Iterator[tuple[str, str]]:
    """Controller -> this process's group; the controller of the unified hierarchy is ""."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        for controller in controllers.split(","):
            yield controller, path


def _values(root: Path, groups: dict[str, str], controller: str, name: str) -> list[str]:
    """The file of that name in this process's group and all above it; a limit of each of them holds."""
    mounts = [root / _GROUPS / controller] if controller else [root / _GROUPS, root / _GROUPS / "unified"]
    path = groups.get(controller, "/")
    # A group outside of what is mounted here shows as /../name; inside a container its own is the root.
    parts = [] if ".." in path.split("/") else [part for part in path.split("/") if part]
    folders = ["/".join(parts[:length]) for length in range(len(parts), -1, -1)]
    texts = (_read(mount / folder / name).strip() for mount in mounts for folder in folders)
    return [text for text in texts if text]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return ""


def _number(text: str) -> int | None:
    """A positive whole number; None for ``max``, -1 and what is past the integers of JSON."""
    if not text.isascii() or not text.isdigit() or len(text) > len(str(MAX_INT)):
        return None
    number = int(text)
    return number if 0 < number <= MAX_INT else None
