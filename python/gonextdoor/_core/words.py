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


def words_of(key: int, count: int) -> Array:
    """``rng.word(key, slot)`` of the slots 0 to count - 1, uint64."""
    return mix(np.arange(1, count + 1, dtype=np.uint64) * np.uint64(rng.GAMMA) ^ np.uint64(key))
