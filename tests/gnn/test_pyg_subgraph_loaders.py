"""The loaders that need torch-sparse in PyG: ShaDow, GraphSAINT, Cluster-GCN, random nodes and HGT."""

import os

import gonextdoor.pyg as gp
import numpy as np
import pytest
import scipy.stats
import torch
from gonextdoor.pyg import saint, tensors
from gonextdoor.pyg.subgraph import Induced
from pyg_data import flat, typed
from torch_geometric import loader as pyg
from torch_geometric.data import Data

import gonextdoor as gnd

EMULATED = not torch.cuda.is_available() or "GONEXTDOOR_LIBCUDA" in os.environ
DATA, TYPED = flat(), typed()
CLUSTERS = gp.ClusterData(DATA, 12, log=False, clusters="ldg")

LOADERS = {
    "shadow": lambda **more: gp.ShaDowKHopSampler(DATA, 2, 3, torch.arange(250), batch_size=32, shuffle=True, **more),
    "node": lambda **more: gp.GraphSAINTNodeSampler(DATA, 60, num_steps=7, sample_coverage=3, **more),
    "edge": lambda **more: gp.GraphSAINTEdgeSampler(DATA, 30, num_steps=7, sample_coverage=3, **more),
    "walk": lambda **more: gp.GraphSAINTRandomWalkSampler(DATA, 20, 2, num_steps=7, sample_coverage=3, **more),
    "cluster": lambda **more: gp.ClusterLoader(CLUSTERS, batch_size=2, shuffle=True, **more),
    "random": lambda **more: gp.RandomNodeLoader(DATA, num_parts=7, shuffle=True, **more),
    "random typed": lambda **more: gp.RandomNodeLoader(TYPED, num_parts=7, shuffle=True, **more),
    "hgt": lambda **more: gp.HGTLoader(TYPED, [20, 30], "paper", batch_size=30, shuffle=True, **more),
}
ON_GPU = ("shadow", "node", "edge", "walk")


def shown(batch):
    """Everything that a batch has."""
    return str({key: _plain(value) for key, value in batch.to_dict().items()})


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value.tolist() if isinstance(value, torch.Tensor) else value


def epoch(loader):
    return [shown(batch) for batch in loader]


