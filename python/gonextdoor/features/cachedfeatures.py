"""CachedFeatures: features that are read to a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core import memory, native, records
from .._core.binding import advised
from ..errors import DeviceError
from .counts import Stats, stats_of
from .rows import DeviceRows, HeldRows
from .store import Features
from .target import GivenIDs, Target

__all__ = ["WAYS", "CachedFeatures", "PendingRows", "read_all", "start_all"]

WAYS = ("measured", "copy", "kernel", "both")


class PendingRows:
    """Rows that are being read to a GPU; ``CachedFeatures.read_async`` makes it."""

    __slots__ = ("_features", "_held", "_ids", "_rows")

    def __init__(self, features: CachedFeatures, ids: GivenIDs, number: int, target: Target | None = None) -> None:
        self._features, self._ids = features, ids
        self._held = HeldRows(number, target)
        self._rows: Any = None

    def done(self) -> bool:
        """Whether ``wait`` would return at once."""
        return self._rows is not None or bool(native.call("DeviceRowsDone", self._held.number))

    def wait(self) -> Any:
        """Waits until all rows have been found and gathered, and returns them as ``DeviceRows``. The GPU may still be
        copying; consumers of ``DeviceRows`` wait for it. Returns ``out`` if the read has it, once it has all rows.

        Raises:
            IndexError: an id is out of range.
            OSError: a file could not be read.
        """
        if self._rows is None:
            native.call("DeviceRowsWait", self._held.number)
            if self._held.target is not None:
                self._held.address()  # waits for the rows
                self._rows = self._held.target.array
                return self._rows
            shape = (*self._ids.shape, *self._features.shape[1:])
            self._rows = DeviceRows(self._held, self._features._id, shape, self._features._elements)
        return self._rows


@advised
class CachedFeatures:
    """Features that are read to a GPU; ``gonextdoor.features.cached`` makes it. Reads may overlap, also in several
    threads.

    Attributes:
        shape: the number of rows, and the shape of a row.
        dtype: the dtype of the elements.
        device: the GPU's name, "cuda:0".
        slots: the number of rows that the cache holds.
        nbytes: the GPU memory of the cache, with its tables.
        misses: how rows that are not cached are read: "copy", "kernel" or "both".
        why: why they are read so, if it was measured, such as with which rates; "" if it was given.
        looks_ahead: whether the policy is "lookahead", and some rows are cached and others not.
    """

    def __init__(self, features: Features, id: int, handle: int, ahead: bool) -> None:
        self._features, self._id, self._elements = features, id, features._elements
        self._held = _HeldCache(features, handle)
        self.shape, self.dtype, self.device = features.shape, features.dtype, f"cuda:{id}"
        buffer = memory.buffer()
        native.call("FeatureCacheFacts", handle, buffer.address)
        facts = records.FeatureCache._make(records.FEATURE_CACHE.unpack_from(buffer.bytes))
        buffer.release()
        self.slots, self.nbytes, self.misses = facts.slots, facts.bytes, WAYS[facts.misses]
        self.why = str(native.call("FeatureCacheWhy", handle))
        self.looks_ahead = ahead and 0 < self.slots < len(features)
        self._closed = False

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, ids: Any) -> DeviceRows:
        rows: DeviceRows = self.read(ids)
        return rows

    def __repr__(self) -> str:
        return (
            f"CachedFeatures(shape={self.shape}, dtype={self.dtype}, device={self.device!r}, slots={self.slots}, "
            f"misses={self.misses!r})"
        )

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        return self._features._parts[0].row_bytes

    def read(self, ids: Any, out: Any = None) -> Any:
        """The rows of these ids, in their order, on the GPU.

        Args:
            ids: ints of any shape, in this machine's memory or on the GPU. Those on the GPU are not copied to the host.
            out: a contiguous array of another library on the GPU, of the dtype of the features and of the shape of ids
                and of a row, such as a tensor of torch; None (default): new memory.

        Returns:
            ``DeviceRows``, or ``out``, which has all rows then.

        Raises:
            DeviceError: the GPU's memory is too small for the rows.
            IndexError: an id is out of range; the contents of ``out`` are undefined.
            TypeError: the ids are no ints, or ``out`` has another dtype.
            ValueError: the ids or ``out`` are on another device, or ``out`` has another shape, is not contiguous or
                cannot be written.
        """
        return self.read_async(ids, out).wait()

    def read_async(self, ids: Any, out: Any = None) -> PendingRows:
        """Begins to read rows. Their search on the GPU overlaps with the copies of reads before. Ids on the GPU must
        not change until the result was waited for, which keeps them until then, and ``out`` must not be used.

        Raises:
            DeviceError, TypeError, ValueError: as for ``read``.
        """
        if out is None:
            return _started([self], [GivenIDs(ids, self._id)])[0]
        given = GivenIDs(ids, self._id)
        self._number()
        target = Target(out, (*given.shape, *self.shape[1:]), self._elements, self._id)
        return _started([self], [given], target)[0]

    def announce(self, ids: Any) -> None:
        """Announces the ids of the next batch, in the order in which the batches will be read.

        A cache with ``policy="lookahead"`` keeps the rows that announced batches need soonest. It affects speed, and
        never a value: other ids may be read, after ``forget``. At most 59 batches may be announced and not read.

        Args:
            ids: as for ``read``.

        Raises:
            IndexError: an id is out of range.
            ValueError: the cache has another policy, or too many batches are announced.
        """
        number, given, buffer = self._number(), GivenIDs(ids, self._id), memory.buffer()
        records.FEATURE_IDS.pack_into(buffer.bytes, 0, *given.record)
        native.call("FeatureCacheAnnounce", number, buffer.address)
        buffer.release()

    def forget(self) -> None:
        """Drops the batches that were announced and not read, such as those after the end of a loop. Without announced
        batches, it does nothing."""
        native.call("FeatureCacheForget", self._number())

    def update(self, values: Any, ids: Any) -> None:
        """Replaces rows, in the source and in all caches of the features; see ``Features.update``."""
        self._number()
        self._features.update(values, ids)

    def stats(self) -> Stats:
        """What has been read so far: rows from GPU memory (hits), and from host memory, in all and by a kernel."""
        return stats_of("FeatureCacheCounts", self._number(), self.row_bytes)

    def close(self) -> None:
        """Frees the GPU memory of the cache. Rows that were read stay. A second call does nothing."""
        if not self._closed:
            self._closed = True
            native.call("DropFeatureCache", self._held.number)  # once its reads are complete

    def __enter__(self) -> CachedFeatures:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _number(self) -> int:
        if self._closed:
            raise ValueError("the cached features were closed: open them again by gonextdoor.features.cached")
        return self._held.number


class _HeldCache(native.Held):
    """A handle of features that are read to a GPU. It keeps the features, whose memory the core reads."""

    __slots__ = ("_features",)

    def __init__(self, features: Features, handle: int) -> None:
        self._features = features
        super().__init__(handle, "DropFeatureCache")

    def remade(self) -> int:
        raise DeviceError(
            "the cache of features is on a GPU and belongs to the process that this one was forked from: open it after "
            "the fork, or start workers by 'spawn'"
        )


def read_all(features: Mapping[Any, CachedFeatures], ids: Mapping[Any, Any]) -> dict[Any, DeviceRows]:
    """The rows of several features of one GPU, such as those of all types of vertices of a batch. One kernel finds all
    of them.

    Args:
        features: by key, such as the type of the vertices.
        ids: of the rows, by keys of ``features``; as for ``CachedFeatures.read``.

    Raises:
        KeyError: there are ids of a key without features.
        ValueError: the features are on several GPUs.
    """
    return {key: one.wait() for key, one in start_all(features, ids).items()}


def start_all(features: Mapping[Any, CachedFeatures], ids: Mapping[Any, Any]) -> dict[Any, PendingRows]:
    """Begins to read rows of several features of one GPU; see ``read_all``.

    Raises:
        KeyError, ValueError: as for ``read_all``.
    """
    chosen = [features[key] for key in ids]
    given = [GivenIDs(some, one._id) for one, some in zip(chosen, ids.values(), strict=True)]
    return dict(zip(ids, _started(chosen, given), strict=True))


def _started(features: list[CachedFeatures], ids: list[GivenIDs], target: Target | None = None) -> list[PendingRows]:
    """Begins to read rows of features of one GPU by one launch. A target is for the rows of a single one."""
    size, n, numbers = records.FEATURE_IDS.size, len(features), [one._number() for one in features]
    if n * (size + 16) > memory.BUFFER:
        raise ValueError(f"features of {n} keys, expected at most {memory.BUFFER // (size + 16)}: read them in parts")
    buffer = memory.buffer()
    for i, one in enumerate(ids):
        records.FEATURE_IDS.pack_into(buffer.bytes, i * size, *one.record)
    first, to = n * size // 8 + n, 0
    buffer.int64[first - n : first] = numbers
    handles = buffer.address + n * size
    if target is not None:
        to = handles + 16 * n
        records.FEATURE_TARGET.pack_into(buffer.bytes, to - buffer.address, *target.record)
    native.call("FeatureCacheRead", handles, buffer.address, to, n, handles + 8 * n)
    rows = buffer.int64[first : first + n].tolist()
    buffer.release()
    return [PendingRows(one, some, number, target) for one, some, number in zip(features, ids, rows, strict=True)]
