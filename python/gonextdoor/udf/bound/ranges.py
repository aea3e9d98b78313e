"""Ranges of the values in a hook.

A range has two numbers, ``low`` and ``high``, which hold for a graph, and two expressions, ``least`` and ``most``,
which a bound evaluates for a transit. They do not depend on the candidate. Every range has two properties:

1. Evaluated for any transit, ``least`` and ``most`` have no fault, and their values are from ``low`` to ``high``.
2. If the hook reaches the expression of the range without an error, its value is from ``least`` to ``most``.

Python's floats are those of hooks: 64 bits, rounded to nearest, no fused operations. Infinite and NaN results are
excluded: a range that might contain one is unbounded.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

from .. import tree
from ..tree import Expression, Type

__all__ = [
    "Edges", "Known", "Range", "anything", "chosen", "constant", "folded", "joined", "known", "least_of", "limited",
    "most_of", "result", "sized", "truth",
]  # fmt: skip

LOWEST, HIGHEST = -(2**63), 2**63 - 1
MOST_NODES = 64  # of an expression; a larger one is replaced by its number

Number = int | float


class Known(tree.Constant):
    """A number that follows from the graph, arrays or parameters: compiled code reads it as a parameter."""


class Range:
    """The range of a number. The ends are one object if the value is known exactly: it is that expression's."""

    __slots__ = ("high", "least", "low", "most", "type")

    def __init__(self, type: Type, low: Any, high: Any, least: Expression, most: Expression) -> None:
        self.type, self.low, self.high, self.least, self.most = type, low, high, least, most

    @property
    def exact(self) -> bool:
        """Whether the value does not depend on the candidate."""
        return self.least is self.most

    @property
    def bounded(self) -> bool:
        """Whether the value is certainly a finite number."""
        return self.type != "float" or (math.isfinite(self.low) and math.isfinite(self.high))


@dataclasses.dataclass(frozen=True)
class Edges:
    """An edge of a row, or of any row if it is None; row is an expression whose value is a vertex. There may be none
    unless it is certain."""

    row: Expression | None
    certain: bool = True


def constant(kind: Type, value: Number) -> Range:
    """A number in the text of the hook."""
    if kind == "float" and not math.isfinite(value):
        return anything("float")
    x = tree.Constant(kind, value)
    return Range(kind, value, value, x, x)


def known(kind: Type, low: Number, high: Number) -> Range:
    """Any number from low to high."""
    if low == high:
        x = Known(kind, low)
        return Range(kind, low, high, x, x)
    return Range(kind, low, high, Known(kind, low), Known(kind, high))


def anything(kind: Type) -> Range:
    """Any value of the type; an unbounded float may also be NaN."""
    if kind == "float":
        return Range(kind, -math.inf, math.inf, tree.Constant(kind, -math.inf), tree.Constant(kind, math.inf))
    low, high = (False, True) if kind == "bool" else (LOWEST, HIGHEST)
    return Range(kind, low, high, tree.Constant(kind, low), tree.Constant(kind, high))


def truth(value: bool | None, exact: Expression | None = None) -> Range:
    """A condition; None: it may be either."""
    if value is not None:
        return constant("bool", value)
    return anything("bool") if exact is None else sized(Range("bool", False, True, exact, exact))


# ---- the numbers that operators compute, as the compiled code does


NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    ">>": operator.rshift, "min": min, "max": max,
}  # fmt: skip


def folded(kind: Type, operator: str, x: Expression, y: Expression) -> Expression:
    """The expression of an operator; of two constants, their result."""
    if isinstance(x, tree.Constant) and isinstance(y, tree.Constant) and operator in NUMBERS and operator != ">>":
        value = NUMBERS[operator](x.value, y.value)
        fits = LOWEST <= value <= HIGHEST if kind == "int" else math.isfinite(value)
        if fits and x.type == y.type == kind:
            return (Known if isinstance(x, Known) or isinstance(y, Known) else tree.Constant)(kind, value)
    if operator == "*":
        for one, other in ((x, y), (y, x)):
            if type(one) is tree.Constant and one.value == 1:
                return other
    if operator in ("min", "max") and (x is y or repr(x) == repr(y)):
        return x
    return tree.Binary(kind, operator, x, y)


