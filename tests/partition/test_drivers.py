"""Several drivers at the same parts: ranges that are made at once, drivers that are killed, and parts that are lost."""

import concurrent.futures
import itertools
import threading

import numpy as np
import pytest
from gonextdoor.partition.part import BLOCK
from partitionbatches import graph_of

import gonextdoor as gnd
from gonextdoor.partition import InProcess, PartLostError, Transport

WALKS = [
    gnd.apps.DeepWalk(7),
    gnd.apps.DeepWalk(7, weighted="computed"),
    gnd.apps.PPR(0.2),
    gnd.apps.Walk(length=6, bias="degree"),
    gnd.apps.MetropolisHastings(7),
    gnd.apps.Jump(7, probability=0.2),
    gnd.apps.Restart(7, probability=0.3),
    gnd.apps.Node2Vec(p=0.1, q=3, length=7),
    gnd.apps.NonBacktracking(7),
    gnd.apps.MetaPath([0, 1], length=6),
    gnd.apps.TemporalWalk(6),
    gnd.apps.MultiIndependent(4),
]
TREES = [gnd.apps.KHop([3, 2]), gnd.apps.Neighbor([3, 2]), gnd.apps.ForestFire(0.4, depth=2)]


class Killed(BaseException):
    """The process of a driver dies."""


class Joiner(Transport):
    """The way from a part that makes a range, as an actor has it: it does not make lost parts again, and may die."""

    redone = True

    def __init__(self, parts, home, block, dies_at=None):
        self.parts, self.home, self.block = parts.parts, home, block
        self._parts, self._left = parts, dies_at

    def superstep(self, part, cohort, step, inboxes):
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise Killed
        return self._parts.superstep(part, cohort, step, inboxes)

    def ask(self, part, method, *arguments):
        return self._parts.ask(part, method, *arguments)

    def result(self, ticket):
        return self._parts.result(ticket)

    def here(self, part):
        return self._parts._part[part]

    def restart(self, part):
        raise PartLostError(part)

    def close(self):
        pass


def made(divided, transport, app, first, *blocks):
    """A range of 25 roots. The first joiner of walks dies, and the parts retire its block."""
    for block, dies_at in zip(blocks, (first % 7, None), strict=True):
        joiner = Joiner(transport, first % divided.parts, block, dies_at if app in WALKS else None)
        given = {"seed": 5, "first_id": first, "edges": True, "cohort": 10}
        try:
            samples = gnd.partition.sample(divided, app, range(first, first + 25), transport=joiner, **given)
        except Killed:
            for part in range(divided.parts):
                transport.result(transport.ask(part, "retire", block))
    return samples


def attributed():
    """A graph with weights, times and labels."""
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 120, (2, 900))
    return gnd.Graph.from_edges(
        src, dst, num_vertices=125, symmetric=True, weights=rng.random(900), times=src * 3 % 17, labels=dst % 3
    )


@pytest.mark.parametrize(
    ("parts", "by"), [(1, "ranges"), (2, "hash"), (3, "ldg"), (5, "hash"), (3, "ranges"), (5, "metis")], ids=str
)
def test_ranges_of_several_joiners_are_those_of_one_machine(parts, by):
    """Each part makes ranges at once with the others. Joiners die, and others make their ranges again."""
    if by == "metis":
        pytest.importorskip("pymetis")
    graph = attributed()
    divided = gnd.partition.split(graph, parts, by)
    blocks = itertools.count(1)
    with InProcess(divided, threads=3) as transport, concurrent.futures.ThreadPoolExecutor(parts) as pool:
        for app in WALKS + TREES:
            work = [(app, first, next(blocks), next(blocks)) for first in range(0, 125, 25)]
            for got in pool.map(lambda one: made(divided, transport, *one), work):
                rows = range(got.first_id, got.first_id + 25)
                want = gnd.sample(graph, app, rows, seed=5, first_id=got.first_id, edges=True, device="cpu")
                assert np.array_equal(got.numpy(), want.numpy()) and np.array_equal(got.edges, want.edges)
        assert not any(transport._part[part]._cohorts for part in range(parts))  # nothing of killed joiners is left


def test_threads_that_share_a_transport():
    graph = graph_of()
    divided = gnd.partition.split(graph, 3, "hash")
    app, begin = gnd.apps.DeepWalk(9), threading.Barrier(4)

    def walks(seed):
        begin.wait()
        return gnd.partition.sample(divided, app, seed=seed, transport=transport, cohort=50)

    with InProcess(divided, threads=2) as transport, concurrent.futures.ThreadPoolExecutor(4) as pool:
        for seed, got in enumerate(pool.map(walks, range(4))):
            assert np.array_equal(got.numpy(), gnd.sample(graph, app, seed=seed, device="cpu").numpy())


def test_a_lost_part_ends_a_range_at_once():
    """The process that gave it out makes the part again and redoes the range, so the joiner does neither."""
    divided = gnd.partition.split(graph_of(), 2, "hash")

    class Gone(Joiner):
        asked = 0

        def result(self, ticket):
            raise PartLostError(1, "a test")

        def ask(self, part, method, *arguments):
            Gone.asked += 1
            return super().ask(part, method, *arguments)

    with InProcess(divided) as transport:
        for app in (gnd.apps.DeepWalk(3), gnd.apps.KHop([2])):
            Gone.asked = 0
            with pytest.raises(PartLostError, match="part 1 was lost"):
                gnd.partition.sample(divided, app, seed=1, transport=Gone(transport, 0, 1))
            assert Gone.asked == (0 if app.width(1) == 4 else 1)  # walks: no part is asked to forget


def test_a_retired_block_is_refused():
    part = gnd.partition.split(graph_of(), 2, "hash").part(0)
    text = ("DeepWalk", '{"length": 3, "weighted": "auto"}')
    of = {number: gnd.partition.Cohort(number, text, 1, 1, 0, 10, 1) for number in (5, (1 << BLOCK) + 5, 2 << BLOCK)}
    for cohort in of.values():
        part.superstep(cohort, 0, [])
    part.retire(1)
    with pytest.raises(PartLostError, match="part 0 was lost: cohort 4294967301 is of an attempt that has ended"):
        part.superstep(of[(1 << BLOCK) + 5], 0, [])
    with pytest.raises(PartLostError, match="has not made the supersteps of cohort 4294967301 before 1"):
        part.superstep(of[(1 << BLOCK) + 5], 1, [])
    assert sorted(part._cohorts) == [5, 2 << BLOCK]


@pytest.mark.parametrize(("threads", "parts", "cohorts"), [(1, 4, 2), (2, 2, 2), (16, 4, 5), (32, 2, 17), (8, 1, 9)])
def test_cohorts_in_flight_follow_from_the_cores(threads, parts, cohorts):
    divided = gnd.partition.split(graph_of(), parts)
    with InProcess(divided, threads=threads) as transport:
        assert transport.cohorts == cohorts


def test_the_home_of_a_transport_grows_trees():
    divided = gnd.partition.split(graph_of(), 3, "hash")
    with InProcess(divided) as transport:
        sampler = gnd.partition.NeighborSampler(divided, [3], transport=Joiner(transport, 2, 1))
        assert sampler.home == 2 and sampler._asking.part is transport._part[2]
        assert gnd.partition.NeighborSampler(divided, [3], transport=Joiner(transport, 2, 1), home=1).home == 1
        assert gnd.partition.NeighborSampler(divided, [3]).home == 0
