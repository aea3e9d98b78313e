"""Bounds of the number of loop iterations in a hook."""

from __future__ import annotations

from . import tree

__all__ = ["MOST_ROUNDS", "counted"]

MOST_ROUNDS = 1 << 20  # iterations in one call of a hook


def counted(function: tree.Function) -> bool:
    """Whether iterations must be counted at run time, since their number may exceed the limit."""
    return _rounds(function.body) > MOST_ROUNDS


def _rounds(body: tuple[tree.Statement, ...]) -> int:
    """The most iterations of the loops of statements, or a number above the limit if it is unknown."""
    total = 0
    for s in body:
        if isinstance(s, tree.If):
            total += _rounds(s.body) + _rounds(s.otherwise)
        if isinstance(s, tree.For):
            if not (isinstance(s.first, tree.Constant) and isinstance(s.end, tree.Constant)):
                return MOST_ROUNDS + 1
            total += max(0, int(s.end.value) - int(s.first.value)) * (1 + _rounds(s.body))
    return total
