"""passfloor-reference: a scripted agent that does small file jobs from plain sentences.

It knows no suite. It takes its instructions one sentence at a time from the ``steps`` of the task (the JSON
file that ``PASSFLOOR_TASK`` names) or, where there are none, from the prompt on standard input. It works out
every edit before it writes the first. Names, paths and texts stand in backquotes. What it understands:

    Read `FILE`.                                  (.csv: a table with a header; anything else: lines)
    Keep the rows whose `COLUMN` is `VALUE`.      (also: Drop the rows ...; is not)
    Add the column `C`, which is `A` times `B`.   (also: plus, minus)
    Sum `COLUMN` for each `COLUMN`[, with N decimals].
    Sort the rows by `C`[ from largest to smallest][, then by `D`[ from smallest to largest]].
    Sort the lines.  Drop the blank lines.  Drop the repeated lines.  Turn the lines into upper case.
    Write the columns `A`, `B` and `C` to `FILE`.
    Write the result to `FILE`.
    Rename the function `OLD` to `NEW` in every Python file.
    Remove the unused imports from `FILE`.
    Write pytest tests for the function `F` of `MODULE.py` into `FILE`, one for each example in its docstring.
    Name the tests `A`, `B` and `C`, in the order of the examples.
    Replace the docstring of `F` in `FILE` with the summary `TEXT`.   (also: Add a docstring to `F` in ...)
    List its parameters in a section `HEADING`, each with the comment beside it.
    List its exceptions in a section `HEADING`, each with its message.
    Leave ... as it is.  Change nothing else.  Do not ...             (no more is changed than was asked)

Usage: passfloor-reference [--flaky P] [--help]

    --flaky P   with probability P (0 to 1, by the system's randomness) leave the last edit out and say so

Exit status: 0 done, 1 understood but impossible, 2 bad usage, 3 a sentence that is not understood.
"""

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

# A run starts this program for every attempt, so ast, csv, decimal, json and random are imported by the job
# that needs them. It also runs as a plain script under ``python -I``: it is one file that imports nothing of
# its package, and the digest of that file covers all of the agent.
if TYPE_CHECKING:
    import ast
    from decimal import Decimal

Row = dict[str, str]
Span = tuple[int, int, bytes]
"""Bytes ``[start, end)`` of a source and what replaces them."""


