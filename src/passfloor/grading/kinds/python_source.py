"""A captured file as Python source: its syntax and its docstrings.

Source is read as UTF-8, a byte order mark aside; a coding line is not followed, since what it names depends
on the interpreter. The grammar is that of Python 3.11 on every interpreter, so that a verifier on a
newer one comes to the same verdict; one thing no switch reaches is that f-strings may nest their own quotes
from 3.12 on.
"""

import ast
import threading
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache

from passfloor.grading.evidence import Evidence
from passfloor.grading.fresh_stack import on_fresh_stack
from passfloor.grading.kinds.files import whole_file
from passfloor.grading.kinds.source_bounds import refuse_brackets, refuse_depth, refuse_text, too_large
from passfloor.grading.unjudged import CannotJudge
from passfloor.models.assertions import DocstringContains, HasDocstring, SyntaxValid

GRAMMAR = (3, 11)

MAX_NAMES = 4_000_000
"""Characters of all dotted names together: long names in one another would multiply."""

_TOO_LARGE = (RecursionError, MemoryError, OverflowError, SystemError)
_quiet = threading.Lock()


def syntax_valid(assertion: SyntaxValid, evidence: Evidence) -> bool:
    """Whether the file is Python.

    What only the compiler refuses, such as a ``return`` outside a function, is not seen.
    """
    return tree_of(evidence, assertion.path) is not None


def has_docstring(assertion: HasDocstring, evidence: Evidence) -> bool:
    """Whether the function has a docstring that is not blank."""
    return _docstring(evidence, assertion.path, assertion.function).strip() != ""


def docstring_contains(assertion: DocstringContains, evidence: Evidence) -> bool:
    """Whether the text stands in the function's docstring, as written or with its indentation taken off."""
    docstring = _docstring(evidence, assertion.path, assertion.function)
    return assertion.text in docstring or assertion.text in _dedented(docstring)


def tree_of(evidence: Evidence, path: str | None) -> ast.Module | None:
    """The syntax tree of the file, None where it is missing, not UTF-8 or not Python.

    Args:
        evidence: what was captured.
        path: the file; None for the only .py file there is.

    Raises:
        CannotJudge: no path is given and there is not exactly one .py file, the file was cut short, or it is
            past one of the bounds in ``source_bounds``.
    """
    if path is None:
        sources = [name for name in evidence.files if name.endswith(".py")]
        if len(sources) != 1:
            raise CannotJudge(f"path needed: {len(sources)} .py files were captured")
        path = sources[0]
    data = whole_file(evidence, path)
    try:
        text = None if data is None else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    tree = None if text is None else _tree(text)
    return tree if isinstance(tree, ast.Module) else None


@lru_cache(maxsize=2)
def _tree(text: str) -> ast.AST | None:
    # Several assertions look at one file. Nobody changes a tree.
    return parsed(text, "exec")


def parsed(text: str, mode: str) -> ast.AST | None:
    """The syntax tree of the text (``mode``: ``exec`` or ``eval``), None where it is not Python.

    Raises:
        CannotJudge: it is past one of the bounds in ``source_bounds``.
    """
    return parsed_all([text], mode)[0]


def parsed_all(texts: Sequence[str], mode: str) -> list[ast.AST | None]:
    """What ``parsed`` gives for each of the texts, in order.

    Raises:
        CannotJudge: one of them is past one of the bounds in ``source_bounds``.
    """
    for text in texts:
        refuse_text(text)
    try:
        trees = on_fresh_stack(lambda: [_parse(text, mode) for text in texts])
    except _TOO_LARGE as error:
        raise too_large() from error
    for text, tree in zip(texts, trees, strict=True):
        if tree is None:
            refuse_brackets(text)
        else:
            refuse_depth(tree)
    return trees


def _parse(text: str, mode: str) -> ast.AST | None:
    # The parser warns of odd escapes, and under -W error turns the warning into a SyntaxError. There is no
    # switch for that, and catch_warnings swaps a list that all threads share: hence the lock.
    with _quiet, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text, mode=mode, feature_version=GRAMMAR)
        except (SyntaxError, ValueError):
            return None


Function = ast.FunctionDef | ast.AsyncFunctionDef


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Every function and class as (dotted name, definition, what it stands in), in source order.

    Raises:
        CannotJudge: the dotted names have more than ``MAX_NAMES`` characters together.
    """
    written = 0
    pending: list[tuple[ast.AST, str, ast.AST]] = [(tree, "", tree)]
    while pending:
        node, prefix, scope = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{node.name}"
            written += len(name)
            if written > MAX_NAMES:
                raise too_large()
            yield name, node, scope
            prefix, scope = f"{name}.", node
        children = [(child, prefix, scope) for child in ast.iter_child_nodes(node)]
        pending.extend(reversed(children))


def _docstring(evidence: Evidence, path: str | None, function: str) -> str:
    """The docstring as written, "" where the file, the function or the docstring is missing."""
    tree = tree_of(evidence, path)
    node = None if tree is None else _function(tree, function)
    return "" if node is None else ast.get_docstring(node, clean=False) or ""


def _function(tree: ast.Module, name: str) -> Function | None:
    """The last function of this dotted name, else the only method of this bare name."""
    functions = [
        (dotted, node, scope)
        for dotted, node, scope in definitions(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_setter(node)
    ]
    exact = [node for dotted, node, _ in functions if dotted == name]
    if exact:
        return exact[-1]
    methods = {
        dotted: node
        for dotted, node, scope in functions
        if node.name == name and isinstance(scope, ast.ClassDef)
    }
    return next(iter(methods.values())) if len(methods) == 1 else None


def _is_setter(node: Function) -> bool:
    """A property's second and third functions share its name; its docstring is the first one's."""
    return any(
        isinstance(decorator, ast.Attribute) and decorator.attr in {"setter", "deleter"}
        for decorator in node.decorator_list
    )


def _dedented(docstring: str) -> str:
    """The docstring without the indentation that all lines but the first share (PEP 257)."""
    first, *rest = docstring.split("\n")
    margin = min((len(line) - len(line.lstrip(" \t")) for line in rest if line.strip()), default=0)
    return "\n".join([first.lstrip(" \t"), *(line[margin:] for line in rest)])
