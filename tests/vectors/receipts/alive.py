"""Is every check of the verifier needed? Takes out one finding after the other; the vectors must notice.

    python tests/vectors/receipts/alive.py

Each place in ``passfloor.verification`` that makes a finding, or yields the reason for one, is taken out of
a copy of the package in memory. The vectors in which that place spoke are judged again by the copy; at
least one must then come out otherwise than its folder says. Prints the places whose removal nobody noticed,
and exits 1 if there are any.
"""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

from judging import FOLDERS, expected_of, judge_folder

PACKAGE = "passfloor.verification"
MAKERS = {"Finding", "finding", "_refused", "_claim", "_foreign"}
ELSEWHERE = {"unmet"}
"""What an entry of trust.json demands: no flag says it, and test_keys_of_the_past.py holds it."""
MARK = "\0removed"


class Sites(ast.NodeTransformer):
    """Wraps each call that makes a finding, or takes one of them out.

    Args:
        module: name of the module that is transformed.
        target: the site to remove as (module, line, column); None to mark all sites instead.
    """

    def __init__(self, module, target):
        self.module, self.target = module, target
        self.inside = []

    def visit_FunctionDef(self, node):
        self.inside.append(node.name)
        self.generic_visit(node)
        self.inside.pop()
        return node

    def visit_Expr(self, node):
        if self._is_reason(node.value):
            return self._visit_reason(node)
        call = self._made(node.value)
        if call is not None and self._is_target(call):
            nothing = ast.parse("yield from ()" if isinstance(node.value, ast.Yield) else "pass").body[0]
            return ast.copy_location(nothing, node)
        return self.generic_visit(node)

    def visit_List(self, node):
        node.elts = [item for item in node.elts if not self._is_target(item)]
        return self.generic_visit(node)

    visit_Tuple = visit_List  # noqa: N815

    def visit_ListComp(self, node):
        if self._is_target(node.elt):
            return ast.copy_location(ast.List(elts=[], ctx=ast.Load()), node)
        return self.generic_visit(node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if not self._is_site(node):
            return node
        site = ast.Constant((self.module, node.lineno, node.col_offset))
        name = "_removed" if self._is_target(node) else "_marked"
        wrapped = ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=[site, node], keywords=[])
        return ast.copy_location(wrapped, node)

    def _made(self, value):
        """The call inside ``yield Finding(...)`` and ``x.append(Finding(...))``."""
        if isinstance(value, ast.Yield):
            value = value.value
        elif isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "append":
            value = value.args[0]
        return value if self._is_site(value) else None

    def _visit_reason(self, node):
        place = (self.module, node.lineno, node.col_offset)
        if self.target == place:
            return ast.copy_location(ast.parse("yield from ()").body[0], node)
        node.value.value = ast.Call(
            func=ast.Name(id="_marked", ctx=ast.Load()),
            args=[ast.Constant(place), node.value.value],
            keywords=[],
        )
        return ast.fix_missing_locations(node)

    @staticmethod
    def _is_reason(value):
        """Text that is yielded, alone or behind the place that it is about."""
        said = value.value if isinstance(value, ast.Yield) else None
        last = said.elts[-1] if isinstance(said, ast.Tuple) and said.elts else said
        return isinstance(last, ast.JoinedStr) or (
            isinstance(last, ast.Constant) and isinstance(last.value, str)
        )

    def _is_site(self, node):
        if not isinstance(node, ast.Call):
            return False
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        # What a helper makes counts where the helper is called.
        return name in MAKERS and not (MAKERS | ELSEWHERE).intersection(self.inside)

    def _is_target(self, node):
        place = self.target
        return self._is_site(node) and place == (self.module, node.lineno, node.col_offset)


class Loader(importlib.abc.Loader):
    """Runs the transformed source of one module."""

    def __init__(self, path, target, spoke):
        self.path, self.target, self.spoke = path, target, spoke

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        tree = Sites(module.__name__, self.target).visit(ast.parse(Path(self.path).read_text()))
        module.__dict__.update(_marked=self._marked, _removed=self._removed)
        exec(compile(ast.fix_missing_locations(tree), self.path, "exec"), module.__dict__)

    def _marked(self, site, made):
        findings = getattr(made, "findings", (made,))
        if findings and findings[0] is not None:
            self.spoke.add(site)
        return made

    def _removed(self, site, made):
        return replace(made, findings=()) if hasattr(made, "findings") else replace(made, path=MARK)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the package, to be loaded transformed."""

    def __init__(self, target=None):
        self.target, self.spoke = target, set()

    def find_spec(self, name, path, target=None):
        if name != PACKAGE and not name.startswith(PACKAGE + "."):
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path)
        if found is None or not (found.origin or "").endswith(".py"):
            return found
        loader = Loader(found.origin, self.target, self.spoke)
        places = found.submodule_search_locations
        return importlib.util.spec_from_file_location(
            name, found.origin, loader=loader, submodule_search_locations=places
        )

    def __enter__(self):
        forget()
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_):
        sys.meta_path.remove(self)
        forget()


def forget():
    for name in [name for name in sys.modules if name == PACKAGE or name.startswith(PACKAGE + ".")]:
        del sys.modules[name]


def holds(folder):
    """Whether the folder's receipt comes out as the folder says."""
    expected = expected_of(folder)
    try:
        outcome = judge_folder(folder)
    except Exception:  # a verifier that breaks down has noticed
        return False
    from passfloor.verification.findings import overall

    findings = [finding for finding in outcome.findings if finding.path != MARK]
    found = {(finding.code, finding.step) for finding in findings}
    right = not found if expected["code"] is None else (expected["code"], expected["step"]) in found
    return str(overall(findings)) == expected["status"] and right


def all_sites():
    """Every place of the package that makes a finding."""
    root = Path(importlib.util.find_spec(PACKAGE).submodule_search_locations[0])
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join((PACKAGE, *(part for part in parts if part != "__init__")))
        sites = Sites(name, None)
        counted = []
        sites.visit_Call = lambda node, s=sites, c=counted: _count(node, s, c)
        sites._visit_reason = lambda node, s=sites, c=counted: _count_reason(node, s, c)
        sites.visit(ast.parse(path.read_text()))
        yield from counted


def _count(node, sites, counted):
    sites.generic_visit(node)
    if sites._is_site(node):
        counted.append((sites.module, node.lineno, node.col_offset))
    return node


def _count_reason(node, sites, counted):
    counted.append((sites.module, node.lineno, node.col_offset))
    return node


def main():
    """Say which sites are not needed; 1 where there are any."""
    heard = {}
    with Finder() as finder:
        for folder in FOLDERS:
            finder.spoke.clear()
            if not holds(folder):
                raise SystemExit(f"{folder.name} is not judged as it says, with nothing removed")
            for site in finder.spoke:
                heard.setdefault(site, []).append(folder)
    sites = list(all_sites())
    survivors = []
    for site in sites:
        with Finder(site):
            if all(holds(folder) for folder in heard.get(site, ())):
                survivors.append(site)
    for module, line, _ in survivors:
        print(f"nobody noticed: {module} line {line}")
    print(f"{len(sites)} places that make a finding, {len(survivors)} whose removal nobody noticed")
    return 1 if survivors or not sites else 0


if __name__ == "__main__":
    raise SystemExit(main())
