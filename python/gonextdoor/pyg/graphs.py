"""Graphs of PyG as ours: Data, HeteroData, and a FeatureStore with a GraphStore."""

from __future__ import annotations

import copy
import functools
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch_geometric.data import Data, HeteroData, remote_backend_utils
from torch_geometric.sampler.base import DataType

from .._core.renamed import renamed
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .changes import Read

__all__ = ["Direction", "Source", "from_pyg", "inside", "timed"]

Array = npt.NDArray[Any]
EdgeType = tuple[str, str, str]
Direction = Literal["in", "out"]


class Source:
    """The parts of a PyG graph that a sampler needs.

    Attributes:
        kind: homogeneous, heterogeneous or remote (a FeatureStore with a GraphStore).
        graph: the graph whose rows are the edges that lead to a vertex ("in") or away from it ("out"): ``direction``.
        graphs: by type of edge: its part of it.
        read: what was read, to notice changes.
        node_types, edge_types: their names, in the data's order; ``[None]`` each if the graph has but one type. A
            HeteroData may have no types of edges; ``graph`` then has one relation without edges.
        num_nodes: by type of node, or a number.
        node_time: by type of node, int64; those of a homogeneous graph under None. Empty without such times. They are
            tensors: workers that are spawned share those.
        edge_time: whether edges have times.
        weighted: whether edges have weights.
    """

    def __init__(self, data: Any, direction: Direction, weight_attr: str | None, time_attr: str | None) -> None:
        self.kind = DataType.from_data(data)
        self.node_types: list[Any] = [None]
        self.edge_types: list[Any] = [None]
        self.num_nodes: Any = 0
        self.node_time: dict[str | None, torch.Tensor] = {}
        self.edge_time, self.weighted, self.direction = False, weight_attr is not None, direction
        self.graphs: dict[Any, Graph] = {}
        self.read = Read()
        reader = {DataType.homogeneous: _read_data, DataType.heterogeneous: _read_hetero}.get(self.kind, _read_remote)
        reader(self, data, weight_attr, time_attr)
        self.graph = self._joined()

    @functools.cached_property
    def is_hetero(self) -> bool:
        """Whether vertices and edges have types."""
        return self.edge_types != [None]

    def count(self, node_type: str | None) -> int:
        """The number of nodes of a type."""
        return int(self.num_nodes if node_type is None else self.num_nodes[node_type])

    def ends(self, edge_type: EdgeType | None) -> tuple[int, int]:
        """The numbers of source and destination nodes of an edge type."""
        if edge_type is None:
            return self.count(None), self.count(None)
        return self.count(edge_type[0]), self.count(edge_type[2])

    def times_of(self, node_type: str | None) -> Array | None:
        """The times of a type's nodes, (n,) int64; None if they have none. Not to be kept."""
        times = self.node_time.get(node_type)
        return None if times is None else np.asarray(times.numpy())

    def relation(self, edge_type: EdgeType) -> EdgeType:
        """The graph's name for the edges of a type: reversed if its rows are edges that leave."""
        return edge_type if self.direction == "in" else (edge_type[2], edge_type[1], edge_type[0])

    def _joined(self) -> Graph | HeteroGraph:
        if not self.is_hetero:
            return self.graphs[None]
        relations = {self.relation(edge_type): graph for edge_type, graph in self.graphs.items()}
        if not relations:
            kind = self.node_types[0]
            none = np.empty(0, np.int64)
            relations[kind, "", kind] = Graph.from_edges(none, none, num_vertices=self.count(kind))
        times = {t: time.numpy() for t, time in self.node_time.items() if t is not None}
        return HeteroGraph(relations, self.num_nodes, times=times or None)


def timed(graph: Graph | HeteroGraph, node_time: Any = None) -> bool:
    """Whether any choice among the edges of a graph follows times, those of the edges or of their sources. A graph
    without edges, or whose nodes with times have none, is sampled as one without times.

    Args:
        graph: the graph.
        node_time: the times of the nodes of a ``Graph``; a ``HeteroGraph`` has them itself.
    """
    if isinstance(graph, Graph):
        return graph.times is not None or node_time is not None
    return any(part.times is not None or kinds[0] in (graph.times or {}) for kinds, part in graph.relations.items())


