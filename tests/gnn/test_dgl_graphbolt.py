"""PGNeighborSampler in GraphBolt's data pipes, beside its own sampler."""

import dgl
import numpy as np
import pytest
import torch
from dgl_blocks import alike

import gonextdoor as gnd

gb = pytest.importorskip("dgl.graphbolt")


@pytest.fixture(autouse=True)
def sampler_type(graphbolt):
    from gonextdoor.dgl import PGNeighborSampler

    return PGNeighborSampler


@pytest.fixture
def plain(edges):
    order = np.argsort(edges.dst, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(edges.dst, minlength=edges.vertices))])
    attributes = {
        "w": torch.from_numpy(edges.weights[order]),
        "some": torch.from_numpy(edges.weights[order] < 0.3),
        gb.ORIGINAL_EDGE_ID: torch.from_numpy(order),
    }
    return gb.fused_csc_sampling_graph(
        torch.from_numpy(indptr), torch.from_numpy(edges.src[order]), edge_attributes=attributes
    )


@pytest.fixture
def typed(typed_edges):
    return gb.from_dglgraph(typed_edges.dgl(), is_homogeneous=False, include_original_edge_id=True)


def pipe(items, size=100, shuffle=False):
    return gb.ItemSampler(items, batch_size=size, shuffle=shuffle)


def check(edges, minibatch, fanouts=None):
    """Edges are those of their ids, and rows begin with columns."""
    for graph, fanout in zip(minibatch.sampled_subgraphs, fanouts or [None] * 9, strict=False):
        indptr, indices = graph.sampled_csc.indptr.long(), graph.sampled_csc.indices.long()
        columns, rows, ids = graph.original_column_node_ids, graph.original_row_node_ids, graph.original_edge_ids
        assert torch.equal(rows[: len(columns)], columns) and len(rows.unique()) == len(rows)
        assert np.array_equal(edges.src[ids], rows[indices])
        assert np.array_equal(edges.dst[ids], columns.repeat_interleave(indptr.diff()))
        if fanout is not None:
            degrees = np.bincount(edges.dst, minlength=edges.vertices)[columns]
            assert indptr.diff().tolist() == (degrees if fanout < 0 else degrees.clip(max=fanout)).tolist()
    assert torch.equal(minibatch.input_nodes, minibatch.sampled_subgraphs[0].original_row_node_ids)


@pytest.mark.parametrize("number", [0, 2])
def test_batches(plain, edges, number):
    items = gb.ItemSet(torch.arange(1000), names="seed_nodes")

    def epoch(number):
        minibatches = pipe(items).pg_sample_neighbor(plain, [4, -1], seed=3)
        minibatches.set_epoch(0)
        return list(gb.DataLoader(minibatches, num_workers=number))

    seen = {}
    for minibatch in epoch(number):
        check(edges, minibatch, [4, -1])
        assert [block.num_edges() for block in minibatch.blocks][1] > 0
        seen[tuple(minibatch.seed_nodes.tolist())] = minibatch.input_nodes.tolist()
    assert len(seen) == 10
    if number:
        assert seen == {tuple(m.seed_nodes.tolist()): m.input_nodes.tolist() for m in epoch(0)}


def test_item_sets_of_later_names_and_links(plain, edges):
    seeds = pipe(gb.ItemSet(torch.arange(200), names="seeds")).pg_sample_neighbor(plain, [3])
    for minibatch in gb.DataLoader(seeds):
        check(edges, minibatch, [3])
    pairs = torch.stack([torch.from_numpy(edges.src[:300]), torch.from_numpy(edges.dst[:300])], 1)
    links = pipe(gb.ItemSet(pairs, names="node_pairs")).sample_uniform_negative(plain, 2)
    for minibatch in gb.DataLoader(links.pg_sample_neighbor(plain, [3, 3], seed=1)):
        check(edges, minibatch, [3, 3])
        src, dst = minibatch.compacted_node_pairs
        columns = minibatch.sampled_subgraphs[-1].original_column_node_ids
        assert torch.equal(columns[src], minibatch.node_pairs[0]) and torch.equal(columns[dst], minibatch.node_pairs[1])


