"""DataRows: rows of the node attributes of a data, read to the GPU that draws batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data, HeteroData

from ..device.devices import among
from ..device.interop import DEFAULT, DeviceIntegers
from ..features.loading import GPURows, PendingBatch
from ..graph.graph import Graph
from ..neighbor.pipelined import edges_to
from . import tensors
from .cache import name_of
from .sampler import NeighborSampler

__all__ = ["DataRows"]

Key = tuple[str | None, str]  # the type of the nodes, and the name of the attribute


class DataRows:
    """Reads rows of the node attributes that are tensors in this machine's memory.

    A tensor that is replaced, or is changed while rows of it are cached, is opened again when rows are read next.

    Args:
        data: a Data or a HeteroData.
        sampler: draws the batches, on one GPU or several.
        room: GPU memory for caches; None: none.
        policy: of the caches.
        presampled: draws the next batches and counts their visits, see ``presample``.

    Attributes:
        data: may be replaced by data of the same graph.
    """

    def __init__(
        self,
        data: Data | HeteroData,
        sampler: NeighborSampler,
        room: Any,
        policy: Any,
        presampled: Callable[[Callable[[Any], Mapping[Any, Any]], Mapping[Any, int]], Mapping[Any, Any]],
    ) -> None:
        self.data, self._sampler, self._options = data, sampler, (room, policy)
        self._presampled = presampled
        self._devices = [f"cuda:{id}" for id in among(sampler.device) or ()]
        self._cached = room not in (None, 0)
        self._open()

    def _open(self) -> None:
        self._sources = sources(self.data)
        self._names = self._now()
        types = {key: key[0] for key in self._sources}
        parts = {key: _plain(one) for key, one in self._sources.items()}
        self._rows = GPURows(parts, types, self._devices, *self._options, self._scores, self._visits)

    def _scores(self, kind: str | None) -> Any:
        """The number of edges by which each node of a type can be sampled."""
        return edges_to(self._sampler.core_sampler(), kind)

    def _visits(self) -> Mapping[Any, Any]:
        """How often the next batches visit each node."""
        graph = self._sampler.core_sampler().graph
        return self._presampled(
            lambda out: {kind: node for kind, node in self._nodes(out).items() if node is not None},
            {None: graph.num_vertices} if isinstance(graph, Graph) else graph.num_vertices,
        )

    def _now(self) -> dict[Key, Any]:
        """The identities of the tensors; with the number of changes if rows of them are cached."""
        return {key: name_of(one) if self._cached else (id(one), one.data_ptr()) for key, one in self._sources.items()}

    def refresh(self) -> None:
        """Opens the tensors again if one was replaced, or changed since its rows were cached."""
        if all(_of(self.data, key) is one for key, one in self._sources.items()) and self._now() == self._names:
            return
        self._rows.close()
        self._open()

    def begin(self) -> None:
        """Begins an epoch."""
        self.refresh()
        self._rows.begin()

    def announce(self, ids: Mapping[Any, Any]) -> None:
        """Announces the next batch; see ``GPURows.announce``."""
        self._rows.announce(ids)

    def start(self, ids: Mapping[Any, Any]) -> PendingBatch:
        """Begins to read the rows of a batch; see ``GPURows.start``."""
        self.refresh()
        return self._rows.start(ids)

    def size(self, out: Any) -> int:
        """The bytes of the rows of the nodes in the output of the sampler."""
        if isinstance(self.data, Data):
            return self._rows.size({None: len(out.node)})
        nodes = {kind: out.node.get(kind) for kind in self.data.node_types}
        return self._rows.size({kind: 0 if some is None else len(some) for kind, some in nodes.items()})

    @property
    def looks_ahead(self) -> bool:
        """Whether a cache evicts by the batches that are announced."""
        return self._rows.looks_ahead

    @property
    def hits(self) -> float:
        """The fraction of the rows that were in GPU memory, since the tensors were opened."""
        return self._rows.hits

    @property
    def cache_bytes(self) -> int:
        """The memory that the caches take of each GPU."""
        return self._rows.cache_bytes

    @property
    def misses(self) -> str:
        """How missed rows are read, in words."""
        return self._rows.misses

    def ids(self, out: Any) -> dict[Any, Any]:
        """The ids of the nodes in the output of the sampler, by type."""
        return {kind: _NONE if node is None else _ids(node) for kind, node in self._nodes(out).items()}

    def _nodes(self, out: Any) -> dict[Any, torch.Tensor | None]:
        """The nodes in the output of the sampler, by type; None: it has none of the type."""
        if isinstance(self.data, Data):
            return {None: out.node}
        return {kind: out.node.get(kind) for kind in self.data.node_types}

    def tensors(self, rows: Mapping[Key, Any], device: torch.device | None) -> dict[Key, torch.Tensor]:
        """Rows as tensors of the current stream. Attributes of which a batch has no rows are left out.

        Args:
            device: the GPU; None: the driver is an emulated one.
        """
        made = {
            key: tensors._tensor(one).view(self._sources[key].dtype)
            for key, one in rows.items()
            if key in self._sources and len(one)
        }
        if device is None or torch.cuda.current_stream(device) == torch.cuda.default_stream(device):
            return made
        own, usual = torch.cuda.current_stream(device), torch.cuda.default_stream(device)
        copies = {key: one.clone() for key, one in made.items()}  # rows are freed after the work of the default stream
        usual.wait_stream(own)
        return copies


_NONE = np.empty(0, np.int64)


def _ids(node: torch.Tensor) -> Any:
    if not node.is_cuda:
        return node.numpy()
    stream = torch.cuda.current_stream(node.device)
    if stream.cuda_stream or node.dtype != torch.int64 or not node.is_contiguous():
        return node
    # DLPack would give the same, by calls of Python functions of torch that take as long as a small read.
    return DeviceIntegers(node.data_ptr(), tuple(node.shape), -8, DEFAULT, node)


def sources(data: Data | HeteroData) -> dict[Key, torch.Tensor]:
    """The node attributes whose rows can be read: dense tensors in this machine's memory, without gradients."""
    found: dict[Key, torch.Tensor] = {}
    for store in data.node_stores if isinstance(data, HeteroData) else [data._store]:
        for name, value in store.items():
            if name == "num_nodes" or not isinstance(value, torch.Tensor) or not store.is_node_attr(name):
                continue
            if store._parent().__cat_dim__(name, value, store) == 0 and _readable(value):
                found[store._key, name] = value
    return found


def _readable(value: torch.Tensor) -> bool:
    plain = value.device.type == "cpu" and value.layout == torch.strided and not value.requires_grad
    return plain and not value.is_inference() and value.dim() > 0 and value.numel() > 0 and value[:1].is_contiguous()


def _plain(value: torch.Tensor) -> torch.Tensor:
    """The tensor, in a dtype that DLPack has in all versions."""
    return value.view(torch.uint8) if value.dtype == torch.bool else value


def _of(data: Data | HeteroData, key: Key) -> Any:
    kind, name = key
    store = data._store if kind is None else data[kind]
    return store.get(name)