def from_pyg(data: Any, edge_dir: str = "in", weight_attr: str | None = None) -> Graph | HeteroGraph:
    """See ``Graph.from_pyg``."""
    if edge_dir not in ("in", "out"):
        raise ValueError(f'edge_dir = {edge_dir!r}: expected "in" or "out"')
    return Source(data, edge_dir, weight_attr, None).graph  # type: ignore[arg-type]


# ---- Data


def _read_data(source: Source, data: Data, weight_attr: str | None, time_attr: str | None) -> None:
    source.num_nodes = _count("data", data.num_nodes)
    if time_attr is not None:
        if time_attr in data and data.is_node_attr(time_attr):
            _add_times(source, None, "data", data._store, time_attr)
        elif time_attr in data and data.is_edge_attr(time_attr):
            source.edge_time = True
        else:
            raise ValueError(f"time_attr = {time_attr!r}: neither an attribute of the nodes nor one of the edges")
    if weight_attr is not None and not (weight_attr in data and _of_edges(data, weight_attr)):
        raise ValueError(f"weight_attr = {weight_attr!r}: expected an attribute of the edges, which are {_names(data)}")
    _add_edges(source, None, "data", data._store, weight_attr, time_attr if source.edge_time else None)


def _of_edges(data: Data, name: str) -> bool:
    """Whether an attribute has an element per edge. If there are as many nodes, PyG takes it for one of the nodes."""
    return bool(data.is_edge_attr(name)) or (data.num_nodes == data.num_edges and bool(data.is_node_attr(name)))


def _names(store: Any) -> list[str]:
    return [key for key in store.keys() if store.is_edge_attr(key)]  # noqa: SIM118


# ---- HeteroData


def _read_hetero(source: Source, data: HeteroData, weight_attr: str | None, time_attr: str | None) -> None:
    source.node_types, source.edge_types = data.metadata()
    if not source.node_types:
        raise ValueError("data is a HeteroData without nodes: expected at least one type of nodes")
    source.num_nodes = {t: _count(f"data[{t!r}]", data[t].num_nodes) for t in source.node_types}
    at_nodes = [t for t in source.node_types if time_attr is not None and time_attr in data[t]]
    at_edges = [e for e in source.edge_types if time_attr is not None and time_attr in data[e]]
    if time_attr is not None and bool(at_nodes) == bool(at_edges):
        held = "both nodes and edges have it" if at_nodes else "neither nodes nor edges have it"
        raise ValueError(f"time_attr = {time_attr!r}: {held}; expected an attribute of nodes or of edges")
    for t in at_nodes:
        _add_times(source, t, f"data[{t!r}]", data[t], str(time_attr))
    source.edge_time = bool(at_edges)
    if weight_attr is not None and not any(weight_attr in data[e] for e in source.edge_types):
        raise ValueError(f"weight_attr = {weight_attr!r}: expected an attribute of the edges, which none of them has")
    for e in source.edge_types:
        weights = weight_attr if weight_attr is not None and weight_attr in data[e] else None
        _add_edges(source, e, f"data[{e!r}]", data[e], weights, time_attr if e in at_edges else None)


# ---- FeatureStore and GraphStore


