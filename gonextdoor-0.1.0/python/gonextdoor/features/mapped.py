"""Tensors in mapped files, which can be truncated while they are used."""

from __future__ import annotations

import sys
from typing import Any

from .opening import open
from .rowfile import mapped_inode
from .store import Features

__all__ = ["known", "mapped_rows"]

# By storage: a weak reference, and whether it is in a mapped file. Adapters that read many tensors per batch look here
# first.
known: dict[int, tuple[Any, bool]] = {}


def mapped_rows(tensor: Any, threads: int | None = None) -> Features | None:
    """The rows of a tensor in a mapped file, such as ``torch.from_numpy(np.load(path, mmap_mode="r"))``.

    torch and NumPy end the process if such a file is truncated. The core raises an error.

    Args:
        tensor: a tensor of torch, of any kind.
        threads: CPU threads of a read, as for ``open``.

    Returns:
        The features; None if the tensor is in other memory, or is nothing that ``open`` takes.
    """
    if tensor.layout != sys.modules["torch"].strided or tensor.device.type != "cpu" or tensor.is_quantized:
        return None
    if not tensor.dim() or not tensor.numel() or not _in_file(tensor) or not tensor[:1].is_contiguous():
        return None
    rows: Features = open(tensor, threads=threads)
    return rows


def _in_file(tensor: Any) -> bool:
    """Whether the storage of a tensor is a mapped file. The mappings of the process are read once per storage."""
    storage = tensor.untyped_storage()
    found = known.get(storage._cdata)
    if found is None or found[0].expired():
        for key, (reference, _) in list(known.items()):
            if reference.expired():
                known.pop(key, None)
        reference = sys.modules["torch"].multiprocessing.reductions.StorageWeakRef(storage)
        found = known[storage._cdata] = reference, mapped_inode(tensor.data_ptr()) != 0
    return found[1]
