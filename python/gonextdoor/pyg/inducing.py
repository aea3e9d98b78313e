"""Induced subgraphs in PyG's own NeighborSampler, for which it needs torch-sparse."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch_geometric.typing
from torch_geometric.sampler.base import SubgraphType

from .hgt import Relation
from .walks import array_of

__all__ = ["sample"]


def sample(theirs: Callable[..., Any], self: Any, seed: Any, seed_time: Any = None, **kwargs: Any) -> Any:
    """PyG's ``NeighborSampler._sample``, which without torch-sparse draws the nodes of an induced subgraph as those of
    a directional one and then finds all edges among them.

    Args:
        theirs: PyG's method.
        self, seed, seed_time, kwargs: its arguments.
    """
    if self.subgraph_type != SubgraphType.induced or torch_geometric.typing.WITH_TORCH_SPARSE:
        return theirs(self, seed, seed_time, **kwargs)
    if self.disjoint:
        raise ValueError('subgraph_type = "induced" does not support disjoint trees or times; set one of them')
    directional = copy.copy(self)
    directional.subgraph_type = SubgraphType.directional
    out = theirs(directional, seed, seed_time, **kwargs)
    out.num_sampled_nodes = out.num_sampled_edges = None
    if not isinstance(seed, dict):
        out.row, out.col, out.edge = _among(self, Relation.of("a__to__a", self.colptr, self.row), {"a": out.node})
        return out
    for key, colptr in self.colptr_dict.items():
        relation, kind = Relation.of(key, colptr, self.row_dict[key]), self.to_edge_type[key]
        if self.sample_direction == "backward":
            kind = self.to_restored_edge_type[kind]
        out.row[kind], out.col[kind], out.edge[kind] = _among(self, relation, out.node)
    return out


def _among(sampler: Any, relation: Relation, nodes: Mapping[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    none = torch.empty(0, dtype=torch.int64)
    row, col, edge = relation.among({kind: array_of(nodes.get(kind, none)) for kind in (relation.source, relation.to)})
    return (col, row, edge) if sampler.sample_direction == "backward" else (row, col, edge)
