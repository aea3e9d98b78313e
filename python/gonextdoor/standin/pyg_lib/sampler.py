"""pyg-lib's samplers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor

__all__ = ["hetero_neighbor_sample", "neighbor_sample", "random_walk", "subgraph"]

EdgeType = tuple[str, str, str]
Strategy = Literal["uniform", "last"]


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
    temporal_strategy: Strategy = "uniform",
    return_edge_id: bool = True,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None, list[int], list[int]]:
    """Samples the neighbourhoods of seed nodes, hop by hop.

    Args:
        rowptr: (V + 1,) ints: the start of each row in col, and the end.
        col: (E,) ints: the end point of each edge.
        seed: (n,) ints: the seed nodes.
        num_neighbors: the edges that each node takes, per hop; -1: all.
        node_time: (V,) ints: no node is later than its seed node. It needs ``disjoint``.
        edge_time: (E,) ints: no edge is later than the seed node. It needs ``disjoint`` and ``seed_time``.
        seed_time: (n,) ints; None (default): ``node_time`` of the seed nodes.
        edge_weight: (E,) non-negative numbers: edges are taken in proportion to them; None (default): uniformly.
        csc: whether rows hold the edges that lead to a node, and not those that leave it (default False).
        replace: whether a node may take one edge several times (default False).
        directed: True (default), the only value that is supported.
        disjoint: whether each seed node has a separate tree (default False).
        temporal_strategy: which of the edges that are early enough: "uniform" (default) or "last".
        return_edge_id: whether to return the edges' positions in col (default True).

    Returns:
        (row, col, node, edge, nodes per hop, edges per hop): row and col are positions in node; node is (k, 2), trees
        and nodes, with ``disjoint``; edge is None without ``return_edge_id``.

    Raises:
        IndexError: a seed node is not in the graph.
        NotImplementedError: directed is False.
        ValueError: an argument is out of range, or does not go with another.
    """
    out: tuple[Tensor, Tensor, Tensor, Tensor | None, list[int], list[int]] = torch.ops.pyg.neighbor_sample(
        rowptr, col, seed, num_neighbors, node_time, edge_time, seed_time, edge_weight, csc, replace, directed,
        disjoint, temporal_strategy, return_edge_id,
    )  # fmt: skip
    return out


def hetero_neighbor_sample(
    rowptr_dict: Mapping[EdgeType, Tensor],
    col_dict: Mapping[EdgeType, Tensor],
    seed_dict: Mapping[str, Tensor],
    num_neighbors_dict: Mapping[EdgeType, list[int]],
    node_time_dict: Mapping[str, Tensor] | None = None,
    edge_time_dict: Mapping[EdgeType, Tensor] | None = None,
    seed_time_dict: Mapping[str, Tensor] | None = None,
    edge_weight_dict: Mapping[EdgeType, Tensor] | None = None,
    csc: bool = False,
    replace: bool = False,
    directed: bool = True,
    disjoint: bool = False,
    temporal_strategy: Strategy = "uniform",
    return_edge_id: bool = True,
) -> tuple[Any, ...]:
    """Samples the neighbourhoods of seed nodes in a graph with types: as ``neighbor_sample``, with dicts by type.

    Returns:
        As ``neighbor_sample``, with dicts by type of node (node, nodes per hop) and of edge (all others).

    Raises:
        ValueError: an argument is out of range, or does not go with another.
    """
    edge_types = list(rowptr_dict)
    node_types = sorted({kind[0] for kind in edge_types} | {kind[2] for kind in edge_types})
    hops = len(num_neighbors_dict[edge_types[0]]) if edge_types else 0
    for kind in edge_types:
        if len(num_neighbors_dict[kind]) != hops:
            raise ValueError(
                f"num_neighbors_dict[{kind}] has {len(num_neighbors_dict[kind])} hops, but the first type of edge has "
                f"{hops}: pass as many for each type"
            )
    row, col, node, edge, num_nodes, num_edges = torch.ops.gonextdoor.typed_neighbor_sample(
        node_types, edge_types, list(rowptr_dict.values()), [col_dict[kind] for kind in edge_types],
        _listed("seed_dict", seed_dict, node_types),
        [count for kind in edge_types for count in num_neighbors_dict[kind]],
        _listed("node_time_dict", node_time_dict, node_types), _listed("edge_time_dict", edge_time_dict, edge_types),
        _listed("seed_time_dict", seed_time_dict, node_types),
        _listed("edge_weight_dict", edge_weight_dict, edge_types),
        csc, replace, directed, disjoint, temporal_strategy, return_edge_id,
    )  # fmt: skip

    def by(types: list[Any], values: list[Any]) -> dict[Any, Any]:
        return dict(zip(types, values))  # noqa: B905 (torch 2.2 does not trace strict)

    return (
        by(edge_types, row),
        by(edge_types, col),
        by(node_types, node),
        by(edge_types, edge) if return_edge_id else None,
        {kind: num_nodes[i * (hops + 1) : (i + 1) * (hops + 1)] for i, kind in enumerate(node_types)},
        {kind: num_edges[i * hops : (i + 1) * hops] for i, kind in enumerate(edge_types)},
    )


def _listed(name: str, table: Mapping[Any, Tensor] | None, types: list[Any]) -> list[Tensor | None]:
    """A table's tensors in the order of the types; None for a type that it lacks."""
    if table is None:
        return [None] * len(types)
    for kind in table:
        if kind not in types:
            raise ValueError(f"{name}[{kind!r}]: the types are {types}")
    return [table.get(kind) for kind in types]


def subgraph(
    rowptr: Tensor, col: Tensor, nodes: Tensor, return_edge_id: bool = True
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Returns all edges among some nodes.

    Args:
        rowptr: (V + 1,) ints: the start of each row in col, and the end.
        col: (E,) ints: the end point of each edge.
        nodes: (n,) ints: distinct nodes.
        return_edge_id: whether to return the edges' positions in col (default True).

    Returns:
        (rowptr, col, edge): rows of positions in nodes; edge is None without ``return_edge_id``.

    Raises:
        IndexError: a node is not in the graph.
    """
    out: tuple[Tensor, Tensor, Tensor | None] = torch.ops.pyg.subgraph(rowptr, col, nodes, return_edge_id)
    return out


def random_walk(rowptr: Tensor, col: Tensor, seed: Tensor, walk_length: int, p: float = 1.0, q: float = 1.0) -> Tensor:
    """Walks along edges, second-order if p or q is not 1; see ``gonextdoor.pyg.random_walk``.

    Args:
        rowptr: (V + 1,) ints: the start of each row in col, and the end.
        col: (E,) ints: the end point of each edge.
        seed: (n,) ints: the nodes to start from.
        walk_length: steps of a walk, from 0.
        p: return parameter, positive (default 1).
        q: in-out parameter, positive (default 1).

    Returns:
        (n, walk_length + 1) nodes, seed first. A walk stays at a node without outgoing edges.

    Raises:
        IndexError: a seed node is not in the graph.
        ValueError: an argument is out of range.
    """
    out: Tensor = torch.ops.pyg.random_walk(rowptr, col, seed, walk_length, p, q)
    return out
