"""Facts of a loader: what its state, and the loaders of other ranks, must have in common with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..graph.graph import Graph
from .sampler import NeighborSampler
from .seeds import name_of

__all__ = ["difference", "fact", "facts_of", "graph_facts", "short"]

Array = npt.NDArray[Any]

COMPARED = 256  # elements of each array of a graph that are compared


def facts_of(sampler: NeighborSampler) -> dict[str, Any]:
    """The facts of a loader's sampler: its arguments, and the graph.

    The graph is compared by its numbers of vertices and edges and up to 256 elements of each of two arrays, since a
    state has to be loaded in less than a millisecond; a partitioned graph by the numbers alone.
    """
    made = sampler.__getstate__()
    return {**graph_facts(made["graph"]), **made["parameters"], "direction": made["direction"]}


def graph_facts(graph: Any) -> dict[str, Any]:
    """The facts of a graph, a heterogeneous one or a partitioned one; see ``facts_of``."""
    parts: Mapping[Any, Any] = {None: graph}
    if isinstance(graph.num_vertices, int):
        sizes: dict[str, Any] = {"num_vertices": graph.num_vertices, "num_edges": graph.num_edges}
    else:
        parts = graph.relations
        sizes = {"num_vertices": dict(graph.num_vertices)}
        sizes["num_edges"] = {":".join(relation): part.num_edges for relation, part in parts.items()}
    if all(isinstance(part, Graph) for part in parts.values()):
        sizes["graph"] = name_of({(kind, name): _some(getattr(part, name))
                                  for kind, part in parts.items() for name in ("indptr", "indices")})  # fmt: skip
    return sizes


def difference(own: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """The name of the first fact that differs, or that only one of them has; None: there is none.

    A partitioned graph has no fact of its arrays, and its batches are those of the whole graph.
    """
    for name in {**own, **other}:
        both = name in own and name in other
        if not _same(own[name], other[name]) if both else name != "graph":
            return name
    return None


def _same(own: Any, other: Any) -> bool:
    """Whether a fact of a state, which may be anything, equals that of a loader: an array, for example, does not."""
    if isinstance(own, (dict, list, tuple)):
        kinds: Any = dict if isinstance(own, dict) else (list, tuple)
        if not isinstance(other, kinds) or len(own) != len(other):
            return False
        if isinstance(own, dict):
            return all(name in other and _same(value, other[name]) for name, value in own.items())
        return all(map(_same, own, other))
    if isinstance(own, np.generic):
        own = own.item()
    if isinstance(other, np.generic):
        other = other.item()
    plain = (bool, int, float, str, bytes, type(None))
    both = isinstance(own, plain) and isinstance(other, plain) and isinstance(own, bool) == isinstance(other, bool)
    return both and own == other


def fact(facts: Mapping[str, Any], name: str) -> str:
    """A fact for an error."""
    return f"{name} = {short(facts[name])}" if name in facts else f"no {name}"


def short(value: Any) -> str:
    """A value for an error, at most 200 characters."""
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."


def _some(values: Array) -> Array:
    """At most ``COMPARED`` elements, evenly spaced."""
    return values[:: max(1, -(-len(values) // COMPARED))]
