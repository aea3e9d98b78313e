"""The form of PyG's samplers for what the core has drawn: SamplerOutput and HeteroSamplerOutput."""

from __future__ import annotations

from typing import Any

from torch_geometric.sampler import HeteroSamplerOutput, SamplerOutput
from torch_geometric.sampler.base import SubgraphType

from .graphs import Source
from .inputs import Links, Nodes
from .subgraph import both_ways, induce
from .tensors import Drawn

__all__ = ["sampler_output"]


def sampler_output(
    source: Source,
    asked: Nodes | Links,
    found: Drawn,
    subgraph_type: SubgraphType,
    *,
    seeds_alone: bool = False,
    keep_orig_edges: bool = False,
    excluded: Any = None,
) -> SamplerOutput | HeteroSamplerOutput:
    """A batch as PyG's samplers return it.

    Args:
        source: the graph.
        asked: the seeds of the batch.
        found: what the core has drawn.
        subgraph_type: PyG's.
        seeds_alone: whether the one hop of the core's sampler is none of the user's.
        keep_orig_edges: whether a bidirectional output also has the edges that were taken.
        excluded: edges that an induced subgraph leaves out; None: none.
    """
    drawn = found[0]
    counts: tuple[Any, Any] = found[1:]
    if seeds_alone:
        counts = [of_type[:1] for of_type in found[1]], [[] for _ in found[2]]
    if subgraph_type == SubgraphType.induced:
        induce(source, drawn, excluded)
        counts = None, None
    row, col = (drawn.col, drawn.row) if source.direction == "out" else (drawn.row, drawn.col)
    batch = asked.owned(source.node_types, drawn.trees) if drawn.trees else None
    parts: list[Any] = [drawn.nodes, row, col, drawn.edges, batch, *counts]
    if not source.is_hetero:
        for i, part in enumerate(parts):
            parts[i] = part and part[0]
        out = SamplerOutput(*parts, metadata=asked.metadata)
        return both_ways(out, keep_orig_edges) if subgraph_type == SubgraphType.bidirectional else out
    nodes, edges = source.node_types, source.edge_types
    types = (nodes, edges, edges, edges, nodes, nodes, edges)
    named = [
        part and dict(zip(names, part[: len(names)], strict=True)) for names, part in zip(types, parts, strict=True)
    ]
    out = HeteroSamplerOutput(*named, metadata=asked.metadata)
    if subgraph_type == SubgraphType.bidirectional:
        return out.to_bidirectional(keep_orig_edges=keep_orig_edges)
    return out
