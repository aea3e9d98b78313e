"""PGSampler in DGL's DataLoader: workers of every kind, edge prediction, prefetched features, a model that learns."""

import copy
import os
import pickle

import dgl
import pytest
import torch
from dgl.nn import HeteroGraphConv, SAGEConv
from dgl_blocks import check_blocks, edges_of
from gonextdoor.dgl import PGSampler, graphs
from torch.nn import functional

FORKED = {"num_workers": 2, "multiprocessing_context": "fork"}


def batches(loader):
    """All batches of a pass; loaders with workers want to be exhausted."""
    return list(loader)


def named(epoch):
    """A pass's batches by their vertices, with all of their edges."""
    return {tuple(outputs.tolist()): [edges_of(block) for block in blocks] for _, outputs, blocks in epoch}


def loader(g, sampler, workers, **options):
    ids = torch.arange(0, 1500, dtype=g.idtype)
    return dgl.dataloading.DataLoader(g, ids, sampler, batch_size=200, **workers, **options)


class Handed(PGSampler):
    """One that converts no graph after the first process has done so."""

    maker = None

    def sample_blocks(self, g, seed_nodes, exclude_eids=None):
        if self.maker != os.getpid():
            assert any(there is g for there, _ in graphs.kept(self._view))
        return super().sample_blocks(g, seed_nodes, exclude_eids)


def test_batches_do_not_depend_on_workers(edges, workers):
    """Nor does the conversion of the graph, which is made once and handed to them."""
    g, sampler, alone = edges.dgl(), Handed([3, 4], prob="w", seed=9), PGSampler([3, 4], prob="w", seed=9)
    sampler.maker = os.getpid()
    sampler.set_epoch(1), alone.set_epoch(1)
    epoch = batches(loader(g, sampler, workers, drop_last=True))
    assert len(epoch) == 7
    for batch in epoch:
        check_blocks(g, batch, [3, 4])
    assert named(epoch) == named(batches(loader(g, alone, {"num_workers": 0}, drop_last=True)))


def test_a_graph_is_converted_before_workers_start(edges, monkeypatch):
    g, made, convert = edges.dgl().int(), [], graphs._convert
    monkeypatch.setattr(graphs, "_convert", lambda *given: made.append(os.getpid()) or convert(*given))
    sampler = dgl.dataloading.as_edge_prediction_sampler(PGSampler([2], seed=1))
    edge_loader = dgl.dataloading.DataLoader(g, torch.arange(100, dtype=torch.int32), sampler, batch_size=50, **FORKED)
    for _ in range(2):
        assert len(batches(edge_loader)) == 2
    assert made == [os.getpid()]


def test_a_second_pass_is_fresh(edges):
    g = edges.dgl()
    for workers in ({"num_workers": 0}, FORKED, {**FORKED, "persistent_workers": True}):
        batch_loader = loader(g, PGSampler([3], seed=9), workers)
        first, second = named(batches(batch_loader)), named(batches(batch_loader))
        assert first.keys() == second.keys()
        assert all(first[name] != second[name] for name in first)


@pytest.mark.parametrize("few", [{"num_workers": 0}, FORKED], ids=["no worker", "fork"])
@pytest.mark.parametrize("exclude", ["self", "reverse_id"])
def test_edge_prediction(edges, few, exclude):
    g = edges.dgl()
    back = dgl.graph((torch.cat([g.edges()[0], g.edges()[1]]), torch.cat([g.edges()[1], g.edges()[0]])))
    back.ndata["x"] = g.ndata["x"][: back.num_nodes()]
    count = g.num_edges()
    turned = torch.cat([torch.arange(count, 2 * count), torch.arange(count)])
    sampler = dgl.dataloading.as_edge_prediction_sampler(
        PGSampler([5, -1], prefetch_node_feats=["x"], seed=2),
        exclude=exclude,
        reverse_eids=turned if exclude == "reverse_id" else None,
        negative_sampler=dgl.dataloading.negative_sampler.Uniform(2),
    )
    edge_loader = dgl.dataloading.DataLoader(back, torch.arange(500), sampler, batch_size=100, shuffle=True, **few)
    for inputs, positive, negative, blocks in batches(edge_loader):
        out = positive.edata[dgl.EID]
        gone = out if exclude == "self" else torch.cat([out, turned[out]])
        check_blocks(back, (inputs, positive.ndata[dgl.NID], blocks), [5, -1], without=gone.tolist())
        assert negative.num_edges() == 2 * positive.num_edges() == 200
        assert torch.equal(blocks[0].srcdata["x"], back.ndata["x"][inputs])


def test_edge_prediction_with_a_compiled_step(edges):
    """torch.compile cannot trace DGL's graphs, but a step on the tensors of their blocks."""
    g = edges.dgl()
    sampler = dgl.dataloading.as_edge_prediction_sampler(PGSampler([4], seed=2), exclude="self")

    def step(x, src, dst):
        return torch.zeros(len(x), x.shape[1]).index_add(0, dst, x[src])

    compiled = torch.compile(step, backend="eager", dynamic=True)
    for _, positive, blocks in dgl.dataloading.DataLoader(g, torch.arange(300), sampler, batch_size=100):
        given = blocks[0].srcdata["x"], *blocks[0].edges()
        assert not set(blocks[0].edata[dgl.EID].tolist()) & set(positive.edata[dgl.EID].tolist())
        assert torch.equal(compiled(*given), step(*given))