def test_weights_and_masks(plain, edges):
    column = int((np.bincount(edges.dst, minlength=edges.vertices) == 15).nonzero()[0][0])
    items, counts = gb.ItemSet(torch.tensor([column]), names="seed_nodes"), np.zeros((2, edges.edges))
    for side, make in enumerate(("pg_sample_neighbor", "sample_neighbor")):
        minibatches = getattr(pipe(items, 1), make)(plain, [torch.tensor([2])], prob_name="w")
        for _ in range(600):
            np.add.at(counts[side], next(iter(minibatches)).sampled_subgraphs[0].original_edge_ids.numpy(), 1)
    assert alike(*counts)
    everyone = gb.ItemSet(torch.arange(500), names="seed_nodes")
    for minibatch in pipe(everyone).pg_sample_neighbor(plain, [-1], prob_name="some"):
        check(edges, minibatch)
        assert (edges.weights[minibatch.sampled_subgraphs[0].original_edge_ids] < 0.3).all()


@pytest.mark.parametrize("number", [0, 2])
def test_types(typed, typed_edges, number):
    some = gb.ItemSet(torch.arange(90), names="seed_nodes")
    items = gb.ItemSetDict({"user": some, "item": some})
    minibatches = pipe(items, 60).pg_sample_neighbor(typed, [torch.tensor([2, -1, 3]), 4], seed=1)
    names = {":".join(etype): etype for etype in typed_edges.TYPES}
    for minibatch in gb.DataLoader(minibatches, num_workers=number):
        for graph in minibatch.sampled_subgraphs:
            assert graph.sampled_csc.keys() == graph.original_edge_ids.keys() == names.keys()
            for name, etype in names.items():
                csc, ids = graph.sampled_csc[name], graph.original_edge_ids[name]
                columns = graph.original_column_node_ids[etype[2]].repeat_interleave(csc.indptr.long().diff())
                rows = graph.original_row_node_ids[etype[0]][csc.indices.long()]
                assert np.array_equal(typed_edges.ends[etype][0][ids], rows)
                assert np.array_equal(typed_edges.ends[etype][1][ids], columns)
        assert len(minibatch.blocks) == 2


@pytest.mark.parametrize("fanouts", [[-1], [2, -1], [3, 2, 4]], ids=str)
def test_without_deduplication(plain, edges, fanouts):
    """Each edge has a row, in the order of GraphBolt's own; GraphBolt's class takes the same arguments by position."""
    seeds = torch.tensor([1500, 2, 700, 5])
    items = gb.ItemSet(seeds, names="seed_nodes")
    for minibatch in pipe(items, 4).pg_sample_neighbor(plain, fanouts, False, None, False, None, seed=1):
        theirs = next(iter(gb.NeighborSampler(pipe(items, 4), plain, fanouts, False, None, False, None)))
        columns = seeds
        for graph, fanout in zip(minibatch.sampled_subgraphs[::-1], fanouts[::-1], strict=True):
            indptr, indices, ids = graph.sampled_csc.indptr, graph.sampled_csc.indices, graph.original_edge_ids
            rows = graph.original_row_node_ids
            assert torch.equal(graph.original_column_node_ids, columns)
            assert indices.tolist() == list(range(len(columns), len(rows))) and len(indices) == len(ids)
            assert np.array_equal(rows, torch.cat([columns, torch.from_numpy(edges.src[ids])]))
            assert np.array_equal(edges.dst[ids], columns.repeat_interleave(indptr.diff()))
            degrees = np.bincount(edges.dst, minlength=edges.vertices)[columns]
            assert indptr.diff().tolist() == (degrees if fanout < 0 else degrees.clip(max=fanout)).tolist()
            columns = rows
        assert torch.equal(minibatch.input_nodes, columns)
        if len(fanouts) == 1:
            assert len(minibatch.input_nodes) == len(theirs.input_nodes)


def test_rows_that_repeat_choose_for_themselves(plain, edges):
    column = int((np.bincount(edges.dst, minlength=edges.vertices) == 15).nonzero()[0][0])
    items = gb.ItemSet(torch.tensor([column] * 40), names="seed_nodes")
    batch = next(iter(pipe(items, 40).pg_sample_neighbor(plain, [1], deduplicate=False, seed=2)))
    assert len(batch.sampled_subgraphs[0].original_edge_ids.unique()) > 8
    same = [
        next(iter(pipe(items, 40).pg_sample_neighbor(plain, [2, 2], deduplicate=False, seed=2, threads=n))).input_nodes
        for n in (1, 3)
    ]
    assert torch.equal(*same)


