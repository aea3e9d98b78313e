"""A sampler for GraphBolt's data pipes that numbers vertices in the same order in every run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import dgl.graphbolt as gb
import numpy as np
import numpy.typing as npt
from torch.utils.data import functional_datapipe

from .._core.checks import check_int, checked_flag
from .._core.seeds import call_seed
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..neighbor.method import Method, checked_method
from ..neighbor.sampler import NeighborSampler
from ..neighbor.seeds import BatchSeeds
from .blocks import arena_of
from .errors import raises_dgl_errors
from .framework import Tensor, torch
from .repeated import Repeated, drawn_with_repeats
from .sampler import fanout_number, ids_of

if TYPE_CHECKING:
    from .._core.seeds import Seed
    from ..neighbor.batch import NeighborBatch
    from .graphs import Etype

__all__ = ["PGNeighborSampler", "from_graphbolt"]

Array = npt.NDArray[Any]

ORIGINAL = "_ORIGINAL_EDGE_ID"  # where GraphBolt keeps the edges' ids of the graph that it was made of


@functional_datapipe("pg_sample_neighbor")
class PGNeighborSampler(gb.SubgraphSampler):  # type: ignore[misc]
    """Samples neighbourhoods instead of ``dgl.graphbolt.NeighborSampler``; also the data pipe method
    ``pg_sample_neighbor``.

    ``original_edge_ids`` are those of the graph from which GraphBolt's was made, or positions in it; also by edge type.
    Batches with timestamps are refused.

    Args:
        datapipe: yields mini-batches with ``seed_nodes``, ``node_pairs`` or ``seeds``.
        graph: a ``dgl.graphbolt.FusedCSCSamplingGraph``, which is converted now; or a gonextdoor Graph or HeteroGraph
            whose row v lists the edges that lead to v.
        fanouts: edges that each vertex takes along each edge type, one entry per hop, the last that of the batch
            itself: an int, or a tensor with one number, or one for each edge type. -1: all edges; 0: none.
        replace: whether a vertex may take one edge several times (default False).
        prob_name: the name of an edge attribute, (E,): non-negative numbers that edges are taken in proportion to, or
            booleans, for edges that may be taken. None (default): uniform.
        deduplicate: whether a vertex that several edges of a hop lead from has one row (default True). If False, as in
            GraphBolt, each edge adds a row, and rows of the same vertex choose independently in the next hop.
            *Experimental.*
        sampler: as in GraphBolt, None (default) or ``graph.sample_neighbors``, which both mean this class.
        seed: as for ``gonextdoor.sample``. Each batch has a separate seed, derived from it, the epoch and the batch, so
            the number of workers does not affect batches. None (default): fresh entropy.
        device: the device that samples: "cpu"; "cuda" or "cuda:1", a GPU; "auto" (default): the CPU. Subgraphs are on
            the device of the batch.
        threads: threads per batch; None (default): as many as torch uses, one in a loader's workers.
        method: "neighbor" (default), "labor" or "labor-poisson", as for ``gonextdoor.PGSampler``. LABOR requires
            ``deduplicate=True``. "labor" replaces GraphBolt's LayerNeighborSampler. *Experimental.*
        layer_dependency: as for ``gonextdoor.PGSampler``. *Experimental.*

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range. Each error is also a ``dgl.DGLError``.

    Examples:
        >>> import gonextdoor.dgl
        >>> import torch
        >>> import dgl.graphbolt as gb
        >>> graph = gb.fused_csc_sampling_graph(torch.tensor([0, 2, 3, 4]), torch.tensor([1, 2, 0, 0]))
        >>> items = gb.ItemSampler(gb.ItemSet(torch.arange(2), names="seed_nodes"), batch_size=2)
        >>> sampler = gnd.dgl.PGNeighborSampler(items, graph, [-1], False, None, False)
        >>> next(iter(sampler)).input_nodes
        tensor([0, 1, 1, 2, 0])
    """

    @raises_dgl_errors
    def __init__(
        self,
        datapipe: Any,
        graph: Any,
        fanouts: Iterable[Any],
        replace: bool = False,
        prob_name: str | None = None,
        deduplicate: bool = True,
        sampler: Any = None,
        *,
        seed: Seed = None,
        device: str = "auto",
        threads: int | None = None,
        method: Method = "neighbor",
        layer_dependency: bool = False,
    ) -> None:
        if sampler is not None and sampler != getattr(graph, "sample_neighbors", None):
            raise ValueError(f"sampler = {sampler!r}: expected None; another sampler needs GraphBolt's NeighborSampler")
        if not isinstance(graph, (Graph, HeteroGraph)):
            graph = from_graphbolt(graph, prob_name)
        elif prob_name is not None:
            raise ValueError(f"prob_name = {prob_name!r}: a gonextdoor.Graph has its weights; make it with weights=")
        self._typed = isinstance(graph, HeteroGraph)
        hops = [self._fanout(graph, hop, fanout) for hop, fanout in enumerate(fanouts)]
        if not hops:
            raise ValueError("fanouts is empty: expected one number per hop")
        self._graph, self._deduplicate = graph, checked_flag("deduplicate", deduplicate)
        replace = checked_flag("replace", replace)
        labor = checked_method(method, layer_dependency)
        if labor and not self._deduplicate:
            raise ValueError(
                f"deduplicate = False: expected True with method = {method!r}, whose rows share random numbers"
            )
        trees = not self._deduplicate  # each row of a hop is a seed of the next one, and chooses on its own
        self._core_samplers = [
            NeighborSampler(
                graph,
                some,
                replace=replace,
                weighted="auto",
                expand="all",
                disjoint=trees,
                layout="csc",
                device=device,
                **labor,
            )
            for some in ([hops[::-1]] if self._deduplicate else [[hop] for hop in hops[::-1]])
        ]
        self._threads = None if threads is None else check_int("threads", threads, 1, 1 << 12)
        self._seeds = BatchSeeds(seed)
        super().__init__(datapipe)

    @raises_dgl_errors
    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch of the next batches: the same epoch gives the same batches.

        Args:
            epoch: the number of the epoch, from 0.
        """
        self._seeds.set_epoch(epoch)

    @raises_dgl_errors
    def sample_subgraphs(self, seeds: Any, seeds_timestamp: Any = None, *_: Any) -> tuple[Any, list[Any]]:
        """Returns the neighbourhood of a batch: the vertices that it needs, and one subgraph per hop, the farthest
        first.

        GraphBolt calls this for each mini-batch.
        """
        if seeds_timestamp is not None:
            raise ValueError("timestamp: PGNeighborSampler does not support times; leave them out of the item set")
        types = list(self._graph.num_vertices) if self._typed else [None]
        arrays = {kind: ids_of("seeds", ids) for kind, ids in seeds.items()} if self._typed else ids_of("seeds", seeds)
        threads = self._threads or (1 if torch.utils.data.get_worker_info() else torch.get_num_threads())
        some = next(iter(seeds.values()), None) if self._typed else seeds
        batch_seed = self._seeds.batch_seed(None, arrays)
        if self._deduplicate:
            columns, graphs = self._all_hops(types, arrays, batch_seed, threads, some)
        else:
            columns, graphs = self._hop_by_hop(types, arrays, batch_seed, threads, some)
        graphs.reverse()
        return self._by_type(types, columns), graphs

    def _all_hops(
        self, types: list[Any], seeds: Any, batch_seed: int, threads: int, like: Tensor | None
    ) -> tuple[list[Tensor], list[Any]]:
        """The rows of the farthest hop, and the subgraphs, the nearest first; each vertex has one row."""
        drawn = drawn_with_repeats(self._core_samplers[0], seeds, batch_seed, threads=threads)
        parts = drawn.split(_tensor(drawn, like))
        met = [counts[0] for counts in drawn.num_nodes]
        columns, graphs = [ids[:n] for ids, n in zip(parts.nodes, met, strict=True)], []
        for hop, relations in enumerate(parts.hops):
            met = [n + counts[hop + 1] for n, counts in zip(met, drawn.num_nodes, strict=True)]
            rows = [ids[:n] for ids, n in zip(parts.nodes, met, strict=True)]
            graphs.append(self._subgraph(types, rows, columns, relations))
            columns = rows
        return columns, graphs

    def _hop_by_hop(
        self, types: list[Any], seeds: Any, batch_seed: int, threads: int, like: Tensor | None
    ) -> tuple[list[Tensor], list[Any]]:
        """The same; each edge has a row, and hop h is drawn with a seed that follows from the batch's and h."""
        sources = [types.index(etype[0]) for etype in self._graph.relations] if self._typed else [0]
        reached: list[Tensor] = []
        graphs: list[Any] = []
        for hop, core_sampler in enumerate(self._core_samplers):
            drawn = core_sampler.sample(seeds, call_seed(batch_seed, hop), threads=threads)
            parts = drawn.split(_tensor(drawn, like))
            columns = [ids[: counts[0]] for ids, counts in zip(parts.nodes, drawn.num_nodes, strict=True)]
            rows, relations = [[ids] for ids in columns], []
            for source, (indptr, indices, ids) in zip(sources, parts.hops[0], strict=True):
                first = sum(map(len, rows[source]))
                places = torch.arange(first, first + len(indices), dtype=indices.dtype, device=indices.device)
                rows[source].append(parts.nodes[source][indices.long()])
                relations.append((indptr, places, ids))
            reached = [torch.cat(pieces) for pieces in rows]
            graphs.append(self._subgraph(types, reached, columns, relations))
            arrays = [ids_of("seeds", ids) for ids in reached]
            seeds = dict(zip(types, arrays, strict=True)) if self._typed else arrays[0]
        return reached, graphs

    def _subgraph(self, types: Any, rows: list[Tensor], columns: list[Tensor], relations: Any) -> Any:
        cscs = [gb.CSCFormatBase(indptr=indptr, indices=indices) for indptr, indices, _ in relations]
        names = [":".join(etype) for etype in self._graph.relations] if self._typed else [None]
        return gb.SampledSubgraphImpl(
            sampled_csc=self._by_type(names, cscs),
            original_column_node_ids=self._by_type(types, columns),
            original_row_node_ids=self._by_type(types, rows),
            original_edge_ids=self._by_type(names, [ids for _, _, ids in relations]),
        )

    def _by_type(self, names: Any, parts: list[Any]) -> Any:
        return dict(zip(names, parts, strict=True)) if self._typed else parts[0]

    def _fanout(self, graph: Any, hop: int, fanout: Any) -> int | dict[Etype, int]:
        name = f"fanouts[{hop}]"
        if not torch.is_tensor(fanout) or fanout.numel() == 1:
            return fanout_number(name, fanout)
        relations: list[Any] = list(graph.relations) if self._typed else [None]
        if fanout.dim() != 1 or len(fanout) != len(relations):
            raise ValueError(f"{name} = {fanout.tolist()}: expected one number, or {len(relations)}, one per edge type")
        return {etype: fanout_number(name, number) for etype, number in zip(relations, fanout.tolist(), strict=True)}


