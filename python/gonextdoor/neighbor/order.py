"""BatchOrder: the batches of a loader's epochs in one global order. Ranks share it, and it resumes at any batch."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from .. import rng
from .._core import native
from .._core.checks import check_int, checked_flag
from .._core.words import words_of
from ..pipeline.threads import refuse_process
from .loaderfacts import difference, fact, short
from .ranks import Ranks

__all__ = ["Batch", "BatchOrder", "Batching", "HandedOut", "Pass", "Positions"]

Array = npt.NDArray[Any]
T = TypeVar("T")

FORMAT = 1  # of states
LARGEST = (1 << 63) - 1
PIECE = 1 << 16  # positions whose words are computed at once, to bound memory


class Batch:
    """A batch of a loader, from its number to what the caller receives.

    Attributes:
        ids: (n,) positions in the loader's input.
        batch_seed: the random seed of its draws, a word of the loader's seed and the epoch; ``share`` batches with
            consecutive numbers have the same.
        own_seed: a word of this batch alone, for everything but the edges that vertices take.
        key: of the loader's seed and the epoch; the seeds are its words.
        epoch, number: which batch of the global order it is.
        out: what the sampler returned, or the error that it raised; later the batch with its features.
        rows: by key, rows of features on a GPU, if they are read there.
    """

    __slots__ = ("batch_seed", "epoch", "ids", "key", "number", "out", "own_seed", "rows")

    def __init__(self, ids: Any, batch_seed: int, own_seed: int, epoch: int, number: int, key: int = 0) -> None:
        self.ids, self.batch_seed, self.own_seed, self.epoch, self.number = ids, batch_seed, own_seed, epoch, number
        self.key = key
        self.out: Any = None
        self.rows: Any = None


class Batching(Protocol):
    """Divides a loader's input into the batches of an epoch.

    Attributes:
        exact: whether the length is exact, so that ranks can share the batches. Otherwise iterating finds the end.
    """

    exact: bool

    @property
    def facts(self) -> dict[str, Any]:
        """What a state must have in common with it."""

    def __len__(self) -> int:
        """The number of batches."""

    def ids(self, seed: int, epoch: int, numbers: Iterable[int]) -> Iterator[tuple[int, Any]]:
        """The numbers of batches, with the positions that each has in the input."""


class Positions:
    """The positions 0 to count - 1 of a loader's input, ``batch_size`` in each batch.

    Shuffled, they are in the order of the words at their slots, whose lowest bits are replaced by the position. The key
    is ``key(stream(seed, ORDER), epoch)``, so that an order is a function of the seed and the epoch alone.
    """

    __slots__ = ("batch_size", "count", "drop_last", "shuffle")

    exact = True

    def __init__(self, count: int, batch_size: Any, shuffle: Any, drop_last: Any) -> None:
        self.count = count
        self.batch_size = check_int("batch_size", batch_size, 1, LARGEST)
        self.shuffle, self.drop_last = checked_flag("shuffle", shuffle), checked_flag("drop_last", drop_last)

    @property
    def facts(self) -> dict[str, Any]:
        """The arguments, and the number of positions."""
        return {
            "inputs": self.count,
            "batch_size": self.batch_size,
            "shuffle": self.shuffle,
            "drop_last": self.drop_last,
        }

    def __len__(self) -> int:
        return self.count // self.batch_size if self.drop_last else -(-self.count // self.batch_size)

    def ids(self, seed: int, epoch: int, numbers: Iterable[int]) -> Iterator[tuple[int, Array]]:
        """The numbers of batches, with the positions that each has in the input: (n,) int64."""
        size = self.batch_size
        order = self.order(seed, epoch) if self.shuffle else None
        for number in numbers:
            begin, end = number * size, min((number + 1) * size, self.count)
            yield number, np.arange(begin, end) if order is None else order[begin:end].copy()

    def order(self, seed: int, epoch: int) -> Array:
        """(count,) int64: all positions, shuffled."""
        bits = np.uint64((1 << max(self.count - 1, 0).bit_length()) - 1)
        key, words = rng.key(rng.stream(seed, rng.ORDER), epoch), np.arange(self.count, dtype=np.uint64)
        for begin in range(0, self.count, PIECE):
            part = words[begin : begin + PIECE]
            part |= words_of(key, len(part), begin) & ~bits
        words.sort()
        words &= bits
        return words.view(np.int64)


class Pass:
    """The batches that one rank takes in one epoch, and how many of them the loop has received.

    Attributes:
        seed, epoch: which order it is.
        first: the number of batches that all ranks together have taken before, when the pass was interrupted.
        rank, world: of this process.
        rounds: the number of batches that each rank takes; None: not known before the end.
        total: the number of batches of the epoch, after which numbers begin again; None: not known exactly.
        handed: the number of batches that the loop has received.
        requested: whether the loop has requested a batch.
    """

    __slots__ = ("epoch", "first", "handed", "rank", "requested", "rounds", "seed", "total", "world")

    def __init__(
        self, seed: int, epoch: int, first: int, rank: int, world: int, rounds: int | None, total: int | None
    ) -> None:
        self.seed, self.epoch, self.first = seed, epoch, first
        self.rank, self.world, self.rounds, self.total = rank, world, rounds, total
        self.handed, self.requested = 0, False

    def numbers(self) -> Iterator[int]:
        """The numbers of this rank's batches in the global order."""
        total = self.total
        if total is None or self.rounds is None:
            return itertools.count(self.first)
        begin = self.first + self.rank
        numbers = range(begin, begin + self.rounds * self.world, self.world)
        return iter(numbers) if numbers.stop - self.world < total else (at % total for at in numbers)

    def end(self) -> None:
        """Records that there are no more batches."""
        self.rounds = self.handed

    @property
    def position(self) -> tuple[int, int]:
        """The epoch, and how many of its batches all ranks together have handed out, of which the next pass begins."""
        if self.rounds is not None and self.handed >= self.rounds:
            return self.epoch + 1, 0
        return self.epoch, self.first + self.handed * self.world


