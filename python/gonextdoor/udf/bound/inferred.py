"""Infers a bound: the greatest value of ``edge_bias`` in the domain of ranges.

The result is a hook of one expression, which is compiled like one that a user writes, so engines need no code for it.
No bias without an error is above it. If the hook may have an error, the bound is positive, so that every choice
evaluates a candidate: an error of all candidates ends the run.
"""

from __future__ import annotations

from .. import tree
from ..tree import Expression
from ..unparse import text
from .acceptance import share_of
from .graphfacts import GraphFacts
from .hookranges import HookRanges
from .interpreter import MOST_DEPTH, depth
from .operators import cast
from .outcome import Bound
from .ranges import least_of, most_of
from .rewrite import simplified, with_locals, with_parameters

__all__ = ["inferred"]


def inferred(function: tree.Function, facts: GraphFacts) -> Bound:
    """The bound of a hook edge_bias on a graph.

    Raises:
        NoBoundError: the hook has no bound, or it is too loose.
    """
    analysis = HookRanges(function, facts)
    most = _most(analysis)
    short = simplified(most, facts.params)
    shown = text(short, *facts.names)
    accepted = share_of(function, short, facts, shown)
    most, values = with_parameters(most, len(facts.params))
    statements, most = with_locals(most)
    made = tuple((s.name, s.value.type) for s in statements)
    hook = tree.Function((), made, most.type, (*statements, tree.Return(most)))
    return Bound(f"inferred: {shown}", hook, values, error=analysis.error, accepted=accepted)


def _most(analysis: HookRanges) -> Expression:
    """The greatest valid bias of a transit."""
    if not analysis.facts.edges:
        analysis.refuse("the graph has no edges")
    if depth(analysis.function.body) > MOST_DEPTH:
        analysis.refuse("it is too deep to analyse")
    found = analysis.result()
    if found is None:
        analysis.refuse("no path returns")
    found = cast("int", found) if found.type == "bool" else found
    least, largest = (2.0**-16, 2.0**16 - 2.0**-16) if found.type == "float" else (1, 2**32 - 1)
    if not found.bounded:
        analysis.refuse("the biases have no finite bound")
    most = found.most
    if found.low < 0:
        negative = f"a bias may be negative, from {found.low:g} on"
        analysis.note(negative)
        if found.high <= 0:
            analysis.refuse(negative)
    if found.high > largest:
        large = f"a bias may be too large, up to {found.high:g}"
        analysis.note(large)
        if isinstance(most, tree.Constant):
            analysis.refuse(large)
        most = least_of(found.type, most, tree.Constant(found.type, largest))
    if analysis.error is not None and found.low <= 0:
        most = most_of(found.type, most, tree.Constant(found.type, least))
    return most
