"""direction="in": in-edges of a plain graph, as PyG and DGL sample them, with the ids of the graph's edges."""

from __future__ import annotations

import gc
import pickle
import threading
import warnings
import weakref
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor.graph import direction as module

SEEDS = np.array([3, 150, 7, 170])


@pytest.fixture(params=[False, True], ids=["unweighted", "weighted"])
def graph(request: pytest.FixtureRequest) -> gnd.Graph:
    return corpus.graph(symmetric=False, weighted=request.param)


def same(got: Any, want: Any) -> None:
    """Whether two results of PGSampler.sample are equal."""
    assert np.array_equal(got[0], want[0])
    assert np.array_equal(got[1], want[1])
    for block, other in zip(got[2], want[2], strict=True):
        for name in ("indptr", "indices", "edge_ids", "src_nodes", "dst_nodes"):
            assert np.array_equal(getattr(block, name), getattr(other, name)), name


def equal(got: gnd.NeighborBatch, want: gnd.NeighborBatch) -> bool:
    """Whether two neighbourhoods are equal; their arenas may have unused places."""
    pairs = zip(got.split(got.arena), want.split(want.arena), strict=True)
    return all(len(a) == len(b) and all(map(np.array_equal, a, b)) for a, b in pairs)


def test_all_in_edges_with_their_ids() -> None:
    """Candidates are the columns of edge_index whose second row is the vertex."""
    edge_index = np.random.default_rng(3).integers(0, 50, (2, 400))
    graph = gnd.Graph.from_edges(edge_index[0], edge_index[1])
    _, _, (block,) = gnd.PGSampler([-1], direction="in").sample(graph, np.arange(50))
    for v in range(50):
        part = slice(block.indptr[v], block.indptr[v + 1])
        ids = np.flatnonzero(edge_index[1] == v)
        assert sorted(block.edge_ids[part]) == ids.tolist()
        assert np.array_equal(block.src_nodes[block.indices[part]], edge_index[0][block.edge_ids[part]])
    parts = (drawn := gnd.NeighborSampler(graph, [-1], direction="in").draw(np.arange(50), 1)).split(drawn.arena)
    (row,), (col,), (ids,), (nodes,) = parts.row, parts.col, parts.edges, parts.nodes
    assert sorted(ids) == list(range(400))
    assert np.array_equal(np.stack([nodes[row], nodes[col]]), edge_index[:, ids])


@pytest.mark.parametrize("options", [{}, {"replace": True}, {"weighted": "auto"}], ids=str)
def test_the_same_as_of_the_reversed_graph(graph: gnd.Graph, options: dict[str, Any]) -> None:
    reverse = graph.reverse()
    inwards = gnd.PGSampler([4, 3], seed=1, direction="in", **options)
    outwards = gnd.PGSampler([4, 3], seed=1, **options)
    same(inwards.sample(graph, SEEDS), outwards.sample(reverse, SEEDS))
    taken = inwards.sample(graph, SEEDS, seed=5)[2][1].edge_ids[:3]
    same(inwards.sample(graph, SEEDS, taken, seed=5), outwards.sample(reverse, SEEDS, taken, seed=5))
    assert not set(taken) & set(inwards.sample(graph, SEEDS, taken, seed=5)[2][1].edge_ids)
    batches, left = [SEEDS, SEEDS[:2]], [None, taken]
    many = zip(
        inwards.sample_many(graph, batches, left, seeds=[3, 4]),
        outwards.sample_many(reverse, batches, left, seeds=[3, 4]),
        strict=True,
    )
    for got, want in many:
        same(got, want)
    got = gnd.NeighborSampler(graph, [4, 3], direction="in", **options).draw_many([SEEDS, SEEDS[:1]], [1, 2])
    want = gnd.NeighborSampler(reverse, [4, 3], **options).draw_many([SEEDS, SEEDS[:1]], [1, 2])
    assert all(map(equal, got, want))


def test_out_is_the_default(graph: gnd.Graph) -> None:
    plain, out = gnd.PGSampler([4, 3], seed=1), gnd.PGSampler([4, 3], seed=1, direction="out")
    assert plain.direction == out.direction == "out"
    same(plain.sample(graph, SEEDS), out.sample(graph, SEEDS))
    drawn = [gnd.NeighborSampler(graph, [4], **given).draw(SEEDS, 1) for given in ({}, {"direction": "out"})]
    assert equal(*drawn)


def test_times_of_edges_and_of_vertices() -> None:
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 60, (2, 600))
    graph = gnd.Graph.from_edges(src, dst, times=rng.integers(0, 100, 600))
    for given in ({}, {"times": rng.integers(0, 100, 60)}):
        how: dict[str, Any] = {"temporal": "last", "disjoint": True, **given}
        roots, times = np.arange(10), np.full(10, 50)
        got = gnd.NeighborSampler(graph, [3, 2], direction="in", **how).draw(roots, 1, times=times)
        want = gnd.NeighborSampler(graph.reverse(), [3, 2], **how).draw(roots, 1, times=times)
        assert equal(got, want)


