"""Conversions from NetworkX and igraph, and to NetworkX."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core.arguments import Arguments
from .._core.checks import checked_auto
from . import columns
from .rows import Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    import networkx

__all__ = ["from_igraph", "from_networkx", "to_networkx"]

Array = npt.NDArray[Any]
DATES = (datetime.date, np.datetime64)


def from_networkx(graph: Any, weight: Any, time: Any, label: Any, symmetric: Any) -> int:
    """The handle of ``Graph.from_networkx``."""
    if not (hasattr(graph, "is_directed") and hasattr(graph, "edges") and hasattr(graph, "adj")):
        raise TypeError(f"graph: expected a NetworkX graph, got {type(graph).__name__}")
    nodes = list(graph.nodes)
    number = {node: i for i, node in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    src = np.fromiter((number[u] for u, _, _ in edges), np.int64, len(edges))
    dst = np.fromiter((number[v] for _, v, _ in edges), np.int64, len(edges))
    found = dict.fromkeys(name for _, _, data in edges for name in data if isinstance(name, str))
    attributes = {name: [data.get(name) for _, _, data in edges] for name in found}
    chosen = _attributes(attributes, len(edges), weight, time, label)
    return _built(src, dst, nodes, chosen, _both(symmetric, graph.is_directed()))


def from_igraph(graph: Any, weight: Any, time: Any, label: Any, symmetric: Any) -> int:
    """The handle of ``Graph.from_igraph``."""
    if not (hasattr(graph, "get_edgelist") and hasattr(graph, "vs") and hasattr(graph, "es")):
        raise TypeError(f"graph: expected an igraph.Graph, got {type(graph).__name__}")
    ends = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    attributes = {name: list(graph.es[name]) for name in graph.es.attributes()}
    chosen = _attributes(attributes, len(ends), weight, time, label)
    names = list(graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount()))
    if None in names:
        raise ValueError(f"graph.vs[{names.index(None)}] has no name: expected the attribute 'name' of every vertex")
    return _built(ends[:, 0], ends[:, 1], names, chosen, _both(symmetric, graph.is_directed()))


def _both(symmetric: Any, directed: bool) -> bool:
    """Whether to hold every edge in both directions."""
    chosen = checked_auto("symmetric", symmetric)
    return not directed if chosen is None else chosen


def _built(src: Array, dst: Array, nodes: list[Any], attributes: Mapping[str, Array], symmetric: bool) -> int:
    spec = Arguments(src=src, dst=dst)
    spec.optional(**attributes)
    spec.options(num_vertices=len(nodes), symmetric=symmetric)
    spec.names(_names(nodes))
    return spec.run("GraphFromEdges", "src")


def _attributes(
    attributes: Mapping[str, list[Any]], count: int, weight: Any, time: Any, label: Any
) -> dict[str, Array]:
    """The arrays of those attributes of count edges that the core's rules choose."""
    names = list(attributes)
    choices = {"weight": weight, "time": time, "label": label}
    for role, given in choices.items():
        if not (given is None or isinstance(given, (str, bool, np.bool_))):
            raise TypeError(f"{role} = {given!r}: expected the name of an edge attribute")
        if isinstance(given, str) and not (role == "weight" and given == "auto"):
            if given not in names and count:
                found = ", ".join(map(repr, names)) or "none"
                raise ValueError(f"{role} = {given!r}: no edge has that attribute; the attributes are {found}")
            choices[role] = names.index(given) if given in names else False  # without edges nothing has attributes
    # Attributes have no order, so none may be chosen for its position: the core's rules look for weights after the ids.
    kinds = [*map(_kind, attributes.values()), "int", "int"]
    ids = {"source": len(names), "target": len(names) + 1}
    chosen = columns.choose([*names, *ids], kinds, **{**choices, **ids})
    arrays = {}
    for role, i in (("weights", chosen.weight), ("times", chosen.time), ("labels", chosen.label)):
        if i is not None:
            arrays[role] = _array(role, names[i], attributes[names[i]])
    return arrays


