"""A partitioned graph on Ray: one actor per part, and the same samples."""

import os
import pickle

import gonextdoor.ray as gray
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import ray
from conftest import BATCHES, CPUS, PARTS, expected, same
from corpus import hetero
from gonextdoor.ranges import MiniBatches, Ranges
from gonextdoor.ray import failed
from gonextdoor.ray import transport as transport_module

import gonextdoor as gnd


@pytest.fixture(scope="module")
def transport(cluster, parts):
    with gray.ActorTransport(parts, CPUS) as transport:
        yield transport


def rows(dataset):
    return pa.concat_tables(ray.get(dataset.to_arrow_refs())).sort_by("id").combine_chunks()


def test_walks_are_those_of_one_machine(graph, parts, transport):
    given = {"repeat": 3, "seed": 5}
    for app in (gnd.apps.Node2Vec(p=0.5, q=2, length=10), gnd.apps.PPR(0.2), gnd.apps.Walk(length=6, bias="degree")):
        samples = gnd.partition.sample(parts, app, edges=True, transport=transport, cohort=400, **given)
        expected = gnd.sample(graph, app, edges=True, **given)
        assert np.array_equal(samples.numpy(), expected.numpy()) and np.array_equal(samples.edges, expected.edges)
    counts = gnd.partition.visit_counts(parts, app, transport=transport, cohort=400, **given)
    assert np.array_equal(counts, gnd.visit_counts(graph, app, **given))


def test_actors_are_spread_over_the_nodes(transport):
    for ticket in [transport.ask(part, "forget", 0) for part in range(PARTS)]:  # starts the actors
        transport.result(ticket)
    where = ray.get([actor.__ray_call__.remote(lambda self: ray.get_runtime_context().get_node_id())
                     for actor in transport._actors.values()])  # fmt: skip
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


@pytest.mark.parametrize(
    ("app", "size"),
    [
        (BATCHES, 8_000),
        pytest.param(gnd.apps.KHop([3, 2]), 8_000, marks=pytest.mark.slow),
        pytest.param(gnd.apps.Neighbor([3, 2]), 8_000, marks=pytest.mark.slow),
        pytest.param(gnd.apps.ForestFire(0.4, depth=2), 1 << 20, marks=pytest.mark.slow),
    ],
    ids=["mini-batches", "KHop", "Neighbor", "ForestFire"],
)
def test_mini_batches_and_trees_of_a_partitioned_graph(app, size, nodes, uri, parts):
    given = {"repeat": 2, "seed": 3}
    dataset = gray.sample(parts.path, app, num_cpus=CPUS, range_bytes=size, **given)
    assert rows(dataset).equals(expected(uri, app, **given))


@pytest.mark.parametrize(
    ("app", "size"),
    [
        (gnd.apps.Node2Vec(p=0.5, q=2, length=10), 12_000),
        pytest.param(gnd.apps.KHop([3, 2]), 8_000, marks=pytest.mark.slow),
        (BATCHES, 6_000),
    ],
    ids=["walks", "trees", "mini-batches"],
)
def test_all_parts_make_files(app, size, nodes, uri, parts, tmp_path, monkeypatch):
    """The share of part 0 is not larger than that of another part, give or take one file."""
    made, make = [], gray.ActorTransport.make
    monkeypatch.setattr(
        gray.ActorTransport, "make", lambda self, part, *rest: made.append(part) or make(self, part, *rest)
    )
    given = {"repeat": 4, "seed": 3}
    done = gray.write(parts.path, app, tmp_path / "files", num_cpus=CPUS, range_bytes=size, **given)
    assert done.files == len(made) > 2 * PARTS
    assert set(made) == set(range(PARTS)) and made[: 2 * PARTS].count(0) == 2
    table = pq.read_table(tmp_path / "files").sort_by("id").combine_chunks()
    assert table.equals(expected(uri, app, **given))


def test_an_error_of_a_part_ends_the_run(nodes, graph, tmp_path):
    gnd.partition.write(graph, tmp_path / "parts", parts=2)
    (tmp_path / "parts" / "part-00001" / "indices.npy").unlink()
    with pytest.raises(FileNotFoundError, match=r"indices\.npy"):
        gray.write(tmp_path / "parts", gnd.apps.DeepWalk(4), tmp_path / "walks", seed=1, num_cpus=CPUS)


def test_a_part_that_makes_the_rows_needs_no_other_actor(nodes, parts):
    with gray.ActorTransport(parts, CPUS) as transport:
        samples = gnd.partition.sample(parts, gnd.apps.KHop([3, 2]), range(100), seed=1, transport=transport, home=1)
        assert len(samples) == 100 and sorted(transport._actors) == [0, 2]


