"""The domain of errors: which errors an expression may have, beside the range of its value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import tree
from ..tree import Expression
from .graphfacts import GraphFacts
from .interpreter import State
from .ranges import Edges, Range

__all__ = ["error_of", "has_none"]

_VERTICES = {"degree": 1, "max_weight": 1, "edge": 1, "neighbor": 1, "has_edge": 2}  # first arguments that are vertices
_SAFE_CALLS = {"chance", "has_edge", "word"}  # has_edge of a missing vertex fails for every edge
_SAFE_OPERATORS = {"+", "-", "*", "&", "|", "^", "min", "max"}

DegreeOf = Callable[[Expression, State[Any]], Range]


def error_of(
    x: Expression, operands: list[Any], state: State[Any], facts: GraphFacts, degree_of: DegreeOf
) -> str | None:
    """The error that the last of the first operands of an expression may cause, as text; None: it causes none.

    Args:
        operands: their ranges.
        degree_of: the range of the degree of a vertex, an expression.
    """
    last, number = operands[-1], len(operands)
    if isinstance(x, tree.Element):
        index = facts.edge_ids if isinstance(last, Edges) else last
        if index.low < 0 or index.high >= len(facts.arrays[x.array.place]):
            return "an array index may be out of range"
    elif isinstance(x, tree.Binary):
        if x.operator in ("/", "//", "%") and number == 2 and last.low <= 0 <= last.high:
            return "a divisor may be 0"
    elif isinstance(x, tree.Cast):
        if x.type == "int" and last.type == "float" and not -(2.0**63) <= last.low <= last.high < 2.0**63:
            return "a conversion to int may be out of range"
    elif isinstance(x, tree.Call):
        if number <= _VERTICES.get(x.name, 0):
            if last.low < 0 or last.high >= facts.vertices:
                return "a vertex may be out of range"
        elif x.name in ("edge", "neighbor"):
            vertex, index = x.arguments
            degree = degree_of(vertex, state)
            below = repr(index), repr(tree.Call("int", "degree", (vertex,)))
            if last.low < 0 or not (last.high < degree.low or below in state.below):
                return "an edge may be out of range"
    return None


def has_none(x: Expression) -> bool:
    """Whether an expression has no error whatever its operands are, apart from those of has_edge."""
    for part in tree.expressions(x):
        if isinstance(part, tree.Call) and part.name not in _SAFE_CALLS:
            return False
        if isinstance(part, tree.Binary) and part.operator not in _SAFE_OPERATORS:
            return False
        if isinstance(part, tree.Element) or (isinstance(part, tree.Cast) and part.type == "int"):
            return False
    return True
