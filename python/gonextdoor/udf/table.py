"""gnd.table: functions of a number for hooks, by their values at equal distances."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.checks import checked_count

__all__ = ["Table", "table"]

MOST_POINTS = 1 << 24


class Table:
    """The values of a function at n points from low to high; made by :func:`gonextdoor.table`.

    A hook reads it as ``ctx.name(x)``, if it was passed as ``App(arrays={"name": table})``. Calling it in Python has
    the same result, bit by bit.

    Attributes:
        values: float64, shape (n,): the function at ``low + i * (high - low) / (n - 1)``. Read-only.
        low: the first point.
        high: the last point.

    Examples:
        >>> roots = gnd.table(lambda x: x**0.5, 0, 4, 5)
        >>> roots, roots(1.2), roots.values.tolist()[:2]
        (table(0.0, 4.0, 5), 1.0, [0.0, 1.0])
    """

    def __init__(self, values: np.ndarray[Any, Any], low: float, high: float) -> None:
        self.values, self.low, self.high = values, low, high
        self._scale = (len(values) - 1) / (high - low)

    @property
    def arithmetic(self) -> tuple[tuple[str, float], ...]:
        """The operations that make the index of a number: it is the integer part of the result of the last one."""
        return (("-", self.low), ("*", self._scale), ("+", 0.5), ("max", 0.0), ("min", len(self.values) - 0.5))

    def __call__(self, x: float) -> float:
        """The value at the point nearest to x, of two the greater; outside of low to high, at the nearer end."""
        at = (float(x) - self.low) * self._scale + 0.5
        return float(self.values[int(min(max(at, 0.0), len(self.values) - 0.5))])

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"table({self.low!r}, {self.high!r}, {len(self.values)})"


def table(f: Callable[[float], float], low: float, high: float, n: int) -> Table:
    """Tabulates a function, so that hooks can use it: ``exp``, ``log``, powers and others have no exact result on all
    machines, but the elements of a table have.

    Args:
        f: the function of a float. It is called n times, by Python.
        low: the first point.
        high: the last point, greater than low.
        n: the number of points, from 2 to 2^24. The point nearest to a number is at most
            ``(high - low) / (2 * (n - 1))`` from it.

    Returns:
        The table, for ``App(arrays={"name": table})``. Hooks read it as ``ctx.name(x)``: the value at the point nearest
        to x, of two the greater one; below low that of low, above high that of high. In float64, without fused
        operations: ``values[int(min(max((x - low) * scale + 0.5, 0.0), n - 0.5))]`` with
        ``scale = (n - 1) / (high - low)``. NaN is an error of the conversion to int.

    Raises:
        TypeError: f is no function of a float, or another argument is of the wrong type.
        ValueError: low, high or n is out of range, or f has no finite value at a point.

    Examples:
        >>> import math
        >>> decay = gnd.table(lambda x: math.exp(-x), 0, 8, 4097)
        >>> decay(1.0) == math.exp(-1.0), decay(100.0) == math.exp(-8.0)
        (True, True)
        >>> def recent(ctx, edge, dst):
        ...     return ctx.decay(0.5 * ctx.label(edge))
        >>> app = gnd.App(edge_bias=recent, steps=4, arrays={"decay": decay})
    """
    if not callable(f):
        raise TypeError(f"f = {f!r}: expected a function of a float")
    ends = {"low": low, "high": high}
    for name, value in ends.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise TypeError(f"{name} = {value!r}: expected a number")
        if not math.isfinite(value):
            raise ValueError(f"{name} = {value!r}: expected a finite number")
    low, high, n = float(low), float(high), checked_count("n", n, 2, MOST_POINTS)
    if low >= high:
        raise ValueError(f"low = {low}, high = {high}: expected low < high")
    if not (math.isfinite(high - low) and math.isfinite((n - 1) / (high - low))):
        raise ValueError(f"low = {low}, high = {high}: expected a range whose length and its inverse are finite")
    values = np.array([_value(f, low + i * (high - low) / (n - 1)) for i in range(n)])
    values.flags.writeable = False
    return Table(values, low, high)


def _value(f: Callable[[float], float], x: float) -> float:
    try:
        value = float(f(x))
    except (ArithmeticError, ValueError) as error:
        raise ValueError(f"f({x!r}): {error}; expected a finite number at all points from low to high") from error
    if not math.isfinite(value):
        raise ValueError(f"f({x!r}) = {value}: expected a finite number at all points from low to high")
    return value
