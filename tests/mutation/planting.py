"""Faults put into live code: the units in which they can be planted, and the exchange of what is loaded."""

import ast
import collections
import functools
import gc
import sys
import types
from dataclasses import dataclass
from pathlib import Path

from operators import is_type, plant, told

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"


@dataclass(frozen=True)
class Unit:
    """A function, a method or a module's assignment, and the faults that can be planted in it."""

    file: str
    statement: int
    member: int | None
    name: str
    line: int
    faults: tuple[str, ...]
    is_code: bool

    @property
    def place(self):
        """The path below the package."""
        return Path(self.file).relative_to(SOURCE / "passfloor").as_posix()


def units_of(path):
    """The units of a module, in order."""
    for at, node in enumerate(ast.parse(_source(str(path))).body):
        if isinstance(node, ast.FunctionDef):
            yield _code_unit(path, at, None, node, node.name)
        elif isinstance(node, ast.ClassDef):
            for inside, member in enumerate(node.body):
                if isinstance(member, ast.FunctionDef):
                    yield _code_unit(path, at, inside, member, f"{node.name}.{member.name}")
        elif (name := _assigned(node)) and name != "__all__" and not is_type(node.value):
            yield Unit(str(path), at, None, name, node.lineno, tuple(told(node.value)), False)


@functools.cache
def _source(file):
    """The text of a module, read once: somebody may write in it while its faults are planted."""
    return Path(file).read_text(encoding="utf-8")


def _code_unit(path, at, inside, node, name):
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return Unit(str(path), at, inside, name, first, tuple(told(_bare(node))), True)


def _assigned(node):
    """The name that a statement gives a value to, if it is one name."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
        return node.target.id
    return None


def _bare(node):
    """The function without its docstring."""
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    return node


class Planted:
    """The code with one fault in it, in this process."""

    def __init__(self, unit, number):
        self.unit = unit
        self._tree = tree = ast.parse(_source(unit.file))
        node = tree.body[unit.statement]
        if unit.is_code:
            holder, at = (tree, unit.statement) if unit.member is None else (node, unit.member)
            uses_class = {"super", "__class__"} & _names(holder.body[at])
            holder.body[at], self.line, self.done = plant(_bare(holder.body[at]), number)
            if uses_class:
                # Code can only be exchanged for code with as many free variables.
                holder.body[at].body.append(ast.Expr(ast.Name("__class__", ast.Load())))
        else:
            node.value, self.line, self.done = plant(node.value, number)

    def apply(self, live):
        """Exchange the code of the live functions, or the value of the live constant."""
        live.forget_answers()
        if self.unit.is_code:
            whole = compile(ast.fix_missing_locations(self._tree), self.unit.file, "exec")
            code = _find(whole, self.unit.name)
            for function in live.functions[self.unit.file, self.unit.name]:
                function.__code__ = code
        else:
            self._exchange_values(live)

    def _exchange_values(self, live):
        """Give the constant its new value, and all that was made of it: other constants, defaults."""
        module = next(m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == self.unit.file)
        stale = set()
        for at, node in enumerate(self._tree.body):
            if isinstance(node, ast.FunctionDef) and stale & _names(node):
                stale.add(node.name)
            name = _assigned(node)
            if name and (at == self.unit.statement or (stale & _names(node.value))):
                stale.add(name)
                _exchange(module, name, self._value(node.value, module), live)

    def _value(self, node, module):
        expression = ast.fix_missing_locations(ast.Expression(node))
        return eval(compile(expression, self.unit.file, "eval"), vars(module))


def _names(node):
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _find(code, name):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_qualname == name:
                return constant
            if name.startswith(constant.co_qualname + "."):
                return _find(constant, name)
    raise LookupError(name)


def _exchange(module, name, value, live):
    old = vars(module)[name]
    holders = [m for m in _loaded() if vars(m).get(name) is old]
    for holder in holders:
        setattr(holder, name, value)
        if holder.__file__.startswith(str(SOURCE)):
            _bind_again(holder, name, value, live)


def _bind_again(module, name, value, live):
    """Give the new value to the parameters of the module's functions whose default is the name alone."""
    tree = ast.parse(_source(module.__file__))
    for owner in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
        for node in owner.body:
            if not isinstance(node, ast.FunctionDef):
                continue
            qualified = node.name if owner is tree else f"{owner.name}.{node.name}"
            for function in live.functions[module.__file__, qualified]:
                _give_default(function, node.args, name, value)


def _give_default(function, given, name, value):
    def is_meant(default):
        return isinstance(default, ast.Name) and default.id == name

    if any(map(is_meant, given.defaults)):
        olds = zip(given.defaults, function.__defaults__, strict=True)
        function.__defaults__ = tuple(value if is_meant(default) else old for default, old in olds)
    for parameter, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if is_meant(default):
            function.__kwdefaults__[parameter.arg] = value


class Live:
    """What stands in memory, wherever it is kept: functions by file and qualified name, and their answers."""

    def __init__(self):
        self.functions = collections.defaultdict(list)
        self._remembered = []
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and thing.__code__.co_filename.startswith(str(SOURCE)):
                self.functions[thing.__code__.co_filename, thing.__code__.co_qualname].append(thing)
            elif isinstance(thing, functools._lru_cache_wrapper) and _is_ours(thing.__wrapped__):
                self._remembered.append(thing)

    def forget_answers(self):
        """What functions remember from the run without faults must not speak for them."""
        for function in self._remembered:
            function.cache_clear()


def _is_ours(function):
    return str(getattr(function, "__module__", "")).startswith("passfloor")


def _loaded():
    """Our modules, the tests among them: a limit is what a test has imported, too."""
    files = [(m, getattr(m, "__file__", None) or "") for m in list(sys.modules.values())]
    return [module for module, file in files if file.startswith(str(ROOT))]
