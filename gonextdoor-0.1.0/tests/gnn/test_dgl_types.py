"""PGSampler on graphs of several types, against DGL's own sampler."""

import dgl
import numpy as np
import pytest
import torch
from dgl_blocks import alike, check_blocks, edges_of
from gonextdoor.dgl import PGSampler

import gonextdoor as gnd

SEEDS = {"user": torch.tensor([3, 17, 299]), "item": torch.tensor([0, 400, 17])}


@pytest.fixture(params=[torch.int64, torch.int32], ids=["int64", "int32"])
def g(request, typed_edges):
    graph = typed_edges.dgl()
    return graph if request.param == torch.int64 else graph.int()


def seeds_of(g, seeds=SEEDS):
    return {ntype: ids.to(g.idtype) for ntype, ids in seeds.items()}


@pytest.mark.parametrize("fanouts", [[4], [5, 3], [-1, 2]], ids=str)
@pytest.mark.parametrize("options", [{}, {"replace": True}, {"prob": "w"}], ids=str)
def test_what_holds_for_every_batch(g, fanouts, options):
    result = PGSampler(fanouts, seed=1, **options).sample(g, seeds_of(g))
    check_blocks(g, result, fanouts, options.get("replace", False))
    assert result[0].keys() == {"user", "item"}


def test_all_edges_are_what_dgl_gives(g):
    for ours, theirs in zip(
        PGSampler([-1, -1]).sample(g, seeds_of(g))[2],
        dgl.dataloading.NeighborSampler([-1, -1]).sample(g, seeds_of(g))[2],
        strict=True,
    ):
        assert ours.canonical_etypes == theirs.canonical_etypes
        for etype in g.canonical_etypes:
            assert edges_of(ours, etype) == edges_of(theirs, etype)
        for ntype in g.ntypes:
            there = theirs.srcnodes[ntype].data[dgl.NID].tolist()
            assert set(ours.srcnodes[ntype].data[dgl.NID].tolist()) == set(there)


def test_seeds_of_one_type_alone(g):
    for seeds in ({"item": torch.tensor([5, 6])}, {"item": torch.tensor([5, 6]), "user": torch.tensor([]).long()}):
        result = PGSampler([3, 2], seed=1).sample(g, seeds_of(g, seeds))
        check_blocks(g, result, [3, 2])
        assert result[2][-1].num_dst_nodes("user") == 0


def test_fanouts_by_edge_type(g):
    fanouts = {"buys": 2, ("item", "bought_by", "user"): -1, "follows": 0}
    inputs, outputs, blocks = PGSampler([fanouts] * 2, seed=1).sample(g, seeds_of(g))
    check_blocks(g, (inputs, outputs, blocks))
    for block in blocks:
        users = block.dstnodes["user"].data[dgl.NID]
        items = block.dstnodes["item"].data[dgl.NID]
        assert torch.equal(block.in_degrees(etype="bought_by"), g.in_degrees(users, etype="bought_by"))
        assert torch.equal(block.in_degrees(etype="buys"), g.in_degrees(items, etype="buys").clamp(max=2))
        assert block.num_edges("follows") == 0


def test_weights_of_some_edge_types_alone(typed_edges):
    g = typed_edges.dgl()
    g.edges["buys"].data["p"] = (torch.arange(g.num_edges("buys")) % 2).float()
    _, _, blocks = PGSampler([3], prob="p", seed=1).sample(g, SEEDS)
    assert (blocks[0].edges["buys"].data[dgl.EID] % 2 == 1).all()
    users = blocks[0].dstnodes["user"].data[dgl.NID]
    assert torch.equal(blocks[0].in_degrees(etype="follows"), g.in_degrees(users, etype="follows").clamp(max=3))


def test_counts_of_edges_are_distributed_as_dgl_s(typed_edges):
    g = typed_edges.dgl()
    seeds = {"user": (g.in_degrees(etype="bought_by") == 10).nonzero()[0]}
    counts = {etype: np.zeros((2, g.num_edges(etype))) for etype in ("bought_by", "follows")}
    samplers = PGSampler([2], prob="w", seed=3), dgl.dataloading.NeighborSampler([2], prob="w")
    for _ in range(500):
        for side, sampler in enumerate(samplers):
            block = sampler.sample(g, seeds)[2][0]
            for etype, table in counts.items():
                np.add.at(table[side], block.edges[etype].data[dgl.EID].numpy(), 1)
    for etype, table in counts.items():
        assert alike(*table), etype


