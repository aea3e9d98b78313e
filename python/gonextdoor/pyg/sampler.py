"""NeighborSampler: PyG's sampler of neighbourhoods, by this package."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch_geometric.sampler import (
    BaseSampler,
    EdgeSamplerInput,
    HeteroSamplerOutput,
    NegativeSampling,
    NodeSamplerInput,
    SamplerOutput,
)
from torch_geometric.sampler.base import NumNeighbors, SubgraphType

from .._core.arguments import cores
from .._core.binding import advised
from .._core.checks import checked_flag
from .._core.renamed import renamed
from ..device.devices import as_torch_means
from ..neighbor.loaderfacts import facts_of
from ..neighbor.method import Method, checked_method
from ..neighbor.sampler import NeighborSampler as CoreSampler
from ..neighbor.seeds import BatchSeeds
from .fanouts import fanouts_of
from .graphs import Source, timed
from .inputs import Links, Nodes
from .sampleroutput import sampler_output
from .seededges import ExcludeSeedEdges, excluded_of
from .seedreader import SeedReader, ids_of
from .tensors import sampled

__all__ = ["NeighborSampler"]


@advised
class NeighborSampler(BaseSampler):  # type: ignore[misc, unused-ignore]
    """Samples the neighbourhoods of nodes and of links for PyG's loaders, as PyG's own NeighborSampler does.

    A node that is repeated among the seed nodes has one position per occurrence. ``e_id`` are positions in the data's
    own ``edge_index``, and ``edge_permutation`` is None.

    Args:
        data: a Data, a HeteroData, or a tuple of a FeatureStore and a GraphStore. Its edges are read once; if those of
            a Data or HeteroData change later, the next call raises an error.
        num_neighbors: the number of edges that each node takes, hop by hop from the seed nodes outwards; -1: all. A
            list, a dict of lists by type of edge, or a NumNeighbors. An empty list: the seed nodes alone.
        subgraph_type: "directional" (default): the edges that were taken; "bidirectional": these and their reverse;
            "induced": all edges among the nodes of the batch.
        replace: whether a node may take one edge several times (default False).
        disjoint: whether each seed node has a separate tree, which shares no node with others (default False).
        temporal_strategy: which of the edges that exist at the seed node's time are taken: "uniform" (default) or
            "last".
        time_attr: the attribute, of nodes or of edges, with their times, as ints; None (default): no times. A seed node
            takes no edge whose time, or whose source's time, is later than its own. It implies ``disjoint``. The edges
            need not be sorted.
        weight_attr: the attribute of edges with their weights, non-negative numbers; None (default): uniform. Edges are
            taken in proportion to their weights, also with time_attr.
        is_sorted: accepted without effect: the edges are sorted once, whatever their order.
        share_memory: accepted without effect: workers always share the graph.
        directed: deprecated; False means ``subgraph_type="induced"``.
        sample_direction: "forward" (default): along the edges that lead to a node; "backward": along those that leave
            it.
        seed: as for ``gonextdoor.sample``. Each batch has a separate word of its stream, whichever worker draws it.
        device: "cpu" (default), or a GPU on which batches are drawn and their tensors stay; a list of GPUs, which draw
            batches in turn. "cuda" is torch's current GPU: under ``torch.distributed``, that of the rank.
        method: "neighbor" (default), "labor" or "labor-poisson", as for ``gonextdoor.NeighborSampler``.
        layer_dependency: as for ``gonextdoor.NeighborSampler``.
        strict: with ``time_attr``, whether edges whose time is that of the seed node are left out, so that all are
            strictly earlier (default False: they may be taken).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument, or the data, is not valid; the text names it.
        IndexError: an end of an edge is not a node of the data.
        NotImplementedError: weights of a GraphStore, disjoint induced subgraphs, or times with "backward", which PyG
            does not support either.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 1, 2, 3, 3], [1, 2, 3, 0, 1]])
        >>> data = Data(x=torch.eye(4), edge_index=edge_index, num_nodes=4)
        >>> from torch_geometric.sampler import NodeSamplerInput
        >>> sampler = gnd.pyg.NeighborSampler(data, [2, 2], seed=1)
        >>> out = sampler.sample_from_nodes(NodeSamplerInput(input_id=None, node=torch.tensor([1])))
        >>> out.node, out.row, out.col, out.edge
        (tensor([1, 0, 3, 2]), tensor([1, 2, 2, 3]), tensor([0, 0, 1, 2]), tensor([0, 4, 3, 2]))
    """

    def __init__(
        self,
        data: Any,
        num_neighbors: NumNeighbors | Sequence[int] | dict[Any, Sequence[int]],
        subgraph_type: SubgraphType | str = "directional",
        replace: bool = False,
        disjoint: bool = False,
        temporal_strategy: str = "uniform",
        time_attr: str | None = None,
        weight_attr: str | None = None,
        is_sorted: bool = False,
        share_memory: bool = False,
        directed: bool = True,
        sample_direction: Literal["forward", "backward"] = "forward",
        *,
        seed: Any = None,
        device: Any = "cpu",
        method: Method = "neighbor",
        layer_dependency: bool = False,
        strict: bool = False,
    ) -> None:
        if not checked_flag("directed", directed):
            warnings.warn('directed=False is deprecated: use subgraph_type="induced"', DeprecationWarning, stacklevel=2)
            subgraph_type = SubgraphType.induced
        if sample_direction not in ("forward", "backward"):
            raise ValueError(f'sample_direction = {sample_direction!r}: expected "forward" or "backward"')
        if temporal_strategy not in ("uniform", "last"):
            raise ValueError(f'temporal_strategy = {temporal_strategy!r}: expected "uniform" or "last"')
        if sample_direction == "backward" and time_attr is not None:
            raise NotImplementedError(
                f"time_attr = {time_attr!r}: sample_direction = 'backward' does not support times"
            )
        self.strict = checked_flag("strict", strict)
        if self.strict and time_attr is None:
            raise ValueError("strict = True without time_attr: expected False, as there are no times")
        self._method = checked_method(method, layer_dependency)
        if self._method and time_attr is not None:
            raise ValueError(
                f"time_attr = {time_attr!r}: expected None with method = {method!r}, which does not support times"
            )
        checked_flag("is_sorted", is_sorted), checked_flag("share_memory", share_memory)
        try:
            self.subgraph_type = SubgraphType(subgraph_type)
        except ValueError:
            known = ", ".join(repr(kind.value) for kind in SubgraphType)
            raise ValueError(f"subgraph_type = {subgraph_type!r}: expected one of {known}") from None
        self.replace, self.sample_direction = checked_flag("replace", replace), sample_direction
        self.temporal_strategy: Any = temporal_strategy
        self.device = as_torch_means(device)
        self.keep_orig_edges = False
        self.seeds = BatchSeeds(seed)
        self._source = Source(data, "in" if sample_direction == "forward" else "out", weight_attr, time_attr)
        self._hetero = self._source.is_hetero
        self._temporal = bool(self._source.node_time) or self._source.edge_time
        self._disjoint = checked_flag("disjoint", disjoint)
        self._reader = SeedReader(self._source, self._temporal, self.strict, self.disjoint)
        self._core_sampler: CoreSampler | None = None
        self.num_neighbors = num_neighbors

    # ---- what it samples, by PyG's names

    @property
    def data_type(self) -> Any:
        """PyG's DataType of the data: homogeneous, heterogeneous or remote."""
        return self._source.kind

    @property
    def node_types(self) -> list[Any]:
        """The types of nodes; ``[None]`` in a homogeneous graph."""
        return self._source.node_types

    @property
    def edge_types(self) -> list[Any]:
        """The types of edges; ``[None]`` in a homogeneous graph."""
        return self._source.edge_types

    @property
    def num_nodes(self) -> Any:
        """The number of nodes; in a heterogeneous graph, a dict by type."""
        return self._source.num_nodes

    @property
    def is_hetero(self) -> bool:
        """Whether nodes and edges have types."""
        return self._hetero

    @property
    def is_temporal(self) -> bool:
        """Whether nodes or edges have times."""
        return self._temporal

    @property
    def disjoint(self) -> bool:
        """Whether each seed has a separate tree."""
        return self._disjoint or self.is_temporal

    @property
    def edge_permutation(self) -> None:
        """None: edges are identified by their positions in the data."""
        return

    @property
    def num_neighbors(self) -> NumNeighbors:
        """The number of edges that each node takes, per hop. It can be assigned."""
        return self._num_neighbors

    @num_neighbors.setter
    def num_neighbors(self, values: Any) -> None:
        if not isinstance(values, (NumNeighbors, list, tuple, dict)):
            raise TypeError(f"num_neighbors = {values!r}: expected a list, one number per hop, or a dict of such lists")
        self._num_neighbors = values if isinstance(values, NumNeighbors) else NumNeighbors(values)
        self._core_sampler = None
        self.core_sampler()

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch of the next batches. Each epoch has different batches, and the same epoch gives the same ones.

        Args:
            epoch: the number of the epoch, from 0.
        """
        self.seeds.set_epoch(epoch)

    def core_sampler(self) -> CoreSampler:
        """Returns the sampler of the core, which the first call creates."""
        if self._core_sampler is None:
            self._core_sampler = self._made()
        return self._core_sampler

    # ---- sampling

    def sample_from_nodes(
        self,
        index: NodeSamplerInput,
        *,
        start_time: Any = None,
        batch_seed: int | None = None,
        threads: int | None = None,
    ) -> SamplerOutput | HeteroSamplerOutput:
        """Samples the neighbourhood of a batch of nodes.

        Args:
            index: the nodes, with their times and their type.
            start_time: (n,) ints, the begin of each node's time window, as ``input_start_time`` of ``NeighborLoader``.
            batch_seed: the random seed of the batch, 64 bits; None (default): derived from the sampler's seed, the
                epoch and the batch.
            threads: CPU threads; None (default): one per core, and one in a worker of a DataLoader.

        Returns:
            PyG's SamplerOutput or HeteroSamplerOutput.

        Raises:
            IndexError: a node is not in the graph.
            TypeError: an argument is of the wrong type.
            ValueError: times are missing, or the sampler uses no times.
        """
        batch_seeds = None if batch_seed is None else [batch_seed]
        start_times = None if start_time is None else [start_time]
        return self.sample_many([index], batch_seeds, start_times=start_times, threads=threads)[0]

    def sample_from_edges(
        self,
        index: EdgeSamplerInput,
        neg_sampling: NegativeSampling | None = None,
        *,
        exclude_seed_edges: ExcludeSeedEdges = False,
        start_time: Any = None,
        batch_seed: int | None = None,
        threads: int | None = None,
    ) -> SamplerOutput | HeteroSamplerOutput:
        """Samples the neighbourhoods of the ends of a batch of links.

        Args:
            index: the links, with their labels, times and type.
            neg_sampling: how negative links are drawn; None (default): no negative links.
            exclude_seed_edges: as for ``LinkNeighborLoader``.
            start_time: as for ``sample_from_nodes``, of each link.
            batch_seed: as for ``sample_from_nodes``; it also determines the negative links.
            threads: as for ``sample_from_nodes``.

        Returns:
            PyG's SamplerOutput or HeteroSamplerOutput.

        Raises:
            IndexError: a node is not in the graph.
            TypeError: an argument is of the wrong type.
            ValueError: times are missing, or the sampler uses no times.
        """
        batch_seeds = None if batch_seed is None else [batch_seed]
        return self.sample_many(
            [index],
            batch_seeds,
            neg_sampling,
            exclude_seed_edges=exclude_seed_edges,
            start_times=None if start_time is None else [start_time],
            threads=threads,
        )[0]

    def sample_many(
        self,
        inputs: Sequence[NodeSamplerInput | EdgeSamplerInput],
        batch_seeds: Sequence[int] | None = None,
        neg_sampling: NegativeSampling | None = None,
        *,
        exclude_seed_edges: ExcludeSeedEdges = False,
        start_times: Sequence[Any] | None = None,
        negative_seeds: Sequence[int] | None = None,
        threads: int | None = None,
    ) -> list[SamplerOutput | HeteroSamplerOutput]:
        """Samples several batches in one call, each as ``sample_from_nodes`` or ``sample_from_edges`` would.

        Args:
            inputs: the batches.
            batch_seeds: the random seed of each batch; None (default): derived from the sampler's seed, the epoch and
                the batch.
            neg_sampling: how negative links are drawn, for batches of links.
            exclude_seed_edges: as for ``LinkNeighborLoader``, for batches of links.
            start_times: for each batch, the begins of the seeds' time windows; None (default): no windows.
            negative_seeds: the random seed of each batch's negative links; None (default): ``batch_seeds``.
            threads: as for ``sample_from_nodes``.

        Returns:
            One output per batch.

        Raises:
            IndexError: a node is not in the graph.
            TypeError: an argument is of the wrong type.
            ValueError: times are missing, or the sampler uses no times.
        """
        self._source.read.check()
        negative = None if neg_sampling is None else NegativeSampling.cast(neg_sampling)
        if batch_seeds is None:
            batch_seeds = [self.seeds.batch_seed(None, ids_of(index)) for index in inputs]
        negative_seeds = batch_seeds if negative_seeds is None else negative_seeds
        named = (("batch_seeds", batch_seeds), ("negative_seeds", negative_seeds), ("start_times", start_times))
        for name, given in named:
            if given is not None and len(given) != len(inputs):
                raise ValueError(f"{name} has {len(given)} elements: expected {len(inputs)}, one per batch")
        if threads is None:
            threads = 1 if torch.utils.data.get_worker_info() is not None else cores()
        # 1. Check the seeds of each batch.
        hetero = self._hetero
        asked: list[Nodes | Links] = []
        seed_nodes: list[Any] = []
        times: list[Any] = []
        windows: list[Any] = []
        for i, (index, negative_seed) in enumerate(zip(inputs, negative_seeds, strict=True)):
            one = self._reader.read(index, negative, negative_seed, start_times and start_times[i])
            asked.append(one)
            seed_nodes.append(one.seed_nodes if hetero else one.seed_nodes[None])
            times.append(one.times if hetero or one.times is None else one.times[None])
            windows.append(one.time_windows if hetero else one.time_windows.get(None))
        excluded = None
        if exclude_seed_edges is not False:
            excluded = excluded_of(self._source, self.subgraph_type, inputs, asked, exclude_seed_edges)
        # 2. Draw all batches in one call of the core.
        core_sampler = self._core_sampler or self.core_sampler()
        known = times if self._temporal else None
        lengths = None if start_times is None else windows
        drawn = sampled(
            core_sampler, seed_nodes, batch_seeds, times=known, time_window=lengths, exclude=excluded, threads=threads
        )
        # 3. Give them PyG's form.
        outs: list[SamplerOutput | HeteroSamplerOutput] = []
        for i, (one, found) in enumerate(zip(asked, drawn, strict=True)):
            form = {"seeds_alone": self._seeds_alone, "keep_orig_edges": self.keep_orig_edges}
            left_out = excluded and excluded[i]
            outs.append(sampler_output(self._source, one, found, self.subgraph_type, excluded=left_out, **form))
        return outs

    def _facts(self) -> dict[str, Any]:
        """What a loader's state must have in common with the sampler."""
        facts = {"subgraph_type": str(self.subgraph_type.value), **facts_of(self.core_sampler())}
        return {**facts, "strict": True} if self.strict else facts

    def _made(self) -> CoreSampler:
        if self.subgraph_type == SubgraphType.induced and self.disjoint:
            raise NotImplementedError('subgraph_type = "induced" does not support disjoint trees or times')
        fanouts = fanouts_of(self._num_neighbors, self._source)
        self._seeds_alone = not fanouts
        times = None if self.is_hetero else self._source.times_of(None)
        with renamed(fanouts="num_neighbors"):
            return CoreSampler(
                self._source.graph,
                fanouts or [0],  # a hop without edges, whose counts _output leaves out
                replace=self.replace,
                weighted="auto" if self._source.weighted else False,
                expand="new",
                disjoint=self.disjoint,
                temporal=self.temporal_strategy if timed(self._source.graph, times) else None,
                layout="coo",
                device=self.device,
                times=times,
                **self._method,
            )

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_core_sampler": None}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self._num_neighbors.values}, {self.subgraph_type.value}, device={self.device!r})"
        )
