"""NameTable: the original names of vertices, as the core keeps them."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory

__all__ = ["NameTable"]

Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True, eq=False)
class NameTable:
    """The name of each vertex: an integer, or UTF-8 text between two offsets.

    Attributes:
        ints: (V,) int64; None if the names are text.
        text: (bytes,) uint8, all names concatenated; None if they are integers.
        offsets: (V + 1,) int64: name v is ``text[offsets[v]:offsets[v + 1]]``.
    """

    ints: Array | None = None
    text: Array | None = None
    offsets: Array | None = None

    def array(self) -> Array:
        """All names: (V,) int64, or str objects.

        Each object takes the memory of its length. An array of numpy's str would give all the width of the longest.
        """
        if self.ints is not None:
            return self.ints
        assert self.text is not None
        memory.check(2 * len(self.text) + 100 * len(self))
        names = np.empty(len(self), object)
        names[:] = self.texts()
        return names

    def texts(self) -> list[str]:
        """All names as str."""
        if self.ints is not None:
            return list(map(str, self.ints.tolist()))
        assert self.text is not None and self.offsets is not None
        text = self.text.tobytes()
        return [text[a:b].decode() for a, b in itertools.pairwise(self.offsets.tolist())]

    def __len__(self) -> int:
        if self.ints is not None:
            return len(self.ints)
        assert self.offsets is not None
        return len(self.offsets) - 1