def least_of(kind: Type, *ends: Expression) -> Expression:
    """The least of some expressions."""
    return functools.reduce(lambda x, y: folded(kind, "min", x, y), ends)


def most_of(kind: Type, *ends: Expression) -> Expression:
    """The greatest of some expressions."""
    return functools.reduce(lambda x, y: folded(kind, "max", x, y), ends)


def sized(r: Range) -> Range:
    """The range with numbers instead of expressions that are too large."""
    if r.exact:
        return r if r.least.nodes <= MOST_NODES else _plain(r)
    least = r.least if r.least.nodes <= MOST_NODES else Known(r.type, r.low)
    most = r.most if r.most.nodes <= MOST_NODES else Known(r.type, r.high)
    return Range(r.type, r.low, r.high, least, most)


def _plain(r: Range) -> Range:
    return anything("bool") if r.type == "bool" and r.low != r.high else known(r.type, r.low, r.high)


def result(kind: Type, low: Any, high: Any, least: Expression, most: Expression, exact: Expression | None) -> Range:
    """A result. One that may leave the type's numbers wraps or is not finite: then it may be anything."""
    fits = low >= LOWEST and high <= HIGHEST if kind == "int" else math.isfinite(low) and math.isfinite(high)
    if not fits:
        if exact is None or kind == "float":
            return anything(kind)
        return sized(Range(kind, LOWEST, HIGHEST, exact, exact))
    if exact is not None:
        least = most = exact
    return sized(Range(kind, low, high, least, most))


# ---- choices


def joined(a: Range, b: Range) -> Range:
    """A value of a or of b."""
    if a is b:
        return a
    if not (a.bounded and b.bounded):
        return anything(a.type)
    if a.type == "bool":
        return a if a.low == a.high == b.low == b.high else truth(None)
    if a.low > b.low:
        a, b = b, a
    if a.high <= b.low:  # by property 1 also for each transit
        least, most = a.least, b.most
    else:
        least, most = least_of(a.type, a.least, b.least), most_of(a.type, a.most, b.most)
    return result(a.type, a.low, max(a.high, b.high), least, most, None)


def chosen(test: Range, a: Range, b: Range) -> Range:
    """a if test else b."""
    if test.low == test.high:
        return a if test.low else b
    if not test.exact or not (a.bounded and b.bounded) or a is b:
        return joined(a, b)
    kind, t = a.type, test.least
    least = a.least if repr(a.least) == repr(b.least) else tree.Choose(kind, t, a.least, b.least)
    most = a.most if repr(a.most) == repr(b.most) else tree.Choose(kind, t, a.most, b.most)
    exact = least if a.exact and b.exact else None
    return result(kind, min(a.low, b.low), max(a.high, b.high), least, most, exact)


def limited(a: Range, low: tree.Constant | None, high: tree.Constant | None) -> Range | None:
    """The values of a from low to high; None if there are none. Both ends are clamped, because a bound evaluates them
    even if the hook does not reach this place: see property 1."""
    if not a.bounded:
        return a
    below, above = low is not None and low.value > a.low, high is not None and high.value < a.high
    new_low, new_high = low.value if low and below else a.low, high.value if high and above else a.high
    if new_low > new_high:
        return None

    def clamped(x: Expression) -> Expression:
        if low is not None and below:
            x = most_of(a.type, x, low)
        return least_of(a.type, x, high) if high is not None and above else x

    least = clamped(a.least)
    return sized(Range(a.type, new_low, new_high, least, least if a.exact else clamped(a.most)))
