"""NeighborLoader and LinkNeighborLoader: PyG's loaders, with batches prefetched by threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch_geometric import loader as pyg
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import LinkLoader, NodeLoader
from torch_geometric.sampler import NegativeSampling

from .features import to_device
from .loader_base import LoaderBase
from .sampler import NeighborSampler

__all__ = ["LinkNeighborLoader", "NeighborLoader"]


class NeighborLoader(LoaderBase, pyg.NeighborLoader):  # type: ignore[misc, unused-ignore]
    """``torch_geometric.loader.NeighborLoader`` with this package's sampler: the same arguments, the same batches'
    attributes. It is a subclass, which PyG's models ask for (``BasicGNN.inference``).

    Batches are named by the seed, the epoch and their number, so that one seed gives the same batches with any number
    of workers or threads, on the CPU and on a GPU. Threads draw them ahead and gather their features; workers are not
    needed, and work as well.

    Args:
        data: a Data, a HeteroData, or a tuple of a FeatureStore and a GraphStore.
        num_neighbors: edges that each node takes, hop by hop from the seeds outwards; -1: all. A list, or a dict of
            lists by type of edge.
        input_nodes: the nodes to iterate over, as indices or a mask; None: all. In a HeteroData the type, or a tuple of
            the type and its nodes.
        input_time: a time for each of them, in place of those of ``time_attr``.
        replace, subgraph_type, disjoint, temporal_strategy, time_attr, weight_attr, is_sorted, directed: see
            ``NeighborSampler``.
        transform: is called with each batch, in the thread that iterates.
        transform_sampler_output: is called with what the sampler gives, before features are gathered.
        filter_per_worker: whether workers, or this package's threads, gather the features; None: where the data is in
            this machine's memory.
        neighbor_sampler: draws the batches in place of one made from ``num_neighbors`` and the later arguments.
        seed: an int from 0 to 2^64 - 1, or a numpy Generator; None: a word of torch's generator, so that
            ``torch.manual_seed`` repeats a run.
        device: where batches are drawn. On "cuda" several are drawn by one call, and all of a batch lies on the GPU;
            features that are there never pass through this machine's memory.
        prefetch: batches that are drawn before they are asked for, without workers; half of them by one call. 0: none;
            None: two for each core, 16 at most, and 16 on a GPU.
        threads: threads that draw them and gather their features. None: one per core.
        **kwargs: of ``torch.utils.data.DataLoader``: batch_size, shuffle, drop_last, num_workers, ...

    Raises:
        TypeError, ValueError, IndexError: an argument, or the data, is not as it should be; the text names it.
        DeviceError: the GPU cannot be used.
    """

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
        seed: Any = None,
        device: Any = None,
        prefetch: int | None = None,
        threads: int | None = None,
        **kwargs: Any,
    ) -> None:
        if input_time is not None and time_attr is None and neighbor_sampler is None:
            raise ValueError("'time_attr' is not set, but input_time is: set both, or neither")
        if isinstance(data, HeteroData) and input_nodes is None:
            raise ValueError('input_nodes = None: expected "type", or ("type", nodes), as data is a HeteroData')
        options = {
            "replace": replace,
            "subgraph_type": subgraph_type,
            "disjoint": disjoint,
            "weight_attr": weight_attr,
            "temporal_strategy": temporal_strategy,
            "time_attr": time_attr,
            "is_sorted": is_sorted,
            "directed": directed,
        }
        sampler = sampler_of(data, num_neighbors, neighbor_sampler, options, seed, device)
        self._prepare(data, sampler, prefetch, threads, kwargs)
        NodeLoader.__init__(  # not that of PyG's NeighborLoader, which makes PyG's sampler
            self,
            data,
            sampler,
            input_nodes=input_nodes,
            input_time=input_time,
            transform=transform,
            transform_sampler_output=transform_sampler_output,
            filter_per_worker=filter_per_worker,
            **kwargs,
        )
        self._begin()

    def _one(self, asked: Any, **named: Any) -> Any:
        return self._sampler.sample_from_nodes(asked, **named)

    def _describe(self, batch: Any, metadata: Any) -> None:
        to = batch if isinstance(batch, Data) else batch[self.input_data.input_type]
        to.input_id, to.seed_time = metadata
        if self._device is not None:
            to.input_id, to.seed_time = to_device(metadata[0], self._device), to_device(metadata[1], self._device)
        to.batch_size = metadata[0].size(0)


class LinkNeighborLoader(LoaderBase, pyg.LinkNeighborLoader):  # type: ignore[misc, unused-ignore]
    """``torch_geometric.loader.LinkNeighborLoader`` with this package's sampler: the same arguments, the same batches'
    attributes.

    Args:
        data, num_neighbors: as for ``NeighborLoader``.
        edge_label_index: the links to iterate over, (2, n); None: all edges. In a HeteroData the type of edges, or a
            tuple of the type and the links.
        edge_label: (n,) a label for each. edge_label_time: (n,) a time for each; with ``time_attr`` only.
        neg_sampling: whether links that are not there are added: a NegativeSampling, or "binary" or "triplet".
        neg_sampling_ratio: old for a binary one of that amount.
        replace and all others: as for ``NeighborLoader``.

    Raises:
        TypeError, ValueError, IndexError: an argument, or the data, is not as it should be; the text names it.
        DeviceError: the GPU cannot be used.
    """

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
        seed: Any = None,
        device: Any = None,
        prefetch: int | None = None,
        threads: int | None = None,
        **kwargs: Any,
    ) -> None:
        if neighbor_sampler is None and (edge_label_time is None) != (time_attr is None):
            given, missing = ("edge_label_time", "time_attr") if time_attr is None else ("time_attr", "edge_label_time")
            raise ValueError(f"'{missing}' is not set, but {given} is: set both, or neither")
        if not isinstance(data, Data) and edge_label_index is None:
            raise ValueError("edge_label_index = None: expected a type of edges, or (type, links), as data has types")
        if neg_sampling is not None and neg_sampling_ratio:
            raise ValueError("neg_sampling and neg_sampling_ratio are given: expected one of them")
        options = {
            "replace": replace,
            "subgraph_type": subgraph_type,
            "disjoint": disjoint,
            "weight_attr": weight_attr,
            "temporal_strategy": temporal_strategy,
            "time_attr": time_attr,
            "is_sorted": is_sorted,
            "directed": directed,
        }
        sampler = sampler_of(data, num_neighbors, neighbor_sampler, options, seed, device)
        self._prepare(data, sampler, prefetch, threads, kwargs)
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
            **kwargs,
        )
        self._begin()

    def _one(self, asked: Any, **named: Any) -> Any:
        return self._sampler.sample_from_edges(asked, neg_sampling=self.neg_sampling, **named)

    def _more(self) -> tuple[NegativeSampling | None]:
        return (self.neg_sampling,)

    def _describe(self, batch: Any, metadata: Any) -> None:
        ids, *rest = (to_device(value, self._device) for value in metadata)
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


DEFAULTS = {
    "replace": False,
    "subgraph_type": "directional",
    "disjoint": False,
    "temporal_strategy": "uniform",
    "time_attr": None,
    "weight_attr": None,
    "is_sorted": False,
    "directed": True,
}


def sampler_of(data: Any, num_neighbors: Any, given: Any, options: dict[str, Any], seed: Any, device: Any) -> Any:
    """The sampler that a loader's arguments ask for.

    Raises:
        ValueError: there is one already, and an argument says otherwise.
    """
    if given is None:
        where = "cpu" if device is None else str(device)
        if seed is None:
            seed = int(torch.empty((), dtype=torch.int64).random_())
        return NeighborSampler(data, num_neighbors, **options, seed=seed, device=where)
    for name, value in options.items():
        if value != DEFAULTS[name] and name not in ("time_attr", "is_sorted"):
            raise ValueError(f"{name} = {value!r}: neighbor_sampler is given, and has its own")
    if seed is not None:
        raise ValueError(f"seed = {seed!r}: neighbor_sampler is given, and has its own")
    if device is not None and torch.device(device) != torch.device(getattr(given, "device", "cpu")):
        raise ValueError(f"device = {device!r}: neighbor_sampler is given, and has its own")
    return given
