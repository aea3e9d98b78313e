"""Walks on a partitioned graph equal those on the whole graph."""

import dataclasses

import numpy as np
import pytest
from gonextdoor.partition.part import Part

import gonextdoor as gnd
from gonextdoor.partition import InProcess, PartLostError, inboxes

WALKS = [
    gnd.apps.DeepWalk(7),
    gnd.apps.DeepWalk(7, weighted="computed"),
    gnd.apps.PPR(0.2),
    gnd.apps.PPR(0.1, max_length=4, weighted=False),
    gnd.apps.Walk(length=6, bias="degree"),
    gnd.apps.MetropolisHastings(7),
    gnd.apps.Jump(7, probability=0.2),
    gnd.apps.Restart(7, probability=0.3),
    gnd.apps.Node2Vec(p=2, q=0.5, length=7),
    gnd.apps.Node2Vec(p=0.1, q=3, length=7),
    gnd.apps.Node2Vec(p=2, q=0.5, length=7, weighted=False),
    gnd.apps.NonBacktracking(7),
    gnd.apps.MetaPath([0, 1], length=6),
    gnd.apps.TemporalWalk(6),
    gnd.apps.TemporalWalk(6, bias="exponential", direction="backward"),
    gnd.apps.MultiIndependent(4),
]


@pytest.fixture(scope="module", params=[True, False], ids=["symmetric", "directed"])
def graph(request):
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 120, (2, 900))
    attributes = {"weights": rng.random(900), "times": src * 3 % 17, "labels": dst % 3}
    return gnd.Graph.from_edges(src, dst, num_vertices=125, symmetric=request.param, **attributes)


@pytest.fixture(
    scope="module", params=[(1, "ranges", 0.0), (3, "ranges", 0.2), (2, "hash", 0.0), (5, "hash", 0.1), (3, "ldg", 0.0)]
)
def opened(request, graph, tmp_path_factory):
    """The graph in parts of a folder."""
    parts, by, hot = request.param
    folder = tmp_path_factory.mktemp("parts") / "graph"
    gnd.partition.write(graph, folder, parts=parts, by=by, hot=hot)
    return gnd.partition.open(folder)


def equal(samples, expected):
    """Whether two results have the same samples and edges."""
    assert np.array_equal(samples.numpy(), expected.numpy())
    assert np.array_equal(samples.values, expected.values)
    assert np.array_equal(samples.offsets, expected.offsets)
    assert samples.has_edges == expected.has_edges
    if samples.has_edges:
        assert np.array_equal(samples.edges, expected.edges)
    assert (samples.selector, samples.seed, samples.first_id) == (expected.selector, expected.seed, expected.first_id)
    assert np.array_equal(samples.roots, expected.roots)


@pytest.mark.parametrize("app", WALKS, ids=repr)
def test_samples_equal_those_of_the_whole_graph(graph, opened, app):
    arguments = {"seed": 7, "first_id": (1 << 63) + 5, "repeat": 3}
    expected = gnd.sample(graph, app, edges=True, device="cpu", **arguments)
    with InProcess(opened, threads=1) as transport:
        equal(gnd.partition.sample(opened, app, edges=True, transport=transport, cohort=100, **arguments), expected)
        counts = gnd.partition.visit_counts(opened, app, transport=transport, cohort=100, **arguments)
        ends = gnd.partition.end_points(opened, app, transport=transport, cohort=100, **arguments)
    assert np.array_equal(counts, gnd.visit_counts(graph, app, device="cpu", **arguments))
    assert np.array_equal(ends, gnd.end_points(graph, app, device="cpu", **arguments))
    assert counts.dtype == np.int64 and ends.dtype == np.int32


@pytest.mark.parametrize("copied", [0, inboxes.COPIED])
@pytest.mark.parametrize("p", [0.25, 1, 4])
def test_walks_that_take_the_next_tries_along(graph, opened, p, copied, monkeypatch):
    """They do without edges and with q above 1. Boxes are copied into one array, or not."""
    monkeypatch.setattr(inboxes, "COPIED", copied)
    app = gnd.apps.Node2Vec(p=p, q=4, length=15)
    with InProcess(opened, threads=1) as transport:
        samples = gnd.partition.sample(opened, app, seed=5, repeat=3, transport=transport)
    equal(samples, gnd.sample(graph, app, seed=5, repeat=3, device="cpu"))


DIVISIONS = ["ranges", "hash", "ldg", "metis", "listed"]