@pytest.mark.parametrize("kind", LOADERS)
def test_workers_ranks_and_states_give_the_same_batches(kind, workers):
    make = LOADERS[kind]
    loader = make(seed=5)
    first, second = epoch(loader), epoch(loader)
    assert len(first) == len(loader) > 4 and len(set(first)) == len(first) and first != second
    assert epoch(make(seed=5, prefetch=0)) == first
    assert epoch(make(seed=5, **workers)) == first
    shares = [epoch(make(seed=5, rank=rank, world=2, even="drop")) for rank in (0, 1)]
    assert [one for pair in zip(*shares, strict=True) for one in pair] == first[: len(first) // 2 * 2]
    begun = make(seed=5)
    handed = iter(begun)
    assert [shown(next(handed)) for _ in range(3)] == first[:3]
    resumed = make()
    resumed.load_state_dict(begun.state_dict())
    assert epoch(resumed) == first[3:] and epoch(resumed) == second


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("kind", ON_GPU)
def test_batches_of_a_gpu_are_those_of_the_cpu(kind, monkeypatch):
    if EMULATED:
        monkeypatch.setattr(tensors, "_tensor", lambda arena: torch.from_numpy(np.asarray(arena)))
    batches = list(LOADERS[kind](seed=5, device="cuda"))
    assert [shown(batch) for batch in batches] == epoch(LOADERS[kind](seed=5))
    assert EMULATED or all(batch.x.is_cuda and batch.edge_index.is_cuda for batch in batches)


@pytest.mark.parametrize("kind", ["shadow", "node", "edge", "walk", "cluster", "random"])
def test_a_batch_has_all_edges_among_its_nodes(kind):
    for batch in LOADERS[kind](seed=2):
        nodes, edges = batch.x.view(-1).long(), batch.edge_attr
        assert torch.equal(DATA.edge_index[:, edges], nodes[batch.edge_index])
        groups = [(0, len(nodes))] if kind != "shadow" else zip(batch.ptr[:-1], batch.ptr[1:], strict=True)
        ends = [torch.isin(DATA.edge_index, nodes[a:b]).all(0).sum() for a, b in groups]
        assert int(sum(ends)) == batch.num_edges == len(batch.edge_attr)
        if kind != "shadow":
            assert len(edges.unique()) == len(edges) and torch.equal(batch.y, DATA.y[nodes])


def test_a_shadow_neighbourhood_is_that_of_its_root():
    roots = torch.arange(40)
    loader = gp.ShaDowKHopSampler(DATA, 2, -1, roots, batch_size=40)
    batch = next(iter(loader))
    sources, destinations = DATA.edge_index
    for i, root in enumerate(roots):
        one = sources[destinations == root].unique()
        two = torch.cat([one, root.view(1), sources[torch.isin(destinations, one)]]).unique()
        assert torch.equal(batch.x[batch.batch == i].view(-1).long(), two)
    assert torch.equal(batch.x[batch.root_n_id].view(-1).long(), roots) and torch.equal(batch.y, DATA.y[roots])


@pytest.mark.parametrize("direction", ["in", "out"])
def test_edges_are_found_on_a_device_by_operations_of_torch_as_on_the_cpu(direction):
    ends = DATA.edge_index.flip(0) if direction == "in" else DATA.edge_index
    found = Induced(gnd.Graph.from_edges(*ends.numpy(), num_vertices=300), direction)
    groups = [torch.randperm(300)[:size].sort().values for size in (0, 300, 40, 1, 80)]
    nodes, ptr = torch.cat(groups), torch.tensor([0, *np.cumsum([len(group) for group in groups])])
    here = found.of([(nodes, ptr), (groups[2], torch.tensor([0, 40]))], threads=2)
    for one, (row, col, edge) in zip([(nodes, ptr), (groups[2], torch.tensor([0, 40]))], here, strict=True):
        assert all(map(torch.equal, (row, col, edge), found.there(*one)))
        assert torch.equal(torch.stack([one[0][row], one[0][col]]), DATA.edge_index[:, edge])
        assert (row.diff() >= 0).all() and len(row)


# ---- distributions


def agrees(count, probability, of):
    """Whether numbers of samples have these probabilities, each at a level of 10^-6 over all."""
    level = 1e-6 / max(len(count), 1)
    low, high = scipy.stats.binom.cdf(count, of, probability), scipy.stats.binom.sf(count - 1, of, probability)
    return bool((np.minimum(low, high) > level).all())


SMALL = Data(
    edge_index=torch.tensor([[0, 1, 0, 2, 1, 2, 2, 3, 3, 4, 5, 0], [1, 0, 2, 0, 2, 1, 3, 2, 4, 3, 0, 5]]),
    e=torch.arange(12), n=torch.arange(7), num_nodes=7,
)  # fmt: skip


def counts(loader):
    """The number of batches that have each node, and each edge, of SMALL."""
    nodes, edges = np.zeros(7), np.zeros(12)
    for batch in loader:
        nodes[batch.n.numpy()] += 1
        edges[batch.e.numpy()] += 1
    return nodes, edges


@pytest.mark.parametrize("kind", ["node", "edge"])
def test_norms_are_those_of_the_exact_probabilities(kind):
    of, steps = {"node": gp.GraphSAINTNodeSampler, "edge": gp.GraphSAINTEdgeSampler}[kind], 4000
    loader = of(SMALL, 2, num_steps=steps, sample_coverage=1, seed=3)
    src, dst = SMALL.edge_index.numpy()
    degrees = np.bincount(src, minlength=7)
    # The nodes of each draw, and its probability, by the definition.
    if kind == "node":
        draws = [((u,), sum((1 / degrees[v]) ** 2 for v, w in zip(src, dst, strict=True) if w == u)) for u in range(7)]
    else:
        draws = [((u, v), 1 / degrees[u] + 1 / degrees[v]) for u, v in zip(src, dst, strict=True)]
    total = sum(share for _, share in draws)
    node, edge = np.zeros(7), np.zeros(12)
    for one, p in draws:
        for two, q in draws:
            there = {*one, *two}
            node[[*there]] += p * q / total**2
            edge[[u in there and v in there for u, v in zip(src, dst, strict=True)]] += p * q / total**2
    wanted = np.divide(1, 7 * node, out=np.zeros(7), where=node > 0)
    np.testing.assert_allclose(loader.node_norm, wanted, 1e-6)
    np.testing.assert_allclose(loader.edge_norm, node[src] / edge, 1e-6)
    seen = counts(loader)
    assert agrees(seen[0], node, steps) and agrees(seen[1], edge, steps)


def test_norms_of_walks_are_counted_as_pyg_counts_them():
    loader = gp.GraphSAINTRandomWalkSampler(SMALL, 2, 1, num_steps=4000, sample_coverage=500, seed=3)
    src, dst = SMALL.edge_index.numpy()
    degrees = np.bincount(src, minlength=7)
    walks = [({u, v}, 1 / 7 / degrees[u]) for u, v in zip(src, dst, strict=True)] + [({6}, 1 / 7)]
    node, edge = np.zeros(7), np.zeros(12)
    for one, p in walks:
        for two, q in walks:
            node[[*(one | two)]] += p * q
            edge[[{u, v} <= one | two for u, v in zip(src, dst, strict=True)]] += p * q
    seen = counts(loader)
    assert agrees(seen[0], node, 4000) and agrees(seen[1], edge, 4000)
    np.testing.assert_allclose(loader.node_norm, 1 / (7 * node), 0.15)
    np.testing.assert_allclose(loader.edge_norm, node[src] / edge, 0.15)


def test_shadow_takes_neighbours_uniformly_at_random():
    loader = gp.ShaDowKHopSampler(SMALL, 1, 2, torch.zeros(4000, dtype=torch.int64), batch_size=500, seed=1)
    seen, pairs = np.zeros(7), np.zeros((7, 7))
    for batch in loader:
        for i in range(500):
            nodes = batch.n[batch.ptr[i] : batch.ptr[i + 1]].numpy()
            seen[nodes] += 1
            pairs[np.ix_(nodes, nodes)] += 1
    assert seen[0] == 4000 and agrees(seen[[1, 2, 5]], 2 / 3, 4000) and not seen[[3, 4, 6]].any()
    assert agrees(pairs[[1, 1, 2], [2, 5, 5]], 1 / 3, 4000)


def test_batches_of_saint_are_samples_of_the_core():
    graph = gnd.Graph.from_edges(*DATA.edge_index.numpy(), num_vertices=300)
    key = gnd.rng.key(gnd.rng.stream(5, gnd.rng.SEEDS), 1)
    samples = gnd.sample(graph, gnd.apps.GraphSAINT("walk", roots=20, length=2), 7, seed=key)
    loader = LOADERS["walk"](seed=5)
    loader.set_epoch(1)
    for i, batch in enumerate(loader):
        assert batch.x.view(-1).tolist() == sorted(samples[i].tolist())
        assert batch.edge_attr.sort().values.tolist() == sorted(samples.subgraph(i).edge_ids.tolist())


@pytest.mark.parametrize("share", [saint.SPARSE - 1, saint.SPARSE, saint.SPARSE + 1])
@pytest.mark.parametrize("size", [0, 1, 50])
def test_nodes_ascend_whether_they_are_sorted_or_marked(size, share):
    count = max(1, size * share)
    nodes = np.random.default_rng(share).permutation(count).astype(np.uint32)[:size]
    if size:
        nodes[:1] = count - 1  # the last node of the graph
    found = saint._sorted(np.unique(nodes)[::-1], count)
    assert found.dtype == np.int64 and found.tolist() == sorted(set(nodes.tolist()))


# ---- the same as PyG's own


@pytest.mark.parametrize("sparse_format", ["csr", "csc"])
def test_clusters_are_batched_and_kept_as_by_pyg(sparse_format, tmp_path):
    given = torch.arange(300) * 7 % 12
    options = {"save_dir": str(tmp_path), "filename": "a.pt", "log": False, "sparse_format": sparse_format}
    own = gp.ClusterData(DATA, 12, clusters=given, **options)
    read = pyg.cluster.ClusterData(DATA, 12, **options)  # from the file: it has no METIS
    for i in range(12):
        assert shown(own[i]) == shown(read[i])
    for size in (1, 5):
        assert epoch(gp.ClusterLoader(own, batch_size=size)) == epoch(pyg.ClusterLoader(read, batch_size=size))
    assert torch.equal(gp.ClusterData(DATA, 12, **options).partition.node_perm, own.partition.node_perm)


@pytest.mark.parametrize("sparse_format", ["csr", "csc"])
def test_edges_of_clusters_in_any_order_are_those_found_by_torch(sparse_format):
    # Data on a GPU is searched by operations of torch, which run on a CPU too.
    clusters = gp.ClusterData(DATA, 12, clusters=torch.arange(300) * 7 % 12, log=False, sparse_format=sparse_format)
    induced, starts = gp.ClusterLoader(clusters, seed=1)._induced, clusters.partition.partptr
    for chosen in ([], [4], [9, 2, 11, 5], [3, 0, 3], list(range(12))):
        nodes, *edges = induced.of_clusters(starts, [torch.tensor(chosen, dtype=torch.int64)])[0]
        assert nodes.tolist() == [v for c in chosen for v in range(int(starts[c]), int(starts[c + 1]))]
        assert (len(edges[0]) > 0) == (len(chosen) > 0)
        ptr = torch.tensor([0, len(nodes)])
        for found in (induced.there(nodes, ptr), induced.of([(nodes, ptr)])[0]):
            assert [part.tolist() for part in edges] == [part.tolist() for part in found]


def test_random_nodes_in_order_are_those_of_pyg():
    for data in (DATA, TYPED):
        assert epoch(gp.RandomNodeLoader(data, 7)) == epoch(pyg.RandomNodeLoader(data, 7))


# ---- refusals


def test_what_is_refused(tmp_path):
    save = str(tmp_path)
    other = flat(seed=9)
    gp.ClusterData(DATA, 4, save_dir=save, log=False, clusters=np.arange(300) % 4, filename="a.pt")
    gp.GraphSAINTNodeSampler(DATA, 10, sample_coverage=1, save_dir=save)
    (tmp_path / "part_4" / "broken.pt").write_bytes(b"no")
    for why, make in {
        "depth = 0": lambda: gp.ShaDowKHopSampler(DATA, 0, 2),
        "num_neighbors = -2": lambda: gp.ShaDowKHopSampler(DATA, 1, -2),
        r"node_idx\[0\] = 300": lambda: gp.ShaDowKHopSampler(DATA, 1, 2, torch.tensor([300])),
        "batch_size = 0": lambda: gp.GraphSAINTNodeSampler(DATA, 0),
        "walk_length = 0": lambda: gp.GraphSAINTRandomWalkSampler(DATA, 2, 0),
        "num_steps = 0": lambda: gp.GraphSAINTEdgeSampler(DATA, 2, num_steps=0),
        "sample_coverage = -1": lambda: gp.GraphSAINTEdgeSampler(DATA, 2, sample_coverage=-1),
        "num_nodes = 0": lambda: gp.GraphSAINTNodeSampler(Data(edge_index=DATA.edge_index[:, :0], num_nodes=0), 2),
        "data.node_norm": lambda: gp.GraphSAINTNodeSampler(Data(node_norm=1, edge_index=DATA.edge_index), 2),
        "of another graph": lambda: gp.GraphSAINTNodeSampler(flat(200), 9, sample_coverage=1, save_dir=save),
        "num_parts = 0": lambda: gp.RandomNodeLoader(DATA, 0),
        "expected a Data": lambda: gp.GraphSAINTNodeSampler(TYPED, 2),
        "expected a HeteroData": lambda: gp.HGTLoader(DATA, [2], "paper"),
        "types of nodes": lambda: gp.HGTLoader(TYPED, {"reader": [2]}, "paper"),
        "has 1 hops: expected 2": lambda: gp.HGTLoader(TYPED, {"paper": [2], "author": [2, 2]}, "paper"),
        "expected a ClusterData": lambda: gp.ClusterLoader(DATA),
        r"clusters has shape \(2,\)": lambda: gp.ClusterData(DATA, 4, clusters=[0, 1]),
        r"clusters\[4\] = 4": lambda: gp.ClusterData(DATA, 4, clusters=np.arange(300)),
        "clusters: expected ints": lambda: gp.ClusterData(DATA, 4, clusters=np.zeros(300)),
        "clusters = 'kmeans'": lambda: gp.ClusterData(DATA, 4, clusters="kmeans"),
        "other edges than data": lambda: gp.ClusterData(other, 4, save_dir=save, filename="a.pt"),
        "edges = 3000, but": lambda: gp.ClusterData(flat(m=100), 4, save_dir=save, filename="a.pt"),
        "format = csr": lambda: gp.ClusterData(DATA, 4, save_dir=save, filename="a.pt", sparse_format="csc"),
        "other clusters": lambda: gp.ClusterData(
            DATA, 4, save_dir=save, filename="a.pt", clusters=np.arange(300) // 75
        ),
        "no file of torch.save": lambda: gp.ClusterData(DATA, 4, save_dir=save, filename="broken.pt"),
        "device = 'auto'|device = \"auto\"": lambda: LOADERS["node"](device="auto"),
        "device = ": lambda: LOADERS["node"](device=["cuda:0", "cuda:1"]),
        "'cache'": lambda: LOADERS["shadow"](cache="1GB"),
        "batchsize": lambda: gp.ShaDowKHopSampler(DATA, 1, 2, batchsize=3),
    }.items():
        with pytest.raises((ValueError, TypeError, IndexError), match=why):
            make()
    state = LOADERS["walk"](seed=1).state_dict()
    with pytest.raises(ValueError, match="state is of another loader"):
        gp.GraphSAINTRandomWalkSampler(DATA, 20, 3, num_steps=7).load_state_dict(state)
    with pytest.raises(ValueError, match="state is of another loader"):
        LOADERS["node"]().load_state_dict(state)


def test_data_that_changed_is_refused():
    data = flat()
    loader = gp.GraphSAINTNodeSampler(data, 9, num_steps=2)
    data.edge_index = flat(seed=4).edge_index
    with pytest.raises((ValueError, RuntimeError), match="edge_index"):
        next(iter(loader))
