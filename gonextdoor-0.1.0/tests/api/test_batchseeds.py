"""Seeds of batches: what names a batch, and that no worker does. A stand-in for torch describes a worker."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import types

import numpy as np
import pytest
from gonextdoor.neighbor.seeds import BatchSeeds, name_of

from gonextdoor import rng


class Worker:
    """While it lasts, this process is a worker of a torch DataLoader."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.info: types.SimpleNamespace | None = None
        module = types.ModuleType("torch.utils.data")
        module.get_worker_info = lambda: self.info  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "torch.utils.data", module)

    def starts(self, id: int, base: int) -> None:
        self.info = types.SimpleNamespace(id=id, seed=base + id, num_workers=3)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Worker:
    return Worker(monkeypatch)


def contract_seed(seed: int, epoch: int, batch: int) -> int:
    return rng.word(rng.key(rng.stream(seed, rng.SEEDS), epoch), batch)


def slow_name(ids: list[int]) -> int:
    data = b"".join(id.to_bytes(8, "little", signed=True) for id in ids)
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def test_a_numbered_batch() -> None:
    seeds = BatchSeeds(7)
    assert seeds.batch_seed(3) == seeds.batch_seed(3, [1, 2]) == contract_seed(7, 0, 3)
    seeds.set_epoch(5)
    assert seeds.batch_seed(3) == contract_seed(7, 5, 3)
    assert seeds.epoch == 5


def test_a_name_is_that_of_the_ids_in_order() -> None:
    ids = [5, 3, 2**40, 0]
    assert name_of(ids) == name_of(np.array(ids, np.uint64)) == slow_name(ids)
    assert name_of(np.array([5, 3], np.int32)) == slow_name([5, 3])
    assert len({name_of(x) for x in ([1, 2], [2, 1], [1], [], {"a": [1, 2]}, {"b": [1, 2]}, {"a": [1], "b": [2]})}) == 7
    assert name_of(np.arange(10)[::2]) == name_of([0, 2, 4, 6, 8])


def test_calls_in_the_process_of_the_loader_are_fresh() -> None:
    seeds = BatchSeeds(7)
    assert [seeds.batch_seed(None, [1]) for _ in range(3)] == [contract_seed(7, 0, k) for k in range(3)]


def test_a_worker_s_batch_has_the_name_of_its_ids_and_the_pass(worker: Worker) -> None:
    found = []
    for base in (10**18, 10**18 + 1):
        for id in (0, 2):
            worker.starts(id, base)
            found.append(BatchSeeds(7).batch_seed(None, [4, 5]))
    assert found == [contract_seed(7, base, slow_name([4, 5])) for base in (10**18, 10**18 + 1) for _ in range(2)]


def test_an_epoch_that_was_said_goes_before_the_pass(worker: Worker) -> None:
    alone = BatchSeeds(7)
    alone.set_epoch(2)
    want = contract_seed(7, 2, slow_name([4, 5]))
    assert alone.batch_seed(None, [4, 5]) == want
    sent = pickle.loads(pickle.dumps(alone))
    worker.starts(1, 99)
    assert sent.batch_seed(None, [4, 5]) == contract_seed(7, 2, slow_name([4, 5]))


def test_a_batch_that_comes_again_is_fresh(worker: Worker) -> None:
    worker.starts(0, 99)
    seeds = BatchSeeds(7)
    first, other, second = seeds.batch_seed(None, [4]), seeds.batch_seed(None, [5]), seeds.batch_seed(None, [4])
    assert second == rng.word(rng.key(first, 1), 0)
    assert len({first, other, second}) == 3
    worker.starts(0, 100)  # another pass
    assert seeds.batch_seed(None, [4]) == contract_seed(7, 100, slow_name([4]))
    seeds.set_epoch(1)
    assert seeds.batch_seed(None, [4]) == contract_seed(7, 1, slow_name([4]))
    seeds.set_epoch(1)
    assert seeds.batch_seed(None, [4]) == contract_seed(7, 1, slow_name([4]))


def test_a_pickle_goes_on_where_it_was() -> None:
    seeds = BatchSeeds(7)
    seeds.batch_seed(None, [1])
    again = pickle.loads(pickle.dumps(seeds))
    assert again.batch_seed(None, [1]) == seeds.batch_seed(None, [1]) == contract_seed(7, 0, 1)


@pytest.mark.parametrize("given", [None, 7])
def test_other_processes_draw_their_own_where_no_seed_was_given(given: int | None, worker: Worker) -> None:
    seeds = BatchSeeds(given)
    seed = seeds.seed

    def in_child(base: int | None) -> int:
        read, write = os.pipe()
        if (pid := os.fork()) == 0:
            if base is not None:
                worker.starts(0, base)
            os.write(write, str((seeds.batch_seed(None, [1]), seeds.seed)[1]).encode())
            os._exit(0)
        os.waitpid(pid, 0)
        os.close(write)
        with open(read) as text:
            return int(text.read())

    found = [in_child(None), in_child(None), in_child(99)]
    assert found[2] == seed, "workers of one loader have one stream"
    assert len({seed, *found}) == (3 if given is None else 1)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: BatchSeeds(-1), ValueError, "seed = -1"),
        (lambda: BatchSeeds("x"), TypeError, "seed = 'x'"),  # type: ignore[arg-type]
        (lambda: BatchSeeds(1).set_epoch(-1), ValueError, "epoch = -1"),
        (lambda: BatchSeeds(1).set_epoch(1.5), TypeError, "epoch = 1.5"),  # type: ignore[arg-type]
        (lambda: name_of(None), TypeError, "ids = None"),
        (lambda: name_of([0.5]), TypeError, "ids: expected an array of ints"),
    ],
)
def test_refusals(call, kind, text) -> None:
    with pytest.raises(kind, match=text):
        call()
