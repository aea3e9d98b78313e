"""gonextdoor.pyg.Node2Vec and MetaPath2Vec: PyG's arguments, the exact distribution of weighted walks, and training."""

import collections
import inspect
import itertools
import pickle

import gonextdoor.pyg
import pytest
import torch
import torch_geometric.nn
from torch_geometric import EdgeIndex
from torch_geometric.nn import MetaPath2Vec as PyGMetaPath2Vec

# Undirected, with weights; 0-1 is two parallel edges of weights 1 and 2, and node 4 is isolated.
PAIRS = [(0, 1, 1.0), (0, 1, 2.0), (0, 2, 1.0), (1, 2, 4.0), (2, 3, 2.0), (1, 3, 0.0)]
EDGES = torch.tensor([(s, d) for a, b, _ in PAIRS for s, d in ((a, b), (b, a))]).T
WEIGHT = torch.tensor([w for *_, w in PAIRS for _ in range(2)])
BUYS, BOUGHT = ("user", "buys", "item"), ("item", "bought_by", "user")


def probabilities(start, steps, p, q, weights):
    """The probability of each walk of second order, by hand."""
    out = collections.defaultdict(collections.Counter)
    for (s, d), w in zip(EDGES.T.tolist(), weights, strict=True):
        out[s][d] += w
    result = collections.Counter()
    for walk in itertools.product(range(5), repeat=steps):
        chance, previous, at = 1.0, None, start
        for to in walk:
            bias = {
                d: w * (1 if previous is None else 1 / p if d == previous else 1 if d in out[previous] else 1 / q)
                for d, w in out[at].items()
            }
            chance *= bias.get(to, 0) / sum(bias.values()) if bias else float(to == at)
            previous, at = at, to
        if chance:
            result[(start, *walk)] = chance
    return result


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("p, q", [(1.0, 1.0), (0.5, 2.0)])
def test_positive_samples_have_the_distribution_of_weights_and_parallel_edges(weighted, p, q):
    torch.manual_seed(1)
    given = {"edge_weight": WEIGHT} if weighted else {}
    count = 20_000
    model = gonextdoor.pyg.Node2Vec(EDGES, 4, 4, 4, count, p, q, num_nodes=5, **given)
    for start in (0, 2, 4):
        found = collections.Counter(map(tuple, model.pos_sample(torch.tensor([start])).tolist()))
        expected = probabilities(start, 3, p, q, WEIGHT.tolist() if weighted else [1.0] * len(WEIGHT))
        assert found.keys() <= expected.keys() and sum(found.values()) == count
        for walk, chance in expected.items():
            assert abs(found[walk] - count * chance) <= 5 * (count * chance * (1 - chance)) ** 0.5 + 1e-6, walk


def test_node2vec_has_the_shapes_of_pyg_and_trains():
    left = torch.combinations(torch.arange(6)).T
    edges = torch.cat([left, left + 6, torch.tensor([[0], [6]])], 1)  # two cliques and an edge between them
    edges = torch.cat([edges, edges.flip(0)], 1)
    torch.manual_seed(3)
    model = gonextdoor.pyg.Node2Vec(
        EdgeIndex(edges), 8, walk_length=8, context_size=4, walks_per_node=4, num_negative_samples=2
    )
    assert isinstance(model, torch_geometric.nn.Node2Vec) and repr(model) == "Node2Vec(12, 8)"
    positive, negative = model.sample([0, 3, 5])
    assert positive.shape == (3 * 4 * 5, 4) and negative.shape == (3 * 4 * 2 * 5, 4)
    optimizer = torch.optim.Adam(model.parameters(), 0.05)
    for _ in range(40):
        for positive, negative in model.loader(batch_size=6, shuffle=True):
            optimizer.zero_grad()
            model.loss(positive, negative).backward()
            optimizer.step()
    near = torch.nn.functional.normalize(model().detach(), dim=1)
    near = near @ near.T
    assert near[:6, :6].mean() > near[:6, 6:].mean() + 0.5


@pytest.mark.parametrize("number", [0, 2])
def test_loaders_follow_the_seed_of_torch(number):
    edges = {BUYS: EDGES, BOUGHT: EDGES.flip(0)}
    models = (
        gonextdoor.pyg.Node2Vec(EDGES, 4, 4, 3, edge_weight=WEIGHT),
        gonextdoor.pyg.MetaPath2Vec(edges, 4, [BUYS, BOUGHT], 4, 3, edge_weight_dict={BUYS: WEIGHT}),
    )
    for model in models:
        passes = []
        for one in (model, pickle.loads(pickle.dumps(model))):
            torch.manual_seed(7)
            passes.append(list(one.loader(batch_size=2, shuffle=True, num_workers=number)))
        for (positive, negative), (again, other) in zip(*passes, strict=True):
            assert torch.equal(positive, again) and torch.equal(negative, other)
            assert model.loss(positive, negative).isfinite()


