"""PinSAGESampler of PyG: neighbours by visits, in PyG's own NodeLoader and in this package's loaders."""

import numpy as np
import pytest
import torch
from gonextdoor.pyg import NeighborLoader, PinSAGESampler
from gonextdoor.sampling.stoppedwalks import stop_units, walks_along
from pyg_data import asked, flat, typed
from torch_geometric.data import HeteroData
from torch_geometric.loader import LinkLoader, NodeLoader
from torch_geometric.sampler import EdgeSamplerInput

from gonextdoor import rng

PATH = [("paper", "rev_writes", "author"), ("author", "writes", "paper")]
NODES = torch.arange(200)


def made(num_neighbors=(3, 2), traversals=2, stop=0.3, walks=20, **options):
    return PinSAGESampler(typed(), list(num_neighbors), traversals, stop, walks, PATH, **{"seed": 7, **options})


def parts(batch):
    return [batch[name].tolist() for name in ("n_id", "edge_index", "edge_weight", "x")]


@pytest.mark.parametrize("seeds", [[5, 0, 150], [4, 9, 4]])
def test_hops_by_the_serial_definition(seeds):
    """Seed by seed: walks, then the nodes by decreasing visits, then nodes that are new in the order of edges."""
    sampler = made()
    out = sampler.sample_many([asked(torch.tensor(seeds))], [11])[0]
    graphs = [sampler._source.graphs[kind] for kind in PATH] * 2
    nodes, edges, first, counts = list(seeds), [], 0, [len(seeds)]
    for hop, most in enumerate((3, 2)):
        todo, last = nodes[first:], len(nodes)
        stops = [0, 0, stop_units(0.3), 0]
        seed = rng.word(rng.key(rng.stream(11, rng.SEEDS), 0), hop)
        walks, _ = walks_along(graphs, np.repeat(todo, 20), stops, seed=seed, device="cpu", threads=1)
        for i in range(len(todo)):
            ends = walks[i * 20 : i * 20 + 20, 2::2].ravel().tolist()
            visits = sorted((-ends.count(node), node) for node in {*ends} - {-1})
            for count, node in visits[:most]:
                if node not in nodes:
                    nodes.append(node)
                edges.append((nodes.index(node), first + i, -count))
        first, counts = last, [*counts, len(nodes) - last]
    assert out.node.tolist() == nodes and out.num_sampled_nodes == counts and sum(out.num_sampled_edges) == len(edges)
    assert list(zip(out.row.tolist(), out.col.tolist(), out.edge.tolist(), strict=True)) == edges


@pytest.mark.parametrize("stop", [0.0, 0.4, 1.0])
def test_visits_have_their_probabilities(stop):
    """The expected visits of 20,000 walks; each count is a sum of two frequencies."""
    data, walks = typed(), 20_000
    counts = {kind: np.zeros(data[kind].size()) for kind in PATH}
    for kind in PATH:
        np.add.at(counts[kind], tuple(data[kind].edge_index.numpy()), 1)
    there, back = (counts[kind] / np.maximum(counts[kind].sum(1, keepdims=True), 1) for kind in PATH)
    once = there @ back
    expected = walks * (once + (1 - stop) * once @ once)
    out = made([-1], stop=stop, walks=walks).sample_from_nodes(asked(NODES[:2]))
    found = np.zeros((2, 200))
    found[out.col.numpy(), out.node[out.row].numpy()] = out.edge.numpy()
    assert (np.abs(found - expected[:2]) <= 5 * np.sqrt(2 * expected[:2]) + 1).all()


@pytest.mark.parametrize("path", [None, PATH])
def test_neighbours_are_those_of_the_dgl_class(path):
    dgl, adapter = pytest.importorskip("dgl"), pytest.importorskip("gonextdoor.dgl")
    data = flat() if path is None else typed()
    ends = data.edge_index if path is None else {kind: tuple(data[kind].edge_index) for kind in PATH}
    g = dgl.graph(tuple(ends), num_nodes=300) if path is None else dgl.heterograph(ends, {"paper": 200, "author": 90})
    names = path and [kind[1] for kind in path]
    theirs = adapter.RandomWalkNeighborSampler(g, 3, 0.4, 50, 4, names)
    with theirs._seeds.fixed(rng.word(rng.key(rng.stream(5, rng.SEEDS), 0), 0)):
        frontier = theirs(NODES[:60])
    sampler = PinSAGESampler(data, [4], 3, 0.4, 50, path, seed=1)
    out = sampler.sample_many([asked(NODES[:60])], [5])[0]
    assert torch.equal(torch.stack([out.node[out.row], out.node[out.col]]), torch.stack(frontier.edges()))
    assert torch.equal(sampler.data.edge_weight[out.edge], frontier.edata["weights"].float())


def test_pyg_s_own_loader(workers):
    """Batches of every kind of workers are those of none, and have the features of their nodes."""
    sampler, options = made(), {"input_nodes": NODES, "batch_size": 64, "shuffle": False}
    sampler.set_epoch(3)
    batches = list(NodeLoader(sampler.data, sampler, **options, **workers))
    again = made()
    again.set_epoch(3)
    assert [*map(parts, batches)] == [*map(parts, NodeLoader(again.data, again, **options))]
    for batch in batches:
        assert torch.equal(batch.x, typed()["paper"].x[batch.n_id]) and batch.edge_weight.dtype == torch.float32
        assert batch.num_nodes == sum(batch.num_sampled_nodes) and batch.num_edges == sum(batch.num_sampled_edges)
        into = torch.zeros(batch.num_nodes).index_add_(0, batch.edge_index[1], batch.edge_weight)
        assert bool((into <= 40).all()) and batch.edge_weight.min() >= 1


