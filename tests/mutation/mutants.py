"""Would the tests notice? Plants small faults in the code that decides, one at a time, and runs its tests.

    python tests/mutation/mutants.py [PACKAGE ...] [--sample N] [--seed N] [--most N] [--report FILE]

Packages are ``canonical projection signing verification grading stats``; all of them unless some are named.
``--sample`` plants N faults a package, drawn by ``--seed`` (1); without it every fault, which takes hours.
``--most`` runs at most N of the tests that reach a fault, the quick ones first and mixed: sooner done, and
some faults then survive that the others would notice. ``--report`` adds a JSON line for each fault to a file;
``--again FILE`` plants only those that survived in such a report, best without ``--most``. ``--believe`` runs
no test for those that are known to change nothing, which cost most: all that reach them pass.
See README.md beside this file.
"""

import argparse
import collections
import importlib
import json
import os
import pkgutil
import random
import resource
import signal
import sys
import time
from pathlib import Path

import coverage
import pytest
from planting import ROOT, SOURCE, Live, Planted, units_of

HERE = Path(__file__).parent
UNIT, PROPERTY = "tests/unit", "tests/property"
TESTS = {
    "canonical": (
        f"{UNIT}/test_canonical.py",
        f"{UNIT}/test_lenient.py",
        f"{UNIT}/test_outside_json_vectors.py",
        f"{PROPERTY}/test_canonical.py",
        f"{PROPERTY}/test_splice.py",
    ),
    "projection": (f"{UNIT}/projection", f"{PROPERTY}/test_projection.py", f"{PROPERTY}/test_causal.py"),
    "signing": (f"{UNIT}/signing", f"{PROPERTY}/test_signing.py"),
    "verification": (f"{UNIT}/verification", f"{UNIT}/test_receipts.py"),
    "grading": (f"{UNIT}/grading", f"{PROPERTY}/test_grading.py", f"{PROPERTY}/test_imported_readers.py"),
    "stats": (
        f"{UNIT}/stats",
        f"{UNIT}/test_aggregate.py",
        f"{PROPERTY}/test_stats.py",
        f"{PROPERTY}/test_intervals.py",
    ),
}
VECTORS = (f"{UNIT}/verification",)
LONGEST_TEST = 2.0
CPU_SECONDS = 20


class Experiment:
    """A pytest plugin: runs the tests once as they are, then those concerned for each fault, in a fork."""

    def __init__(self, packages, *, sample, seed, most, file, again=None, believe=False):
        self.believed = explained() if believe else {}
        self.packages, self.sample, self.seed, self.most, self.file = packages, sample, seed, most, file
        self.units = {name: [unit for path in files_of(name) for unit in units_of(path)] for name in packages}
        self.again, self.results = again, []
        self.noticed = collections.defaultdict(list)

    def pytest_sessionstart(self):
        """That an example fails is enough: none is made smaller."""
        # Not above: pytest means to rewrite the plugin's modules before anybody imports them.
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("brief", settings.get_profile("steady"), phases=phases)
        settings.load_profile("brief")

    def pytest_runtestloop(self, session):
        calls, seconds = self._baseline(session.items)
        chosen = random.Random(self.seed)
        live = Live()
        for package in self.packages:
            faults = [(unit, n) for unit in self.units[package] for n in range(len(unit.faults))]
            if self.again is not None:
                faults = [(unit, n) for unit, n in faults if _named(unit, n) in self.again]
            if self.sample is not None and self.sample < len(faults):
                faults = chosen.sample(faults, self.sample)
            for done, (unit, number) in enumerate(
                sorted(faults, key=lambda f: (f[0].file, f[0].line, f[1])), 1
            ):
                self._try(package, unit, number, calls, seconds, live)
                if done % 50 == 0:
                    gone = sum(r["fate"] == "survived" for r in self.results if r["package"] == package)
                    print(f"{package}: {done} of {len(faults)}, {gone} survived", file=sys.stderr, flush=True)
        return True

    def _baseline(self, items):
        """(file, line) -> the tests that run it, and how long each test takes."""
        tracer = coverage.Coverage(data_file=None, source=[str(SOURCE)], config_file=False)
        seconds, names = {}, {}
        tracer.start()
        for item, following in zip(items, [*items[1:], None], strict=True):
            tracer.switch_context(item.nodeid)
            began = time.process_time()
            failed = [report for report in _run(item, following) if report.failed]
            seconds[item] = time.process_time() - began
            if failed:
                print(f"left out, it fails without any fault: {item.nodeid}", file=sys.stderr)
            elif seconds[item] < LONGEST_TEST:
                names[item.nodeid] = item
        tracer.stop()
        data, calls = tracer.get_data(), {}
        for file in data.measured_files():
            lines = data.contexts_by_lineno(file).items()
            found = {line: [names[name] for name in tests if name in names] for line, tests in lines}
            calls[file] = {line: tests for line, tests in sorted(found.items()) if tests}
        return calls, seconds

    def _try(self, package, unit, number, calls, seconds, live):
        planted = Planted(unit, number)
        lines = calls.get(unit.file, {})
        if unit.is_code:
            # A fault on the second line of a statement is run where the statement is.
            before = [line for line in lines if unit.line < line <= planted.line]
            items = lines[before[-1]] if before else []
        else:
            # Of a module of constants alone no line is run: those who read them stand beside it.
            files = [unit.file] if lines else [f for f in calls if Path(f).parent == Path(unit.file).parent]
            items = list(dict.fromkeys(i for f in files for tests in calls[f].values() for i in tests))
        order = self._order(unit, number, items, seconds)[: self.most]
        fate = "survived" if items else "not called"
        if _named(unit, number) in self.believed:
            fate = "survived"
        elif items and (not unit.is_code or live.functions[unit.file, unit.name]):
            fate, by = _in_a_fork(planted, live, order)
            if by is not None:
                self.noticed[unit.file].append(by)
        result = {"package": package, "file": unit.place, "in": unit.name, "number": number}
        result |= {"line": planted.line, "fault": planted.done, "fate": fate}
        self.results.append(result)
        if self.file is not None:
            with Path(self.file).open("a") as stream:
                stream.write(json.dumps(result) + "\n")

    def _order(self, unit, number, items, seconds):
        """The quick ones first; of them those that noticed a fault in the same file, the last of these first.

        Of many tests that are alike, one tells as much as the others.
        """
        last = {item: at for at, item in enumerate(self.noticed[unit.file])}
        mixed = random.Random(number)
        return sorted(items, key=lambda item: (seconds[item] > 0.1, -last.get(item, -1), mixed.random()))


