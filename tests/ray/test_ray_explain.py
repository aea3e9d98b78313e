"""explain of a run on a partitioned graph."""

import json

import gonextdoor.ray as gray
import pytest
from gonextdoor.ranges import MiniBatches, Ranges
from gonextdoor.ray import atparts, forecast, resources

import gonextdoor as gnd


@pytest.fixture(scope="module")
def parts(graph, tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain") / "parts"
    gnd.partition.write(graph, folder, parts=4, by="hash")
    return str(folder)


def test_plan(parts):
    app = gnd.apps.DeepWalk(80)
    plan = gray.explain(parts, app, repeat=10, nodes=2, cores=8, range_bytes=100_000)
    run = Ranges(parts, app, repeat=10, range_bytes=100_000)
    assert (plan.files, plan.rows, plan.choices) == (len(run), run.rows, run.rows * 80.0)
    assert (plan.parts, plan.part_cpus, plan.at_once) == (4, 4, atparts.ranges_at_once(4, 4))
    assert plan.node_bytes > 2 * plan.part_bytes > 0
    text, told = str(plan), json.loads(json.dumps(plan.to_dict()))
    assert "limited by calls; larger range_bytes make fewer calls" in text and told["limit"] == "calls"
    assert told["seconds"] == plan.forecast.seconds >= plan.forecast.cores
    trees = gray.explain(parts, gnd.apps.KHop([3, 2]), nodes=4, cores=2)
    assert trees.choices == trees.rows * 9 and trees.forecast.core_seconds["joining"] == 0


def test_nodes_are_those_of_the_cluster(parts, monkeypatch):
    monkeypatch.setattr(resources, "_totals", lambda kind: [2.0, 4.0])
    plan = gray.explain(parts, gnd.apps.DeepWalk(8))
    assert (plan.nodes, plan.cores, plan.part_cpus) == (2, 3.0, 1)


def test_what_limits_a_run():
    """Each of the three when the others are plenty."""
    work = forecast.Work(1e9, 80, 10, 4e9, forecast.FIRST_ORDER)
    for nodes, cores, network, files, limit in [
        (2, 1, 1e12, 10, "cores"),
        (2, 1000, 1e8, 10, "network"),
        (2, 1000, 1e12, 10_000, "calls"),
    ]:
        work = forecast.Work(1e9, 80, files, 4e9, forecast.FIRST_ORDER)
        made = forecast.forecast(work, forecast.Cluster(nodes, cores, network, 2))
        assert made.limit == limit and made.seconds == getattr(made, limit)
    one = forecast.forecast(work, forecast.Cluster(1, 4, 1e9, 1))
    assert one.wire_bytes == 0


@pytest.mark.parametrize(
    ("cpus", "parts", "at_home", "ranges"),
    [(0.2, 3, False, 2), (1, 4, False, 2), (32, 16, False, 8), (32, 2, False, 16), (3, 4, True, 4), (0.2, 3, True, 2)],
)
def test_ranges_at_once(cpus, parts, at_home, ranges):
    assert atparts.ranges_at_once(cpus, parts, at_home) == ranges


def test_refusals(parts, uri):
    app = gnd.apps.DeepWalk(4)
    with pytest.raises(ValueError, match=r"the graph is not partitioned; gonextdoor.explain explains a whole one"):
        gray.explain(uri, app, nodes=1, cores=1)
    with pytest.raises(ValueError, match=r"app: MiniBatches has no measured costs; expected one of gonextdoor.apps"):
        gray.explain(parts, MiniBatches([3]), nodes=1, cores=1)
    for name, value, text in [("nodes", 0, "nodes = 0"), ("cores", 0, "cores = 0"), ("gigabits", 0, "gigabits = 0")]:
        with pytest.raises(ValueError, match=text):
            gray.explain(parts, app, **{"nodes": 1, "cores": 1, name: value})
    with pytest.raises(ValueError, match="cannot be sampled on a partitioned graph"):
        gray.explain(parts, gnd.apps.LADIES([4]), nodes=1, cores=1)
