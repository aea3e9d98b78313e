"""TensorCache: objects made from tensors, kept while the tensors live; torch's operators have no state."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from torch.multiprocessing.reductions import StorageWeakRef

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["TensorCache", "name_of"]

T = TypeVar("T")

Key = tuple[object, ...]


class TensorCache(Generic[T]):
    """Objects derived from tensors, by their memory and torch's count of changes to it.

    No reference to a tensor is kept: after it is freed or changed, the object is derived again. Changes that torch
    does not count, those through ``tensor.numpy()`` or ``.data``, are not seen.

    Args:
        most: as many things are kept, those used last.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[Key, tuple[list[StorageWeakRef], T]] = OrderedDict()
        self._lock = threading.RLock()

    def get(self, tensors: list[Tensor | None], options: Key, make: Callable[[], T]) -> T:
        """Returns make() for these tensors and options, or its cached result."""
        try:
            key = (*options, *(None if t is None else name_of(t) for t in tensors))
        except RuntimeError:  # tensors of torch's inference mode do not count their changes
            return make()
        with self._lock:
            found = self._made.get(key)
            if found is not None and _lives(found[0]):
                self._made.move_to_end(key)
                return found[1]
            made = make()
            self._made[key] = [StorageWeakRef(t.untyped_storage()) for t in tensors if t is not None], made
            self._made.move_to_end(key)
            for old in [k for k, (there, _) in self._made.items() if not _lives(there)]:
                del self._made[old]
            while len(self._made) > self._most:
                self._made.popitem(last=False)
            return made

    def __len__(self) -> int:
        return len(self._made)


def name_of(tensor: Tensor) -> Key:
    """Which storage a tensor's elements are in, where, and how often they were changed."""
    storage = tensor.untyped_storage()._cdata  # no other has this address as long as it lives
    return storage, tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor._version


def _lives(storages: list[StorageWeakRef]) -> bool:
    """Whether all storages are there. Python's own weak references would not do: what an operator is given is new to
    Python each time."""
    return not any(storage.expired() for storage in storages)
