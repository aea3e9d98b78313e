"""Changes of expressions: the last steps that make a hook of an inferred bound, and a shorter form of it to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from .. import tree
from ..layout import MAX_PARAMETERS
from ..tree import Expression
from .ranges import Known, folded

__all__ = ["replaced", "simplified", "with_locals", "with_parameters"]


def replaced(x: Any, swap: Callable[[Expression], Expression]) -> Any:
    """An expression in which swap has replaced each part, the innermost first."""
    if isinstance(x, tuple):
        return tuple(replaced(part, swap) for part in x)
    if not isinstance(x, Expression):
        return x
    parts = [replaced(getattr(x, name), swap) for name in x.fields]
    if all(part is getattr(x, name) for part, name in zip(parts, x.fields, strict=True)):
        return swap(x)
    return swap(type(x)(*parts))


def with_parameters(x: Expression, before: int) -> tuple[Expression, tuple[int | float, ...]]:
    """An expression that reads each known number from a parameter after the app's own, and the values of these. So
    another graph or array does not compile the hook again. If there are too many, the others become constants."""
    places: dict[int, tree.Parameter] = {}
    values: list[int | float] = []

    def swap(part: Expression) -> Expression:
        if not isinstance(part, Known):
            return part
        if id(part) not in places:
            if part.type == "bool" or before + len(values) == MAX_PARAMETERS:
                return tree.Constant(part.type, part.value)
            places[id(part)] = tree.Parameter(part.type, before + len(values))
            values.append(part.value)
        return places[id(part)]

    return replaced(x, swap), tuple(values)


def with_locals(x: Expression) -> tuple[tuple[tree.Set, ...], Expression]:
    """Assignments of the methods that an expression calls several times, and the expression that reads these locals."""
    calls = Counter(repr(part) for part in tree.expressions(x) if isinstance(part, tree.Call))
    made: dict[str, tree.Set] = {}

    def swap(part: Expression) -> Expression:
        if not isinstance(part, tree.Call) or calls[repr(part)] < 2:
            return part
        key = repr(part)
        if key not in made:
            made[key] = tree.Set(f"read{len(made)}", part)
        return tree.Local(part.type, made[key].name)

    done = replaced(x, swap)
    return tuple(made.values()), done


def simplified(x: Expression, parameters: Sequence[int | float]) -> Expression:
    """The expression with the values of parameters, for readers."""

    def swap(part: Expression) -> Expression:
        if isinstance(part, (tree.Parameter, Known)):
            return tree.Constant(part.type, parameters[part.place] if isinstance(part, tree.Parameter) else part.value)
        if isinstance(part, tree.Binary) and part.operator in ("min", "max"):
            return _common(part)
        if isinstance(part, tree.Binary):
            return folded(part.type, part.operator, part.left, part.right)
        if isinstance(part, tree.Unary) and isinstance(part.operand, tree.Constant) and part.operator == "-":
            return tree.Constant(part.type, -part.operand.value)
        if isinstance(part, tree.Cast) and part.type == "float" and isinstance(part.operand, tree.Constant):
            return tree.Constant("float", float(part.operand.value))
        if isinstance(part, tree.Choose) and repr(part.left) == repr(part.right):
            return part.left
        return part

    found: Expression = replaced(x, swap)
    return found


def _common(x: tree.Binary) -> Expression:
    """max(2.0 * w, 4.0 * w) as 4.0 * w, if w is a method of ctx, which is not negative."""
    (one, first), (other, second) = _factor(x.left), _factor(x.right)
    if one is None or other is None or repr(first) != repr(second):
        return folded(x.type, x.operator, x.left, x.right)
    best = max(one, other) if x.operator == "max" else min(one, other)
    return folded(x.type, "*", tree.Constant(x.type, best), first)


def _factor(x: Expression) -> tuple[Any, Expression]:
    """A constant and a call whose product is x; None if it is no such product."""
    one: Any = 1.0 if x.type == "float" else 1
    if isinstance(x, tree.Call) and x.name in ("max_weight", "degree"):
        return one, x
    if isinstance(x, tree.Binary) and x.operator == "*":
        for number, call in ((x.left, x.right), (x.right, x.left)):
            if isinstance(number, tree.Constant) and isinstance(call, tree.Call):
                return number.value, call
    return None, x
