"""Walks against those of dgl.sampling: signatures, shapes, padding, and the distribution of steps."""

import inspect

import dgl
import numpy as np
import pytest
import torch
from dgl_blocks import alike
from gonextdoor.dgl import node2vec_random_walk, random_walk


@pytest.fixture(params=[torch.int64, torch.int32], ids=["int64", "int32"])
def g(request, edges):
    graph = edges.dgl()
    return graph if request.param == torch.int64 else graph.int()


def check_walks(g, traces, eids, path=None):
    """Each step follows its edge, and nothing follows a walk's end."""
    for step in range(eids.shape[1]):
        etype = g.canonical_etypes[0] if path is None else g.to_canonical_etype(path[step])
        on = traces[:, step + 1] >= 0
        assert torch.equal(on, eids[:, step] >= 0)
        assert not (on & (traces[:, step] < 0)).any()
        src, dst = g.find_edges(eids[on, step], etype=etype)
        assert torch.equal(src, traces[on, step]) and torch.equal(dst, traces[on, step + 1])
    assert (traces >= -1).all() and (eids >= -1).all()


def parameters(function):
    return inspect.signature(function).parameters.values()


def test_signatures_begin_as_dgl_s():
    sampling = dgl.sampling
    for ours, theirs in ((random_walk, sampling.random_walk), (node2vec_random_walk, sampling.node2vec_random_walk)):
        mine, other = ([(p.name, p.kind, p.default) for p in parameters(f)] for f in (ours, theirs))
        assert mine[: len(other)] == other


@pytest.mark.parametrize("options", [{}, {"prob": "w"}, {"restart_prob": 0.3}, {"restart_prob": 0.0}], ids=str)
def test_walks(g, options):
    nodes = torch.arange(0, 2000, 7, dtype=g.idtype)
    traces, eids, types = random_walk(g, nodes, length=6, return_eids=True, seed=1, **options)
    their_traces, their_eids, their_types = dgl.sampling.random_walk(g, nodes, length=6, return_eids=True, **options)
    assert (traces.shape, eids.shape) == (their_traces.shape, their_eids.shape)
    assert traces.dtype == eids.dtype == g.idtype == their_traces.dtype
    assert torch.equal(types, their_types) and types.dtype == their_types.dtype
    assert torch.equal(traces[:, 0], nodes)
    check_walks(g, traces, eids)
    again = random_walk(g, nodes, length=6, seed=1, **options)
    assert len(again) == 2 and torch.equal(again[0], traces)
    dead = g.out_degrees(nodes) == 0
    assert dead.any() and (traces[dead, 1:] == -1).all()


def test_stops_by_step(g):
    nodes = torch.arange(1900, dtype=g.idtype)
    chances = torch.tensor([0.0, 1.0, 0.5])
    traces, eids, _ = random_walk(g, nodes, length=3, restart_prob=chances, return_eids=True, seed=1)
    check_walks(g, traces, eids)
    assert torch.equal(traces[:, 1] >= 0, g.out_degrees(nodes) > 0)
    assert (traces[:, 2:] == -1).all()
    assert (random_walk(g, nodes, length=3, restart_prob=1.0)[0][:, 1:] == -1).all()
    assert (random_walk(g, nodes, length=3, restart_prob=torch.tensor([1.0, 0, 0]))[0][:, 1:] == -1).all()


def test_lengths_are_distributed_as_dgl_s(edges):
    g, nodes = edges.dgl(), torch.arange(1000).repeat(20)
    half = torch.tensor([0.5, 0.0, 0.3, 0.1])
    for stop in (0.3, half):
        lengths = [
            np.bincount((walk(g, nodes, length=4, restart_prob=stop)[0] >= 0).sum(1).numpy(), minlength=6)
            for walk in (lambda *a, **k: random_walk(*a, seed=4, **k), dgl.sampling.random_walk)
        ]
        assert alike(*lengths), stop


@pytest.mark.parametrize("options", [{}, {"prob": "w"}], ids=str)
def test_steps_are_distributed_as_dgl_s(edges, options):
    g = edges.dgl()
    v = int((g.out_degrees() == 12).nonzero()[0])
    nodes = torch.full((20000,), v)
    counts = [
        np.bincount(eids[:, 1].numpy() + 1, minlength=g.num_edges() + 1)
        for _, eids, _ in (
            random_walk(g, nodes, length=2, return_eids=True, seed=2, **options),
            dgl.sampling.random_walk(g, nodes, length=2, return_eids=True, **options),
        )
    ]
    assert alike(*counts)


def test_metapaths(typed_edges):
    g = typed_edges.dgl()
    path = ["follows", "buys", "bought_by"] * 2
    nodes = torch.arange(300)
    for options in ({}, {"prob": "w"}, {"restart_prob": 0.2}, {"restart_prob": torch.tensor([0, 0.5, 0, 0, 1.0, 0])}):
        traces, eids, types = random_walk(g, nodes, metapath=path, return_eids=True, seed=3, **options)
        theirs = dgl.sampling.random_walk(g, nodes, metapath=path, **options)
        assert torch.equal(types, theirs[1]) and traces.shape == theirs[0].shape
        check_walks(g, traces, eids, path)
    assert (traces[:, 5:] == -1).all()
    assert torch.equal(random_walk(g, nodes, metapath=path, seed=3)[0], random_walk(g, nodes, metapath=path, seed=3)[0])


