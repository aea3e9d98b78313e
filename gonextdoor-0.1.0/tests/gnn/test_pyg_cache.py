"""gonextdoor.pyg's loaders on a GPU with features in host memory, which the core reads with and without a cache."""

import gc
import os
import threading

import numpy as np
import pytest
import torch
from gonextdoor.features.loading import GPURows, shares
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader, tensors
from pyg_data import flat, typed

pytestmark = pytest.mark.usefixtures("gpu")
EMULATED = not torch.cuda.is_available() or "GONEXTDOOR_LIBCUDA" in os.environ


@pytest.fixture(autouse=True)
def taken_over():
    """Without a GPU, torch cannot read the memory of an emulated one, and gets copies."""
    with pytest.MonkeyPatch.context() as patch:
        if EMULATED:
            patch.setattr(tensors, "_tensor", lambda arena: torch.from_numpy(np.array(arena)))
        yield


def data(kind):
    held = flat() if kind is None else typed()
    stores = [held] if kind is None else [held[name] for name in held.node_types]
    for number, store in enumerate(stores):
        nodes = store.num_nodes
        random = torch.Generator().manual_seed(number)
        store.x = torch.randn(nodes, 7, generator=random)
        store.half = torch.randn(nodes, 2, 3, generator=random).to(torch.bfloat16)
        store.y = torch.randint(9, (nodes,), generator=random)
        store.train_mask = torch.rand(nodes, generator=random) < 0.5
        store.learned = torch.randn(nodes, 2, generator=random).requires_grad_()
        store.turned = torch.randn(3, nodes, generator=random).t()
        store.names = [str(i) for i in range(nodes)]
    return held


def same(one, other):
    """Whether two batches have the same attributes, bit for bit."""
    assert one.to_dict().keys() == other.to_dict().keys()
    for left, right in zip(one.stores, other.stores, strict=True):
        assert list(left.keys()) == list(right.keys())
        for name, value in left.items():
            if torch.is_tensor(value):
                assert value.dtype == right[name].dtype and torch.equal(value.cpu(), right[name].cpu()), name
            else:
                assert value == right[name], name


def loaders(kind, given, **more):
    held = data(kind)
    options = {"num_neighbors": [4, 3], "batch_size": 40, "seed": 3, "shuffle": True, "input_nodes": kind}
    return NeighborLoader(held, **options, **more), NeighborLoader(held, device="cuda", **options, **given)


@pytest.mark.parametrize("kind", [None, "paper"])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"prefetch": 0},
        {"prefetch": 3, "prefetch_bytes": 1},
        {"cache": "9KB"},
        {"cache": 11_000, "cache_policy": "lookahead"},
        {"cache": 11_000, "cache_policy": "lookahead", "prefetch": 0},
        {"cache": "1GB"},
    ],
    ids=str,
)
def test_batches_are_those_of_the_cpu(kind, given):
    here, there = loaders(kind, given)
    for _ in range(2):
        for one, other in zip(here, there, strict=True):
            same(one, other)
    stats = there.stats()
    assert stats.batches == 2 * len(here) and stats.held_bytes == 0 and stats.seconds["gather"] > 0
    if given.get("cache") == "1GB":
        assert stats.hits == 1
    elif "cache" in given:
        assert 0 < stats.hits < 1
    else:
        assert stats.hits == 0
    assert here.stats().hits is None


@pytest.mark.parametrize("kind", [None, ("author", "writes", "paper")])
@pytest.mark.parametrize("cache", [None, "9KB"])
def test_links(kind, cache):
    held = data(kind)
    edges = (held if kind is None else held[kind]).edge_index[:, :200]
    given = {"num_neighbors": [4, 3], "batch_size": 50, "seed": 3, "neg_sampling": "binary"}
    given["edge_label_index"] = edges if kind is None else (kind, edges)
    drawn = []
    for where in ({}, {"device": "cuda", "cache": cache}):
        torch.manual_seed(1)
        drawn.append(list(LinkNeighborLoader(held, **given, **where)))
    for one, other in zip(*drawn, strict=True):
        same(one, other)


def test_a_transform_of_the_samplers_output_may_change_the_ids():
    def first(out):
        out.node = out.node.flip(0)
        return out

    here, there = loaders(None, {"cache": "9KB", "transform_sampler_output": first}, transform_sampler_output=first)
    for one, other in zip(here, there, strict=True):
        same(one, other)


