"""gonextdoor.pyg.metapath_walks: the walks of PyG's MetaPath2Vec."""

import collections
import pickle

import gonextdoor.pyg
import pytest
import torch
from torch_geometric.nn import MetaPath2Vec

BUYS, BOUGHT, LIKES = ("user", "buys", "item"), ("item", "bought_by", "user"), ("item", "likes", "item")


def model(path, length, window, **given):
    """Users 0 to 3, of which the last buys nothing, and items 0 to 3, of which the last is liked by one alone."""
    ends = torch.tensor([[0, 0, 0, 1, 2, 2], [0, 0, 1, 2, 0, 2]])  # user 0 bought item 0 twice
    edges = {BUYS: ends, BOUGHT: ends.flip(0), LIKES: torch.tensor([[0, 1, 1], [3, 0, 2]])}
    return MetaPath2Vec(edges, 8, path, length, window, num_nodes_dict={"user": 4, "item": 4}, **given)


@pytest.mark.parametrize("path, length", [([BUYS, BOUGHT], 3), ([BUYS, LIKES, BOUGHT], 3), ([LIKES], 2)])
def test_walks_have_the_distribution_of_pyg(path, length):
    """The frequencies of whole walks from each vertex, of 20,000 walks, differ by at most 5 standard deviations."""
    torch.manual_seed(1)
    batch, theirs = torch.arange(4), model(path, length, length + 1, walks_per_node=20_000)
    ours = gonextdoor.pyg.metapath_walks(model(path, length, length + 1, walks_per_node=20_000))
    counts = [collections.Counter(map(tuple, one._pos_sample(batch).tolist())) for one in (ours, theirs)]
    assert counts[0].keys() == counts[1].keys() and sum(counts[0].values()) == 80_000
    for walk in counts[0]:
        ours_of, theirs_of = counts[0][walk], counts[1][walk]
        assert abs(ours_of - theirs_of) <= 5 * (ours_of + theirs_of) ** 0.5, walk


@pytest.mark.parametrize("number", [0, 2])
def test_the_loader_is_reproducible_and_trains(number):
    def batches(made):
        torch.manual_seed(7)
        return list(made.loader(batch_size=2, shuffle=True, num_workers=number))

    made = gonextdoor.pyg.metapath_walks(model([BUYS, BOUGHT], 6, 3, walks_per_node=4))
    first, second = batches(made), batches(pickle.loads(pickle.dumps(made)))
    assert [positive.shape for positive, _ in first] == [(2 * 4 * 5, 3)] * 2
    for (positive, negative), (again, other) in zip(first, second, strict=True):
        assert torch.equal(positive, again) and torch.equal(negative, other)
        assert made.loss(positive, negative).isfinite()


def test_what_is_no_model_is_refused():
    for wrong in (3, torch.nn.Linear(2, 2)):
        with pytest.raises(TypeError, match=r"model: expected a torch_geometric\.nn\.MetaPath2Vec, got "):
            gonextdoor.pyg.metapath_walks(wrong)
