"""Features of ``gonextdoor.features`` in DGL: storages of a graph, which DGL's DataLoader fetches from."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import dgl.storages

from .. import features
from ..features import Features
from ..features.pending import PendingRead
from .errors import raises_dgl_errors
from .framework import Tensor, dgl, torch

__all__ = ["FeatureStorage", "with_features"]


class FeatureStorage(dgl.storages.FeatureStorage):  # type: ignore[misc]
    """A ``dgl.storages.FeatureStorage`` of ``gonextdoor.features``.

    Args:
        source: the result of ``gonextdoor.features.open``, or one of its sources.

    Raises:
        TypeError: the features have a dtype that torch lacks, or the source has no rows of numbers.
        ValueError: the source cannot be opened. Each error is also a ``dgl.DGLError``.

    Examples:
        >>> import gonextdoor.dgl
        >>> import torch
        >>> storage = gnd.dgl.FeatureStorage(torch.arange(6.0).reshape(3, 2))
        >>> storage.fetch(torch.tensor([2, 0]), "cpu").wait()
        tensor([[4., 5.],
                [0., 1.]])
    """

    @raises_dgl_errors
    def __init__(self, source: Any) -> None:
        opened = source if isinstance(source, Features) else features.open(source)
        self._features = opened.as_tensors()

    def __len__(self) -> int:
        return len(self._features)

    @raises_dgl_errors
    def fetch(self, indices: Tensor, device: Any, pin_memory: bool = False, **kwargs: Any) -> Fetched:
        """Begins to read rows in the background.

        Args:
            indices: (n,) ids.
            device: the device of the result.
            pin_memory: whether the rows pass through pinned memory, so that their copy to a GPU is asynchronous.
            **kwargs: ignored; storages of other classes may take more.

        Returns:
            An object whose ``wait()`` returns the rows on the device.
        """
        ids = indices.cpu()
        out = None
        if pin_memory:
            shape = (*ids.shape, *self._features.shape[1:])
            out = torch.empty(shape, dtype=self._features.dtype, pin_memory=True)
        return Fetched(self._features.read_async(ids, out), device, pin_memory)


class Fetched:
    """Rows that ``FeatureStorage.fetch`` reads."""

    __slots__ = ("_device", "_pinned", "_read")

    def __init__(self, read: PendingRead, device: Any, pinned: bool) -> None:
        self._read, self._device, self._pinned = read, device, pinned

    @raises_dgl_errors
    def wait(self) -> Tensor:
        """Waits for the rows and returns them on the device."""
        return self._read.wait().to(self._device, non_blocking=self._pinned)


@raises_dgl_errors
def with_features(graph: Any, ndata: Mapping[str, Any] | None = None, edata: Mapping[str, Any] | None = None) -> Any:
    """A graph of DGL with features from ``gonextdoor.features``, which need not fit in memory.

    ``dgl.dataloading.DataLoader`` fetches them for samplers with ``prefetch_node_feats`` or ``prefetch_edge_feats``.
    They are not in ``graph.ndata``.

    Args:
        graph: a DGLGraph. It is not changed; the copy that is returned shares its structure and data.
        ndata: features of nodes by name, (num_nodes, ...): the result of ``gonextdoor.features.open``, or one of its
            sources; a dict of them by node type, if the graph has several.
        edata: features of edges by name, in the same form; edge types are canonical.

    Raises:
        TypeError: features have a dtype that torch lacks, or a source has no rows of numbers.
        ValueError: a type is missing, or features have fewer rows than the graph has nodes or edges. Each error is also
            a ``dgl.DGLError``.

    Examples:
        >>> import dgl
        >>> import gonextdoor.dgl
        >>> import numpy as np
        >>> graph = dgl.graph(([0, 1], [1, 2]))
        >>> graph = gnd.dgl.with_features(graph, ndata={"x": np.arange(6.0).reshape(3, 2)})
        >>> sampler = gnd.dgl.PGSampler([2], prefetch_node_feats=["x"])
        >>> loader = dgl.dataloading.DataLoader(graph, [2], sampler)
        >>> for inputs, seeds, blocks in loader:
        ...     print(blocks[0].srcdata["x"])
        tensor([[4., 5.],
                [2., 3.]], dtype=torch.float64)
    """
    if not isinstance(graph, dgl.DGLGraph):
        raise TypeError(f"graph: expected a DGLGraph, got {type(graph).__name__}")
    made = copy.copy(graph)
    made.get_node_storage = _lookup(
        "ndata", ndata, graph.ntypes, graph.get_ntype_id, graph.num_nodes, graph.get_node_storage
    )
    made.get_edge_storage = _lookup(
        "edata", edata, graph.canonical_etypes, graph.get_etype_id, graph.num_edges, graph.get_edge_storage
    )
    return made


def _lookup(
    name: str,
    given: Mapping[str, Any] | None,
    types: list[Any],
    number_of: Callable[[Any], int],
    count: Callable[[Any], int],
    other: Callable[..., Any],
) -> Callable[..., Any]:
    """A function (key, type) that returns the storage of features, or calls other if they were not given."""
    storages: dict[tuple[str, int], FeatureStorage] = {}
    for key, source in (given or {}).items():
        by_type = source if isinstance(source, Mapping) else {types[0]: source}
        if by_type is not source and len(types) > 1:
            raise ValueError(f"{name}[{key!r}]: expected a dict of features by type, one of {types}")
        for kind, one in by_type.items():
            if kind not in types:
                raise ValueError(f"{name}[{key!r}][{kind!r}]: expected one of the types {types}")
            storage = FeatureStorage(one)
            if len(storage) < count(kind):
                what = "nodes" if name == "ndata" else "edges"
                raise ValueError(
                    f"{name}[{key!r}] has {len(storage)} rows for type {kind!r}, but the graph has {count(kind)} {what}"
                )
            storages[key, number_of(kind)] = storage

    def storage_of(key: str, kind: Any = None) -> Any:
        storage = storages.get((key, number_of(kind)))
        return other(key, kind) if storage is None else storage

    return storage_of
