"""GNN models: GraphSAGE, GCN, GAT and R-GCN of convergence.py, which train alike on batches of any loader and on the
whole graph.

A batch is features of vertices by type, and for each layer the edges by relation, as positions among these vertices.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
import torch.nn.functional as F
from torch_geometric.nn import GATConv, SAGEConv

Relation = tuple[str, str, str]
HIDDEN, HEADS, LAYERS, DROPOUT = 64, 4, 2, 0.3


@dataclasses.dataclass
class Batch:
    """What a model needs for the predictions of some seed nodes.

    Attributes:
        ids: the vertices by type; those of the target type begin with the seed nodes.
        layers: the edges of each layer: (2, E) positions of sources and destinations, by relation.
        count: the number of seed nodes.
    """

    ids: dict[str, Any]
    layers: list[dict[Relation, Any]]
    count: int


class WeightedSum(torch.nn.Module):
    """The layer of GCN (Kipf and Welling, ICLR'17), with the degrees of the whole graph.

    If a batch has k of a vertex's d edges, each counts d / k times. So the expected sum is that of the whole graph.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(inputs, outputs)

    def forward(self, x: Any, edges: Any, degrees: Any) -> Any:
        source, target = edges
        taken = torch.bincount(target, minlength=len(x)).clamp(min=1)
        scale = (degrees + 1).rsqrt()
        weight = scale[source] * scale[target] * (degrees / taken)[target]
        x = self.linear(x)
        return (x / (degrees + 1)[:, None]).index_add(0, target, x[source] * weight[:, None])


class Network(torch.nn.Module):
    """Two layers of one kind, "GraphSAGE", "GCN", "GAT" or "R-GCN".

    R-GCN (Schlichtkrull et al., ESWC'18) adds to a linear map of the vertex the mean over each relation of a linear map
    of the neighbours.
    """

    def __init__(self, kind: str, width: int, relations: list[Relation], target: str, classes: int) -> None:
        super().__init__()
        self.kind, self.relations, self.target = kind, relations, target
        self.convolutions, self.roots = torch.nn.ModuleList(), torch.nn.ModuleList()
        for layer in range(LAYERS):
            inputs, outputs = (HIDDEN if layer else width), (classes if layer == LAYERS - 1 else HIDDEN)
            self.convolutions.append(torch.nn.ModuleList(self._layer(inputs, outputs, layer) for _ in relations))
            types = sorted({relation[2] for relation in relations})
            roots = {kind: torch.nn.Linear(inputs, outputs) for kind in types} if self.kind == "R-GCN" else {}
            self.roots.append(torch.nn.ModuleDict(roots))

    def _layer(self, inputs: int, outputs: int, layer: int) -> torch.nn.Module:
        if self.kind == "GCN":
            return WeightedSum(inputs, outputs)
        if self.kind == "GAT":
            heads = 1 if layer == LAYERS - 1 else HEADS
            return GATConv(inputs, outputs // heads, heads)
        return SAGEConv(inputs, outputs, root_weight=self.kind == "GraphSAGE")

    def forward(self, x: dict[str, Any], layers: list[dict[Relation, Any]], degrees: Any) -> Any:
        """The logits of the vertices of the target type; degrees are those of its vertices, for GCN."""
        for i, edges in enumerate(layers):
            x = {kind: F.dropout(F.relu(of) if i else of, DROPOUT, self.training) for kind, of in x.items()}
            sums = {kind: root(x[kind]) for kind, root in self.roots[i].items()}
            for relation, convolution in zip(self.relations, self.convolutions[i], strict=True):
                source, _, target = relation
                ends = x[source] if source == target else (x[source], x[target])
                extra = (degrees,) if self.kind == "GCN" else ()
                out = convolution(ends, edges[relation], *extra)
                sums[target] = sums[target] + out if target in sums else out
            x = sums
        return x[self.target]