def _tensor(drawn: NeighborBatch | Repeated, like: Tensor | None) -> Tensor:
    """The arena of a batch, of the type and on the device of the seeds."""
    arena = arena_of(drawn)
    return arena if like is None else arena.to(device=like.device, dtype=like.dtype)


def from_graphbolt(graph: Any, prob_name: str | None = None) -> Graph | HeteroGraph:
    """A graph of GraphBolt as ours: row v lists the edges that lead to v.

    Args:
        graph: a ``dgl.graphbolt.FusedCSCSamplingGraph``.
        prob_name: the name of an edge attribute, (E,) non-negative numbers that become weights, or booleans: edges for
            which it is false are left out.

    Raises:
        TypeError, ValueError: an argument is of the wrong type or value.
    """
    if not isinstance(graph, gb.FusedCSCSamplingGraph):
        raise TypeError(f"graph: expected a dgl.graphbolt.FusedCSCSamplingGraph, got {type(graph).__name__}")
    attributes = graph.edge_attributes or {}
    if prob_name is not None and prob_name not in attributes:
        raise ValueError(f"prob_name = {prob_name!r}: the graph has the edge attributes {sorted(attributes)}")
    columns = _Columns(graph, attributes.get(ORIGINAL), None if prob_name is None else attributes[prob_name])
    if graph.type_per_edge is None:
        return columns.graph(None, 0, 0, columns.vertices, columns.vertices)
    offsets = graph.node_type_offset.tolist()
    types = sorted(graph.node_type_to_id, key=graph.node_type_to_id.__getitem__)
    counts = {kind: offsets[i + 1] - offsets[i] for i, kind in enumerate(types)}
    relations = {}
    for name, number in sorted(graph.edge_type_to_id.items(), key=lambda item: item[1]):
        etype = tuple(name.split(":"))
        source, destination = types.index(etype[0]), types.index(etype[2])
        first = offsets[destination], offsets[source]
        relations[etype] = columns.graph(number, *first, counts[etype[2]], counts[etype[0]])
    return HeteroGraph(relations, counts)


