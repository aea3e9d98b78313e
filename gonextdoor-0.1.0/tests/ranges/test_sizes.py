"""Ranges have about the size that was asked for."""

import numpy as np
import pytest
from gonextdoor.ranges import MiniBatches, PageRank, Ranges
from gonextdoor.ranges.sizes import LONGEST, vertices_of
from gonextdoor.storage.head import Head, head_of
from gonextdoor.storage.location import located

import gonextdoor as gnd
from gonextdoor import apps

VERTICES = 1 << 12


@pytest.fixture(scope="module")
def skewed(tmp_path_factory):
    """R-MAT with a mean degree of 13; the largest is 920."""
    folder = str(tmp_path_factory.mktemp("sizes") / "graph")
    gnd.rmat(12, 8, seed=1).save(folder)
    return folder


SETS = np.arange(320).reshape(20, 16)
CASES = [
    (apps.DeepWalk(20), None, 1.1),
    (apps.MultiDimensionalWalk(20, dimension=10), None, 1.1),
    (apps.KHop([4, 3]), None, 1.1),
    (apps.PPR(0.15), None, 2),
    (apps.PPR(0.01), None, 2),
    (apps.ForestFire(0.3, depth=4), None, 2),
    (apps.ForestFire(0.3), None, 2),
    (apps.ForestFire(0.3, depth=4), SETS, 2),
    (apps.ForestFire(0.5), None, 2),
    (apps.ForestFire(0.7, depth=3), None, 2),
    (apps.ForestFire(0.7), 300, 4),
    (apps.ForestFire(1.0), 50, 2.5),
    (apps.Snowball(1), None, 2),
    (apps.Snowball(2), 200, 3),
    (apps.Snowball(None), 50, 2.5),
    (apps.Snowball(2, fanout=3), None, 2),
    (apps.Neighbor([4, 3], frontier_size=8), None, 2),
    (apps.LADIES((64, 32)), 200, 2),
    (apps.LADIES((1000, 1000)), SETS, 2),
    (apps.FastGCN((64, 32)), 200, 2),
    (apps.FastGCN((1000,)), SETS, 2),
    (apps.MVS(64, (4, 3)), 20, 3),
    (apps.Layer(100, 200), 200, 2),
    (apps.ClusterGCN(np.arange(VERTICES) % 32), 20, 4),
    (apps.GraphSAINT("node", budget=100), 20, 3),
    (apps.GraphSAINT("edge", budget=100), 20, 3),
    (apps.GraphSAINT("walk", roots=20, length=4), 20, 3),
    (apps.RandomEdge(100), 20, 2),
    (apps.RandomNode(100), 20, 2),
    (apps.RandomNode(100, induced=False), 20, 2),
    (PageRank(walks=1000), 50, 4),
    (PageRank(walks=1000, stop=0.5), 50, 4),
    (PageRank(walks=1000, top_k=20), 50, 2),
    (MiniBatches([5, 3], 64), None, 3),
    (MiniBatches([-1], 64), None, 3),
    (MiniBatches([15, 10], 64), None, 4),
]


@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize(("app", "roots", "factor"), CASES, ids=lambda value: str(value)[:50])
def test_the_size_of_a_row_is_about_what_is_expected(app, roots, factor, edges, skewed):
    if edges and isinstance(app, (MiniBatches, PageRank)):
        pytest.skip("edges does not apply")
    run = Ranges(skewed, app, roots, seed=1, edges=edges, range_bytes=1 << 40)
    table = run.table(range(min(run.rows, VERTICES)))
    found = table.nbytes / len(table)
    expected = run._kind.row_bytes(run.run, head_of(located("uri", skewed)))
    assert found / factor < expected < found * factor


def test_ranges_of_a_fire_have_the_size_that_was_asked_for(skewed):
    run = Ranges(skewed, apps.ForestFire(0.3, depth=4), repeat=20, seed=1, range_bytes=500_000)
    assert 3 < len(run) < 12
    assert 250_000 < run.table(run[1]).nbytes < 1_000_000


@pytest.mark.parametrize(
    "app", [apps.ForestFire(0.7), apps.Snowball(2), apps.LADIES((4,)), PageRank(), MiniBatches([3])]
)
@pytest.mark.parametrize("edges", [[], [0]])
def test_sizes_on_graphs_with_few_edges(edges, app, tmp_path):
    gnd.Graph.from_edges(np.array(edges, int), np.array(edges, int), num_vertices=3).save(tmp_path / "graph")
    run = Ranges(tmp_path / "graph", app, seed=1)
    assert run.table(range(run.rows)).num_rows == run.rows


@pytest.mark.parametrize("app", [apps.Snowball(None), apps.Snowball(1 << 20), apps.ForestFire(1 / 1.9)])
def test_levels_without_end_are_not_counted(app):
    head = Head("", b"", vertices=1 << 32, edges=1 << 32, arrays=())
    assert vertices_of(app, 1, head) <= LONGEST + 1