@pytest.mark.parametrize("cache", [None, "9KB", "1GB"])
def test_changes_between_epochs_are_seen(cache):
    here, there = loaders(None, {"cache": cache})
    held = there.data
    for change in (
        lambda: held.x.add_(1.0),
        lambda: held.update({"x": torch.randn(held.num_nodes, 4)}),
        lambda: held.update({"more": torch.arange(held.num_nodes)}),
    ):
        list(there)
        change()
        here.data, there.data = held, held
        here.set_epoch(5)
        there.set_epoch(5)
        for one, other in zip(here, there, strict=True):
            same(one, other)


def test_data_that_is_replaced():
    here, there = loaders(None, {"cache": "9KB"})
    list(there)
    held = data(None)
    held.x = held.x + 1
    here.data = there.data = held
    here.set_epoch(1)
    for one, other in zip(here, there, strict=True):
        same(one, other)


def test_data_without_features_in_host_memory():
    held = data(None)
    for name in ("x", "half", "y", "train_mask", "learned", "turned", "names"):
        del held[name]
    held.num_nodes = 300
    given = {"num_neighbors": [4, 3], "batch_size": 100, "seed": 3}
    loader = NeighborLoader(held, device="cuda", cache="9KB", **given)
    for one, other in zip(NeighborLoader(held, **given), loader, strict=True):
        same(one, other)
    assert loader.stats().hits == 0


@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize("given", [{}, {"cache": "9KB"}, {"cache": "9KB", "cache_policy": "frequency"}])
def test_batches_of_several_gpus(given):
    held = data(None)
    options = {"num_neighbors": [4, 3], "batch_size": 20, "seed": 3, "shuffle": True}
    there = NeighborLoader(held, device=["cuda:0", "cuda:1"], **options, **given)
    for one, other in zip(NeighborLoader(held, **options), there, strict=True):
        same(one, other)
    assert (0 < there.stats().hits < 1) == ("cache" in given)


def test_the_cache_looks_ahead(monkeypatch):
    """Announced batches are hit more often than if the cache only knows those before."""
    rates = []
    for announced in (False, True):
        if not announced:
            monkeypatch.setattr(GPURows, "announce", lambda *_: None)
        held = data(None)
        given = {"cache": 11_000, "cache_policy": "lookahead", "batch_size": 4, "shuffle": True, "seed": 3}
        loader = NeighborLoader(held, [2], torch.arange(100), device="cuda", **given)
        list(loader)
        rates.append(loader.stats().hits)
        monkeypatch.undo()
    assert 0 < rates[0] < rates[1] < 1


def test_an_epoch_that_is_left_does_not_count_as_announced():
    here, there = loaders(None, {"cache": 11_000, "cache_policy": "lookahead"})
    for _ in range(5):
        for _ in there:
            break
    assert there._rows._rows._announced > 0
    here.set_epoch(5)
    for one, other in zip(here, there, strict=True):
        same(one, other)
    assert there._rows._rows._announced == 0


def test_it_ends_at_once():
    _, there = loaders(None, {"cache": "9KB"})
    for _ in there:
        break
    gc.collect()
    assert not [thread for thread in threading.enumerate() if thread.name == "gonextdoor"]
    assert there.stats().held_bytes == 0


def test_an_error_has_its_batch(monkeypatch):
    _, there = loaders(None, {})
    start = GPURows.start

    def failing(self, ids):
        if failing.left == 0:
            raise OSError("the link is gone")
        failing.left -= 1
        return start(self, ids)

    failing.left = 3
    monkeypatch.setattr(GPURows, "start", failing)
    with pytest.raises(OSError, match="batch 3 of epoch 0: the link is gone"):
        list(there)


def test_features_are_divided():
    assert shares(100, {"x": 1000, "y": 10, "z": 20}) == {"y": 10, "z": 20, "x": 70}
    assert shares(100, {"x": 1000, "y": 900}) == {"y": 50, "x": 50}
    assert shares(0, {"x": 5}) == {"x": 0}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"device": "cpu", "cache": "1GB"}, "cache = '1GB' with device = 'cpu': expected a GPU"),
        ({"device": "cuda", "cache": "lots"}, "cache = 'lots': expected a number of bytes"),
        ({"device": "cuda", "cache": -1}, "cache = -1"),
        ({"device": "cuda", "cache": "9KB", "cache_policy": "newest"}, "cache_policy = 'newest'"),
        ({"device": "cuda", "cache": "9KB", "cache_policy": np.ones(3)}, "cache_policy: expected shape"),
        ({"device": "cuda", "prefetch_bytes": 0}, "prefetch_bytes"),
    ],
    ids=str,
)
def test_refusals(given, text):
    with pytest.raises(ValueError, match=text):
        NeighborLoader(data(None), [2], **given)
