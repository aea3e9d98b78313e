"""presample: how often the next batches of a loader visit each vertex."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .order import Batch

__all__ = ["presample"]

MOST = 256  # batches
PASSES = 2  # visits per vertex, on average, after which no further batch is drawn
GROUP = 8  # batches that are drawn by a call


def presample(
    named: Iterator[Batch],
    draw: Callable[[list[Batch]], Iterable[Batch]],
    ids_of: Callable[[Any], Mapping[Any, Any]],
    vertices: Mapping[Any, int],
) -> dict[Hashable, npt.NDArray[np.int64]]:
    """Draws batches of an epoch before it begins, and counts the visits of each vertex: (num_vertices,) by type.

    It ends with the epoch, after 256 batches, or when there are two visits per vertex on average. A batch is a function
    of its number, so the loader draws the same ones later. Batches that cannot be drawn are left out: the epoch itself
    raises their error.

    Args:
        named: the batches.
        draw: draws several batches.
        ids_of: the vertices of what the sampler returned, by type.
        vertices: the number of vertices by type.

    Returns:
        The visits; empty if no batch was drawn.
    """
    counts = {kind: np.zeros(n, np.int64) for kind, n in vertices.items()}
    drawn = left = PASSES * sum(vertices.values())
    batches = itertools.islice(named, MOST)
    while left > 0 and (some := list(itertools.islice(batches, GROUP))):
        for one in draw(some):
            if isinstance(one.out, Exception):
                continue
            for kind, ids in ids_of(one.out).items():
                here = _here(ids)
                counts[kind][here] += 1  # a batch has each vertex once, or a few times if its trees are disjoint
                left -= len(here)
    return counts if left < drawn else {}


def _here(ids: Any) -> npt.NDArray[Any]:
    """Ids in this machine's memory."""
    if hasattr(ids, "cpu"):
        ids = ids.cpu()
    return np.asarray(ids.numpy() if hasattr(ids, "numpy") else ids)
