"""LastNeighborLoader: the most recent neighbours, beside a queue per node and beside PyG's class."""

import collections

import numpy as np
import pytest
import torch
from gonextdoor.pyg import LastNeighborLoader
from torch_geometric.nn.models.tgn import LastNeighborLoader as Theirs


class Queues:
    """The last neighbours of each node, event by event, in plain Python."""

    def __init__(self, num_nodes, size):
        self.of, self.events = [collections.deque(maxlen=size) for _ in range(num_nodes)], 0

    def insert(self, src, dst):
        for u, v in zip(src, dst, strict=True):
            self.of[v].append((u, self.events))
            self.of[u].append((v, self.events))
            self.events += 1

    def __call__(self, nodes):
        edges = [(u, v, event) for v in nodes for u, event in reversed(self.of[v])]
        known = sorted({*nodes, *(u for u, _, _ in edges)})
        return (
            known,
            [[known.index(u) for u, _, _ in edges], [known.index(v) for _, v, _ in edges]],
            [e for *_, e in edges],
        )


def lists(found):
    return tuple(part.tolist() for part in found)


@pytest.mark.parametrize("size", [1, 2, 3, 10])
@pytest.mark.parametrize("nodes", [1, 4, 30])
def test_streams(nodes, size):
    """Calls have none to many events, so that a node may have more than there is room for in one call."""
    random = np.random.default_rng(size * 100 + nodes)
    recent, wanted = LastNeighborLoader(nodes, size), Queues(nodes, size)
    for step in range(60):
        src, dst = random.integers(0, nodes, (2, random.choice([0, 1, 2, 7, 40])))
        recent.insert(torch.from_numpy(src), torch.from_numpy(dst).to(random.choice([torch.int32, torch.int64])))
        wanted.insert(src.tolist(), dst.tolist())
        asked = random.integers(0, nodes, random.choice([0, 1, 5]))
        assert lists(recent(torch.from_numpy(asked))) == wanted(asked.tolist()) and recent.cur_e_id == wanted.events
        if step == 40:
            recent.reset_state()
            wanted = Queues(nodes, size)
            assert lists(recent(torch.arange(nodes))) == (list(range(nodes)), [[], []], [])


def test_as_pyg_if_each_call_has_one_event():
    random = np.random.default_rng(5)
    ours, theirs = LastNeighborLoader(20, 4), Theirs(20, 4)
    for _ in range(200):
        u, v = random.choice(20, 2, replace=False)
        for one in (ours, theirs):
            one.insert(torch.tensor([u]), torch.tensor([v]))
        asked = torch.from_numpy(random.choice(20, 6, replace=False))
        assert lists(ours(asked)) == lists(theirs(asked)) and ours.cur_e_id == theirs.cur_e_id


def test_a_training_loop_of_tgn():
    """The calls of PyG's example: look up, then insert; the edges are earlier events of their nodes."""
    random = np.random.default_rng(6)
    src, dst = torch.from_numpy(random.integers(0, 50, (2, 600)))
    recent = LastNeighborLoader(50, size=10)
    for begin in range(0, 600, 50):
        batch = slice(begin, begin + 50)
        n_id, edges, e_id = recent(torch.cat([src[batch], dst[batch]]).unique())
        assert not len(e_id) or int(e_id.max()) < begin
        ends, events = n_id[edges], torch.stack([src[e_id], dst[e_id]])
        assert torch.equal(ends.sort(0).values, events.sort(0).values)
        recent.insert(src[batch], dst[batch])


def test_refusals_change_nothing():
    recent = LastNeighborLoader(3, 2)
    recent.insert(torch.tensor([0]), torch.tensor([1]))
    known = lists(recent(torch.arange(3)))
    one = torch.tensor([1])
    for given, error, text in (
        ((one, torch.tensor([3])), IndexError, r"dst\[0\] = 3: there are 3 nodes"),
        ((torch.tensor([1, -1]), one), IndexError, r"src\[1\] = -1: there are 3 nodes"),
        ((one, torch.tensor([1, 2])), ValueError, "dst has 2 elements: expected 1, one per element of src"),
        ((one.view(1, 1), one), ValueError, r"src: expected shape \(n,\), got \(1, 1\)"),
        ((one * 0.5, one), TypeError, "src: expected a tensor of ints, got torch.float32"),
        ((one, [1]), TypeError, "dst: expected a tensor of ints, got list"),
    ):
        with pytest.raises(error, match=text):
            recent.insert(*given)
    with pytest.raises(IndexError, match=r"n_id\[0\] = 9"):
        recent(torch.tensor([9]))
    assert lists(recent(torch.arange(3))) == known and recent.cur_e_id == 1
    for given, error, text in (((3, 0), ValueError, "size = 0"), ((-1, 2), ValueError, "num_nodes = -1")):
        with pytest.raises(error, match=text):
            LastNeighborLoader(*given)
    with pytest.raises(TypeError, match=r"size = 1\.5"):
        LastNeighborLoader(3, 1.5)


def test_on_a_gpu():
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    random = np.random.default_rng(7)
    here, there = LastNeighborLoader(30, 4), LastNeighborLoader(30, 4, device="cuda")
    for _ in range(5):
        src, dst = torch.from_numpy(random.integers(0, 30, (2, 100)))
        here.insert(src, dst)
        there.insert(src.cuda(), dst.cuda())
    assert lists(here(torch.arange(30))) == lists(there(torch.arange(30).cuda()))
