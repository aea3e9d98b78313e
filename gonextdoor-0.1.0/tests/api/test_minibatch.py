"""PGSampler: blocks that DGL's users know."""

from __future__ import annotations

import itertools
import pickle

import corpus
import numpy as np
import pytest

import gonextdoor as gnd


@pytest.fixture(scope="module", params=[False, True], ids=["unweighted", "weighted"])
def graph(request: pytest.FixtureRequest) -> gnd.Graph:
    return corpus.graph(weighted=request.param)


def edges_of(graph: gnd.Graph) -> set[tuple[int, int, int]]:
    src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    return set(zip(src.tolist(), graph.indices.tolist(), graph.edge_ids.tolist(), strict=True))


@pytest.mark.parametrize("fanouts", [[4], [5, 3], [2, 3, 4], [-1, 2]], ids=str)
@pytest.mark.parametrize("options", [{}, {"replace": True}, {"weighted": "auto"}], ids=str)
def test_blocks(graph: gnd.Graph, fanouts: list[int], options: dict[str, object]) -> None:
    seeds = np.array([3, 150, 7, 190])
    sampler = gnd.PGSampler(fanouts, seed=1, **options)  # type: ignore[arg-type]
    inputs, outputs, blocks = sampler.sample(graph, seeds)
    there, degrees = edges_of(graph), graph.degrees()
    assert outputs.tolist() == seeds.tolist()
    assert len(blocks) == len(fanouts)
    assert np.array_equal(inputs, blocks[0].src_nodes)
    assert np.array_equal(outputs, blocks[-1].dst_nodes)
    for fanout, block in zip(fanouts, blocks, strict=True):
        assert {a.dtype for a in (block.indptr, block.indices, block.edge_ids, block.src_nodes)} == {np.dtype(np.int64)}
        assert np.array_equal(block.src_nodes[: len(block.dst_nodes)], block.dst_nodes)
        assert len(set(block.src_nodes.tolist())) == len(block.src_nodes)
        taken = np.diff(block.indptr)
        most = degrees[block.dst_nodes] if fanout < 0 else np.minimum(degrees[block.dst_nodes], fanout)
        if fanout > 0 and options.get("replace"):
            most = np.where(degrees[block.dst_nodes] > 0, fanout, 0)
        assert np.array_equal(taken, most)
        dst = np.repeat(block.dst_nodes, taken)
        arcs = list(zip(dst.tolist(), block.src_nodes[block.indices].tolist(), block.edge_ids.tolist(), strict=True))
        assert set(arcs) <= there
        if not options.get("replace"):
            assert len(set(arcs)) == len(arcs)
    for outer, inner in itertools.pairwise(blocks):
        assert np.array_equal(outer.dst_nodes, inner.src_nodes)


def test_the_last_fanout_is_the_batch_s_own() -> None:
    """As in DGL, whose NeighborSampler goes through the fan-outs from the last to the first."""
    graph = gnd.Graph.from_edges(np.repeat(np.arange(20), 19), [v for u in range(20) for v in range(20) if v != u])
    _, _, blocks = gnd.PGSampler([7, 2], seed=1).sample(graph, [0])
    assert np.diff(blocks[1].indptr).tolist() == [2]
    assert set(np.diff(blocks[0].indptr).tolist()) == {7}


def test_seeds_of_calls(graph: gnd.Graph) -> None:
    sampler = gnd.PGSampler([5, 5], seed=4)
    first, second = sampler.sample(graph, [1, 2])[0], sampler.sample(graph, [1, 2])[0]
    assert first.tolist() != second.tolist()
    again = gnd.PGSampler([5, 5], seed=4)
    assert again.sample(graph, [1, 2])[0].tolist() == first.tolist()
    assert again.sample(graph, [1, 2])[0].tolist() == second.tolist()
    word = gnd.rng.word(gnd.rng.key(gnd.rng.stream(4, gnd.rng.SEEDS), 0), 1)
    assert again.sample(graph, [1, 2], seed=word)[0].tolist() == second.tolist()
    one, two = gnd.PGSampler([5, 5]), gnd.PGSampler([5, 5])
    assert one.seed != two.seed


def test_choices_depend_on_the_vertex_not_on_its_place(graph: gnd.Graph) -> None:
    sampler = gnd.PGSampler([4])
    together = sampler.sample(graph, [5, 9, 2], seed=3)[2][0]
    for i, v in enumerate([5, 9, 2]):
        alone = sampler.sample(graph, [v], seed=3)[2][0]
        ids = together.edge_ids[together.indptr[i] : together.indptr[i + 1]]
        assert ids.tolist() == alone.edge_ids.tolist()


def test_excluded_edges_are_left_out(graph: gnd.Graph) -> None:
    sampler = gnd.PGSampler([-1], seed=1)
    all_ids = sampler.sample(graph, [5, 9])[2][0].edge_ids
    out = all_ids[::2]
    _, _, blocks = sampler.sample(graph, [5, 9], out)
    assert set(blocks[0].edge_ids.tolist()) == set(all_ids.tolist()) - set(out.tolist())
    same = sampler.sample(graph, [5, 9], np.empty(0, np.int64))[2][0]
    assert np.array_equal(same.edge_ids, all_ids)


def test_an_empty_batch(graph: gnd.Graph) -> None:
    inputs, outputs, blocks = gnd.PGSampler([3, 3]).sample(graph, [])
    assert inputs.size == outputs.size == 0
    assert [block.indptr.tolist() for block in blocks] == [[0], [0]]


def test_a_sampler_may_be_pickled(graph: gnd.Graph) -> None:
    sampler = gnd.PGSampler([4, -1], replace=True, weighted="auto" if graph.weighted else False, seed=6)
    sampler.sample(graph, [1])
    copy = pickle.loads(pickle.dumps(sampler))
    assert repr(copy) == repr(sampler)
    assert np.array_equal(copy.sample(graph, [1])[0], sampler.sample(graph, [1])[0])
    assert pickle.loads(pickle.dumps(gnd.PGSampler([4]))).seed != gnd.PGSampler([4]).seed


def test_arrays_outlive_the_sampler() -> None:
    indices = gnd.PGSampler([8, 8], seed=2).sample(corpus.graph(), np.arange(100))[2][0].indices
    kept = indices.copy()
    for _ in range(3):
        gnd.PGSampler([8, 8], seed=3).sample(corpus.graph(), np.arange(100))
    assert np.array_equal(indices, kept)


def test_how_a_block_shows_itself(graph: gnd.Graph) -> None:
    block = gnd.PGSampler([1], seed=2).sample(graph, [1, 2])[2][0]
    assert "2 destinations, 2 edges" in repr(block)
