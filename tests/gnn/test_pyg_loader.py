"""NeighborLoader and LinkNeighborLoader in the place of PyG's own."""

import gc
import inspect
import os
import signal
import threading
import time

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader, NeighborSampler
from torch_geometric.data import Data
from torch_geometric.loader import ImbalancedSampler, LinkLoader, NodeLoader
from torch_geometric.loader import LinkNeighborLoader as PygLinkNeighborLoader
from torch_geometric.loader import NeighborLoader as PygNeighborLoader
from torch_geometric.nn import SAGEConv
from torch_geometric.sampler import NegativeSampling, SamplerOutput
from torch_geometric.utils import trim_to_layer

OWN = {
    "seed",
    "device",
    "prefetch",
    "threads",
    "method",
    "prefetch_bytes",
    "cache",
    "cache_policy",
    "layer_dependency",
    "input_start_time",
    "input_end_time",
    "strict",
    "divide",
    "rank",
    "world",
    "even",
    "share",
    "progress",
}


@pytest.fixture(scope="module")
def data(edges):
    return edges.pyg()


@pytest.fixture(scope="module")
def hetero(typed_edges):
    return typed_edges.pyg()


def same(a, b):
    """Whether two batches have the same attributes, bit for bit."""
    left, right = a.to_dict(), b.to_dict()
    _same(left, right, "")


def _same(a, b, name):
    if isinstance(a, dict):
        assert isinstance(b, dict) and set(a) == set(b), (name, set(a) ^ set(b))
        for key in a:
            _same(a[key], b[key], f"{name}.{key}")
    elif isinstance(a, torch.Tensor):
        assert a.dtype == b.dtype and torch.equal(a, b), name
    elif isinstance(a, np.ndarray):
        assert np.array_equal(a, b), name
    else:
        assert a == b, name


def right(batch, data):
    """Whether a batch is a part of the data."""
    assert torch.equal(data.edge_index[:, batch.e_id], batch.n_id[batch.edge_index])
    assert torch.equal(batch.x, data.x[batch.n_id]) and torch.equal(batch.y, data.y[batch.n_id])
    assert torch.equal(batch.edge_attr, batch.e_id) and batch.edge_index.is_contiguous()
    assert sum(batch.num_sampled_nodes) == len(batch.n_id) and sum(batch.num_sampled_edges) == len(batch.e_id)


@pytest.mark.parametrize(
    "ours, theirs", [(NeighborLoader, PygNeighborLoader), (LinkNeighborLoader, PygLinkNeighborLoader)]
)
def test_arguments_are_pygs(ours, theirs):
    own = OWN | {"exclude_seed_edges"} if ours is LinkNeighborLoader else OWN
    mine, wanted = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
    assert set(mine) - set(wanted) == own
    for name, parameter in wanted.items():
        assert mine[name].kind == parameter.kind, name
        assert mine[name].default == parameter.default, name
    order = [name for name in mine if name in wanted]
    assert order == list(wanted)
    assert all(mine[name].kind == inspect.Parameter.KEYWORD_ONLY for name in own)


def test_batches_are_parts_of_the_data(data):
    loader = NeighborLoader(data, [5, 3], torch.arange(700), batch_size=128, seed=1)
    assert len(loader) == 6 and isinstance(loader, NodeLoader)
    batches = list(loader)
    assert [batch.batch_size for batch in batches] == [128] * 5 + [60]
    for number, batch in enumerate(batches):
        right(batch, data)
        seeds = torch.arange(700)[number * 128 : (number + 1) * 128]
        assert torch.equal(batch.n_id[: batch.batch_size], seeds) and torch.equal(batch.input_id, seeds)
        assert "batch" not in batch and "seed_time" not in batch


