"""Records what a sampler has read of PyG's data, to detect later changes."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

__all__ = ["Read"]


class Read:
    """Attributes that were read: the tensors themselves, in the state that they were in. It keeps none of them."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    def add(self, name: str, store: Any, key: str, same: Callable[[Any], bool]) -> None:
        """Adds an attribute of a store; same says whether another tensor holds what was read."""
        self._entries.append(_Entry(f"{name}.{key}", store, key, same))

    def check(self) -> None:
        """Refuses data that has changed. A tensor that was replaced by an equal one, as when the data moves to a GPU,
        is compared once.

        Raises:
            ValueError: an attribute holds something else; the text names it.
        """
        for entry in self._entries:
            if not entry.is_unchanged():
                entry.compare()

    def __reduce__(self) -> tuple[type[Read], tuple[()]]:
        return Read, ()  # a worker has a copy of the data, which does not change


class _Entry:
    __slots__ = ("_key", "_name", "_same", "_seen", "_store", "_version")

    def __init__(self, name: str, store: Any, key: str, same: Callable[[Any], bool]) -> None:
        self._name, self._store, self._key, self._same = name, weakref.ref(store), key, same
        self._saw(store[key])

    def _saw(self, value: Any) -> None:
        self._seen, self._version = weakref.ref(value), _version(value)

    def is_unchanged(self) -> bool:
        """Whether the attribute is the tensor that was read, with the same number of in-place changes."""
        store = self._store()
        value = None if store is None else store.get(self._key)
        if value is None:
            return True  # a value that was removed since does not change the graph
        seen: Any = self._seen()
        if value is not seen:
            return False
        try:
            return bool(seen._version == self._version)
        except (AttributeError, RuntimeError):  # _version() takes it as 0
            return self._version == 0

    def compare(self) -> None:
        """Compares the attribute with the tensor that was read.

        Raises:
            ValueError: it differs.
        """
        store = self._store()
        value = None if store is None else store.get(self._key)
        if not self._same(value):
            raise ValueError(f"{self._name} has changed since the sampler was made: make another sampler")
        self._saw(value)


def _version(value: Any) -> int:
    """The number of in-place changes of a tensor."""
    try:
        return int(value._version)
    except (AttributeError, RuntimeError):  # an array of numpy's; a tensor of inference mode
        return 0
