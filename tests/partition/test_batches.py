"""Mini-batches of a partitioned graph equal those of the whole graph."""

import os
import pickle

import daily
import numpy as np
import pytest
from gonextdoor.neighbor.loader import Loader
from partitionbatches import Losing, graph_of, same_batch

import gonextdoor as gnd

CASES = {
    "uniform": {},
    "csc": {"layout": "csc", "expand": "all"},
    "replace": {"replace": True},
    "weighted": {"weighted": True},
    "weighted replace": {"weighted": "auto", "replace": True},
    "disjoint": {"disjoint": True},
    "labor": {"method": "labor", "layer_dependency": True},
    "labor weighted": {"method": "labor", "weighted": True},
    "poisson": {"method": "labor-poisson"},
}


@pytest.mark.parametrize("by", ["ranges", "hash", "ldg", "map"])
@pytest.mark.parametrize("parts", daily.share([1, 2, 3, 5], 4))
def test_batches_equal_those_of_the_graph(parts, by):
    graph = graph_of()
    division = np.arange(graph.num_vertices) % 7 % parts if by == "map" else by
    for hot in (0, 0.3):
        divided = gnd.partition.split(graph, parts, division, hot=hot)
        for number, options in enumerate(CASES.values()):
            whole = gnd.NeighborSampler(graph, [4, -1, 2], **options)
            sampler = gnd.partition.NeighborSampler(divided, [4, -1, 2], home=number % parts, **options)
            seeds = [np.array([7, 20, 30 + number]), [300 - parts], np.empty(0, np.int64)]
            for run in range(20):
                numbers = [3 * run, 3 * run + 1, 3 * run + 2]
                for got, want in zip(
                    sampler.draw_many(seeds, numbers, threads=2), whole.draw_many(seeds, numbers), strict=True
                ):
                    same_batch(got, want)


@pytest.mark.parametrize("temporal", ["uniform", "last"])
def test_temporal_batches(temporal):
    graph = graph_of(times=True)
    divided = gnd.partition.split(graph, 3, "hash", hot=0.1)
    options = {"disjoint": True, "temporal": temporal, "weighted": True}
    whole, sampler = (
        gnd.NeighborSampler(graph, [5, 3], **options),
        gnd.partition.NeighborSampler(divided, [5, 3], **options),
    )
    for window in (None, 20, [0, 30, 5]):
        for seed in range(20):
            given = {"times": [30, 45, 2], "time_window": window}
            same_batch(sampler.draw([7, 7, 9], seed, **given), whole.draw([7, 7, 9], seed, **given))


def test_excluded_edges():
    graph = graph_of()
    divided = gnd.partition.split(graph, 4, "hash", hot=0.2)
    for weighted in (False, True):
        whole = gnd.NeighborSampler(graph, [4, 2], weighted=weighted)
        sampler = gnd.partition.NeighborSampler(divided, [4, 2], weighted=weighted)
        for seed in range(20):
            out = np.arange(seed, 4000, 3)
            same_batch(sampler.draw([7, 8], seed, exclude=out), whole.draw([7, 8], seed, exclude=out))


