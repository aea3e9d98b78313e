"""SharedFeatures: features that are read to several GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..device.interop import on_gpu
from .cachedfeatures import CachedFeatures, PendingRows
from .counts import Stats
from .rows import DeviceRows
from .store import Features

__all__ = ["SharedFeatures"]


class SharedFeatures:
    """Features that are read to several GPUs; ``gonextdoor.features.cached`` makes it for a list of GPUs.

    The rows with the largest scores are on all GPUs. Each of the others is on one GPU, from which all read it over
    their links. Every GPU returns the same values.

    Attributes:
        shape: the number of rows, and the shape of a row.
        dtype: the dtype of the elements.
        devices: the names of the GPUs.
        slots: the number of different rows that the GPUs hold together, or that each holds if they do not share.
        hot: how many of these are on all GPUs; 0: GPUs do not share, each has its own cache, or no row is on all.
        nbytes: by the name of the GPU, the memory of its cache with its tables.
        why: why the GPUs do not share their rows, if one of them cannot read the memory of another; otherwise "".
    """

    def __init__(
        self, features: Features, ids: Sequence[int], all: Sequence[CachedFeatures], hot: int, why: str
    ) -> None:
        self._features, self._all = features, dict(zip(ids, all, strict=True))
        self.shape, self.dtype, self.hot, self.why = features.shape, features.dtype, hot, why
        self.devices = [one.device for one in all]
        self.slots = min(one.slots for one in all)
        self.nbytes = {one.device: one.nbytes for one in all}

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, ids: Any) -> DeviceRows:
        return self.read(ids)

    def __repr__(self) -> str:
        return (
            f"SharedFeatures(shape={self.shape}, dtype={self.dtype}, devices={self.devices}, slots={self.slots}, "
            f"hot={self.hot})"
        )

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        return self._features._parts[0].row_bytes

    def on(self, device: str) -> CachedFeatures:
        """The features as one GPU reads them.

        Raises:
            ValueError: it is none of ``devices``.
        """
        for one in self._all.values():
            if one.device == device:
                return one
        raise ValueError(f"device = {device!r}: expected one of {', '.join(self.devices)}")

    def of(self, ids: Any) -> CachedFeatures:
        """The features as the GPU of ids reads them; the first GPU for ids in host memory.

        Raises:
            ValueError: the ids are on another GPU.
        """
        id = on_gpu(ids)
        return next(iter(self._all.values())) if id is None else self.on(f"cuda:{id}")

    def read(self, ids: Any, device: str | None = None) -> DeviceRows:
        """The rows of these ids, in their order, on a GPU.

        Args:
            ids: as for ``CachedFeatures.read``.
            device: the GPU; None (default): that of the ids, or the first one if they are in host memory.

        Raises:
            DeviceError, IndexError, TypeError, ValueError: as for ``CachedFeatures.read``.
        """
        rows: DeviceRows = self.read_async(ids, device).wait()
        return rows

    def read_async(self, ids: Any, device: str | None = None) -> PendingRows:
        """Begins to read rows; see ``CachedFeatures.read_async``.

        Raises:
            DeviceError, TypeError, ValueError: as for ``read``.
        """
        return (self.of(ids) if device is None else self.on(device)).read_async(ids)

    def update(self, values: Any, ids: Any) -> None:
        """Replaces rows, in the source and in all caches of the features; see ``Features.update``."""
        next(iter(self._all.values())).update(values, ids)

    def stats(self) -> Stats:
        """What all GPUs have read so far: rows from the memory of GPUs (hits) and from host memory."""
        each = [one.stats() for one in self._all.values()]
        rows = {place: sum(one.rows[place] for one in each) for place in each[0].rows}
        bytes = {place: self.row_bytes * n for place, n in rows.items()}
        return Stats(sum(one.reads for one in each), rows, bytes, sum(one.kernel_rows for one in each))

    def close(self) -> None:
        """Frees the memory of all caches. Rows that were read stay. A second call does nothing."""
        for one in self._all.values():
            one.close()

    def __enter__(self) -> SharedFeatures:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
