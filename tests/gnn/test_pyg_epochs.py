"""Epochs of the loaders for PyG: ranks, states, and batches that share draws."""

import io
import itertools

import numpy as np
import pytest
import torch
from batchorder import order_of, round_robin
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader, NeighborSampler
from pyg_data import flat
from torch_geometric.loader import ImbalancedSampler
from torch_geometric.sampler import EdgeSamplerInput, NodeSamplerInput

from gonextdoor.rng import SEEDS, key, stream, word

GIVEN = {"num_neighbors": [4, 3], "batch_size": 30, "seed": 3}


@pytest.fixture(scope="module")
def data():
    return flat()


def nodes(data, **given):
    return NeighborLoader(data, input_nodes=torch.arange(290), **{**GIVEN, **given})


def links(data, **given):
    given = {"edge_label_index": data.edge_index[:, :290], "neg_sampling": "binary", **GIVEN, **given}
    return LinkNeighborLoader(data, **given)


LOADERS = pytest.mark.parametrize("made", [nodes, links])


def tensors_of(batch):
    return {name: part for name, part in batch.to_dict().items() if torch.is_tensor(part)}


def same(ours, theirs):
    """Whether two lists of batches have the same tensors."""
    assert len(ours) == len(theirs)
    for one, other in zip(map(tensors_of, ours), map(tensors_of, theirs), strict=True):
        assert one.keys() == other.keys()
        assert all(torch.equal(part, other[name]) for name, part in one.items())


