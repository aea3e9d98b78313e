"""gonextdoor.dgl.DataLoader: DGL's loader with ranks, states, and batches that share draws."""

import itertools
import pickle

import dgl
import pytest
import torch
from batchorder import order_of, round_robin
from dgl_blocks import check_blocks, edges_of
from gonextdoor.dgl import DataLoader, PGSampler

from gonextdoor.rng import SEEDS, key, stream, word

FORKED = {"num_workers": 2, "multiprocessing_context": "fork"}


@pytest.fixture(scope="module")
def g(edges):
    return edges.dgl()


def vertices(g, **given):
    sampler = PGSampler(given.pop("fanouts", [3, 4]), seed=given.pop("seed", 9))
    return DataLoader(g, torch.arange(190), sampler, **{"batch_size": 20, **given})


def links(g, **given):
    sampler = PGSampler(given.pop("fanouts", [3, 4]), seed=given.pop("seed", 9))
    sampler = dgl.dataloading.as_edge_prediction_sampler(sampler, exclude="self")
    return DataLoader(g, torch.arange(190), sampler, **{"batch_size": 20, **given})


LOADERS = pytest.mark.parametrize("made", [vertices, links])


def shown(batches):
    """Batches as their vertices and all of their edges, which can be compared."""
    found = []
    for inputs, outputs, blocks in batches:
        ids = outputs if torch.is_tensor(outputs) else outputs.edata[dgl.EID]
        found.append((inputs.tolist(), ids.tolist(), [edges_of(block) for block in blocks]))
    return found