@pytest.mark.usefixtures("gpu")
def test_on_a_gpu(graph: gnd.Graph) -> None:
    for kind in (gnd.PGSampler([4, 3], seed=1, direction="in", device="cuda"),):
        there = kind.sample(graph, SEEDS)
        here = gnd.PGSampler([4, 3], seed=1, direction="in", device="cpu").sample(graph, SEEDS)
        assert there[0].device == "cuda:0"
        assert np.array_equal(np.asarray(there[0]), here[0])
        for block, other in zip(there[2], here[2], strict=True):
            assert np.array_equal(np.asarray(block.edge_ids), other.edge_ids)
    there = gnd.NeighborSampler(graph, [4, 3], direction="in", device="cuda").draw(SEEDS, 1)
    here = gnd.NeighborSampler(graph, [4, 3], direction="in").draw(SEEDS, 1)
    assert there.num_edges == here.num_edges


def test_the_reverse_is_built_once_and_goes_with_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, built = corpus.graph(), []
    real = gnd.Graph.reverse
    monkeypatch.setattr(gnd.Graph, "reverse", lambda graph: built.append(1) or real(graph))
    threads = [threading.Thread(target=module.facing, args=(graph, "in")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sampler = gnd.PGSampler([2], seed=1, direction="in")
    sampler.sample(graph, [1])
    gnd.NeighborSampler(graph, [2], direction="in").draw([1], 1)
    assert len(built) == 1
    gone = weakref.ref(module.facing(graph, "in"))
    del graph
    gc.collect()
    assert gone() is None


def test_pickles(graph: gnd.Graph) -> None:
    sampler = gnd.PGSampler([4, 3], seed=1, direction="in")
    again = pickle.loads(pickle.dumps(sampler))
    assert repr(again) == repr(sampler)
    assert "direction='in'" in repr(sampler)
    same(again.sample(graph, SEEDS), sampler.sample(graph, SEEDS))
    sampler = gnd.NeighborSampler(graph, [4], direction="in")
    copy = pickle.loads(pickle.dumps(sampler))
    assert repr(copy) == repr(sampler)
    assert equal(copy.draw(SEEDS, 1), sampler.draw(SEEDS, 1))


@pytest.mark.parametrize("wrong", ["both", "IN", "", None, 1, True])
def test_refusals(wrong: Any) -> None:
    kind = ValueError if isinstance(wrong, str) else TypeError
    if wrong is not None:  # the default
        with pytest.raises(kind, match=r'direction = .*: expected "out" or "in"'):
            gnd.PGSampler([2], direction=wrong)
    with pytest.raises(kind, match=r'direction = .*: expected "out" or "in"'):
        gnd.NeighborSampler(corpus.graph(), [2], direction=wrong)


def test_a_graph_of_several_types_is_refused() -> None:
    relation = ("a", "to", "b")
    graph = gnd.HeteroGraph({relation: gnd.Graph.from_edges([0], [1])}, {"a": 2, "b": 2})
    with pytest.raises(ValueError, match=r"rows of a HeteroGraph.*edge_dir"):
        gnd.NeighborSampler(graph, [2], direction="in")
    assert gnd.NeighborSampler(graph, [2], direction="out").direction == "out"


ONE_WAY = np.array([[0, 1, 2, 3], [2, 2, 3, 0]])


@pytest.mark.parametrize(
    "make",
    [
        lambda: gnd.Graph.from_edges(ONE_WAY),
        lambda: gnd.Graph.from_edges(ONE_WAY[0], ONE_WAY[1]),
        lambda: gnd.Graph.from_edges(*ONE_WAY),
    ],
)
def test_a_graph_from_an_edge_index_warns_once(make: Any) -> None:
    text = r'made from an edge_index, .* pass PGSampler\(direction="in"\) .* or direction="out"'
    for sampler in (gnd.PGSampler([1], seed=1), pickle.loads(pickle.dumps(gnd.PGSampler([1], seed=1)))):
        graph = make()
        with pytest.warns(gnd.InputWarning, match=text) as caught:
            _, _, (block,) = sampler.sample(graph, [2])
        assert len(caught) == 1 and block.src_nodes.tolist() == [2, 3], "out is the default"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sampler.sample_many(graph, [[2], [3]])


def test_graphs_that_need_no_warning_of_direction() -> None:
    two_way = np.hstack([ONE_WAY, ONE_WAY[::-1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for direction in ("in", "out"):
            sampler = gnd.PGSampler([1], seed=1, direction=direction)  # type: ignore[arg-type]
            pickle.loads(pickle.dumps(sampler)).sample(gnd.Graph.from_edges(ONE_WAY), [2])
        for graph in (
            gnd.Graph.from_edges(two_way),
            gnd.Graph.from_edges(ONE_WAY, symmetric=True),
            gnd.Graph.from_edges(ONE_WAY[0].copy(), ONE_WAY[1].copy()),  # not known to be an edge_index
            gnd.Graph.from_edges(ONE_WAY.T.tolist()),
            gnd.Graph.from_edges(ONE_WAY.T),
        ):
            gnd.PGSampler([1], seed=1).sample(graph, [2])
