"""Trees of a partitioned graph equal those of the whole graph."""

import daily
import numpy as np
import pytest
from partitionbatches import Losing, graph_of

import gonextdoor as gnd
from gonextdoor.partition import trees

APPS = [
    gnd.apps.KHop([3, 2, 2]),
    gnd.apps.KHop([4, 3], replace=True, weighted=True),
    gnd.apps.KHop([70], weighted=True),
    gnd.apps.KHop([]),
    gnd.apps.Neighbor([3, 2], bias="degree"),
    gnd.apps.Neighbor([3, 4, 2], frontier_size=2),
    gnd.apps.Neighbor([3, 4, 2], frontier_size=3, bias="weight", replace=True),
    gnd.apps.Neighbor([2, 2, 2], frontier_size=3, bias="degree"),
    gnd.apps.ForestFire(0.3),
    gnd.apps.ForestFire(0.9, depth=2),
    gnd.apps.ForestFire(1.0, depth=2),
]

NOT_LOCAL = [
    gnd.apps.MultiDimensionalWalk(3),
    gnd.apps.Layer(3, 2),
    gnd.apps.FastGCN([3]),
    gnd.apps.LADIES([3]),
    gnd.apps.MVS(4, [3]),
    gnd.apps.Snowball(2, 3),
    gnd.apps.RandomNode(3),
    gnd.apps.RandomEdge(3),
    gnd.apps.ClusterGCN(clusters=3),
    gnd.apps.GraphSAINT("node", 3),
]


def equal(got, want):
    """Whether two results have the same samples, steps, parents and edges."""
    assert np.array_equal(got.numpy(), want.numpy()) and got.numpy().dtype == want.numpy().dtype
    assert np.array_equal(got.values, want.values)
    assert np.array_equal(got.offsets, want.offsets)
    assert len(got.steps) == len(want.steps)
    for a, b in zip(got.steps, want.steps, strict=True):
        assert np.array_equal(a, b)
    assert got.has_edges == want.has_edges
    if got.has_edges:
        assert np.array_equal(got.edges, want.edges)
    if want.app.layered(2):
        assert np.array_equal(got.parents, want.parents)
    assert (got.selector, got.seed, got.first_id) == (want.selector, want.seed, want.first_id)
    assert np.array_equal(got.roots, want.roots)


@pytest.mark.parametrize("by", ["ranges", "hash", "ldg", "map"])
@pytest.mark.parametrize("parts", daily.share([1, 2, 3, 5], 4, "trees"))
def test_trees_equal_those_of_the_graph(parts, by):
    graph = graph_of()
    division = np.arange(graph.num_vertices) % 7 % parts if by == "map" else by
    for hot in (0, 0.3):
        divided = gnd.partition.split(graph, parts, division, hot=hot)
        for number, app in enumerate(APPS):
            for seed in range(20):
                roots = [[7, 9], [seed, 301]] if seed % 2 else [7, 9, 301 - seed]
                given = {"seed": seed, "first_id": seed << 40, "repeat": 1 + seed % 3, "edges": seed % 4 == 0}
                got = gnd.partition.sample(divided, app, roots, home=number % parts, **given)
                equal(got, gnd.sample(graph, app, roots, device="cpu", **given))


def test_trees_of_cohorts(monkeypatch):
    graph = graph_of()
    divided = gnd.partition.split(graph, 3, "hash")
    for app in APPS:
        want = gnd.sample(graph, app, range(50), repeat=3, seed=1, edges=True, device="cpu")
        equal(gnd.partition.sample(divided, app, range(50), repeat=3, seed=1, edges=True, cohort=7), want)
        assert trees.per_cohort(app, 1) > 7
        none = gnd.partition.sample(divided, app, [], seed=1, edges=True)
        assert none.numpy().shape == gnd.sample(graph, app, [], seed=1, edges=True).numpy().shape
        drawn = gnd.partition.sample(divided, app, 5, seed=3)
        equal(drawn, gnd.sample(graph, app, 5, seed=3, device="cpu"))
    wide = gnd.partition.sample(divided, APPS[0], [7, 309], seed=1, dtype=np.int64)
    equal(wide, gnd.sample(graph, APPS[0], [7, 309], seed=1, dtype=np.int64, device="cpu"))
    monkeypatch.setattr(trees, "COHORT", 100)
    assert trees.per_cohort(gnd.apps.KHop([3, 2]), 1) == 10 and trees.per_cohort(gnd.apps.KHop([3, 2] * 4), 1) == 1


def test_trees_of_a_folder(tmp_path):
    graph = graph_of()
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by="hash", hot=0.1)
    divided = gnd.partition.open(tmp_path / "parts")
    for app in APPS:
        got = gnd.partition.sample(divided, app, [7, 9], seed=1, home=2)
        equal(got, gnd.sample(graph, app, [7, 9], seed=1, device="cpu"))


def test_a_part_that_is_lost_is_asked_again():
    graph = graph_of()
    divided = gnd.partition.split(graph, 2, "hash")
    for app in APPS[:3] + APPS[5:6] + APPS[8:10]:
        transport = Losing(divided, [0])
        got = gnd.partition.sample(divided, app, range(20), seed=1, transport=transport)
        equal(got, gnd.sample(graph, app, range(20), seed=1, device="cpu"))
        assert transport.restarts == [1]


@pytest.mark.parametrize("app", NOT_LOCAL, ids=lambda app: type(app).__name__)
def test_apps_that_are_not_local_are_refused(app):
    divided = gnd.partition.split(graph_of(), 2)
    name = type(app).__name__
    for call in (gnd.partition.sample, gnd.partition.visit_counts, gnd.partition.end_points):
        with pytest.raises(ValueError, match=f"app = {name}: it cannot be sampled on a partitioned graph, since "):
            call(divided, app, [7])


def test_refusals(tmp_path):
    divided = gnd.partition.split(graph_of(weights=False), 2)
    tree = gnd.apps.KHop([2])
    for call in (gnd.partition.visit_counts, gnd.partition.end_points):
        with pytest.raises(
            ValueError, match="app = KHop: its samples are trees; expected an app whose samples are walks"
        ):
            call(divided, tree, [7])
    with pytest.raises(ValueError, match="weighted = True: the graph has no weights"):
        gnd.partition.sample(divided, gnd.apps.KHop([2], weighted=True), [7])
    with pytest.raises(ValueError, match="no weights"):
        gnd.partition.sample(divided, gnd.apps.Neighbor([2], bias="weight"), [7])
    with pytest.raises(ValueError, match="home = 2: expected a part from 0 to 1"):
        gnd.partition.sample(divided, tree, [7], home=2)
    with pytest.raises(IndexError, match=r"roots\[1\] = 310"):
        gnd.partition.sample(divided, tree, [7, 310])
    with pytest.raises(MemoryError):
        gnd.partition.sample(divided, gnd.apps.KHop([2000, 2000]), range(300), repeat=1 << 20)