class Refusal(Exception):  # noqa: N818
    """The program ends without an edit: a line for standard error and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class Desk:
    """What is being worked on: the table or lines read last, drafts, and the edits so far (path -> bytes)."""

    def __init__(self) -> None:
        self.rows: list[Row] | None = None
        self.lines: list[str] | None = None
        self.edits: dict[str, bytes] = {}
        self.tests: dict[str, Any] = {}
        self.doc: dict[str, Any] = {}

    def read(self, path: str) -> bytes:
        """The file as edited so far."""
        if path in self.edits:
            return self.edits[path]
        try:
            return inside(path).read_bytes()
        except OSError as error:
            raise Refusal(f"cannot read {path}: {error.strerror}; the file has to be there") from error

    def table(self) -> list[Row]:
        """The rows read last."""
        if self.rows is None:
            raise Refusal("no table was read: say first which .csv file to read")
        return self.rows

    def text(self) -> list[str]:
        """The lines read last."""
        if self.lines is None:
            raise Refusal("no lines were read: say first which file to read")
        return self.lines


def inside(path: str) -> Path:
    """The path, refused where it leads out of the working directory."""
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise Refusal(f"{path} lies outside of the working directory")
    return Path(path)


def quoted(text: str) -> list[str]:
    """The backquoted words of a sentence, in order."""
    return re.findall(r"`([^`]*)`", text)


def read_file(desk: Desk, path: str) -> None:
    """Take a file onto the desk."""
    try:
        text = desk.read(path).decode()
    except UnicodeDecodeError as error:
        raise Refusal(f"{path} is not UTF-8 text: {error.reason}") from error
    desk.rows = desk.lines = None
    if path.lower().endswith(".csv"):
        import csv

        desk.rows = list(csv.DictReader(text.splitlines(keepends=True)))
    else:
        desk.lines = text.splitlines()


def cell(row: Row, column: str) -> str:
    """A value of a row."""
    if row.get(column) is None:
        raise Refusal(f"a row has no column {column}; it has {', '.join(map(str, row))}")
    return row[column]


def number(text: str) -> "Decimal":
    """A cell as an exact number."""
    import decimal

    try:
        return decimal.Decimal(text)
    except decimal.InvalidOperation:
        raise Refusal(f"{text!r} is not a number") from None


def filter_rows(desk: Desk, verb: str, column: str, negated: str, value: str) -> None:
    """Keep or drop the rows that have a value in a column."""
    wanted = (verb == "Keep") != bool(negated)
    desk.rows = [row for row in desk.table() if (cell(row, column) == value) is wanted]


def add_column(desk: Desk, new: str, left: str, operator: str, right: str) -> None:
    """Compute a column from two others."""
    for row in desk.table():
        a, b = number(cell(row, left)), number(cell(row, right))
        row[new] = str({"times": a * b, "plus": a + b, "minus": a - b}[operator])


def sum_rows(desk: Desk, column: str, key: str, decimals: str | None) -> None:
    """Leave one row for each value of ``key``, with the sum of ``column``."""
    sums: dict[str, Decimal] = {}
    for row in desk.table():
        sums[cell(row, key)] = sums.get(cell(row, key), number("0")) + number(cell(row, column))
    digits = f".{decimals}f" if decimals else "f"
    desk.rows = [{key: value, column: format(total, digits)} for value, total in sums.items()]


def sort_rows(desk: Desk, order: str) -> None:
    """Sort by several columns; a column with a direction holds numbers, one without holds text."""
    for clause in reversed(order.split(", then by ")):
        column = quoted(clause)[0]
        numeric = "from " in clause.rpartition("`")[2]
        desk.table().sort(
            key=lambda row: number(cell(row, column)) if numeric else cell(row, column),
            reverse=clause.endswith("from largest to smallest"),
        )


def edit_lines(desk: Desk, sentence: str) -> None:
    """Change the lines on the desk as a whole."""
    lines = desk.text()
    desk.lines = {
        "Sort the lines": lambda: sorted(lines),
        "Drop the blank lines": lambda: [line for line in lines if line.strip()],
        "Drop the repeated lines": lambda: list(dict.fromkeys(lines)),
        "Turn the lines into upper case": lambda: [line.upper() for line in lines],
        "Turn the lines into lower case": lambda: [line.lower() for line in lines],
    }[sentence]()


def write_columns(desk: Desk, columns: str, path: str) -> None:
    """Write some columns of the table."""
    names = quoted(columns)
    write_table(desk, path, names, [[cell(row, name) for name in names] for row in desk.table()])


def write_result(desk: Desk, path: str) -> None:
    """Write the whole table or the lines."""
    if desk.lines is not None:
        desk.edits[path] = "".join(f"{line}\n" for line in desk.lines).encode()
        return
    rows = desk.table()
    names = list(rows[0]) if rows else []
    write_table(desk, path, names, [[cell(row, name) for name in names] for row in rows])


def write_table(desk: Desk, path: str, names: list[str], values: list[list[str]]) -> None:
    """Write a header and rows as CSV with plain newlines."""
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([names, *values])
    desk.edits[path] = out.getvalue().encode()


class Source:
    """A Python file, its tree, and the spans to replace in it."""

    def __init__(self, desk: Desk, path: str) -> None:
        import ast

        self.desk, self.path, self.spans = desk, path, list[Span]()
        self.data = desk.read(path)
        try:
            self.tree = ast.parse(self.data)
        except (SyntaxError, ValueError) as error:
            raise Refusal(f"{path} is not valid Python: {error}") from error
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: Any) -> int:
        """Offset of the first byte of a node (``ast`` counts columns in UTF-8 bytes)."""
        return int(self._starts[node.lineno - 1] + node.col_offset)

    def end(self, node: Any) -> int:
        """Offset after the last byte of a node."""
        return int(self._starts[node.end_lineno - 1] + node.end_col_offset)

    def save(self) -> None:
        """Put the file with its replacements among the edits, if any."""
        data = self.data
        for start, end, new in sorted(set(self.spans), reverse=True):
            data = data[:start] + new + data[end:]
        if data != self.data:
            self.desk.edits[self.path] = data


def python_files() -> list[str]:
    """The Python files below the working directory, sorted; hidden folders and links are left out."""
    found = []
    for folder, folders, names in os.walk("."):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        paths = [Path(folder, name) for name in names if name.endswith(".py")]
        found += [path.as_posix() for path in paths if not path.is_symlink()]
    return sorted(found)


def module_name(path: str) -> str:
    """``shop/pricing.py`` -> ``shop.pricing``; a package goes by its folder."""
    return ".".join(PurePosixPath(path).with_suffix("").parts).removesuffix(".__init__")


def sets_exports(node: "ast.Assign | ast.AugAssign | ast.AnnAssign") -> bool:
    """Whether the statement sets or extends ``__all__``."""
    import ast

    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


class Renaming:
    """One file of a rename: which of its names mean the function, by the scopes of the language."""

    def __init__(self, source: Source, old: str, new: str, modules: set[str]) -> None:
        import ast

        self.source, self.old, self.new = source, old, new
        self.aliases: dict[str, str] = {}
        self.imports: list[tuple[str, ast.alias]] = []
        self.bound = False
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    root = alias.name if alias.asname else alias.name.partition(".")[0]
                    self.aliases[alias.asname or root] = root
            elif isinstance(node, ast.ImportFrom):
                self._import_from(node, modules)
        self.definitions = [
            source.data.index(old.encode(), source.data.index(b"def", source.start(node)) + 3)
            for node in source.tree.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == old
        ]

    def _import_from(self, node: "ast.ImportFrom", modules: set[str]) -> None:
        package = module_name(self.source.path).split(".")
        keep = len(package) - node.level + self.source.path.endswith("__init__.py") if node.level else 0
        origin = ".".join([*package[:keep], *([node.module] if node.module else [])])
        for alias in node.names:
            whole = f"{origin}.{alias.name}".lstrip(".")
            if whole in modules:
                self.aliases[alias.asname or alias.name] = whole
            else:
                self.imports.append((origin, alias))

    def exposes(self, homes: set[str]) -> bool:
        """Whether the old name means the function here, given the modules already known to hold it."""
        names = [alias.name for origin, alias in self.imports if origin in homes and not alias.asname]
        return bool(self.definitions) or self.old in names or "*" in names

    def finish(self, homes: set[str]) -> None:
        """Rename the definition, the imports from the modules that hold it, and the uses."""
        self.bound = self.exposes(homes)
        for at in self.definitions:
            self.replace(at)
        for origin, alias in self.imports:
            if origin in homes and alias.name == self.old:
                self.replace(self.source.start(alias))
        self._uses(self.source.tree, homes)
        self.source.save()

    def replace(self, at: int) -> None:
        """The old name stands at this offset; the new one shall."""
        end = at + len(self.old.encode())
        # Before Python 3.12, ast misplaces names in some f-strings.
        if self.source.data[at:end] != self.old.encode():
            raise Refusal(f"{self.source.path}: cannot tell where {self.old} stands in an f-string")
        self.source.spans.append((at, end, self.new.encode()))

    def _uses(self, node: "ast.AST", homes: set[str], shadowed: bool = False) -> None:
        import ast

        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            shadowed = shadowed or self._hides(node)
        if isinstance(node, ast.Name) and node.id == self.old and self.bound and not shadowed:
            self.replace(self.source.start(node))
        elif isinstance(node, ast.Attribute) and node.attr == self.old:
            if self._dotted(node.value) in homes:
                self.replace(self.source.end(node) - len(self.old.encode()))
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and self.bound:
            self._exports(node)
        for child in ast.iter_child_nodes(node):
            self._uses(child, homes, shadowed)

    def _hides(self, function: "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda") -> bool:
        import ast

        nodes = list(ast.walk(function))
        if any(isinstance(node, ast.Global | ast.Nonlocal) and self.old in node.names for node in nodes):
            return False
        return any(
            (isinstance(node, ast.arg) and node.arg == self.old)
            or (isinstance(node, ast.Name) and node.id == self.old and isinstance(node.ctx, ast.Store))
            for node in nodes
        )

    def _dotted(self, node: "ast.expr") -> str:
        import ast

        if isinstance(node, ast.Attribute):
            return f"{self._dotted(node.value)}.{node.attr}"
        return self.aliases.get(node.id, "") if isinstance(node, ast.Name) else ""

    def _exports(self, node: "ast.Assign | ast.AugAssign | ast.AnnAssign") -> None:
        import ast

        for item in ast.walk(node.value) if node.value and sets_exports(node) else ():
            if isinstance(item, ast.Constant) and item.value == self.old:
                self.replace(self.source.data.index(self.old.encode(), self.source.start(item)))


def rename_function(desk: Desk, old: str, new: str) -> None:
    """Rename a function where it is defined, imported, used and exported."""
    if not new.isidentifier():
        raise Refusal(f"{new!r} is not a Python name")
    paths = python_files()
    modules = {module_name(path) for path in paths}
    files = [Renaming(Source(desk, path), old, new, modules) for path in paths]
    homes = {module_name(file.source.path) for file in files if file.definitions}
    if not homes:
        raise Refusal(f"no Python file defines a function {old}")
    size = 0
    while size < len(homes):
        size = len(homes)
        homes |= {module_name(file.source.path) for file in files if file.exposes(homes)}
    for file in files:
        file.finish(homes)


def remove_unused_imports(desk: Desk, path: str) -> None:
    """Remove the imported names that no expression, annotation or ``__all__`` of the file uses."""
    import ast

    source = Source(desk, path)
    used = used_names(source.tree)
    for parent in ast.walk(source.tree):
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(parent, field, None)
            if isinstance(statements, list):
                trim_imports(source, statements, used, needed=not isinstance(parent, ast.Module))
    source.save()


def used_names(tree: "ast.AST") -> set[str]:
    """Every name that is read, also inside quoted annotations, and the texts of ``__all__``."""
    import ast

    used = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            used.add(node.id)
        value = getattr(node, "annotation", None) or getattr(node, "returns", None)
        texts = [value] if isinstance(value, ast.expr) else []
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value and sets_exports(node):
            texts.append(node.value)
        for text in (item for value in texts for item in ast.walk(value)):
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                used.update(re.findall(r"\w+", text.value))
    return used


def trim_imports(source: Source, statements: list["ast.stmt"], used: set[str], *, needed: bool) -> None:
    """Cut unused names out of the imports of one block; ``needed`` blocks must not become empty."""
    import ast

    gone = 0
    for node in statements:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        kept = [index for index, name in enumerate(names) if name in used or name == "*"]
        if not kept:
            gone += 1
            cut_statement(source, node, stand_in=needed and gone == len(statements))
            continue
        for index, alias in enumerate(node.names):
            if index in kept:
                continue
            if index < kept[-1]:
                source.spans.append((source.start(alias), source.start(node.names[index + 1]), b""))
            elif index == len(names) - 1:
                source.spans.append((source.end(node.names[kept[-1]]), source.end(alias), b""))


def cut_statement(source: Source, node: "ast.stmt", *, stand_in: bool) -> None:
    """Remove a statement with its line; ``pass`` takes its place where something else needs one there."""
    start, end = source.start(node), source.end(node)
    line_start = source.data.rfind(b"\n", 0, start) + 1
    line_end = source.data.find(b"\n", end) + 1 or len(source.data)
    rest = source.data[end:line_end].strip()
    if stand_in or source.data[line_start:start].strip() or not (rest == b"" or rest.startswith(b"#")):
        source.spans.append((start, end, b"pass"))
    else:
        source.spans.append((line_start, line_end, b""))


def function_named(source: Source, name: str) -> "ast.FunctionDef | ast.AsyncFunctionDef":
    """The first function of that name."""
    import ast

    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return node
    raise Refusal(f"{source.path} defines no function {name}")


def plan_tests(desk: Desk, function: str, module: str, path: str) -> None:
    """Take note of a test file to write; its names may follow."""
    finish_tests(desk)
    desk.tests = {"function": function, "module": module, "path": path, "names": None}


def name_tests(desk: Desk, names: str) -> None:
    """Give the tests of the file in work their names."""
    if not desk.tests:
        raise Refusal("there are no tests to name: say first what to test")
    desk.tests["names"] = quoted(names)


def examples_of(docstring: str) -> list[tuple[str, str]]:
    """The ``>>>`` examples of a docstring with their results, both as written."""
    found = []
    pattern = r"^ *>>> (.+(?:\n *\.\.\. .*)*)\n((?: *(?!>>>)\S.*\n?)*)"
    for code, result in re.findall(pattern, docstring, re.MULTILINE):
        found.append((re.sub(r"\n *\.\.\. ", "\n        ", code), result.strip()))
    return found


def finish_tests(desk: Desk) -> None:
    """Write the test file that is in work, if any."""
    if not desk.tests:
        return
    import ast

    function, module, path = desk.tests["function"], desk.tests["module"], desk.tests["path"]
    docstring = ast.get_docstring(function_named(Source(desk, module), function)) or ""
    examples = [(code, result) for code, result in examples_of(docstring) if result]
    names = desk.tests["names"] or [f"test_{function}_{place}" for place in range(1, len(examples) + 1)]
    if not examples or len(names) != len(examples):
        raise Refusal(f"{function} has {len(examples)} examples with a result, for {len(names)} tests")
    raises = any(result.startswith("Traceback") for _, result in examples)
    parts = ["import pytest\n\n"] if raises else []
    parts.append(f"from {module_name(module)} import {function}\n")
    for name, (code, result) in zip(names, examples, strict=True):
        parts.append(f"\n\ndef {name}():\n{test_body(code, result)}")
    desk.edits[path] = "".join(parts).encode()
    desk.tests = {}


def test_body(code: str, result: str) -> str:
    """The statement that checks one example."""
    import ast

    if result.startswith("Traceback"):
        error = result.splitlines()[-1].partition(":")[0].strip()
        return f"    with pytest.raises({error}):\n        {code}\n"
    if not isinstance(ast.parse(code.strip(), mode="eval").body, ast.Call):
        code = f"({code})"
    operator = "is" if result in ("True", "False", "None") else "=="
    return f"    assert {code} {operator} {result}\n"


def plan_docstring(desk: Desk, function: str, path: str, summary: str) -> None:
    """Take note of a docstring to write; its sections may follow."""
    finish_docstring(desk)
    desk.doc = {"function": function, "path": path, "paragraphs": [summary]}


def add_section(desk: Desk, subject: str, heading: str) -> None:
    """Add a section on the parameters or the exceptions to the docstring in work."""
    if not desk.doc:
        raise Refusal("there is no docstring to add to: say first which one")
    source = Source(desk, desk.doc["path"])
    function = function_named(source, desk.doc["function"])
    items = parameters(source, function) if subject == "parameters" else exceptions(function)
    lines = [f"    {name}: {words}" if words else f"    {name}" for name, words in items]
    desk.doc["paragraphs"].append("\n".join([heading, *lines]))


def parameters(source: Source, function: "ast.FunctionDef | ast.AsyncFunctionDef") -> list[tuple[str, str]]:
    """The parameters in order, each with the words of the comment on its line."""
    import io
    import tokenize

    comments = {
        token.start[0]: token.string.lstrip("#").strip()
        for token in tokenize.tokenize(io.BytesIO(source.data).readline)
        if token.type == tokenize.COMMENT
    }
    group = function.args
    found = [*group.posonlyargs, *group.args, *filter(None, [group.vararg]), *group.kwonlyargs]
    found += filter(None, [group.kwarg])
    return [(item.arg, comments.get(item.lineno, "")) for item in found]


def exceptions(function: "ast.FunctionDef | ast.AsyncFunctionDef") -> list[tuple[str, str]]:
    """The exceptions the function itself raises, in order, each with its message where that is plain text."""
    import ast

    found: list[tuple[str, str]] = []
    stack: list[ast.AST] = list(reversed(function.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Raise) and node.exc is not None:
            call = node.exc if isinstance(node.exc, ast.Call) else None
            first = call.args[0] if call and call.args else None
            words = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
            found.append((ast.unparse(call.func if call else node.exc), words))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack += reversed(list(ast.iter_child_nodes(node)))
    return list(dict.fromkeys(found))


def finish_docstring(desk: Desk) -> None:
    """Write the docstring that is in work, if any."""
    if not desk.doc:
        return
    import ast

    source = Source(desk, desk.doc["path"])
    function = function_named(source, desk.doc["function"])
    first = function.body[0]
    if first.lineno == function.lineno:
        raise Refusal(f"{function.name} stands on one line: there is no room for a docstring")
    indent = " " * first.col_offset
    text = "\n\n".join(desk.doc["paragraphs"]).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = text.split("\n")
    closing = '"""' if len(lines) == 1 else f'\n{indent}"""'
    body = "\n".join([lines[0], *(f"{indent}{line}".rstrip() for line in lines[1:])])
    new = f'"""{body}{closing}'.encode()
    start = source.start(first)
    if ast.get_docstring(function) is None:
        source.spans.append((start, start, new + f"\n{indent}".encode()))
    else:
        source.spans.append((start, source.end(first), new))
    source.save()
    desk.doc = {}


