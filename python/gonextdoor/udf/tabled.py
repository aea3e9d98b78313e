"""Recognises an edge_bias that does not depend on the walk. Its walks are those of DeepWalk by other weights.

That app draws from alias tables, so no proposal is rejected. The biases are computed once, as the weights of a view of
the graph. They take 4 bytes per edge, and the tables 16.
"""

from __future__ import annotations

from .._core import running
from .._core.costs import costs
from ..apps.app import SameWalks
from ..apps.walks import DeepWalk
from . import tree
from .bound.graphfacts import GraphFacts
from .bound.measured import WithBias, check_loops, separated
from .bound.outcome import Bound, NoBoundError

__all__ = ["tabled_walk"]

ACCEPTED = 0.75  # the share of accepted proposals from which tables are not worth their memory
MOST_EDGES = 1 << 28  # whose view and tables take 5 GiB


def tabled_walk(function: tree.Function, facts: GraphFacts, bound: Bound, with_bias: WithBias) -> SameWalks | None:
    """The DeepWalk that is the same as the walk by a hook edge_bias; None: there is none, or its tables do not pay.

    Args:
        bound: the bound of the hook.
        with_bias: the app with another edge_bias, see ``bound.measured``.

    Raises:
        ImportError: the hook is not compiled yet, and llvmlite is missing.
    """
    often = bound.accepted is not None and bound.accepted >= ACCEPTED
    if often or facts.last_step == 65535 or not 0 < facts.edges <= MOST_EDGES:
        return None
    try:
        check_loops(function.body, facts)
        hook, _, _ = separated(function, len(facts.params), 0)
    except NoBoundError:
        return None
    app = with_bias(hook)  # it owns the hook's code and the arrays
    try:
        held = app._held()
    except ImportError as error:
        raise ImportError(f"the biases of all edges are computed: {error}, or pass bound=None") from error
    view = running.call(
        "GraphByBiases", facts.graph._held.number, held.number,
        seconds=costs().first_call_edge * facts.edges, total=facts.vertices, label="biases",
    )  # fmt: skip
    if not view:
        return None
    share = "" if bound.accepted is None else f", since about {bound.accepted:.2g} of proposals would be accepted"
    text = f"none: alias tables of the biases of all edges{share}"
    return SameWalks(DeepWalk(facts.last_step + 1, weighted=True), facts.graph._reweighted(view), text)
