"""Rows of features: those of a batch's nodes and edges, gathered on the device that has them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch_geometric.typing import TensorFrame

from ..features.mapped import known, mapped_rows
from ..features.opening import open as open_features

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Rows", "to_device"]


class Rows:
    """Rows of an index, of whatever has them.

    The index is brought to each device at most once, and rows are taken on the device of the values: values on a
    GPU never pass through this machine's memory. If batches are made on a GPU, rows of values in this machine's
    memory go there by pinned memory.

    Args:
        index: (n,) int64.
        device: the GPU on which batches are made; None: rows stay where the values lie.
        alone: whether no other thread takes rows meanwhile. If others do, each uses one core.
        worker: whether this process is a worker of a DataLoader.
    """

    __slots__ = ("_alone", "_device", "_on", "_worker", "index")

    def __init__(self, index: Tensor, device: torch.device | None, alone: bool, worker: bool) -> None:
        self.index, self._device, self._alone, self._worker = index, device, alone, worker
        self._on = {index.device: index}

    def beside(self, index: Tensor) -> Rows:
        """The rows of another index, taken in the same way."""
        return Rows(index, self._device, self._alone, self._worker)

    def of(self, name: str, values: Any, dim: int = 0) -> Any:
        """The rows of these values along an axis.

        In the usual case it calls no function of Python, since a small batch takes few rows: PyG replaces
        torch.index_select by such a function, but not the method, and the weak reference of a storage has two.

        Raises:
            TypeError: they are nothing that has rows.
        """
        if not isinstance(values, torch.Tensor):
            return self._of_others(name, values, dim)
        index = self.index if values.device == self.index.device else self.on(values.device)
        if values.is_cuda:
            return values.index_select(dim, index)
        if self._device is not None:
            shape = list(values.shape)
            shape[dim] = len(index)
            rows = torch.empty(shape, dtype=values.dtype, pin_memory=True)
            torch.index_select(values, dim, index, out=rows)
            return rows.to(self._device, non_blocking=True)
        if dim == 0 and not values.requires_grad and values.layout == torch.strided:
            found = known.get(values.untyped_storage()._cdata)
            if found is None or found[1] or torch.UntypedStorage._expired(found[0].cdata):  # otherwise in other memory
                mapped = mapped_rows(values, None if self._alone and not self._worker else 1)
                if mapped is not None:
                    return mapped.read(index, _shared(values, dim, len(index)) if self._worker else None)
        if self._worker:
            return torch.index_select(values, dim, index, out=_shared(values, dim, len(index)))
        if self._alone or not _plain(values):
            return values.index_select(dim, index)
        # torch would start one thread per core for each calling thread
        return torch.from_numpy(np.take(values.detach().numpy(), index.numpy(), axis=dim))

    def _of_others(self, name: str, values: Any, dim: int) -> Any:
        if isinstance(values, np.memmap) and dim == 0 and values[:1].flags.c_contiguous:  # an error if it is truncated
            mapped = open_features(values, threads=None if self._alone else 1)
            return to_device(torch.from_numpy(mapped.read(self.on(_CPU).numpy())), self._device)
        if isinstance(values, np.ndarray):
            return to_device(torch.from_numpy(np.take(values, self.on(_CPU).numpy(), axis=dim)), self._device)
        if isinstance(values, TensorFrame):
            return to_device(values[self.on(values.device)], self._device)
        if isinstance(values, (list, tuple)):
            return [values[i] for i in self.index.tolist()]
        raise TypeError(f"data.{name}: expected a tensor, an array or a list, got {type(values).__name__}")

    def on(self, device: torch.device) -> Tensor:
        """The index on a device."""
        if device not in self._on:
            self._on[device] = self.index.to(device)
        return self._on[device]


_CPU = torch.device("cpu")


def to_device(value: Any, device: torch.device | None) -> Any:
    """Copies a value to the GPU if one is given and the value can be copied."""
    return value if device is None or not hasattr(value, "to") else value.to(device, non_blocking=True)


def _plain(values: Tensor) -> bool:
    """Whether numpy has the tensor's elements."""
    return not values.requires_grad and values.layout == torch.strided and values.dtype != torch.bfloat16


def _shared(values: Tensor, dim: int, rows: int) -> Tensor:
    """Room for the rows in memory that a DataLoader's worker shares with its parent, which saves a copy."""
    shape = list(values.shape)
    shape[dim] = rows
    elements = math.prod(shape)
    storage = values.untyped_storage()._new_shared(elements * values.element_size())
    room: Tensor = values.new_empty(0).set_(storage, 0, shape)
    return room
