"""What a receipt says of the machine: read from its pseudo files, absent where they say nothing."""

import os
from pathlib import Path

import pytest

from passfloor.models.receipt import Environment
from passfloor.running.facts import environment_facts, oversubscribed

MEMORY = "MemTotal:       2048 kB\nMemFree: 1 kB\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "proc/meminfo", MEMORY)
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def limits(root: Path) -> dict[str, object]:
    facts = environment_facts(3, root=root)
    Environment.model_validate(facts)
    assert facts["concurrency"] == 3
    found: dict[str, object] = facts["limits"]
    return found


def test_the_facts_of_this_machine_are_an_environment() -> None:
    facts = environment_facts(1)
    Environment.model_validate(facts)
    assert facts["limits"]["cpus"] >= 1


def test_without_control_groups_there_is_no_quota_and_the_memory_is_the_machines(root: Path) -> None:
    found = limits(root)
    assert "cpu_quota" not in found
    assert found["memory_bytes"] == 2048 * 1024


def test_where_nothing_can_be_read_the_facts_are_absent(tmp_path: Path) -> None:
    assert not {"cpu_quota", "memory_bytes"} & limits(tmp_path).keys()


def test_the_least_limit_of_the_group_and_those_above_it_holds(root: Path) -> None:
    write(root, "proc/self/cgroup", "0::/a/b\n")
    write(root, "sys/fs/cgroup/a/b/cpu.max", "max 100000\n")
    write(root, "sys/fs/cgroup/a/cpu.max", "150000 100000\n")
    write(root, "sys/fs/cgroup/a/b/memory.max", "1048576\n")
    write(root, "sys/fs/cgroup/a/memory.max", "max\n")
    found = limits(root)
    assert found["cpu_quota"] == 1.5
    assert found["memory_bytes"] == 1048576


def test_older_control_groups_are_read_as_well(root: Path) -> None:
    write(root, "proc/self/cgroup", "4:memory:/x\n3:cpu,cpuacct:/x\n1:name=systemd:/\n")
    write(root, "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "200000\n")
    write(root, "sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n")
    write(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
    write(root, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
    write(root, "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n")
    found = limits(root)
    assert (found["cpu_quota"], type(found["cpu_quota"])) == (2, int)
    assert found["memory_bytes"] == 2048 * 1024


@pytest.mark.parametrize("path", ["/../../other", "/gone"])
def test_a_group_that_is_not_mounted_here_leaves_the_root(root: Path, path: str) -> None:
    write(root, "proc/self/cgroup", f"0::{path}\n")
    write(root, "sys/fs/cgroup/cpu.max", "50000 100000\n")
    write(root, "other/cpu.max", "1 100000\n")
    assert limits(root)["cpu_quota"] == 0.5


@pytest.mark.parametrize(
    "text", ["", "max", "-1 5", "x y", "0 100000", "5 0", "٣ ٣", "1" * 5000 + " 1", "\0"]
)
def test_nonsense_is_no_quota(root: Path, text: str) -> None:
    write(root, "proc/self/cgroup", "nonsense\n0::/\x00\n")
    write(root, "sys/fs/cgroup/cpu.max", text)
    write(root, "sys/fs/cgroup/memory.max", text)
    write(root, "proc/meminfo", "MemTotal: many kB\n")
    found = limits(root)
    assert "cpu_quota" not in found
    assert "memory_bytes" not in found


def test_more_attempts_than_the_quota_serves_are_a_warning(root: Path) -> None:
    write(root, "sys/fs/cgroup/cpu.max", "50000 100000\n")
    assert oversubscribed(1, root=root) is None
    warning = oversubscribed(2, root=root)
    assert warning is not None
    assert warning.startswith("warning: 2 attempts run side by side on ")
    assert "of which 0.5 may be used" in warning
    assert "lower --concurrency to 1, or" in warning


def test_as_many_attempts_as_processors_are_none(root: Path) -> None:
    cpus = limits(root)["cpus"]
    assert isinstance(cpus, int)
    assert oversubscribed(cpus, root=root) is None
    warning = oversubscribed(cpus + 1, root=root)
    assert warning is not None
    assert f"lower --concurrency to {cpus}, or" in warning


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors cannot be taken away here")
def test_processors_that_this_process_may_not_use_do_not_count(root: Path) -> None:
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert limits(root)["cpus"] == 1
    finally:
        os.sched_setaffinity(0, allowed)
