"""Random programs with loaders and samplers have the results that a reference in plain Python predicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import daily
import pytest
import samplerprograms
from epochprograms import first_failure, run
from gonextdoor.neighbor.batch import NeighborBatch, Parts
from loaderprograms import loading
from samplerprograms import blocks, drawing
from test_loader_mutants import MUTANTS, changed

PROGRAMS, CHUNK = 3000, 50
KINDS = {loading: 5, drawing: 3, blocks: 2}


@pytest.mark.parametrize("chunk", daily.share(range(PROGRAMS // CHUNK), 15))
def test_programs(chunk: int) -> None:
    for number in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        run(number, KINDS)


@pytest.mark.parametrize("chunk", daily.share(range(30), 28))
def test_programs_on_a_gpu(gpu: None, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(samplerprograms, "DEVICE", "cuda")
    for number in range(chunk * 10, (chunk + 1) * 10):
        run(number, {drawing: 3, blocks: 2})


# gnd.loader has no negative links, no program has as many vertices as a piece of the order, and all ranks of a program
# are in one process.
LEFT_OUT = {
    "shared batches have the same negative links",
    "pieces of the order have the same words",
    "ranks do not compare the facts of the loader",
    "ranks do not compare their positions",
    "ranks divide without being asked",
}


@pytest.mark.parametrize("name", daily.share([name for name in MUTANTS if name not in LEFT_OUT], 8))
def test_a_fault_in_the_order_of_batches_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    changed(monkeypatch, MUTANTS[name])
    assert first_failure(KINDS) is not None


def swapped(arrays: Any) -> Any:
    """The arrays, with the first two elements of one in the other order."""
    arrays = [array.copy() for array in arrays]
    for array in arrays:
        if len(array) > 1 and array[0] != array[1]:
            array[[0, 1]] = array[[1, 0]]
            break
    return arrays


FAULTS: dict[str, Callable[[Parts], Parts]] = {
    "nodes in another order": lambda parts: parts._replace(nodes=swapped(parts.nodes)),
    "edges in another order": lambda parts: parts._replace(row=swapped(parts.row), edges=swapped(parts.edges)),
    "another edge of the same vertices": lambda parts: parts._replace(
        edges=[ids ^ (len(ids) > 8) for ids in parts.edges]
    ),
    "trees from 1": lambda parts: parts._replace(trees=[trees + 1 for trees in parts.trees]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_batch_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    split = NeighborBatch.split
    monkeypatch.setattr(NeighborBatch, "split", lambda batch, arena: FAULTS[name](split(batch, arena)))
    assert first_failure(KINDS) is not None
