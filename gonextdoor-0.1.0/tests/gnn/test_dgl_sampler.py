"""PGSampler against DGL's own NeighborSampler: the same shapes, the same rules of ids, the same distribution."""

import copy
import pickle

import dgl
import numpy as np
import pytest
import torch
from dgl_blocks import alike, check_blocks, edges_of
from gonextdoor.dgl import PGSampler

import gonextdoor as gnd

SEEDS = torch.tensor([3, 150, 7, 1990, 42, 1995])  # the last have no edges


@pytest.fixture(params=[torch.int64, torch.int32], ids=["int64", "int32"])
def g(request, edges):
    graph = edges.dgl()
    return graph if request.param == torch.int64 else graph.int()


@pytest.mark.parametrize("fanouts", [[4], [5, 3], [2, 3, 4], [-1, 2], [0, 3]], ids=str)
@pytest.mark.parametrize("options", [{}, {"replace": True}, {"prob": "w"}], ids=str)
def test_what_holds_for_every_batch(g, fanouts, options):
    result = PGSampler(fanouts, seed=1, **options).sample(g, SEEDS.to(g.idtype))
    check_blocks(g, result, fanouts, options.get("replace", False))


def test_all_edges_are_what_dgl_gives(g):
    seeds = SEEDS.to(g.idtype)
    for ours, theirs in zip(
        PGSampler([-1, -1]).sample(g, seeds)[2],
        dgl.dataloading.NeighborSampler([-1, -1]).sample(g, seeds)[2],
        strict=True,
    ):
        assert edges_of(ours) == edges_of(theirs)
        assert set(ours.srcdata[dgl.NID].tolist()) == set(theirs.srcdata[dgl.NID].tolist())
        assert ours.srcdata.keys() == theirs.srcdata.keys() and ours.edata.keys() == theirs.edata.keys()


def test_features_come_without_prefetch(g):
    """As DGL's own sampler has it: they are gathered when they are read."""
    inputs, outputs, blocks = PGSampler([3, 3], seed=2).sample(g, SEEDS.to(g.idtype))
    assert torch.equal(blocks[0].srcdata["x"], g.ndata["x"][inputs.long()])
    assert torch.equal(blocks[-1].dstdata["y"], g.ndata["y"][outputs.long()])
    assert torch.equal(blocks[0].edata["w"], g.edata["w"][blocks[0].edata[dgl.EID].long()])


def test_counts_of_edges_are_distributed_as_dgl_s(edges):
    g = edges.dgl()
    v = int((g.in_degrees() == 15).nonzero()[0])
    for options in ({}, {"replace": True}, {"prob": "w"}, {"prob": "w", "replace": True}):
        fanout, rounds = 3, 500
        counts = np.zeros((2, g.num_edges()))
        ours = PGSampler([fanout], seed=5, **options)
        theirs = dgl.dataloading.NeighborSampler([fanout], **options)
        for _ in range(rounds):
            for side, sampler in enumerate((ours, theirs)):
                np.add.at(counts[side], sampler.sample(g, torch.tensor([v]))[2][0].edata[dgl.EID].numpy(), 1)
        assert counts.sum(1).tolist() == [fanout * rounds] * 2
        assert alike(*counts), options


def test_a_mask_leaves_edges_out(edges):
    g = edges.dgl()
    g.edata["some"] = torch.rand(g.num_edges(), generator=torch.Generator().manual_seed(1)) < 0.4
    out = (~g.edata["some"]).nonzero().flatten().tolist()
    for options in ({"mask": "some"}, {"prob": "some"}):
        for fanout in (-1, 3):
            inputs, outputs, blocks = PGSampler([fanout], seed=1, **options).sample(g, torch.arange(500))
            check_blocks(g, (inputs, outputs, blocks), without=out)
            left = torch.zeros(g.num_nodes(), dtype=torch.int64).index_add_(0, g.edges()[1], g.edata["some"].long())
            assert torch.equal(blocks[0].in_degrees(), left[:500] if fanout < 0 else left[:500].clamp(max=fanout))


