"""Time and memory of verifying and of running, as ratios to rows of the same run.

    python tests/benchmarks/report.py [rounds [function attempts]]

By default 5 rounds and 20,000 attempts. Each measurement is a process of its own; rows take turns, so that
whatever else runs meets them alike, and so do an attempt and what it is held against. Time of verifying is
the processor's, of the work without start-up: the least and the median of the rounds. Memory is the peak of
the whole process (``ru_maxrss``), and what it was before the work began.
"""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import rows

CASES = [("small", 1), ("small", 4), ("large", 1)]


def measure(row: str, shape: str, times: int, path: Path) -> dict[str, float]:
    """One row in this process: seconds and MiB."""
    prepared = rows.inputs_for(shape, times) if row == "ours" else None
    if row == "ours":
        import passfloor.verification.verifier  # noqa: F401
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    rows.ROWS[row](path, prepared)
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "start": before / 1024, "peak": peak / 1024}


def apart(row: str, shape: str, times: int, path: Path) -> dict[str, float]:
    """The same in a process of its own."""
    words = [sys.executable, __file__, "measure", row, shape, str(times), str(path)]
    result: dict[str, float] = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    return result


def main(rounds: int, attempts: int) -> None:
    """Measure all and print the tables."""
    verifying(rounds)
    running(attempts)


def running(attempts: int) -> None:
    """Runs of agents that do nothing: 1,000 attempts one at a time, then so many side by side."""
    print("\nruns, medians: ms an attempt   beside  ratio    seal  ratio with seal")
    for row, beside in (("processes", "a bare process"), ("functions", "two synced lines")):
        figures = _run(row, 1000)
        whole = figures["attempt"] + figures["seal"]
        print(
            f"{row:>20} {figures['attempt']:9.2f} {figures['beside']:8.2f} "
            f"{figures['attempt'] / figures['beside']:6.2f} {figures['seal']:7.2f} "
            f"{whole / figures['beside']:6.2f} x {beside}"
        )
    # Here, so that the rows of verifying do not load it.
    from passfloor.executors.local import default_concurrency

    print(f"\n{default_concurrency()} at a time: attempts  ms each  ms sealing  MiB peak")
    few, many = (_run("many", count) for count in (attempts // 4, attempts))
    for count, figures in ((attempts // 4, few), (attempts, many)):
        each, seal, peak = (figures[name] for name in ("all", "seal", "peak"))
        print(f"{'functions':>20} {count:6} {each:8.2f} {seal:11.2f} {peak:9.0f}")
    print(f"4 x the attempts: {many['peak'] / few['peak']:.2f} x the memory")


def _run(row: str, count: int) -> dict[str, float]:
    words = [sys.executable, str(Path(__file__).with_name("runs.py")), row, str(count)]
    result: dict[str, float] = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    return result


def verifying(rounds: int) -> None:
    """Make the files, verify them, print the table."""
    with tempfile.TemporaryDirectory() as folder:
        results: dict[tuple[str, int, str], list[dict[str, float]]] = {}
        for shape, times in CASES:
            path = Path(folder, f"{shape}-{times}.json")
            # Apart as well: a child's peak starts at the size its parent had.
            words = [sys.executable, str(Path(__file__).with_name("made.py")), shape, str(times), str(path)]
            subprocess.run(words, check=True, capture_output=True)
            for _ in range(rounds):
                for row in rows.ROWS:
                    results.setdefault((shape, times, row), []).append(apart(row, shape, times, path))
            size = path.stat().st_size / 1e6
            path.unlink()
            _print(shape, times, size, results)
    ours = {case: _least(results[(*case, "ours")]) for case in CASES}
    print(
        f"4 x the work: {ours['small', 4][0] / ours['small', 1][0]:.2f} x the time, "
        f"{ours['small', 4][1] / ours['small', 1][1]:.2f} x the memory"
    )


def _print(shape: str, times: int, size: float, results: dict[Any, list[dict[str, float]]]) -> None:
    print(f"\n{shape} x {times}: {size:.1f} MB    least s  median s  MiB at start  MiB peak    time  memory")
    base, base_peak = _least(results[shape, times, "whole"])
    for row in rows.ROWS:
        measured = results[shape, times, row]
        least, peak = _least(measured)
        median = statistics.median(entry["seconds"] for entry in measured)
        start = min(entry["start"] for entry in measured)
        print(
            f"{row:>20} {least:12.3f} {median:9.3f} {start:13.0f} {peak:9.0f} "
            f"{least / base:7.2f} {peak / base_peak:7.2f}"
        )


def _least(measured: list[dict[str, float]]) -> tuple[float, float]:
    return min(entry["seconds"] for entry in measured), min(entry["peak"] for entry in measured)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        row, shape, times, path = sys.argv[2:]
        print(json.dumps(measure(row, shape, int(times), Path(path))))
    else:
        main(*(int(given) for given in (sys.argv[1:] + ["5", "20000"][len(sys.argv) - 1 :])[:2]))
