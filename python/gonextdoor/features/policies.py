"""Policies of caches: which rows are cached first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.arguments import integers
from .._core.binding import advised

__all__ = ["NAMES", "best", "classes", "count_visits", "divide", "scores_of"]

Array = npt.NDArray[Any]

CLASSES = 16  # of a cache that looks ahead
PEER, HOST = 1.0, 4.0  # the cost of a row on another GPU and in host memory, compared with one in the GPU's own memory
NAMES = ("frequency", "degree", "lookahead")
EXPECTED = 'expected "frequency", "degree", "lookahead", None, an array of scores or an object with place(ids)'


@advised
def count_visits(batches: Iterable[Any], rows: int) -> Array:
    """How often each row occurs in batches of ids, such as the nodes of the mini-batches of one epoch.

    ``cached(x, policy="frequency", counts=...)`` caches the rows that occur most often.

    Args:
        batches: arrays of ids in this machine's memory.
        rows: the number of rows.

    Returns:
        (rows,) int64.

    Raises:
        IndexError: an id is out of range.
        TypeError: a batch is no array of ints.

    Examples:
        >>> gnd.features.count_visits([[0, 2], [2, 2]], 4)
        array([1, 0, 3, 0])
    """
    counts = np.zeros(rows, np.int64)
    for k, batch in enumerate(batches):
        ids = integers(f"batches[{k}]", batch).ravel()
        outside = (ids < 0) | (ids >= rows)
        if outside.any():
            at = int(np.flatnonzero(outside)[0])
            raise IndexError(f"batches[{k}][{at}] = {ids[at]}: there are {rows} rows, expected 0 to {rows - 1}")
        if ids.size * 16 < rows:
            np.add.at(counts, ids, 1)
        else:
            counts += np.bincount(ids, minlength=rows)
    return counts


def scores_of(policy: Any, rows: int, graph: Any, counts: Any, name: str = "policy") -> Array | None:
    """The scores of all rows by a policy; None: it has none. name: that of the argument, for errors.

    Raises:
        TypeError, ValueError: it is no policy, or what it needs was not given.
    """
    if policy is None:
        return None
    if isinstance(policy, str):
        return _by_name(policy, rows, graph, counts)
    if hasattr(policy, "place"):
        return _checked(f"{name}.place(ids)", policy.place(np.arange(rows)), rows)
    if isinstance(policy, (bool, int, float, dict, set)):
        raise TypeError(f"{name} = {policy!r}: {EXPECTED}")
    return _checked(name, policy, rows)


def _by_name(policy: str, rows: int, graph: Any, counts: Any) -> Array | None:
    if policy not in NAMES:
        raise ValueError(f"policy = {policy!r}: {EXPECTED}")
    if policy == "degree" and graph is None:
        raise ValueError('policy = "degree": pass graph=, whose vertices have the rows')
    if policy == "frequency" and counts is None:
        raise ValueError(
            'policy = "frequency": pass counts=, the visits of each row in a sampled epoch: '
            "gonextdoor.features.count_visits(batches, rows)"
        )
    if counts is not None and policy != "degree":
        return _checked("counts", counts, rows)
    if graph is None:
        return None
    if graph.num_vertices != rows:
        raise ValueError(f"graph has {graph.num_vertices} vertices, and there are {rows} rows of features")
    return np.bincount(graph.indices, minlength=rows)  # a vertex is sampled along the edges to it


def _checked(name: str, given: Any, rows: int) -> Array:
    scores = np.asarray(given)
    if scores.dtype.kind not in "iufb":
        raise TypeError(f"{name}: expected a number per row, got dtype {scores.dtype}")
    if scores.shape != (rows,):
        raise ValueError(f"{name}: expected shape ({rows},), a number per row, got {scores.shape}")
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        raise ValueError(f"{name}[{int(np.flatnonzero(np.isnan(scores))[0])}] is NaN: expected a number per row")
    return scores


def best(scores: Array, count: int) -> Array:
    """The ids of the rows with the largest scores, ascending: (count,) uint32. Of equal scores, the lowest ids win."""
    if count == 0:
        return np.empty(0, np.uint32)
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = np.flatnonzero(scores > least)
    equal = np.flatnonzero(scores == least)[: count - above.size]
    return np.sort(np.concatenate((above, equal))).astype(np.uint32)


def classes(scores: Array, slots: int) -> Array:
    """The classes of all rows for a cache that looks ahead, from 0 for the largest scores: (n,) uint8.

    Class 0 has the first slots / 16 rows by score. The bounds grow by the square root of 2, up to 8 times the slots, so
    that rows near the end of the cache are distinguished best. Equal scores have equal classes.
    """
    bounds = np.maximum(1, slots * 2.0 ** (np.arange(CLASSES - 1) / 2 - 4)).astype(np.int64)
    last = np.sort(scores)[::-1][bounds[bounds < len(scores)] - 1]  # the least score within each bound
    return (len(last) - np.searchsorted(last[::-1], scores, side="right")).astype(np.uint8)


def divide(scores: Array, each: int, gpus: int) -> tuple[int, int]:
    """The number of rows in a cache that GPUs share, and how many of them are on all GPUs.

    A row on all GPUs takes the place of gpus - 1 others. Of 65 numbers of such rows, the one with the least cost is
    chosen: rows are read as often as their scores say, and one of another GPU costs a quarter of one in host memory.

    Args:
        scores: how often each row is read; those below 0 count as 0.
        each: the number of rows that fit in the memory of a GPU.
        gpus: the number of GPUs.
    """
    read = np.concatenate(([0.0], np.cumsum(np.sort(np.maximum(scores, 0).astype(np.float64))[::-1])))
    hot = np.unique(np.linspace(0, min(each, len(scores)), 65).astype(np.int64))
    slots = np.minimum(len(scores), hot + gpus * (each - hot))
    cost = (read[slots] - read[hot]) * (1 - 1 / gpus) * PEER + (read[-1] - read[slots]) * HOST
    best = int(np.argmin(cost))
    return int(slots[best]), int(hot[best])