def _run(item, following):
    from _pytest.runner import runtestprotocol

    return runtestprotocol(item, log=False, nextitem=following)


def _in_a_fork(planted, live, items):
    """killed, stopped (a test did not end within its time) or survived; and the test that killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 3
        try:
            resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
            planted.apply(live)
            code = 0
            for at, item in enumerate(items):
                _wind_up()
                following = items[at + 1] if at + 1 < len(items) else None
                if any(report.failed for report in _run(item, following)):
                    os.write(writing, str(at).encode())
                    code = 1
                    break
        except BaseException:
            code = 1  # nothing runs any more with such a fault
        finally:
            os._exit(code)
    os.close(writing)
    with open(reading, "rb") as told:
        at = told.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "stopped", None
    fate = "survived" if os.WEXITSTATUS(status) == 0 else "killed"
    return fate, items[int(at)] if at else None


def _wind_up():
    """Give the next test its time: many that are slow together have an end all the same."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + CPU_SECONDS, resource.RLIM_INFINITY))
    signal.alarm(20 * CPU_SECONDS)


def _named(unit, number):
    """How a fault is told from others in lists: its number changes with every line before it."""
    return unit.place, unit.name, unit.faults[number]


def files_of(package):
    """The modules of a package that can be imported."""
    found = importlib.import_module(f"passfloor.{package}")
    for module in pkgutil.walk_packages(found.__path__, found.__name__ + "."):
        importlib.import_module(module.name)
    return sorted(Path(found.__path__[0]).rglob("*.py"))


def explained():
    """(file, function, fault) -> why no test can tell, for the faults that are known to change nothing."""
    listed = json.loads((HERE / "survivors.json").read_text())
    return {(entry["file"], entry["in"], entry["fault"]): entry["because"] for entry in listed}


def survivors_of(file):
    """The faults that nothing noticed, of a report."""
    results = [json.loads(line) for line in Path(file).read_text().splitlines()]
    return {(r["file"], r["in"], r["fault"]) for r in results if r["fate"] in ("survived", "not called")}


def report(results):
    """Print the score of each package and the survivors that nobody explained; how many those are."""
    known = explained()
    unexplained = [
        r
        for r in results
        if r["fate"] in ("survived", "not called") and (r["file"], r["in"], r["fault"]) not in known
    ]
    for result in unexplained:
        print(f"{result['fate']}: {result['file']}:{result['line']} in {result['in']}: {result['fault']}")
    for package in dict.fromkeys(result["package"] for result in results):
        fates = collections.Counter(r["fate"] for r in results if r["package"] == package)
        left = sum(r["package"] == package for r in unexplained)
        total = fates.total()
        caught = fates["killed"] + fates["stopped"]
        same = total - caught - left
        print(
            f"{package}: {total} faults, {caught} noticed ({caught / total:.1%}), "
            f"{same} that change nothing, {left} unexplained"
        )
    return len(unexplained)


def main(words=None):
    """Plant, run, report; 1 where a survivor is not explained."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=f"of {', '.join(TESTS)}")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, metavar="N")
    parser.add_argument("--own", action="store_true", help="the package's own tests, and no vectors")
    parser.add_argument("--report", metavar="FILE")
    parser.add_argument("--believe", action="store_true", help="do not run what survivors.json explains")
    parser.add_argument("--again", metavar="FILE", help="only what survived in this report")
    given = parser.parse_args(words)
    packages = given.packages or list(TESTS)
    for package in packages:
        if package not in TESTS:
            parser.error(f"unknown package '{package}': name of {', '.join(TESTS)}")
        files_of(package)
    paths = dict.fromkeys(path for package in packages for path in TESTS[package])
    if packages != ["stats"] and not given.own:
        paths.update(dict.fromkeys(VECTORS))
    experiment = Experiment(
        packages,
        sample=given.sample,
        seed=given.seed,
        most=given.most,
        file=given.report,
        again=survivors_of(given.again) if given.again else None,
        believe=given.believe,
    )
    slow = "not slow and not long"
    words = [
        "-q",
        "-m",
        slow,
        "-p",
        "no:cov",
        "-p",
        "no:xdist",
        "-p",
        "no:randomly",
        "-k",
        "not generator_makes",
    ]
    status = pytest.main(
        [*words, f"--rootdir={ROOT}", *(str(ROOT / path) for path in paths)], plugins=[experiment]
    )
    if not experiment.results:
        raise SystemExit(f"nothing was planted: pytest ended with {int(status)}")
    return 1 if report(experiment.results) else 0


if __name__ == "__main__":
    raise SystemExit(main())
