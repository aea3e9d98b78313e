"""Apps with the bound that is inferred for a graph; see bounds."""

from __future__ import annotations

import copy
import weakref
from typing import TYPE_CHECKING

from . import bounds
from .graphfacts import GraphFacts

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .app import App

__all__ = ["with_bound"]

_MADE = ("_core", "_plan", "_plans", "_shapes", "_texts", "_compiled", "_images", "_bounded")  # not copied


class _Bounded(dict[int, "tuple[weakref.ref[Graph], App]"]):
    """The apps with a bound of one app, by the id of the graph."""

    __slots__ = ("__weakref__",)


def with_bound(app: App, graph: Graph) -> App:
    """The app with its bound on a graph, which is kept with the app until one of both is deleted; without one if the
    hook has none. Safe for concurrent callers."""
    kept: _Bounded | None = app.__dict__.get("_bounded")
    if kept is None:
        kept = app.__dict__.setdefault("_bounded", _Bounded())
    key = id(graph)
    found = kept.get(key)
    if found is not None and found[0]() is graph:
        return found[1]
    of = weakref.ref(kept)

    def gone(_: object) -> None:
        left = of()
        if left is not None:
            left.pop(key, None)

    made = weakref.ref(graph, gone), _made(app, graph)
    kept[key] = made
    return made[1]


def _made(app: App, graph: Graph) -> App:
    """A copy of an app, with the inferred bound or the reason why there is none."""
    other = copy.copy(app)
    for name in _MADE:
        other.__dict__.pop(name, None)
    other._infers = False
    pool = "vertex_bias" in app.hooks
    facts = GraphFacts(graph, list(app.params.values()), list(app.arrays.values()), app.steps, pool)
    try:
        bound = bounds.bound_of(app._functions["edge_bias"], facts, (list(app.params), list(app.arrays)))
    except bounds.NoBoundError as error:
        other._bound_text = f"none: {error} ({app.hooks['edge_bias'].where(error.line)})"
        return other
    other._functions = {**app._functions, "bound": bound.function}
    other._bound_parameters = bound.parameters
    other._bound_text = f"inferred: {bound.text}"
    return other