@pytest.mark.parametrize("shuffle, share", [(False, 1), (True, 1), (True, 3)])
def test_batches_are_those_of_the_sampler(g, shuffle, share):
    loader, sampler = vertices(g, shuffle=shuffle, share=share), PGSampler([3, 4])
    for epoch in range(2):
        order = torch.tensor(order_of(190, 9, epoch)) if shuffle else torch.arange(190)
        seeds = key(stream(9, SEEDS), epoch)
        found = list(loader)
        assert len(found) == len(loader) == 10
        for number, batch in enumerate(found):
            check_blocks(g, batch, [3, 4])
            with sampler._seeds.fixed(word(seeds, number // share)):
                wanted = sampler.sample(g, order[number * 20 : number * 20 + 20])
            assert shown([batch]) == shown([wanted])
    with sampler._seeds.fixed(5):  # a batch that is drawn again gets another seed
        first, second = (shown([sampler.sample(g, torch.arange(20))]) for _ in range(2))
    assert first != second


@LOADERS
@pytest.mark.parametrize("even", ["wrap", "drop"])
@pytest.mark.parametrize("options", [{}, FORKED, {**FORKED, "persistent_workers": True}])
def test_ranks_together_have_the_batches_of_one_process(g, made, even, options):
    alone = made(g, shuffle=True)
    wanted = [shown(alone) for _ in range(2)]
    for world in [3] if options else [1, 2, 3, 11]:
        for rank in range(world):
            loader = made(g, shuffle=True, rank=rank, world=world, even=even, **options)
            for epoch in range(2):
                part = round_robin(wanted[epoch], world, even)[rank]
                assert shown(loader) == part and len(loader) == len(part)


def test_an_uneven_epoch_can_be_an_error(g):
    assert len(vertices(g, rank=1, world=5, even="error")) == 2
    uneven = vertices(g, rank=1, world=3, even="error")
    for use in (len, iter):
        with pytest.raises(dgl.DGLError, match="10 batches cannot be divided evenly among 3 ranks, 1 would be left"):
            use(uneven)


@LOADERS
@pytest.mark.parametrize("before, after", [(1, 1), (1, 3), (2, 2), (3, 2), (2, 1)])
def test_resuming_at_every_batch(g, made, before, after):
    alone = made(g, shuffle=True)
    wanted = [shown(alone) for _ in range(2)]
    for handed in range(-(-10 // before) + 1):
        loader = made(g, shuffle=True, rank=0, world=before)
        assert len(list(itertools.islice(loader, handed))) == handed
        state = loader.state_dict()
        ended = handed * before >= 10
        assert (state["epoch"], state["batches"]) == ((1, 0) if ended else (0, handed * before))
        for rank in range(after):
            resumed = made(g, shuffle=True, rank=rank, world=after, seed=None)
            resumed.load_state_dict(state)
            assert shown(resumed) == round_robin(wanted[state["epoch"]], after, "wrap", state["batches"])[rank]


@pytest.mark.parametrize("options", [FORKED, {**FORKED, "persistent_workers": True}])
def test_states_with_workers(g, options):
    wanted, loader = shown(vertices(g)), vertices(g, **options)
    for _ in range(2):
        loader.set_epoch(0)
        batches = iter(loader)
        assert shown([next(batches) for _ in range(3)]) == wanted[:3]
        state = loader.state_dict()
        assert state["batches"] == 3, "batches that workers have drawn do not count"
        list(batches)
        loader.load_state_dict(state)
        assert shown(loader) == wanted[3:]


def test_workers_that_are_spawned(g):
    """They get the sampler, the order and the position by pickle."""
    loader = links(g, num_workers=1, multiprocessing_context="spawn")
    loader.load_state_dict({**loader.state_dict(), "epoch": 2, "batches": 7})
    alone = links(g)
    alone.set_epoch(2)
    assert shown(loader) == shown(alone)[7:]


def test_two_iterations_at_once(g):
    loader = vertices(g, shuffle=True)
    wanted = shown(vertices(g, shuffle=True))
    first = iter(loader)
    assert shown([next(first)]) == wanted[:1]
    second = iter(loader)
    assert shown([next(second)]) != wanted[:1]
    assert shown([next(first)]) == wanted[1:2]


def test_ids_of_several_types(typed_edges):
    g = typed_edges.dgl()
    ids = {"item": torch.arange(30), "user": torch.arange(5, 45)}

    def loader(**given):
        return DataLoader(g, ids, PGSampler([2, 2], seed=1), batch_size=8, **given)

    def seeds(batches):
        return [{kind: part.tolist() for kind, part in outputs.items()} for _, outputs, _ in batches]

    plain = dgl.dataloading.DataLoader(g, ids, PGSampler([2, 2], seed=1), batch_size=8)
    assert seeds(loader()) == seeds(plain), "the same batches as DGL's loader has"
    for batch in loader(shuffle=True):
        check_blocks(g, batch)
    wanted = seeds(loader(shuffle=True))
    found = {kind: sorted(itertools.chain(*(part.get(kind, []) for part in wanted))) for kind in ids}
    assert found == {kind: part.tolist() for kind, part in ids.items()}
    assert [seeds(loader(shuffle=True, rank=rank, world=3)) for rank in range(3)] == round_robin(wanted, 3, "wrap")
    resumed = loader(shuffle=True)
    resumed.load_state_dict({**loader(shuffle=True).state_dict(), "batches": 4})
    assert seeds(resumed) == wanted[4:]


OWN = {"divide", "rank", "world", "even", "share", "prefetch", "prefetch_bytes", "progress"}


def test_the_arguments_are_dgls_and_attributes_those_of_the_caller(g):
    import inspect

    ours = inspect.signature(DataLoader).parameters
    theirs = inspect.signature(dgl.dataloading.DataLoader).parameters
    assert [name for name in ours if name in theirs] == list(theirs)
    assert set(ours) - set(theirs) == OWN
    loader = vertices(g, use_ddp=True)
    assert isinstance(loader, dgl.dataloading.DataLoader) and isinstance(loader.graph_sampler, PGSampler)
    assert torch.equal(loader.indices, torch.arange(190)) and loader.use_ddp and len(loader) == 10
    lists = DataLoader(g, [4, 5, 6], PGSampler([2], seed=1), batch_size=2)
    assert [outputs.tolist() for _, outputs, _ in lists] == [[4, 5], [6]]
    assert pickle.loads(pickle.dumps(loader.graph_sampler._seeds)).seed == 9


@pytest.mark.parametrize(
    "given, error, text",
    [
        ({"rank": 1}, ValueError, "rank = 1 without world"),
        ({"divide": "rank"}, ValueError, "divide = 'rank': expected 'ranks' or None"),
        ({"use_ddp": True, "rank": 0, "world": 2}, ValueError, "rank = 0 with use_ddp = True: pass use_ddp, or"),
        ({"use_ddp": "yes"}, TypeError, "use_ddp = 'yes': expected True or False"),
        ({"even": "pad"}, ValueError, "even = 'pad'"),
        ({"share": 0}, ValueError, "share = 0"),
        ({"batch_size": 0}, ValueError, "batch_size = 0"),
        ({"shuffle": 1}, TypeError, "shuffle = 1"),
        ({"ddp_seed": 3}, ValueError, "ddp_seed = 3: expected 0"),
    ],
)
def test_bad_arguments_are_refused(g, given, error, text):
    with pytest.raises(error, match=text) as caught:
        vertices(g, **given)
    assert isinstance(caught.value, dgl.DGLError)


@pytest.mark.parametrize(
    "indices, error, text",
    [
        (torch.rand(3), TypeError, "indices: expected ids as ints, got torch.float32"),
        (torch.ones(3, dtype=torch.bool), TypeError, "got torch.bool"),
        (torch.ones(3, 2, dtype=torch.int64), ValueError, r"indices: expected shape \(n,\), got \(3, 2\)"),
        ({}, ValueError, "indices = {}"),
    ],
)
def test_bad_ids_are_refused(g, indices, error, text):
    with pytest.raises(error, match=text):
        DataLoader(g, indices, PGSampler([2]))
    with pytest.raises(TypeError, match=r"graph_sampler: expected a gonextdoor.dgl.PGSampler.*; got NeighborSampler"):
        DataLoader(g, torch.arange(3), dgl.dataloading.NeighborSampler([2]))


def test_states_of_other_loaders_are_refused(g):
    others = {
        "batch_size = 10, and this loader has batch_size = 20": vertices(g, batch_size=10),
        "fanouts = ": vertices(g, fanouts=[3, 3]),
        "sampler = 'EdgePredictionSampler'": links(g),
        "ids = ": DataLoader(g, torch.arange(1, 191), PGSampler([3, 4]), batch_size=20),
        "num_edges = ": vertices(dgl.add_edges(g, 0, 1)),
    }
    for text, other in others.items():
        with pytest.raises(dgl.DGLError, match=f"state is of another loader: it has {text}"):
            vertices(g).load_state_dict(other.state_dict())
    with pytest.raises(dgl.DGLError, match="state = 3"):
        vertices(g).load_state_dict(3)
    with pytest.raises(dgl.DGLError, match="epoch = -1"):
        vertices(g).set_epoch(-1)
