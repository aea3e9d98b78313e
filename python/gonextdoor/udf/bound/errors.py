"""The domain of errors: which errors an expression may have, and the values of its operands that cause none.

A choice continues after an error as if the hook had returned 0, and the call raises the error at its end. So ranges are
those of values without an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import tree
from ..tree import Expression
from .graphfacts import GraphFacts
from .interpreter import State
from .ranges import Edges, Known, Range, limited

__all__ = ["has_none", "without_error"]

_VERTICES = {"degree": 1, "max_weight": 1, "edge": 1, "neighbor": 1, "has_edge": 2}  # first arguments that are vertices
_OF_EDGES = ("weight", "label", "time", "edge_id")
_SAFE_CALLS = {"chance", "has_edge", "word"}  # has_edge of a missing vertex fails for every edge
_SAFE_OPERATORS = {"+", "-", "*", "&", "|", "^", "min", "max"}

DegreeOf = Callable[[Expression, State[Any]], Range]


def without_error(
    x: Expression, operands: list[Any], state: State[Any], facts: GraphFacts, degree_of: DegreeOf
) -> tuple[str, Any] | None:
    """The error that the last of the first operands of an expression may cause, as text, and the range of this
    operand's values that cause none, or None if all do. None: it causes no error.

    Args:
        operands: their ranges.
        degree_of: the range of the degree of a vertex, an expression.
    """
    last, number = operands[-1], len(operands)
    if isinstance(x, tree.Element):
        length = len(facts.arrays[x.array.place])
        if isinstance(last, Edges):
            if facts.edge_ids.high >= length or not last.certain:
                return "an array index may be out of range", last if length else None
        elif last.low < 0 or last.high >= length:
            return "an array index may be out of range", _below(last, length)
    elif isinstance(x, tree.Binary):
        if x.operator in ("/", "//", "%") and number == 2 and last.low <= 0 <= last.high:
            return "a divisor may be 0", last if last.low < last.high else None  # binary divides by the others
    elif isinstance(x, tree.Unary):
        if x.operator == "sqrt" and not last.low >= 0:
            return "a square root may be of a negative number", limited(last, tree.Constant("float", 0.0), None)
    elif isinstance(x, tree.Cast):
        if x.type == "int" and last.type == "float" and not -(2.0**63) <= last.low <= last.high < 2.0**63:
            ends = tree.Constant("float", -(2.0**63)), tree.Constant("float", math.nextafter(2.0**63, 0.0))
            return "a conversion to int may be out of range", limited(last, *ends)
    elif isinstance(x, tree.Call):
        if number <= _VERTICES.get(x.name, 0):
            if last.low < 0 or last.high >= facts.vertices:
                return "a vertex may be out of range", _below(last, facts.vertices)
        elif x.name in ("edge", "neighbor"):
            vertex, index = x.arguments
            degree = degree_of(vertex, state)
            below = repr(index), repr(tree.Call("int", "degree", (vertex,)))
            if last.low < 0 or not (last.high < degree.low or below in state.below):
                return "an edge may be out of range", last
        elif x.name in _OF_EDGES and not last.certain:
            return "there may be no edge", last
        elif x.name == "previous" and number == 2:
            least, _ = state.limits.get(repr(tree.Call("int", "count", x.arguments[:1])), (None, None))
            if last.low < 0 or least is None or last.high >= least.value:
                return "a vertex of the sample may not exist", last
        elif x.name == "root" and last.high > 0:
            return "a root may not exist", last
    return None


def _below(index: Range, count: int) -> Range | None:
    """The values of an index from 0 to below a count."""
    return limited(index, tree.Constant("int", 0), Known("int", count - 1)) if count else None


def has_none(x: Expression) -> bool:
    """Whether an expression has no error whatever its operands are, apart from those of has_edge."""
    for part in tree.expressions(x):
        if isinstance(part, tree.Call) and part.name not in _SAFE_CALLS:
            return False
        if isinstance(part, tree.Binary) and part.operator not in _SAFE_OPERATORS:
            return False
        if isinstance(part, tree.Element) or (isinstance(part, tree.Cast) and part.type == "int"):
            return False
        if isinstance(part, tree.Unary) and part.operator == "sqrt":
            return False
    return True
