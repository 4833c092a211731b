"""Small faults that a careless hand might make, one at a time: what ``mutants.py`` plants.

Left alone is what no run of the code can tell: annotations, names of types for the type checker alone, and
text for people, which is a string with a blank in it and all of an f-string. So are decorators, defaults of
parameters and docstrings.
"""

import ast
import collections
import copy

COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
REVERSED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
COMPUTED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
UNTOUCHED = {"annotation", "returns", "decorator_list", "defaults", "kw_defaults"}
GENERIC = {"Annotated", "Callable", "Iterable", "Iterator", "Literal", "Mapping", "Sequence"}
GENERIC |= {"dict", "frozenset", "list", "set", "tuple", "type"}
TYPES = GENERIC | {"bool", "bytes", "float", "int", "object", "str"}


def mutants(tree):
    """How many faults can be planted below a node."""
    return len(told(tree))


def told(tree):
    """What each fault below a node would be, in the order of their numbers; one told before ends in (2)."""
    planter = _Planter(-1)
    planter.visit(copy.deepcopy(tree))
    return planter.told


def is_type(node):
    """Whether an expression names a type: ``Literal["a"]``, ``str | None``, ``TypeVar("T")``."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in {"NewType", "TypeVar", "ParamSpec"}
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and node.value.id in GENERIC
    return _is_union(node)


def plant(tree, number):
    """Plant fault ``number`` in a copy of the tree: (tree, line, what was done)."""
    planter = _Planter(number)
    planted = planter.visit(copy.deepcopy(tree))
    return ast.fix_missing_locations(planted), planter.line, planter.done


class _Planter(ast.NodeTransformer):
    """Counts the variants of every node, in the order of the tree, and exchanges the one asked for."""

    def __init__(self, number):
        self.number, self.told = number, []
        self.times = collections.Counter()
        self.line, self.done = 0, ""

    def visit(self, node):
        for variant, done in _variants(node):
            self.times[done] += 1
            if self.times[done] > 1:
                done = f"{done} ({self.times[done]})"
            self.told.append(done)
            if len(self.told) - 1 == self.number:
                # A comprehension has no line of its own.
                self.line = getattr(node, "lineno", None) or node.target.lineno
                self.done = done
                return ast.copy_location(variant, node) if hasattr(node, "lineno") else variant
        return self.generic_visit(node)

    def generic_visit(self, node):
        for name, old in ast.iter_fields(node):
            if name in UNTOUCHED or isinstance(node, ast.JoinedStr):
                continue
            if isinstance(old, list):
                old[:] = [self.visit(item) if isinstance(item, ast.AST) else item for item in old]
            elif isinstance(old, ast.AST):
                setattr(node, name, self.visit(old))
        return node


def _variants(node):
    """Every variant of the node itself, each with what was done."""
    made = getattr(_Variants, type(node).__name__, None)
    if made:
        yield from made(node)


def _with(node, **changes):
    made = copy.deepcopy(node)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def _text(node):
    return ast.unparse(node).splitlines()[0][:60]


class _Variants:
    """One method a kind of node."""

    @staticmethod
    def Compare(node):  # noqa: N802
        for place, operator in enumerate(node.ops):
            for table in (COMPARED, REVERSED):
                if type(operator) in table:
                    ops = list(node.ops)
                    ops[place] = table[type(operator)]()
                    made = _with(node, ops=ops)
                    yield made, f"{_text(node)} -> {_text(made)}"

    @staticmethod
    def BoolOp(node):  # noqa: N802
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield _with(node, op=other), f"and <-> or in {_text(node)}"
        for place, value in enumerate(node.values):
            rest = [kept for at, kept in enumerate(node.values) if at != place]
            made = rest[0] if len(rest) == 1 else _with(node, values=rest)
            yield made, f"without {_text(value)}"

    @staticmethod
    def UnaryOp(node):  # noqa: N802
        if isinstance(node.op, ast.Not | ast.USub):
            yield node.operand, f"{_text(node)} -> {_text(node.operand)}"

    @staticmethod
    def BinOp(node):  # noqa: N802
        if _is_union(node):
            # `and` of two types is no type: such a fault is too easily noticed to tell anything.
            for kept in (node.left, node.right):
                yield kept, f"{_text(node)} -> {_text(kept)}"
        elif type(node.op) in COMPUTED and not _is_long_text(node):
            made = _with(node, op=COMPUTED[type(node.op)]())
            yield made, f"{_text(node)} -> {_text(made)}"

    @staticmethod
    def AugAssign(node):  # noqa: N802
        if type(node.op) in COMPUTED:
            made = _with(node, op=COMPUTED[type(node.op)]())
            yield made, f"{_text(node)} -> {_text(made)}"

    @staticmethod
    def Constant(node):  # noqa: N802
        value = node.value
        if isinstance(value, bool):
            yield ast.Constant(not value), f"{value} -> {not value}"
        elif isinstance(value, int | float):
            yield ast.Constant(value + 1), f"{value} -> {value + 1}"
        elif isinstance(value, str) and not any(letter.isspace() for letter in value):
            yield ast.Constant("XX" + value), f"{value!r} -> {'XX' + value!r}"
        elif isinstance(value, bytes):
            yield ast.Constant(b"XX" + value), f"{value!r} -> {b'XX' + value!r}"

    @staticmethod
    def Expr(node):  # noqa: N802
        if isinstance(node.value, ast.Call | ast.Yield | ast.YieldFrom):
            what = "yield from ()" if isinstance(node.value, ast.Yield | ast.YieldFrom) else "pass"
            yield ast.parse(what).body[0], f"without {_text(node)}"

    @staticmethod
    def Return(node):  # noqa: N802
        # No caller of a predicate tells None from False; the other answer is planted beside.
        if node.value is not None and not _is_constant(node.value, None, False, True):
            yield ast.Return(ast.Constant(None)), f"{_text(node)} -> return None"

    @staticmethod
    def Raise(node):  # noqa: N802
        yield ast.Pass(), f"without {_text(node)}"

    @staticmethod
    def Continue(node):  # noqa: N802
        yield ast.Break(), "continue -> break"

    @staticmethod
    def Break(node):  # noqa: N802
        yield ast.Continue(), "break -> continue"

    @staticmethod
    def If(node):  # noqa: N802
        for value in (True, False):
            yield _with(node, test=ast.Constant(value)), f"if {_text(node.test)} -> if {value}"

    IfExp = If

    @staticmethod
    def While(node):  # noqa: N802
        yield _with(node, test=ast.Constant(False)), f"while {_text(node.test)} -> while False"

    @staticmethod
    def comprehension(node):
        for place, test in enumerate(node.ifs):
            rest = [kept for at, kept in enumerate(node.ifs) if at != place]
            yield _with(node, ifs=rest), f"without if {_text(test)}"

    @staticmethod
    def Slice(node):  # noqa: N802
        for name in ("lower", "upper"):
            if getattr(node, name) is not None:
                yield _with(node, **{name: None}), f"[{_text(node)}] without its {name} end"


def _is_constant(node, *values):
    return isinstance(node, ast.Constant) and any(node.value is value for value in values)


def _is_union(node):
    """Whether types stand on the sides of a ``|``: known ones, or what is written LikeThis."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.BitOr):
        return False
    return any(_is_union(side) or _is_named_type(side) for side in (node.left, node.right))


def _is_named_type(node):
    if isinstance(node, ast.Attribute):
        return _is_camel(node.attr)
    if isinstance(node, ast.Name):
        return node.id in TYPES or _is_camel(node.id)
    return _is_constant(node, None) or (isinstance(node, ast.Subscript) and is_type(node))


def _is_camel(name):
    return name[:1].isupper() and not name.isupper()


def _is_long_text(node):
    sides = (node.left, node.right)
    return any(isinstance(side, ast.JoinedStr) for side in sides)
