"""Converts the arrays of a mini-batch to DGL's message flow graphs (blocks) without a copy.

``dgl.create_block`` looks for the largest id of every array and makes a graph of each relation first, which takes ten
times as long as this module, which makes only the calls at its end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..neighbor.batch import NeighborBatch
from .framework import Block, Tensor, dgl, torch
from .repeated import Repeated

__all__ = ["Blocks", "arena_of"]


class Blocks:
    """Makes the blocks of mini-batches of one graph of DGL.

    Args:
        g: the graph.
        direction: "in": edges lead from sources to destinations, as in g; "out": destinations have chosen among the
            edges that lead from them, and messages flow back along those.
    """

    __slots__ = ("_etypes", "_meta", "_ntypes", "_order")

    def __init__(self, g: Any, direction: str) -> None:
        self._ntypes, self._etypes = list(g.ntypes), list(g.etypes)
        ends = [(g.get_ntype_id(src), g.get_ntype_id(dst)) for src, _, dst in g.canonical_etypes]
        if direction == "out":
            ends = [(dst, src) for src, dst in ends]
        self._order, types = ends, len(self._ntypes)
        sources, destinations = [src for src, _ in ends], [types + dst for _, dst in ends]
        self._meta = dgl.graph_index.from_coo(2 * types, sources, destinations, True)

    def of(
        self, g: Any, drawn: NeighborBatch | Repeated, device: Any, arena: Tensor | None = None
    ) -> tuple[list[Tensor], list[Any]]:
        """The blocks of a mini-batch, the farthest hop's first, and the vertices of each type that it needs.

        Their features are those of g, gathered when they are first read.

        Args:
            arena: the arena of the batch on the device of g, in its id type; None: it is converted here.
        """
        if arena is None:
            arena = arena_of(drawn).to(device=g.device, dtype=g.idtype)
        # DGL's index keeps addresses, and a worker moves the storage of the tensors that it returns to shared memory.
        # So those have a separate storage, which holds a reference to the other.
        twin = torch.from_dlpack(arena)
        index, arrays, sent = drawn.split(arena), drawn.split(twin), torch.utils.data.get_worker_info() is not None
        known = [counts[0] for counts in drawn.num_nodes]
        nodes = [ids[:count] for ids, count in zip(arrays.nodes, known, strict=True)]
        none, blocks = arena[:0], []
        for hop, relations in enumerate(arrays.hops):
            reached = [count + counts[hop + 1] for count, counts in zip(known, drawn.num_nodes, strict=True)]
            graph = self._index(index.hops[hop], known, reached, none)
            if sent:
                _share(graph, arena, twin)
            sources = [ids[:count] for ids, count in zip(arrays.nodes, reached, strict=True)]
            ends = dgl.utils.extract_node_subframes_for_block(g, sources, nodes)
            edges = dgl.utils.extract_edge_subframes(g, [ids for _, _, ids in relations])
            block = Block(graph, (self._ntypes, self._ntypes), self._etypes, ends, edges)
            blocks.append(block if arena.device == device else block.to(device))
            known, nodes = reached, sources
        blocks.reverse()
        return nodes, blocks

    def _index(self, relations: Any, known: list[int], reached: list[int], none: Tensor) -> Any:
        """DGL's index of a block: one graph a relation, and how their types hang together."""
        formats, make = ["coo", "csr", "csc"], dgl.heterograph_index
        units = [
            make.create_unitgraph_from_csr(2, reached[src], known[dst], indptr, indices, none, formats, True)
            for (src, dst), (indptr, indices, _) in zip(self._order, relations, strict=True)
        ]
        return make.create_heterograph_from_relations(self._meta, units, dgl.utils.toindex([*reached, *known], "int64"))


def arena_of(drawn: NeighborBatch | Repeated) -> Tensor:
    """The arena of a batch as a tensor, without a copy unless a GPU drew it and torch has none."""
    if isinstance(drawn.arena, np.ndarray) or not torch.cuda.is_available():
        return torch.from_numpy(np.asarray(drawn.arena))
    return torch.from_dlpack(drawn.arena)


def _share(graph: Any, arena: Tensor, twin: Tensor) -> None:
    """Has a worker send an index as parts of the one storage that it moves to shared memory for the ids. DGL would make
    a storage of each array, and memory that two processes share is dear to make."""
    states = dgl.heterograph_index._CAPI_DGLHeteroForkingPickle(graph)
    arrays = []
    for array in map(dgl.backend.from_dgl_nd, states.arrays):
        first = (array.data_ptr() - arena.data_ptr()) // arena.element_size()
        within = array.dtype == arena.dtype and 0 <= first <= len(arena) - len(array)
        arrays.append(twin[first : first + len(array)] if within else array)
    graph._forking_pk_state = states.version, states.meta, arrays  # where DGL keeps what it has sent
