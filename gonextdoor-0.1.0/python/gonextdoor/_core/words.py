"""The random words of the contract for arrays of ids."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import rng

__all__ = ["mix", "words_of"]

Array = npt.NDArray[Any]


def mix(x: Array) -> Array:
    """``rng.mix`` of each element, uint64."""
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    mixed: Array = x ^ x >> np.uint64(31)
    return mixed


def words_of(key: int, count: int, first: int = 0) -> Array:
    """``rng.word(key, slot)`` of that number of slots from the first one on, uint64."""
    slots = np.arange(first + 1, first + count + 1, dtype=np.uint64)
    return mix(slots * np.uint64(rng.GAMMA) ^ np.uint64(key))
