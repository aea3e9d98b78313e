"""Numbers as hooks have them: integers that wrap as 64 bits do, floats, and the faults that come of them."""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

MASK = (1 << 64) - 1
NULL = -1
NO_FAULT = MASK
MOST_ROUNDS = 1 << 20
HOOK_TRY, POOL_TRY, HOOK_SLOT, USER_WORDS = 192, 224, 1 << 40, 32
OUT_OF_ARRAY, NO_VERTEX, NO_EDGE, NEGATIVE, TOO_LARGE, DIVIDED, OVERFLOW, FAILED = range(1, 9)
NOT_A_VERTEX, ABOVE_BOUND, NOT_FINITE, ENDLESS, NOT_A_NEIGHBOR, NEVER_ENDS, BAD_FANOUT, NEGATIVE_ROOT = range(9, 17)

faults: list[int] = []  # kinds, of the hook that is being run


def wrapped(x: int) -> I64:
    x &= MASK
    return I64(x - (1 << 64) if x >> 63 else x)


def number(x: Any) -> Any:
    if isinstance(x, (bool, np.bool_, Edge)):
        return x
    return F64(x) if isinstance(x, float) else wrapped(int(x))


def divided(a: Any, b: Any) -> F64:
    if float(b) == 0:
        faults.append(DIVIDED)
        return F64(0.0)
    with np.errstate(all="ignore"):
        return F64(float(np.float64(a) / np.float64(b)))


def whole(operation: Callable[[int, int], int]) -> Callable[[Any, Any], I64]:
    def run(a: Any, b: Any) -> I64:
        if int(b) == 0:
            faults.append(DIVIDED)
            return I64(0)
        return wrapped(operation(int(a), int(b)))

    return run


def arithmetic(name: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """An operator of ints and floats, and its form for a left operand that is a plain number."""

    def run(a: Any, b: Any) -> Any:
        if isinstance(a, float) or isinstance(b, float):
            with np.errstate(all="ignore"):
                return F64(float(getattr(np.float64(a), name)(np.float64(b))))
        return wrapped(getattr(int(a), name)(int(b)))

    return run, lambda b, a: run(a, b)


def comparison(name: str) -> Callable[[Any, Any], bool]:
    def run(a: Any, b: Any) -> bool:
        kind = float if isinstance(a, float) or isinstance(b, float) else int
        return bool(getattr(kind(a), name)(kind(b)))

    return run


class Number:
    """The operators that ints and floats share."""

    __add__, __radd__ = arithmetic("__add__")
    __sub__, __rsub__ = arithmetic("__sub__")
    __mul__, __rmul__ = arithmetic("__mul__")
    __lt__, __le__, __gt__ = comparison("__lt__"), comparison("__le__"), comparison("__gt__")
    __ge__, __eq__, __ne__ = comparison("__ge__"), comparison("__eq__"), comparison("__ne__")

    def __truediv__(self, other: Any) -> F64:
        return divided(self, other)

    def __rtruediv__(self, other: Any) -> F64:
        return divided(other, self)


class F64(Number, float):
    __hash__ = float.__hash__

    def __neg__(self) -> F64:
        return F64(-float(self))

    def __abs__(self) -> F64:
        return F64(abs(float(self)))


class I64(Number, int):
    __hash__ = int.__hash__
    __floordiv__, __mod__ = whole(int.__floordiv__), whole(int.__mod__)

    def __rfloordiv__(self, other: Any) -> I64:
        return I64.__floordiv__(other, self)

    def __rmod__(self, other: Any) -> I64:
        return I64.__mod__(other, self)

    def __neg__(self) -> I64:
        return wrapped(-int(self))

    def __invert__(self) -> I64:
        return wrapped(~int(self))

    def __abs__(self) -> I64:
        return wrapped(abs(int(self)))

    def __lshift__(self, n: int) -> I64:
        return wrapped(int(self) << (int(n) & 63))

    def __rshift__(self, n: int) -> I64:
        return wrapped(int(self) >> (int(n) & 63))

    def __rlshift__(self, x: int) -> I64:
        return wrapped(int(x) << (int(self) & 63))

    def __rrshift__(self, x: int) -> I64:
        return wrapped(int(x) >> (int(self) & 63))

    def __and__(self, x: int) -> I64:
        return wrapped(int(self) & int(x))

    def __or__(self, x: int) -> I64:
        return wrapped(int(self) | int(x))

    def __xor__(self, x: int) -> I64:
        return wrapped(int(self) ^ int(x))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    __index__ = int.__index__


@dataclasses.dataclass(frozen=True)
class Edge:
    position: int


class Endless(Exception):
    pass


def guarded_range(*bounds: int) -> Any:
    first, end = (0, *bounds) if len(bounds) == 1 else bounds
    i = int(first)
    while i < int(end):
        guarded_range.rounds += 1  # type: ignore[attr-defined]
        if guarded_range.rounds > MOST_ROUNDS:  # type: ignore[attr-defined]
            raise Endless
        yield I64(i)
        i += 1


def to_int(x: Any) -> I64:
    if isinstance(x, float) and not -(2.0**63) <= float(x) < 2.0**63:
        faults.append(OVERFLOW)
        return I64(0)
    return wrapped(int(x))


def square_root(x: Any) -> F64:
    if x < 0:
        faults.append(NEGATIVE_ROOT)
        return F64(0.0)
    return F64(math.sqrt(x))


SPECIAL = {
    "range": guarded_range, "int": to_int, "float": lambda x: F64(float(x)), "len": lambda x: I64(len(x)),
    "math": types.SimpleNamespace(sqrt=square_root, inf=F64(math.inf), pi=F64(math.pi)), "sqrt": square_root,
}  # fmt: skip
