"""What DGL's own samplers do with odd batches: ids of edges that are not there, vertices that repeat, its errors."""

import copy
import pickle
import subprocess
import sys

import dgl
import pytest
import torch
from dgl_blocks import edges_of
from gonextdoor.dgl import PGSampler, from_dgl, node2vec_random_walk, random_walk
from gonextdoor.dgl import errors as dgl_errors
from gonextdoor.neighbor.seeds import BatchSeeds

import gonextdoor as gnd

SEEDS = torch.tensor([3, 150, 3, 7, 1990, 3, 150])


@pytest.mark.parametrize("options", [{}, {"mask": "some"}, {"prob": "w"}], ids=str)
@pytest.mark.parametrize("kind", [torch.int64, torch.int32])
def test_excluded_ids_that_are_not_there_are_ignored(edges, options, kind):
    """Beyond the last edge, negative, or left out by the mask. DGL's own sampler agrees."""
    g = edges.dgl()
    g.edata["some"] = torch.arange(g.num_edges()) < 15000
    there = g.in_edges(SEEDS.unique(), form="eid")[::2]
    exclude = torch.cat([there, torch.tensor([-1, -7, g.num_edges(), 10 * g.num_edges(), 16000, g.num_edges() - 1])])
    seeds = SEEDS.unique()
    ours = PGSampler([-1], **options).sample(g, seeds, exclude.to(kind))[2][0]
    theirs = dgl.dataloading.NeighborSampler([-1], **options).sample(g, seeds, exclude)[2][0]
    assert edges_of(ours) == edges_of(theirs)
    nothing = PGSampler([-1], **options).sample(g, seeds, torch.tensor([g.num_edges(), -1]))[2][0]
    assert edges_of(nothing) == edges_of(PGSampler([-1], **options).sample(g, seeds)[2][0])


def test_excluded_ids_by_type(typed_edges):
    g = typed_edges.dgl()
    count = g.num_edges("buys")
    exclude = {"buys": torch.tensor([0, 5, count, count + 3000]), "follows": torch.tensor([10**9])}
    seeds = {"item": g.nodes("item"), "user": g.nodes("user")}
    block = PGSampler([-1]).sample(g, seeds, exclude)[2][0]
    left = set(range(count)) - {0, 5}
    assert set(block.edges["buys"].data[dgl.EID].tolist()) == left
    assert block.num_edges("follows") == g.num_edges("follows")


@pytest.mark.parametrize("fanouts", [[-1], [3], [2, 4], [-1, 2, 3]], ids=str)
@pytest.mark.parametrize("kind", [torch.int64, torch.int32])
def test_vertices_that_repeat(edges, fanouts, kind):
    g = edges.dgl() if kind == torch.int64 else edges.dgl().int()
    inputs, outputs, blocks = PGSampler(fanouts, seed=1).sample(g, SEEDS.to(kind))
    assert torch.equal(outputs, SEEDS.to(kind)) and torch.equal(blocks[-1].dstdata[dgl.NID], outputs)
    assert torch.equal(inputs, blocks[0].srcdata[dgl.NID]) and inputs.dtype == kind
    for block, fanout in zip(blocks, fanouts, strict=True):
        sources, destinations = block.srcdata[dgl.NID], block.dstdata[dgl.NID]
        assert torch.equal(sources[: len(destinations)], destinations)
        others = sources[len(SEEDS) :]
        assert len(others.unique()) == len(others) and not set(others.tolist()) & set(SEEDS.tolist())
        src, dst = block.edges()
        there, to = g.find_edges(block.edata[dgl.EID])
        assert torch.equal(sources[src.long()], there) and torch.equal(destinations[dst.long()], to)
        degrees = g.in_degrees(destinations)
        assert torch.equal(block.in_degrees(), degrees if fanout < 0 else degrees.clamp(max=fanout).to(degrees.dtype))
        taken = [sorted(block.edata[dgl.EID][dst == place].tolist()) for place in (0, 2, 5)]
        assert taken[0] == taken[1] == taken[2]  # each place of vertex 3
    for inner, outer in zip(blocks[1:], blocks, strict=False):
        assert torch.equal(inner.srcdata[dgl.NID], outer.dstdata[dgl.NID])
    assert torch.equal(blocks[0].srcdata["x"], g.ndata["x"][inputs.long()])


def test_all_edges_of_vertices_that_repeat_are_those_of_dgl(edges):
    """DGL with one thread leads all of them to a vertex's last place, with several to each; so we do."""
    g = edges.dgl()
    ours = PGSampler([-1]).sample(g, SEEDS)[2][0]
    theirs = dgl.dataloading.NeighborSampler([-1], fused=False).sample(g, SEEDS)[2][0]
    assert edges_of(ours) == edges_of(theirs)
    assert ours.num_dst_nodes() == theirs.num_dst_nodes() and ours.num_src_nodes() == theirs.num_src_nodes()


def test_repeats_do_not_change_what_is_chosen(edges, monkeypatch):
    """A batch's seed follows from its ids, so both batches are given the same one."""
    g, sampler = edges.dgl(), PGSampler([2, 3], seed=1)
    monkeypatch.setattr(BatchSeeds, "batch_seed", lambda *_: 5)
    once = sampler.sample(g, torch.tensor([3, 150, 7]))[2]
    twice = sampler.sample(g, torch.tensor([3, 150, 3, 7]))[2]
    for left, right in zip(once, twice, strict=True):
        assert set(edges_of(left)) == set(edges_of(right)) and len(edges_of(right)) > len(edges_of(left))


