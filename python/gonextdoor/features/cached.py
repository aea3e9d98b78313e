"""cached: features that are read to a GPU, with a cache there."""

from __future__ import annotations

import re
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from .._core import memory, native, records, running
from .._core.binding import advised
from ..device.devices import among
from ..errors import DeviceError
from . import policies
from .cachedfeatures import WAYS, CachedFeatures
from .opening import open
from .shared import SharedFeatures
from .store import Features

__all__ = ["amount", "cached"]

GRANULE = 2 << 20  # bytes: parts of memory that GPUs share are multiples of it
ROW, BYTE = 1e-7, 1e-10  # seconds, about, to copy rows to the cache
UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


@overload
def cached(
    features: Any,
    device: str = "cuda",
    *,
    bytes: int | str | None = None,
    policy: Any = None,
    graph: Any = None,
    counts: Any = None,
    workspace: int | str = 0,
    misses: str = "measured",
) -> CachedFeatures: ...
@overload
def cached(
    features: Any,
    device: list[str] | tuple[str, ...],
    *,
    bytes: int | str | None = None,
    policy: Any = None,
    graph: Any = None,
    counts: Any = None,
    workspace: int | str = 0,
    misses: str = "measured",
) -> SharedFeatures: ...
@advised
def cached(
    features: Any,
    device: str | list[str] | tuple[str, ...] = "cuda",
    *,
    bytes: int | str | None = None,
    policy: Any = None,
    graph: Any = None,
    counts: Any = None,
    workspace: int | str = 0,
    misses: str = "measured",
) -> CachedFeatures | SharedFeatures:
    """Features that are read to a GPU, which keeps some or all rows in its memory. A cache never changes a value.

    Args:
        features: what ``open`` returns or takes.
        device: the GPU, such as ``"cuda:0"``, or a list of GPUs: the hottest rows are on all of them, and each of the
            others is on one, from which all read it. If GPUs cannot read each other, each has its own cache.
        bytes: the GPU memory of the cache, on each GPU: a number, or text such as ``"8GB"``. None (default): what
            graphs and other caches leave, less ``workspace`` and some memory for results. If all rows fit, all are on
            the GPU.
        policy: which rows are cached, if not all fit. ``"frequency"``: those with the largest ``counts``. ``"degree"``:
            those of the vertices of ``graph`` to which most edges lead. ``"lookahead"``, on one GPU: those that the
            announced batches need soonest, see ``CachedFeatures.announce``; of all others those with the largest
            ``counts``, or the vertices of ``graph`` to which most edges lead, if one is given. An array: the scores of
            all rows. An object: ``policy.place(ids)`` returns the scores of all rows. None: none, unless all fit.
        graph: a ``Graph`` whose vertices have the rows.
        counts: how often each row is read, such as of ``count_visits``: (n,) numbers.
        workspace: GPU memory to leave free if ``bytes`` is None: what a training step needs at most.
        misses: how rows that are not cached are read. ``"copy"``: CPU threads gather them, and the GPU copies them.
            ``"kernel"``: a kernel reads them from host memory, which is pinned. ``"both"``: a kernel reads some of them
            while CPU threads gather the others, in proportion to the rates of both (*experimental*). ``"measured"``
            (default): whichever was fastest for rows of this size; ``why`` of the result has the rates.

    Returns:
        ``CachedFeatures``; ``SharedFeatures`` for a list of GPUs.

    Raises:
        DeviceError: there is no such GPU, or its memory is too small.
        TypeError, ValueError: an argument is none of these.

    Examples:
        ``x = gnd.features.cached("x.npy", "cuda:0", bytes="8GB", policy="degree", graph=graph)`` keeps 8 GB of rows on
        the GPU, and ``torch.from_dlpack(x[batch.nodes])`` is a tensor there.
    """
    if not isinstance(features, Features):
        features = open(features)
    if device == "cpu":
        raise ValueError('device = "cpu": there is nothing to cache on the CPU; use gonextdoor.features.open(features)')
    if bytes is not None:
        amount("bytes", bytes)
    try:
        ids = among(device) if device != "auto" else None
    except DeviceError as error:
        text = str(error).replace('device="cpu" needs no GPU', "gonextdoor.features.open needs no GPU")
        raise DeviceError(text) from None
    if not ids:
        raise ValueError(f'device = {device!r}: expected one GPU, such as "cuda:0", or a list of GPUs')
    if misses not in WAYS:
        raise ValueError(f'misses = {misses!r}: expected "measured", "copy", "kernel" or "both"')
    rows = len(features)
    scores = policies.scores_of(policy, rows, graph, counts)
    ahead = isinstance(policy, str) and policy == "lookahead"
    several = not isinstance(device, str)
    if several and ahead:
        raise ValueError(
            f'policy = "lookahead" with device = {device!r}: a cache looks ahead on one GPU; pass policy="frequency"'
        )
    rooms = [_room(features, id, bytes, workspace) for id in ids]
    why = _cannot_share(ids) if several and len(ids) > 1 else ""
    if several and not why and len(ids) > 1 and scores is not None:
        found = _shared(features, ids, min(rooms), scores, misses)
        if found is not None:
            return SharedFeatures(features, ids, *found, why)
    all = [_alone(features, id, room, policy, scores, misses) for id, room in zip(ids, rooms, strict=True)]
    return SharedFeatures(features, ids, all, 0, why) if several else all[0]


