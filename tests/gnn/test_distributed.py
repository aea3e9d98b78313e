"""All loaders in two processes of torch.distributed with gloo, as torchrun starts them: each has its part of the order,
states are alike, and processes that disagree are found."""

import os

import dgl
import pytest
import torch
from gonextdoor.dgl import DataLoader, PGSampler
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader
from pyg_data import flat
from ranks import of_ranks

import gonextdoor as gnd

BATCHES, HANDED = 11, 2


def loaders(**given):
    """One of each, with eleven batches an epoch."""
    data = flat()
    ends = data.edge_index[0].numpy(), data.edge_index[1].numpy()
    given = {"batch_size": 9, "shuffle": True, **given}
    seed = given.pop("seed", 3)
    return {
        "nodes": NeighborLoader(data, [4, 3], torch.arange(97), seed=seed, **given),
        "links": LinkNeighborLoader(
            data, [4], data.edge_index[:, :97], neg_sampling="binary", seed=seed, num_workers=1, **given
        ),
        "dgl": DataLoader(dgl.graph(ends), torch.arange(97), PGSampler([4, 3], seed=seed), **given),
        "plain": gnd.loader(gnd.Graph.from_edges(*ends), [4, 3], range(97), seed=seed, **given),
    }


def shown(batches):
    """What decides a batch, as lists."""
    found = []
    for batch in batches:
        if isinstance(batch, gnd.NeighborBatch):
            parts = batch.split(batch.arena)
            found.append([parts.nodes[0].tolist(), parts.edges[0].tolist()])
        elif isinstance(batch, (list, tuple)):
            inputs, outputs, blocks = batch
            found.append([inputs.tolist(), outputs.tolist(), *(block.edata[dgl.EID].tolist() for block in blocks)])
        else:
            found.append([batch.n_id.tolist(), batch.e_id.tolist(), batch.input_id.tolist()])
    return found


def epochs(loader):
    """Two epochs, the second of which is interrupted and continued in another loader; and what the loader says."""
    first = shown(loader)
    iterator = iter(loader)
    second = shown(next(iterator) for _ in range(HANDED))
    state = loader.state_dict()
    rest = shown(iterator)
    loader.load_state_dict(state)
    assert shown(loader) == rest
    return len(loader), first, second + rest, state


def disagreeing(rank, name):
    """What each loader says if the processes pass different values."""
    values = {"seed": (3, 4), "batch_size": (9, 10), "even": ("wrap", "drop"), "epoch": (0, 5)}[name]
    texts = {}
    for kind, loader in loaders(**({} if name == "epoch" else {name: values[rank]})).items():
        if name == "epoch":
            loader.set_epoch(values[rank])
        try:
            iter(loader)
            texts[kind] = "nothing"
        except ValueError as why:
            texts[kind] = str(why)
    return texts


PROGRAM = """
import test_distributed as of
names = ("seed", "batch_size", "even", "epoch")
uneven = of.loaders(even="error")["plain"]
try:
    len(uneven)
    text = "nothing"
except ValueError as why:
    text = str(why)
alone = of.shown(of.loaders(world=1)["plain"]) if rank == 0 else None  # that the other process does not take part in
result = (
    {kind: of.epochs(loader) for kind, loader in of.loaders().items()},
    {name: of.disagreeing(rank, name) for name in names},
    text,
    alone,
)
"""


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    return of_ranks(PROGRAM, tmp_path_factory.mktemp("ranks"))


@pytest.mark.parametrize("kind", ["nodes", "links", "dgl", "plain"])
def test_ranks_together_have_the_batches_of_one_process(ranks, kind):
    loader = loaders()[kind]
    wanted = [shown(loader) for _ in range(2)]
    assert len(wanted[0]) == BATCHES
    for rank, (found, *_) in enumerate(ranks):
        length, *both, state = found[kind]
        assert length == 6
        for epoch, part in enumerate(both):
            assert part == [*wanted[epoch], wanted[epoch][0]][rank::2]
        assert (state["epoch"], state["batches"]) == (1, 2 * HANDED)
        loader.load_state_dict(state)
        assert shown(loader) == wanted[1][2 * HANDED :], "one process continues the epoch of two"
    assert ranks[0][0][kind][-1] == ranks[1][0][kind][-1], "ranks have one state"


@pytest.mark.parametrize("kind", ["nodes", "links", "dgl", "plain"])
def test_processes_that_disagree(ranks, kind):
    for _, texts, _, _ in ranks:
        assert "seed = 3 in process 0 of torch.distributed, but 4 in process 1: pass" in texts["seed"][kind]
        assert "batch_size = 9 in process 0 of torch.distributed, but 10 in" in texts["batch_size"][kind]
        assert "even = 'wrap' in process 0 of torch.distributed, but 'drop' in process 1" in texts["even"][kind]
        assert "epoch = 0 in process 0 of torch.distributed, but 5 in process 1: call set_epoch" in texts["epoch"][kind]


def test_uneven_ranks_and_a_process_alone(ranks):
    for _, _, text, _ in ranks:
        assert "11 batches cannot be divided evenly among 2 ranks" in text
    assert ranks[0][3] == shown(loaders()["plain"])


def test_environment_is_that_of_torchrun():
    """The parent is no rank."""
    assert "LOCAL_RANK" not in os.environ and not torch.distributed.is_initialized()
