"""Random seeds: converts an int, a numpy Generator or fresh entropy to the 64-bit seed of the core."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from .. import rng
from .checks import check_int

__all__ = ["call_seed", "entropy", "signed"]

if TYPE_CHECKING:  # importing numpy.random takes time, and numpy loads it lazily
    from typing import Any

    Seed = int | np.integer[Any] | np.random.Generator | None


def entropy(seed: Seed) -> int:
    """The 64-bit word for a seed argument.

    Raises:
        TypeError, ValueError: it is no seed.
    """
    if seed is None:
        return int.from_bytes(os.urandom(8), "little")
    if not isinstance(seed, (int, np.integer)) and isinstance(seed, np.random.Generator):
        return int(seed.integers(0, 1 << 64, dtype=np.uint64))
    if type(seed).__name__ in ("SeedSequence", "RandomState") and type(seed).__module__.startswith("numpy"):
        text = "np.random.default_rng(seed)" if type(seed).__name__ == "SeedSequence" else "seed.randint(2**31)"
        raise TypeError(f"seed: expected an int or a numpy Generator, got {type(seed).__name__}: pass {text}")
    return check_int("seed", seed, 0, (1 << 64) - 1)


def signed(word: int) -> int:
    """The int64 with the same bits as a 64-bit word, for calls of Go."""
    return word - (1 << 64) if word >> 63 else word


def call_seed(seed: int, call: int) -> int:
    """The seed of a sampler's call, numbered from 0."""
    return rng.word(rng.key(rng.stream(seed, rng.SEEDS), 0), call)