def test_out_edges(edges):
    """Messages flow back along the edges that lead from a vertex; DGL's own sampler gives ids that are not there."""
    g = edges.dgl()
    _, _, blocks = PGSampler([-1, 2], edge_dir="out", seed=1).sample(g, SEEDS)
    for block in blocks:
        src, dst = block.edges()
        there, back = g.find_edges(block.edata[dgl.EID])
        assert torch.equal(block.dstdata[dgl.NID][dst], there) and torch.equal(block.srcdata[dgl.NID][src], back)
    assert torch.equal(blocks[0].in_degrees(), g.out_degrees(blocks[0].dstdata[dgl.NID]))


def test_excluded_edges(edges):
    g = edges.dgl()
    out = g.in_edges(SEEDS, form="eid")[::2]
    for exclude in (out, out.numpy()):
        result = PGSampler([3, -1], seed=1).sample(g, SEEDS, exclude)
        check_blocks(g, result, without=out.tolist())
    assert result[2][-1].num_edges() == g.in_degrees(SEEDS).sum() - len(out)


def test_seeds_name_the_samples(edges):
    g = edges.dgl()
    ids = lambda result: [block.edata[dgl.EID].tolist() for block in result[2]]  # noqa: E731
    one, two = PGSampler([5, 5], seed=4), PGSampler([5, 5], seed=4)
    first = ids(one.sample(g, SEEDS))
    assert ids(two.sample(g, SEEDS)) == first
    assert ids(one.sample(g, SEEDS)) != first
    for sampler in (one, two):
        sampler.set_epoch(3)
    assert ids(one.sample(g, SEEDS)) == ids(two.sample(g, SEEDS))
    assert ids(PGSampler([5, 5], seed=5).sample(g, SEEDS)) != first
    assert ids(PGSampler([5, 5]).sample(g, SEEDS)) != ids(PGSampler([5, 5]).sample(g, SEEDS))
    threads = [ids(PGSampler([5, 5], seed=4, threads=n).sample(g, SEEDS)) for n in (1, 2, 3)]
    assert threads == [first] * 3


def test_blocks_outlive_all_else(edges):
    g = edges.dgl()
    _, _, blocks = PGSampler([8, 8], seed=2).sample(g, torch.arange(100))
    kept = edges_of(blocks[0])
    for seed in range(5):
        PGSampler([8, 8], seed=seed).sample(g, torch.arange(100))
    assert edges_of(blocks[0]) == kept


def test_a_changed_graph_is_noticed(edges):
    g, sampler = edges.dgl(), PGSampler([-1], prob="w", seed=1)
    assert sampler.sample(g, SEEDS)[2][0].num_edges() == g.in_degrees(SEEDS).sum()
    g.add_edges(torch.tensor([11, 12]), torch.tensor([3, 3]), {"w": torch.ones(2)})
    block = sampler.sample(g, SEEDS)[2][0]
    assert block.num_edges() == g.in_degrees(SEEDS).sum()
    assert {(11, 3), (12, 3)} <= {(src, dst) for src, dst, _ in edges_of(block)}
    g.edata["w"][-2:] = 0  # in place
    assert (11, 3) not in {
        (src, dst) for src, dst, eid in edges_of(sampler.sample(g, SEEDS)[2][0]) if eid >= edges.edges
    }
    g.edata["w"] = torch.zeros(g.num_edges())
    assert sampler.sample(g, SEEDS)[2][0].num_edges() == 0
    g.remove_edges(torch.arange(edges.edges, g.num_edges()))
    assert sampler.sample(g, SEEDS)[2][0].num_edges() == 0


def test_graphs_are_converted_once_and_go(edges, monkeypatch):
    import gc

    from gonextdoor.dgl import graphs

    gc.collect()  # graphs of earlier tests
    made, convert = [], graphs._convert
    monkeypatch.setattr(graphs, "_convert", lambda *given: made.append(1) or convert(*given))
    g, before = edges.dgl(), len(graphs._CONVERSIONS)
    for _ in range(2):
        PGSampler([2]).sample(g, SEEDS)
    gnd_graph = graphs.converted(g, graphs.View("in"))
    assert len(made) == 1 and isinstance(gnd_graph, gnd.Graph)
    PGSampler([2], edge_dir="out").sample(g, SEEDS)
    assert len(made) == 2
    assert graphs._CONVERSIONS.of(g) is not None
    del g
    gc.collect()
    assert len(graphs._CONVERSIONS) <= before


