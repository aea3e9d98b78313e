"""Counts: the visits of the walks of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Counts"]

Array = npt.NDArray[Any]


class Counts:
    """The visits of a call, in compressed rows."""

    def __init__(self, indptr: Array, entries: tuple[Array, ...], totals: Array, walks: Array) -> None:
        self.indptr, self.entries, self.totals, self.walks = indptr, entries, totals, walks

    def take(self, rows: Array) -> Counts:
        """A selection of rows."""
        sizes = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[:-1][rows] - indptr[:-1], sizes)
        return Counts(indptr, tuple(a[at] for a in self.entries), self.totals[rows], self.walks[rows])

    @staticmethod
    def join(parts: list[Counts]) -> Counts:
        """The rows of all parts, part after part."""
        ends = np.cumsum([0, *(len(p.entries[0]) for p in parts)])
        indptr = np.concatenate([[0], *(p.indptr[1:] + end for p, end in zip(parts, ends[:-1], strict=True))])
        entries = tuple(np.concatenate(column) for column in zip(*(p.entries for p in parts), strict=True))
        totals, walks = (np.concatenate([getattr(p, name) for p in parts]) for name in ("totals", "walks"))
        return Counts(indptr, entries, totals, walks)
