"""How often the loops of a hook can run."""

from __future__ import annotations

from . import tree

__all__ = ["MOST_ROUNDS", "counted"]

MOST_ROUNDS = 1 << 20  # rounds of loops in one call of a hook


def counted(function: tree.Function) -> bool:
    """Whether rounds must be counted as they run: their number may be above the most."""
    return _rounds(function.body) > MOST_ROUNDS


def _rounds(body: tuple[tree.Statement, ...]) -> int:
    """The most rounds that the loops of statements can take, or a number above all bounds where it is not known."""
    total = 0
    for s in body:
        if isinstance(s, tree.If):
            total += _rounds(s.body) + _rounds(s.otherwise)
        if isinstance(s, tree.For):
            if not (isinstance(s.first, tree.Constant) and isinstance(s.end, tree.Constant)):
                return MOST_ROUNDS + 1
            total += max(0, int(s.end.value) - int(s.first.value)) * (1 + _rounds(s.body))
    return total