def test_who_draws_does_not_matter(data, workers):
    def loader(**options):
        torch.manual_seed(7)
        return NeighborLoader(data, [4, 3], batch_size=512, shuffle=True, seed=3, **options)

    wanted = loader(prefetch=0)
    ones = [list(wanted), list(wanted)]
    ways = [workers] if workers["num_workers"] else [{"prefetch": 1}, {"prefetch": 3, "threads": 2}, {"threads": 1}]
    for way in ways:
        other = loader(**way)
        fork = way.get("multiprocessing_context", "fork") == "fork"
        for epoch in ones if fork else ones[:1]:  # another start takes seconds
            for a, b in zip(epoch, other, strict=True):
                same(a, b)
    assert not torch.equal(ones[0][0].e_id, ones[1][0].e_id)  # a second epoch is a fresh one


def test_workers_that_persist_have_epochs(data):
    def epochs(**options):
        loader = NeighborLoader(data, [4], batch_size=700, seed=3, **options)
        found = [batch.e_id.clone() for _ in range(3) for batch in loader]
        if options:  # torch's own shutdown fails where the collector finds a loader, and takes seconds
            loader._iterator.iterator._shutdown_workers()
        return found

    for a, b in zip(epochs(), epochs(num_workers=2, persistent_workers=True), strict=True):
        assert torch.equal(a, b)


def test_epochs_by_name(data):
    loader = NeighborLoader(data, [4], batch_size=700, seed=3)
    first, second = ([batch.e_id for batch in loader] for _ in range(2))
    loader.set_epoch(0)
    assert all(map(torch.equal, first, (batch.e_id for batch in loader)))
    assert all(map(torch.equal, second, (batch.e_id for batch in loader)))


def test_torchs_seed_repeats_a_run(data):
    def run():
        torch.manual_seed(5)
        return [batch.e_id for batch in NeighborLoader(data, [4], batch_size=700, shuffle=True)]

    first = run()
    assert all(map(torch.equal, first, run()))
    assert not torch.equal(first[0], next(iter(NeighborLoader(data, [4], batch_size=700, shuffle=True))).e_id)


def test_the_order_is_a_function_of_the_seed_and_the_epoch():
    data = Data(edge_index=torch.arange(100).repeat(2, 1), num_nodes=100)

    def orders(seed, **options):
        torch.manual_seed(3)
        loader = NeighborLoader(data, [1], batch_size=16, shuffle=True, seed=seed, **options)
        return [torch.cat([batch.input_id for batch in loader]).tolist() for _ in range(2)]

    first, second = orders(5)
    assert sorted(first) == sorted(second) == list(range(100)) and first != second
    assert orders(5) == [first, second] and orders(6) != [first, second]
    assert [order[:96] for order in (first, second)] == orders(5, drop_last=True)
    assert orders(None) == orders(None) != orders(None, generator=torch.Generator().manual_seed(4))
    assert orders(5, generator=torch.Generator().manual_seed(4)) == [first, second]


def test_samplers_of_torch_and_pyg(data):
    imbalanced = ImbalancedSampler(data.y)
    for batch in NeighborLoader(data, [3], batch_size=500, sampler=imbalanced):
        right(batch, data)  # the same node occurs several times in it
        assert len(batch.input_id.unique()) < len(batch.input_id) == batch.batch_size
        assert torch.equal(batch.n_id[: batch.batch_size], batch.input_id)
    chosen = [[1, 2, 3], [7], [5, 4]]
    loader = NeighborLoader(data, [3], batch_sampler=chosen)
    assert [batch.input_id.tolist() for batch in loader] == chosen and len(loader) == 3


@pytest.mark.parametrize("subgraph_type", ["directional", "bidirectional", "induced"])
def test_a_batch_is_put_together_as_pygs_own_loader_does(data, subgraph_type):
    extra = data.clone()
    extra.train_mask, extra.names = torch.rand(data.num_nodes) < 0.5, np.arange(data.num_nodes) * 2
    extra.half, extra.title = data.x.to(torch.bfloat16), "a graph"
    extra.pair = torch.stack([data.edge_index[0], data.edge_index[1]])  # not along axis 0
    loader = NeighborLoader(extra, [4, 3], subgraph_type=subgraph_type, seed=1)
    theirs = NodeLoader(extra, loader.node_sampler)
    for alone in (True, False):
        asked = loader.input_data[torch.arange(50)]
        mine = loader._joined(loader.node_sampler.sample_from_nodes(asked, batch_seed=4), alone=alone)
        same(mine, theirs.filter_fn(loader.node_sampler.sample_from_nodes(asked, batch_seed=4)))


