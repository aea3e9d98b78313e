"""gonextdoor.pyg.NeighborSampler with the real PyG: nodes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from gonextdoor.pyg import NeighborSampler
from pyg_data import asked, flat, typed
from torch_geometric.data import Data
from torch_geometric.sampler import SamplerOutput
from torch_geometric.sampler.base import NumNeighbors
from torch_geometric.utils import k_hop_subgraph


def check(data, out, seeds):
    """What holds for any sample: seeds first, each node once, edges of the graph by their original ids."""
    assert out.node[: len(seeds)].tolist() == list(seeds)
    rest = out.node[len(seeds) :].tolist()
    assert len(set(rest)) == len(rest) and not set(rest) & set(seeds)
    assert torch.equal(data.edge_index[:, out.edge], torch.stack([out.node[out.row], out.node[out.col]]))
    assert sum(out.num_sampled_nodes) == len(out.node) and sum(out.num_sampled_edges) == len(out.row)
    assert all(t.dtype == torch.int64 and t.is_contiguous() for t in (out.node, out.row, out.col, out.edge))
    begin = end = 0  # each hop leads to what the hop before met first
    at = 0
    for nodes, edges in zip(out.num_sampled_nodes, out.num_sampled_edges, strict=False):
        begin, end = end, end + nodes
        col = out.col[at : at + edges]
        assert bool((col[1:] >= col[:-1]).all()) and bool(((col >= begin) & (col < end)).all())
        at += edges


@pytest.mark.parametrize("replace", [False, True])
def test_a_batch_is_a_neighbourhood(replace):
    data, seeds = flat(), [5, 299, 0, 17]
    out = NeighborSampler(data, [4, 3], replace=replace, seed=1).sample_from_nodes(asked(seeds))
    assert isinstance(out, SamplerOutput) and out.batch is None
    check(data, out, seeds)
    degrees = np.bincount(data.edge_index[1].numpy(), minlength=300)
    counts = np.bincount(out.col.numpy(), minlength=len(out.node))
    for place in range(out.num_sampled_nodes[0] + out.num_sampled_nodes[1]):
        degree, fanout = degrees[out.node[place]], 4 if place < 4 else 3
        assert counts[place] == (fanout if replace and degree else min(degree, fanout))
    if not replace:
        assert len(set(out.edge.tolist())) == len(out.edge)


@pytest.mark.parametrize("subgraph_type", ["directional", "induced"])
def test_all_neighbours_are_the_k_hop_subgraph(subgraph_type):
    data, seeds = flat(m=700), [3, 44, 7]
    out = NeighborSampler(data, [-1, -1], subgraph_type=subgraph_type).sample_from_nodes(asked(seeds))
    nodes, _, _, mask = k_hop_subgraph(seeds, 2, data.edge_index, num_nodes=300)
    assert set(out.node.tolist()) == set(nodes.tolist())
    if subgraph_type == "induced":
        assert sorted(out.edge.tolist()) == mask.nonzero().view(-1).tolist()
        assert out.num_sampled_nodes is None and out.num_sampled_edges is None
        assert torch.equal(data.edge_index[:, out.edge], torch.stack([out.node[out.row], out.node[out.col]]))
        return
    within, _, _, _ = k_hop_subgraph(seeds, 1, data.edge_index, num_nodes=300)  # each of these takes all its edges
    wanted = torch.isin(data.edge_index[1], within).nonzero().view(-1)
    assert sorted(out.edge.tolist()) == wanted.tolist()


def test_bidirectional_holds_the_reverse_of_each_edge():
    data = flat(m=700)
    sampler = NeighborSampler(data, [3, 2], subgraph_type="bidirectional", seed=4)
    out = sampler.sample_from_nodes(asked([3, 44]))
    pairs = set(zip(out.row.tolist(), out.col.tolist(), strict=True))
    assert pairs == {(b, a) for a, b in pairs} and out.num_sampled_nodes is None and len(pairs) == len(out.row)
    plain = NeighborSampler(data, [3, 2], seed=4)
    theirs = plain.sample_from_nodes(asked([3, 44]), batch_seed=5).to_bidirectional()
    mine = sampler.sample_from_nodes(asked([3, 44]), batch_seed=5)
    assert torch.equal(mine.row, theirs.row) and torch.equal(mine.col, theirs.col)
    ends, edges = mine.node[torch.stack([mine.row, mine.col])], data.edge_index[:, mine.edge]
    assert bool(((ends == edges).all(0) | (ends.flip(0) == edges).all(0)).all())
    sampler.keep_orig_edges = True
    kept = sampler.sample_from_nodes(asked([3, 44]), batch_seed=5)
    assert len(kept.orig_row) == sum(kept.num_sampled_edges)
    assert {(a, b) for a, b in zip(kept.orig_row.tolist(), kept.orig_col.tolist(), strict=True)} <= set(
        zip(kept.row.tolist(), kept.col.tolist(), strict=True)
    )


def test_backward_follows_the_edges_that_leave():
    data = flat(m=700)
    out = NeighborSampler(data, [-1], sample_direction="backward").sample_from_nodes(asked([3, 44]))
    wanted = torch.isin(data.edge_index[0], torch.tensor([3, 44])).nonzero().view(-1)
    assert sorted(out.edge.tolist()) == wanted.tolist()
    assert torch.equal(data.edge_index[:, out.edge], torch.stack([out.node[out.row], out.node[out.col]]))


def test_seeds_that_repeat_have_a_place_each_time():
    data, seeds = flat(), [5, 9, 5, 5, 2, 9]
    sampler = NeighborSampler(data, [4, 3], seed=3)
    out, once = (
        sampler.sample_from_nodes(asked(seeds), batch_seed=11),
        sampler.sample_from_nodes(asked([5, 9, 2]), batch_seed=11),
    )
    assert out.node[:6].tolist() == seeds and out.node[6:].tolist() == once.node[3:].tolist()
    assert out.num_sampled_nodes == [6, *once.num_sampled_nodes[1:]]
    assert torch.equal(data.edge_index[:, out.edge], torch.stack([out.node[out.row], out.node[out.col]]))
    hop = out.num_sampled_edges[0]
    for place, unique in enumerate([0, 1, 0, 0, 2, 1]):
        mine = out.edge[:hop][out.col[:hop] == place]
        assert torch.equal(
            mine, once.edge[: once.num_sampled_edges[0]][once.col[: once.num_sampled_edges[0]] == unique]
        )
    assert torch.equal(out.edge[hop:], once.edge[once.num_sampled_edges[0] :])
    assert not ({2, 3, 5} & set(out.row.tolist()))  # the first place stands for the node
    assert bool((out.col[1:hop] >= out.col[: hop - 1]).all())


@pytest.mark.parametrize("kind", ["paper", "author"])
def test_seeds_of_a_type_that_repeat(kind):
    data, seeds = typed(), [5, 9, 5, 5, 2, 9]
    sampler = NeighborSampler(data, [4, 3], seed=3)
    index = [asked(nodes, kind=kind) for nodes in (seeds, [5, 9, 2])]
    out, once = (sampler.sample_from_nodes(one, batch_seed=11) for one in index)
    assert out.node[kind][:6].tolist() == seeds
    for name, nodes in out.node.items():
        assert sum(out.num_sampled_nodes[name]) == len(nodes) == len(once.node[name]) + (3 if name == kind else 0)
    for edge_type in data.edge_types:
        row, col, edge = out.row[edge_type], out.col[edge_type], out.edge[edge_type]
        ends = torch.stack([out.node[edge_type[0]][row], out.node[edge_type[2]][col]])
        assert torch.equal(data[edge_type].edge_index[:, edge], ends)
        hop, first = out.num_sampled_edges[edge_type][0], once.num_sampled_edges[edge_type][0]
        assert sum(out.num_sampled_edges[edge_type]) == len(edge)
        assert torch.equal(edge[hop:], once.edge[edge_type][first:])
        if edge_type[2] == kind:
            for place, unique in enumerate([0, 1, 0, 0, 2, 1]):
                mine = once.edge[edge_type][:first][once.col[edge_type][:first] == unique]
                assert torch.equal(edge[:hop][col[:hop] == place], mine)


def test_disjoint_trees():
    data, seeds = flat(m=900), [5, 9, 5, 2]
    out = NeighborSampler(data, [4, 3], disjoint=True, seed=3).sample_from_nodes(asked(seeds))
    assert out.node[:4].tolist() == seeds and out.batch[:4].tolist() == [0, 1, 2, 3]
    assert torch.equal(out.batch[out.row], out.batch[out.col])
    pairs = list(zip(out.batch.tolist(), out.node.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    assert torch.equal(data.edge_index[:, out.edge], torch.stack([out.node[out.row], out.node[out.col]]))


def test_types():
    data, seeds = typed(), [5, 199, 0]
    sampler = NeighborSampler(data, {e: [3, 2] for e in data.edge_types}, seed=1)
    out = sampler.sample_from_nodes(asked(seeds, kind="paper"))
    assert out.node["paper"][:3].tolist() == seeds and set(out.node) == {"paper", "author"}
    for edge_type in data.edge_types:
        source, _, destination = edge_type
        ends = torch.stack([out.node[source][out.row[edge_type]], out.node[destination][out.col[edge_type]]])
        assert torch.equal(data[edge_type].edge_index[:, out.edge[edge_type]], ends)
        assert len(out.num_sampled_edges[edge_type]) == 2
    assert all(sum(out.num_sampled_nodes[t]) == len(out.node[t]) for t in out.node)
    assert out.num_sampled_nodes["author"][0] == 0 and out.num_sampled_nodes["paper"][0] == 3


def test_types_all_neighbours():
    data = typed()
    out = NeighborSampler(data, [-1, -1]).sample_from_nodes(asked([7], kind="author"))
    reverse = data["paper", "rev_writes", "author"].edge_index
    papers = set(reverse[0][reverse[1] == 7].tolist())
    first = out.num_sampled_nodes["paper"]
    assert first[0] == 0 and set(out.node["paper"][: first[1]].tolist()) == papers
    cites, writes = (data[e].edge_index for e in (("paper", "cites", "paper"), ("author", "writes", "paper")))
    reached = torch.isin(cites[1], torch.tensor(sorted(papers)))
    assert set(out.node["paper"].tolist()) == papers | set(cites[0][reached].tolist())
    authors = torch.isin(writes[1], torch.tensor(sorted(papers)))
    assert set(out.node["author"].tolist()) == {7} | set(writes[0][authors].tolist())
    assert sorted(out.edge["author", "writes", "paper"].tolist()) == authors.nonzero().view(-1).tolist()


@pytest.mark.parametrize("subgraph_type", ["induced", "bidirectional"])
def test_types_in_other_subgraphs(subgraph_type):
    data = typed()
    out = NeighborSampler(data, [3, 2], subgraph_type=subgraph_type).sample_from_nodes(asked([7, 8], kind="author"))
    assert out.node["author"][:2].tolist() == [7, 8]
    if subgraph_type == "induced":
        for edge_type in data.edge_types:
            edges = data[edge_type].edge_index
            inside = torch.isin(edges[0], out.node[edge_type[0]]) & torch.isin(edges[1], out.node[edge_type[2]])
            assert sorted(out.edge[edge_type].tolist()) == inside.nonzero().view(-1).tolist()


def test_fanouts_by_type_and_default():
    data, cites = typed(), ("paper", "cites", "paper")
    sampler = NeighborSampler(data, NumNeighbors({cites: [0, 4]}, default=[2, 0]))
    out = sampler.sample_from_nodes(asked([5, 6], kind="paper"))
    assert out.num_sampled_edges[cites][0] == 0 and max(out.num_sampled_edges["author", "writes", "paper"]) <= 4
    sampler.num_neighbors = [1]
    assert sampler.sample_from_nodes(asked([5, 6], kind="paper")).num_sampled_edges[cites] == [2]


@pytest.mark.parametrize("where", ["node", "edge"])
@pytest.mark.parametrize("strategy", ["uniform", "last"])
def test_no_edge_from_the_future(where, strategy):
    data = flat()
    draws = np.random.default_rng(5)
    data.time = torch.from_numpy(draws.integers(0, 100, 300 if where == "node" else 3000))
    sampler = NeighborSampler(data, [3, 2], time_attr="time", temporal_strategy=strategy, seed=1)
    assert sampler.disjoint and sampler.is_temporal
    times = draws.integers(0, 100, 40)
    out = sampler.sample_from_nodes(asked(np.arange(40), times))
    of_edge = data.time[data.edge_index[0]] if where == "node" else data.time
    limit = torch.from_numpy(times)[out.batch]
    assert bool((of_edge[out.edge] <= limit[out.col]).all())
    taken = np.bincount(out.col.numpy(), minlength=40)
    for place in range(40):  # as many as there are, and of "last" the latest
        row = ((data.edge_index[1] == place) & (of_edge <= times[place])).nonzero().view(-1)
        assert taken[place] == min(len(row), 3)
        if strategy == "last":
            latest = torch.sort(of_edge[row]).values[-3:].tolist()
            assert sorted(of_edge[out.edge[out.col == place]].tolist()) == latest


def test_seeds_without_times_have_those_of_their_nodes():
    data = flat()
    data.time = torch.from_numpy(np.random.default_rng(5).integers(0, 100, 300))
    sampler = NeighborSampler(data, [3], time_attr="time", seed=1)
    out = sampler.sample_from_nodes(asked([4, 9]), batch_seed=3)
    same = sampler.sample_from_nodes(asked([4, 9], data.time[[4, 9]]), batch_seed=3)
    assert torch.equal(out.edge, same.edge)
    assert bool((data.time[out.node] <= data.time[[4, 9]][out.batch]).all())


def test_times_by_type():
    data = typed()
    data["paper"].time = torch.arange(200)
    out = NeighborSampler(data, [4, 4], time_attr="time").sample_from_nodes(asked([50, 150], [50, 150], "paper"))
    limit = torch.tensor([50, 150])
    assert bool((out.node["paper"] <= limit[out.batch["paper"]]).all())
    writes = ("author", "writes", "paper")  # authors have no times: all are there
    taken = np.bincount(out.col[writes][: out.num_sampled_edges[writes][0]], minlength=2)
    degrees = np.bincount(data[writes].edge_index[1], minlength=200)[[50, 150]]
    assert taken.tolist() == np.minimum(degrees, 4).tolist()


@pytest.mark.parametrize("timed", [False, True])
def test_weights_decide_how_often(timed):
    data = Data(edge_index=torch.tensor([[1, 2, 3, 4, 5], [0, 0, 0, 0, 0]]), num_nodes=6)
    data.weight = torch.tensor([1.0, 2.0, 4.0, 0.0, 8.0])
    if timed:
        data.time = torch.tensor([3, 1, 2, 1, 9])
    sampler = NeighborSampler(
        data, [1], weight_attr="weight", time_attr="time" if timed else None, seed=8, disjoint=True
    )
    rounds = 4000
    out = sampler.sample_from_nodes(asked([0] * rounds, [5] * rounds if timed else None))
    seen = np.bincount(out.edge, minlength=5)
    weights = np.array([1, 2, 4, 0, 0 if timed else 8])
    expected = weights / weights.sum() * rounds
    assert seen[expected == 0].sum() == 0
    there = expected > 0
    assert ((seen - expected)[there] ** 2 / expected[there]).sum() < 25  # chi-square of 3 degrees: below 1e-5


def test_a_graph_store_and_a_sparse_matrix_give_the_same_batches():
    data, index = flat(), asked([3, 8, 1])
    first = NeighborSampler(data, [4, 3], seed=6).sample_from_nodes(index, batch_seed=1)
    store = NeighborSampler((data, data), [4, 3], seed=6).sample_from_nodes(index, batch_seed=1)
    matrix = Data(num_nodes=300, y=data.y)
    order = torch.argsort(data.edge_index[1] * 300 + data.edge_index[0], stable=True)
    heads = torch.cat([torch.zeros(1, dtype=torch.long), torch.bincount(data.edge_index[1], minlength=300).cumsum(0)])
    matrix.adj_t = torch.sparse_csr_tensor(heads, data.edge_index[0][order], torch.ones(3000), (300, 300))
    sparse = NeighborSampler(matrix, [4, 3], seed=6).sample_from_nodes(index, batch_seed=1)
    for out in (store, sparse):
        assert torch.equal(out.node, first.node) and torch.equal(out.row, first.row)
    assert torch.equal(store.edge, first.edge) and torch.equal(order[sparse.edge], first.edge)
    kinds = typed()
    a, b = (
        NeighborSampler(d, [4, 3], seed=6).sample_from_nodes(asked([3, 8], kind="paper"), batch_seed=1)
        for d in (kinds, (kinds, kinds))
    )
    assert set(b.node) == {"paper", "author"} and len(b.node["paper"]) > 2
    for edge_type in kinds.edge_types:
        ends = torch.stack([b.node[edge_type[0]][b.row[edge_type]], b.node[edge_type[2]][b.col[edge_type]]])
        assert torch.equal(kinds[edge_type].edge_index[:, b.edge[edge_type]], ends)
    assert sorted(a.node["paper"][:2].tolist()) == sorted(b.node["paper"][:2].tolist())


def test_the_word_alone_decides():
    data = flat()
    samplers = [NeighborSampler(data, [4, 3], seed=s) for s in (1, 1, 2)]
    a, b, c = ([s.sample_from_nodes(asked(range(9))).edge.tolist() for _ in range(3)] for s in samplers)
    assert a == b != c and a[0] != a[1]  # one call after another is fresh
    many = samplers[0].sample_many([asked([1, 2]), asked([1, 1, 4])], [7, 8])
    for word, seeds, out in zip((7, 8), ([1, 2], [1, 1, 4]), many, strict=True):
        alone = samplers[2].sample_from_nodes(asked(seeds), batch_seed=word)
        assert torch.equal(alone.edge, out.edge) and torch.equal(alone.row, out.row)


def test_threads_share_a_sampler():
    sampler = NeighborSampler(flat(), [4, 3], seed=1)
    index = [asked(np.random.default_rng(i).integers(0, 300, 50)) for i in range(40)]
    alone = [sampler.sample_from_nodes(one, batch_seed=i, threads=1).edge.tolist() for i, one in enumerate(index)]
    with ThreadPoolExecutor(8) as pool:
        together = pool.map(
            lambda i: sampler.sample_from_nodes(index[i], batch_seed=i, threads=2).edge.tolist(), range(40)
        )
        assert list(together) == alone


@pytest.mark.parametrize(
    ("change", "what", "text"),
    [
        ({"num_neighbors": {("a", "b", "c"): [1]}}, ValueError, "num_neighbors"),
        ({"num_neighbors": [-2]}, ValueError, r"num_neighbors\[0\] = -2"),
        ({"num_neighbors": [2, 1.5]}, TypeError, r"num_neighbors\[1\] = 1.5"),
        ({"num_neighbors": 5}, TypeError, "num_neighbors = 5"),
        ({"weight_attr": "minus"}, ValueError, r"data.minus\[0\] = -1"),
        ({"time_attr": "minus"}, TypeError, "data.minus: dtype float32"),
        ({"temporal_strategy": "first"}, ValueError, "temporal_strategy = 'first'"),
        ({"subgraph_type": "other"}, ValueError, "other"),
        ({"time_attr": "when"}, ValueError, "time_attr = 'when'"),
        ({"weight_attr": "heavy"}, ValueError, "weight_attr = 'heavy'"),
        ({"weight_attr": "x"}, ValueError, "weight_attr = 'x'"),
        ({"subgraph_type": "induced", "disjoint": True}, NotImplementedError, "induced"),
        ({"replace": 1}, TypeError, "replace"),
        ({"sample_direction": "up"}, ValueError, "sample_direction = 'up'"),
        ({"device": "tpu"}, ValueError, "tpu"),
    ],
)
def test_refusals(change, what, text):
    data = flat()
    data.minus = -torch.ones(3000)
    with pytest.raises(what, match=text):
        NeighborSampler(data, **{"num_neighbors": [2], **change})


def test_refusals_of_types():
    data, cites = typed(), ("paper", "cites", "paper")
    with pytest.raises(ValueError, match="is missing"):
        NeighborSampler(data, {cites: [2]})
    with pytest.raises(ValueError, match="hops"):
        NeighborSampler(data, NumNeighbors({cites: [2]}, default=[2, 2]))
    with pytest.raises(ValueError, match="'x', 'y', 'z'"):
        NeighborSampler(data, {("x", "y", "z"): [2]})
    with pytest.raises(NotImplementedError, match="weight_attr"):
        NeighborSampler((data, data), [2], weight_attr="w")
    with pytest.raises(ValueError, match="neither nodes nor edges"):
        NeighborSampler(data, [2], time_attr="time")
    sampler = NeighborSampler(data, [2])
    with pytest.raises(ValueError, match="input_type = 'book'"):
        sampler.sample_from_nodes(asked([1], kind="book"))
    with pytest.raises(IndexError, match="200"):
        sampler.sample_from_nodes(asked([1, 200], kind="paper"))


def test_refusals_of_batches():
    data = flat()
    sampler = NeighborSampler(data, [2])
    with pytest.raises(ValueError, match="time_attr"):
        sampler.sample_from_nodes(asked([1], [1]))
    with pytest.raises(IndexError, match="300"):
        sampler.sample_from_nodes(asked([1, 300]))
    with pytest.raises(TypeError, match="float"):
        sampler.sample_from_nodes(asked([0.5]))
    data.when = torch.arange(3000)
    timed = NeighborSampler(data, [2], time_attr="when")
    with pytest.raises(ValueError, match="input_time"):
        timed.sample_from_nodes(asked([1]))
    broken = flat()
    broken.edge_index[0, 7] = 300
    with pytest.raises(IndexError, match=r"edge_index, row 0\[7\] = 300"):
        NeighborSampler(broken, [2])
    with pytest.raises(ValueError, match="Expected a 'Data'"):
        NeighborSampler(np.ones(3), [2])
