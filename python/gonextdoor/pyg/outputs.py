"""The tensors of a sampler's output, and of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch_geometric.data import Data, HeteroData

__all__ = ["bytes_of", "each_tensor", "in_stream", "pinned"]


def each_tensor(out: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Changes the tensors of a sampler's output."""

    def changed(value: Any) -> Any:
        return change(value) if isinstance(value, torch.Tensor) else value

    for name, value in vars(out).items():
        if isinstance(value, dict):
            setattr(out, name, {key: changed(one) for key, one in value.items()})
        elif isinstance(value, tuple):
            setattr(out, name, tuple(changed(one) for one in value))
        else:
            setattr(out, name, changed(value))


def bytes_of(out: Any) -> int:
    """The bytes of the tensors of a sampler's output, or of a batch. It is called for each batch, so it makes few
    calls of Python functions."""
    size = 0
    if isinstance(out, (Data, HeteroData)):
        for store in (out._store,) if isinstance(out, Data) else out.stores:
            for value in store._mapping.values():
                if isinstance(value, torch.Tensor) and value.layout == torch.strided:
                    size += value.nbytes
    elif not isinstance(out, Exception):
        for part in vars(out).values():
            for value in part.values() if isinstance(part, dict) else part if isinstance(part, tuple) else (part,):
                if isinstance(value, torch.Tensor):
                    size += value.nbytes
    return size


def in_stream(out: Any, device: torch.device) -> None:
    """Copies a batch for the stream of this thread, unless that is the default one: the memory of a batch is given back
    after the work of the default stream."""
    own, usual = torch.cuda.current_stream(device), torch.cuda.default_stream(device)
    if own != usual:
        before = dict(vars(out))  # keeps its memory until the copies are complete
        own.wait_stream(usual)
        each_tensor(out, torch.Tensor.clone)
        usual.wait_stream(own)
        del before


def pinned(batch: Any) -> Any:
    """Copies the batch to pinned memory if a GPU is available."""
    return batch.pin_memory() if torch.cuda.is_available() and hasattr(batch, "pin_memory") else batch
