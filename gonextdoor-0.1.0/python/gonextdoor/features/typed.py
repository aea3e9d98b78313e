"""TypedFeatures: features by vertex or edge type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .counts import Stats
from .pending import PendingReads
from .store import Features

__all__ = ["TypedFeatures"]


class TypedFeatures(Mapping[Any, Features]):
    """Features by vertex or edge type; ``gonextdoor.features.open`` makes it of a dict.

    Examples:
        >>> import numpy as np
        >>> x = gnd.features.open({"user": np.arange(3), "item": np.ones((2, 4), np.float16)})
        >>> x.read({"user": [2, 0]})
        {'user': array([2, 0])}
        >>> x["item"].shape
        (2, 4)
    """

    __slots__ = ("_features",)

    def __init__(self, features: dict[Any, Features]) -> None:
        self._features = features

    def __getitem__(self, name: Any) -> Features:
        try:
            return self._features[name]
        except (KeyError, TypeError):
            raise KeyError(f"{name!r}: there are features of the types {list(self._features)}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)

    def read(self, ids: Mapping[Any, Any], out: Mapping[Any, Any] | None = None) -> dict[Any, Any]:
        """The rows of ids by type.

        Args:
            ids: ids by type, as for ``Features.read``. Types without ids may be left out.
            out: arrays by type to write the rows to.

        Raises:
            KeyError: there are no features of a type.
            IndexError: an id is out of range.
        """
        return {name: self[name].read(some, (out or {}).get(name)) for name, some in _by_type(ids).items()}

    def read_async(self, ids: Mapping[Any, Any]) -> PendingReads:
        """Begins to read rows of ids by type; ``wait()`` returns them by type."""
        return PendingReads({name: self[name].read_async(some) for name, some in _by_type(ids).items()})

    def update(self, values: Mapping[Any, Any], ids: Mapping[Any, Any]) -> None:
        """Replaces rows by type; see ``Features.update``."""
        for name, some in _by_type(ids).items():
            if name not in values:
                raise KeyError(f"values has no type {name!r}, but ids has")
            self[name].update(values[name], some)

    def stats(self) -> Stats:
        """What has been read of all types so far."""
        every = [features.stats() for features in self.values()]
        places = every[0].rows
        return Stats(
            sum(one.reads for one in every),
            {place: sum(one.rows[place] for one in every) for place in places},
            {place: sum(one.bytes[place] for one in every) for place in places},
        )

    def __repr__(self) -> str:
        return f"TypedFeatures({self._features!r})"


def _by_type(ids: Any) -> Mapping[Any, Any]:
    if not isinstance(ids, Mapping):
        raise TypeError(f"ids: expected a dict of ids by type, got {type(ids).__name__}")
    return ids