def test_metapaths_are_distributed_as_dgl_s(typed_edges):
    g = typed_edges.dgl()
    nodes = torch.full((20000,), int((g.out_degrees(etype="buys") == 10).nonzero()[0]))
    counts = [
        np.bincount(traces[:, 2].numpy() + 1, minlength=301)
        for traces, _ in (
            random_walk(g, nodes, metapath=["buys", "bought_by"], prob="w", seed=5),
            dgl.sampling.random_walk(g, nodes, metapath=["buys", "bought_by"], prob="w"),
        )
    ]
    assert alike(*counts)


@pytest.mark.parametrize("options", [{}, {"prob": "w"}], ids=str)
def test_node2vec(g, options):
    nodes = torch.arange(0, 2000, 7, dtype=g.idtype)
    traces, eids = node2vec_random_walk(g, nodes, 0.5, 2.0, 5, return_eids=True, seed=1, **options)
    theirs = dgl.sampling.node2vec_random_walk(g, nodes, 0.5, 2.0, 5, **options)
    assert traces.shape == theirs.shape and traces.dtype == theirs.dtype == eids.dtype
    check_walks(g, traces, eids)
    assert torch.equal(node2vec_random_walk(g, nodes, 0.5, 2.0, 5, seed=1, **options), traces)


def test_node2vec_is_distributed_as_dgl_s():
    """On a graph of both directions, where all read the paper alike."""
    src, dst = torch.tensor([0, 0, 0, 1, 2, 3, 3, 4, 5]), torch.tensor([1, 2, 3, 2, 3, 4, 5, 5, 0])
    g = dgl.to_bidirected(dgl.graph((src, dst)))
    g.edata["p"] = torch.arange(g.num_edges()) % 3 + 1.0
    nodes = torch.zeros(40000, dtype=torch.int64)
    for prob in (None, "p"):
        counts = [
            np.bincount((traces[:, 1] * 36 + traces[:, 2] * 6 + traces[:, 3]).numpy(), minlength=216)
            for traces in (
                node2vec_random_walk(g, nodes, 0.25, 4.0, 3, prob=prob, seed=6),
                dgl.sampling.node2vec_random_walk(g, nodes, 0.25, 4.0, 3, prob=prob),
            )
        ]
        assert alike(*counts), prob


def test_no_walks_and_no_steps(g):
    none = torch.empty(0, dtype=g.idtype)
    assert random_walk(g, none, length=3)[0].shape == (0, 4)
    traces, eids, types = random_walk(g, none, length=0, return_eids=True)
    assert traces.shape == (0, 1) and eids.shape == (0, 0) and types.tolist() == [0]
    assert node2vec_random_walk(g, none, 1, 1, 2).shape == (0, 3)


def test_what_is_refused(edges, typed_edges):
    g, typed = edges.dgl(), typed_edges.dgl()
    nodes = torch.tensor([1])
    cases = [
        (g, nodes, {}, ValueError, "length = None, metapath = None"),
        (g, nodes, {"length": 3, "metapath": ["_E"]}, ValueError, "length = 3"),
        (g, nodes, {"length": -1}, ValueError, "length = -1"),
        (g, nodes, {"metapath": "_E"}, TypeError, "metapath = '_E'"),
        (g, nodes, {"metapath": ["follows"]}, ValueError, r"metapath\[0\]"),
        (g, torch.tensor([2000]), {"length": 1}, IndexError, r"nodes\[0\] = 2000"),
        (g, torch.tensor([-1]), {"length": 1}, IndexError, r"nodes\[0\] = -1"),
        (g, torch.tensor([[1]]), {"length": 1}, ValueError, "nodes: expected shape"),
        (g, torch.tensor([1.0]), {"length": 1}, TypeError, "nodes: expected"),
        (g, nodes, {"length": 1, "restart_prob": 1.5}, ValueError, "restart_prob = 1.5"),
        (g, nodes, {"length": 2, "restart_prob": torch.ones(3)}, ValueError, "restart_prob has 3 elements"),
        (g, nodes, {"length": 2, "restart_prob": torch.tensor([0, 2.0])}, ValueError, r"restart_prob\[1\] = 2"),
        (g, nodes, {"length": 2, "restart_prob": "often"}, TypeError, "restart_prob = 'often'"),
        (g, nodes, {"length": 2, "prob": "none"}, ValueError, "prob = 'none'"),
        (g, nodes, {"length": 2, "return_eids": 1}, TypeError, "return_eids = 1"),
        (typed, nodes, {"length": 2}, ValueError, "metapath = None"),
        (typed, nodes, {"metapath": ["buys", "follows"]}, ValueError, r"metapath\[1\]"),
        (3, nodes, {"length": 2}, TypeError, "expected a dgl.DGLGraph"),
    ]
    for graph, start, options, error, text in cases:
        with pytest.raises(error, match=text):
            random_walk(graph, start, **options)
    for graph, given, text in (
        (typed, (1, 1, 2), "expected one type"),
        (g, (0, 1, 2), "p = 0"),
        (g, (1, 1, -2), "walk_length = -2"),
    ):
        with pytest.raises(ValueError, match=text):
            node2vec_random_walk(graph, nodes, *given)
