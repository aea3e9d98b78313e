"""Operators on ranges: the range of what an operator of the hook computes from the ranges of its operands.

Each operator is monotone in each operand if the other one is fixed, so the exact result for any operands is between the
results for two pairs of their ends; the signs tell which, or all four pairs are taken. Rounding keeps the properties of
ranges: rounding to nearest is monotone, so the rounded result is between the rounded results for these pairs, which the
compiled bound computes with the instructions of the hook.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import tree
from ..tree import Expression, Type
from .ranges import LOWEST, NUMBERS, Known, Range, anything, constant, folded, least_of, most_of, result, truth

__all__ = ["binary", "cast", "compared", "negated", "square_root"]

Ends = tuple[Any, Any, Expression, Expression]


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
        return result(kind, *_bits(operator, a, b), exact)
    return result(kind, *rule(kind, operator, a, b), exact)


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
        return result(a.type, zero.low, max(-a.low, a.high), zero.least, most, exact)
    if not a.bounded:
        return anything(a.type)
    exact = tree.Unary(a.type, operator, a.least) if a.exact else None
    ends = (_minus(a.type, operator, a.most), _minus(a.type, operator, a.least))
    low, high = (~a.high, ~a.low) if operator == "~" else (-a.high, -a.low)
    return result(a.type, low, high, *ends, exact)


def square_root(a: Range) -> Range:
    """The square root of numbers that are not negative; rounded correctly, it increases with the number."""
    if not a.bounded:
        return anything("float")
    least = tree.Unary("float", "sqrt", a.least)
    most = least if a.exact else tree.Unary("float", "sqrt", a.most)
    return result("float", math.sqrt(a.low), math.sqrt(a.high), least, most, least if a.exact else None)


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
    return result(
        to, convert(a.low), convert(a.high), least, least if a.exact else end(a.most), least if a.exact else None
    )


def _nonzero(a: Range) -> Range:
    if a.bounded and (a.low > 0 or a.high < 0):
        return truth(True)
    if a.low == a.high == 0:
        return truth(False)
    return truth(None, tree.Cast("bool", a.least) if a.exact and a.bounded else None)


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