def test_batches_of_a_folder(tmp_path):
    graph = graph_of()
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by="ldg", hot=0.1)
    divided = gnd.partition.open(tmp_path / "parts")
    whole = gnd.NeighborSampler(graph, [4, 2], weighted=True)
    for home in range(3):
        sampler = gnd.partition.NeighborSampler(divided, [4, 2], weighted=True, home=home)
        again = pickle.loads(pickle.dumps(sampler))
        assert again.home == home
        for seed in range(5):
            want = whole.draw([7, 100, 250], seed)
            same_batch(sampler.draw([7, 100, 250], seed), want)
            same_batch(again.draw([7, 100, 250], seed), want)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_forked_children_open_the_parts_again(tmp_path):
    graph = graph_of()
    gnd.partition.write(graph, tmp_path / "parts", parts=2)
    sampler = gnd.partition.NeighborSampler(gnd.partition.open(tmp_path / "parts"), [4, 2])
    want = sampler.draw([7, 250], 3)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            same_batch(sampler.draw([7, 250], 3), want)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_traffic_counts_messages_and_bytes():
    graph = graph_of(weights=False)
    divided = gnd.partition.split(graph, 4, "hash")
    owners = gnd.partition.owners(graph, 4, "hash")
    sampler = gnd.partition.NeighborSampler(divided, [3, 2], home=2)
    seeds = np.array([7, 10, 11, 12])
    batch = sampler.draw(seeds, 1)
    nodes = batch.split(batch.arena).nodes[0]
    first = nodes[4 : 4 + batch.num_nodes[0][1]]
    traffic = sampler.traffic
    assert traffic.rows == [4, len(first)]
    assert traffic.asked == [np.sum(owners[seeds] != 2), np.sum(owners[first] != 2)]
    asked = [len({*owners[some]} - {2}) for some in (seeds, first)]
    assert traffic.messages == 2 * sum(asked)
    # A question has 2 words, a group 9 and a row 1. An answer has 2 words, a group 3, a row 1 and an edge 2.
    edges = 0
    for hop in range(2):
        begin = sum(batch.num_edges[0][:hop])
        col = batch.split(batch.arena).col[0][begin : begin + batch.num_edges[0][hop]]
        edges += np.sum(owners[nodes[col]] != 2)
    assert traffic.bytes == 4 * (16 * sum(asked) + 2 * sum(traffic.asked) + 2 * edges)
    # Several batches share the buffers of a hop.
    many = gnd.partition.NeighborSampler(divided, [3, 2], home=2)
    many.draw_many([seeds] * 5, range(5))
    assert many.traffic.messages <= 2 * 2 * 3 and many.traffic.rows[0] == 20


def test_hot_rows_are_read_at_home():
    graph = graph_of()
    sampler = gnd.partition.NeighborSampler(gnd.partition.split(graph, 3, "hash", hot=1), [4, 2])
    same_batch(sampler.draw([7, 8], 1), gnd.NeighborSampler(graph, [4, 2]).draw([7, 8], 1))
    assert sampler.traffic.messages == 0 and sampler.traffic.asked == [0, 0]


def test_a_part_that_is_lost_is_asked_again():
    graph = graph_of()
    divided = gnd.partition.split(graph, 2, "hash")
    want = gnd.NeighborSampler(graph, [4, 2, 2]).draw([7, 8], 1)
    for lost in ([0], [1], [2], [0, 1, 2], [0, 2, 4]):
        transport = Losing(divided, lost)
        same_batch(gnd.partition.NeighborSampler(divided, [4, 2, 2], transport=transport).draw([7, 8], 1), want)
        assert transport.restarts == [1] * len(lost)
    transport = Losing(divided, range(100))
    with pytest.raises(gnd.partition.PartLostError, match="part 1 was lost: a test"):
        gnd.partition.NeighborSampler(divided, [4], transport=transport).draw([7, 8], 1)
    assert len(transport.restarts) == 3


def test_time_windows_of_a_loader():
    random = np.random.default_rng(6)
    times, end = random.integers(0, 50, 3000), random.integers(20, 50, 100)
    graph = gnd.Graph.from_edges(*random.integers(0, 200, (2, 3000)), times=times)
    given = {"batch_size": 20, "seed": 4, "temporal": "last", "disjoint": True, "strict": True}
    given |= {"input_start_time": end - 10, "input_end_time": end}
    ours = gnd.partition.loader(gnd.partition.split(graph, 3, "hash"), [3, 2], range(100), **given)
    for number, (got, want) in enumerate(zip(ours, gnd.loader(graph, [3, 2], range(100), **given), strict=True)):
        same_batch(got, want)
        parts = want.split(want.arena)
        ages = end[number * 20 :][parts.trees[0][parts.col[0]]] - times[parts.edges[0]]
        assert ((ages >= 1) & (ages <= 10)).all() and len(ages)


