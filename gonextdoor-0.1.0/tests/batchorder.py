"""The order of a loader's batches by the contract, what each rank takes of them, and the position of a loader."""

from __future__ import annotations

import dataclasses
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


def seed_of(seed: int, epoch: int, number: int, share: int = 1) -> int:
    """The random seed of a batch."""
    return rng.word(rng.key(rng.stream(seed, rng.SEEDS), epoch), number // share)


@dataclasses.dataclass
class Position:
    """A loader's position: which batches it returns next, and its state.

    Attributes:
        count, batch_size, shuffle, drop_last, seed, rank, world, even: arguments of the loader.
        epoch, first: of the next iteration; first counts the batches of all ranks.
    """

    count: int
    batch_size: int = 1
    shuffle: bool = False
    drop_last: bool = False
    seed: int = 0
    rank: int = 0
    world: int = 1
    even: str = "wrap"
    epoch: int = 0
    first: int = 0

    @property
    def total(self) -> int:
        """The number of batches of an epoch."""
        whole, rest = divmod(self.count, self.batch_size)
        return whole + bool(rest and not self.drop_last)

    def uneven(self, first: int = 0) -> bool:
        """Whether an epoch raises an error."""
        return self.even == "error" and (self.total - first) % self.world != 0

    def numbers(self, first: int | None = None) -> list[int]:
        """The batches that the next iteration returns."""
        first = self.first if first is None else first
        return round_robin(list(range(self.total)), self.world, self.even, first)[self.rank]

    def positions(self, epoch: int, number: int) -> list[int]:
        """The positions of a batch in the loader's input."""
        order = order_of(self.count, self.seed, epoch) if self.shuffle else list(range(self.count))
        return order[number * self.batch_size : (number + 1) * self.batch_size]

    def after(self, handed: int) -> tuple[int, int]:
        """The epoch and the batches of the state after some batches of the next iteration."""
        if handed >= len(self.numbers()):
            return self.epoch + 1, 0
        return self.epoch, self.first + handed * self.world