def test_excluded_edges_by_type(typed_edges):
    g = typed_edges.dgl()
    out = {("user", "buys", "item"): torch.arange(0, 3000, 2), "follows": torch.arange(1500)}
    inputs, outputs, blocks = PGSampler([-1, -1]).sample(g, SEEDS, out)
    check_blocks(g, (inputs, outputs, blocks))
    for block in blocks:
        assert (block.edges["buys"].data[dgl.EID] % 2 == 1).all()
        assert block.num_edges("follows") == 0
    users = blocks[-1].dstnodes["user"].data[dgl.NID]
    assert torch.equal(blocks[-1].in_degrees(etype="bought_by"), g.in_degrees(users, etype="bought_by"))


def test_out_edges_by_type(typed_edges):
    g = typed_edges.dgl()
    _, _, blocks = PGSampler([-1], edge_dir="out").sample(g, SEEDS)
    src, dst = blocks[0].edges(etype=("item", "buys", "user"))
    users, items = g.find_edges(blocks[0].edges["buys"].data[dgl.EID], etype="buys")
    assert torch.equal(blocks[0].srcnodes["item"].data[dgl.NID][src], items)
    assert torch.equal(blocks[0].dstnodes["user"].data[dgl.NID][dst], users)
    assert torch.equal(blocks[0].in_degrees(etype="buys"), g.out_degrees(SEEDS["user"], etype="buys"))


def test_one_type_of_vertices_and_two_of_edges():
    ends = torch.tensor([0, 1, 2]), torch.tensor([1, 2, 3])
    g = dgl.heterograph({("v", "a", "v"): ends, ("v", "b", "v"): ends[::-1]})
    inputs, outputs, blocks = PGSampler([-1, -1]).sample(g, torch.tensor([1]))
    check_blocks(g, (inputs, outputs, blocks), [-1, -1])
    assert inputs.tolist() == [1, 0, 2, 3]


def test_graphs_as_ours(typed_edges, edges):
    typed, g = typed_edges.dgl(), edges.dgl()
    ours = gnd.Graph.from_dgl(typed, edge_dir="out")
    assert isinstance(ours, gnd.HeteroGraph)
    assert set(ours.relations) == {(dst, name, src) for src, name, dst in typed.canonical_etypes}
    plain = gnd.Graph.from_dgl(g)
    assert isinstance(plain, gnd.Graph) and not plain.weighted
    assert plain.degrees().tolist() == g.in_degrees().tolist()
    assert gnd.Graph.from_dgl(g, "out").degrees().tolist() == g.out_degrees().tolist()
    src, dst = g.find_edges(torch.from_numpy(plain.edge_ids.copy()))
    assert np.array_equal(plain.indices, src.numpy())
    assert np.array_equal(np.repeat(np.arange(g.num_nodes()), plain.degrees()), dst.numpy())
    weighted = gnd.Graph.from_dgl(g, prob="w")
    assert np.allclose(weighted.weights, g.edata["w"].numpy()[weighted.edge_ids], atol=1e-6)


@pytest.mark.parametrize("rows", ["csr", "csc", "coo"])
def test_graphs_that_are_kept_in_one_way(typed_edges, rows):
    g = typed_edges.dgl()
    result = PGSampler([3, -1], seed=1).sample(g.formats(rows), SEEDS)
    check_blocks(g, result, [3, -1])
    assert torch.equal(result[0]["user"], PGSampler([3, -1], seed=1).sample(g, SEEDS)[0]["user"])


def test_batches_that_are_refused(typed_edges):
    g = typed_edges.dgl()
    cases = [
        ({}, torch.tensor([1]), None, "expected a dict by type"),
        ({}, {"shop": torch.tensor([1])}, None, "no vertex type 'shop'"),
        ({}, SEEDS, torch.tensor([1]), "exclude_eids"),
        ({}, SEEDS, {"sells": torch.tensor([1])}, "sells"),
        ({"fanouts": [{"buys": 1}]}, SEEDS, None, r"fanouts\[0\] has no number for the edge type"),
        ({"fanouts": [{"sells": 1}]}, SEEDS, None, "sells"),
        ({"prob": "none"}, SEEDS, None, "prob = 'none'"),
    ]
    for options, seeds, exclude, text in cases:
        with pytest.raises(ValueError, match=text):
            PGSampler(**{"fanouts": [2], **options}).sample(g, seeds, exclude)
    with pytest.raises(IndexError, match="300"):
        PGSampler([2]).sample(g, {"user": torch.tensor([300])})
