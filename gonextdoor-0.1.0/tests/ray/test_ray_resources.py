"""Actors that do not fit the nodes of a cluster."""

import warnings

import gonextdoor.ray as gray
import pyarrow as pa
import pytest
import ray
from gonextdoor.ranges import Ranges
from gonextdoor.ray import resources

import gonextdoor as gnd


@pytest.fixture
def cluster_of(monkeypatch):
    """Replaces the CPUs of the nodes; they have no GPUs."""

    def replace(*cpus):
        monkeypatch.setattr(resources, "_totals", lambda kind: list(cpus) if kind == "CPU" else [0.0 for _ in cpus])

    return replace


@pytest.mark.parametrize(
    ("cpus", "actors", "reserved", "expected"),
    [
        ((8.0,), 4, 0.1, 1.0),
        ((2.0,), 2, 0.0, 1.0),
        ((2.0,), 2, 0.1, 0.5),
        ((2.0,), 4, 0.1, 0.3333),
        ((1.0, 1.0), 3, 0.1, 0.5),
        ((1.0,), 6, 0.0, 0.1666),  # six of 0.1667 would not fit
        ((0.5, 0.5), 2, 0.0, 0.5),
        ((0.0,), 4, 0.1, 1.0),  # nodes may be added
        ((), 4, 0.1, 1.0),
    ],
)
def test_share(cpus, actors, reserved, expected, cluster_of):
    cluster_of(*cpus)
    assert resources.share(actors, reserved) == expected
    if sum(cpus):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            resources.check(expected, 0, actors, reserved)


@pytest.mark.parametrize(
    ("cpus", "given", "text"),
    [
        ((2.0, 1.0), (3,), r"num_cpus = 3: no node .* has 3 CPUs \(the largest has 2\).* pass num_cpus=2 or less"),
        (
            (2.0,),
            (1, 0, 4, 0.1),
            r"num_cpus = 1: 4 actors .* room for 2 with 1 CPUs each.* pass num_cpus=0.3333 or less",
        ),
        (
            (2.0,),
            (1, 1),
            r"num_gpus = 1: no node .* has 1 GPUs \(the largest has 0\).* until they are added; add nodes",
        ),
    ],
)
def test_a_run_that_has_to_wait_for_nodes_is_a_warning(cpus, given, text, cluster_of):
    cluster_of(*cpus)
    with pytest.warns(gnd.InputWarning, match=text):
        resources.check(*given)


@pytest.mark.parametrize("app", [gnd.apps.DeepWalk(6), pytest.param(gnd.apps.KHop([2]), marks=pytest.mark.slow)])
def test_more_parts_than_cpus(app, nodes, graph, uri, tmp_path):
    gnd.partition.write(graph, tmp_path / "parts", parts=7, by="hash")
    table = pa.concat_tables(ray.get(gray.sample(tmp_path / "parts", app, seed=3).to_arrow_refs())).sort_by("id")
    assert table.equals(Ranges(uri, app, seed=3).table(range(graph.num_vertices)))
