"""The bound of an app on a graph: inferred, else measured, else none."""

from __future__ import annotations

from .. import tree
from ..source import Source
from .graphfacts import GraphFacts
from .inferred import inferred
from .measured import WithBias, measured
from .outcome import Bound, NoBoundError

__all__ = ["bound_of"]


def bound_of(function: tree.Function, source: Source, facts: GraphFacts, with_bias: WithBias) -> Bound:
    """The bound of a hook edge_bias, or the reasons why there is none.

    Args:
        source: the user's function.
        with_bias: the app with another edge_bias, see measured.
    """
    try:
        return inferred(function, facts)
    except NoBoundError as error:
        reason = f"{error} ({source.where(error.line)})"
    if not facts.edges:
        return Bound(f"none: {reason}")
    try:
        return measured(function, facts, with_bias, reason)
    except NoBoundError as error:
        where = f" ({source.where(error.line)})" if error.line else ""
        return Bound(f"none: {reason}; not measured, since {error}{where}")
