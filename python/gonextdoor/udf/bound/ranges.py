"""Ranges of the values in a hook, and the ranges that operators make of them.

A range has two numbers, ``low`` and ``high``, which hold for a graph, and two expressions, ``least`` and ``most``,
which a bound evaluates for a transit. They do not depend on the candidate. Every range has two properties:

1. Evaluated for any transit, ``least`` and ``most`` have no fault, and their values are from ``low`` to ``high``.
2. If the hook reaches the expression of the range without an error, its value is from ``least`` to ``most``.

Rounding keeps them. Each operator is monotone in each operand if the other one is fixed, so the exact result for any
operands is between the results for two pairs of their ends; the signs tell which, or all four pairs are taken. Rounding
to nearest is monotone, so the rounded result is between the rounded results for these pairs, which the compiled bound
computes with the instructions of the hook. Python's floats are those of hooks: 64 bits, rounded to nearest, no fused
operations. Infinite and NaN results are excluded: a range that might contain one is unbounded.
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
    "Edges", "Known", "Range", "anything", "binary", "cast", "chosen", "compared", "constant", "folded", "joined",
    "known", "least_of", "limited", "most_of", "negated", "square_root", "truth",
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
    return anything("bool") if exact is None else _sized(Range("bool", False, True, exact, exact))


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


def _sized(r: Range) -> Range:
    """The range with numbers instead of expressions that are too large."""
    if r.exact:
        return r if r.least.nodes <= MOST_NODES else _plain(r)
    least = r.least if r.least.nodes <= MOST_NODES else Known(r.type, r.low)
    most = r.most if r.most.nodes <= MOST_NODES else Known(r.type, r.high)
    return Range(r.type, r.low, r.high, least, most)


def _plain(r: Range) -> Range:
    return anything("bool") if r.type == "bool" and r.low != r.high else known(r.type, r.low, r.high)


def _made(kind: Type, low: Any, high: Any, least: Expression, most: Expression, exact: Expression | None) -> Range:
    """A result. One that may leave the type's numbers wraps or is not finite: then it may be anything."""
    fits = low >= LOWEST and high <= HIGHEST if kind == "int" else math.isfinite(low) and math.isfinite(high)
    if not fits:
        if exact is None or kind == "float":
            return anything(kind)
        return _sized(Range(kind, LOWEST, HIGHEST, exact, exact))
    if exact is not None:
        least = most = exact
    return _sized(Range(kind, low, high, least, most))


# ---- operators


def binary(kind: Type, operator: str, a: Range, b: Range) -> Range:
    """The range of an operator's result; a divisor is never 0."""
    if not (a.bounded and b.bounded):
        return anything(kind)
    exact: Expression | None = None
    if a.exact and b.exact:
        simple = operator in NUMBERS and kind != "bool"
        exact = (folded if simple else tree.Binary)(kind, operator, a.least, b.least)
    rule = _RULES.get(operator)
    if rule is None:
        return _made(kind, *_bits(operator, a, b), exact)
    return _made(kind, *rule(kind, operator, a, b), exact)


Ends = tuple[Any, Any, Expression, Expression]


def _ends(r: Range) -> Ends:
    return r.low, r.high, r.least, r.most


def _rising(kind: Type, operator: str, a: Range, b: Range) -> Ends:
    """An operator that increases with both operands."""
    f = NUMBERS[operator]
    least, most = folded(kind, operator, a.least, b.least), folded(kind, operator, a.most, b.most)
    return f(a.low, b.low), f(a.high, b.high), least, most


def _difference(kind: Type, operator: str, a: Range, b: Range) -> Ends:
    """a - b increases with a and decreases with b."""
    least, most = folded(kind, operator, a.least, b.most), folded(kind, operator, a.most, b.least)
    return a.low - b.high, a.high - b.low, least, most


def _product(kind: Type, operator: str, a: Range, b: Range) -> Ends:
    """A product increases with an operand if the other is positive, and decreases if it is negative."""
    return _corners(kind, operator, a, b, _end(b, up=True), _end(a, up=True))


def _quotient(kind: Type, operator: str, a: Range, b: Range) -> Ends:
    """A quotient increases with a if b is positive; it decreases with b if a is positive. b is never 0."""
    return _corners(kind, operator, a, b, _end(b, up=True), _end(a, up=False))


def _end(other: Range, *, up: bool) -> tuple[bool, ...]:
    """Which ends of an operand the greatest result may have: False the low, True the high one."""
    if other.low >= 0:
        return (up,)
    return (not up,) if other.high <= 0 else (False, True)


