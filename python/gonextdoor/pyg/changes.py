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
            store = entry.store()
            value = None if store is None else store._mapping.get(entry.key)
            if value is None:
                continue  # a value that was removed since does not change the graph
            seen: Any = entry.seen()
            try:
                same = value is seen and seen._version == entry.version
            except (AttributeError, RuntimeError):  # _version() takes it as 0
                same = entry.version == 0
            if not same:
                entry.compare(value)

    def __reduce__(self) -> tuple[type[Read], tuple[()]]:
        return Read, ()  # a worker has a copy of the data, which does not change


class _Entry:
    """An attribute that was read.

    Attributes:
        store: the store that has it, or None, as a weak reference. key: its name there.
        seen: the value that was read, or None, as a weak reference. version: how often it had been changed in place.
    """

    __slots__ = ("_name", "_same", "key", "seen", "store", "version")

    def __init__(self, name: str, store: Any, key: str, same: Callable[[Any], bool]) -> None:
        self._name, self.store, self.key, self._same = name, weakref.ref(store), key, same
        self._saw(store[key])

    def _saw(self, value: Any) -> None:
        self.seen, self.version = weakref.ref(value), _version(value)

    def compare(self, value: Any) -> None:
        """Compares the present value with the one that was read.

        Raises:
            ValueError: it differs.
        """
        if not self._same(value):
            raise ValueError(f"{self._name} has changed since the sampler was made: make another sampler")
        self._saw(value)


def _version(value: Any) -> int:
    """The number of in-place changes of a tensor."""
    try:
        return int(value._version)
    except (AttributeError, RuntimeError):  # an array of numpy's; a tensor of inference mode
        return 0