@pytest.mark.parametrize("shuffle, share", [(False, 1), (True, 1), (True, 3)])
def test_batches_of_nodes_are_those_of_the_sampler(data, shuffle, share):
    loader, sampler = nodes(data, shuffle=shuffle, share=share), NeighborSampler(data, [4, 3])
    for epoch in range(2):
        order = torch.tensor(order_of(290, 3, epoch)) if shuffle else torch.arange(290)
        seeds = key(stream(3, SEEDS), epoch)
        for number, batch in enumerate(loader):
            part = order[number * 30 : number * 30 + 30]
            asked = NodeSamplerInput(input_id=part, node=part)
            out = sampler.sample_from_nodes(asked, batch_seed=word(seeds, number // share))
            assert torch.equal(batch.input_id, part) and torch.equal(batch.n_id, out.node)
            assert torch.equal(batch.e_id, out.edge)


def test_batches_of_links_share_draws_but_no_negatives(data):
    loader, sampler = links(data, share=3, prefetch=2), NeighborSampler(data, [4, 3])
    seeds, negatives = key(stream(3, SEEDS), 0), []
    for number, batch in enumerate(loader):
        part = torch.arange(number * 30, min(number * 30 + 30, 290))
        asked = EdgeSamplerInput(part, data.edge_index[0, part], data.edge_index[1, part])
        given = [[asked], [word(seeds, number // 3)], loader.neg_sampling]
        (out,) = sampler.sample_many(*given, negative_seeds=[word(seeds, number)])
        assert torch.equal(batch.n_id, out.node) and torch.equal(batch.e_id, out.edge)
        negatives.append(batch.n_id[batch.edge_label_index[:, batch.edge_label == 0]])
    assert not torch.equal(negatives[0], negatives[1])
    with pytest.raises(ValueError, match="negative_seeds has 2 elements: expected 1"):
        sampler.sample_many(*given, negative_seeds=[1, 2])


@LOADERS
@pytest.mark.parametrize("even", ["wrap", "drop"])
@pytest.mark.parametrize("options", [{"prefetch": 0}, {"prefetch": 3}, {"num_workers": 2}])
def test_ranks_together_have_the_batches_of_one_process(data, made, even, options):
    worlds = [2] if "num_workers" in options else [1, 2, 3, 11]
    wanted = [list(loader) for loader in [made(data, shuffle=True)] * 2]
    for world in worlds:
        for rank in range(world):
            loader = made(data, shuffle=True, rank=rank, world=world, even=even, **options)
            for epoch in range(2):
                part = round_robin(wanted[epoch], world, even)[rank]
                assert len(loader) == len(part)
                same(list(loader), part)


@LOADERS
def test_an_uneven_epoch_can_be_an_error(data, made):
    assert len(made(data, rank=1, world=5, even="error")) == 2
    with pytest.raises(ValueError, match=r"10 batches cannot be divided evenly among 3 ranks, 1 would be left over"):
        iter(made(data, rank=1, world=3, even="error"))


@LOADERS
@pytest.mark.parametrize("before, after", [(1, 1), (1, 3), (2, 2), (3, 2), (2, 1)])
def test_resuming_at_every_batch(data, made, before, after):
    loader = made(data, shuffle=True)
    wanted = [list(loader) for _ in range(2)]
    for handed in range(-(-10 // before) + 1):
        loader = made(data, shuffle=True, rank=0, world=before, prefetch=4)
        assert len(list(itertools.islice(loader, handed))) == handed
        state = loader.state_dict()
        ended = handed * before >= 10
        assert (state["epoch"], state["batches"]) == ((1, 0) if ended else (0, handed * before))
        for rank in range(after):
            resumed = made(data, shuffle=True, rank=rank, world=after, seed=None)
            resumed.load_state_dict(state)
            same(list(resumed), round_robin(wanted[state["epoch"]], after, "wrap", state["batches"])[rank])


@pytest.mark.parametrize("options", [{"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}])
def test_states_with_workers(data, options):
    wanted = list(nodes(data))
    loader = nodes(data, **options)
    for _ in range(2):  # workers that persist too hear of the position
        loader.set_epoch(0)
        batches = iter(loader)
        same([next(batches) for _ in range(3)], wanted[:3])
        state = loader.state_dict()
        assert state["batches"] == 3, "batches that workers have drawn do not count"
        list(batches)
        loader.load_state_dict(state)
        same(list(loader), wanted[3:])
    if "persistent_workers" in options:
        loader._iterator.iterator._shutdown_workers()


def test_a_state_is_that_of_the_last_iteration(data):
    loader = nodes(data)
    first = iter(loader)
    next(first)
    second = iter(loader)
    assert (loader.state_dict()["epoch"], loader.state_dict()["batches"]) == (1, 0)
    next(first), next(second)
    assert loader.state_dict()["batches"] == 1
    assert loader.state_dict() == torch.load(saved(loader.state_dict()), weights_only=True)


def saved(state):
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return file


def test_a_sampler_of_the_user_has_its_own_order(data):
    chosen = [[1, 2, 3], [7], [5, 4], [8, 9]]
    loader = NeighborLoader(data, [3], batch_sampler=chosen, seed=1)
    wanted = list(loader)
    resumed = NeighborLoader(data, [3], batch_sampler=chosen, seed=1)
    for handed in range(5):
        loader.set_epoch(0)
        assert len(list(itertools.islice(loader, handed))) == handed
        resumed.load_state_dict(loader.state_dict())
        resumed.set_epoch(0)
        same(list(resumed), wanted if handed == 4 else wanted[handed:])
    endless = NeighborLoader(data, [3], batch_sampler=(part for part in chosen), seed=1)
    same(list(endless), wanted)
    for name, sampler in (("sampler", ImbalancedSampler(data.y)), ("batch_sampler", chosen)):
        with pytest.raises(ValueError, match=f"rank = 0 with {name}: the order of batches is that of {name}"):
            NeighborLoader(data, [3], rank=0, world=2, **{name: sampler})
        with pytest.raises(ValueError, match=f"divide = 'ranks' with {name}: the order of batches is that of {name}"):
            NeighborLoader(data, [3], divide="ranks", **{name: sampler})
        assert len(NeighborLoader(data, [3], rank=0, world=1, **{name: sampler})) > 3


@pytest.mark.parametrize(
    "other, text",
    [
        (lambda data: nodes(data, batch_size=7), "it has batch_size = 7, and this loader has batch_size = 30"),
        (lambda data: nodes(data, num_neighbors=[4, 2]), "it has fanouts = "),
        (lambda data: nodes(data, subgraph_type="induced"), "it has subgraph_type = 'induced'"),
        (lambda data: nodes(data, sampler=range(9)), "it has no inputs, and this loader has inputs = 290"),
        (lambda data: links(data, neg_sampling="triplet"), "it has ids = "),
        (lambda data: NeighborLoader(data, [4, 3], torch.arange(1, 291), batch_size=30), "it has ids = "),
    ],
)
def test_states_of_other_loaders_are_refused(data, other, text):
    with pytest.raises(ValueError, match="state is of another loader: ") as caught:
        nodes(data).load_state_dict(other(data).state_dict())
    assert text in str(caught.value)
    with pytest.raises(ValueError, match="neg_sampling = 'triplet, 1"):
        links(data).load_state_dict(links(data, neg_sampling="triplet").state_dict())


def test_a_sampler_of_others(data):
    """Its batches are its own; their order is a function of the seed of the loader all the same."""

    class Theirs(NeighborSampler.__base__):
        edge_permutation = None

        def sample_from_nodes(self, index):
            return NeighborSampler(data, [2], seed=1).sample_from_nodes(index, batch_seed=len(index.node))

        sample_from_edges = sample_from_nodes

    def loader(**given):
        torch.manual_seed(2)
        return NeighborLoader(data, None, neighbor_sampler=Theirs(), batch_size=100, shuffle=True, **given)

    wanted = list(loader())
    for rank in range(2):
        same(list(loader(rank=rank, world=2)), round_robin(wanted, 2, "wrap")[rank])
    first = loader()
    next(iter(first))
    resumed = loader()
    resumed.load_state_dict(first.state_dict())
    same(list(resumed), wanted[1:])
    with pytest.raises(ValueError, match="share = 2: the given neighbor_sampler is not one"):
        loader(share=2)


@pytest.mark.parametrize(
    "given, text",
    [
        ({"rank": 1}, "rank = 1 without world"),
        ({"divide": "all"}, "divide = 'all'"),
        ({"even": "pad"}, "even = 'pad'"),
        ({"share": 0}, "share = 0"),
    ],
)
def test_bad_arguments_are_refused(data, given, text):
    for made in (nodes, links):
        with pytest.raises(ValueError, match=text):
            made(data, **given)


def test_typed_data_has_states(typed_edges):
    data = typed_edges.pyg()
    loader = NeighborLoader(data, [2], "item", batch_size=100, seed=1, shuffle=True)
    wanted = list(loader)
    resumed = NeighborLoader(data, [2], "item", batch_size=100, shuffle=True)
    resumed.load_state_dict({**loader.state_dict(), "epoch": 0, "batches": 2})
    with pytest.raises(ValueError, match="it has ids = "):  # equal numbers of nodes, of another type
        of_users = NeighborLoader(data, [2], ("user", range(100)), batch_size=100)
        of_users.load_state_dict(NeighborLoader(data, [2], ("item", range(100)), batch_size=100).state_dict())
    for ours, theirs in zip(resumed, wanted[2:], strict=True):
        assert torch.equal(ours["item"].n_id, theirs["item"].n_id)
        assert np.array_equal(ours["user", "buys", "item"].e_id, theirs["user", "buys", "item"].e_id)


@LOADERS
@pytest.mark.parametrize("options", [{}, {"prefetch": 0}, {"num_workers": 2}])
def test_programs_that_call_get_iterator(data, made, options):
    """PyG's programs do, for an epoch whose iterator has the attributes of torch's."""
    loader, wanted = made(data, shuffle=True, **options), made(data, shuffle=True)
    iterator = loader._get_iterator()
    if options.get("num_workers"):
        assert [worker.is_alive() for worker in iterator._workers] == [True] * 2
    same([next(iterator) for _ in range(3)], list(itertools.islice(wanted, 3)))
    assert (loader.state_dict()["epoch"], loader.state_dict()["batches"]) == (0, 3)
    same(list(iterator), list(made(data, shuffle=True))[3:])
    same(list(loader), list(wanted))
    assert not hasattr(iterator, "no_such_attribute")