def test_a_hetero_batch_is_put_together_as_pygs_own_loader_does(hetero):
    loader = NeighborLoader(hetero, [4, 3], "item", seed=1)
    theirs = NodeLoader(hetero, loader.node_sampler, "item")
    asked = loader.input_data[torch.arange(50)]
    mine = loader.filter_fn(loader.node_sampler.sample_from_nodes(asked, batch_seed=4))
    same(mine, theirs.filter_fn(loader.node_sampler.sample_from_nodes(asked, batch_seed=4)))
    for kind in hetero.edge_types:
        edge = mine[kind]
        ends = torch.stack([mine[kind[0]].n_id[edge.edge_index[0]], mine[kind[2]].n_id[edge.edge_index[1]]])
        assert torch.equal(hetero[kind].edge_index[:, edge.e_id], ends)
        assert torch.equal(edge.edge_attr, edge.e_id)
    assert mine["item"].batch_size == 50


@pytest.mark.parametrize("negatives", [None, NegativeSampling("binary", 1.5), NegativeSampling("triplet", 2)])
@pytest.mark.parametrize("typed", [False, True])
def test_links_are_put_together_as_pygs_own_loader_does(data, hetero, negatives, typed):
    graph, links = (hetero, ("user", "buys", "item")) if typed else (data, data.edge_index[:, :300])
    loader = LinkNeighborLoader(graph, [4, 3], links, neg_sampling=negatives, batch_size=64, seed=1)
    theirs = LinkLoader(graph, loader.link_sampler, links, neg_sampling=negatives)
    asked = loader.input_data[torch.arange(64)]

    def draw():
        return loader.link_sampler.sample_from_edges(asked, loader.neg_sampling, batch_seed=9)

    same(loader.filter_fn(draw()), theirs.filter_fn(draw()))
    first = next(iter(loader))
    of = first["user", "buys", "item"] if typed else first
    assert torch.equal(of.input_id, torch.arange(64))
    if negatives is None:
        ends = (first["user"].n_id, first["item"].n_id) if typed else (first.n_id, first.n_id)
        wanted = (graph["user", "buys", "item"] if typed else graph).edge_index[:, :64]
        assert torch.equal(torch.stack([n[i] for n, i in zip(ends, of.edge_label_index, strict=True)]), wanted)


@pytest.mark.parametrize("options", [{}, {"num_workers": 2}, {"num_workers": 3, "filter_per_worker": False}])
def test_links_whoever_draws(data, options):
    def loader(**options):
        return LinkNeighborLoader(
            data, [4], data.edge_index[:, :900], neg_sampling="binary", batch_size=300, seed=3, **options
        )

    for a, b in zip(loader(prefetch=0), loader(**options), strict=True):
        same(a, b)


def test_temporal_batches(data):
    loader = NeighborLoader(
        data, [4, 4], torch.arange(300), input_time=torch.arange(300) * 3, time_attr="edge_time", batch_size=100, seed=1
    )
    for batch in loader:
        right(batch, data)
        assert torch.equal(batch.seed_time, batch.input_id * 3)
        tree = batch.batch[batch.edge_index[1]]
        assert bool((batch.edge_time <= batch.seed_time[tree]).all())


