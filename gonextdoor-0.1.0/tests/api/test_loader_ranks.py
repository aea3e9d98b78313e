"""gonextdoor.loader in several processes: which batches each has, and what the processes compare."""

from __future__ import annotations

import sys
import threading
import time
import types
from typing import Any

import pytest
from batchorder import round_robin
from gonextdoor.neighbor import ranks
from test_loader import all_of, epoch_of, made


class Group:
    """Stands for torch.distributed in a process, whose peers gather the given values."""

    def __init__(self, rank: int, world: int, peers: Any = None) -> None:
        self.rank, self.world, self.peers, self.calls = rank, world, peers, 0

    is_available = is_initialized = staticmethod(lambda: True)

    def get_rank(self) -> int:
        return self.rank

    def get_world_size(self) -> int:
        return self.world

    def all_gather_object(self, found: list[Any], own: Any) -> None:
        self.calls += 1
        found[:] = [own if peer == self.rank else self.peers(peer, own) for peer in range(self.world)]


def in_group(monkeypatch: pytest.MonkeyPatch, group: Group) -> None:
    torch = types.SimpleNamespace(distributed=group, device=str, cuda=types.SimpleNamespace(is_available=lambda: False))
    monkeypatch.setitem(sys.modules, "torch", torch)


def alike(peer: int, own: Any) -> Any:
    return peer, own[1]


def test_without_division_a_loader_calls_no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    group = Group(1, 2, lambda peer, own: pytest.fail("a collective call"))
    in_group(monkeypatch, group)
    for loader in (made(), made(world=1), made(rank=0, world=1), made(even="error")):
        assert len(loader) == 10
        loader.load_state_dict(loader.state_dict())
        assert [all_of(loader) for _ in range(2)] == [epoch_of(0), epoch_of(1)]
    assert group.calls == 0


def test_the_rank_is_read_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    loader, third = made(divide="ranks"), made(rank=2, world=3)
    assert len(loader) == 10, "one process without a group takes all"
    group = Group(1, 2, alike)
    in_group(monkeypatch, group)
    assert len(loader) == 5 and all_of(loader) == epoch_of(0)[1::2]
    assert all_of(loader) == epoch_of(1)[1::2]
    loader.load_state_dict(loader.state_dict())
    iter(loader)
    assert group.calls == 3, "ranks compare their facts whenever an epoch begins"
    assert all_of(third) == round_robin(epoch_of(0), 3, "wrap")[2] and group.calls == 4
    in_group(monkeypatch, alone := Group(0, 1, alike))
    assert len(list(loader)) == 10 and alone.calls == 0
    worker = types.SimpleNamespace(get_worker_info=lambda: "a worker")
    monkeypatch.setitem(sys.modules, "torch.utils.data", worker)
    in_group(monkeypatch, group)
    assert len(list(loader)) == 5 and group.calls == 4, "a worker of a DataLoader calls no process"


@pytest.mark.parametrize(
    "name, value, hint",
    [
        ("even", "drop", "even = 'drop' .* but 'wrap' in process 1: make the loader with the same arguments"),
        (
            "ids",
            8,
            "ids = 8 .*: pass the same input in the same order .* or leave out divide, and pass each process its",
        ),
        ("inputs", 99, "inputs = 99 .* but 100 in process 1: pass the same input"),
        ("num_edges", 8, "num_edges = 8 .*: make the loader with the same graph"),
        ("graph", 8, "graph = 8 .*: make the loader with the same graph"),
        ("fanouts", [[9]], r"fanouts = \[\[9\]\] .* but \[\[4\], \[3\]\] in process 1: make the loader"),
        ("method", "labor", "method = 'labor' in process 0 .* but no method in process 1: make the loader"),
        ("share", 3, "share = 3 .* but 1 in process 1"),
        ("seed", 8, "seed = 8 in process 0 .*, but 7 in process 1: pass the same seed"),
        ("world", 4, "world = 4 .* but 2 in process 1: pass the same world"),
        ("epoch", 3, "epoch = 3 .* but 0 in process 1: call set_epoch"),
        ("batches", 3, "batches = 3 .* but 0 in process 1: call load_state_dict"),
        ("batch_size", 20, "batch_size = 20 .* but 10 in process 1: make the loader with the same arguments"),
    ],
)
def test_processes_that_disagree(monkeypatch: pytest.MonkeyPatch, name: str, value: int, hint: str) -> None:
    in_group(monkeypatch, Group(1, 2, lambda peer, own: (peer, {**own[1], name: value})))
    loader = made(divide="ranks")
    with pytest.raises(ValueError, match=hint):
        iter(loader)
    with pytest.raises(ValueError, match=hint):
        iter(loader)  # not only the first time
    in_group(monkeypatch, Group(1, 2, alike))
    assert len(list(loader)) == 5


def test_processes_disagree_in_a_later_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    in_group(monkeypatch, Group(1, 2, lambda peer, own: (peer, {**own[1], "epoch": min(own[1]["epoch"], 1)})))
    loader = made(divide="ranks")
    assert [len(list(loader)) for _ in range(2)] == [5, 5]
    loader.set_epoch(9)
    with pytest.raises(ValueError, match=r"epoch = 1 in process 0 .* but 9 in process 1: call set_epoch"):
        iter(loader)


def test_a_process_that_waits_reports_it(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    loader, before = made(divide="ranks", prefetch=0), set(threading.enumerate())
    monkeypatch.setattr(ranks, "PATIENCE", 0.05)

    def late(peer: int, own: Any) -> Any:
        deadline = time.monotonic() + 20
        while not caplog.records and time.monotonic() < deadline:
            time.sleep(0.01)
        return peer, own[1]

    in_group(monkeypatch, Group(1, 2, late))
    assert all_of(loader) == epoch_of(0)[1::2]
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage().startswith("process 1 of 2 has waited 0.05 s for the others to begin an epoch: ")
    assert "Iterate over it in all of them, equally often; or leave out divide='ranks'" in record.getMessage()
    assert set(threading.enumerate()) <= before


def test_a_process_that_ended(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def gone(peer: int, own: Any) -> Any:
        raise RuntimeError("Connection closed by peer")

    in_group(monkeypatch, Group(1, 2, gone))
    with pytest.raises(
        RuntimeError, match=r"torch raised 'Connection closed by peer': .* leave out rank and world"
    ) as why:
        iter(made(rank=1, world=2))
    assert "process 1 of 2 waited" in str(why.value) and not caplog.records


def test_two_processes_with_one_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    in_group(monkeypatch, Group(1, 2, lambda peer, own: own))
    with pytest.raises(ValueError, match="rank = 0 in 2 of 2 processes: pass different ranks"):
        iter(made(rank=0, world=2))
    in_group(monkeypatch, Group(1, 4, lambda peer, own: (peer % 2, own[1])))
    assert len(list(made(rank=1, world=2))) == 5, "ranks of which each is several processes"
