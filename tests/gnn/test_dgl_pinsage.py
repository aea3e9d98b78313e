"""PinSAGE's neighbours against those of dgl.sampling: signatures, graphs, order, and the distribution of visits."""

import inspect
import pickle

import dgl
import gonextdoor.dgl
import numpy as np
import pytest
import torch

NAMES = ["PinSAGESampler", "RandomWalkNeighborSampler"]


@pytest.fixture(scope="module")
def bipartite():
    """Items 0 to 39 and users 0 to 24; item 39 has no buyer, and item 38 one who is not known to buy."""
    random = np.random.default_rng(1)
    items, users = random.integers(0, 38, 150), random.integers(0, 24, 150)
    return dgl.heterograph(
        {
            ("item", "bought by", "user"): (np.append(items, 38), np.append(users, 24)),
            ("user", "buys", "item"): (users, items),
        },
        {"item": 40, "user": 25},
    )


@pytest.mark.parametrize("name", NAMES)
def test_signatures_begin_as_dgl_s(name):
    ours, theirs = getattr(gonextdoor.dgl, name), getattr(dgl.sampling, name)
    assert issubclass(ours, theirs)
    mine, other = ([(p.name, p.default) for p in inspect.signature(c).parameters.values()] for c in (ours, theirs))
    assert mine[: len(other)] == other


@pytest.mark.parametrize("idtype", [torch.int64, torch.int32], ids=["int64", "int32"])
def test_neighbours_are_those_visited_most(bipartite, idtype):
    g = bipartite if idtype == torch.int64 else bipartite.int()
    seeds = torch.tensor([5, 0, 39, 5, 38], dtype=idtype)
    arguments = (g, "item", "user", 2, 0.3, 100)
    every, few = (gonextdoor.dgl.PinSAGESampler(*arguments, k, "visits", seed=7)(seeds) for k in (40, 3))
    theirs = dgl.sampling.PinSAGESampler(*arguments, 3, "visits")(seeds)
    assert (few.ntypes, few.etypes, few.num_nodes()) == (theirs.ntypes, theirs.etypes, theirs.num_nodes())
    assert few.idtype == theirs.idtype == few.edata["visits"].dtype == theirs.edata["visits"].dtype == idtype
    assert torch.equal(few.edges()[1], theirs.edges()[1])  # seed by seed, three each, none of items 38 and 39
    groups, sizes = torch.unique_consecutive(every.edges()[1], return_counts=True)
    assert groups.tolist() == [5, 0, 5]
    for one in torch.split(torch.stack([every.edata["visits"], every.edges()[0]], 1), sizes.tolist()):
        pairs = one.tolist()
        assert 100 <= sum(visits for visits, _ in pairs) <= 200 and len({item for _, item in pairs}) == len(pairs)
        assert pairs == sorted(pairs, key=lambda pair: (-pair[0], pair[1]))


@pytest.mark.parametrize("path", [None, ["bought by", "buys"], ["bought by", "buys", "bought by", "buys"]], ids=str)
@pytest.mark.parametrize("stop", [0.0, 0.4, 1.0])
def test_visits_are_distributed_as_dgl_s(bipartite, edges, path, stop):
    """The visits of 20,000 walks, of 2 traversals at most, differ by at most 5 standard deviations."""
    g = edges.dgl() if path is None else bipartite
    seeds = (g.out_degrees() >= 3).nonzero()[:2, 0] if path is None else torch.tensor([1, 2])
    counts = []
    for classes, extra in ((gonextdoor.dgl, {"seed": 3}), (dgl.sampling, {})):
        sampler = classes.RandomWalkNeighborSampler(g, 2, stop, 20_000, 2000, path, **extra)
        frontier = sampler(seeds)
        of_seed = np.zeros((2, g.num_nodes(sampler.ntype)), np.int64)
        at = (frontier.edges()[1] == seeds[1]).long().numpy()
        of_seed[at, frontier.edges()[0].numpy()] = frontier.edata["weights"].numpy()
        counts.append(of_seed)
    for ours, theirs in zip(*counts, strict=True):
        difference = np.abs(ours - theirs)
        assert ours.sum() >= 20_000 and (difference <= 5 * np.sqrt(2.0 * (ours + theirs)) + 1).all()


def test_calls_follow_the_seed(bipartite):
    def made(seed):
        return gonextdoor.dgl.PinSAGESampler(bipartite, "item", "user", 3, 0.2, 20, 4, seed=seed)

    def drawn(sampler):
        frontier = sampler([3, 1])
        return [end.tolist() for end in (*frontier.edges(), frontier.edata["weights"])]

    one, other = made(1), made(1)
    first, second = drawn(one), drawn(one)
    assert first == drawn(other) and second == drawn(pickle.loads(pickle.dumps(other))) and first != second
    assert drawn(made(2)) != first
    loader = torch.utils.data.DataLoader([0, 1, 2, 3], batch_size=2, num_workers=2, collate_fn=one)
    torch.manual_seed(1)
    before = [batch.edges()[0].tolist() for batch in loader]
    torch.manual_seed(1)
    assert before == [batch.edges()[0].tolist() for batch in loader] and len(before) == 2
    assert one(torch.tensor([], dtype=torch.int64)).num_edges() == 0


@pytest.mark.parametrize(
    "change, error, text",
    [
        ({"G": 3}, TypeError, r"g: expected a dgl\.DGLGraph, got int"),
        ({"other_type": "shop"}, ValueError, r"no edge type leads from 'item' to 'shop': the graph has \["),
        ({"num_traversals": 0}, ValueError, r"num_traversals = 0: expected"),
        ({"num_random_walks": 0}, ValueError, r"num_random_walks = 0: expected"),
        ({"num_neighbors": 1.5}, TypeError, r"num_neighbors = 1\.5: expected an int"),
        ({"termination_prob": 1.5}, ValueError, r"termination_prob = 1\.5: expected a probability from 0 to 1"),
        ({"weight_column": 3}, TypeError, r"weight_column = 3: expected the name of an edge feature"),
    ],
)
def test_refusals(bipartite, change, error, text):
    whole = {"G": bipartite, "ntype": "item", "other_type": "user", "num_traversals": 2, "termination_prob": 0.5}
    whole |= {"num_random_walks": 10, "num_neighbors": 3}
    with pytest.raises(error, match=text) as caught:
        gonextdoor.dgl.PinSAGESampler(**{**whole, **change})
    assert isinstance(caught.value, dgl.DGLError)
    sampler = gonextdoor.dgl.PinSAGESampler(**whole)
    for seeds, kind, what in (
        ([40], IndexError, r"seed_nodes\[0\] = 40: there are 40 vertices of type 'item'"),
        (torch.tensor([0.5]), TypeError, r"seed_nodes: expected an array of ints"),
        (torch.tensor([[1]]), ValueError, r"seed_nodes: expected shape \(n,\), got \(1, 1\)"),
    ):
        with pytest.raises(kind, match=what):
            sampler(seeds)


def test_metapaths_that_do_not_return_are_refused(bipartite):
    make = gonextdoor.dgl.RandomWalkNeighborSampler
    for path, text in (
        (None, r"metapath = None: the graph has the edge types"),
        ([], r"metapath = \[\]: expected at least one edge type"),
        (["bought by"], r"metapath: expected an edge type to 'item' at its end"),
        (["buys", "buys"], r"metapath\[1\] = \('user', 'buys', 'item'\): expected an edge type from 'item'"),
        (["sells"], r"metapath\[0\]: 'sells' is not one of the edge types"),
    ):
        with pytest.raises(ValueError, match=text):
            make(bipartite, 2, 0.5, 10, 3, path)
