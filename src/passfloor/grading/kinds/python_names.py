"""The names a Python file defines, uses and imports."""

import ast
from collections.abc import Iterable, Iterator

from passfloor.grading.evidence import Evidence
from passfloor.grading.kinds.python_source import definitions, parsed, tree_of
from passfloor.models.assertions import NoSymbol, NoUnusedImport, SymbolPresent


def symbol_present(assertion: SymbolPresent, evidence: Evidence) -> bool:
    """Whether the file defines or uses the name.

    A dotted one is found as an attribute access that ends with it, an import, or a definition inside another.
    """
    tree = tree_of(evidence, assertion.path)
    return tree is not None and _has_symbol(tree, assertion.symbol)


def no_symbol(assertion: NoSymbol, evidence: Evidence) -> bool:
    """Whether the file is Python and neither defines nor uses the name.

    A file that is missing or broken proves nothing: the assertion does not hold.
    """
    tree = tree_of(evidence, assertion.path)
    return tree is not None and not _has_symbol(tree, assertion.symbol)


def no_unused_import(assertion: NoUnusedImport, evidence: Evidence) -> bool:
    """Whether the file is Python and every name it imports is read somewhere in it, or listed in ``__all__``.

    Scopes are not told apart. ``from __future__``, ``import *`` and the re-export ``import x as x`` (PEP 484)
    count as used; annotations in quotes are read as the expressions they are.
    """
    tree = tree_of(evidence, assertion.path)
    if tree is None:
        return False
    bound = set(_imported(tree))
    return bound <= _read_names(tree) | _exported(tree) if bound else True


def _has_symbol(tree: ast.Module, symbol: str) -> bool:
    if "." not in symbol:
        return any(symbol in _names(node) for node in ast.walk(tree))
    parts = symbol.split(".")
    return any(_ends_with(node, parts) or symbol in _imported_paths(node) for node in ast.walk(tree)) or any(
        dotted == symbol for dotted, _, _ in definitions(tree)
    )


def _names(node: ast.AST) -> Iterator[str]:
    """The bare names that stand in this node itself: identifiers are its plain text fields."""
    if isinstance(node, ast.Constant):
        return
    for _, value in ast.iter_fields(node):
        if isinstance(value, str):
            yield from (
                {value, *value.split(".")} if isinstance(node, ast.alias | ast.ImportFrom) else (value,)
            )
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, str))


def _ends_with(node: ast.AST, parts: list[str]) -> bool:
    """Whether the node is an attribute access whose last names are these."""
    here: ast.AST = node
    for part in reversed(parts[1:]):
        if not isinstance(here, ast.Attribute) or here.attr != part:
            return False
        here = here.value
    return (isinstance(here, ast.Name) and here.id == parts[0]) or (
        isinstance(here, ast.Attribute) and here.attr == parts[0]
    )


def _imported_paths(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            steps = alias.name.split(".")
            yield from (".".join(steps[:end]) for end in range(2, len(steps) + 1))
    elif isinstance(node, ast.ImportFrom) and node.module is not None:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _imported(tree: ast.Module) -> Iterator[str]:
    """The names that imports bind and that somebody has to use."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*" or alias.asname == alias.name:
                    continue
                # "import a.b" binds a.
                yield alias.asname or (
                    alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name
                )


def _read_names(tree: ast.Module) -> set[str]:
    """Names read or deleted, also inside annotations in quotes."""
    names: set[str] = set()
    pending: list[ast.AST] = [tree]
    quoted: list[ast.AST] = [annotation for node in ast.walk(tree) for annotation in _annotations(node)]
    while pending or quoted:
        for node in ast.walk(pending.pop()) if pending else ():
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
        for node in ast.walk(quoted.pop()) if quoted else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                expression = parsed(node.value.strip(), "eval")
                if expression is not None:
                    # Quotes inside quotes are shorter, so this ends.
                    pending.append(expression)
                    quoted.append(expression)
    return names


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
        yield node.annotation
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
        yield node.returns


def _exported(tree: ast.Module) -> set[str]:
    """The texts in every value that ``__all__`` is given, by assignment or by one of its methods."""
    return {
        part.value
        for node in ast.walk(tree)
        for value in _given_to_all(node)
        for part in ast.walk(value)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }


def _given_to_all(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, ast.Assign) and any(_is_all(target) for target in node.targets):
        return (node.value,)
    if isinstance(node, ast.AugAssign | ast.AnnAssign) and _is_all(node.target):
        return (node.value,) if node.value is not None else ()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_all(node.func.value):
        return node.args if node.func.attr in {"append", "extend"} else ()
    return ()


def _is_all(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "__all__"
