"""Would the tests notice? Plants small faults in the code that decides, one at a time, and runs its tests.

    python tests/mutation/mutants.py [PACKAGE ...] [--sample N] [--seed N] [--most N] [--report FILE]

Packages are ``canonical projection signing verification grading stats``; all of them unless some are named.
``--sample`` plants N faults a package, drawn by ``--seed`` (1); without it every fault, which takes hours.
``--most`` runs at most N of the tests that reach a fault, the quick ones first and mixed: sooner done, and
some faults then survive that the others would notice. ``--report`` adds a JSON line for each fault to a file;
``--again FILE`` plants only those that survived in such a report, best without ``--most``.
See README.md beside this file.
"""

import argparse
import ast
import collections
import gc
import importlib
import json
import os
import pkgutil
import random
import resource
import signal
import sys
import time
import types
from dataclasses import dataclass
from pathlib import Path

import coverage
import pytest
from operators import mutants, plant

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOURCE = ROOT / "src"
UNIT, PROPERTY = "tests/unit", "tests/property"
TESTS = {
    "canonical": (
        f"{UNIT}/test_canonical.py",
        f"{UNIT}/test_outside_json_vectors.py",
        f"{PROPERTY}/test_canonical.py",
    ),
    "projection": (f"{UNIT}/projection", f"{PROPERTY}/test_projection.py", f"{PROPERTY}/test_causal.py"),
    "signing": (f"{UNIT}/signing", f"{PROPERTY}/test_signing.py"),
    "verification": (f"{UNIT}/verification", f"{UNIT}/test_receipts.py"),
    "grading": (f"{UNIT}/grading", f"{PROPERTY}/test_grading.py"),
    "stats": (
        f"{UNIT}/stats",
        f"{UNIT}/test_aggregate.py",
        f"{PROPERTY}/test_stats.py",
        f"{PROPERTY}/test_intervals.py",
    ),
}
VECTORS = (f"{UNIT}/verification",)
LONGEST_TEST = 2.0
CPU_SECONDS = 60


@dataclass
class Unit:
    """A function, a method or a module's assignment, and how many faults can be planted in it."""

    file: str
    statement: int
    member: int | None
    name: str
    line: int
    count: int
    is_code: bool


def units_of(path):
    """The units of a module, in order."""
    tree = ast.parse(path.read_text())
    for at, node in enumerate(tree.body):
        if isinstance(node, ast.FunctionDef):
            yield Unit(str(path), at, None, node.name, _first_line(node), mutants(_bare(node)), True)
        elif isinstance(node, ast.ClassDef):
            for inside, member in enumerate(node.body):
                if isinstance(member, ast.FunctionDef):
                    name = f"{node.name}.{member.name}"
                    yield Unit(str(path), at, inside, name, _first_line(member), mutants(_bare(member)), True)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id != "__all__":
                yield Unit(str(path), at, None, target.id, node.lineno, mutants(node.value), False)


def _first_line(node):
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _bare(node):
    """The function without its docstring."""
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    return node


def _place(unit):
    return Path(unit.file).relative_to(SOURCE / "passfloor").as_posix()


def _named(unit, number):
    """How a fault is told from others in a report."""
    return _place(unit), unit.name, number


class Planted:
    """The code with one fault in it, in this process."""

    def __init__(self, unit, number):
        self.unit = unit
        tree = ast.parse(Path(unit.file).read_text())
        node = tree.body[unit.statement]
        holder = node if unit.member is not None else tree
        at = unit.statement if unit.member is None else unit.member
        if unit.is_code:
            made, self.line, self.done = plant(_bare(holder.body[at]), number)
            holder.body[at] = made
        else:
            node.value, self.line, self.done = plant(node.value, number)
        self._tree, self._node = tree, node

    def apply(self, functions):
        """Exchange the code of the live functions, or the value of the live constant."""
        if self.unit.is_code:
            whole = compile(ast.fix_missing_locations(self._tree), self.unit.file, "exec")
            code = _find(whole, self.unit.name)
            for function in functions:
                function.__code__ = code
        else:
            module = _module_of(self.unit.file)
            _exchange(module, self.unit.name, self._value(self._node.value, module))
            # Tables that are made of the constant were made before.
            for node in self._tree.body[self.unit.statement + 1 :]:
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    _exchange(module, node.targets[0].id, self._value(node.value, module))

    def _value(self, node, module):
        expression = ast.fix_missing_locations(ast.Expression(node))
        return eval(compile(expression, self.unit.file, "eval"), vars(module))