def test_edge_prediction_by_types(typed_edges):
    g = typed_edges.dgl()
    sampler = dgl.dataloading.as_edge_prediction_sampler(
        PGSampler([4, -1], seed=2),
        exclude="reverse_types",
        reverse_etypes={"buys": "bought_by", "bought_by": "buys"},
        negative_sampler=dgl.dataloading.negative_sampler.Uniform(1),
    )
    ids = {"buys": torch.arange(300)}
    for workers in ({"num_workers": 0}, FORKED):
        edge_loader = dgl.dataloading.DataLoader(g, ids, sampler, batch_size=100, **workers)
        for inputs, positive, _, blocks in batches(edge_loader):
            check_blocks(g, (inputs, positive.ndata[dgl.NID], blocks))
            out = set(positive.edges["buys"].data[dgl.EID].tolist())
            for block in blocks:
                for name in ("buys", "bought_by"):
                    assert not out & set(block.edges[name].data[dgl.EID].tolist())


def test_typed_batches_in_workers(typed_edges):
    g = typed_edges.dgl()
    ids = {ntype: torch.arange(150) for ntype in g.ntypes}
    sampler = PGSampler([{"buys": 2, "bought_by": 3, "follows": -1}] * 2, prefetch_node_feats={"user": ["x"]}, seed=2)
    for workers in ({"num_workers": 0}, FORKED):
        for batch in batches(dgl.dataloading.DataLoader(g, ids, sampler, batch_size=64, shuffle=True, **workers)):
            check_blocks(g, batch)
            x = batch[2][0].srcnodes["user"].data["x"]
            assert torch.equal(x, g.nodes["user"].data["x"][batch[0]["user"]])


@pytest.mark.parametrize("prefetch", [False, True])
@pytest.mark.parametrize("few", [{"num_workers": 0}, FORKED], ids=["no worker", "fork"])
def test_features(edges, few, prefetch):
    g = edges.dgl()
    wanted = {"prefetch_node_feats": ["x"], "prefetch_labels": ["y"], "prefetch_edge_feats": ["w"]} if prefetch else {}
    for inputs, outputs, blocks in batches(loader(g, PGSampler([3, 3], **wanted), few)):
        assert torch.equal(blocks[0].srcdata["x"], g.ndata["x"][inputs])
        assert torch.equal(blocks[-1].dstdata["y"], g.ndata["y"][outputs])
        for block in blocks:
            assert torch.equal(block.edata["w"], g.edata["w"][block.edata[dgl.EID]])


class SAGE(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.layers = torch.nn.ModuleList([SAGEConv(features, 32, "mean"), SAGEConv(32, 4, "mean")])

    def forward(self, blocks, x):
        return self.layers[1](blocks[1], functional.relu(self.layers[0](blocks[0], x)))


@pytest.mark.parametrize("few", [{"num_workers": 0}, FORKED], ids=["no worker", "fork"])
def test_a_model_learns(edges, few):
    torch.manual_seed(0)
    g, losses = edges.dgl(), []
    model = SAGE(g.ndata["x"].shape[1])
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    sampler = PGSampler([10, 5], prefetch_node_feats=["x"], prefetch_labels=["y"], seed=1)
    for _ in range(3):
        for _, _, blocks in batches(loader(g, sampler, few, shuffle=True)):
            loss = functional.cross_entropy(model(blocks, blocks[0].srcdata["x"]), blocks[-1].dstdata["y"])
            optimizer.zero_grad(), loss.backward(), optimizer.step()
            losses.append(loss.item())
    assert sum(losses[-3:]) < 0.75 * sum(losses[:3])


def test_a_graph_that_changes_between_passes(edges):
    g = edges.dgl()
    for workers in ({"num_workers": 0}, FORKED):
        batch_loader = loader(g, PGSampler([-1]), workers)
        for _ in range(2):
            taken = sum(blocks[0].num_edges() for _, _, blocks in batches(batch_loader))
            assert taken == g.in_degrees(torch.arange(1500)).sum()
            g.add_edges(torch.arange(100), torch.arange(100), {"w": torch.ones(100)})


def test_layers_over_types_and_what_else_dgl_does_with_blocks(typed_edges):
    g = typed_edges.dgl()
    convolution = HeteroGraphConv({name: SAGEConv(8, 8, "mean") for name in g.etypes})
    _, _, blocks = PGSampler([3, 2], seed=1).sample(g, {"user": torch.arange(20), "item": torch.arange(5)})
    x = blocks[0].srcdata["x"]
    for block in blocks:
        x = convolution(block, x)
    assert x["user"].shape == (20, 8) and x["item"].shape == (5, 8)
    block = blocks[0]
    for same in (block.to("cpu"), block.local_var(), copy.copy(block), pickle.loads(pickle.dumps(block)), block.long()):
        assert edges_of(same, ("user", "buys", "item")) == edges_of(block, ("user", "buys", "item"))
    assert dgl.block_to_graph(block).num_edges() == block.num_edges()
    assert block.formats("csr").num_edges("buys") == block.num_edges("buys")


def test_an_unknown_argument_is_an_error_of_dgl():
    with pytest.raises(dgl.DGLError, match=r"PGSampler got .* 'fan_out': did you mean fanouts="):
        PGSampler([3], fan_out=3)


def test_an_error_in_a_worker_says_what_it_is(edges):
    g = edges.dgl()
    bad = dgl.dataloading.DataLoader(g, torch.tensor([1, 10**9]), PGSampler([2]), batch_size=2, **FORKED)
    with pytest.raises(IndexError, match="seed_nodes\\[1\\] = 1000000000"):
        batches(bad)
