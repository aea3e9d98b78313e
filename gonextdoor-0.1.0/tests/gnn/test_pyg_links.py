"""gonextdoor.pyg.NeighborSampler with the real PyG: links and their negatives."""

import numpy as np
import pytest
import torch
from gonextdoor.pyg import NeighborSampler
from gonextdoor.pyg.negative import DST, SRC, Negatives
from pyg_data import flat, typed
from torch_geometric.loader import LinkLoader
from torch_geometric.sampler import EdgeSamplerInput, NegativeSampling
from torch_geometric.sampler.neighbor_sampler import edge_sample

from gonextdoor import rng

CITES, WRITES = ("paper", "cites", "paper"), ("author", "writes", "paper")
MODES = [None, ("binary", 1), ("binary", 2.5), ("binary", 0.3), ("triplet", 1), ("triplet", 3)]


def links(data, count, time=None, label=None, kind=None):
    edges = (data if kind is None else data[kind]).edge_index[:, :count].clone()
    time = None if time is None else torch.as_tensor(time)
    return EdgeSamplerInput(torch.arange(count), edges[0], edges[1], label, time, kind)


def as_pyg(sampler, index, negative):
    """The metadata that PyG's own code makes, around our sampling."""
    seen = {}

    def sample(seed, seed_time=None):
        seen["seed"], seen["time"] = seed, seed_time
        one = sampler.is_hetero

        class Output:
            batch = {t: torch.arange(len(v)) for t, v in seed.items()} if one else torch.arange(len(seed))

        return Output()

    out = edge_sample(index, sample, sampler.num_nodes, sampler.disjoint, None, negative)
    return out.metadata, seen


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("disjoint", [False, True])
@pytest.mark.parametrize("kind", [None, CITES, WRITES], ids=["one", "cites", "writes"])
def test_shapes_are_those_of_pyg(mode, disjoint, kind):
    data = flat() if kind is None else typed()
    negative = None if mode is None else NegativeSampling(*mode)
    sampler = NeighborSampler(data, [3, 2], disjoint=disjoint, seed=1)
    index = links(data, 20, kind=kind)
    out = sampler.sample_from_edges(index, negative)
    wanted, _ = as_pyg(sampler, index, negative)
    assert len(out.metadata) == len(wanted)
    for mine, theirs in zip(out.metadata, wanted, strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert mine.shape == theirs.shape and mine.dtype == theirs.dtype
    positive(index, out, negative, kind)


def positive(index, out, negative, kind):
    """The places in the metadata name the links that were given."""
    src_nodes, dst_nodes = (out.node, out.node) if kind is None else (out.node[kind[0]], out.node[kind[2]])
    if negative is None or negative.is_binary():
        src, dst = out.metadata[1]
        assert torch.equal(src_nodes[src[:20]], index.row) and torch.equal(dst_nodes[dst[:20]], index.col)
        return
    src, dst, others = out.metadata[1:4]
    assert torch.equal(src_nodes[src], index.row) and torch.equal(dst_nodes[dst], index.col)
    assert others.shape[0] == 20 and int(others.max()) < len(dst_nodes)


@pytest.mark.parametrize("mode", [m for m in MODES if m], ids=str)
@pytest.mark.parametrize("kind", [None, CITES, WRITES], ids=["one", "cites", "writes"])
def test_batch_says_which_link_a_node_belongs_to(mode, kind):
    data = flat() if kind is None else typed()
    negative, index = NegativeSampling(*mode), links(flat() if kind is None else typed(), 10, kind=kind)
    out = NeighborSampler(data, [2], disjoint=True, seed=1).sample_from_edges(index, negative)
    src_batch, dst_batch = (out.batch, out.batch) if kind is None else (out.batch[kind[0]], out.batch[kind[2]])
    if negative.is_binary():
        owners = torch.arange(out.metadata[1].shape[1]) % 10
        assert torch.equal(src_batch[out.metadata[1][0]], owners) and torch.equal(dst_batch[out.metadata[1][1]], owners)
    else:
        owners = torch.arange(10)
        assert torch.equal(src_batch[out.metadata[1]], owners) and torch.equal(dst_batch[out.metadata[2]], owners)
        others = dst_batch[out.metadata[3].view(10, -1)]
        assert torch.equal(others, owners.view(-1, 1).expand_as(others))


def test_labels():
    data, negative = flat(), NegativeSampling("binary", 2)
    sampler = NeighborSampler(data, [2])
    for label in (None, torch.arange(1, 21), torch.rand(20, 3)):
        out = sampler.sample_from_edges(links(data, 20, label=label), negative)
        given = torch.ones(20) if label is None else label
        assert torch.equal(out.metadata[2][:20], given) and not out.metadata[2][20:].any()
        assert len(out.metadata[2]) == 60 and out.metadata[2].dtype == given.dtype
    with pytest.raises(ValueError, match="triplets"):
        sampler.sample_from_edges(links(data, 20, label=torch.ones(20)), "triplet")


@pytest.mark.parametrize("where", ["node", "edge"])
@pytest.mark.parametrize("mode", [None, ("binary", 2), ("triplet", 2)], ids=str)
def test_links_in_time(mode, where):
    data = flat()
    draws = np.random.default_rng(5)
    data.time = torch.from_numpy(draws.integers(0, 100, 300 if where == "node" else 3000))
    negative = mode and NegativeSampling(*mode)
    sampler = NeighborSampler(data, [4, 2], time_attr="time", seed=1)
    times = torch.from_numpy(draws.integers(40, 100, 30))
    out = sampler.sample_from_edges(links(data, 30, times), negative)
    of_edge = data.time[data.edge_index[0]] if where == "node" else data.time
    assert bool((of_edge[out.edge] <= times[out.batch[out.col]]).all())
    if where == "node" and negative is not None:  # no negative from the future
        ends = out.metadata[1][:, 30:] if negative.is_binary() else out.metadata[3].view(1, 30, -1)
        owners = torch.arange(30).repeat(2) if negative.is_binary() else torch.arange(30).view(-1, 1)
        assert bool((data.time[out.node[ends]] <= times[owners]).all())
    wanted, _ = as_pyg(sampler, links(data, 30, times), negative)
    assert torch.equal(out.metadata[-1], wanted[-1])


@pytest.mark.parametrize("kind", [CITES, WRITES], ids=["cites", "writes"])
@pytest.mark.parametrize("mode", [None, ("binary", 1.5), ("triplet", 2)], ids=str)
def test_typed_links_in_time(mode, kind):
    data = typed()
    draws = np.random.default_rng(6)
    for name, count in (("paper", 200), ("author", 90)):
        data[name].time = torch.from_numpy(draws.integers(0, 100, count))
    negative = mode and NegativeSampling(*mode)
    sampler = NeighborSampler(data, [4, 2], time_attr="time", seed=1)
    times = torch.from_numpy(draws.integers(40, 100, 30))
    out = sampler.sample_from_edges(links(data, 30, times, kind=kind), negative)
    for edge_type in data.edge_types:
        source, _, destination = edge_type
        when = data[source].time[out.node[source][out.row[edge_type]]]
        assert bool((when <= times[out.batch[destination][out.col[edge_type]]]).all())
    wanted, seen = as_pyg(sampler, links(data, 30, times, kind=kind), negative)
    assert torch.equal(out.metadata[-1], wanted[-1])
    for name, nodes in seen["seed"].items():
        assert len(nodes) == out.num_sampled_nodes[name][0]
    if negative is None:
        return
    dst = out.node[kind[2]]
    if negative.is_binary():
        src, dst = out.node[kind[0]][out.metadata[1][0, 30:]], dst[out.metadata[1][1, 30:]]
        limit = times.repeat(2)[: len(src)]
        assert len(src) == 45 and bool((data[kind[0]].time[src] <= limit).all())
        assert bool((data[kind[2]].time[dst] <= limit).all())
    else:
        assert bool((data[kind[2]].time[dst[out.metadata[3]]] <= times.view(-1, 1)).all())


def test_negatives_are_what_the_law_says():
    sampling, word = NegativeSampling("binary", 2), 0xDEADBEEFDEADBEEF
    for endpoint in (SRC, DST):
        ends = Negatives().draw(sampling, endpoint, 50, 1000, word)
        key = rng.key(rng.stream(word, rng.NEGATIVES), endpoint)
        assert ends.tolist() == [rng.below(rng.word(key, i), 1000)[0] for i in range(100)]
    weights = torch.tensor([3.0, 0.0, 1.0, 1e-30, 4.0])
    sampling = NegativeSampling("triplet", 4, dst_weight=weights)
    ends = Negatives().draw(sampling, DST, 25, 5, word)
    whole = [3 << 29, 0, 1 << 29, 1, 1 << 31]  # in units of 2^-32 of 8
    key = rng.key(rng.stream(word, rng.NEGATIVES), DST)
    for i, end in enumerate(ends.tolist()):
        left = rng.word(key, i) * sum(whole) >> 64
        sums = np.cumsum(whole).tolist()
        assert end == next(v for v, total in enumerate(sums) if left < total)


def test_negatives_by_weight_and_time():
    weights, times = torch.tensor([1.0, 2.0, 0.0, 5.0, 8.0]), np.array([4, 1, 2, 3, 9])
    negatives = Negatives()
    for sampling, shares in (
        (NegativeSampling("triplet", 4000), [1, 1, 1, 1, 0]),
        (NegativeSampling("triplet", 4000, dst_weight=weights), [1, 2, 0, 5, 0]),
    ):
        ends = negatives.draw(sampling, DST, 2, 5, 77, node_time=times, seed_time=np.array([5, 2]))
        first, second = (np.bincount(ends[i::2], minlength=5) for i in range(2))
        expected = np.array(shares) / sum(shares) * 4000
        there = expected > 0
        assert not first[~there].any()
        assert ((first - expected)[there] ** 2 / expected[there]).sum() < 25
        assert set(np.flatnonzero(second)) <= {1, 2}
    none = negatives.draw(NegativeSampling("triplet", 3), DST, 2, 5, 77, node_time=times, seed_time=np.array([0, 0]))
    assert none.tolist() == [1] * 6  # the oldest, if none is old enough


def test_a_way_of_ones_own_is_kept():
    class First(NegativeSampling):
        def sample(self, num_samples, endpoint, num_nodes=None):
            return torch.zeros(num_samples, dtype=torch.long)

    data = flat()
    out = NeighborSampler(data, [2]).sample_from_edges(links(data, 5), First("triplet", 2))
    assert not out.node[out.metadata[3]].any()


@pytest.mark.parametrize("negative", [None, NegativeSampling("binary", 1), NegativeSampling("triplet", 2)], ids=str)
def test_loader_of_links(negative):
    for data, kind in ((flat(), None), (typed(), WRITES)):
        edges = (data if kind is None else data[kind]).edge_index[:, :50]
        given = edges if kind is None else (kind, edges)
        sampler = NeighborSampler(data, [3, 2], seed=1)
        for batch in LinkLoader(data, sampler, edge_label_index=given, neg_sampling=negative, batch_size=20):
            front = batch if kind is None else batch[kind]
            src, dst = (batch, batch) if kind is None else (batch[kind[0]], batch[kind[2]])
            at = front.input_id
            if negative is None or negative.is_binary():
                ends = src.n_id[front.edge_label_index[0]], dst.n_id[front.edge_label_index[1]]
            else:
                ends = src.n_id[src.src_index], dst.n_id[dst.dst_pos_index]
                assert dst.dst_neg_index.shape == (len(at), 2)
            assert torch.equal(torch.stack(ends)[:, : len(at)], edges[:, at])


@pytest.mark.parametrize("mode", ["binary", "triplet"])
def test_links_do_not_depend_on_workers(mode):
    data, seen = flat(), []
    for given in ({}, {"num_workers": 2, "multiprocessing_context": "fork"}):
        sampler = NeighborSampler(data, [3, 2], seed=2)
        sampler.set_epoch(1)
        loader = LinkLoader(data, sampler, neg_sampling=mode, batch_size=500, **given)
        seen.append([(b.e_id.tolist(), b.n_id.tolist()) for b in loader])
    assert seen[0] == seen[1]


def test_refusals():
    data = flat()
    data.time = torch.arange(300)
    sampler = NeighborSampler(data, [2], time_attr="time")
    with pytest.raises(ValueError, match="edge_label_time"):
        sampler.sample_from_edges(links(data, 5), "binary")
    sampler = NeighborSampler(data, [2])
    with pytest.raises(ValueError, match="time_attr"):
        sampler.sample_from_edges(links(data, 5, range(5)))
    for weight, text in (
        (torch.ones(7), "300 numbers"),
        (-torch.ones(300), r"dst_weight\[0\]"),
        (torch.zeros(300), "0"),
    ):
        with pytest.raises(ValueError, match=text):
            sampler.sample_from_edges(links(data, 5), NegativeSampling("triplet", 1, dst_weight=weight))
    one, two = torch.tensor([1]), torch.tensor([1, 2])
    for wrong in (300, -1, 1 << 60):
        with pytest.raises(IndexError, match=rf"col\[1\] = {wrong}"):
            sampler.sample_from_edges(EdgeSamplerInput(None, two, torch.tensor([1, wrong])))
    with pytest.raises(ValueError, match="col has 1 elements: expected 2"):
        sampler.sample_from_edges(EdgeSamplerInput(None, two, one))
    with pytest.raises(ValueError, match="label has 1 elements: expected 2"):
        sampler.sample_from_edges(EdgeSamplerInput(None, two, two, one), "binary")
    with pytest.raises(ValueError, match="input_type"):
        NeighborSampler(typed(), [2]).sample_from_edges(links(data, 5))