def _read_remote(source: Source, data: Any, weight_attr: str | None, time_attr: str | None) -> None:
    features, store = data
    if weight_attr is not None:
        raise NotImplementedError(
            f"weight_attr = {weight_attr!r}: a GraphStore has no weights; give a Data or a HeteroData, or None"
        )
    attrs, edges = list(features.get_all_tensor_attrs()), store.get_all_edge_attrs()
    source.edge_types = list(dict.fromkeys(attr.edge_type for attr in edges))
    held = [] if time_attr is None else [attr for attr in attrs if attr.attr_name == time_attr]
    if time_attr is not None and not held:
        raise ValueError(f"time_attr = {time_attr!r}: the FeatureStore has no such attribute")
    rows, pointers, order = store.csc()
    if not source.is_hetero:
        ends = (rows, pointers, order)
        source.num_nodes = max(edges[0].size) if edges[0].size is not None else _largest(*ends)
        source.edge_time = time_attr is not None and time_attr != "time"  # as PyG tells them apart
        time = _stored(features, held[0]) if held else None
        if time is not None and not source.edge_time:
            source.node_time[None] = _times(f"features.{time_attr}", time, source.num_nodes)
        times = time if source.edge_time else None
        source.graphs[None] = _csc("graph", *ends, source.ends(None), source.direction, times)
        return
    groups = {attr.group_name for attr in attrs if isinstance(attr.group_name, str)}
    ordered = [t for e in source.edge_types for t in (e[0], e[2])] + sorted(groups)
    source.node_types = list(dict.fromkeys(ordered))
    source.num_nodes = {t: _count(t, remote_backend_utils.num_nodes(features, store, t)) for t in source.node_types}
    times = {attr.group_name: _stored(features, attr) for attr in held}
    if len({isinstance(group, str) for group in times}) > 1:
        raise ValueError(f"time_attr = {time_attr!r}: both nodes and edges have it")
    source.edge_time = any(not isinstance(group, str) for group in times)
    if not source.edge_time:
        source.node_time = {t: _times(f"{t}.{time_attr}", time, source.count(t)) for t, time in times.items()}
    for e in source.edge_types:
        time = times.get(e) if source.edge_time else None
        source.graphs[e] = _csc(repr(e), rows[e], pointers[e], order[e], source.ends(e), source.direction, time)


def _stored(features: Any, attr: Any) -> Any:
    whole = copy.copy(attr)
    whole.index = None
    return features.get_tensor(whole)


def _largest(rows: Any, pointers: Any, order: Any) -> int:
    return max(len(pointers) - 1, int(rows.max()) + 1 if rows.numel() else 0)


# ---- one relation


def _add_times(source: Source, node_type: str | None, name: str, store: Any, key: str) -> None:
    """Takes the times of a type's nodes."""
    times = _times(f"{name}.{key}", store[key], source.count(node_type))
    source.node_time[node_type] = times
    source.read.add(name, store, key, lambda value: torch.equal(value.cpu().view(-1), times))


def _add_edges(
    source: Source, edge_type: EdgeType | None, name: str, store: Any, weight_attr: str | None, time_attr: str | None
) -> None:
    """Takes the edges of a type; the id of an edge is its place in edge_index, or among the values of adj_t."""
    key = next((key for key in ("adj_t", "adj", "edge_index") if store.get(key) is not None), None)
    came, to = (np.empty(0, np.int64),) * 2 if key is None else _pairs(f"{name}.{key}", key, store[key])
    ends = source.ends(edge_type)
    for what, values, count in (("row 0", came, ends[0]), ("row 1", to, ends[1])):
        inside(f"{name}.edge_index, {what}", values, count)
    src, dst = (to, came) if source.direction == "in" else (came, to)
    weights = None if weight_attr is None else _flat("weights", store[weight_attr])
    times = None if time_attr is None else _flat("times", store[time_attr])
    with renamed(weights=f"{name}.{weight_attr}", times=f"{name}.{time_attr}"):
        graph = Graph.from_edges(src, dst, weights=weights, times=times, num_vertices=max(ends))
    source.graphs[edge_type] = graph
    if key is not None:
        source.read.add(name, store, key, functools.partial(_same_edges, graph, source.direction, key))
    if weight_attr is not None:
        source.read.add(name, store, weight_attr, functools.partial(_same_numbers, graph, "weights"))
    if time_attr is not None:
        source.read.add(name, store, time_attr, functools.partial(_same_numbers, graph, "times"))


def _pairs(name: str, key: str, held: Any) -> tuple[Array, Array]:
    """The source and destination of each edge."""
    if key != "edge_index":
        row, col = _coordinates(name, held)
        return (col, row) if key == "adj_t" else (row, col)
    pair = _array(name, held)
    if pair.ndim != 2 or pair.shape[0] != 2 or pair.dtype.kind not in "iu":
        raise ValueError(f"{name}: expected ints of shape (2, E), got {pair.dtype} of {pair.shape}")
    return pair[0], pair[1]


