"""Features: rows that are read by id."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory
from .._core.arguments import integers
from .counts import Stats
from .elements import array_of
from .held import HeldFeatures
from .parts import Part
from .pending import PendingRead

__all__ = ["Features"]

Array = npt.NDArray[Any]


class Features:
    """Rows of features that are read by id; ``gonextdoor.features.open`` makes it.

    Attributes:
        shape: the number of rows, and the shape of a row.
        dtype: the dtype of the elements: of NumPy, or of torch if the source was a tensor.
    """

    def __init__(self, parts: list[Part], source: Any, threads: int) -> None:
        self._parts, self._source, self._threads = parts, source, threads
        self._elements = parts[0].elements
        self.shape = (sum(part.rows for part in parts), *parts[0].shape)
        self.dtype = self._elements.dtype
        self._held = HeldFeatures(parts, parts[0].row_bytes)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, ids: Any) -> Any:
        return self.read(ids)

    def read(self, ids: Any, out: Any = None) -> Any:
        """The rows of these ids, in their order."""
        given = self._ids(ids)
        values, result = self._room(given, out)
        self._held.call("FeaturesRead", given, values, self._threads)
        return result

    def read_async(self, ids: Any, out: Any = None) -> PendingRead:
        """Begins to read rows in the background."""
        given = self._ids(ids)
        values, result = self._room(given, out)
        return PendingRead(self._held.start(given, values, self._threads), result)

    def stats(self) -> Stats:
        """What has been read so far."""
        counts = self._held.counts()
        rows = {"gpu": counts.device_rows, "memory": counts.host_rows, "file": counts.file_rows}
        size = self._parts[0].row_bytes
        return Stats(counts.reads, rows, {place: size * n for place, n in rows.items()})

    def _ids(self, ids: Any) -> Array:
        return np.ascontiguousarray(integers("ids", ids))

    def _room(self, ids: Array, out: Any) -> tuple[Array, Any]:
        shape = (*ids.shape, *self.shape[1:])
        if out is None:
            values = memory.empty(shape, self._elements.stored)
            return values, self._elements.result(values)
        return array_of("out", out)[0], out
