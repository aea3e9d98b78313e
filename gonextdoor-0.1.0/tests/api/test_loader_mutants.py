"""The tests of gnd.loader detect faults in orders, ranks and states of loaders; docs/results/mutants lists them.

A mutant is a copy of neighbor/order.py or neighbor/ranks.py in which one piece of text is replaced.
"""

from __future__ import annotations

import csv
import importlib
import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import test_loader as tests
import test_loader_ranks as in_ranks

ROOT = Path(__file__).resolve().parents[2]


class Mutant(NamedTuple):
    """A fault: text of a module, and what it is replaced by."""

    module: str
    old: str
    new: str


def own_seeds_differ() -> None:
    """Whether batches that share draws have seeds for their negative links."""
    order = tests.made(share=3)._order
    named = list(order.named(order.begin(dict)))
    assert len({batch.own_seed for batch in named}) == len(named) == 10
    assert [batch.number for batch in named] == list(range(10))


def ranks_compare(name: str, value: Any) -> None:
    """Whether ranks find a fact that differs."""
    with pytest.MonkeyPatch.context() as patch:
        in_ranks.test_processes_that_disagree(
            patch, name, value, rf"{name} = {value} in process 0 .*, but \d+ in process 1"
        )


def a_rank_alone() -> None:
    with pytest.MonkeyPatch.context() as patch:
        in_ranks.test_without_division_a_loader_calls_no_other_process(patch)


CHECKS: dict[str, Callable[[], None]] = {
    "batches": lambda: tests.test_batches_are_those_of_the_sampler({"shuffle": True}, 1),
    "last batch": lambda: tests.test_batches_are_those_of_the_sampler({"batch_size": 7, "drop_last": True}, 1),
    "shared batches": lambda: tests.test_batches_are_those_of_the_sampler({}, 3),
    "negatives": own_seeds_differ,
    "a long order": tests.test_a_long_order,
    "ranks": lambda: tests.test_ranks_together_have_the_batches_of_one_process(3, "wrap", False),
    "dropped rounds": lambda: tests.test_ranks_together_have_the_batches_of_one_process(3, "drop", False),
    "resuming": lambda: tests.test_resuming_at_every_batch("wrap", 2, 3),
    "set_epoch": tests.test_set_epoch_keeps_the_position_of_a_state_in_that_epoch,
    "interrupted epochs": tests.test_a_loop_that_ends_early_is_followed_by_the_next_epoch,
    "facts of ranks": lambda: ranks_compare("num_edges", 8),
    "epochs of ranks": lambda: ranks_compare("epoch", 3),
    "no division": a_rank_alone,
    "iterations without a batch": tests.test_an_iteration_that_requests_no_batch_does_not_count,
}