def test_a_sampler_may_be_copied_and_pickled(edges):
    g, sampler = edges.dgl(), PGSampler([4, -1], mask=None, prob="w", replace=True, seed=6)
    sampler.sample(g, SEEDS)
    for again in (copy.copy(sampler), copy.deepcopy(sampler), pickle.loads(pickle.dumps(sampler))):
        assert repr(again) == repr(sampler)
        again.set_epoch(0), sampler.set_epoch(0)
        assert torch.equal(again.sample(g, SEEDS)[0], sampler.sample(g, SEEDS)[0])
    assert len(pickle.dumps(sampler)) < 2000  # and not the graph


def test_an_empty_batch(g):
    check_blocks(g, PGSampler([3, 3]).sample(g, torch.empty(0, dtype=g.idtype)), [3, 3])


def test_graphs_without_edges_or_vertices():
    for vertices in (0, 5):
        g = dgl.graph(([], []), num_nodes=vertices)
        result = PGSampler([2, -1]).sample(g, torch.arange(vertices))
        check_blocks(g, result, [2, -1])


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"fanouts": []}, ValueError, "fanouts is empty"),
        ({"fanouts": 5}, TypeError, "fanouts = 5"),
        ({"fanouts": [2, -2]}, ValueError, r"fanouts\[1\] = -2"),
        ({"fanouts": [2.5]}, TypeError, r"fanouts\[0\] = 2.5"),
        ({"edge_dir": "both"}, ValueError, "edge_dir = 'both'"),
        ({"prob": "w", "mask": "m"}, ValueError, "prob = 'w', mask = 'm'"),
        ({"prob": 3}, TypeError, "prob = 3"),
        ({"replace": 1}, TypeError, "replace = 1"),
        ({"fused": False}, ValueError, "fused = False"),
        ({"device": "tpu"}, ValueError, "device = 'tpu'"),
        ({"threads": 0}, ValueError, "threads = 0"),
        ({"seed": -1}, ValueError, "seed = -1"),
    ],
    ids=str,
)
def test_arguments_that_are_refused(options, error, text):
    with pytest.raises(error, match=text):
        PGSampler(**{"fanouts": [2], **options})


def test_batches_that_are_refused(edges):
    g = edges.dgl()
    g.edata["two"] = torch.ones(g.num_edges(), 2)
    g.edata["below"] = -torch.ones(g.num_edges())
    cases = [
        ({}, torch.tensor([2000]), None, IndexError, "2000"),
        ({}, torch.tensor([-1]), None, IndexError, "-1"),
        ({}, torch.tensor([1.5]), None, TypeError, "seed_nodes"),
        ({}, torch.tensor([[1]]), None, ValueError, "seed_nodes"),
        ({}, {"user": torch.tensor([1])}, None, ValueError, "user"),
        ({}, {}, None, ValueError, "seed_nodes"),
        ({}, SEEDS, {"follows": torch.tensor([1])}, ValueError, "follows"),
        ({"prob": "none"}, SEEDS, None, ValueError, "prob = 'none'"),
        ({"prob": "two"}, SEEDS, None, ValueError, r"expected shape \(E,\)"),
        ({"prob": "below"}, SEEDS, None, ValueError, "prob = 'below'"),
        ({"mask": "w"}, SEEDS, None, TypeError, "mask = 'w'"),
        ({"fanouts": [{"follows": 2}]}, SEEDS, None, ValueError, "follows"),
    ]
    for options, seeds, exclude, error, text in cases:
        with pytest.raises(error, match=text):
            PGSampler(**{"fanouts": [2], **options}).sample(g, seeds, exclude)
    with pytest.raises(TypeError, match=r"g: expected a dgl\.DGLGraph"):
        PGSampler([2]).sample(3, SEEDS)
    with pytest.raises(ValueError, match="g is a block"):
        PGSampler([2]).sample(PGSampler([2]).sample(g, SEEDS)[2][0], SEEDS)
