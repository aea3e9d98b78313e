"""Inboxes: the addresses of the boxes that a part takes in a superstep."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import memory

__all__ = ["Located", "located"]

Array = npt.NDArray[Any]

COPIED = 1 << 14  # bytes of a box, on average, below which boxes are copied into one array


class Located(NamedTuple):
    """Boxes as the core reads them."""

    table: Array  # (n, 2) int64: the address and the bytes of each
    size: int  # of all, in bytes
    arrays: list[Array]  # that have their memory


def located(boxes: Sequence[Array]) -> Located:
    """Locates boxes. Small ones are copied into one array, because to ask numpy for an address takes longer."""
    sizes = [box.nbytes for box in boxes]
    size = sum(sizes)
    if len(boxes) > 1 and size < COPIED * len(boxes):
        together = np.concatenate([box.view(np.uint8).reshape(-1) for box in boxes])
        first = memory.address(together)
        places = [first + end - n for end, n in zip(itertools.accumulate(sizes), sizes, strict=True)]
        arrays = [together]
    else:
        arrays = [np.ascontiguousarray(box) for box in boxes]
        places = [memory.address(box) for box in arrays]
    return Located(np.array([places, sizes], np.int64).T.copy(), size, arrays)