def loader(sampler=None, **options):
    sampler = sampler or made()
    given = {"input_nodes": NODES, "batch_size": 16, "shuffle": True}
    return NeighborLoader(sampler.data, None, neighbor_sampler=sampler, **given, **options)


def test_ranks_and_resumed_loaders():
    whole = [*map(parts, loader())]
    ranks = [[*map(parts, loader(rank=rank, world=2))] for rank in range(2)]
    assert [batch for pair in zip(*ranks, strict=True) for batch in pair][: len(whole)] == whole
    assert [*map(parts, loader(num_workers=2))] == [*map(parts, loader(prefetch=2, threads=2))] == whole
    begun = loader()
    pass_ = iter(begun)
    assert [parts(next(pass_)) for _ in range(4)] == whole[:4]
    resumed = loader()
    resumed.load_state_dict(begun.state_dict())
    assert [*map(parts, resumed)] == whole[4:]
    with pytest.raises(ValueError, match="it has num_random_walks = 20, and this loader has num_random_walks = 21"):
        loader(made(walks=21)).load_state_dict(begun.state_dict())


def test_a_loader_of_the_data_itself_fails():
    """Its edge attributes must not be taken by numbers of visits."""
    data = flat()
    sampler = PinSAGESampler(data, [3], 2, 0.5, 10, seed=1)
    batch = next(iter(NodeLoader(sampler.data, sampler, input_nodes=NODES, batch_size=5)))
    assert batch.edge_weight.max() <= 20 and "edge_attr" not in batch and batch.y.shape == batch.n_id.shape
    with pytest.raises(IndexError):
        next(iter(NodeLoader(data, sampler, input_nodes=NODES, batch_size=5)))
    with pytest.raises(ValueError, match=r"input_type = 'paper': expected None; pass sampler\.data to the loader"):
        next(iter(NodeLoader(typed(), made(), input_nodes=("paper", NODES))))
    data.edge_index = data.edge_index.flip(0)
    with pytest.raises(ValueError, match="edge_index"):
        sampler.sample_from_nodes(asked(NODES[:2]))


def test_nothing_to_visit():
    data = HeteroData()
    data["paper"].num_nodes, data["author"].num_nodes = 3, 2
    for kind in PATH:
        data[kind].edge_index = torch.empty(2, 0, dtype=torch.int64)
    sampler = PinSAGESampler(data, [2, 2], 2, 0.5, 10, PATH, seed=1)
    for seeds in ([1, 0], []):
        out = sampler.sample_from_nodes(asked(torch.tensor(seeds, dtype=torch.int64)))
        assert out.node.tolist() == seeds and out.num_sampled_nodes == [len(seeds), 0, 0] and len(out.row) == 0
    out = PinSAGESampler(data, [], 2, 0.5, 10, PATH).sample_from_nodes(asked([2]))
    assert out.node.tolist() == [2] and out.num_sampled_edges == [] and out.edge.dtype == torch.int64


@pytest.mark.parametrize(
    "change, error, text",
    [
        ({"data": 3}, TypeError, r"data: expected a Data or a HeteroData, got int"),
        ({"num_neighbors": 3}, TypeError, r"num_neighbors = 3: expected a list, one number per hop"),
        ({"num_neighbors": [-2]}, ValueError, r"num_neighbors\[0\] = -2"),
        ({"num_traversals": 0}, ValueError, r"num_traversals = 0: expected"),
        ({"num_random_walks": 1 << 24}, ValueError, r"num_random_walks = 16777216: expected"),
        ({"termination_prob": 1.5}, ValueError, r"termination_prob = 1\.5: expected a probability from 0 to 1"),
        ({"device": ["cpu"]}, TypeError, r"device = \['cpu'\]: expected \"cpu\", or one GPU"),
        ({"metapath": None}, ValueError, r"metapath = None: the data has the edge types"),
        ({"metapath": "cites"}, TypeError, r"metapath = 'cites': expected a list of edge types"),
        ({"metapath": []}, ValueError, r"metapath = \[\]: expected at least one edge type"),
        ({"metapath": PATH[:1]}, ValueError, r"metapath: expected an edge type to 'paper' at its end"),
        ({"metapath": PATH[:1] * 2}, ValueError, r"metapath: expected an edge type to 'paper' at its end"),
        ({"metapath": [*PATH, PATH[1]]}, ValueError, r"metapath: expected an edge type to 'paper'|metapath\[2\]"),
        ({"metapath": [("paper", "sells", "paper")]}, ValueError, r"metapath\[0\] = \('paper', 'sells', 'paper'\)"),
        ({"data": flat()}, ValueError, r"metapath = \[.*\]: expected None, as data is a Data"),
    ],
)
def test_refusals(change, error, text):
    whole = {"data": typed(), "num_neighbors": [2], "num_traversals": 2, "termination_prob": 0.5}
    with pytest.raises(error, match=text):
        PinSAGESampler(**{**whole, "num_random_walks": 10, "metapath": PATH, **change})


def test_batches_that_are_refused():
    sampler = made()
    for index, error, text in (
        (asked([200]), IndexError, r"node\[0\] = 200: there are 200 nodes"),
        (asked([0.5]), TypeError, r"node: expected a tensor of ints, got torch\.float32"),
        (asked([1], [3]), ValueError, r"input_time: the sampler has no times, leave it out"),
        (EdgeSamplerInput(None, NODES[:2], NODES[:2]), NotImplementedError, "PinSAGESampler samples nodes"),
    ):
        with pytest.raises(error, match=text):
            sampler.sample_many([index], [1])
    links = LinkLoader(sampler.data, sampler, edge_label_index=NODES.view(2, -1))
    with pytest.raises(NotImplementedError, match="use a NodeLoader with the ends of the links"):
        next(iter(links))
