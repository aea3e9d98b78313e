"""Fan-outs: how many edges each node takes, from PyG's ``num_neighbors``."""

from __future__ import annotations

from typing import Any

from torch_geometric.sampler.base import NumNeighbors

from ..neighbor.fanouts import fanout_of
from .graphs import Source

__all__ = ["fanouts_of", "numbers_of"]


def fanouts_of(num_neighbors: NumNeighbors, source: Source) -> list[Any]:
    """The numbers of edges hop by hop: ints, or such by relation; none for the seeds alone.

    Raises:
        TypeError, ValueError: a number of edges is not valid, a type of edges is unknown or missing, or types have
            different numbers of hops.
    """
    values, default = num_neighbors.values, num_neighbors.default
    if not isinstance(values, dict):
        return numbers_of("num_neighbors", values)
    if not source.is_hetero:
        raise ValueError("num_neighbors: a dict needs a graph with types of edges; expected a list")
    given = {key.to_tuple(): hops for key, hops in values.items()}
    unknown = [edge_type for edge_type in given if edge_type not in source.edge_types]
    if unknown:
        raise ValueError(f"num_neighbors[{unknown[0]!r}]: the graph has the types of edges {source.edge_types}")
    missing = [edge_type for edge_type in source.edge_types if edge_type not in given]
    if missing and default is None:
        raise ValueError(f"num_neighbors: {missing[0]!r} is missing; expected all types of edges, or a default")
    lists = {
        edge_type: numbers_of(f"num_neighbors[{edge_type!r}]", given.get(edge_type, default))
        for edge_type in source.edge_types
    }
    lengths = {len(hops) for hops in lists.values()}
    if len(lengths) > 1:
        raise ValueError(
            "num_neighbors: the number of hops must be the same across all types of edges, "
            f"got lists of {', '.join(map(str, sorted(lengths)))}"
        )
    named = {source.relation(edge_type): hops for edge_type, hops in lists.items()}
    return [{name: hops[h] for name, hops in named.items()} for h in range(lengths.pop() if lengths else 0)]


def numbers_of(name: str, hops: Any) -> list[int]:
    """Numbers of edges, one per hop.

    Raises:
        TypeError, ValueError: they are no list of such numbers.
    """
    if not isinstance(hops, (list, tuple)):
        raise TypeError(f"{name} = {hops!r}: expected a list, one number per hop")
    return [fanout_of(f"{name}[{hop}]", number) for hop, number in enumerate(hops)]