def leave(_desk: Desk) -> None:
    """Nothing to do: no more is changed than was asked."""


Q = "`([^`]+)`"
LIST = "(`[^`]+`(?:, `[^`]+`)*(?:,? and `[^`]+`)?)"
WAY = "(?: from (?:largest to smallest|smallest to largest))?"
FORMS: list[tuple[str, Callable[..., None]]] = [
    (f"Read {Q}", read_file),
    (f"(Keep|Drop) the rows whose {Q} is (not )?{Q}", filter_rows),
    (f"Add the column {Q}, which is {Q} (times|plus|minus) {Q}", add_column),
    (f"Sum {Q} for each {Q}(?:, with ([0-9]) decimals?)?", sum_rows),
    (f"Sort the rows by (`[^`]+`{WAY}(?:, then by `[^`]+`{WAY})*)", sort_rows),
    (
        "(Sort the lines|Drop the (?:blank|repeated) lines|Turn the lines into (?:upper|lower) case)",
        edit_lines,
    ),
    (f"Write the columns? {LIST} to {Q}", write_columns),
    (f"Write the result to {Q}", write_result),
    (f"Rename the function {Q} to {Q} in every Python file", rename_function),
    (f"Remove the unused imports from {Q}", remove_unused_imports),
    (
        f"Write pytest tests for the function {Q} of {Q} into {Q}, one for each example in its docstring",
        plan_tests,
    ),
    (f"Name the tests {LIST}, in the order of the examples", name_tests),
    (f"(?:Replace the docstring of|Add a docstring to) {Q} in {Q} with the summary {Q}", plan_docstring),
    (f"List its (parameters) in a section {Q}, each with the comment beside it", add_section),
    (f"List its (exceptions) in a section {Q}, each with its message", add_section),
    ("Leave .+ as (?:it is|they are).*|Change nothing else.*|Do not .+", leave),
]


