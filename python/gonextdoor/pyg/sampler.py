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
from ..neighbor.batch import Parts
from ..neighbor.method import Method, checked_method
from ..neighbor.sampler import NeighborSampler as CoreSampler
from ..neighbor.sampler import fanout_of
from ..neighbor.seeds import BatchSeeds
from ..neighbor.windows import window_of
from .graphs import Source, inside, timed
from .inputs import Links, Nodes
from .negative import Negatives
from .seededges import ExcludeSeedEdges, excluded_of
from .subgraph import both_ways, induce
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
        self._negatives = Negatives()
        self._disjoint = checked_flag("disjoint", disjoint)
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
            batch_seeds = [self.seeds.batch_seed(None, _ids(index)) for index in inputs]
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
            one = self._asked(index, negative, negative_seed, start_times and start_times[i])
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
        for i, (one, out) in enumerate(zip(asked, drawn, strict=True)):
            outs.append(self._output(one, *out, excluded=excluded and excluded[i]))
        return outs

    def _asked(
        self, index: Any, negative: NegativeSampling | None, negative_seed: int, start_time: Any
    ) -> Nodes | Links:
        """Checks the seeds of a batch and returns them."""
        kind, nodes = index.input_type, isinstance(index, NodeSamplerInput)
        known = self._source.node_types if nodes else self._source.edge_types
        # Links may be of a type that the graph has no edges of, as long as it has their ends.
        between = not nodes and self._hetero and kind is not None and {kind[0], kind[2]} <= set(self.node_types)
        if kind not in known and not between:
            ends = "" if nodes or not self.is_hetero else f", or a type between nodes of {self.node_types}"
            raise ValueError(f"input_type = {kind!r}: expected one of {known}{ends}")
        if index.time is not None and not self._temporal:
            raise ValueError("the seeds have times, but the sampler has no time_attr: set it")
        if start_time is not None and not self._temporal:
            raise ValueError("input_start_time is set, but the sampler has no time_attr: set it")
        if isinstance(index, NodeSamplerInput):
            asked: Nodes | Links = Nodes(index, start_time)
        else:
            asked = Links(index, negative, self._source, self._negatives, self.disjoint, negative_seed, start_time)
        if self._temporal and asked.times is None:
            asked.times = {kind: self._own_times(kind, nodes) for kind, nodes in asked.seed_nodes.items()}
        if asked.times is not None and (self.strict or asked.starts is not None):
            for each, last in asked.times.items():
                first = None if asked.starts is None else asked.starts[each]
                asked.times[each], asked.time_windows[each] = window_of(first, last, self.strict)
        return asked

    def _own_times(self, kind: Any, seed_nodes: Any) -> Any:
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

    def _output(
        self, asked: Nodes | Links, drawn: Parts, num_nodes: Any, num_edges: Any, excluded: Any = None
    ) -> SamplerOutput | HeteroSamplerOutput:
        if self._seeds_alone:
            num_nodes = [counts[:1] for counts in num_nodes]
            num_edges = [[] for _ in num_edges]
        if self.subgraph_type == SubgraphType.induced:
            induce(self._source, drawn, excluded)
            num_nodes = num_edges = None
        row, col = (drawn.col, drawn.row) if self.sample_direction == "backward" else (drawn.row, drawn.col)
        batch = asked.owned(self._source.node_types, drawn.trees) if drawn.trees else None
        parts: list[Any] = [drawn.nodes, row, col, drawn.edges, batch, num_nodes, num_edges]
        if not self._hetero:
            for i, part in enumerate(parts):
                parts[i] = part and part[0]
            out = SamplerOutput(*parts, metadata=asked.metadata)
            return both_ways(out, self.keep_orig_edges) if self.subgraph_type == SubgraphType.bidirectional else out
        nodes, edges = self.node_types, self.edge_types
        types = (nodes, edges, edges, edges, nodes, nodes, edges)
        named = [
            part and dict(zip(names, part[: len(names)], strict=True)) for names, part in zip(types, parts, strict=True)
        ]
        out = HeteroSamplerOutput(*named, metadata=asked.metadata)
        if self.subgraph_type == SubgraphType.bidirectional:
            return out.to_bidirectional(keep_orig_edges=self.keep_orig_edges)
        return out

    # ---- what it is made of

    def _made(self) -> CoreSampler:
        if self.subgraph_type == SubgraphType.induced and self.disjoint:
            raise NotImplementedError('subgraph_type = "induced" does not support disjoint trees or times')
        fanouts = self._fanouts()
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

    def _fanouts(self) -> list[Any]:
        """The numbers of edges hop by hop: ints, or such by relation; none for the seeds alone."""
        values, default = self._num_neighbors.values, self._num_neighbors.default
        if not isinstance(values, dict):
            return _numbers("num_neighbors", values)
        if not self.is_hetero:
            raise ValueError("num_neighbors: a dict needs a graph with types of edges; expected a list")
        given = {key.to_tuple(): hops for key, hops in values.items()}
        unknown = [edge_type for edge_type in given if edge_type not in self.edge_types]
        if unknown:
            raise ValueError(f"num_neighbors[{unknown[0]!r}]: the graph has the types of edges {self.edge_types}")
        missing = [edge_type for edge_type in self.edge_types if edge_type not in given]
        if missing and default is None:
            raise ValueError(f"num_neighbors: {missing[0]!r} is missing; expected all types of edges, or a default")
        lists = {
            edge_type: _numbers(f"num_neighbors[{edge_type!r}]", given.get(edge_type, default))
            for edge_type in self.edge_types
        }
        lengths = {len(hops) for hops in lists.values()}
        if len(lengths) > 1:
            raise ValueError(
                "num_neighbors: the number of hops must be the same across all types of edges, "
                f"got lists of {', '.join(map(str, sorted(lengths)))}"
            )
        named = {self._source.relation(edge_type): hops for edge_type, hops in lists.items()}
        return [{name: hops[h] for name, hops in named.items()} for h in range(lengths.pop() if lengths else 0)]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_core_sampler": None}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self._num_neighbors.values}, {self.subgraph_type.value}, device={self.device!r})"
        )


def _numbers(name: str, hops: Any) -> list[int]:
    """Numbers of edges, one per hop."""
    if not isinstance(hops, (list, tuple)):
        raise TypeError(f"{name} = {hops!r}: expected a list, one number per hop")
    return [fanout_of(f"{name}[{hop}]", number) for hop, number in enumerate(hops)]


def _ids(index: NodeSamplerInput | EdgeSamplerInput) -> Any:
    """The identity of a batch: the indices of its seeds in the loader's input, or the seeds themselves."""
    if index.input_id is not None:
        return index.input_id.numpy()
    if isinstance(index, NodeSamplerInput):
        return index.node.numpy()
    return torch.cat([index.row, index.col]).numpy()