def _corners(kind: Type, operator: str, a: Range, b: Range, of_a: tuple[bool, ...], of_b: tuple[bool, ...]) -> Ends:
    """The ends of an operator that is monotone in each operand. of_a and of_b choose the ends for the greatest result;
    the least one has the others."""
    f = NUMBERS[operator]
    numbers = [f(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]

    def at(flip: bool) -> list[Expression]:
        return [
            folded(kind, operator, a.most if x != flip else a.least, b.most if y != flip else b.least)
            for x in of_a
            for y in of_b
        ]

    if any(isinstance(x, float) and math.isnan(x) for x in numbers):
        return math.nan, math.nan, a.least, a.most
    return min(numbers), max(numbers), least_of(kind, *at(True)), most_of(kind, *at(False))


def _remainder(kind: Type, operator: str, a: Range, b: Range) -> Ends:
    """a % b has the sign of b, and is nearer to 0; b is never 0."""
    if b.low > 0:
        if a.low >= 0 and a.high < b.low:
            return _ends(a)
        return 0, b.high - 1, tree.Constant("int", 0), folded(kind, "-", b.most, tree.Constant("int", 1))
    return b.low + 1, 0, folded(kind, "+", b.least, tree.Constant("int", 1)), tree.Constant("int", 0)


def _shifted(kind: Type, operator: str, a: Range, b: Range) -> Ends:
    """Shifts by a constant from 0 to 63, and shifts of non-negative ints to the right."""
    if b.low == b.high and 0 <= b.low <= 63:
        if operator == ">>":
            return _rising(kind, operator, a, b)
        if b.low < 63:
            return _rising(kind, "*", a, constant("int", 1 << b.low))
    if operator == ">>" and a.low >= 0:
        return 0, a.high, tree.Constant("int", 0), a.most
    return _ends(anything("int"))


def _bits(operator: str, a: Range, b: Range) -> Ends:
    """& | ^ of ints or conditions."""
    if a.type == b.type == "bool":
        return _ends(anything("bool"))
    zero: Expression = tree.Constant("int", 0)
    if operator == "&" and (a.low >= 0 or b.low >= 0):  # not above an operand that is not negative
        some = [x for x in (a, b) if x.low >= 0]
        return 0, min(x.high for x in some), zero, least_of("int", *(x.most for x in some))
    if operator != "&" and a.low >= 0 and b.low >= 0:
        high = (1 << max(a.high, b.high).bit_length()) - 1
        return 0, high, zero, Known("int", high)
    return _ends(anything("int"))


_RULES: dict[str, Callable[[Type, str, Range, Range], Ends]] = {
    "+": _rising, "-": _difference, "*": _product, "/": _quotient, "//": _quotient, "%": _remainder,
    "min": _rising, "max": _rising, "<<": _shifted, ">>": _shifted,
}  # fmt: skip


def negated(a: Range, operator: str) -> Range:
    """-a, ~a or abs(a)."""
    if operator == "abs":
        if a.low >= 0:
            return a
        minus = negated(a, "-")
        if a.high <= 0 or not a.bounded or a.low == LOWEST:
            return minus if a.high <= 0 else anything(a.type)
        exact = tree.Unary(a.type, "abs", a.least) if a.exact else None
        zero = constant(a.type, 0.0 if a.type == "float" else 0)
        most = most_of(a.type, minus.most, a.most, zero.most)
        return _made(a.type, zero.low, max(-a.low, a.high), zero.least, most, exact)
    if not a.bounded:
        return anything(a.type)
    exact = tree.Unary(a.type, operator, a.least) if a.exact else None
    ends = (_minus(a.type, operator, a.most), _minus(a.type, operator, a.least))
    low, high = (~a.high, ~a.low) if operator == "~" else (-a.high, -a.low)
    return _made(a.type, low, high, *ends, exact)


def square_root(a: Range) -> Range:
    """The square root of numbers that are not negative; rounded correctly, it increases with the number."""
    if not a.bounded:
        return anything("float")
    least = tree.Unary("float", "sqrt", a.least)
    most = least if a.exact else tree.Unary("float", "sqrt", a.most)
    return _made("float", math.sqrt(a.low), math.sqrt(a.high), least, most, least if a.exact else None)


def _minus(kind: Type, operator: str, x: Expression) -> Expression:
    if isinstance(x, tree.Constant) and x.value != LOWEST:
        return type(x)(kind, ~int(x.value) if operator == "~" else -x.value)
    return tree.Unary(kind, operator, x)


def cast(to: Type, a: Range) -> Range:
    """a converted. An int from a float fits: the caller has checked it."""
    if a.type == to:
        return a
    if to == "bool":
        return _nonzero(a)
    if not a.bounded:
        return anything(to)
    convert: Callable[[Any], Any] = float if to == "float" else int

    def end(x: Expression) -> Expression:
        return type(x)(to, convert(x.value)) if isinstance(x, tree.Constant) else tree.Cast(to, x)

    least = end(a.least)
    return _made(
        to, convert(a.low), convert(a.high), least, least if a.exact else end(a.most), least if a.exact else None
    )


def _nonzero(a: Range) -> Range:
    if a.bounded and (a.low > 0 or a.high < 0):
        return truth(True)
    if a.low == a.high == 0:
        return truth(False)
    return truth(None, tree.Cast("bool", a.least) if a.exact and a.bounded else None)


# ---- comparisons and choices

_SWAPPED = {">": "<", ">=": "<="}


def compared(operator: str, a: Range, b: Range) -> Range:
    """The range of a comparison of two numbers of one type."""
    exact = tree.Compare("bool", (operator,), (a.least, b.least)) if a.exact and b.exact else None
    if not (a.bounded and b.bounded):
        return truth(None)
    if operator in _SWAPPED:
        operator, a, b = _SWAPPED[operator], b, a
    if operator == "<":
        decided = True if a.high < b.low else False if a.low >= b.high else None
    elif operator == "<=":
        decided = True if a.high <= b.low else False if a.low > b.high else None
    else:
        apart, same = a.high < b.low or b.high < a.low, a.low == a.high == b.low == b.high
        decided = None if not (apart or same) else same == (operator == "==")
    return truth(decided, exact)


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
    return _made(a.type, a.low, max(a.high, b.high), least, most, None)


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
    return _made(kind, min(a.low, b.low), max(a.high, b.high), least, most, exact)


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
    return _sized(Range(a.type, new_low, new_high, least, least if a.exact else clamped(a.most)))