@pytest.mark.slow
@pytest.mark.parametrize("by", DIVISIONS)
@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("hot", [0.0, 0.1])
def test_every_division_gives_the_same_samples(graph, by, count, hot):
    """All apps and twenty seeds; metis needs pymetis."""
    if by == "metis":
        pytest.importorskip("pymetis")
    listed = np.arange(graph.num_vertices) * 7 % 11 % count
    listed[:count] = range(count)  # no part is empty
    parts = gnd.partition.split(graph, count, listed if by == "listed" else by, hot=hot)
    with InProcess(parts, threads=1) as transport:
        for app in [*WALKS, gnd.apps.KHop([4, 3]), gnd.apps.Neighbor([4, 3]), gnd.apps.ForestFire(0.4, depth=2)]:
            for seed in range(20):
                expected = gnd.sample(graph, app, edges=True, seed=seed, device="cpu", threads=1)
                equal(gnd.partition.sample(parts, app, edges=True, seed=seed, transport=transport), expected)
    sampler = gnd.partition.NeighborSampler(parts, [4, 3], home=count - 1)
    whole = gnd.NeighborSampler(graph, [4, 3])
    for seed in range(20):
        ours, theirs = (one.draw(range(0, 120, 3), batch_seed=seed) for one in (sampler, whole))
        arrays, wanted = ours.split(ours.arena), theirs.split(theirs.arena)
        for name in ("nodes", "row", "col", "edges"):
            assert np.array_equal(getattr(arrays, name)[0], getattr(wanted, name)[0])


@pytest.mark.parametrize("roots", [[3, 3, 124], 40, np.array([[1], [2]], np.uint8), []], ids=repr)
@pytest.mark.parametrize("dtype", [None, np.int64])
def test_roots_and_types_are_those_of_sample(graph, roots, dtype):
    parts = gnd.partition.split(graph, 3, "hash", hot=0.1)
    for app in (gnd.apps.DeepWalk(5), gnd.apps.PPR(0.3)):
        expected = gnd.sample(graph, app, roots, seed=2, repeat=2, dtype=dtype, device="cpu")
        samples = gnd.partition.sample(parts, app, roots, seed=2, repeat=2, dtype=dtype)
        equal(samples, expected)
        assert samples.numpy().dtype == expected.numpy().dtype


def test_several_roots_per_sample(graph):
    parts = gnd.partition.split(graph, 4, "hash")
    roots = np.arange(120).reshape(40, 3)
    app = gnd.apps.MultiIndependent(5)
    equal(
        gnd.partition.sample(parts, app, roots, seed=1, cohort=7), gnd.sample(graph, app, roots, seed=1, device="cpu")
    )
    ends = gnd.partition.end_points(parts, app, roots, seed=1)
    assert np.array_equal(ends, gnd.end_points(graph, app, roots, seed=1, device="cpu"))


class Losing(InProcess):
    """A transport whose parts are lost at given supersteps, counted over the run, with all their state."""

    def __init__(self, graph, lost_at, threads=1):
        super().__init__(graph, threads)
        self.lost_at, self.calls, self.restarts = set(lost_at), 0, 0

    def superstep(self, part, cohort, step, inboxes):
        self.calls += 1
        if self.calls in self.lost_at:
            self._part[part] = Part(self._part[part].folder, part)  # the process died and came back without state
        return super().superstep(part, cohort, step, inboxes)

    def restart(self, part):
        self.restarts += 1
        super().restart(part)


@pytest.mark.parametrize("app", [gnd.apps.Node2Vec(p=0.2, q=2, length=6), gnd.apps.PPR(0.2)], ids=repr)
def test_a_part_is_lost_at_every_superstep_in_turn(graph, tmp_path, app):
    gnd.partition.write(graph, tmp_path / "graph", parts=3, by="hash")
    parts = gnd.partition.open(tmp_path / "graph")
    expected = gnd.sample(graph, app, seed=4, edges=True, device="cpu")
    visits = gnd.visit_counts(graph, app, seed=4, device="cpu")
    transport = Losing(parts, ())
    equal(gnd.partition.sample(parts, app, seed=4, edges=True, transport=transport, cohort=50), expected)
    calls = transport.calls
    assert transport.restarts == 0 and calls > 20
    lost = 0
    for at in range(1, calls + 1):
        transport = Losing(parts, [at])
        equal(gnd.partition.sample(parts, app, seed=4, edges=True, transport=transport, cohort=50), expected)
        lost += transport.restarts
    assert lost > calls // 2  # at superstep 0 of its first cohort, a part has no state to lose
    for at in range(1, calls, 7):
        transport = Losing(parts, [at, at + 9])
        assert np.array_equal(gnd.partition.visit_counts(parts, app, seed=4, transport=transport, cohort=50), visits)


class Gone(Losing):
    """A transport whose parts do not answer between the call that failed and the restart. Calls meanwhile are counted:
    each would take seconds to fail."""

    def __init__(self, graph, lost_at):
        super().__init__(graph, lost_at)
        self.gone, self.asked, self.before = set(), 0, {}

    def superstep(self, part, cohort, step, inboxes):
        started = super().superstep(part, cohort, step, inboxes)
        self.before[started] = self.restarts
        return started

    def result(self, ticket):
        try:
            return super().result(ticket)
        except PartLostError as lost:
            if self.before[ticket] == self.restarts:
                self.gone.add(lost.part)
            raise

    def ask(self, part, method, *arguments):
        self.asked += part in self.gone
        return super().ask(part, method, *arguments)

    def restart(self, part):
        super().restart(part)
        self.gone.clear()


