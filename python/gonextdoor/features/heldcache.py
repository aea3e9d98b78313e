"""HeldCache: features that the core reads to a GPU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import memory, native, records, running
from .._core.arguments import integer_kind, integers
from ..device.interop import DeviceIntegers, integers_on, on_gpu
from ..errors import DeviceError
from .target import Target

__all__ = ["Caching", "GivenIDs", "HeldCache", "begun", "cannot_share", "opened"]

Array = npt.NDArray[Any]

WAYS = ("measured", "copy", "kernel", "both")
ROW, BYTE = 1e-7, 1e-10  # seconds, about, to copy rows to the cache


class GivenIDs:
    """Ids of a read, in this machine's memory or on the GPU of the cache. It keeps their memory.

    Args:
        ids: an array in this machine's memory; one of another library on the GPU, or its ``DeviceIntegers``.
        device: the GPU.

    Attributes:
        shape: their shape.
        record: records.FeatureIDs as a tuple.
    """

    __slots__ = ("_owner", "record", "shape")

    def __init__(self, ids: Any, device: int) -> None:
        if isinstance(ids, DeviceIntegers) or on_gpu(ids) is not None:
            given = ids if isinstance(ids, DeviceIntegers) else integers_on("ids", ids, device)
            self._owner: object = given
            self.shape = given.shape
            self.record = (given.address, math.prod(given.shape), given.kind, 0, given.stream)
            return
        array = np.asarray(integers("ids", ids), order="C")
        if array.itemsize < 4:
            array = array.astype(np.int64)
        self._owner, self.shape = array, array.shape
        self.record = (memory.address(array), array.size, integer_kind(array), 1, 0)


class HeldCache(native.Held):
    """A handle of features that are read to a GPU. It keeps the features, whose memory the core reads.

    Attributes:
        slots: the rows that the cache holds.
        bytes: its GPU memory.
        misses: how missed rows are read, "copy", "kernel" or "both".
        why: why, if it was measured; else "".
    """

    __slots__ = ("_features", "bytes", "misses", "slots", "why")

    def __init__(self, features: Any, handle: int) -> None:
        self._features = features
        super().__init__(handle, "DropFeatureCache")
        buffer = memory.buffer()
        native.call("FeatureCacheFacts", self.number, buffer.address)
        facts = records.FeatureCache._make(records.FEATURE_CACHE.unpack_from(buffer.bytes))
        buffer.release()
        self.slots, self.bytes, self.misses = facts.slots, facts.bytes, WAYS[facts.misses]
        self.why = str(native.call("FeatureCacheWhy", self.number))

    def remade(self) -> int:
        raise DeviceError(
            "the cache of features is on a GPU and belongs to the process that this one was forked from: open it after "
            "the fork, or start workers by 'spawn'"
        )

    def announce(self, ids: GivenIDs) -> None:
        """Announces the ids of a batch."""
        buffer = memory.buffer()
        records.FEATURE_IDS.pack_into(buffer.bytes, 0, *ids.record)
        native.call("FeatureCacheAnnounce", self.number, buffer.address)
        buffer.release()

    def forget(self) -> None:
        """Drops the batches that were announced and not read."""
        native.call("FeatureCacheForget", self.number)

    def counts(self) -> records.FeatureCounts:
        """What has been read so far."""
        buffer = memory.buffer()
        native.call("FeatureCacheCounts", self.number, buffer.address)
        counts = records.FeatureCounts._make(records.FEATURE_COUNTS.unpack_from(buffer.bytes))
        buffer.release()
        return counts

    def close(self) -> None:
        """Frees the cache, once its reads are complete."""
        native.call("DropFeatureCache", self.number)


class Caching(NamedTuple):
    """Which rows a cache has.

    Attributes:
        slots: the number of rows that it holds.
        placed: (n,) uint32: the rows in the first slots, if it does not hold all rows.
        ahead: whether slots are assigned by announced batches.
        classes: (num_rows,) uint8: the classes of rows for that; None: all are equal.
        misses: how missed rows are read: "measured", "copy", "kernel" or "both".
    """

    slots: int
    placed: Array
    ahead: bool
    classes: Array | None
    misses: str


def opened(features: Any, ids: Sequence[int], caching: Caching, hot: int | None) -> list[HeldCache]:
    """Opens a cache on each GPU and fills it. It takes one GPU, or several that share their slots.

    Args:
        features: the Features.
        ids: the numbers of the GPUs.
        caching: which rows the cache has.
        hot: of several GPUs: the number of slots that all have; the others are on one GPU each. None: one GPU.
    """
    slots, placed, ahead, classes, misses = caching
    buffer = memory.buffer()
    records.FEATURE_CACHE.pack_into(
        buffer.bytes,
        0,
        slots,
        memory.address(placed),
        placed.size,
        ahead,
        0 if classes is None else memory.address(classes),
        WAYS.index(misses),
        features._threads,
        0,
    )
    begin, n, store = records.FEATURE_CACHE.size // 8, len(ids), features._held.number
    seconds = slots * (ROW + features._parts[0].row_bytes * BYTE)
    label = "caching features"
    if hot is None:
        handles = [running.call("FeatureCacheOpen", store, ids[0], buffer.address, seconds=seconds, label=label)]
    else:
        buffer.int64[begin : begin + n] = ids
        at = buffer.address + 8 * begin
        given = (store, at, n, hot, buffer.address, at + 8 * n)
        running.call("FeatureCachesOpen", *given, seconds=seconds, label=label)
        handles = buffer.int64[begin + n : begin + 2 * n].tolist()
    buffer.release()
    return [HeldCache(features, handle) for handle in handles]


def cannot_share(ids: Sequence[int]) -> str:
    """Why GPUs cannot share their slots, or ""."""
    buffer = memory.buffer()
    buffer.int64[: len(ids)] = ids
    why = str(native.call("FeaturePeers", buffer.address, len(ids)))
    buffer.release()
    return why


def begun(caches: Sequence[HeldCache], ids: Sequence[GivenIDs], target: Target | None = None) -> list[int]:
    """Begins to read rows of caches of one GPU by one launch, and returns the handles of the rows. A target is for the
    rows of a single cache."""
    size, n = records.FEATURE_IDS.size, len(caches)
    if n * (size + 16) > memory.BUFFER:
        raise ValueError(f"features of {n} keys, expected at most {memory.BUFFER // (size + 16)}: read them in parts")
    buffer = memory.buffer()
    for i, (cache, one) in enumerate(zip(caches, ids, strict=True)):
        records.FEATURE_IDS.pack_into(buffer.bytes, i * size, *one.record)
        buffer.int64[n * size // 8 + i] = cache.number
    handles = buffer.address + n * size
    first, to = n * size // 8 + n, 0
    if target is not None:
        to = handles + 16 * n
        records.FEATURE_TARGET.pack_into(buffer.bytes, to - buffer.address, *target.record)
    native.call("FeatureCacheRead", handles, buffer.address, to, n, handles + 8 * n)
    numbers: list[int] = buffer.int64[first : first + n].tolist()
    buffer.release()
    return numbers