def test_repeats_by_type_and_excluded_edges(typed_edges):
    g = typed_edges.dgl()
    seeds = {"item": torch.tensor([4, 9, 4, 11]), "user": torch.tensor([7, 7])}
    exclude = {"buys": g.in_edges(torch.tensor([4]), form="eid", etype="buys")[:1]}
    inputs, _, blocks = PGSampler([2, -1], seed=3).sample(g, seeds, exclude)
    for kind, ids in seeds.items():
        assert torch.equal(blocks[-1].dstnodes[kind].data[dgl.NID], ids)
        assert torch.equal(inputs[kind], blocks[0].srcnodes[kind].data[dgl.NID])
    for block in blocks:
        for etype in g.canonical_etypes:
            src, dst = block.edges(etype=etype)
            there, to = g.find_edges(block.edges[etype].data[dgl.EID], etype=etype)
            assert torch.equal(block.srcnodes[etype[0]].data[dgl.NID][src], there)
            assert torch.equal(block.dstnodes[etype[2]].data[dgl.NID][dst], to)
    last = blocks[-1].in_degrees(etype="buys")
    assert last[0] == last[2] == g.in_degrees(4, etype="buys") - 1


@pytest.mark.parametrize("number", [0, 2])
def test_repeats_in_loaders(edges, number):
    g = edges.dgl()
    ids = torch.tensor([1, 2, 1, 3] * 50)
    loader = dgl.dataloading.DataLoader(g, ids, PGSampler([3], seed=1), batch_size=20, num_workers=number)
    for inputs, outputs, blocks in loader:
        assert outputs.tolist() == [1, 2, 1, 3] * 5
        assert torch.equal(blocks[0].srcdata["x"], g.ndata["x"][inputs])


def test_features_of_a_column_are_refused(edges):
    g = edges.dgl()
    g.edata["column"], g.edata["bits"] = torch.ones(g.num_edges(), 1), torch.ones(g.num_edges(), 1) > 0
    advice = r"expected shape \(E,\), got \(20000, 1\); flatten it: g.edata\['column'\].squeeze\(1\)"
    for call in (
        lambda: PGSampler([2], prob="column").sample(g, SEEDS),
        lambda: random_walk(g, SEEDS, length=2, prob="column"),
        lambda: node2vec_random_walk(g, SEEDS, 1, 1, 2, prob="column"),
        lambda: from_dgl(g, prob="column"),
    ):
        with pytest.raises(dgl.DGLError, match=advice):
            call()
    with pytest.raises(dgl.DGLError, match=r"mask = 'bits'.*\(20000, 1\)"):
        PGSampler([2], mask="bits").sample(g, SEEDS)


def test_errors_are_dgl_s_and_python_s(edges):
    g = edges.dgl()
    cases = [
        (lambda: PGSampler([]), ValueError, "fanouts is empty"),
        (lambda: PGSampler(3), TypeError, "fanouts = 3"),
        (lambda: PGSampler([2]).set_epoch(-1), ValueError, "epoch = -1"),
        (lambda: PGSampler([2]).sample_blocks(g, torch.tensor([1, 2000])), IndexError, r"seed_nodes\[1\] = 2000"),
        (lambda: PGSampler([2]).sample_blocks(g, torch.tensor([1, 1, 2000])), IndexError, r"seed_nodes\[\d\] = 2000"),
        (lambda: PGSampler([2]).prepare(3), TypeError, "g: expected a dgl.DGLGraph"),
        (lambda: PGSampler([2], device="cuda:99").sample_blocks(g, SEEDS), gnd.DeviceError, "cuda:99"),
        (lambda: random_walk(g, [2000], length=2), IndexError, r"nodes\[0\] = 2000"),
        (lambda: node2vec_random_walk(g, [0], -1, 1, 2), ValueError, "p = -1"),
        (lambda: gnd.Graph.from_dgl(g, prob="none"), ValueError, "prob = 'none'"),
    ]
    for call, python, text in cases:
        with pytest.raises(dgl.DGLError, match=text) as caught:
            call()
        assert isinstance(caught.value, python)
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value) and str(again) == str(caught.value)
        assert isinstance(copy.copy(caught.value), dgl.DGLError)


def test_every_class_of_errors_has_its_twin():
    for both in map(dgl_errors.__dict__.__getitem__, dgl_errors.__all__[:-1]):
        _, twin = both.__bases__
        assert both.__bases__[0] is dgl.DGLError and dgl_errors._BOTH[twin] is both

        @dgl_errors.raises_dgl_errors
        def fails(twin=twin):
            raise twin("text") from KeyError("cause")

        with pytest.raises(twin, match="text") as caught:
            fails()
        assert type(caught.value) is both and isinstance(caught.value.__cause__, KeyError)

    class Others(ValueError):
        pass

    @dgl_errors.raises_dgl_errors
    def fails_of_others():
        raise Others

    with pytest.raises(Others):
        fails_of_others()


def test_errors_in_workers_are_dgl_s(edges):
    g = edges.dgl()
    loader = dgl.dataloading.DataLoader(g, torch.tensor([1, 2000]), PGSampler([2]), batch_size=2, num_workers=1)
    with pytest.raises(dgl.DGLError, match=r"seed_nodes\[1\] = 2000"):
        list(loader)


def test_gonextdoor_alone_does_not_import_dgl():
    code = "import sys, gonextdoor; sys.exit(any(name.partition('.')[0] == 'dgl' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