def sentences(text: str) -> list[str]:
    """The sentences of a text, blanks evened out; a full stop inside backquotes or a word ends none."""
    found = re.findall(r"(?:`[^`]*`|[^`.]|\.(?!\s|$)|`)+", " ".join(text.split()))
    return [sentence.strip() for sentence in found if sentence.strip()]


def work_out(texts: Sequence[str]) -> dict[str, bytes]:
    """Turn instructions into edits, path -> new content; nothing is written."""
    orders = [sentence for text in texts for sentence in sentences(text)]
    if not orders:
        raise Refusal("there is neither a step nor a prompt", 3)
    calls = []
    for order in orders:
        for pattern, action in FORMS:
            match = re.fullmatch(pattern, order)
            if match:
                calls.append((action, match.groups()))
                break
        else:
            raise Refusal(f"I do not understand {order[:200]!r}; --help lists the sentences I know", 3)
    desk = Desk()
    for action, words in calls:
        action(desk, *words)
    finish_tests(desk)
    finish_docstring(desk)
    if not desk.edits:
        raise Refusal("the instructions change nothing")
    return desk.edits


def instructions(prompt: str) -> list[str]:
    """The task's steps, or the prompt where there are none."""
    path = os.environ.get("PASSFLOOR_TASK")
    if not path:
        return [prompt]
    import json

    try:
        steps = json.loads(Path(path).read_bytes()).get("steps")
    except (OSError, ValueError, AttributeError) as error:
        raise Refusal(f"PASSFLOOR_TASK: cannot read {path} as a task: {error}", 2) from error
    return [str(step) for step in steps] if steps else [prompt]