def _alone(features: Features, id: int, room: int, policy: Any, scores: Any, misses: str) -> CachedFeatures:
    """A cache of one GPU."""
    ahead, rows = isinstance(policy, str) and policy == "lookahead", len(features)
    slots = _slots(features, room, ahead, none=policy is None)
    placed, classes = np.empty(0, np.uint32), None
    if scores is not None and 0 < slots < rows:
        placed = policies.best(scores, slots)
        classes = policies.classes(scores, slots) if ahead else None
    return _opened(features, (id,), slots, placed, misses, ahead=ahead, classes=classes)[0]


def _shared(
    features: Features, ids: tuple[int, ...], room: int, scores: Any, misses: str
) -> tuple[list[CachedFeatures], int] | None:
    """A cache on each GPU, whose slots all read, and the number of slots that are on all GPUs. None if separate caches
    hold as many rows: all, or very few."""
    rows, size = len(features), features._parts[0].row_bytes
    slots, hot = policies.divide(scores, max(0, (room - 4 * rows - 2 * GRANULE) // size), len(ids))
    if slots <= _slots(features, room, ahead=False, none=False):
        return None
    first = policies.best(scores, hot)
    others = np.setdiff1d(policies.best(scores, slots), first, assume_unique=True)
    return _opened(features, ids, slots, np.concatenate((first, others)).astype(np.uint32), misses, hot=hot), hot


def _opened(
    features: Features,
    ids: tuple[int, ...],
    slots: int,
    placed: npt.NDArray[np.uint32],
    misses: str,
    *,
    ahead: bool = False,
    classes: Any = None,
    hot: int | None = None,
) -> list[CachedFeatures]:
    """Opens a cache on each GPU and fills it. It takes one GPU, or several that share their slots.

    Args:
        features: the features.
        ids: the numbers of the GPUs.
        slots: the number of rows that the cache holds.
        placed: (n,) uint32: the rows in the first slots, if it does not hold all rows.
        misses: how missed rows are read.
        ahead: whether slots are assigned by announced batches.
        classes: (num_rows,) uint8: the classes of rows for that; None: all are equal.
        hot: of several GPUs: the number of slots that all have; the others are on one GPU each. None: one GPU.
    """
    tables = memory.address(placed), placed.size, ahead, 0 if classes is None else memory.address(classes)
    buffer, begin, n = memory.buffer(), records.FEATURE_CACHE.size // 8, len(ids)
    records.FEATURE_CACHE.pack_into(buffer.bytes, 0, slots, *tables, WAYS.index(misses), features._threads, 0)
    store, label = features._held.number, "caching features"
    seconds = slots * (ROW + features._parts[0].row_bytes * BYTE)
    if hot is None:
        handles = [running.call("FeatureCacheOpen", store, ids[0], buffer.address, seconds=seconds, label=label)]
    else:
        buffer.int64[begin : begin + n] = ids
        at = buffer.address + 8 * begin
        given = (store, at, n, hot, buffer.address, at + 8 * n)
        running.call("FeatureCachesOpen", *given, seconds=seconds, label=label)
        handles = buffer.int64[begin + n : begin + 2 * n].tolist()
    buffer.release()
    return [CachedFeatures(features, id, handle, ahead) for id, handle in zip(ids, handles, strict=True)]


def _cannot_share(ids: tuple[int, ...]) -> str:
    """Why GPUs cannot share their slots, or ""."""
    buffer = memory.buffer()
    buffer.int64[: len(ids)] = ids
    why = str(native.call("FeaturePeers", buffer.address, len(ids)))
    buffer.release()
    return why


def _room(features: Features, device: int, given: Any, workspace: Any) -> int:
    """The bytes of the cache."""
    if given is None:
        return max(0, int(native.call("FeatureMemory", device)) - amount("workspace", workspace))
    return amount("bytes", given)


def _slots(features: Features, room: int, ahead: bool, none: bool) -> int:
    """The number of rows that a cache of one GPU holds."""
    rows, size = len(features), features._parts[0].row_bytes
    if room >= rows * size:
        return rows
    if none:
        return 0
    tables = 12 * rows + 32 if ahead else 4 * rows  # two are aligned to 16 bytes
    return max(0, min(rows, (room - tables) // (size + (4 if ahead else 0))))


def amount(name: str, given: Any) -> int:
    """A number of bytes, of an int or a text such as "8GB".

    Raises:
        ValueError: it is neither.
    """
    if isinstance(given, str):
        found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([KMGT]?)B?\s*", given.upper())
        if found:
            return int(float(found[1]) * UNITS[found[2]])
    elif isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given >= 0:
        return int(given)
    raise ValueError(f'{name} = {given!r}: expected a number of bytes, or text such as "8GB"')
