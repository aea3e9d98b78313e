"""Infers a bound: the greatest value of ``edge_bias`` in the domain of ranges.

The result is a hook of one expression, which is compiled like one that a user writes, so engines need no code for it. A
bound is inferred only if the hook has no fault for any candidate of the graph. Otherwise every candidate is weighed, as
without a bound, and the run ends with the same error.
"""

from __future__ import annotations

from .. import tree
from ..unparse import text
from .acceptance import refusal
from .graphfacts import GraphFacts
from .hookranges import HookRanges
from .interpreter import MOST_DEPTH, depth
from .outcome import Bound
from .ranges import Range, cast
from .rewrite import simplified, with_locals, with_parameters

__all__ = ["inferred"]


def inferred(function: tree.Function, facts: GraphFacts) -> Bound:
    """The bound of a hook edge_bias on a graph.

    Raises:
        NoBoundError: the hook has no bound, may have a fault, or the bound is too loose.
    """
    analysis = HookRanges(function, facts)
    found = _valid(analysis)
    short = simplified(found.most, facts.params)
    shown = text(short, *facts.names)
    loose = refusal(function, short, facts, shown)
    if loose is not None:
        analysis.refuse(loose)
    most, values = with_parameters(found.most, len(facts.params))
    statements, most = with_locals(most)
    made = tuple((s.name, s.value.type) for s in statements)
    return Bound(f"inferred: {shown}", tree.Function((), made, found.type, (*statements, tree.Return(most))), values)


def _valid(analysis: HookRanges) -> Range:
    """The range of the biases, which are valid."""
    if not analysis.facts.edges:
        analysis.refuse("the graph has no edges")
    if depth(analysis.function.body) > MOST_DEPTH:
        analysis.refuse("it is too deep to analyse")
    found = analysis.result()
    if found is None:
        analysis.refuse("no path returns")
    found = cast("int", found) if found.type == "bool" else found
    limit, unit = (2.0**32, 65536.0) if found.type == "float" else (2**32, 1)
    if not found.bounded:
        analysis.refuse("the biases have no finite bound")
    if found.low < 0:
        analysis.refuse(f"a bias may be negative, from {found.low:g} on")
    if found.high * unit >= limit:
        analysis.refuse(f"a bias may be too large, up to {found.high:g}")
    return found
