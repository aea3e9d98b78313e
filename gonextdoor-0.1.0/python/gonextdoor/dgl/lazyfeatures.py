"""The features that a sampler of DGL names for prefetching, gathered in a thread of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from dgl.dataloading import dataloader as theirs
from dgl.frame import Column

from ..features.mapped import mapped_rows
from ..features.store import Features
from .framework import Tensor, dgl, torch

__all__ = ["bytes_of", "with_prefetched"]


def with_prefetched(batch: Any, loader: Any) -> Any:
    """A batch of DGL's samplers with the rows in place of their names, as DGL's DataLoader returns it.

    Args:
        batch: tensors and graphs, in tuples, lists and dicts.
        loader: the DataLoader, whose blocks are in this machine's memory.
    """
    made, rows, _ = theirs._prefetch(batch, Here(loader), None)
    return dgl.utils.recursive_apply_pair(made, rows, theirs._assign_for)


class Here:
    """The part of a DataLoader that DGL reads features by. It is also the graph that has them.

    torch would start one thread per core for each thread that gathers rows, so NumPy takes them.
    """

    pin_prefetcher = False

    def __init__(self, loader: Any) -> None:
        self._graph, self.graph = loader.graph, self
        self.device, self.other_storages = loader.device, loader.other_storages
        self._gpu_caches = loader.graph._gpu_caches

    def get_node_storage(self, key: str, ntype: Any = None) -> Any:
        """The rows of a feature of nodes."""
        return _by_numpy(self._graph.get_node_storage(key, ntype))

    def get_edge_storage(self, key: str, etype: Any = None) -> Any:
        """The rows of a feature of edges."""
        return _by_numpy(self._graph.get_edge_storage(key, etype))


def _by_numpy(storage: Any) -> Any:
    """The same rows: of a tensor in a mapped file taken by the core, of another by NumPy if it has the elements."""
    if not isinstance(storage, Column):
        return storage
    tensor = storage.data
    plain = torch.is_tensor(tensor) and tensor.layout == torch.strided and tensor.device.type == "cpu"
    if not plain or tensor.requires_grad:
        return storage
    if (mapped := mapped_rows(tensor, 1)) is not None:
        return MappedRows(mapped)
    return storage if tensor.dtype == torch.bfloat16 else HostRows(tensor)


class HostRows:
    """Rows of a tensor in this machine's memory."""

    __slots__ = ("_rows",)

    def __init__(self, tensor: Tensor) -> None:
        self._rows = tensor.numpy()

    def fetch(self, indices: Tensor, device: Any, pin_memory: bool = False, **kwargs: Any) -> Tensor:
        """The rows of some ids."""
        return torch.from_numpy(np.take(self._rows, indices.numpy(), axis=0))


class MappedRows:
    """Rows of a tensor in a mapped file."""

    __slots__ = ("_rows",)

    def __init__(self, rows: Features) -> None:
        self._rows = rows

    def fetch(self, indices: Tensor, device: Any, pin_memory: bool = False, **kwargs: Any) -> Tensor:
        """The rows of some ids."""
        rows: Tensor = self._rows.read(indices)
        return rows


def bytes_of(batch: Any, graph: Any) -> int:
    """The bytes of a batch in this machine's memory, with the features that it has gathered.

    Args:
        batch: tensors and graphs, in tuples, lists and dicts.
        graph: the graph that it was sampled from, whose features do not count.
    """
    if torch.is_tensor(batch):
        return int(batch.numel() * batch.element_size())
    if isinstance(batch, dgl.DGLGraph):
        return _of_graph(batch, graph)
    if isinstance(batch, Mapping):
        return sum(bytes_of(part, graph) for part in batch.values())
    return sum(bytes_of(part, graph) for part in batch) if isinstance(batch, (list, tuple)) else 0


def _of_graph(sampled: Any, graph: Any) -> int:
    index = sampled._graph
    itemsize = 4 if index.dtype == "int32" else 8
    size, meta = 0, index.metagraph
    for etype in range(index.number_of_etypes()):
        destinations = index.number_of_nodes(meta.find_edge(etype)[1])
        size += itemsize * (index.number_of_edges(etype) + destinations + 1)  # in columns, as PGSampler makes them
    for frames, whole in (
        (sampled._node_frames, graph._node_frames),
        (sampled._edge_frames, graph._edge_frames),
    ):
        known = {id(column.storage) for frame in whole for column in frame._columns.values()}
        for frame in frames:
            for column in frame._columns.values():
                storage: Any = getattr(column, "storage", None)  # a LazyFeature has none
                if torch.is_tensor(storage) and column.index is None and id(storage) not in known:
                    size += storage.numel() * storage.element_size()
    return size