def _same_edges(graph: Graph, direction: Direction, key: str, held: Any) -> bool:
    came, to = _pairs(key, key, held)
    if len(came) != graph.num_edges:
        return False
    ids, rows = graph.edge_ids, np.repeat(np.arange(graph.num_vertices), graph.degrees())
    src, dst = (to, came) if direction == "in" else (came, to)
    return bool((src[ids] == rows).all() and (dst[ids] == graph.indices).all())


def _same_numbers(graph: Graph, name: str, held: Any) -> bool:
    """Weights are kept to within 2^-32 of the largest in their row."""
    values, kept = _flat(name, held), getattr(graph, name)
    return values is not None and values.shape == kept.shape and bool(np.allclose(values[graph.edge_ids], kept, 1e-6))


def _csc(
    name: str, rows: Any, pointers: Any, order: Any, ends: tuple[int, int], direction: Direction, times: Any
) -> Graph:
    """The graph of a GraphStore's columns; the id of an edge is its place before they were sorted."""
    came, heads = _array(f"{name}: rows", rows), _array(f"{name}: column pointers", pointers)
    inside(f"{name}: rows", came, ends[0])
    if len(heads) - 1 > ends[1]:
        raise ValueError(f"{name} has {len(heads) - 1} columns: expected {ends[1]}, one per destination node")
    to = np.repeat(np.arange(len(heads) - 1), np.diff(heads))
    if order is not None:  # back to the order of the input, in which parallel edges have their places
        back = np.empty(len(came), np.int64)
        back[_array(f"{name}: permutation", order)] = np.arange(len(came))
        came, to = came[back], to[back]
    src, dst = (to, came) if direction == "in" else (came, to)
    return Graph.from_edges(src, dst, times=_flat(f"{name}: times", times), num_vertices=max(ends))


def _coordinates(name: str, matrix: Any) -> tuple[Array, Array]:
    """Row and column of each of a sparse matrix's values, in their order."""
    if hasattr(matrix, "coo"):  # a SparseTensor
        row, col, _ = matrix.coo()
        return _array(name, row), _array(name, col)
    if not isinstance(matrix, torch.Tensor) or matrix.layout == torch.strided:
        raise TypeError(f"{name}: expected a sparse matrix, got {type(matrix).__name__}")
    if matrix.layout == torch.sparse_coo:
        if not matrix.is_coalesced():
            raise ValueError(f"{name}: expected a matrix without entries that repeat; call coalesce()")
        row, col = _array(name, matrix.indices())
        return row, col
    if matrix.layout == torch.sparse_csr:
        heads, others = _array(name, matrix.crow_indices()), _array(name, matrix.col_indices())
        return np.repeat(np.arange(len(heads) - 1), np.diff(heads)), others
    if matrix.layout == torch.sparse_csc:
        heads, others = _array(name, matrix.ccol_indices()), _array(name, matrix.row_indices())
        return others, np.repeat(np.arange(len(heads) - 1), np.diff(heads))
    raise TypeError(f"{name}: expected a matrix in COO, CSR or CSC, got {matrix.layout}")


def _array(name: str, values: Any) -> Array:
    if isinstance(values, np.ndarray):
        return values
    if not isinstance(values, torch.Tensor):
        raise TypeError(f"{name}: expected a tensor, got {type(values).__name__}")
    return np.asarray(values.detach().cpu().as_subclass(torch.Tensor).numpy())


def _flat(name: str, values: Any) -> Array | None:
    """One number per edge, also if the values are a column."""
    if values is None:
        return None
    array = _array(name, values)
    return array.reshape(-1) if array.ndim == 2 and array.shape[1] == 1 else array


def _times(name: str, values: Any, count: int) -> torch.Tensor:
    array = _flat(name, values)
    assert array is not None
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(f"{name}: expected {count} ints, got {array.dtype} of shape {array.shape}")
    return torch.from_numpy(array.astype(np.int64))


def inside(name: str, values: Array, count: int) -> None:
    """Raises an error if a number is not a node."""
    if values.size and (values.min() < 0 or values.max() >= count):
        at = int(np.argmax((values < 0) | (values >= count)))
        raise IndexError(f"{name}[{at}] = {values[at]}: there are {count} nodes of that type")


def _count(name: str, number: Any) -> int:
    if number is None:
        raise ValueError(f"{name}: the number of nodes is not known; set num_nodes")
    return int(number)
