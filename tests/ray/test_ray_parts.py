"""A partitioned graph on Ray: one actor per part, nodes that are killed at random supersteps, and the same walks."""

import random
import time

import daily
import gonextdoor.ray as gray
import numpy as np
import pyarrow as pa
import pytest
import ray
from conftest import running
from corpus import hetero
from gonextdoor.ranges import MiniBatches, Ranges

import gonextdoor as gnd

PARTS = 3
CPUS = 0.2


@pytest.fixture(scope="module")
def nodes():
    with running(2) as nodes:
        yield nodes


@pytest.fixture(scope="module")
def parts(graph, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ray") / "parts"
    gnd.partition.write(graph, folder, parts=PARTS, by="hash")
    return gnd.partition.open(folder)


@pytest.fixture(scope="module")
def transport(nodes, parts):
    with gray.ActorTransport(parts, CPUS) as transport:
        yield transport


def test_walks_are_those_of_one_machine(graph, parts, transport):
    given = {"repeat": 3, "seed": 5}
    for app in (gnd.apps.Node2Vec(p=0.5, q=2, length=10), gnd.apps.PPR(0.2), gnd.apps.Walk(length=6, bias="degree")):
        samples = gnd.partition.sample(parts, app, edges=True, transport=transport, cohort=400, **given)
        expected = gnd.sample(graph, app, edges=True, **given)
        assert np.array_equal(samples.numpy(), expected.numpy()) and np.array_equal(samples.edges, expected.edges)
    counts = gnd.partition.visit_counts(parts, app, transport=transport, cohort=400, **given)
    assert np.array_equal(counts, gnd.visit_counts(graph, app, **given))


def test_actors_are_spread_over_the_nodes(transport):
    where = ray.get([actor.__ray_call__.remote(lambda self: ray.get_runtime_context().get_node_id())
                     for actor in transport._actors])  # fmt: skip
    assert len(set(where)) > 1


def test_errors_of_parts_reach_the_caller(parts, transport):
    with pytest.raises(gnd.partition.PartLostError, match="part 1 was lost") as caught:
        transport.result(transport.ask(1, "collect", 77))
    assert caught.value.part == 1
    with pytest.raises(AttributeError, match="nothing"):
        transport.result(transport.ask(0, "nothing"))


def test_a_part_that_cannot_be_opened_is_an_error(graph, nodes, tmp_path):
    gnd.partition.write(graph, tmp_path / "parts", parts=2)
    parts = gnd.partition.open(tmp_path / "parts")
    (tmp_path / "parts" / "part-00001" / "indices.npy").unlink()
    with (
        gray.ActorTransport(parts, CPUS) as transport,
        pytest.raises(FileNotFoundError, match=r"indices\.npy"),
    ):
        gnd.partition.sample(parts, gnd.apps.DeepWalk(4), seed=1, transport=transport)


def test_parts_in_memory_are_refused(graph):
    with pytest.raises(ValueError, match=r"its parts are in memory; write them with gonextdoor.partition.write"):
        gray.ActorTransport(gnd.partition.split(graph, 2))


def test_a_dataset_of_a_partitioned_graph(nodes, uri, parts):
    app = gnd.apps.Node2Vec(p=0.5, q=2, length=10)
    dataset = gray.sample(parts.path, app, repeat=2, seed=3, num_cpus=CPUS, range_bytes=20_000)
    table = pa.concat_tables(ray.get(dataset.to_arrow_refs())).sort_by("id").combine_chunks()
    whole = Ranges(uri, app, repeat=2, seed=3)
    assert table.equals(whole.table(range(whole.rows)).combine_chunks())


def test_mini_batches_of_a_partitioned_heterogeneous_graph(nodes, tmp_path):
    graph = hetero(weighted=True)
    graph.save(tmp_path / "graph")
    gnd.partition.write(graph, tmp_path / "parts", parts=2, by="hash")
    kind = MiniBatches([3, 2], batch_size=10, shuffle=True)
    dataset = gray.sample(tmp_path / "parts", kind, "paper", seed=3, num_cpus=CPUS, range_bytes=2000)
    table = pa.concat_tables(ray.get(dataset.to_arrow_refs())).sort_by("id").combine_chunks()
    whole = Ranges(tmp_path / "graph", kind, "paper", seed=3)
    assert table.equals(whole.table(range(whole.rows)).combine_chunks())


class Killing(gray.ActorTransport):
    """Kills a node when a number of supersteps was started."""

    def __init__(self, nodes, parts, at):
        super().__init__(parts, CPUS)
        self._nodes, self._at, self.started, self.restarts = nodes, at, 0, 0

    def superstep(self, part, cohort, step, inboxes):
        self.started += 1
        if self.started == self._at:
            self._nodes.kill()
        return super().superstep(part, cohort, step, inboxes)

    def restart(self, part):
        self.restarts += 1
        super().restart(part)


@pytest.mark.parametrize("moment", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, 20))])
def test_a_node_is_killed_at_a_random_superstep(moment, nodes, graph, parts):
    app, given = gnd.apps.Node2Vec(p=0.5, q=2, length=12), {"repeat": 4, "seed": 6}
    at = random.Random(f"{daily.SEED} {moment}").randrange(PARTS, 100)
    with Killing(nodes, parts, at) as transport:
        begin = time.perf_counter()
        samples = gnd.partition.sample(parts, app, transport=transport, cohort=500, **given)
        seconds = time.perf_counter() - begin
    print(f"superstep {at}: {transport.restarts} restarts, {seconds:.1f} s")
    nodes.add()
    assert transport.started > at
    assert np.array_equal(samples.numpy(), gnd.sample(graph, app, **given).numpy())