def test_metapath2vec_takes_edges_by_weight():
    """User 0 bought item 0 twice, with weights 1 and 2, item 1 with weight 3 and item 2 with 0; user 1 has 0 alone."""
    ends = torch.tensor([[0, 1, 0, 0, 0], [2, 2, 0, 1, 0]])
    weights = torch.tensor([0.0, 0.0, 1.0, 3.0, 2.0])
    edges = {BUYS: ends, BOUGHT: torch.tensor([[0, 0, 1, 2], [0, 1, 0, 1]])}
    torch.manual_seed(1)
    model = gonextdoor.pyg.MetaPath2Vec(
        edges, 4, [BUYS, BOUGHT], 2, 3, walks_per_node=20_000, edge_weight_dict={BUYS: weights}
    )
    walks = collections.Counter(map(tuple, model._pos_sample(torch.tensor([0, 1])).tolist()))
    user, missing = model.start["user"], model.dummy_idx
    assert walks.pop((user + 1, missing, missing)) == 20_000
    expected = {(user, 0, user): 5_000, (user, 0, user + 1): 5_000, (user, 1, user): 10_000}
    assert walks.keys() == expected.keys()
    for walk, count in expected.items():
        assert abs(walks[walk] - count) < 5 * 71, walk


@pytest.mark.parametrize("name", ["Node2Vec", "MetaPath2Vec"])
def test_signatures_begin_as_pyg_s(name):
    ours, theirs = (
        [(p.name, p.default) for p in inspect.signature(getattr(module, name)).parameters.values()]
        for module in (gonextdoor.pyg, torch_geometric.nn)
    )
    assert ours[: len(theirs)] == theirs and len(ours) == len(theirs) + 1
    assert PyGMetaPath2Vec in gonextdoor.pyg.MetaPath2Vec.__mro__


@pytest.mark.parametrize(
    "change, error, text",
    [
        ({"context_size": 5}, ValueError, r"context_size = 5: expected at most 4, the nodes of a walk"),
        ({"walk_length": 0}, ValueError, r"walk_length = 0: expected"),
        ({"walks_per_node": 0}, ValueError, r"walks_per_node = 0: expected"),
        ({"p": 0.0}, ValueError, r"p = 0\.0: expected"),
        ({"embedding_dim": 0}, ValueError, r"embedding_dim = 0: expected"),
        ({"edge_index": EDGES.T}, ValueError, r"edge_index: expected shape \(2, E\), got \(12, 2\)"),
        ({"edge_weight": WEIGHT[1:]}, ValueError, r"edge_weight: expected shape \(12,\), one per edge, got \(11,\)"),
        ({"edge_weight": [1.0]}, TypeError, r"edge_weight: expected a tensor of numbers, got list"),
        ({"edge_weight": WEIGHT - 1}, ValueError, r"edge_weight\[10\] = -1\.0: expected finite, non-negative"),
    ],
)
def test_refusals_of_node2vec(change, error, text):
    with pytest.raises(error, match=text):
        gonextdoor.pyg.Node2Vec(
            **{"edge_index": EDGES, "embedding_dim": 4, "walk_length": 4, "context_size": 2, **change}
        )


@pytest.mark.parametrize(
    "change, error, text",
    [
        ({"metapath": []}, TypeError, r"metapath = \[\]: expected a list of edge types"),
        ({"metapath": [("a", "b", "c")]}, ValueError, r"metapath\[0\] = \('a', 'b', 'c'\): edge_index_dict has"),
        ({"metapath": [BUYS, BUYS]}, ValueError, r"[Ii]nvalid metapath"),
        ({"context_size": 4}, ValueError, r"context_size = 4: expected at most 3, the nodes of a walk"),
        ({"edge_index_dict": [EDGES]}, TypeError, r"edge_index_dict: expected a dict by edge type, got list"),
        (
            {"edge_weight_dict": {("a", "b", "c"): WEIGHT}},
            ValueError,
            r"edge_weight_dict\[\('a', 'b', 'c'\)\]: edge_ind",
        ),
        (
            {"edge_weight_dict": {BUYS: -WEIGHT}},
            ValueError,
            r"edge_weight_dict\[\('user', .*\)\]\[0\] = -1\.0: expected",
        ),
    ],
)
def test_refusals_of_metapath2vec(change, error, text):
    edges = {BUYS: EDGES, BOUGHT: EDGES.flip(0)}
    whole = {"edge_index_dict": edges, "embedding_dim": 4, "metapath": [BUYS, BOUGHT], "walk_length": 2}
    with pytest.raises(error, match=text):
        gonextdoor.pyg.MetaPath2Vec(**{**whole, "context_size": 2, **change})
