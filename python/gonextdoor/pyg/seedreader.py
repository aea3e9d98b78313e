"""SeedReader: checks the seeds of a batch that PyG's loaders pass to a sampler."""

from __future__ import annotations

from typing import Any

import torch
from torch_geometric.sampler import EdgeSamplerInput, NegativeSampling, NodeSamplerInput

from ..neighbor.windows import window_of
from .graphs import Source, inside
from .inputs import Links, Nodes
from .negative import Negatives

__all__ = ["SeedReader", "ids_of"]


class SeedReader:
    """Checks the nodes or links of batches, and gives seeds without times those of their nodes.

    Args:
        source: the graph.
        temporal: whether nodes or edges have times.
        strict: whether edges at the seeds' times are left out.
        disjoint: whether each seed has a separate tree.
    """

    def __init__(self, source: Source, temporal: bool, strict: bool, disjoint: bool) -> None:
        self._source, self._temporal, self._strict, self._disjoint = source, temporal, strict, disjoint
        self._negatives = Negatives()

    def read(self, index: Any, negative: NegativeSampling | None, negative_seed: int, start_time: Any) -> Nodes | Links:
        """The seeds of a batch.

        Args:
            index: as a loader passes it to a sampler.
            negative, negative_seed: how negative links are drawn, and the seed of their draws.
            start_time: the begins of the time windows; None: there are none.

        Raises:
            TypeError, ValueError, IndexError: a seed, its type or its times are not valid.
        """
        kind, nodes, kinds = index.input_type, isinstance(index, NodeSamplerInput), self._source.node_types
        hetero, known = self._source.is_hetero, kinds if nodes else self._source.edge_types
        # Links may be of a type that the graph has no edges of, as long as it has their ends.
        between = not nodes and hetero and kind is not None and {kind[0], kind[2]} <= set(kinds)
        if kind not in known and not between:
            ends = "" if nodes or not hetero else f", or a type between nodes of {kinds}"
            raise ValueError(f"input_type = {kind!r}: expected one of {known}{ends}")
        if index.time is not None and not self._temporal:
            raise ValueError("the seeds have times, but the sampler has no time_attr: set it")
        if start_time is not None and not self._temporal:
            raise ValueError("input_start_time is set, but the sampler has no time_attr: set it")
        if isinstance(index, NodeSamplerInput):
            asked: Nodes | Links = Nodes(index, start_time)
        else:
            asked = Links(index, negative, self._source, self._negatives, self._disjoint, negative_seed, start_time)
        if self._temporal and asked.times is None:
            asked.times = {kind: self.own_times(kind, nodes) for kind, nodes in asked.seed_nodes.items()}
        if asked.times is not None and (self._strict or asked.starts is not None):
            for each, last in asked.times.items():
                first = None if asked.starts is None else asked.starts[each]
                asked.times[each], asked.time_windows[each] = window_of(first, last, self._strict)
        return asked

    def own_times(self, kind: Any, seed_nodes: Any) -> Any:
        """The times of seeds whose batch has none: those of the nodes."""
        times = self._source.times_of(kind)
        if times is None:
            where = (
                "the edges have times, nodes have none"
                if self._source.edge_time
                else f"nodes of type {kind!r} have none"
            )
            raise ValueError(f"the seeds have no times, and {where}: set input_time (edge_label_time for links)")
        inside("seeds", seed_nodes, len(times))
        return times[seed_nodes]


def ids_of(index: NodeSamplerInput | EdgeSamplerInput) -> Any:
    """The identity of a batch: the indices of its seeds in the loader's input, or the seeds themselves."""
    if index.input_id is not None:
        return index.input_id.numpy()
    if isinstance(index, NodeSamplerInput):
        return index.node.numpy()
    return torch.cat([index.row, index.col]).numpy()
