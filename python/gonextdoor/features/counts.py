"""Stats: what has been read of features so far."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Stats"]


class Stats(NamedTuple):
    """What has been read of features so far.

    Attributes:
        reads: the number of reads.
        rows: the number of rows by place: "gpu", "memory" and "file".
        bytes: their bytes.

    Examples:
        >>> import numpy as np
        >>> x = gnd.features.open(np.zeros((3, 2), np.float32))
        >>> rows = x[[2, 0]]
        >>> x.stats()
        Stats(reads=1, rows={'gpu': 0, 'memory': 2, 'file': 0}, bytes={'gpu': 0, 'memory': 16, 'file': 0})
    """

    reads: int
    rows: dict[str, int]
    bytes: dict[str, int]

    @property
    def hits(self) -> float:
        """The fraction of the rows that were read from the memory of a GPU; 0.0 if none was read."""
        return self.rows["gpu"] / max(1, sum(self.rows.values()))
