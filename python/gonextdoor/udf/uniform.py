"""Recognises a next hook that chooses one of the transit's edges uniformly at random."""

from __future__ import annotations

from typing import Any, NoReturn

from . import tree
from .bound.acceptance import Probe, UnknownError
from .bound.interpreter import MOST_DEPTH, Interpreter, State, depth

__all__ = ["uniform_word"]

WORDS = 32  # random words of the hooks at each step
_MOST_EDGES = (1 << 63) - 1


class _Symbol:
    """A value that is not known, except for its origin. It has no operators, and equals itself only."""

    def __init__(self, word: int | None = None) -> None:
        self.word = word  # by which it was drawn


_TRANSIT, _DEGREE = _Symbol(), _Symbol()


def uniform_word(function: tree.Function) -> int | None:
    """The number of the random word by which a next hook chooses among the transit's edges; None: it is not known to.

    The hook must return NULL for a transit without an edge, and otherwise ``ctx.neighbor(ctx.transit, ctx.below(i,
    ctx.degree(ctx.transit)))`` with a constant i.
    """
    if depth(function.body) > MOST_DEPTH:
        return None
    try:
        without, chosen = _Case(function, 0).result(), _Case(function, _DEGREE).result()
    except (UnknownError, ArithmeticError, TypeError, ValueError):
        return None
    return chosen.word if without == -1 and isinstance(chosen, _Neighbor) else None


class _Index(_Symbol):
    """A number below the transit's degree."""


class _Neighbor(_Symbol):
    """The end point of an edge with such a number."""


def _comparable(x: Any) -> bool:
    """Whether the comparison of a degree with x is the same for all degrees if it is for the least and the largest."""
    return isinstance(x, int) and (x <= 1 or x == _MOST_EDGES)


class _Case(Probe):
    """Runs next for a transit without an edge (degree 0), or for any other (_DEGREE)."""

    def __init__(self, function: tree.Function, degree: int | _Symbol) -> None:
        Interpreter.__init__(self, function)
        self.rounds, self.degree, self.fields = 0, degree, {"transit": _TRANSIT}

    def result(self) -> Any:
        """What the hook returns."""
        return self.run(self.function.body, State({}))[0]

    def cast(self, to: tree.Type, a: Any) -> Any:
        if not isinstance(a, _Symbol):
            return super().cast(to, a)
        if to == "int":
            return a
        if to == "bool" and a is _DEGREE:
            return True
        raise UnknownError

    def compared(self, operator: str, a: Any, b: Any) -> bool:
        if not isinstance(a, _Symbol) and not isinstance(b, _Symbol):
            return super().compared(operator, a, b)
        results = set()
        for degree in (1, _MOST_EDGES):
            left, right = (degree if x is _DEGREE else x for x in (a, b))
            if not (_comparable(left) and _comparable(right)):
                raise UnknownError
            results.add(super().compared(operator, left, right))
        if len(results) != 1:
            raise UnknownError
        return results.pop()

    def call(self, x: tree.Call, *arguments: Any) -> Any:
        a = list(arguments)
        if x.name == "degree" and a == [_TRANSIT]:
            return self.degree
        if x.name == "below" and isinstance(a[0], int) and a[1] is _DEGREE:
            return _Index(a[0] % WORDS)
        if x.name == "neighbor" and a[0] is _TRANSIT and isinstance(a[1], _Index):
            return _Neighbor(a[1].word)
        raise UnknownError

    def unknown(self, x: tree.Expression, index: Any = None) -> NoReturn:
        """Parameters and elements of arrays, which may change from call to call."""
        raise UnknownError

    parameter = element = length = unknown
