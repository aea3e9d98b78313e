"""GPURows: the rows of features that the batches of a loader need, read to the GPU that has the batches."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from .._core.arguments import cores
from .cached import amount, cached
from .cachedfeatures import CachedFeatures, PendingRows, start_all
from .opening import open
from .rows import DeviceRows
from .store import Features

__all__ = ["GPURows", "PendingBatch"]

AHEAD = 31  # batches that may be announced and not read
POLICIES = ("degree", "lookahead")
NOTHING = np.empty(0, np.int64)


class PendingBatch:
    """The rows of a batch that are being read."""

    __slots__ = ("_pending",)

    def __init__(self, pending: dict[Any, PendingRows]) -> None:
        self._pending = pending

    def wait(self) -> dict[Any, DeviceRows]:
        """Waits until all rows have been found and gathered, and returns them by key."""
        return {key: one.wait() for key, one in self._pending.items()}


class GPURows:
    """Reads rows of several features to one GPU, batch by batch, beside a training step.

    Missed rows are copied. A kernel that reads them from the host takes multiprocessors from the step, and CPU threads
    on all cores would delay the loop that submits it.

    Args:
        features: by key: what ``cached`` takes, or what it returned.
        types: by key: the type of the vertices or edges that have the rows.
        device: the GPU, "cuda:0".
        room: GPU memory for caches of all features together, as ``bytes`` of ``cached``; None: none.
        policy: "degree", "lookahead", an array of scores, a dict of them by type, or an object, as for ``cached``.
        scores: returns the number of edges that lead to each vertex of a type.

    Attributes:
        looks_ahead: whether a cache evicts by the batches that are announced.

    Raises:
        DeviceError: the GPU cannot be used, or its memory is too small.
        TypeError, ValueError: features or policy are of the wrong type or value.
    """

    def __init__(
        self,
        features: Mapping[Any, Any],
        types: Mapping[Any, Hashable],
        device: str,
        room: int | str | None,
        policy: Any,
        scores: Callable[[Any], Any],
    ) -> None:
        check_policy(policy)
        self._given = features, types, device, room, policy, scores
        self._types = dict(types)
        self._caches: dict[Any, CachedFeatures] = {}
        self._owned: list[CachedFeatures] = []
        self._ahead: list[Any] = []  # keys of caches that look ahead; only this object announces batches to them
        self._announced = 0  # batches that were announced and not read
        threads = max(1, cores() * 3 // 4)
        opened = {
            key: one if isinstance(one, (CachedFeatures, Features)) else open(one, threads=threads)
            for key, one in features.items()
        }
        plain = {key: one for key, one in opened.items() if isinstance(one, Features)}
        rooms = shares(0 if room is None else amount("cache", room), {key: one.nbytes for key, one in plain.items()})
        for key, one in opened.items():
            if isinstance(one, CachedFeatures):
                self._caches[key] = one
                continue
            given = {} if not 0 < rooms[key] < one.nbytes else _options(policy, self._types[key], scores)
            made = self._caches[key] = cached(one, device, bytes=rooms[key], misses="copy", **given)
            self._owned.append(made)
            if isinstance(policy, str) and policy == "lookahead" and 0 < made.slots < len(one):
                self._ahead.append(key)
        self.looks_ahead = bool(self._ahead)

    def __reduce__(self) -> tuple[type[GPURows], tuple[Any, ...]]:
        return GPURows, self._given

    def size(self, counts: Mapping[Any, int]) -> int:
        """The bytes of the rows of a batch, of the number of its vertices by type."""
        return sum(counts[self._types[key]] * one.row_bytes for key, one in self._caches.items())

    def begin(self) -> None:
        """Begins an epoch. Batches that were announced and not read are skipped."""
        for _ in range(self._announced):
            self._start(dict.fromkeys(self._types.values(), NOTHING), self._ahead).wait()
        self._announced = 0

    def announce(self, ids: Mapping[Any, Any]) -> None:
        """Announces the next batch to caches that look ahead. Batches too far ahead are not announced.

        Args:
            ids: by type: ids of vertices or edges, in this machine's memory or on the GPU.
        """
        if not self._ahead or self._announced == AHEAD:
            return
        self._announced += 1
        for key in self._ahead:
            self._caches[key].announce(ids[self._types[key]])

    def start(self, ids: Mapping[Any, Any]) -> PendingBatch:
        """Begins to read the rows of a batch.

        Args:
            ids: as for ``announce``.
        """
        self._announced = max(0, self._announced - 1)
        return self._start(ids, list(self._caches))

    def _start(self, ids: Mapping[Any, Any], keys: list[Any]) -> PendingBatch:
        if not keys:
            return PendingBatch({})
        chosen = {key: self._caches[key] for key in keys}
        return PendingBatch(start_all(chosen, {key: ids[self._types[key]] for key in keys}))

    def close(self) -> None:
        """Frees the caches. Reads that have begun are completed."""
        for one in self._owned:
            one.close()

    @property
    def hits(self) -> float:
        """The fraction of the rows that were in GPU memory, so far."""
        rows = [one.stats().rows for one in self._caches.values()]
        return sum(one["gpu"] for one in rows) / max(1, sum(sum(one.values()) for one in rows))


def check_policy(policy: Any) -> None:
    """Checks the policy of a loader's cache.

    Raises:
        ValueError: it is none.
    """
    if isinstance(policy, str) and policy not in POLICIES:
        raise ValueError(
            f'cache_policy = {policy!r}: expected "degree", "lookahead" or scores, such as the counts of '
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


def _options(policy: Any, type: Any, scores: Callable[[Any], Any]) -> dict[str, Any]:
    """The arguments of ``cached`` for a policy."""
    if isinstance(policy, str):
        return {"policy": scores(type)} if policy == "degree" else {"policy": policy, "counts": scores(type)}
    return {"policy": policy.get(type) if isinstance(policy, Mapping) else policy}
