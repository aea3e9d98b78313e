"""Expressions as Python text."""

from __future__ import annotations

from . import tree
from .tree import Expression

__all__ = ["text"]


def text(x: Expression, parameters: list[str], arrays: list[str], ctx: str = "ctx") -> str:
    """An expression as Python text, from the names of parameters and arrays.

    Locals have their own names.
    """
    return _Text(parameters, arrays, ctx).of(x)


# How tightly operators bind: an operand that binds less tightly is in parentheses.
_CHOOSE, _OR, _AND, _NOT, _COMPARE, _OPERATOR, _LEAF = range(7)
_FUNCTIONS = {"abs": "abs", "sqrt": "math.sqrt"}


class _Text:
    def __init__(self, parameters: list[str], arrays: list[str], ctx: str) -> None:
        self.parameters, self.arrays, self.ctx = parameters, arrays, ctx

    def of(self, x: Expression, least: int = _CHOOSE) -> str:
        """The text, in parentheses if it binds less tightly than least."""
        found, binds = self._part(x)
        return found if binds >= least else f"({found})"

    def _part(self, x: Expression) -> tuple[str, int]:
        if isinstance(x, tree.Constant):
            return repr(x.value), _OPERATOR if x.type != "bool" and x.value < 0 else _LEAF
        if isinstance(x, tree.Local):
            return x.name, _LEAF
        if isinstance(x, tree.Field):
            return f"{self.ctx}.{x.name}", _LEAF
        if isinstance(x, tree.Parameter):
            return f"{self.ctx}.{self.parameters[x.place]}", _LEAF
        if isinstance(x, tree.Element):
            return f"{self.ctx}.{self.arrays[x.array.place]}[{self.of(x.index)}]", _LEAF
        if isinstance(x, tree.Call):
            return f"{self.ctx}.{x.name}({', '.join(map(self.of, x.arguments))})", _LEAF
        if isinstance(x, tree.Cast):
            return f"{x.type}({self.of(x.operand)})", _LEAF
        if isinstance(x, tree.Unary) and x.operator == "len":
            assert isinstance(x.operand, tree.Constant)
            return f"len({self.ctx}.{self.arrays[int(x.operand.value)]})", _LEAF
        if isinstance(x, tree.Unary) and x.operator in _FUNCTIONS:
            return f"{_FUNCTIONS[x.operator]}({self.of(x.operand)})", _LEAF
        if isinstance(x, tree.Binary) and x.operator in ("min", "max"):
            return f"{x.operator}({self.of(x.left)}, {self.of(x.right)})", _LEAF
        return self._operator(x)

    def _operator(self, x: Expression) -> tuple[str, int]:
        if isinstance(x, tree.Unary):
            if x.operator == "not":
                return f"not {self.of(x.operand, _NOT)}", _NOT
            return f"{x.operator}{self.of(x.operand, _LEAF)}", _OPERATOR
        if isinstance(x, tree.Binary):
            return f"{self.of(x.left, _LEAF)} {x.operator} {self.of(x.right, _LEAF)}", _OPERATOR
        if isinstance(x, tree.Compare):
            first, *rest = (self.of(operand, _OPERATOR) for operand in x.operands)
            signs = zip(x.operators, rest, strict=True)
            return first + "".join(f" {sign} {operand}" for sign, operand in signs), _COMPARE
        if isinstance(x, tree.Logic):
            binds = _AND if x.operator == "and" else _OR
            return f" {x.operator} ".join(self.of(operand, binds + 1) for operand in x.operands), binds
        assert isinstance(x, tree.Choose), x
        left, test, right = self.of(x.left, _OR), self.of(x.test, _OR), self.of(x.right)
        return f"{left} if {test} else {right}", _CHOOSE
