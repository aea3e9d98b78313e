"""gonextdoor.loader: its batches, their order, ranks and states. The rules that decide them are written out below."""

from __future__ import annotations

import itertools
import json
import pickle
from typing import Any

import numpy as np
import pytest
from batchorder import order_of, round_robin

import gonextdoor as gnd
from gonextdoor import rng

GRAPH = gnd.rmat(9, seed=1)
NODES = np.random.default_rng(2).permutation(512)[:100]
FANOUTS = [4, 3]


def made(**given: Any) -> gnd.Loader:
    return gnd.loader(GRAPH, FANOUTS, NODES, **{"batch_size": 10, "seed": 7, **given})


def whole(batch: gnd.NeighborBatch) -> list[list[int]]:
    """All vertices and edges of a batch."""
    parts = batch.split(batch.arena)
    return [
        array.tolist() for arrays in (parts.nodes, parts.trees, parts.row, parts.col, parts.edges) for array in arrays
    ]


def all_of(batches: Any) -> list[list[list[int]]]:
    return [whole(batch) for batch in batches]


def seeds_of(batches: Any) -> list[int]:
    """The first vertex of each batch."""
    return [int(batch.split(batch.arena).nodes[0][0]) for batch in batches]


def epoch_of(
    epoch: int, batch_size: int = 10, shuffle: bool = False, drop_last: bool = False, seed: int = 7, share: int = 1
) -> list[list[list[int]]]:
    """The batches of an epoch, by the definition."""
    order = order_of(len(NODES), seed, epoch) if shuffle else list(range(len(NODES)))
    sampler, batches = gnd.NeighborSampler(GRAPH, FANOUTS), []
    for number, begin in enumerate(range(0, len(order), batch_size)):
        places = order[begin : begin + batch_size]
        if len(places) == batch_size or not drop_last:
            batch_seed = rng.word(rng.key(rng.stream(seed, rng.SEEDS), epoch), number // share)
            batches.append(whole(sampler.draw(NODES[places], batch_seed)))
    return batches


@pytest.mark.parametrize("options", [{}, {"shuffle": True}, {"batch_size": 7, "drop_last": True, "shuffle": True}])
@pytest.mark.parametrize("share", [1, 3])
def test_batches_are_those_of_the_sampler(options: dict[str, Any], share: int) -> None:
    loader = made(share=share, **options)
    for epoch in range(3):
        wanted = epoch_of(epoch, share=share, **options)
        assert all_of(loader) == wanted and len(loader) == len(wanted)
    loader.set_epoch(1)
    assert all_of(loader) == epoch_of(1, share=share, **options)
    assert made(**options, threads=1, seed=8).state_dict()["seed"] == 8


@pytest.mark.parametrize("count", [0, 1, 2, 3, 255, 256, 257])
def test_shuffling_is_a_permutation_that_each_epoch_has_anew(count: int) -> None:
    loader = gnd.loader(gnd.rmat(9, seed=1), [0], np.arange(count), 1, shuffle=True, seed=3)
    orders = [seeds_of(loader) for _ in range(2)]
    assert orders == [order_of(count, 3, epoch) for epoch in range(2)]
    assert all(sorted(order) == list(range(count)) for order in orders)
    assert count < 3 or orders[0] != orders[1]


def test_a_long_order() -> None:
    """One that is made in several pieces."""
    count = 150_000
    loader = gnd.loader(gnd.Graph.from_edges([0], [1], num_vertices=count), [0], batch_size=count, shuffle=True, seed=3)
    (batch,) = loader
    assert batch.split(batch.arena).nodes[0].tolist() == order_of(count, 3, 0)


def test_positions_are_shuffled_uniformly() -> None:
    """Each position is in each place equally often, by a chi-squared test of 36 cells with 25 degrees of freedom."""
    loader = gnd.loader(gnd.rmat(4, seed=1), [0], np.arange(6), 6, shuffle=True, seed=5)
    counts = np.zeros((6, 6))
    for _ in range(3000):
        (batch,) = loader
        counts[np.arange(6), batch.split(batch.arena).nodes[0][:6]] += 1
    assert ((counts - 500) ** 2 / 500).sum() < 65  # exceeded with a probability below 2e-5


@pytest.mark.parametrize("world", [1, 2, 3, 11])
@pytest.mark.parametrize("even", ["wrap", "drop"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_ranks_together_have_the_batches_of_one_process(world: int, even: Any, shuffle: bool) -> None:
    ranks = [made(rank=rank, world=world, even=even, shuffle=shuffle) for rank in range(world)]
    for epoch in range(2):
        wanted = round_robin(epoch_of(epoch, shuffle=shuffle), world, even)
        found = [all_of(loader) for loader in ranks]
        assert found == wanted
        assert [len(loader) for loader in ranks] == [len(part) for part in wanted]
        assert len({len(part) for part in found}) == 1, "ranks have equally many batches"


def test_an_uneven_epoch_can_be_an_error() -> None:
    assert [len(made(rank=rank, world=5, even="error")) for rank in range(5)] == [2] * 5
    uneven = made(rank=0, world=3, even="error")
    text = r'even = "error": 10 batches cannot be divided evenly among 3 ranks, 1 would be left over'
    with pytest.raises(ValueError, match=text):
        len(uneven)
    with pytest.raises(ValueError, match=text):
        iter(uneven)
    resumed = made(rank=1, world=3, even="error")
    resumed.load_state_dict({**resumed.state_dict(), "batches": 4})
    assert len(list(iter(resumed))) == 2, "the batches that remain can be divided"


@pytest.mark.parametrize("even", ["wrap", "drop"])
@pytest.mark.parametrize("before, after", [*itertools.product([1, 2, 3], [1, 2, 3])])
def test_resuming_at_every_batch(even: Any, before: int, after: int) -> None:
    batches, epoch = epoch_of(1, shuffle=True), 1
    rounds = len(made(rank=0, world=before, even=even))
    for handed in range(rounds + 1):
        states = []
        for rank in range(before):
            loader = made(rank=rank, world=before, even=even, shuffle=True)
            loader.set_epoch(epoch)
            taken = list(itertools.islice(loader, handed))
            assert len(taken) == handed
            states.append(json.loads(json.dumps(loader.state_dict())))  # it may be saved as text
        assert all(state == states[0] for state in states)
        state = states[0]
        ended = handed == rounds
        assert (state["epoch"], state["batches"]) == ((2, 0) if ended else (1, handed * before))
        wanted = round_robin(epoch_of(2, shuffle=True) if ended else batches, after, even, state["batches"])
        for rank in range(after):
            resumed = made(rank=rank, world=after, even=even, shuffle=True, seed=None)
            resumed.load_state_dict(state)
            assert resumed.state_dict() == state
            assert all_of(resumed) == wanted[rank], (handed, rank)
            assert resumed.state_dict()["epoch"] == (3 if ended else 2)
            assert all_of(resumed) == round_robin(epoch_of(3 if ended else 2, shuffle=True), after, even)[rank]


def test_an_epoch_that_is_interrupted_again_and_again() -> None:
    """After each round another number of ranks continues, each from the state of the one before."""
    state, taken = made(shuffle=True).state_dict(), []
    for world in (1, 2, 3, 1, 2):
        ranks = [made(shuffle=True, rank=rank, world=world) for rank in range(world)]
        for loader in ranks:
            loader.load_state_dict(state)
            taken += all_of(itertools.islice(loader, 1))
        state = ranks[-1].state_dict()
    assert (state["epoch"], state["batches"]) == (0, 9)
    assert taken == epoch_of(0, shuffle=True)[:9]


def test_set_epoch_keeps_the_position_of_a_state_in_that_epoch() -> None:
    state = {**made().state_dict(), "epoch": 4, "batches": 6}
    loader = made()
    loader.load_state_dict(state)
    loader.set_epoch(4)  # as a loop over the epochs from the state's does
    assert all_of(loader) == epoch_of(4)[6:]
    loader.set_epoch(4)
    assert all_of(loader) == epoch_of(4), "the second time it is a whole epoch"
    loader.load_state_dict(state)
    loader.set_epoch(5)
    assert all_of(loader) == epoch_of(5)
    loader.load_state_dict(state)
    assert len(loader) == 10, "the length is that of a whole epoch"
    assert len(iter(loader)) == 4  # type: ignore[arg-type]


def test_a_loop_that_ends_early_is_followed_by_the_next_epoch() -> None:
    loader = made()
    assert len(list(itertools.islice(loader, 3))) == 3
    assert loader.state_dict()["batches"] == 3
    again = iter(loader)
    assert loader.state_dict()["epoch"] == 1 and loader.state_dict()["batches"] == 0
    assert all_of(again) == epoch_of(1)


def test_an_iteration_that_requests_no_batch_does_not_count() -> None:
    """Frameworks call iter() to check that a loader has it."""
    loader = made()
    iter(loader), iter(loader)
    assert all_of(loader) == epoch_of(0)
    iter(loader)
    assert all_of(loader) == epoch_of(1)
    loader.load_state_dict({**loader.state_dict(), "epoch": 3, "batches": 4})
    iter(loader)
    assert loader.state_dict()["epoch"] == 3 and loader.state_dict()["batches"] == 4
    loader.set_epoch(3)
    assert all_of(loader) == epoch_of(3)[4:]
    assert all_of(loader) == epoch_of(4)


def test_consecutive_batches_share_the_edges_of_a_vertex() -> None:
    """With all vertices in each batch, its edges are those of its group of three; each group has others."""
    loader = gnd.loader(GRAPH, [3], np.tile(np.arange(512), 7), 512, seed=7, share=3)
    batches = all_of(loader)
    groups = [batches[0:3], batches[3:6], batches[6:7]]
    assert all(batch == group[0] for group in groups for batch in group)
    assert len({str(group[0]) for group in groups}) == 3
    apart = [
        all_of(gnd.loader(GRAPH, [3], np.tile(np.arange(512), 7), 512, seed=7, share=3, rank=r, world=2))
        for r in (0, 1)
    ]
    assert [apart[at % 2][at // 2] for at in range(7)] == batches


def test_a_shared_batch_has_the_same_distribution() -> None:
    """The first edge of a vertex, over the batches of many groups: each of its edges equally often."""
    vertex = int(np.flatnonzero(GRAPH.degrees() == 8)[0])
    loader = gnd.loader(GRAPH, [1], np.full(6000, vertex), 1, seed=3, share=2)
    edges = [int(batch.split(batch.arena).edges[0][0]) for batch in loader]
    assert edges[0::2] == edges[1::2]
    counts = np.unique(edges[0::2], return_counts=True)[1]
    assert len(counts) == 8 and ((counts - 375) ** 2 / 375).sum() < 35  # 7 degrees of freedom: below 2e-5


def heterogeneous() -> gnd.HeteroGraph:
    draw = np.random.default_rng(3)
    buys = gnd.Graph.from_edges(draw.integers(0, 60, 300), draw.integers(0, 40, 300), num_vertices=60)
    likes = gnd.Graph.from_edges(draw.integers(0, 40, 200), draw.integers(0, 40, 200), num_vertices=40)
    return gnd.HeteroGraph(
        {("user", "buys", "item"): buys, ("user", "likes", "user"): likes},
        num_vertices={"user": 40, "item": 60},
        times={"item": draw.integers(0, 9, 60), "user": draw.integers(0, 9, 40)},
    )


def test_vertices_of_a_type_and_times() -> None:
    graph, nodes = heterogeneous(), np.arange(50)[::-1].copy()
    loader = gnd.loader(graph, [3, 2], ("item", nodes), 20, seed=1, temporal="uniform", disjoint=True, input_time=nodes)
    sampler = gnd.NeighborSampler(graph, [3, 2], temporal="uniform", disjoint=True)
    key = rng.key(rng.stream(1, rng.SEEDS), 0)
    for number, batch in enumerate(loader):
        part = {"item": nodes[number * 20 : number * 20 + 20]}
        assert whole(batch) == whole(sampler.draw(part, rng.word(key, number), times=part))
    assert len(gnd.loader(graph, [2], "item", 7)) == 9
    state = loader.state_dict()
    assert state["loader"]["num_edges"] == {"user:buys:item": 300, "user:likes:user": 200}
    loader.load_state_dict(state)


def test_inputs() -> None:
    mask = np.zeros(512, bool)
    mask[[5, 9]] = True
    assert seeds_of(gnd.loader(GRAPH, [1], mask)) == [5, 9]
    assert len(gnd.loader(GRAPH, [1], batch_size=100)) == 6
    named = gnd.Graph.from_edges(["a", "b", "c"], ["b", "c", "a"])
    assert seeds_of(gnd.loader(named, [1], ["c", "a"])) == [*named.ids(["c", "a"])]
    nodes = np.arange(4)
    loader = gnd.loader(GRAPH, [1], nodes)
    nodes[:] = 1000
    assert seeds_of(loader) == [0, 1, 2, 3], "the input is copied"
    assert list(gnd.loader(GRAPH, [1], [])) == []


def test_batches_have_their_arrays() -> None:
    """They are those of split, without a copy, by type and relation if the graph has several."""
    graph, typed = gnd.Graph.from_edges([0, 0, 1], [1, 2, 3]), heterogeneous()
    for direction, ends in (("out", graph.indices), ("in", np.repeat([0, 1, 2, 3], graph.degrees()))):
        for batch in gnd.loader(graph, [-1, -1], [0, 3], 1, direction=direction):  # type: ignore[arg-type]
            batch = pickle.loads(pickle.dumps(batch))
            parts = batch.split(batch.arena)
            for name in ("nodes", "row", "col", "edges"):
                found = getattr(batch, name)
                assert np.array_equal(found, getattr(parts, name)[0])
                assert np.shares_memory(found, batch.arena) or not found.size
            assert batch.nodes[batch.row].tolist() == ends[batch.edges].tolist()
    for one in (
        gnd.loader(typed, [2], "item", 9),
        gnd.partition.loader(gnd.partition.split(typed, 2, "hash"), [2], "item", 9),
    ):
        batch = next(iter(one))
        parts = batch.split(batch.arena)
        assert [*batch.nodes] == ["user", "item"] and [*batch.row] == [*batch.col] == [*batch.edges] == [
            *typed.relations
        ]
        for name in ("nodes", "row", "col", "edges"):
            assert all(map(np.array_equal, getattr(batch, name).values(), getattr(parts, name)))
    (batch,) = gnd.loader(graph, [2], [0], layout="csc")
    assert batch.nodes.tolist() == [0, 1, 2] and not hasattr(batch, "row")
    with pytest.raises(AttributeError, match=r'batch.edges: a batch of the layout "csc" has its edges by hop'):
        _ = batch.edges


def test_a_loader_may_be_pickled() -> None:
    loader = made(shuffle=True)
    next(iter(loader))
    again = pickle.loads(pickle.dumps(loader))
    assert all_of(again) == all_of(loader) == epoch_of(1, shuffle=True)


@pytest.mark.parametrize("value", [np.arange(3), np.array(0), [0], None, "0", {}, 0.0, object(), True])
@pytest.mark.parametrize("name", ["format", "seed", "epoch", "batches", "loader", "share", "ids", "num_vertices"])
def test_a_state_with_values_of_other_types_is_refused(name, value):
    loader = gnd.loader(gnd.rmat(4, seed=1), np.arange(4), [2], batch_size=2, seed=1)
    state = loader.state_dict()
    changed = {**state, name: value} if name in state else {**state, "loader": {**state["loader"], name: value}}
    with pytest.raises((TypeError, ValueError), match="state") as error:
        loader.load_state_dict(changed)
    assert "truth value" not in str(error.value)
    assert loader.state_dict() == state


@pytest.mark.parametrize("state", [np.arange(3), None, [], {1: 2}, {"loader": {3: 4}}, {"loader": np.arange(3)}])
def test_what_is_no_state_is_refused(state):
    loader = gnd.loader(gnd.rmat(4, seed=1), np.arange(4), [2], batch_size=2, seed=1)
    with pytest.raises((TypeError, ValueError), match="state"):
        loader.load_state_dict(state)