MUTANTS = {
    "consecutive batches do not share draws": Mutant("order", "number // self.share", "number"),
    "groups of shared batches begin one batch early": Mutant(
        "order", "number // self.share", "(number + 1) // self.share"
    ),
    "shared batches have the same negative links": Mutant(
        "order", "own = rng.word(seeds, number)", "own = rng.word(seeds, number // self.share)"
    ),
    "all epochs have one order": Mutant(
        "order", "rng.stream(seed, rng.ORDER), epoch)", "rng.stream(seed, rng.ORDER), 0)"
    ),
    "all epochs have the same draws": Mutant(
        "order", "rng.stream(pass_.seed, rng.SEEDS), pass_.epoch)", "rng.stream(pass_.seed, rng.SEEDS), 0)"
    ),
    "the order has the words of the draws": Mutant("order", "rng.ORDER", "rng.SEEDS"),
    "the order keeps the low bits of words": Mutant(
        "order", "words_of(key, len(part), begin) & ~bits", "words_of(key, len(part), begin)"
    ),
    "pieces of the order have the same words": Mutant("order", "len(part), begin)", "len(part), 0)"),
    "an incomplete batch is kept": Mutant("order", "self.count // self.batch_size if self.drop_last else ", ""),
    "a rank takes consecutive batches": Mutant(
        "order",
        "range(begin, begin + self.rounds * self.world, self.world)",
        "range(self.rank * self.rounds, (self.rank + 1) * self.rounds)",
    ),
    "the last rank repeats the last batch": Mutant("order", "(at % total for", "(min(at, total - 1) for"),
    "ranks wrap to the position that was resumed": Mutant(
        "order", "(at % total for", "(at if at < total else self.first + at - total for"
    ),
    "a state counts the batches of one rank": Mutant(
        "order", "self.first + self.handed * self.world", "self.first + self.handed"
    ),
    "a state counts from the position that was resumed": Mutant(
        "order", "self.first + self.handed * self.world", "self.handed * self.world"
    ),
    "the state after the last batch repeats the epoch": Mutant(
        "order", "return self.epoch + 1, 0", "return self.epoch, 0"
    ),
    "an epoch is repeated": Mutant("order", "self._first = self._epoch + 1, 0", "self._first = self._epoch, 0"),
    "the next epoch begins at the position that was resumed": Mutant(
        "order", "self._epoch, self._first = self._epoch + 1, 0", "self._epoch += 1"
    ),
    "an iteration without a batch counts": Mutant("order", "not self._pass.requested", "False"),
    "set_epoch forgets a position": Mutant("order", "if epoch != self._epoch:", "if True:"),
    "set_epoch keeps a position in another epoch": Mutant("order", "if epoch != self._epoch:", "if False:"),
    "a state does not have its seed": Mutant("order", "= seed, epoch, first, None", "= self.seed, epoch, first, None"),
    "a batch counts twice": Mutant("order", "self._pass.handed += 1", "self._pass.handed += 2"),
    "ranks do not wrap": Mutant("ranks", 'bool(left and self.even == "wrap")', "0"),
    "an incomplete round is not dropped": Mutant("ranks", 'bool(left and self.even == "wrap")', "bool(left)"),
    "ranks do not compare the facts of the loader": Mutant(
        "order", "**self.batching.facts, **self._all(facts)}", "**self.batching.facts}"
    ),
    "ranks do not compare their positions": Mutant(
        "order", "{**self._position(self._epoch, self._first), **self.batching", "{**self.batching"
    ),
    "ranks divide without being asked": Mutant("ranks", "None if divide else (0, 1)", "None"),
}


def changed(monkeypatch: pytest.MonkeyPatch, mutant: Mutant | None) -> None:
    """Makes loaders with a copy of the modules, in which the text of the mutant is replaced."""
    import gonextdoor.neighbor.loader
    import gonextdoor.neighbor.pipelined

    users = {"HandedOut": gonextdoor.neighbor.pipelined}  # of all others: the loader
    for name in ("ranks", "order"):
        original = importlib.import_module(f"gonextdoor.neighbor.{name}")
        source = inspect.getsource(original)
        if mutant is not None and mutant.module == name:
            assert mutant.old in source, f"{name}.py has no {mutant.old!r}"
            source = source.replace(mutant.old, mutant.new)
        copy = types.ModuleType(original.__name__)
        copy.__package__ = original.__package__
        exec(compile(source, f"{name}.py", "exec"), vars(copy))
        for part in ("BatchOrder", "HandedOut", "Positions") if name == "order" else ("Ranks",):
            monkeypatch.setattr(users.get(part, gonextdoor.neighbor.loader), part, getattr(copy, part))


def killed_by() -> str | None:
    """The first check that fails by an assertion or an error."""
    for name, check in CHECKS.items():
        try:
            check()
        except Exception:  # noqa: PERF203
            return name
    return None


def test_a_copy_without_a_fault_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, None)
    for check in CHECKS.values():
        check()


def listed() -> dict[str, str]:
    """The check that kills each mutant, as the results have it."""
    with (ROOT / "docs/results/mutants/loaders.csv").open(encoding="utf-8") as file:
        return {row["mutant"].removeprefix("Loader: "): row["killed by"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_killed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    changed(monkeypatch, MUTANTS[name])
    assert killed_by() == listed()[name]


def test_every_mutant_is_listed() -> None:
    assert list(listed()) == list(MUTANTS)
