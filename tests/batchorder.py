"""The order of a loader's batches by the contract, and what each rank takes of them."""

from __future__ import annotations

from typing import Any

from gonextdoor import rng


def order_of(count: int, seed: int, epoch: int) -> list[int]:
    """All positions in the order of their words, which the contract defines."""
    key = rng.key(rng.stream(seed, 5), epoch)
    low = (1 << max(count - 1, 0).bit_length()) - 1
    return sorted(range(count), key=lambda at: rng.word(key, at) & ~low | at)


def round_robin(batches: list[Any], world: int, even: str, first: int = 0) -> list[list[Any]]:
    """What each rank takes of the batches from the first one on, by the definition."""
    left = batches[first:]
    while even == "wrap" and len(left) % world:
        left.append(batches[(first + len(left)) % len(batches)])
    if even == "drop":
        left = left[: len(left) // world * world]
    return [left[rank::world] for rank in range(world)]
