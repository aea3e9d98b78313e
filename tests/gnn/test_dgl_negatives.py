"""global_uniform_negative_sampling: pairs without an edge, each as often as the others, in DGL's form."""

import inspect
from collections import Counter

import dgl
import gonextdoor.dgl
import numpy as np
import pytest
import torch

OURS, THEIRS = gonextdoor.dgl.global_uniform_negative_sampling, dgl.sampling.global_uniform_negative_sampling


def pairs_of(*arguments, **options):
    return list(zip(*(part.tolist() for part in OURS(*arguments, **options)), strict=True))


@pytest.fixture(scope="module")
def shop():
    """Four users, five items; user 3 has bought every item, and parallel edges count once."""
    users, items = [0, 0, 0, 1, *[3] * 5], [1, 1, 2, 4, *range(5)]
    edges = {("user", "buys", "item"): (users, items), ("user", "knows", "user"): ([0, 1, 1], [1, 1, 3])}
    return dgl.heterograph(edges, {"user": 4, "item": 5})


def negatives(g, etype, loops):
    source, _, to = g.to_canonical_etype(etype)
    edges = set(zip(*(end.tolist() for end in g.edges(etype=etype)), strict=True))
    whole = {(u, v) for u in range(g.num_nodes(source)) for v in range(g.num_nodes(to))} - edges
    return whole if loops or source != to else {(u, v) for u, v in whole if u != v}


@pytest.mark.parametrize("etype, loops", [("buys", True), ("knows", True), ("knows", False)])
def test_all_pairs_and_their_frequencies(shop, etype, loops):
    wanted = negatives(shop, etype, loops)
    once = pairs_of(shop, 1000, not loops, etype=etype, seed=3)
    assert len(once) == len(wanted) and set(once) == wanted
    for options in ({"replace": True}, {}):  # with replacement in one call; without, the first pair of many calls
        if options:
            drawn = pairs_of(shop, 20_000, not loops, etype=etype, seed=3, **options)
        else:
            drawn = [pairs_of(shop, 1, not loops, etype=etype, seed=seed)[0] for seed in range(600)]
        counts, mean = Counter(drawn), len(drawn) / len(wanted)
        assert counts.keys() <= wanted and all(abs(counts[pair] - mean) < 5 * mean**0.5 for pair in wanted)


def test_large_graphs_have_dgl_s_form(edges):
    g = edges.dgl()
    for graph in (g, g.int()):
        src, dst = OURS(graph, 5000, seed=2)
        theirs = THEIRS(graph, 5000)
        assert src.dtype == dst.dtype == theirs[0].dtype == graph.idtype and len(src) == 5000
        assert not graph.has_edges_between(src, dst).any() and not (src == dst).any()
        assert len(set(zip(src.tolist(), dst.tolist(), strict=True))) == 5000
    assert pairs_of(g, 50, seed=2) == pairs_of(g, 50, seed=2) != pairs_of(g, 50, seed=4)
    mine, other = ([p.name for p in inspect.signature(f).parameters.values()] for f in (OURS, THEIRS))
    assert mine[: len(other)] == other


def test_no_pair_is_left():
    whole = dgl.graph(tuple(np.indices((4, 4)).reshape(2, -1)))
    for replace in (False, True):
        assert pairs_of(whole, 3, True, replace, seed=1) == []
    one = dgl.remove_edges(whole, torch.tensor([2 * 4 + 1]))
    assert pairs_of(one, 3, seed=1) == [(2, 1)] and pairs_of(one, 3, True, True, seed=1) == [(2, 1)] * 3
    assert pairs_of(one, 0, seed=1) == []


@pytest.mark.parametrize(
    "change, error, text",
    [
        ({"g": 3}, TypeError, r"g: expected a dgl\.DGLGraph, got int"),
        ({"num_samples": -1}, ValueError, r"num_samples = -1: expected"),
        ({"num_samples": 0.5}, TypeError, r"num_samples = 0\.5: expected an int"),
        ({"replace": 1}, TypeError, r"replace = 1"),
        ({"exclude_self_loops": None}, TypeError, r"exclude_self_loops = None"),
        ({"etype": "sells"}, ValueError, r"etype: 'sells' is not one of the edge types"),
    ],
)
def test_refusals(shop, change, error, text):
    with pytest.raises(error, match=text) as caught:
        OURS(**{"g": shop, "num_samples": 3, **change})
    assert isinstance(caught.value, dgl.DGLError)
