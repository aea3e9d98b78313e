"""NeighborLoader and LinkNeighborLoader: PyG's loaders, with batches prefetched by threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch_geometric import loader as pyg
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import LinkLoader, NodeLoader

from .._core.binding import advised
from ..device.devices import as_torch_means
from ..neighbor.method import Method
from ..neighbor.options import BatchedOptions, takes_options
from ..neighbor.windows import chosen_end
from .batches import put
from .inputs import refuse_type
from .loader_base import LoaderBase, random_seed
from .sampler import NeighborSampler
from .seededges import ExcludeSeedEdges, SeedEdges, checked_exclusion

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["LinkNeighborLoader", "NeighborLoader"]


@advised
class NeighborLoader(LoaderBase, pyg.NeighborLoader):  # type: ignore[misc, unused-ignore]
    """``torch_geometric.loader.NeighborLoader`` with this package's sampler: the same arguments, and batches with the
    same attributes.

    It is a subclass, as PyG's models require (``BasicGNN.inference``). A batch is identified by the seed, the epoch and
    its number. One seed therefore gives the same batches with any number of workers or threads, on the CPU and on a
    GPU. Threads draw batches in advance and gather their features; workers are not needed, but work as well.

    Args:
        data: a Data, a HeteroData, or a tuple of a FeatureStore and a GraphStore.
        num_neighbors: edges that each node takes, hop by hop from the seed nodes outwards; -1: all. A list, or a dict
            of lists by type of edge.
        input_nodes: the nodes to iterate over, as indices or a mask; None (default): all. In a HeteroData the type, or
            a tuple of the type and its nodes.
        input_time: a time for each of them, instead of those of ``time_attr``; None (default): those of the nodes.
        replace: whether a node may take one edge several times (default False).
        subgraph_type: see ``NeighborSampler``.
        disjoint: see ``NeighborSampler``.
        temporal_strategy: see ``NeighborSampler``.
        time_attr: see ``NeighborSampler``.
        weight_attr: see ``NeighborSampler``.
        transform: a function that is called with each batch, in the thread that iterates.
        transform_sampler_output: a function that is called with the sampler's output, before features are gathered.
        is_sorted: see ``NeighborSampler``.
        filter_per_worker: whether workers, or this package's threads, gather the features; None (default): if the data
            is in host memory.
        neighbor_sampler: the sampler that draws the batches; None (default): one made from ``num_neighbors`` and the
            later arguments.
        directed: see ``NeighborSampler``.
        input_start_time: (n,) ints, the begin of a time window for each of the nodes: in all hops its tree takes only
            edges whose time, or else that of their source, is not before it, and not after the node's time. With
            ``time_attr`` only. None (default): edges of any time before the end.
        input_end_time: another name of ``input_time``: the end of the window.
        strict: see ``NeighborSampler``: whether edges at the end of the window are left out.
        seed: an int from 0 to 2^64 - 1, or a numpy Generator; ranks that divide an epoch need the same. None (default):
            a word of ``generator`` or else of torch's generator, so that ``torch.manual_seed`` makes a run
            reproducible.
        device: the device on which batches are drawn (default "cpu"), or a list of GPUs that draw them in turn. On
            "cuda" several are drawn by one call, and all tensors of a batch are on the GPU; features that are there
            never pass through host memory. "cuda" is the GPU of the rank under ``torch.distributed``, or else torch's
            current one.
        method: see ``NeighborSampler``.
        layer_dependency: see ``NeighborSampler``.
        **kwargs: the options of all loaders, as for ``gonextdoor.loader``: divide, rank, world, even, share, threads,
            cache, cache_policy, prefetch, prefetch_bytes and progress. The cache is for rows of the data's node
            attributes in host memory; threads and prefetch are for loaders without workers. Others are those of
            ``torch.utils.data.DataLoader``: batch_size, shuffle, drop_last, num_workers, ... ``shuffle`` gives each
            epoch an order that is a function of ``seed`` and the epoch.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument, or the data, is not valid; the text names it.
        IndexError: a node or an edge is not in the data.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 1, 2, 3, 3], [1, 2, 3, 0, 1]])
        >>> data = Data(x=torch.eye(4), edge_index=edge_index, num_nodes=4)
        >>> loader = gnd.pyg.NeighborLoader(data, [2, 2], batch_size=2, seed=1)
        >>> for batch in loader:
        ...     print(batch.input_id.tolist(), batch.n_id.tolist(), batch.edge_index.tolist())
        [0, 1] [0, 1, 3, 2] [[2, 0, 2, 3], [0, 1, 1, 2]]
        [2, 3] [2, 3, 1, 0] [[2, 0, 3, 1], [0, 1, 2, 2]]
    """

    @takes_options()
    def __init__(
        self,
        data: Any,
        num_neighbors: Any,
        input_nodes: Any = None,
        input_time: Any = None,
        replace: bool = False,
        subgraph_type: Any = "directional",
        disjoint: bool = False,
        temporal_strategy: str = "uniform",
        time_attr: str | None = None,
        weight_attr: str | None = None,
        transform: Callable[..., Any] | None = None,
        transform_sampler_output: Callable[..., Any] | None = None,
        is_sorted: bool = False,
        filter_per_worker: bool | None = None,
        neighbor_sampler: Any = None,
        directed: bool = True,
        *,
        input_start_time: Any = None,
        input_end_time: Any = None,
        strict: bool = False,
        seed: Any = None,
        device: Any = None,
        method: Method = "neighbor",
        layer_dependency: bool = False,
        **kwargs: Unpack[BatchedOptions],
    ) -> None:
        input_time = chosen_end("input_time", input_time, input_end_time)
        if input_time is not None and time_attr is None and neighbor_sampler is None:
            raise ValueError("'time_attr' is not set, but input_time is: set both, or neither")
        if isinstance(data, HeteroData) and input_nodes is None:
            raise ValueError('input_nodes = None: expected "type", or ("type", nodes), as data is a HeteroData')
        refuse_type("input_nodes", data, input_nodes)
        options = {
            "replace": replace,
            "subgraph_type": subgraph_type,
            "disjoint": disjoint,
            "weight_attr": weight_attr,
            "temporal_strategy": temporal_strategy,
            "time_attr": time_attr,
            "is_sorted": is_sorted,
            "directed": directed,
            "method": method,
            "layer_dependency": layer_dependency,
            "strict": strict,
        }
        chosen = seed is not None or neighbor_sampler is not None
        if not chosen:
            seed = random_seed(kwargs.get("generator"))
        sampler = sampler_of(data, num_neighbors, neighbor_sampler, options, seed, device)
        rest = self._prepare(data, sampler, kwargs)
        NodeLoader.__init__(  # not that of PyG's NeighborLoader, which makes PyG's sampler
            self,
            data,
            sampler,
            input_nodes=input_nodes,
            input_time=input_time,
            transform=transform,
            transform_sampler_output=transform_sampler_output,
            filter_per_worker=filter_per_worker,
            **rest,
        )
        nodes, ends = self.input_data, self.input_data.time
        if input_start_time is not None and ends is None and self._ours and self._sampler.is_temporal:
            ends = torch.from_numpy(self._sampler._reader.own_times(nodes.input_type, nodes.node.numpy()))
        self._begin_windows(input_start_time, "node", ends)
        self._begin(chosen)

    def _one(self, asked: Any, **named: Any) -> Any:
        return self._sampler.sample_from_nodes(asked, **named)

    def _inputs(self) -> Any:
        kind, nodes = self.input_data.input_type, self.input_data.node.numpy()
        return nodes if kind is None else {kind: nodes}

    def _times(self) -> dict[str, Any]:
        return {"input_time": _array(self.input_data.time), "input_start_time": self._starts}

    def _describe(self, batch: Any, metadata: tuple[Any, ...]) -> None:
        to = batch._store if isinstance(batch, Data) else batch[self.input_data.input_type]
        ids, times = metadata
        put(to, input_id=ids, seed_time=times, batch_size=ids.size(0))


@advised
class LinkNeighborLoader(LoaderBase, pyg.LinkNeighborLoader):  # type: ignore[misc, unused-ignore]
    """``torch_geometric.loader.LinkNeighborLoader`` with this package's sampler: the same arguments, and batches with
    the same attributes.

    Args:
        data: a Data, a HeteroData, or a tuple of a FeatureStore and a GraphStore.
        num_neighbors: edges that each node takes, as for ``NeighborLoader``.
        edge_label_index: the links to iterate over, (2, n); None (default): all edges. In a HeteroData the type of
            edges, or a tuple of the type and the links.
        edge_label: (n,) a label for each link; None (default): no labels.
        edge_label_time: (n,) a time for each link; with ``time_attr`` only.
        replace: as for ``NeighborLoader``.
        subgraph_type: see ``NeighborSampler``.
        disjoint: see ``NeighborSampler``.
        temporal_strategy: see ``NeighborSampler``.
        neg_sampling: negative links to add: a NegativeSampling, "binary" or "triplet"; None (default): none. As in PyG,
            a negative link may be an edge of the graph.
        neg_sampling_ratio: the deprecated form of a binary NegativeSampling with that amount.
        time_attr: see ``NeighborSampler``.
        weight_attr: see ``NeighborSampler``.
        transform: as for ``NeighborLoader``.
        transform_sampler_output: as for ``NeighborLoader``.
        is_sorted: see ``NeighborSampler``.
        filter_per_worker: as for ``NeighborLoader``.
        neighbor_sampler: as for ``NeighborLoader``.
        directed: see ``NeighborSampler``.
        input_start_time: (n,) the begin of a time window for each link, as for ``NeighborLoader``; its negative links
            have the same. With ``edge_label_time``.
        input_end_time: another name of ``edge_label_time``: the end of the window.
        strict: see ``NeighborSampler``.
        exclude_seed_edges: edges to leave out, so that no model sees the links that it predicts. "self": all edges from
            the source to the destination of a link of the batch, parallel ones too; "reverse": also all edges that lead
            back. In a HeteroData these are of the type of the links, and of the type whose name has
            "rev_" in front; else of the same type, if its ends are of one type, or else of the only type that leads
            back. Negative links leave out none. False (default): none.
        seed: as for ``NeighborLoader``.
        device: as for ``NeighborLoader``.
        method: see ``NeighborSampler``.
        layer_dependency: see ``NeighborSampler``.
        **kwargs: as for ``NeighborLoader``: divide, rank, world, even, share, threads, cache, cache_policy, prefetch,
            prefetch_bytes, progress, and those of ``torch.utils.data.DataLoader``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument, or the data, is not valid; the text names it.
        IndexError: a node or an edge is not in the data.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 1, 2, 3, 3], [1, 2, 3, 0, 1]])
        >>> data = Data(x=torch.eye(4), edge_index=edge_index, num_nodes=4)
        >>> loader = gnd.pyg.LinkNeighborLoader(data, [2], batch_size=5, neg_sampling="binary", seed=1)
        >>> batch = next(iter(loader))
        >>> batch.edge_label.tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """

    @takes_options()
    def __init__(
        self,
        data: Any,
        num_neighbors: Any,
        edge_label_index: Any = None,
        edge_label: Any = None,
        edge_label_time: Any = None,
        replace: bool = False,
        subgraph_type: Any = "directional",
        disjoint: bool = False,
        temporal_strategy: str = "uniform",
        neg_sampling: Any = None,
        neg_sampling_ratio: float | None = None,
        time_attr: str | None = None,
        weight_attr: str | None = None,
        transform: Callable[..., Any] | None = None,
        transform_sampler_output: Callable[..., Any] | None = None,
        is_sorted: bool = False,
        filter_per_worker: bool | None = None,
        neighbor_sampler: Any = None,
        directed: bool = True,
        *,
        input_start_time: Any = None,
        input_end_time: Any = None,
        strict: bool = False,
        exclude_seed_edges: ExcludeSeedEdges = False,
        seed: Any = None,
        device: Any = None,
        method: Method = "neighbor",
        layer_dependency: bool = False,
        **kwargs: Unpack[BatchedOptions],
    ) -> None:
        edge_label_time = chosen_end("edge_label_time", edge_label_time, input_end_time)
        if neighbor_sampler is None and (edge_label_time is None) != (time_attr is None):
            given, missing = ("edge_label_time", "time_attr") if time_attr is None else ("time_attr", "edge_label_time")
            raise ValueError(f"'{missing}' is not set, but {given} is: set both, or neither")
        if not isinstance(data, Data) and edge_label_index is None:
            raise ValueError("edge_label_index = None: expected a type of edges, or (type, links), as data has types")
        refuse_type("edge_label_index", data, edge_label_index)
        if neg_sampling is not None and neg_sampling_ratio:
            raise ValueError("neg_sampling and neg_sampling_ratio: pass only one of them")
        options = {
            "replace": replace,
            "subgraph_type": subgraph_type,
            "disjoint": disjoint,
            "weight_attr": weight_attr,
            "temporal_strategy": temporal_strategy,
            "time_attr": time_attr,
            "is_sorted": is_sorted,
            "directed": directed,
            "method": method,
            "layer_dependency": layer_dependency,
            "strict": strict,
        }
        chosen = seed is not None or neighbor_sampler is not None
        if not chosen:
            seed = random_seed(kwargs.get("generator"))
        sampler = sampler_of(data, num_neighbors, neighbor_sampler, options, seed, device)
        rest = self._prepare(data, sampler, kwargs)
        self.exclude_seed_edges = checked_exclusion(exclude_seed_edges)
        if self.exclude_seed_edges and not self._ours:
            raise ValueError(
                f"exclude_seed_edges = {exclude_seed_edges!r}: the given neighbor_sampler is not one of gonextdoor.pyg"
            )
        LinkLoader.__init__(  # not that of PyG's LinkNeighborLoader, which makes PyG's sampler
            self,
            data,
            sampler,
            edge_label_index=edge_label_index,
            edge_label=edge_label,
            edge_label_time=edge_label_time,
            neg_sampling=neg_sampling,
            neg_sampling_ratio=neg_sampling_ratio,
            transform=transform,
            transform_sampler_output=transform_sampler_output,
            filter_per_worker=filter_per_worker,
            **rest,
        )
        if self.exclude_seed_edges:
            SeedEdges(self._sampler._source, self.input_data.input_type, self.exclude_seed_edges)  # refuses early
        self._begin_windows(input_start_time, "link", self.input_data.time)
        self._begin(chosen)

    def _one(self, asked: Any, **named: Any) -> Any:
        if self.exclude_seed_edges:
            named["exclude_seed_edges"] = self.exclude_seed_edges
        return self._sampler.sample_from_edges(asked, neg_sampling=self.neg_sampling, **named)

    def _inputs(self) -> Any:
        kind, ends = self.input_data.input_type, ("row", "col")
        return {name if kind is None else (kind, name): getattr(self.input_data, name).numpy() for name in ends}

    def _times(self) -> dict[str, Any]:
        return {"edge_label_time": _array(self.input_data.time), "input_start_time": self._starts}

    def _facts(self) -> dict[str, Any]:
        negative = self.neg_sampling
        facts = {**super()._facts(), "neg_sampling": negative and f"{negative.mode.value}, {negative.amount}"}
        return {**facts, "exclude_seed_edges": self.exclude_seed_edges} if self.exclude_seed_edges else facts

    def _describe(self, batch: Any, metadata: tuple[Any, ...]) -> None:
        ids, *rest = metadata
        kinds = self.input_data.input_type
        links = batch if kinds is None else batch[kinds]
        links.input_id = ids
        if self.neg_sampling is None or self.neg_sampling.is_binary():
            links.edge_label_index, links.edge_label, links.edge_label_time = rest
            return
        sources, destinations = (batch, batch) if kinds is None else (batch[kinds[0]], batch[kinds[-1]])
        sources.src_index, destinations.dst_pos_index, destinations.dst_neg_index, times = rest
        sources.seed_time = destinations.seed_time = times
        if kinds is None or kinds in batch.edge_types:  # the data's own would be mistaken for the batch's
            links.edge_label_index = links.edge_label_time = None


def _array(times: Any) -> Any:
    return None if times is None else times.cpu().numpy()


DEFAULTS = {
    "replace": False,
    "subgraph_type": "directional",
    "disjoint": False,
    "temporal_strategy": "uniform",
    "time_attr": None,
    "weight_attr": None,
    "is_sorted": False,
    "directed": True,
    "method": "neighbor",
    "layer_dependency": False,
    "strict": False,
}


def sampler_of(data: Any, num_neighbors: Any, given: Any, options: dict[str, Any], seed: Any, device: Any) -> Any:
    """The sampler that a loader's arguments ask for.

    Raises:
        ValueError: there is one already, and an argument says otherwise.
    """
    if given is None:
        where = "cpu" if device is None else as_torch_means(device)
        return NeighborSampler(data, num_neighbors, **options, seed=seed, device=where)
    for name, value in options.items():
        if value != DEFAULTS[name] and name not in ("time_attr", "is_sorted"):
            raise ValueError(f"{name} = {value!r}: the given neighbor_sampler has its own; leave this argument out")
    if seed is not None:
        raise ValueError(f"seed = {seed!r}: the given neighbor_sampler has its own; leave this argument out")
    if device is not None and as_torch_means(device) != getattr(given, "device", "cpu"):
        raise ValueError(f"device = {device!r}: the given neighbor_sampler has its own; leave this argument out")
    return given
