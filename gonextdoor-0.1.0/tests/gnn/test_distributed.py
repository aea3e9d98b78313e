"""All loaders in two processes of torch.distributed with gloo, as torchrun starts them. By default each draws what it
was given, and waits for no other. With divide="ranks" each has its part of the order, states are equal, and processes
that disagree are found."""

import os
import time

import dgl
import pytest
import torch
from gonextdoor._core.log import logger
from gonextdoor.dgl import DataLoader, PGSampler
from gonextdoor.neighbor import ranks as ranks_of_loaders
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader
from pyg_data import flat
from ranks import of_ranks

import gonextdoor as gnd

BATCHES, HANDED = 11, 2


def loaders(part=slice(0, 97), fanout=4, other_edges=False, later_epoch=None, **given):
    """One of each, with eleven batches an epoch of all 97 inputs."""
    data = flat()
    if other_edges:
        data.edge_index = data.num_nodes - 1 - data.edge_index
    ends = data.edge_index[0].numpy(), data.edge_index[1].numpy()
    nodes, links = torch.arange(300)[part], data.edge_index[:, part]
    given = {"batch_size": 9, "shuffle": True, **given}
    seed = given.pop("seed", 3)
    hops = [fanout, 3]
    return {
        "nodes": NeighborLoader(data, hops, nodes, seed=seed, **given),
        "links": LinkNeighborLoader(data, hops[:1], links, neg_sampling="binary", seed=seed, num_workers=1, **given),
        "dgl": DataLoader(dgl.graph(ends), nodes, PGSampler(hops, seed=seed), **given),
        "plain": gnd.loader(gnd.Graph.from_edges(*ends), hops, nodes, seed=seed, **given),
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


FACTS = {  # what two processes pass, and what the error of both says
    "seed": ((3, 4), "seed = 3 in process 0 of torch.distributed, but 4 in process 1: pass"),
    "batch_size": ((9, 10), "batch_size = 9 in process 0 of torch.distributed, but 10 in process 1: make"),
    "even": (("wrap", "drop"), "even = 'wrap' in process 0 of torch.distributed, but 'drop' in process 1"),
    "share": ((1, 2), "share = 1 in process 0 of torch.distributed, but 2 in process 1"),
    "drop_last": ((False, True), "drop_last = False in process 0 of torch.distributed, but True in process 1"),
    "epoch": ((0, 5), "epoch = 0 in process 0 of torch.distributed, but 5 in process 1: call set_epoch"),
    "later_epoch": ((1, 5), "epoch = 1 in process 0 of torch.distributed, but 5 in process 1: call set_epoch"),
    "part": ((slice(0, 97), slice(97, 194)), "ids = "),
    "one": (
        (slice(0, 98), slice(0, 97)),
        "inputs = 98 in process 0 of torch.distributed, but 97 in process 1: pass",
    ),
    "fanout": ((4, 5), "fanouts = "),
    "other_edges": ((False, True), "graph = "),
}


def disagreeing(rank, name):
    """What each loader says if the processes pass different values."""
    value, texts = FACTS[name][0][rank], {}
    given = {"part" if name == "one" else name: value} if "epoch" not in name else {}
    for kind, loader in loaders(divide="ranks", **given).items():
        if name == "later_epoch":
            list(loader)
        if "epoch" in name:
            loader.set_epoch(value)
        try:
            iter(loader)
            texts[kind] = "nothing"
        except ValueError as why:
            texts[kind] = str(why)
    return texts


def late(rank):
    """What a process reports that waits for the other."""
    texts, ranks_of_loaders.PATIENCE = [], 0.2
    logger.addFilter(lambda record: texts.append(record.getMessage()) or False)
    if rank == 1:
        time.sleep(2)
    iter(loaders(divide="ranks")["plain"])
    return texts


PROGRAM = """
import test_distributed as of
torch.manual_seed(5)  # as PyG's programs do, in all processes
uneven = of.loaders(even="error", divide="ranks")["plain"]
try:
    len(uneven)
    text = "nothing"
except ValueError as why:
    text = str(why)
# Loaders that divide nothing wait for no other: only one process begins the first, each has its part of the second.
alone = {kind: of.shown(loader) for kind, loader in of.loaders().items()} if rank == 0 else {}
part = slice(rank * 50, rank * 50 + 50)
parts = {kind: [of.shown(loader), loader.state_dict()] for kind, loader in of.loaders(part=part).items()}
sampler = of.PGSampler([4, 3], seed=3)
ddp = of.DataLoader(of.graph(), torch.arange(97), sampler, batch_size=9, shuffle=True, use_ddp=True)
result = (
    {kind: of.epochs(loader) for kind, loader in of.loaders(divide="ranks").items()},
    {name: of.disagreeing(rank, name) for name in of.FACTS},
    text,
    alone,
    parts,
    of.shown(ddp),
    of.late(rank),
)
"""


def graph():
    """The graph of the loaders as one of DGL."""
    return dgl.graph(tuple(flat().edge_index))


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
def test_without_division_each_process_draws_what_it_was_given(ranks, kind):
    assert ranks[0][3][kind] == shown(loaders()[kind]), "process 1 did not begin this epoch"
    for rank, found in enumerate(ranks):
        batches, state = found[4][kind]
        loader = loaders(part=slice(rank * 50, rank * 50 + 50))[kind]
        assert batches == shown(loader) and state == loader.state_dict()


def test_use_ddp_divides_as_dgl_does(ranks):
    for found in ranks:
        assert found[5] == found[0]["dgl"][1]


@pytest.mark.parametrize("name", FACTS)
def test_processes_that_disagree(ranks, name):
    for found in ranks:
        for kind, text in found[1][name].items():
            assert text.startswith(FACTS[name][1]), kind
    assert ranks[0][1][name] == ranks[1][1][name]


def test_a_process_that_waits_reports_it(ranks):
    (text,), nothing = (found[6] for found in ranks)
    assert text.startswith("process 0 of 2 has waited 0.2 s for the others to begin an epoch: ") and nothing == []


def test_uneven_ranks(ranks):
    for found in ranks:
        assert "11 batches cannot be divided evenly among 2 ranks" in found[2]


def test_environment_is_that_of_torchrun():
    """The parent is no rank."""
    assert "LOCAL_RANK" not in os.environ and not torch.distributed.is_initialized()