def journal(paths: Sequence[str]) -> None:
    """Append one line an edit to the journal, before any chance has a say in what is written.

    What an attempt journals is coordination and has to be the same in every attempt of a task.
    """
    path = os.environ.get("PASSFLOOR_JOURNAL")
    if not path:
        return
    import json

    with Path(path).open("a", encoding="utf-8") as handle:
        for edited in paths:
            line = {"kind": "tool.call", "tool": "write_file", "path": edited}
            handle.write(json.dumps(line, ensure_ascii=False) + "\n")


def probability(words: Sequence[str]) -> float:
    """Read the command line: the P of ``--flaky P`` or ``--flaky=P``, 0 where it is not given."""
    if not words:
        return 0.0
    flag, equals, value = words[0].partition("=")
    rest = [value, *words[1:]] if equals else list(words[1:])
    if flag != "--flaky" or len(rest) != 1:
        raise Refusal(f"unknown arguments {' '.join(words)!r}: use --flaky P, or --help", 2)
    try:
        chance = float(rest[0])
    except ValueError:
        chance = -1.0
    if not 0 <= chance <= 1:
        raise Refusal(f"--flaky {rest[0]}: P is a number from 0 to 1", 2)
    return chance


def fails(chance: float) -> bool:
    """Draw whether this attempt goes wrong; never from the seed, so that attempts are independent."""
    if chance in (0.0, 1.0):
        return chance == 1.0
    import random

    return random.SystemRandom().random() < chance


def run(words: Sequence[str]) -> str:
    """Do the job in the working directory; return what to say."""
    chance = probability(words)
    prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    edits = work_out(instructions(prompt))
    journal(list(edits))
    *most, last = edits
    said = []
    for path in most if fails(chance) else edits:
        try:
            inside(path).parent.mkdir(parents=True, exist_ok=True)
            inside(path).write_bytes(edits[path])
        except OSError as error:
            raise Refusal(f"cannot write {path}: {error.strerror}; name another file") from error
        said.append(f"wrote {path}\n")
    if len(said) < len(edits):
        said.append(f"left out {last}\n")
    return "".join(said)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the agent on the task that its environment and standard input give.

    Returns:
        0 done (also where ``--flaky`` left something out), 1 impossible, 2 bad usage, 3 not understood.
    """
    words = sys.argv[1:] if argv is None else argv
    try:
        text = str(__doc__) if "--help" in words or "-h" in words else run(words)
    except Refusal as refusal:
        sys.stderr.write(f"passfloor-reference: {refusal}\n")
        return refusal.status
    sys.stdout.buffer.write(text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
