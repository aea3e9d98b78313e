"""GPURows: the rows of features that the batches of a loader need, read to the GPUs that have the batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from .._core.arguments import cores
from ..device.interop import lying
from ..errors import DeviceError
from .cached import amount, cached
from .cachedfeatures import CachedFeatures, PendingRows, start_all
from .opening import open
from .policies import scores_of
from .rows import DeviceRows
from .shared import SharedFeatures
from .sizing import Workspace
from .store import Features

__all__ = ["GPURows", "PendingBatch"]

AHEAD = 59  # batches that may be announced and not read
POLICIES = ("degree", "frequency", "lookahead")


class PendingBatch:
    """The rows of a batch that are being read."""

    __slots__ = ("_pending",)

    def __init__(self, pending: dict[Any, PendingRows]) -> None:
        self._pending = pending

    def wait(self) -> dict[Any, DeviceRows]:
        """Waits until all rows have been found and gathered, and returns them by key."""
        return {key: one.wait() for key, one in self._pending.items()}


class GPURows:
    """Reads rows of several features, batch by batch, each to the GPU of its batch, beside a training step.

    Missed rows are read in the way that is measured to be the fastest. A kernel that reads them has few blocks, and CPU
    threads leave a quarter of the cores to the loop that submits the step.

    Args:
        features: by key: what ``cached`` takes, or what it returned.
        types: by key: the type of the vertices or edges that have the rows.
        devices: the GPUs, such as ["cuda:0"]. Several of them share their caches, see ``cached``.
        room: memory of each GPU for caches of all features together, as ``bytes`` of ``cached``; None: none. "auto":
            what graphs, batches and steps leave, see ``Workspace``; the caches are opened after the first batches.
        policy: "degree", "frequency", "lookahead", an array of scores, a dict of them by type, or an object, as for
            ``cached``.
        scores: returns the number of edges that lead to each vertex of a type.
        visits: returns how often batches visit each vertex, by type; called at most once, and only if it is needed. An
            empty dict if there are no batches: scores are used then.

    Raises:
        DeviceError: the GPU cannot be used, or its memory is too small.
        TypeError, ValueError: features or policy are of the wrong type or value.
    """

    def __init__(
        self,
        features: Mapping[Any, Any],
        types: Mapping[Any, Hashable],
        devices: Sequence[str],
        room: int | str | None,
        policy: Any,
        scores: Callable[[Any], Any],
        visits: Callable[[], Mapping[Any, Any]],
    ) -> None:
        check_policy(policy)
        if isinstance(policy, str) and policy == "lookahead" and len(devices) > 1:
            raise ValueError(
                f'cache_policy = "lookahead" with {len(devices)} GPUs: a cache looks ahead on one GPU; '
                'pass cache_policy="frequency"'
            )
        self._given = features, types, devices, room, policy, scores, visits
        self._policy, self._scores, self._visits = policy, scores, visits
        self._counts: Mapping[Any, Any] | None = None
        self._types = dict(types)
        self._devices = list(devices)
        self._caches: dict[Any, CachedFeatures | SharedFeatures] = {}
        self._owned: list[CachedFeatures | SharedFeatures] = []
        self._ahead: dict[Any, CachedFeatures] = {}  # which look ahead; only this object announces batches to them
        self._past = [0, 0]  # rows that were read by caches that have been closed: in GPU memory, and all
        self._announced = 0  # batches that were announced and not read
        self._waiting: deque[Mapping[Any, Any]] = deque()  # batches that are announced once there is room
        threads = max(1, cores() * 3 // 4)
        self._opened = {
            key: one if isinstance(one, (CachedFeatures, SharedFeatures, Features)) else open(one, threads=threads)
            for key, one in features.items()
        }
        measured = isinstance(room, str) and room == "auto"
        self._open(0 if room is None or measured else amount("cache", room))
        self._workspace = Workspace(self._devices) if measured and self._owned else None

    def _open(self, room: int) -> None:
        """Opens the caches of all features together."""
        plain = {key: one for key, one in self._opened.items() if isinstance(one, Features)}
        rooms = shares(room, {key: one.nbytes for key, one in plain.items()})
        for key, one in self._opened.items():
            if not isinstance(one, Features):
                self._caches[key] = one
                continue
            given = self._options(self._types[key], len(one)) if 0 < rooms[key] < one.nbytes else {}
            device: Any = self._devices[0] if len(self._devices) == 1 else self._devices
            try:
                made = self._caches[key] = cached(one, device, bytes=rooms[key], **given)
            except DeviceError as why:
                if not room:
                    raise
                raise DeviceError(f"cache = {self._given[3]!r}: {why}") from why
            self._owned.append(made)
            if isinstance(made, CachedFeatures) and made.looks_ahead:
                self._ahead[key] = made

    def __reduce__(self) -> tuple[type[GPURows], tuple[Any, ...]]:
        return GPURows, self._given

    @property
    def looks_ahead(self) -> bool:
        """Whether a cache evicts by the batches that are announced, or may do so once its size has been measured."""
        measuring = self._workspace is not None and isinstance(self._policy, str) and self._policy == "lookahead"
        return bool(self._ahead) or measuring

    def size(self, counts: Mapping[Any, int]) -> int:
        """The bytes of the rows of a batch, of the number of its vertices by type."""
        return sum(counts[self._types[key]] * one.row_bytes for key, one in self._caches.items())

    def begin(self) -> None:
        """Begins an epoch. Batches that were announced and not read are dropped."""
        for one in self._ahead.values():
            one.forget()
        self._announced = 0
        self._waiting.clear()

    def announce(self, ids: Mapping[Any, Any]) -> None:
        """Announces the next batch to caches that look ahead; one that is too far ahead, when there is room.

        Args:
            ids: by type: ids of vertices or edges, in this machine's memory or on the GPU.
        """
        if self.looks_ahead:
            self._waiting.append(ids)
            self._announce()

    def _announce(self) -> None:
        while self._ahead and self._waiting and self._announced < AHEAD:
            self._announced += 1
            ids = self._waiting.popleft()
            for key, one in self._ahead.items():
                one.announce(ids[self._types[key]])

    def start(self, ids: Mapping[Any, Any]) -> PendingBatch:
        """Begins to read the rows of a batch.

        Args:
            ids: as for ``announce``.
        """
        if not self._caches:
            return PendingBatch({})
        if self._workspace is not None:
            if self._waiting:
                self._waiting.popleft()  # this batch
            if self._workspace.observe():
                self._reopen(self._workspace.room())
        given = {key: ids[self._types[key]] for key in self._caches}
        on = lying(given.values())
        caches = {key: _of_gpu(one, on) for key, one in self._caches.items()}
        pending = PendingBatch(start_all(caches, given))
        self._announced = max(0, self._announced - 1)
        self._announce()
        return pending

    def _reopen(self, room: int) -> None:
        """Opens the caches with the memory that was measured. Without the policy "lookahead", nothing is announced."""
        self._workspace = None
        self._past = self._counted()
        self.close()
        self._owned = []
        self._open(room)
        if not self._ahead:
            self._waiting.clear()

    def _options(self, type: Any, rows: int) -> dict[str, Any]:
        """The arguments of ``cached`` by the policy, for features of a type with that number of rows."""
        policy = self._policy
        if not isinstance(policy, str):
            scores = policy.get(type) if isinstance(policy, Mapping) else policy
            return {"policy": scores_of(scores, rows, None, None, "cache_policy")}
        if policy != "degree" and self._counts is None:
            self._counts = self._visits()
        own = None if policy == "degree" or not self._counts else self._counts[type]
        scores = np.asarray(self._scores(type) if own is None else own)
        scores = np.append(scores, np.zeros(rows - len(scores), scores.dtype))  # rows of no vertex
        return {"policy": policy, "counts": scores} if policy == "lookahead" else {"policy": scores}

    def close(self) -> None:
        """Frees the caches. Reads that have begun are completed."""
        for one in self._owned:
            one.close()

    @property
    def hits(self) -> float:
        """The fraction of the rows that were in GPU memory, so far."""
        there, all = self._counted()
        return there / max(1, all)

    @property
    def cache_bytes(self) -> int:
        """The memory that the caches take, of the GPU on which they take most."""
        each: dict[str, int] = dict.fromkeys(self._devices, 0)
        for one in self._owned:
            for device, bytes in (one.nbytes if isinstance(one, SharedFeatures) else {one.device: one.nbytes}).items():
                each[device] += bytes
        return max(each.values())

    @property
    def misses(self) -> str:
        """How missed rows are read, in words: the ways of all features, and what part of them a kernel has read."""
        caches = [one for key in self._caches for one in _each(self._caches[key]) if one.slots < len(one)]
        if not caches:
            return "none: all rows are in GPU memory"
        ways = " and ".join(sorted({one.misses for one in caches}))
        stats = [one.stats() for one in caches]
        missed = sum(one.rows["memory"] + one.rows["file"] for one in stats)
        return f"{ways}; {sum(one.kernel_rows for one in stats) / max(1, missed):.0%} by a kernel"

    def _counted(self) -> list[int]:
        """The rows that were read so far: in GPU memory, and all."""
        rows = [one.stats().rows for one in self._caches.values()]
        there, all = self._past
        return [there + sum(one["gpu"] for one in rows), all + sum(sum(one.values()) for one in rows)]


def _each(features: CachedFeatures | SharedFeatures) -> list[CachedFeatures]:
    """The cache of each GPU."""
    return [features] if isinstance(features, CachedFeatures) else [features.on(device) for device in features.devices]


def _of_gpu(features: CachedFeatures | SharedFeatures, on: tuple[int, ...]) -> CachedFeatures:
    """Features as the GPU of a batch reads them; on is empty if its ids are in this machine's memory."""
    if isinstance(features, CachedFeatures):
        return features
    return features.on(f"cuda:{on[0]}" if on else features.devices[0])


def check_policy(policy: Any) -> None:
    """Checks the policy of a loader's cache.

    Raises:
        ValueError: it is none.
    """
    if isinstance(policy, str) and policy not in POLICIES:
        raise ValueError(
            f'cache_policy = {policy!r}: expected "degree", "frequency", "lookahead" or scores, such as the counts of '
            "gonextdoor.features.count_visits"
        )


def shares(room: int, sizes: Mapping[Any, int]) -> dict[Any, int]:
    """Divides room among features. Small ones are cached as a whole, and the others have equal parts."""
    given, left = {}, len(sizes)
    for key in sorted(sizes, key=lambda key: sizes[key]):
        given[key] = min(sizes[key], room // left)
        room -= given[key]
        left -= 1
    return given
