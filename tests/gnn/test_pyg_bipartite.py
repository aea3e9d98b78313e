"""PyG's deprecated loader of bipartite graphs, torch_geometric.loader.NeighborSampler, without torch-sparse."""

import pytest
import torch
from gonextdoor.pyg import BipartiteLoader

EDGES = torch.randint(60, (2, 700), generator=torch.Generator().manual_seed(3))


def test_all_edges_of_each_hop():
    """Against the definition: a hop has all edges that lead to the nodes so far, and these are its first sources."""
    for count, n_id, adjs in BipartiteLoader(EDGES, [-1, -1], torch.arange(5, 25), batch_size=6):
        nodes = n_id[:count]
        for edge_index, e_id, (sources, targets) in reversed(adjs):
            assert targets == len(nodes) and torch.equal(n_id[:targets], nodes)
            assert sorted(e_id.tolist()) == torch.isin(EDGES[1], nodes).nonzero().view(-1).tolist()
            assert torch.equal(n_id[edge_index[0]], EDGES[0, e_id]) and torch.equal(n_id[edge_index[1]], EDGES[1, e_id])
            nodes = n_id[:sources]
            assert set(nodes[targets:].tolist()) == set(EDGES[0, e_id].tolist()) - set(nodes[:targets].tolist())
        assert sources == len(n_id) == len(n_id.unique())


def test_each_edge_is_sampled_equally_often():
    """A node of d edges takes each with probability 3/d: 4,000 draws, six standard deviations."""
    degrees = EDGES[1].bincount(minlength=60)
    counts, loader = torch.zeros(700), BipartiteLoader(EDGES, [3], batch_size=60)
    torch.manual_seed(1)
    for _ in range(4000):
        ((_, _, adj),) = loader
        assert len(adj.e_id.unique()) == len(adj.e_id) == int(degrees.clamp(max=3).sum())
        counts[adj.e_id] += 1
    chance = (3 / degrees[EDGES[1]]).clamp(max=1)
    assert bool(((counts - 4000 * chance).abs() <= 6 * (4000 * chance * (1 - chance)).sqrt()).all())


@pytest.mark.parametrize("count", [0, 2])
def test_batches_follow_the_seed_of_torch(count):
    def epochs(seed):
        torch.manual_seed(seed)
        loader = BipartiteLoader(EDGES, [4, 2], batch_size=7, shuffle=True, num_workers=count)
        return [[str(batch) for batch in loader] for _ in range(2)]

    first, second = epochs(1)
    assert [first, second] == epochs(1) != epochs(2)
    assert first != second and len(first) == 9


def test_arguments():
    mask = torch.zeros(80, dtype=torch.bool)
    mask[[3, 70]] = True
    ((count, n_id, adj),) = BipartiteLoader(EDGES, [2], mask, return_e_id=False, batch_size=9)
    assert (count, n_id[:2].tolist(), adj.e_id) == (2, [3, 70], None)
    (size,) = BipartiteLoader(EDGES, [2], torch.tensor([90]), transform=lambda size, n_id, adj: size)
    assert size == 1
    assert repr(BipartiteLoader(EDGES, [2, 3])) == "NeighborSampler(sizes=[2, 3])"
    with pytest.raises(TypeError, match=r"edge_index: expected a tensor of shape \(2, E\), got list"):
        BipartiteLoader([[0], [1]], [2])
    with pytest.raises(ValueError, match=r"edge_index has shape \(3, 2\): expected \(2, E\)"):
        BipartiteLoader(torch.zeros(3, 2, dtype=torch.int64), [2])
    with pytest.raises(ValueError, match="expected distinct vertices"):
        list(BipartiteLoader(EDGES, [2], torch.tensor([1, 1]), batch_size=2))
