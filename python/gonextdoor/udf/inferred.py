"""Apps with the bound that is inferred or measured for a graph; see bounds and measured."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from .._core.weak import WeakTable
from . import bounds
from .graphfacts import GraphFacts
from .measured import measured

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .app import App

__all__ = ["with_bound"]

_MADE = ("_core", "_plan", "_samplers", "_shapes", "_texts", "_compiled", "_images", "_bounded")  # not copied


def with_bound(app: App, graph: Graph) -> App:
    """The app with its bound on a graph, which is kept with the app until one of both is deleted; without one if the
    hook has none. Safe for concurrent callers."""
    kept: WeakTable[Graph, App] | None = app.__dict__.get("_bounded")
    if kept is None:
        kept = app.__dict__.setdefault("_bounded", WeakTable())
    found = kept.of(graph)
    return kept.put(graph, _made(app, graph)) if found is None else found


def _made(app: App, graph: Graph) -> App:
    """A copy of an app, with the inferred or measured bound, or the reasons why there is none."""
    other = copy.copy(app)
    for name in _MADE:
        other.__dict__.pop(name, None)
    other._infers = False
    pool = "vertex_bias" in app.hooks
    facts = GraphFacts(graph, list(app.params.values()), list(app.arrays.values()), app.steps, pool)
    try:
        bound = bounds.bound_of(app._functions["edge_bias"], facts, (list(app.params), list(app.arrays)))
    except bounds.NoBoundError as error:
        return _measured(other, graph, facts, error)
    other._functions = {**app._functions, "bound": bound.function}
    other._bound_parameters = bound.parameters
    other._bound_text = f"inferred: {bound.text}"
    return other


def _measured(app: App, graph: Graph, facts: GraphFacts, error: bounds.NoBoundError) -> App:
    """The app with the measured bound. If it has none either, both reasons."""
    source = app.hooks["edge_bias"]
    reason = f"{error} ({source.where(error.line)})"
    if not facts.edges:
        app._bound_text = f"none: {reason}"
        return app
    try:
        found = measured(app, graph, facts)
    except bounds.NoBoundError as second:
        where = f" ({source.where(second.line)})" if second.line else ""
        app._bound_text = f"none: {reason}; not measured, since {second}{where}"
        return app
    app._functions = {**app._functions, "bound": found.function}
    app._bound_arrays = (found.array,)
    app._bound_text = f"measured: {found.text}; not inferred, since {reason}"
    return app
