"""The names a Python file defines, uses and imports."""

import ast
from collections.abc import Iterable, Iterator

from passfloor.grading.evidence import Evidence
from passfloor.grading.kinds.python_source import definitions, parsed_all, tree_of
from passfloor.grading.unjudged import CannotJudge
from passfloor.models.assertions import NoSymbol, NoUnusedImport, SymbolPresent

MAX_QUOTED = 1_000
"""Annotations in quotes that are parsed, those inside others included."""
MAX_QUOTED_LENGTH = 1_000
"""Characters of one."""


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
    return any(_ends_with(node, parts) or _imports(node, symbol) for node in ast.walk(tree)) or any(
        dotted == symbol for dotted, _, _ in definitions(tree)
    )


def _names(node: ast.AST) -> Iterator[str]:
    """The bare names that stand in this node itself: identifiers are its plain text fields."""
    if isinstance(node, ast.Constant):
        return
    for _, value in ast.iter_fields(node):
        if isinstance(value, str):
            yield from value.split(".")
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


def _imports(node: ast.AST, symbol: str) -> bool:
    """Whether the node imports the dotted name, a module above or the module it is taken from included."""
    if isinstance(node, ast.Import):
        return any(alias.name == symbol or alias.name.startswith(f"{symbol}.") for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        module, _, name = symbol.rpartition(".")
        return node.module == symbol or (
            node.module == module and any(alias.name == name for alias in node.names)
        )
    return False


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
                yield alias.asname or alias.name.partition(".")[0]


def _read_names(tree: ast.Module) -> set[str]:
    """Names read or deleted, also inside annotations in quotes."""
    names: set[str] = set()
    read: list[ast.AST] = [tree]
    quoted = [annotation for node in ast.walk(tree) for annotation in _annotations(node)]
    total = 0
    while read:
        for node in _walk(read):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
        texts = list(_texts(quoted))
        total += len(texts)
        if total > MAX_QUOTED or any(len(text) > MAX_QUOTED_LENGTH for text in texts):
            raise CannotJudge("the annotations in quotes are too many or too long")
        # Quotes inside quotes are shorter, so this ends.
        read = quoted = [found for found in parsed_all([text.strip() for text in texts], "eval") if found]
    return names


def _texts(roots: Iterable[ast.AST]) -> Iterator[str]:
    for node in _walk(roots):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _walk(roots: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node at or below the roots once, although they may lie inside one another."""
    pending, seen = list(roots), set[int]()
    while pending:
        node = pending.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            pending.extend(ast.iter_child_nodes(node))


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
        yield node.annotation
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
        yield node.returns


def _exported(tree: ast.Module) -> set[str]:
    """The texts in every value that ``__all__`` is given, by assignment or by one of its methods."""
    return set(_texts([value for node in ast.walk(tree) for value in _given_to_all(node)]))


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