def _find(code, name):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_qualname == name:
                return constant
            if name.startswith(constant.co_qualname + "."):
                return _find(constant, name)
    raise LookupError(name)


def _module_of(file):
    return next(m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == file)


def _exchange(module, name, value):
    old = vars(module)[name]
    for other in list(sys.modules.values()):
        if getattr(other, "__name__", "").startswith("passfloor") and vars(other).get(name) is old:
            setattr(other, name, value)


def live_functions():
    """(file, qualified name) -> the function objects with that code, wherever they are kept."""
    found = collections.defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and thing.__code__.co_filename.startswith(str(SOURCE)):
            found[thing.__code__.co_filename, thing.__code__.co_qualname].append(thing)
    return found


class Experiment:
    """A pytest plugin: runs the tests once as they are, then those concerned for each fault, in a fork."""

    def __init__(self, packages, *, sample, seed, most, file, again=()):
        self.packages, self.sample, self.seed, self.most, self.file = packages, sample, seed, most, file
        self.again, self.results = again, []
        self.noticed = collections.defaultdict(list)

    def pytest_runtestloop(self, session):
        calls, seconds = self._baseline(session.items)
        chosen = random.Random(self.seed)
        functions = live_functions()
        for package in self.packages:
            units = [unit for path in files_of(package) for unit in units_of(path)]
            faults = [(unit, number) for unit in units for number in range(unit.count)]
            if self.again:
                faults = [(unit, number) for unit, number in faults if _named(unit, number) in self.again]
            if self.sample is not None and self.sample < len(faults):
                faults = chosen.sample(faults, self.sample)
            for done, (unit, number) in enumerate(
                sorted(faults, key=lambda f: (f[0].file, f[0].line, f[1])), 1
            ):
                self._try(package, unit, number, calls, seconds, functions)
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

    def _try(self, package, unit, number, calls, seconds, functions):
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
        live = functions.get((unit.file, unit.name), [])
        fate = "survived" if items else "not called"
        if items and (live or not unit.is_code):
            fate, by = _in_a_fork(planted, live, order)
            if by is not None:
                self.noticed[unit.file].append(by)
        result = {"package": package, "file": _place(unit), "in": unit.name, "number": number}
        result |= {"line": planted.line, "fault": planted.done, "fate": fate}
        self.results.append(result)
        if self.file is not None:
            with Path(self.file).open("a") as stream:
                stream.write(json.dumps(result) + "\n")

    def _order(self, unit, number, items, seconds):
        """Those that noticed a fault in the same file, the last of them first; then the quick ones, mixed.

        Of many tests that are alike, one tells as much as the others.
        """
        last = {item: at for at, item in enumerate(self.noticed[unit.file])}
        mixed = random.Random(number)
        return sorted(items, key=lambda item: (-last.get(item, -1), seconds[item] > 0.1, mixed.random()))


def _run(item, following):
    from _pytest.runner import runtestprotocol

    return runtestprotocol(item, log=False, nextitem=following)


def _in_a_fork(planted, functions, items):
    """killed, stopped (no end within the time) or survived; and the test that killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 3
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
            signal.alarm(20 * CPU_SECONDS)
            _forget_answers()
            planted.apply(functions)
            code = 0
            for at, item in enumerate(items):
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


def _forget_answers():
    """What functions remember from the run without faults must not speak for them."""
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("passfloor"):
            for value in list(vars(module).values()):
                if callable(getattr(value, "cache_clear", None)):
                    value.cache_clear()


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
    return {(r["file"], r["in"], r["number"]) for r in results if r["fate"] in ("survived", "not called")}


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
        again=survivors_of(given.again) if given.again else (),
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