class BatchOrder:
    """The order of a loader's batches: a function of the seed and the epoch, and the batches that each rank takes.

    Rank r of W takes the batches r, r + W, ... of an epoch. The number of a batch is that in the epoch, so the ranks
    together have the batches of one process.

    Args:
        batching: divides the input into batches.
        seed: the random seed, 64 bits.
        share: the number of consecutive batches with the same seed of their draws.
        ranks: the processes that share the batches.
        fixed: whether the caller chose the seed, so that states with another one are refused (default False).

    Raises:
        TypeError, ValueError: an argument is of the wrong type or value.
    """

    def __init__(self, batching: Batching, seed: int, share: Any, ranks: Ranks, fixed: bool = False) -> None:
        self.batching, self.seed, self.ranks, self._fixed = batching, seed, ranks, fixed
        self.share = check_int("share", share, 1, LARGEST)
        self._epoch, self._first = 0, 0  # of the next pass
        self._pass: Pass | None = None  # the one whose position is the state

    def __len__(self) -> int:
        """The number of batches that this rank takes in a whole epoch."""
        _, world = self.ranks.current()
        return self.ranks.rounds(len(self.batching), world)

    def set_epoch(self, epoch: Any) -> None:
        """Sets the epoch of the next pass. The position of a loaded state is kept if it is in this epoch."""
        epoch = check_int("epoch", epoch, 0, LARGEST)
        self._take_back()
        if epoch != self._epoch:
            self._first = 0
        self._epoch, self._pass = epoch, None

    def begin(self, facts: Callable[[], Mapping[str, Any]]) -> Pass:
        """Begins the next epoch, or continues the one of a loaded state. Ranks that divide it compare their positions
        and all facts.

        Args:
            facts: returns those of the loader.

        Raises:
            ValueError: the batches cannot be divided evenly, or the ranks disagree.
            RuntimeError: another rank did not begin the epoch.
        """
        rank, world = self.ranks.current()
        self._take_back()
        self.ranks.agree(lambda: self._of_ranks(facts()))
        total = self._total()
        rounds = None if total is None else self.ranks.rounds(max(total - self._first, 0), world)
        self._pass = Pass(
            self.seed, self._epoch, self._first, rank, world, rounds, total if self.batching.exact else None
        )
        self._epoch, self._first = self._epoch + 1, 0
        return self._pass

    def _take_back(self) -> None:
        """Returns to the beginning of a pass of which no batch was requested: frameworks begin one only to check that
        they can."""
        if self._pass is not None and not self._pass.requested:
            self._epoch, self._first = self._pass.epoch, self._pass.first

    def _total(self) -> int | None:
        """The number of batches of an epoch; None: a batch sampler without a length."""
        try:
            return len(self.batching)
        except TypeError:
            return None

    def preview(self) -> Iterator[Batch]:
        """The batches that this rank takes in the next epoch, which does not begin. There are none if a batch sampler
        names them, because it may name others next time."""
        total = self._total()
        if total is None or not self.batching.exact:
            return iter(())
        rank, world = self.ranks.current()
        rounds = len(range(self._first + rank, total, world))
        return self.named(Pass(self.seed, self._epoch, self._first, rank, world, rounds, total))

    def named(self, pass_: Pass) -> Iterator[Batch]:
        """The batches of a pass."""
        seeds = rng.key(rng.stream(pass_.seed, rng.SEEDS), pass_.epoch)
        for number, ids in self.batching.ids(pass_.seed, pass_.epoch, pass_.numbers()):
            own = rng.word(seeds, number)
            batch_seed = own if self.share == 1 else rng.word(seeds, number // self.share)
            yield Batch(ids, batch_seed, own, pass_.epoch, number, seeds)

    def state(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """The seed, the epoch, the batches handed out by all ranks together, and the facts of the loader."""
        position = (self._epoch, self._first) if self._pass is None else self._pass.position
        return {"format": FORMAT, **self._position(*position), "loader": self._all(facts)}

    def _of_ranks(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """What ranks compare, in the order in which a difference is reported: the number of inputs before their ids."""
        return {**self._position(self._epoch, self._first), **self.batching.facts, **self._all(facts)}

    def _position(self, epoch: int, batches: int) -> dict[str, int]:
        return {"seed": self.seed, "epoch": epoch, "batches": batches}

    def _all(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """All facts: those of the loader, and of the order of its batches."""
        return {**facts, **self.batching.facts, "share": self.share}

    def load(self, state: Any, facts: Mapping[str, Any]) -> None:
        """Continues at the position of a state.

        Raises:
            TypeError, ValueError: it is no state, or the state of another loader.
        """
        if not isinstance(state, Mapping) or not isinstance(state.get("loader", {}), Mapping):
            raise TypeError(f"state = {short(state)}: expected a dict that state_dict() returned")
        missing = [name for name in ("format", "seed", "epoch", "batches", "loader") if name not in state]
        for name in state:
            if not isinstance(name, str):
                raise TypeError(f"state has the key {short(name)}: expected a dict that state_dict() returned")
        for name in state.get("loader", {}):
            if not isinstance(name, str):
                raise TypeError(
                    f"state['loader'] has the key {short(name)}: expected a dict that state_dict() returned"
                )
        if missing:
            raise ValueError(f"state has no {missing[0]!r}: expected a dict that state_dict() returned")
        if type(state["format"]) is not int or state["format"] != FORMAT:
            raise ValueError(f"state['format'] = {short(state['format'])}: this version reads format {FORMAT}")
        own, other = self._all(facts), dict(state["loader"])
        differs = difference(own, other)
        if differs is not None:
            raise ValueError(
                f"state is of another loader: it has {fact(other, differs)}, and this loader has "
                f"{fact(own, differs)}; load it into a loader with the same graph and arguments"
            )
        seed = check_int("state['seed']", state["seed"], 0, rng.MASK)
        if self._fixed and seed != self.seed:
            raise ValueError(
                f"state is of another loader: it has seed = {seed}, and this loader has seed = {self.seed}; pass the "
                "seed of the state, or none to continue with it"
            )
        epoch = check_int("state['epoch']", state["epoch"], 0, LARGEST)
        total = self._total()
        first = check_int("state['batches']", state["batches"], 0, LARGEST if total is None else max(total - 1, 0))
        self.seed, self._epoch, self._first, self._pass = seed, epoch, first, None


class HandedOut(Iterator[T], Generic[T]):
    """Iterates over the batches of a pass, and counts those that it returns.

    Several threads may share it: each batch is returned once, in the order of the pass, and the end reaches all of
    them. Other attributes are those of the iterator that makes the batches.

    Raises:
        RuntimeError: by ``next`` in a forked child, if the parent began the iteration.
    """

    def __init__(self, batches: Iterator[T], pass_: Pass) -> None:
        self._batches, self._pass = batches, pass_
        self._turn, self._process = threading.Lock(), native.generation

    def __len__(self) -> int:
        if self._pass.rounds is None:
            raise TypeError("the number of batches is not known, as the batch sampler has no length")
        return self._pass.rounds

    def __next__(self) -> T:
        if self._process != native.generation:
            refuse_process()
        with self._turn:
            self._pass.requested = True
            try:
                one = next(self._batches)
            except StopIteration:
                self._pass.end()
                raise
            self._pass.handed += 1
            return one

    def __getattr__(self, name: str) -> Any:
        if name == "_batches":
            raise AttributeError(name)
        return getattr(self._batches, name)