def test_a_model_learns(data):
    class SAGE(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([SAGEConv(16, 32), SAGEConv(32, 4)])

        def forward(self, batch):
            x, edge_index = batch.x, batch.edge_index
            for i, layer in enumerate(self.layers):
                x, edge_index, _ = trim_to_layer(i, batch.num_sampled_nodes, batch.num_sampled_edges, x, edge_index)
                x = layer(F.relu(x) if i else x, edge_index)
            return x

    torch.manual_seed(0)
    model, losses = SAGE(), []
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    loader = NeighborLoader(data, [5, 5], batch_size=256, shuffle=True)
    for _ in range(3):
        for batch in loader:
            out = model(batch)[: batch.batch_size]
            loss = F.cross_entropy(out, batch.y[: batch.batch_size])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    assert np.mean(losses[-3:]) < 0.7 * np.mean(losses[:3])


def test_no_thread_is_left(data):
    before = set(threading.enumerate())
    loader = NeighborLoader(data, [5], batch_size=64, prefetch=4, threads=3)
    for _ in loader:
        assert set(threading.enumerate()) != before
        break
    gc.collect()
    assert set(threading.enumerate()) == before
    with pytest.raises(ZeroDivisionError):
        for _ in loader:
            raise ZeroDivisionError
    gc.collect()
    assert set(threading.enumerate()) == before
    list(loader)
    assert set(threading.enumerate()) == before


def test_the_collector_may_end_threads_anywhere(data):
    """Loaders in cycles, of which the collector finds one while another hands tasks over; and forks meanwhile."""
    loader = NeighborLoader(data, [3], batch_size=20, prefetch=8, threads=2)
    before = gc.get_threshold()
    gc.set_threshold(20)
    try:
        for _ in range(10):
            iterator = iter(loader)
            next(iterator)
            cycle = [iterator]
            cycle.append(cycle)
            del iterator, cycle
            for number, _ in enumerate(loader):
                if number == 30:
                    break
            pid = os.fork()
            if not pid:
                os._exit(0)
            os.waitpid(pid, 0)
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert all(thread.name != "gonextdoor" for thread in threading.enumerate())


@pytest.mark.parametrize("options", [{"prefetch": 0}, {"prefetch": 3}, {"num_workers": 2}])
def test_an_error_names_the_batch(data, options):
    nodes = torch.arange(1000)
    nodes[700] = data.num_nodes
    loader = NeighborLoader(data, [5], nodes, batch_size=100, **options)
    seen = 0
    with pytest.raises(IndexError, match=r"batch 7 of epoch 0: .*2000"):
        for _ in loader:
            seen += 1
    assert seen == 7


class Marks:
    """Notes in which thread it was called, and for what."""

    def __init__(self):
        self.calls = []

    def __call__(self, value):
        self.calls.append((threading.current_thread(), type(value)))
        if len(self.calls) == 3:
            raise KeyError("third")
        return value


@pytest.mark.parametrize("name, kind", [("transform", Data), ("transform_sampler_output", SamplerOutput)])
def test_transforms_run_in_order_where_the_loop_is(data, name, kind):
    marks = Marks()
    loader = NeighborLoader(data, [5], batch_size=100, prefetch=4, **{name: marks})
    with pytest.raises(KeyError, match="batch 2 of epoch 0"):
        list(loader)
    assert marks.calls == [(threading.current_thread(), kind)] * 3


def die(batch):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_is_an_error(data):
    loader = NeighborLoader(data, [5], batch_size=100, num_workers=2, transform=die)
    begin = time.monotonic()
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid"):
        list(loader)
    assert time.monotonic() - begin < 60


def test_a_sampler_of_ours_may_be_shared(data):
    sampler = NeighborSampler(data, [3], seed=2)
    a = list(NeighborLoader(data, [3], batch_size=500, neighbor_sampler=sampler))
    b = list(NeighborLoader(data, [3], batch_size=500, seed=2))
    for one, other in zip(a, b, strict=True):
        same(one, other)
    links = LinkNeighborLoader(data, [3], data.edge_index[:, :10], batch_size=5, neighbor_sampler=sampler)
    assert len(list(links)) == 2


def test_places_may_be_asked_for(data):
    loader = NeighborLoader(data, [3], torch.arange(100, 200), seed=2)
    batch = loader([3, 5])
    assert batch.n_id[:2].tolist() == [103, 105] and batch.input_id.tolist() == [3, 5]
    right(batch, data)
    right(loader(torch.tensor([7])), data)