def test_loader(graph, parts, transport):
    given = {"input_nodes": range(300), "batch_size": 64, "shuffle": True, "seed": 2, "prefetch": 3}
    ours, whole = (
        gnd.partition.loader(parts, [3, 2], home=1, transport=transport, **given),
        gnd.loader(graph, [3, 2], **given),
    )
    for _ in range(2):  # epochs
        assert same(ours, whole) == 5


def test_a_partitioned_graph_in_object_storage(nodes, uri, parts):
    """A graph of fsspec's "local" protocol counts as one in object storage; actors copy it to the cache folder."""
    app, given = gnd.apps.Node2Vec(p=0.5, q=2, length=10), {"repeat": 2, "seed": 3}
    dataset = gray.sample(f"local://{parts.path}", app, num_cpus=CPUS, range_bytes=20_000, **given)
    assert rows(dataset).equals(expected(uri, app, **given))
    digest = Ranges(parts.path, app, seed=3).facts()["graph"]
    copy = os.path.join(os.environ["GONEXTDOOR_CACHE"], "graphs", digest)
    assert all(os.path.exists(os.path.join(copy, f"part-{part:05d}", "graph.json")) for part in range(PARTS))


def test_a_damaged_part_in_object_storage_is_an_error(nodes, graph, tmp_path):
    gnd.partition.write(graph, tmp_path / "parts", parts=2, by="hash")
    parts = gnd.partition.open(f"local://{tmp_path}/parts")
    data = np.load(tmp_path / "parts" / "part-00001" / "indices.npy", mmap_mode="r+")
    data[3] ^= 1
    data.flush()
    with (
        gray.ActorTransport(parts, CPUS) as transport,
        pytest.raises(gnd.FormatError, match=r"local://.*/part-00001/indices\.npy: the checksum"),
    ):
        gnd.partition.sample(parts, gnd.apps.DeepWalk(4), seed=1, transport=transport)


def test_another_graph_at_the_path_is_refused(nodes, graph, tmp_path):
    gnd.partition.write(graph, tmp_path / "parts", parts=2)
    with gray.ActorTransport(gnd.partition.open(tmp_path / "parts"), CPUS) as transport:
        os.rename(tmp_path / "parts", tmp_path / "before")
        gnd.partition.write(graph, tmp_path / "parts", parts=2, by="hash")
        with pytest.raises(gnd.FormatError, match="is another one than that of the run"):
            transport.result(transport.ask(1, "collect", 0))


def test_a_machine_with_another_version_is_refused(nodes, parts, monkeypatch):
    monkeypatch.setattr(transport_module, "__version__", "9.9.9")  # of this process; the actors have their own
    with (
        gray.ActorTransport(parts, CPUS) as transport,
        pytest.raises(RuntimeError, match=r"part \d: this machine .* but the run was made by 9.9.9: install the same"),
    ):
        gnd.partition.sample(parts, gnd.apps.DeepWalk(4), seed=1, transport=transport)


def test_a_part_that_was_lost_keeps_its_reason():
    """Also when it is pickled, and when it ends a run that writes files."""
    error = gnd.partition.PartLostError(3, "ActorDiedError")
    for copy in (error, pickle.loads(pickle.dumps(error))):
        assert (copy.part, copy.reason, str(copy)) == (3, "ActorDiedError", "part 3 was lost: ActorDiedError")
    reported = pickle.loads(pickle.dumps(failed.reported(error, range(5, 9))))
    assert reported.part == 3 and str(reported).startswith("part 3 was lost: ActorDiedError (ids 5 to 8 on ")
    assert str(gnd.partition.PartLostError(1)) == "part 1 was lost"


def test_mini_batches_of_a_partitioned_heterogeneous_graph(nodes, tmp_path):
    graph = hetero(weighted=True)
    graph.save(tmp_path / "graph")
    gnd.partition.write(graph, tmp_path / "parts", parts=2, by="hash")
    kind = MiniBatches([3, 2], batch_size=10, shuffle=True)
    dataset = gray.sample(tmp_path / "parts", kind, "paper", seed=3, num_cpus=CPUS, range_bytes=2000)
    table = pa.concat_tables(ray.get(dataset.to_arrow_refs())).sort_by("id").combine_chunks()
    whole = Ranges(tmp_path / "graph", kind, "paper", seed=3)
    assert table.equals(whole.table(range(whole.rows)).combine_chunks())
