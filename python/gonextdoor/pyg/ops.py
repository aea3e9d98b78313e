"""pyg-lib's operators, by this package: what PyG's own loaders and models call. ``standin/pyg_lib`` registers them."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..neighbor.sampler import NeighborSampler
from ..partition.assign import by_metis, checked_parts, owners
from .cache import TensorCache
from .graphs import timed
from .hgt import Relation, hgt_sample
from .tensors import Drawn, sampled
from .walks import array_of, batch_seed_of, graph_of, random_walk

__all__ = [
    "hetero_neighbor_sample",
    "hgt_sample",
    "metis",
    "neighbor_sample",
    "random_walk",
    "subgraph",
    "typed_neighbor_sample",
]

EdgeType = tuple[str, str, str]
Tensors = Mapping[str, Tensor]
Sample = tuple[Tensors, Tensors, Tensors, Tensors | None, dict[str, list[int]], dict[str, list[int]]]

_core_samplers: TensorCache[NeighborSampler] = TensorCache(16)


def neighbor_sample(
    rowptr: Tensor,
    col: Tensor,
    seed: Tensor,
    num_neighbors: list[int],
    node_time: Tensor | None = None,
    edge_time: Tensor | None = None,
    seed_time: Tensor | None = None,
    edge_weight: Tensor | None = None,
    csc: bool = False,
    replace: bool = False,
    directed: bool = True,
    disjoint: bool = False,
    temporal_strategy: str = "uniform",
    return_edge_id: bool = True,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None, list[int], list[int]]:
    """``pyg::neighbor_sample``: (row, col, node, edge ids, nodes per hop, edges per hop). With weights and times
    together as well."""
    _checked(directed, disjoint, [node_time], [edge_time], [seed_time])
    temporal: Any = temporal_strategy if node_time is not None or edge_time is not None else None

    def make() -> NeighborSampler:
        weights, times = _array(edge_weight), _array(edge_time)
        graph = Graph.from_csr(array_of(rowptr), array_of(col), weights=weights, times=times)
        return NeighborSampler(
            graph,
            list(num_neighbors) or [0],  # no hops: one without edges, which is not reported
            replace=replace,
            weighted=edge_weight is not None,
            disjoint=disjoint,
            temporal=temporal if timed(graph, node_time) else None,
            times=_array(node_time),
        )

    options = (tuple(num_neighbors), replace, disjoint, temporal)
    core_sampler = _core_samplers.get([rowptr, col, node_time, edge_time, edge_weight], options, make)
    times = None
    if temporal is not None:
        times = array_of(node_time[seed] if seed_time is None and node_time is not None else _there(seed_time))
    out, num_nodes, num_edges = _one(core_sampler, _seed_nodes(seed), batch_seed_of(seed), times)
    trees = out.trees[0] if out.trees else None
    node = _pairs(out.nodes[0], trees).to(rowptr.dtype)
    ends = [_apart(end).to(rowptr.dtype) for end in (out.row[0], out.col[0])]
    if not csc:
        ends.reverse()
    edge = _apart(out.edges[0]) if return_edge_id else None
    hops = len(num_neighbors)
    return ends[0], ends[1], node, edge, num_nodes[0][: hops + 1], num_edges[0][:hops]


def hetero_neighbor_sample(
    node_types: list[str],
    edge_types: list[EdgeType],
    rowptr: Tensors,
    col: Tensors,
    seed: Tensors,
    num_neighbors: Mapping[str, list[int]],
    node_time: Tensors | None = None,
    edge_time: Tensors | None = None,
    seed_time: Tensors | None = None,
    edge_weight: Tensors | None = None,
    csc: bool = False,
    replace: bool = False,
    directed: bool = True,
    disjoint: bool = False,
    temporal_strategy: str = "uniform",
    return_edge_id: bool = True,
) -> Sample:
    """``pyg::hetero_neighbor_sample``: as ``neighbor_sample``, by type of node and of edge ("a__to__b")."""
    _checked(directed, disjoint, (node_time or {}).values(), (edge_time or {}).values(), (seed_time or {}).values())
    temporal: Any = temporal_strategy if node_time or edge_time else None
    names: dict[EdgeType, str] = {(a, name, b): f"{a}__{name}__{b}" for a, name, b in edge_types}
    counts = _counts(node_types, names, rowptr, col, seed, node_time or {}, csc)

    def make() -> NeighborSampler:
        relations = {}
        for (a, name, b), key in names.items():
            source, destination = (a, b) if csc else (b, a)
            relations[source, name, destination] = Graph.from_csr(
                array_of(rowptr[key]),
                array_of(col[key]),
                weights=_array((edge_weight or {}).get(key)),
                times=_array((edge_time or {}).get(key)),
                num_vertices=max(counts[source], counts[destination]),
            )
        if not relations:
            kind, none = node_types[0], np.empty(0, np.int64)
            relations[kind, "", kind] = Graph.from_edges(none, none, num_vertices=counts[kind])
        times = {kind: array_of(time) for kind, time in (node_time or {}).items()}
        by_hop = zip(*(num_neighbors[key] for key in names.values()), strict=True)
        fanouts = [dict(zip(relations, hop, strict=True)) for hop in by_hop] or [dict.fromkeys(relations, 0)]
        graph = HeteroGraph(relations, counts, times=times or None)
        return NeighborSampler(
            graph,
            fanouts,
            replace=replace,
            weighted="auto" if edge_weight else False,
            disjoint=disjoint,
            temporal=temporal if timed(graph) else None,
        )

    tables = (rowptr, col, edge_weight or {}, edge_time or {}, node_time or {})
    tensors = [table[key] for table in tables for key in sorted(table)]
    sizes = tuple((key, tuple(num_neighbors[key])) for key in names.values())
    options = (sizes, tuple(counts.items()), csc, replace, disjoint, temporal)
    core_sampler = _core_samplers.get(tensors, options, make)
    times = None
    if temporal is not None:
        given = seed_time or {kind: (node_time or {})[kind][ids] for kind, ids in seed.items()}
        times = {kind: array_of(time) for kind, time in given.items()}
    batch_seed = batch_seed_of(torch.cat([seed[kind] for kind in sorted(seed)]))
    seed_nodes = {kind: _seed_nodes(ids) for kind, ids in seed.items()}
    out = _one(core_sampler, seed_nodes, batch_seed, times)
    hops = max(map(len, num_neighbors.values()), default=0)
    return _by_type(out, hops, list(counts), list(names.values()), csc, return_edge_id)


def typed_neighbor_sample(
    node_types: list[str],
    edge_types: list[EdgeType],
    rowptr: list[Tensor],
    col: list[Tensor],
    seed: list[Tensor | None],
    num_neighbors: list[int],
    node_time: list[Tensor | None],
    edge_time: list[Tensor | None],
    seed_time: list[Tensor | None],
    edge_weight: list[Tensor | None],
    *options: Any,
) -> tuple[list[Tensor], list[Tensor], list[Tensor], list[Tensor], list[int], list[int]]:
    """``gonextdoor::typed_neighbor_sample``: ``hetero_neighbor_sample`` over lists in the order of the types."""
    keys = ["__".join(kind) for kind in edge_types]
    hops = len(num_neighbors) // max(len(keys), 1)

    def table(names: list[str], tensors: list[Tensor | None]) -> dict[str, Tensor]:
        return {name: tensor for name, tensor in zip(names, tensors, strict=True) if tensor is not None}

    fanouts = {key: num_neighbors[i * hops : (i + 1) * hops] for i, key in enumerate(keys)}
    row, col_, node, edge, num_nodes, num_edges = hetero_neighbor_sample(
        node_types, edge_types, dict(zip(keys, rowptr, strict=True)), dict(zip(keys, col, strict=True)),
        table(node_types, seed), fanouts, table(node_types, node_time), table(keys, edge_time),
        table(node_types, seed_time), table(keys, edge_weight), *options,
    )  # fmt: skip
    tensors = [list(part.values()) for part in (row, col_, node, edge or {})]
    counts = [[count for hop in part.values() for count in hop] for part in (num_nodes, num_edges)]
    return (*tensors, *counts)  # type: ignore[return-value]


def subgraph(
    rowptr: Tensor, col: Tensor, nodes: Tensor, return_edge_id: bool = True
) -> tuple[Tensor, Tensor, Tensor | None]:
    """``pyg::subgraph``: (rowptr, col, edge ids) of all edges among some nodes."""
    among = array_of(nodes)
    if outside := np.flatnonzero((among < 0) | (among >= len(rowptr) - 1)).tolist():
        raise IndexError(f"nodes[{outside[0]}] = {among[outside[0]]}: the graph has {len(rowptr) - 1} nodes")
    ends, rows, edges = Relation.of("node__to__node", rowptr, col).among({"node": among})
    starts = torch.zeros(len(among) + 1, dtype=torch.int64)
    starts[1:] = torch.bincount(rows, minlength=len(among)).cumsum(0)
    return starts.to(rowptr.dtype), ends.to(rowptr.dtype), edges if return_edge_id else None


def metis(
    rowptr: Tensor,
    col: Tensor,
    num_partitions: int,
    node_weight: Tensor | None = None,
    edge_weight: Tensor | None = None,
    recursive: bool = False,
) -> Tensor:
    """``pyg::metis``: the partition of each node, by pymetis, or by LDG without it."""
    graph = graph_of(rowptr, col)
    weights = _weights("node_weight", node_weight, len(rowptr) - 1), _weights("edge_weight", edge_weight, len(col))
    if importlib.util.find_spec("pymetis") is None:
        if node_weight is not None or edge_weight is not None:
            raise ImportError("node_weight and edge_weight need pymetis: pip install 'gonextdoor[metis]'")
        parts = owners(graph, num_partitions, "ldg")
    else:
        count = checked_parts(num_partitions)
        parts = by_metis(graph, count, vertex_weights=weights[0], edge_weights=weights[1], recursive=recursive)
    return torch.from_numpy(parts.astype(np.int64)).to(rowptr.dtype)


def _weights(name: str, tensor: Tensor | None, count: int) -> Any:
    """Weights as METIS takes them: (count,) positive int32."""
    if tensor is None:
        return None
    weights = array_of(tensor)
    if weights.shape != (count,):
        raise ValueError(f"{name} has shape {weights.shape}: expected ({count},)")
    rounded = weights.astype(np.int64)
    if bad := np.flatnonzero((rounded != weights) | (rounded < 1) | (rounded >= 1 << 31)).tolist():
        raise ValueError(f"{name}[{bad[0]}] = {weights[bad[0]]}: METIS takes ints from 1 to 2^31 - 1")
    return rounded.astype(np.int32)


def _one(core_sampler: NeighborSampler, seed_nodes: Any, batch_seed: int, times: Any) -> Drawn:
    """The neighbourhood of one batch."""
    known, threads = None if times is None else [times], torch.get_num_threads()
    return sampled(core_sampler, [seed_nodes], [batch_seed], times=known, threads=threads)[0]


def _by_type(drawn: Drawn, hops: int, kinds: list[str], keys: list[str], csc: bool, return_edge_id: bool) -> Sample:
    out = drawn[0]
    num_nodes = [counts[: hops + 1] for counts in drawn[1]]
    num_edges = [counts[:hops] for counts in drawn[2]]
    trees = out.trees or [None] * len(kinds)
    node = {kind: _pairs(*pair) for kind, *pair in zip(kinds, out.nodes, trees, strict=True)}
    # Without types of edges the graph has one more relation than keys.
    row, col, edge = (dict(zip(keys, map(_apart, part), strict=False)) for part in (out.row, out.col, out.edges))
    nodes, edges = dict(zip(kinds, num_nodes, strict=True)), dict(zip(keys, num_edges, strict=False))
    ids = edge if return_edge_id else None
    return (row, col, node, ids, nodes, edges) if csc else (col, row, node, ids, nodes, edges)


def _counts(
    kinds: list[str],
    names: Mapping[EdgeType, str],
    rowptr: Tensors,
    col: Tensors,
    seed: Tensors,
    node_time: Tensors,
    csc: bool,
) -> dict[str, int]:
    """The number of nodes of each type, as far as the tensors determine it."""

    def make() -> dict[str, int]:
        counts = dict.fromkeys(kinds, 0)
        for (a, _, b), key in names.items():
            source, destination = (a, b) if csc else (b, a)
            counts[destination] = max(counts[destination], len(rowptr[key]) - 1)
            if len(col[key]):
                counts[source] = max(counts[source], int(col[key].max()) + 1)
        return counts

    keys = tuple(names.values())
    counts = dict(_sizes.get([table[key] for table in (rowptr, col) for key in keys], (tuple(kinds), keys, csc), make))
    for kind, times in node_time.items():  # nodes with times may have no edges
        counts[kind] = max(counts[kind], len(times))
    for kind, ids in seed.items():
        if kind not in counts:
            raise ValueError(f"seed_dict[{kind!r}]: the types of nodes are {kinds}")
        if len(ids):
            most = int(ids.max())
            if most >= counts[kind]:  # of a type that no edge leads to: with room, so that the next batch has the same
                counts[kind] = 1 << most.bit_length()
    return counts


_sizes: TensorCache[dict[str, int]] = TensorCache(16)


def _checked(directed: bool, disjoint: bool, node_times: Any, edge_times: Any, seed_times: Any) -> None:
    def some(times: Any) -> bool:
        return any(time is not None for time in times)

    if not directed:
        raise NotImplementedError("directed = False: gonextdoor.pyg.NeighborLoader has subgraph_type='induced'")
    if some(node_times) and some(edge_times):
        raise ValueError("node_time and edge_time: pass only one of them")
    if (some(node_times) or some(edge_times)) and not disjoint:
        raise ValueError("disjoint = False: sampling by time needs disjoint = True")
    if some(edge_times) and not some(seed_times):
        raise ValueError("seed_time = None: expected a time for each seed, as edge_time is given")


def _there(times: Tensor | None) -> Tensor:
    assert times is not None
    return times


def _array(tensor: Tensor | None) -> Any:
    return None if tensor is None else array_of(tensor)


def _seed_nodes(tensor: Tensor) -> Any:
    """The seeds' vertices, a copy: a worker may move the tensor's memory."""
    return np.array(array_of(tensor), np.int64)


def _pairs(node: Tensor, trees: Tensor | None) -> Tensor:
    """(n, 2) trees and vertices, if each seed has a separate tree."""
    return _apart(node) if trees is None else torch.stack([trees, node], dim=1)


def _apart(part: Tensor) -> Tensor:
    """A part of a batch's memory as a tensor with its own storage, without a copy: results of an operator must not be
    views of one tensor. They do not overlap, and each keeps the memory alive."""
    return torch.from_numpy(part.numpy())
