"""The checked language's expressions: from Python's syntax to typed ones, or a refusal that says what to write."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from .._core.advice import meant
from . import tree
from .source import Source
from .tree import Expression, Type
from .vocabulary import FIELDS, METHODS

__all__ = ["Names", "Reader", "cast", "joined"]

ARITHMETIC = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
NOUNS = {"bool": "a condition", "int": "an int", "float": "a float", "edge": "an edge"}

NO_LISTS = "lists, tuples, sets and dicts are not supported in hooks: keep numbers in locals, tables in App(arrays=)"
NO_FUNCTIONS = "functions cannot be made inside a hook"
NO_TEXT = "not supported in hooks: use ints, floats, True and False"
WHY: dict[type[ast.AST], str] = {
    ast.List: NO_LISTS, ast.ListComp: NO_LISTS, ast.Tuple: NO_LISTS, ast.Set: NO_LISTS, ast.SetComp: NO_LISTS,
    ast.Dict: NO_LISTS, ast.DictComp: NO_LISTS, ast.GeneratorExp: NO_LISTS, ast.Starred: NO_LISTS,
    ast.Lambda: NO_FUNCTIONS, ast.JoinedStr: f"text is {NO_TEXT}", ast.NamedExpr: "assign in a separate statement",
    ast.Pow: "** has no exact result on every machine: multiply, use math.sqrt, or tabulate it with gonextdoor.table",
    ast.MatMult: "there are no matrices here",
}  # fmt: skip


class TableRead(NamedTuple):
    """An array whose elements are read by a number: the operations that make its index, each with its right operand."""

    array: tree.Array
    arithmetic: tuple[tuple[str, float], ...]


class Names:
    """The app's own names: parameters with their types, arrays with those of their elements, in their order, and the
    arithmetic of those that are tables."""

    def __init__(
        self,
        parameters: Mapping[str, Type],
        arrays: Mapping[str, str],
        tables: Mapping[str, tuple[tuple[str, float], ...]],
    ) -> None:
        self.parameters: dict[str, Expression] = {}
        for place, (name, kind) in enumerate(parameters.items()):
            self.parameters[name] = tree.Parameter(kind, place)
        self.arrays = {name: tree.Array(place, dtype) for place, (name, dtype) in enumerate(arrays.items())}
        self.tables = {name: TableRead(self.arrays[name], arithmetic) for name, arithmetic in tables.items()}


def joined(left: Type, right: Type) -> Type | None:
    """The common type of both, or None: edges are no numbers."""
    if left == right:
        return left
    if "edge" in (left, right):
        return None
    return "float" if "float" in (left, right) else "int"


def cast(to: Type, x: Expression) -> Expression:
    """x converted, which costs nothing for a constant."""
    if x.type == to:
        return x
    if isinstance(x, tree.Constant) and to != "edge":
        return tree.Constant(to, {"bool": bool, "int": int, "float": float}[to](x.value))
    return tree.Cast(to, x)


class Reader:
    """Type-checks expressions of one hook. ``known`` has the types of the locals that are set at this point."""

    def __init__(self, source: Source, ctx: str, names: Names) -> None:
        self.source, self.ctx, self.names = source, ctx, names
        self.types: dict[str, Type] = {}  # of all locals met so far
        self.known: frozenset[str] = frozenset()
        self.stored: frozenset[str] = frozenset()  # names that are locals

    def expression(self, node: ast.expr) -> Expression:
        """The typed expression."""
        read = getattr(self, "_" + type(node).__name__, None)
        if read is None:
            why = WHY.get(type(node), f"{type(node).__name__} is not part of the language of hooks")
            self.source.refuse(node, why)
        found: Expression = read(node)
        found.line = node.lineno
        return found

    def numbers(self, node: ast.expr, what: str) -> Expression:
        """An expression that is a number; edges are not."""
        return self._number(node, self.expression(node), what)

    def _number(self, node: ast.expr, x: Expression, what: str) -> Expression:
        if x.type == "edge":
            self.source.refuse(
                node, f"{what} takes numbers, {ast.unparse(node)} is an edge: ctx.edge_id() is its place"
            )
        return x

    def integer(self, node: ast.expr, what: str) -> Expression:
        """An expression that is an int, or a condition as one."""
        return self._integer(node, self.expression(node), what)

    def _integer(self, node: ast.expr, x: Expression, what: str) -> Expression:
        if self._number(node, x, what).type == "float":
            text = ast.unparse(node)
            self.source.refuse(node, f"{what} takes ints, {text} is a float: write int({text})")
        return cast("int", x)

    def condition(self, node: ast.expr) -> Expression:
        """An expression as a condition; a number is one if it is not 0."""
        return cast("bool", self.numbers(node, "a condition"))

    def _Constant(self, node: ast.Constant) -> Expression:
        return self.constant(node, node.value)

    def constant(self, node: ast.expr, value: Any) -> Expression:
        """A literal, or a constant from outside the function."""
        if type(value) is int and not -(2**63) <= value < 2**63:
            self.source.refuse(node, f"{value} does not fit in 64 bits")
        kinds: dict[type, Type] = {bool: "bool", int: "int", float: "float"}
        if type(value) not in kinds:
            self.source.refuse(node, f"{value!r}: {NO_TEXT}")
        return tree.Constant(kinds[type(value)], value)

    def _Name(self, node: ast.Name) -> Expression:
        name = node.id
        if name == self.ctx:
            self.source.refuse(node, f"{name} alone is no number: read one of its fields or methods")
        if name in self.stored:
            if name not in self.known:
                self.source.refuse(node, f"{name} may be used before it is set")
            return tree.Local(self.types[name], name)
        return self._outside(node, name)

    def _outside(self, node: ast.expr, name: str) -> Expression:
        value = self.source.lookup(name)
        if value is None:
            self.source.refuse(node, f"{name} is not a local or a number: hand it to App by params= or arrays=")
        return self.constant(node, value)

    def _Attribute(self, node: ast.Attribute) -> Expression:
        if not self._of_ctx(node):
            if _dotted(node) and _root(node) not in self.stored:
                return self._outside(node, ast.unparse(node))
            self.source.refuse(node, f"{ast.unparse(node)}: only names of {self.ctx} can be read")
        name = node.attr
        if name in self.names.parameters:
            return self.names.parameters[name]
        if name in self.names.arrays:
            self.source.refuse(node, f"{self.ctx}.{name} is an array: index it")
        if name in FIELDS:
            return tree.Field("edge" if name == "prev_edge" else "int", name)
        if name in METHODS or name == "fail":
            self.source.refuse(node, f"{self.ctx}.{name} is a method: call it")
        has = f"parameters {sorted(self.names.parameters)} and arrays {sorted(self.names.arrays)}"
        known = [*FIELDS, *METHODS, *self.names.parameters, *self.names.arrays]
        return self.source.refuse(node, f"ctx has no {name!r}; the app has {has}{meant(name, known, 'ctx.')}")

    def _of_ctx(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.ctx

    def _array(self, node: ast.expr) -> tree.Array | None:
        if isinstance(node, ast.Attribute) and self._of_ctx(node):
            return self.names.arrays.get(node.attr)
        return None

    def _Subscript(self, node: ast.Subscript) -> Expression:
        array = self._array(node.value)
        if array is None:
            self.source.refuse(node, f"{ast.unparse(node.value)} is no array of {self.ctx}: hand it to App by arrays=")
        if isinstance(node.slice, ast.Slice):
            self.source.refuse(node, "an array is read element by element")
        index = self.expression(node.slice)
        if index.type != "edge":
            index = self._integer(node.slice, index, "an array index")
        return tree.Element("float" if array.dtype.startswith("float") else "int", array, index)

    def _UnaryOp(self, node: ast.UnaryOp) -> Expression:
        folded = _folded(node)
        if folded is not None:
            return self.constant(node, folded)
        if isinstance(node.op, ast.Not):
            return tree.Unary("bool", "not", self.condition(node.operand))
        if isinstance(node.op, ast.Invert):
            return tree.Unary("int", "~", self.integer(node.operand, "~"))
        x = self.numbers(node.operand, "a sign")
        x = cast("int", x) if x.type == "bool" else x
        if isinstance(node.op, ast.UAdd):
            return x
        if isinstance(x, tree.Constant) and x.type == "float":
            return tree.Constant("float", -x.value)
        return tree.Unary(x.type, "-", x)

    def _BinOp(self, node: ast.BinOp) -> Expression:
        folded = _folded(node)
        if folded is not None:
            return self.constant(node, folded)
        operator = ARITHMETIC.get(type(node.op))
        if operator is None:
            self.source.refuse(node, WHY[type(node.op)])
        return self.binary(node, operator, node.left, node.right)

    def binary(self, node: ast.AST, operator: str, left: ast.expr, right: ast.expr) -> Expression:
        """Two operands and an operator."""
        a, b = self.expression(left), self.expression(right)
        if operator in ("+", "-", "*", "/"):
            a, b = self._number(left, a, operator), self._number(right, b, operator)
            kind: Type = "float" if operator == "/" or "float" in (a.type, b.type) else "int"
            return tree.Binary(kind, operator, cast(kind, a), cast(kind, b))
        if operator in ("//", "%") and "float" in (a.type, b.type):
            self.source.refuse(node, f"{operator} takes ints: write int(x / y) for floats")
        if operator in ("&", "|", "^") and a.type == b.type == "bool":
            return tree.Binary("bool", operator, a, b)
        return tree.Binary("int", operator, self._integer(left, a, operator), self._integer(right, b, operator))

    def _Compare(self, node: ast.Compare) -> Expression:
        operators = []
        for op in node.ops:
            if type(op) not in COMPARISONS:
                word = "is" if isinstance(op, (ast.Is, ast.IsNot)) else "in"
                table = ", or read a table of App(arrays=) with an element per vertex" if word == "in" else ""
                self.source.refuse(node, f"'{word}' is not supported in hooks: compare numbers with =={table}")
            operators.append(COMPARISONS[type(op)])
        nodes = [node.left, *node.comparators]
        operands = [self.expression(x) for x in nodes]
        for i, operator in enumerate(operators):
            a, b = operands[i], operands[i + 1]
            if joined(a.type, b.type) is None or (a.type == "edge" and operator not in ("==", "!=")):
                self.source.refuse(node, "an edge equals an edge or not, and compares with nothing else")
        return tree.Compare("bool", tuple(operators), tuple(operands))

    def _BoolOp(self, node: ast.BoolOp) -> Expression:
        operands = []
        for x in node.values:
            condition = self.expression(x)
            if condition.type != "bool":
                self.source.refuse(
                    x, f"and/or take conditions, {ast.unparse(x)} is {NOUNS[condition.type]}: compare it"
                )
            operands.append(condition)
        return tree.Logic("bool", "and" if isinstance(node.op, ast.And) else "or", tuple(operands))

    def _IfExp(self, node: ast.IfExp) -> Expression:
        test, left, right = self.condition(node.test), self.expression(node.body), self.expression(node.orelse)
        kind = joined(left.type, right.type)
        if kind is None:
            self.source.refuse(node, f"{NOUNS[left.type]} in one case, {NOUNS[right.type]} in the other")
        return tree.Choose(kind, test, cast(kind, left), cast(kind, right))

    def _Call(self, node: ast.Call) -> Expression:
        if node.keywords:
            self.source.refuse(node, "arguments have no names here")
        if _dotted(node.func) and not self._of_ctx(node.func) and _root(node.func) not in self.stored:
            name = ast.unparse(node.func)
            return self._function(node, self.source.function(name) or name)
        if isinstance(node.func, ast.Attribute) and self._of_ctx(node.func) and node.func.attr in self.names.tables:
            return self._table(node, self.names.tables[node.func.attr])
        if not isinstance(node.func, ast.Attribute) or not self._of_ctx(node.func) or node.func.attr not in METHODS:
            if self._of_ctx(node.func) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "fail":
                    self.source.refuse(node, "ctx.fail() has no value: write it as a separate statement")
                self.source.refuse(
                    node, f"ctx has no method {node.func.attr!r}{meant(node.func.attr, METHODS, 'ctx.')}"
                )
            self._unknown(node)
        name = node.func.attr
        wanted, returns = METHODS[name]
        if len(node.args) != len(wanted):
            self.source.refuse(node, f"ctx.{name} takes {len(wanted)} arguments, got {len(node.args)}")
        arguments = []
        for x, kind in zip(node.args, wanted, strict=True):
            given = self.expression(x)
            if kind == "edge":
                if given.type != "edge":
                    what = f"ctx.{name} takes an edge, {ast.unparse(x)} is {NOUNS[given.type]}"
                    self.source.refuse(x, f"{what}: use the hook's, or ctx.edge(v, i)")
                arguments.append(given)
            else:
                arguments.append(self._integer(x, given, f"ctx.{name}"))
        return tree.Call(returns, name, tuple(arguments))

    def _function(self, node: ast.Call, name: str) -> Expression:
        few = {"int": 1, "float": 1, "bool": 1, "abs": 1, "sqrt": 1, "len": 1, "min": 2, "max": 2}
        if name not in few:
            self._unknown(node)
        if len(node.args) < few[name] or (few[name] == 1 and len(node.args) > 1):
            self.source.refuse(node, f"{name} takes {few[name]} argument{'s or more' * (few[name] - 1)}")
        if name == "len":
            array = self._array(node.args[0])
            if array is None:
                self.source.refuse(node, "len takes an array of ctx")
            return tree.Unary("int", "len", tree.Constant("int", array.place))
        first, *rest = (self.numbers(x, name) for x in node.args)
        if name == "sqrt":
            return tree.Unary("float", "sqrt", cast("float", first))
        if name == "abs":
            kind: Type = "int" if first.type == "bool" else first.type
            return tree.Unary(kind, "abs", cast(kind, first))
        if not rest:
            to: dict[str, Type] = {"int": "int", "float": "float", "bool": "bool"}
            return cast(to[name], first) if not isinstance(first, tree.Constant) else tree.Cast(to[name], first)
        for x in rest:
            kind = joined(first.type, x.type) or "int"
            first = tree.Binary(kind, name, cast(kind, first), cast(kind, x))
        return first

    def _unknown(self, node: ast.Call) -> NoReturn:
        known = "int, float, bool, abs, min, max, len, math.sqrt and the methods of ctx are"
        what = f"{ast.unparse(node.func)}() is not supported in hooks ({known})"
        self.source.refuse(node, f"{what}: tabulate it with gonextdoor.table, and read it from App(arrays=)")

    def _table(self, node: ast.Call, read: TableRead) -> Expression:
        """The element of a table that is nearest to the argument; the arithmetic is that of Table."""
        name = ast.unparse(node.func)
        if len(node.args) != 1:
            self.source.refuse(node, f"{name} takes 1 argument, got {len(node.args)}")
        x = cast("float", self.numbers(node.args[0], name))
        for operator, value in read.arithmetic:
            x = tree.Binary("float", operator, x, tree.Constant("float", value))
        return tree.Element("float", read.array, tree.Cast("int", x))


def _dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _folded(node: ast.expr) -> int | None:
    """Folds arithmetic on int literals, so that 2**40 and -2**63 are constants."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        x = _folded(node.operand)
        return None if x is None else -x
    if isinstance(node, ast.BinOp):
        a, b = _folded(node.left), _folded(node.right)
        if a is None or b is None:
            return None
        if isinstance(node.op, ast.Pow) and 0 <= b < 64 and abs(a) < 2**64:
            return int(a**b)
        folds = {ast.Add: a + b, ast.Sub: a - b}
        return folds.get(type(node.op))
    return None