def _array(role: str, name: str, values: list[Any]) -> Array:
    """The values of an attribute by edge. A weight that is missing is 1, as in NetworkX."""
    if role == "weights":
        values = [1 if value is None else value for value in values]
    for i, value in enumerate(values):
        if value is None:
            raise ValueError(
                f"edge {i} has no attribute {name!r}: expected an integer for every edge; "
                f"{role.removesuffix('s')}=False reads the graph without {role}"
            )
    if role == "times" and (not values or isinstance(values[0], DATES)):
        return np.array(values, object)
    if role == "times":
        values = [
            int(value) if isinstance(value, (float, np.floating)) and value % 1 == 0 else value for value in values
        ]
    wanted = (int, np.integer) if role != "weights" else (int, float, np.integer, np.floating)
    for i, value in enumerate(values):
        if not isinstance(value, wanted) or isinstance(value, bool):
            expected = "a number" if role == "weights" else "an integer"
            raise TypeError(f"edge {i} has {name} = {value!r}: expected {expected}")
    return np.array(values)


def _kind(values: list[Any]) -> str:
    """The kind of an attribute's values other than None, in the core's words."""
    kinds = {type(value) for value in values if value is not None}
    if any(issubclass(kind, (bool, np.bool_)) for kind in kinds):
        return "other"
    if kinds and all(issubclass(kind, DATES) for kind in kinds):
        return "date"
    if all(issubclass(kind, (int, np.integer)) for kind in kinds):
        return "int"
    if all(issubclass(kind, (int, float, np.integer, np.floating)) for kind in kinds):
        return "float"
    return "text" if all(issubclass(kind, str) for kind in kinds) else "other"


def _names(nodes: list[Any]) -> Array | None:
    """Names for nodes that are not 0 ... n-1 in order: integers if all are, text otherwise."""
    if nodes == list(range(len(nodes))):
        return None
    if all(_is_integer(node) for node in nodes):
        return np.array(nodes, np.int64)
    names = np.empty(len(nodes), object)
    names[:] = [str(node) for node in nodes]
    if not all(isinstance(node, str) for node in nodes):
        first: dict[str, Any] = {}
        for node, name in zip(nodes, names.tolist(), strict=True):
            if first.setdefault(name, node) is not node:
                both = f"the nodes {first[name]!r} and {node!r} have one name, {name!r}"
                raise ValueError(f"{both}: rename one by networkx.relabel_nodes")
    return names


def _is_integer(node: Any) -> bool:
    """Whether a node is a 64-bit integer, of Python or numpy, and not a bool."""
    return isinstance(node, (int, np.integer)) and not isinstance(node, bool) and -(1 << 63) <= int(node) < 1 << 63


def to_networkx(graph: Rows) -> networkx.DiGraph[Any]:
    """See ``Graph.to_networkx``."""
    try:
        import networkx
    except ImportError as missing:
        raise ImportError("Graph.to_networkx needs NetworkX: pip install 'gonextdoor[networkx]'") from missing
    names = graph.vertex_names
    nodes: list[Any] = list(range(graph.num_vertices)) if names is None else names.tolist()
    if len(set(nodes)) < len(nodes):
        first: dict[Any, int] = {}
        for vertex, name in enumerate(nodes):
            if first.setdefault(name, vertex) != vertex:
                raise ValueError(
                    f"vertex_names[{vertex}] = {name!r} is also that of vertex {first[name]}: NetworkX would join them"
                )
    starts = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    indices = graph.indices
    parallel = bool(((starts[1:] == starts[:-1]) & (indices[1:] == indices[:-1])).any())
    made = networkx.MultiDiGraph() if parallel else networkx.DiGraph()
    made.add_nodes_from(nodes)
    given = {"weight": graph.weights, "label": graph.labels, "time": graph.times}
    attributes = {name: array.tolist() for name, array in given.items() if array is not None}
    ends = ((nodes[u], nodes[v]) for u, v in zip(starts.tolist(), indices.tolist(), strict=True))
    if attributes:
        rows = (dict(zip(attributes, row, strict=True)) for row in zip(*attributes.values(), strict=True))
        made.add_edges_from((u, v, row) for (u, v), row in zip(ends, rows, strict=True))
    else:
        made.add_edges_from(ends)
    return made
