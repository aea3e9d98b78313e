"""Stats: what has been read of features so far."""

from __future__ import annotations

from typing import NamedTuple

from .._core import memory, native, records

__all__ = ["Stats", "stats_of"]


class Stats(NamedTuple):
    """What has been read of features so far.

    Attributes:
        reads: the number of reads.
        rows: the number of rows by place: "gpu", "memory" and "file".
        bytes: their bytes.
        kernel_rows: the rows of "memory" that a kernel of a GPU has read; CPU threads gathered the others.

    Examples:
        >>> import numpy as np
        >>> x = gnd.features.open(np.zeros((3, 2), np.float32))
        >>> rows = x[[2, 0]]
        >>> x.stats().rows
        {'gpu': 0, 'memory': 2, 'file': 0}
    """

    reads: int
    rows: dict[str, int]
    bytes: dict[str, int]
    kernel_rows: int = 0

    @property
    def hits(self) -> float:
        """The fraction of the rows that were read from the memory of a GPU; 0.0 if none was read."""
        return self.rows["gpu"] / max(1, sum(self.rows.values()))

    @property
    def kernel_share(self) -> float:
        """The fraction of the missed rows that a kernel has read from host memory; 0.0 if none was missed."""
        return self.kernel_rows / max(1, self.rows["memory"] + self.rows["file"])


def stats_of(function: str, handle: int, row_bytes: int) -> Stats:
    """What FeaturesCounts or FeatureCacheCounts has counted of a handle."""
    buffer = memory.buffer()
    native.call(function, handle, buffer.address)
    counts = records.FeatureCounts._make(records.FEATURE_COUNTS.unpack_from(buffer.bytes))
    buffer.release()
    rows = {"gpu": counts.device_rows, "memory": counts.host_rows, "file": counts.file_rows}
    return Stats(counts.reads, rows, {place: row_bytes * n for place, n in rows.items()}, counts.kernel_rows)