def test_a_loader_equals_that_of_the_graph():
    graph = graph_of()
    divided = gnd.partition.split(graph, 3, "hash", hot=0.1)
    given = {"batch_size": 16, "shuffle": True, "seed": 4, "weighted": True}
    whole = gnd.loader(graph, [3, 2], range(100), **given)
    ours = gnd.partition.loader(divided, [3, 2], range(100), home=1, **given)
    assert isinstance(ours, Loader) and len(ours) == 7
    for _ in range(2):
        for got, want in zip(ours, whole, strict=True):
            same_batch(got, want)
    # Ranks with other homes see the batches of one process, and a state continues elsewhere.
    ranks = [
        gnd.partition.loader(divided, [3, 2], range(100), home=rank, rank=rank, world=2, **given) for rank in range(2)
    ]
    whole.set_epoch(0)
    drawn = [list(loader) for loader in ranks]
    for number, want in enumerate(whole):
        same_batch(drawn[number % 2][number // 2], want)
    begun = iter(whole)
    whole.set_epoch(1)
    next(iter(whole))
    del begun
    resumed = gnd.partition.loader(divided, [3, 2], range(100), **given)
    resumed.load_state_dict(whole.state_dict())
    whole.load_state_dict(whole.state_dict())
    for got, want in zip(resumed, whole, strict=True):
        same_batch(got, want)


def test_refusals():
    graph = graph_of(weights=False)
    divided = gnd.partition.split(graph, 2)
    make = gnd.partition.NeighborSampler
    three = gnd.partition.InProcess(gnd.partition.split(graph, 3))
    sampler = make(divided, [2])
    unsupported = "is not supported on a partitioned graph"
    for why, match, call in [
        (
            ValueError,
            f"device = 'cuda': {unsupported}, since the parts choose",
            lambda: make(divided, [2], device="cuda"),
        ),
        (ValueError, f"times: {unsupported}, since a part has no", lambda: make(divided, [2], times=np.zeros(310))),
        (ValueError, f"direction = 'in': {unsupported}", lambda: make(divided, [2], direction="in")),
        (TypeError, "got an unexpected keyword argument 'fanout'", lambda: make(divided, [2], fanout=3)),
        (ValueError, "weighted = True: the graph has no weights", lambda: make(divided, [2], weighted=True)),
        (ValueError, "'last': the edges .* have no times", lambda: make(divided, [2], temporal="last", disjoint=True)),
        (ValueError, r"fanouts\[0\] = -2", lambda: make(divided, [-2])),
        (TypeError, "graph: expected a PartitionedGraph, got Graph", lambda: make(graph, [2])),
        (ValueError, "home = 2: expected a part from 0 to 1", lambda: make(divided, [2], home=2)),
        (TypeError, "home = True: expected the number of a part", lambda: make(divided, [2], home=True)),
        (TypeError, "transport: expected a .* got int", lambda: make(divided, [2], transport=3)),
        (ValueError, "transport has 3 parts: expected 2", lambda: make(divided, [2], transport=three)),
        (IndexError, r"seed_nodes\[1\] = 310", lambda: sampler.draw([1, 310], 1)),
        (ValueError, r"batch 1: seed_nodes\[1\] = 4: this", lambda: sampler.draw_many([[1], [4, 4]], [1, 2])),
        (IndexError, r"exclude\[0\] = -1: edge ids are at least 0", lambda: sampler.draw([1], 1, exclude=[-1])),
        (
            ValueError,
            f"features: {unsupported}",
            lambda: gnd.partition.loader(divided, [2], features=np.zeros((310, 2))),
        ),
        (ValueError, r"num_neighbors\[0\] = -2", lambda: gnd.partition.loader(divided, [-2])),
        (IndexError, r"input_nodes\[0\] = 310", lambda: gnd.partition.loader(divided, [2], [310])),
    ]:
        with pytest.raises(why, match=match):
            call()
    assert make(divided, [2], device="cpu", times=None, direction="out").home == 0
    timed = make(gnd.partition.split(graph_of(times=True), 2), [2], temporal="last", disjoint=True)
    with pytest.raises(
        ValueError, match="times is missing: expected one time per seed, since the vertices of a partitioned"
    ):
        timed.draw([1], 1)


def test_parts_of_another_graph_are_refused():
    one, other = graph_of(), graph_of(vertices=400)
    divided, wrong = gnd.partition.split(one, 2, "hash"), gnd.partition.split(other, 2)
    sampler = gnd.partition.NeighborSampler(divided, [4, 2], transport=gnd.partition.InProcess(wrong))
    with pytest.raises(gnd.FormatError, match="which it does not own: the parts are not of one partition"):
        sampler.draw(range(0, 100), 1)