def test_a_lost_part_is_not_asked_before_it_is_there_again(graph, tmp_path):
    gnd.partition.write(graph, tmp_path / "graph", parts=3, by="hash")
    parts = gnd.partition.open(tmp_path / "graph")
    transport = Gone(parts, [12, 20])
    walks = gnd.partition.sample(parts, gnd.apps.DeepWalk(9), seed=1, transport=transport, cohort=50, in_flight=3)
    assert transport.restarts and not transport.asked
    equal(walks, gnd.sample(graph, walks.app, seed=1, device="cpu"))


def test_a_part_that_is_always_lost_ends_the_run(graph, tmp_path):
    gnd.partition.write(graph, tmp_path / "graph", parts=2, by="hash")
    parts = gnd.partition.open(tmp_path / "graph")
    transport = Losing(parts, range(1, 10_000))
    with pytest.raises(PartLostError, match=r"part \d was lost") as caught:
        gnd.partition.sample(parts, gnd.apps.DeepWalk(5), seed=1, transport=transport)
    assert caught.value.part in (0, 1)


def test_refusals(graph, tmp_path):
    parts = gnd.partition.split(graph, 2)
    walk = gnd.apps.DeepWalk(3)
    for app, text in [
        (gnd.apps.LADIES([4]), "app = LADIES: it cannot be sampled on a partitioned graph"),
        (gnd.apps.MultiDimensionalWalk(3, 2), "app = MultiDimensionalWalk: it cannot be sampled"),
    ]:
        with pytest.raises(ValueError, match=text):
            gnd.partition.sample(parts, app)
    with pytest.raises(TypeError, match="expected a PartitionedGraph"):
        gnd.partition.sample(graph, walk)
    with pytest.raises(TypeError, match="app"):
        gnd.partition.sample(parts, "DeepWalk")
    with pytest.raises(IndexError, match=r"roots\[1\] = 125: the graph has 125 vertices, expected 0 to 124"):
        gnd.partition.sample(parts, walk, [0, 125])
    with pytest.raises(IndexError, match=r"roots\[0\] = -1"):
        gnd.partition.sample(parts, walk, [-1])
    with pytest.raises(ValueError, match="roots has 2 vertices per sample, but DeepWalk takes one"):
        gnd.partition.sample(parts, walk, [[0, 1]])
    with pytest.raises(ValueError, match="expected shape"):
        gnd.partition.sample(parts, walk, np.zeros((2, 2, 2), int))
    with pytest.raises(ValueError, match="first_id"):
        gnd.partition.sample(parts, walk, [0, 1], first_id=(1 << 64) - 1)
    for name in ("repeat", "cohort", "in_flight"):
        with pytest.raises(ValueError, match=name):
            gnd.partition.sample(parts, walk, **{name: 0})
    with pytest.raises(ValueError, match="transport has 3 parts, but the graph has 2"):
        gnd.partition.sample(parts, walk, transport=InProcess(gnd.partition.split(graph, 3)))
    plain = gnd.partition.split(gnd.rmat(4, seed=1), 2)
    for app in (gnd.apps.MetaPath([1], length=2), gnd.apps.TemporalWalk(2), gnd.apps.DeepWalk(2, weighted=True)):
        with pytest.raises(ValueError, match=r"graph|weighted"):
            gnd.partition.sample(plain, app)
    with pytest.raises(IndexError, match="number = 2: expected a part from 0 to 1"):
        parts.part(2)


def test_a_box_of_another_run_is_refused(graph):
    parts = gnd.partition.split(graph, 2, "hash")
    part = parts.part(0)
    cohort = gnd.partition.Cohort(0, ("DeepWalk", '{"length": 3, "weighted": "auto"}'), 1, 1, 0, 10, 1)
    for box, text in [
        (np.zeros(8, np.uint8), "not one of messages between parts"),
        (np.full(400, 255, np.uint8), "not one of messages between parts"),
    ]:
        with pytest.raises(gnd.FormatError, match=text):
            part.superstep(cohort, 0, [box])
    with pytest.raises(PartLostError, match="has not made the supersteps"):
        part.superstep(dataclasses.replace(cohort, number=9), 1, [])
    part.superstep(cohort, 0, [])
    part.superstep(cohort, 2, [])
    with pytest.raises(PartLostError, match="has not made the supersteps"):
        part.superstep(cohort, 2, [])
    with pytest.raises(PartLostError, match="does not know cohort 5"):
        part.collect(5)