def test_types_without_deduplication(typed, typed_edges):
    items = gb.ItemSetDict({"item": gb.ItemSet(torch.arange(60), names="seed_nodes")})
    for minibatch in pipe(items, 30).pg_sample_neighbor(typed, [2, torch.tensor([2, -1, 3])], deduplicate=False):
        for graph in minibatch.sampled_subgraphs:
            edges = 0
            for etype in typed_edges.TYPES:
                csc, ids = graph.sampled_csc[":".join(etype)], graph.original_edge_ids[":".join(etype)]
                columns = graph.original_column_node_ids[etype[2]].repeat_interleave(csc.indptr.diff())
                assert np.array_equal(
                    typed_edges.ends[etype][0][ids], graph.original_row_node_ids[etype[0]][csc.indices]
                )
                assert np.array_equal(typed_edges.ends[etype][1][ids], columns)
                edges += len(ids)
            count = lambda ids: sum(map(len, ids.values()))  # noqa: E731
            assert count(graph.original_row_node_ids) == count(graph.original_column_node_ids) + edges
        assert minibatch.blocks[0].num_edges("buys") > 0


def test_vertices_that_repeat(plain, edges):
    items = gb.ItemSet(torch.tensor([3, 150, 3, 7]), names="seed_nodes")
    graph = next(iter(pipe(items, 4).pg_sample_neighbor(plain, [2], seed=1))).sampled_subgraphs[0]
    assert graph.original_column_node_ids.tolist() == graph.original_row_node_ids[:4].tolist() == [3, 150, 3, 7]
    indptr, ids = graph.sampled_csc.indptr.tolist(), graph.original_edge_ids
    assert ids[indptr[0] : indptr[1]].tolist() == ids[indptr[2] : indptr[3]].tolist()
    assert np.array_equal(edges.src[ids], graph.original_row_node_ids[graph.sampled_csc.indices])


def test_graphs_of_our_own(edges):
    graph = gnd.Graph.from_edges(edges.dst, edges.src, num_vertices=edges.vertices)
    items = gb.ItemSet(torch.arange(300), names="seed_nodes")
    for minibatch in pipe(items).pg_sample_neighbor(graph, [2, 2]):
        check(edges, minibatch, [2, 2])


def test_what_is_refused(plain):
    items = gb.ItemSet(torch.arange(300), names="seed_nodes")
    cases = [
        ((3, [2]), {}, TypeError, "graph: expected a dgl.graphbolt"),
        ((plain, []), {}, ValueError, "fanouts is empty"),
        ((plain, [-2]), {}, ValueError, r"fanouts\[0\] = -2"),
        ((plain, [torch.tensor([1, 2])]), {}, ValueError, r"fanouts\[0\] = \[1, 2\]"),
        ((plain, [2]), {"prob_name": "none"}, ValueError, "prob_name = 'none'"),
        ((plain, [2]), {"replace": 1}, TypeError, "replace = 1"),
        ((plain, [2]), {"deduplicate": 1}, TypeError, "deduplicate = 1"),
        ((plain, [2], False, None, True, len), {}, ValueError, "sampler = <built-in function len>: expected None"),
        ((gnd.rmat(4, seed=1), [2]), {"prob_name": "w"}, ValueError, "prob_name = 'w'"),
    ]
    for given, options, error, text in cases:
        with pytest.raises(error, match=text) as caught:
            pipe(items).pg_sample_neighbor(*given, **options)
        assert isinstance(caught.value, dgl.DGLError)
    pipe(items).pg_sample_neighbor(plain, [2], sampler=plain.sample_neighbors)  # GraphBolt's default
    timed = gb.ItemSet((torch.arange(10), torch.arange(10)), names=("seed_nodes", "timestamp"))
    with pytest.raises(ValueError, match="timestamp"):
        next(iter(pipe(timed).pg_sample_neighbor(plain, [2])))


@pytest.mark.parametrize("reverse", [False, True])
def test_seed_edges_are_excluded_by_graphbolts_transform(edges, plain, reverse):
    """GraphBolt removes edges from subgraphs after they were sampled."""
    pairs = torch.from_numpy(np.stack([edges.src[:300], edges.dst[:300]], axis=1))
    sampled = pipe(gb.ItemSet(pairs, names="node_pairs")).pg_sample_neighbor(plain, [-1, -1], seed=1)
    for minibatch in sampled.transform(lambda batch: gb.exclude_seed_edges(batch, include_reverse_edges=reverse)):
        links = set(zip(*(ends.tolist() for ends in minibatch.node_pairs), strict=True))
        links |= {(v, u) for u, v in links} if reverse else set()
        check(edges, minibatch)
        for graph in minibatch.sampled_subgraphs:
            ids = graph.original_edge_ids.numpy()
            seeds = set(graph.original_column_node_ids.tolist())
            every = zip(range(edges.edges), edges.src.tolist(), edges.dst.tolist(), strict=True)
            assert sorted(ids) == [i for i, u, v in every if v in seeds and (u, v) not in links]
