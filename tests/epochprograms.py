"""Random epochs of any loader, compared batch by batch: whole and interrupted ones, states, ranks, other epochs."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from batchorder import Position

SEEDS = [0, 1, (1 << 63) + 5, (1 << 64) - 1]


class Ended(Exception):
    """A program ended by an error that the reference predicts."""


def run(number: int, kinds: dict[Callable[[random.Random], None], int]) -> None:
    """Runs a program, which is a function of its number.

    Args:
        kinds: the kinds of programs, with their weights.

    Raises:
        AssertionError: a result differs from the reference; the text has the number of the program.
    """
    draws = random.Random(number)
    (kind,) = draws.choices([*kinds], [*kinds.values()])
    try:
        with contextlib.suppress(Ended):
            kind(draws)
    except Exception as why:
        raise AssertionError(f"program {number} ({kind.__name__}): {type(why).__name__}: {why}") from why


def first_failure(kinds: dict[Callable[[random.Random], None], int]) -> int | None:
    """The first of 400 programs that fails; None: all pass."""

    def fails(number: int) -> bool:
        try:
            run(number, kinds)
        except AssertionError:
            return True
        return False

    return next(filter(fails, range(400)), None)


class Program(Protocol):
    """A loader with its reference.

    Attributes:
        count, batch_size, same: the number of seeds, and the arguments that all loaders of the program have in common.
    """

    count: int
    batch_size: int
    same: dict[str, Any]

    def made(self, draws: random.Random, at: Position) -> Any:
        """A loader of a rank, with random numbers of threads and of batches in advance."""

    def check(self, batch: Any, at: Position, number: int) -> None:
        """Compares a batch of the epoch with the reference."""

    def refusal(self, at: Position, number: int) -> str | None:
        """The begin of the error that the batch raises; None: it raises none."""


def same(found: Any, wanted: Any, name: str) -> None:
    """Compares nested lists and dicts, and names the first part that differs."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), f"{name}: {[*found]}, expected {[*wanted]}"
        for key, value in wanted.items():
            same(found[key], value, f"{name}.{key}")
        return
    assert found == wanted, f"{name} = {str(found)[:400]}, expected {str(wanted)[:400]}"


def random_seed(draws: random.Random) -> int:
    return draws.choice(SEEDS) if draws.random() < 0.2 else draws.getrandbits(64)


def random_position(draws: random.Random, program: Program) -> Position:
    world = draws.choice([1, 1, 2, 3, 7])
    even = draws.choices(["wrap", "drop", "error"], [5, 3, 1])[0]
    rank = draws.randrange(world)
    given = {"seed": random_seed(draws), "rank": rank, "world": world, "even": even}
    return Position(program.count, program.batch_size, **program.same, **given)


def epochs(draws: random.Random, program: Program) -> None:
    """Runs some epochs of a loader, each whole or in part, and continues from states in other loaders.

    Raises:
        Ended: a batch raised the error that the reference predicts.
    """
    at = random_position(draws, program)
    loader = program.made(draws, at)
    for _ in range(draws.randint(1, 5)):
        if at.uneven():
            refused(lambda: len(loader), "error")  # noqa: B023
        else:
            assert len(loader) == len(at.numbers(0))
        if at.uneven(at.first):
            refused(lambda: iter(loader), "error")  # noqa: B023
            return
        step = draws.choice([whole, part, two, looks, jumps])
        epoch, batches = step(draws, program, loader, at)
        state = loader.state_dict()
        found, wanted = (state["seed"], state["epoch"], state["batches"]), (at.seed, epoch, batches)
        assert found == wanted, f"state after {step.__name__}: {found}, expected {wanted}"
        if draws.random() < 0.5:
            seed, at = at.seed, random_position(draws, program)
            if at.seed != seed:
                refused(lambda: program.made(draws, at).load_state_dict(state), "seed = ")  # noqa: B023
            at.seed = draws.choice([seed, None])
            loader = program.made(draws, at)
            loader.load_state_dict(json.loads(json.dumps(state)))
            assert loader.state_dict() == state
            at.seed, at.epoch, at.first = seed, epoch, batches
            if draws.random() < 0.3:
                loader.set_epoch(epoch)


def refused(call: Callable[[], Any], text: str) -> None:
    try:
        call()
    except ValueError as why:
        assert text in str(why), why
    else:
        raise AssertionError(f"no error about {text}")


def taken(program: Program, epoch: Iterator[Any], at: Position, numbers: list[int]) -> None:
    for number in numbers:
        refusal = program.refusal(at, number)
        if refusal is not None:
            refused(lambda: next(epoch), f"batch {number} of epoch {at.epoch}: {refusal}")
            raise Ended
        program.check(next(epoch), at, number)


def ended(epoch: Iterator[Any]) -> None:
    assert next(epoch, None) is None, "more batches than an epoch has"


# Each step sets the position of the next iteration, and returns the epoch and the batches of the state.


def whole(draws: random.Random, program: Program, loader: Any, at: Position) -> tuple[int, int]:
    """An epoch, or what a state left of it."""
    epoch, numbers = iter(loader), at.numbers()
    assert len(epoch) == len(numbers)
    taken(program, epoch, at, numbers)
    ended(epoch)
    at.epoch, at.first = at.epoch + 1, 0
    return at.epoch, 0


def part(draws: random.Random, program: Program, loader: Any, at: Position) -> tuple[int, int]:
    """Some batches of an epoch. The next iteration is the next epoch."""
    numbers, epoch = at.numbers(), iter(loader)
    handed = draws.randint(min(1, len(numbers)), len(numbers))
    taken(program, epoch, at, numbers[:handed])
    if not numbers:
        ended(epoch)
    state = at.after(handed)
    at.epoch, at.first = at.epoch + 1, 0
    return state


def two(draws: random.Random, program: Program, loader: Any, at: Position) -> tuple[int, int]:
    """Two epochs at once. The state is that of the second."""
    begun, numbers, first = at.epoch, at.numbers(), iter(loader)
    taken(program, first, at, numbers[:1])
    if not numbers:
        ended(first)
    state, at.epoch, at.first = at.after(min(1, len(numbers))), begun + 1, 0
    if at.uneven():
        refused(lambda: iter(loader), "error")
        return state
    state = part(draws, program, loader, at)
    at.epoch, after = begun, at.epoch
    taken(program, first, at, numbers[1:])
    at.epoch = after
    ended(first)
    return state


def looks(draws: random.Random, program: Program, loader: Any, at: Position) -> tuple[int, int]:
    """Iterations that request no batch, which do not count."""
    for _ in range(draws.randint(1, 2)):
        iter(loader)
    return at.after(0)


def jumps(draws: random.Random, program: Program, loader: Any, at: Position) -> tuple[int, int]:
    """Another epoch, or the one that is next."""
    epoch = draws.choice([0, 1, 2, 9, at.epoch])
    loader.set_epoch(epoch)
    at.epoch, at.first = epoch, at.first if epoch == at.epoch else 0
    return at.epoch, at.first
