"""The bound of an app on a graph: inferred, else measured, else none; of two bounds of a bias that does not depend on
the walk, the one under which more proposals are accepted."""

from __future__ import annotations

import dataclasses

from .. import tree
from ..source import Source
from .graphfacts import GraphFacts
from .inferred import inferred
from .measured import WithBias, measured
from .outcome import Bound, NoBoundError

__all__ = ["bound_of"]

LOOSE = 0.5  # the share of accepted proposals below which an inferred bound is compared with a measured one
TIGHTER = 1.5  # times that share: then the measured bound is used


def bound_of(function: tree.Function, source: Source, facts: GraphFacts, with_bias: WithBias) -> Bound:
    """The bound of a hook edge_bias, or the reasons why there is none.

    Args:
        source: the user's function.
        with_bias: the app with another edge_bias, see measured.
    """
    try:
        found = inferred(function, facts)
    except NoBoundError as error:
        reason = f"{error}{f' ({source.where(error.line)})' if error.line else ''}"
    else:
        return _with_error(_tighter(found, function, facts, with_bias) or found, source)
    if not facts.edges:
        return Bound(f"none: {reason}")
    try:
        return _with_error(measured(function, facts, with_bias, reason), source)
    except NoBoundError as error:
        where = f" ({source.where(error.line)})" if error.line else ""
        return Bound(f"none: {reason}; not measured, since {error}{where}")


def _tighter(found: Bound, function: tree.Function, facts: GraphFacts, with_bias: WithBias) -> Bound | None:
    """The measured bound if the inferred one is loose, and the other one accepts more proposals."""
    if found.accepted is None or found.accepted >= LOOSE:
        return None
    shown = found.text.removeprefix("inferred: ")
    reason = f"of proposals under {shown} about {found.accepted:.2g} would be accepted"
    try:
        other = measured(function, facts, with_bias, reason, most_conditions=0)
    except NoBoundError:
        return None
    return other if other.accepted is not None and other.accepted >= TIGHTER * found.accepted else None


def _with_error(found: Bound, source: Source) -> Bound:
    """The bound whose text, which stays Python, tells an error that is not found for all edges."""
    if found.error is None:
        return found
    text, line = found.error
    where = f" ({source.where(line)})" if line else ""
    return dataclasses.replace(found, text=f"{found.text}  # found for proposed edges only: {text}{where}")
