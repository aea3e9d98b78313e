"""Workers of loaders: a batch is the same whichever worker draws it, a worker that dies is an error, none is left."""

import gc
import multiprocessing
import os
import pathlib
import signal
import time

import daily
import dgl
import private_memory
import pytest
import torch
from gonextdoor.dgl import PGSampler
from gonextdoor.pyg import NeighborSampler
from torch_geometric.loader import LinkLoader, NodeLoader

BATCH, COUNT = 100, 700


def of_dgl(edges, workers, epoch, sampler=None, shuffle=False):
    """The edges of each batch of a DGL loader, by the batch's first vertex."""
    graph = edges.dgl()
    sampler = sampler or PGSampler([3, 4], seed=7)
    if epoch is not None:
        sampler.set_epoch(epoch)
    loader = dgl.dataloading.DataLoader(
        graph, torch.arange(COUNT), sampler, batch_size=BATCH, shuffle=shuffle, **workers
    )
    found = {}
    for inputs, outputs, blocks in loader:
        found[outputs[0].item()] = [inputs.tolist(), *(block.edata[dgl.EID].tolist() for block in blocks)]
    return found


def of_pyg(edges, workers, epoch, sampler=None, shuffle=False):
    """The same of a PyG loader of nodes."""
    data = edges.pyg()
    sampler = sampler or NeighborSampler(data, [4, 3], seed=7)
    if epoch is not None:
        sampler.set_epoch(epoch)
    loader = NodeLoader(data, sampler, input_nodes=torch.arange(COUNT), batch_size=BATCH, shuffle=shuffle, **workers)
    return {batch.n_id[0].item(): [batch.n_id.tolist(), batch.e_id.tolist()] for batch in loader}


def of_pyg_links(edges, workers, epoch, sampler=None, shuffle=False):
    """The same of a PyG loader of links, with negative ones."""
    data = edges.pyg()
    sampler = sampler or NeighborSampler(data, [4, 3], seed=7)
    if epoch is not None:
        sampler.set_epoch(epoch)
    loader = LinkLoader(
        data, sampler, data.edge_index[:, :COUNT], neg_sampling="binary", batch_size=BATCH, shuffle=shuffle, **workers
    )
    return {
        batch.input_id[0].item(): [batch.n_id.tolist(), batch.e_id.tolist(), batch.edge_label_index.tolist()]
        for batch in loader
    }


LOADERS = [of_dgl, of_pyg, of_pyg_links]


@pytest.fixture(scope="module", params=LOADERS, ids=lambda loader: loader.__name__)
def alone(request, edges):
    """A loader, its batches without workers in epochs 0 and 1, and its batches by two workers if no epoch is set."""
    load = request.param
    torch.manual_seed(5)
    unsaid = load(edges, {"num_workers": 2}, None)
    return load, [load(edges, {"num_workers": 0}, epoch) for epoch in (0, 1)], unsaid


def test_batches_are_those_of_no_worker(alone, edges, workers):
    load, want, _ = alone
    if load is of_pyg_links and workers.get("multiprocessing_context") in ("spawn", "forkserver"):
        pytest.skip("a worker takes seconds to import torch and DGL; links are sent there as nodes are")
    assert len(want[0]) == COUNT // BATCH
    assert load(edges, workers, 1) == want[1]


def test_epochs_differ(alone):
    _, want, unsaid = alone
    for first in want[0]:
        assert want[0][first] != want[1][first] != unsaid[first] != want[0][first]


@pytest.mark.parametrize("number", [1, 3])
def test_without_an_epoch_torch_s_seed_says_it(alone, edges, number):
    load, _, want = alone
    torch.manual_seed(5)
    assert load(edges, {"num_workers": number}, None) == want
    assert load(edges, {"num_workers": number}, None) != want  # torch draws another seed for the next pass


@pytest.mark.parametrize("load", LOADERS)
def test_a_sampler_s_own_second_pass_is_fresh(load, edges):
    data = edges.dgl() if load is of_dgl else edges.pyg()
    sampler = PGSampler([3, 4], seed=7) if load is of_dgl else NeighborSampler(data, [4, 3], seed=7)
    passes = [load(edges, {"num_workers": number}, None, sampler) for number in (0, 0, 2, 2)]
    for k, one in enumerate(passes):
        assert all(one[first] != other[first] for other in passes[:k] for first in one)


def test_workers_that_persist_draw_afresh(edges):
    data = edges.pyg()
    sampler = NeighborSampler(data, [4, 3], seed=7)
    loader = NodeLoader(data, sampler, torch.arange(300), batch_size=100, num_workers=2, persistent_workers=True)
    passes = [[batch.e_id.tolist() for batch in loader] for _ in range(3)]
    assert all(a != b for k, one in enumerate(passes) for other in passes[:k] for a, b in zip(one, other, strict=True))
    del loader


class Dying(NeighborSampler):
    """A sampler whose worker is killed at its second batch."""

    def sample_from_nodes(self, index, **how):
        if torch.utils.data.get_worker_info() is not None and 100 in index.node:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().sample_from_nodes(index, **how)


class DyingBlocks(PGSampler):
    def sample_blocks(self, g, seed_nodes, exclude_eids=None):
        if torch.utils.data.get_worker_info() is not None and 100 in seed_nodes:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().sample_blocks(g, seed_nodes, exclude_eids)


@pytest.mark.parametrize("method", daily.share(["fork", "spawn"], 2))
def test_a_worker_that_dies_is_an_error_of_pyg_s_loader(edges, method):
    data = edges.pyg()
    loader = NodeLoader(
        data, Dying(data, [4, 3], seed=7), torch.arange(400), batch_size=100, num_workers=2,
        multiprocessing_context=method,
    )  # fmt: skip
    began = time.monotonic()
    with pytest.raises(RuntimeError, match=r"worker.*(\d+).*(exited unexpectedly|Killed)"):
        list(loader)
    assert time.monotonic() - began < 60
    del loader


def test_a_worker_that_dies_is_an_error_of_dgl_s_loader(edges):
    loader = dgl.dataloading.DataLoader(
        edges.dgl(), torch.arange(400), DyingBlocks([3, 4], seed=7), batch_size=100, num_workers=2
    )  # fmt: skip
    began = time.monotonic()
    with pytest.raises(RuntimeError, match=r"worker.*(\d+).*(exited unexpectedly|Killed)"):
        list(loader)
    assert time.monotonic() - began < 60
    del loader


@pytest.fixture(autouse=True)
def nothing_left():
    """No worker, no zombie, no descriptor and no file of a graph outlives its loader."""
    yield
    gc.collect()
    end = time.monotonic() + 20
    while multiprocessing.active_children() and time.monotonic() < end:
        time.sleep(0.05)
    assert multiprocessing.active_children() == []
    assert zombies() == []
    assert not [name for name in os.listdir("/dev/shm") if "gonextdoor" in name]


def zombies():
    """The children of this process that ended and wait to be asked for their status."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state == "Z" and int(parent) == os.getpid():
                found.append(folder.name)
    return found


def test_a_spawned_worker_has_no_copy_of_the_graph(edges):
    def cost(count):
        sampler = NeighborSampler(type(edges)(vertices=1000, edges=count).pyg(), [4, 3], seed=7)
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=private_memory.drawing, args=(sampler.core_sampler(), there))
        process.start()
        assert here.poll(120)
        found = here.recv()
        process.join(30)
        return found

    small, large = cost(1000), cost(4_000_000)  # a copy has at least 8 bytes per edge
    assert large - small < 8_000_000