class _Columns:
    """The arrays of a graph of GraphBolt."""

    def __init__(self, graph: Any, ids: Tensor | None, bias: Tensor | None) -> None:
        self.indptr, self.indices = graph.csc_indptr.numpy(), graph.indices.numpy()
        self.vertices = len(self.indptr) - 1
        self.types = None if graph.type_per_edge is None else graph.type_per_edge.numpy()
        self.ids = None if ids is None else ids.numpy()
        self.mask = None if bias is None or bias.dtype != torch.bool else bias.numpy()
        self.weights = None if bias is None or self.mask is not None else bias.float().numpy()

    def graph(self, kind: int | None, row: int, column: int, rows: int, columns: int) -> Graph:
        """The edges of one type, from vertices that begin at column to those that begin at row."""
        chosen = np.ones(len(self.indices), np.bool_) if self.types is None else self.types == kind
        if self.mask is not None:
            chosen &= self.mask
        at = np.flatnonzero(chosen)
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(chosen)])
        indptr = before[self.indptr[row : row + rows + 1]]
        return Graph.from_csr(
            indptr,
            self.indices[at] - column,
            weights=None if self.weights is None else self.weights[at],
            edge_ids=at if self.ids is None else self.ids[at],
            num_vertices=max(rows, columns),
        )
