"""Partitioned heterogeneous graphs in object storage: each machine copies the parts that it uses, of all relations."""

import os
import pickle
import shutil

import numpy as np
import pytest
from corpus import hetero
from gonextdoor.ranges import MiniBatches, Ranges
from gonextdoor.storage import reading
from partitionbatches import same_batch

import gonextdoor as gnd

PARTS = 3
SEEDS = {"paper": [7, 20, 49], "author": [0, 29]}
FANOUTS = [3, 2]


@pytest.fixture(scope="module")
def typed():
    """Papers and authors with times."""
    graph = hetero(weighted=True)
    times = {name: np.arange(count) % 9 for name, count in graph.num_vertices.items()}
    return gnd.HeteroGraph(graph.relations, graph.num_vertices, times)


@pytest.fixture(scope="module")
def folder(typed, tmp_path_factory):
    path = tmp_path_factory.mktemp("parts") / "parts"
    gnd.partition.write(typed, path, parts=PARTS, by="hash", hot=0.1)
    return path


def copied(cache):
    """The copy of the heterogeneous graph, and the parts that it has of each relation."""
    (copy,) = (path for path in (cache / "graphs").iterdir() if (path / "hetero.json").exists())
    relations = [copy / f"relation-{number:05d}" for number in range(3)]
    return copy, [[k for k in range(PARTS) if os.listdir(path / f"part-{k:05d}")] for path in relations]


def same_batches(graph, typed, **options):
    """Whether the batches of a partitioned graph are those of the whole graph."""
    whole = gnd.NeighborSampler(typed, FANOUTS, **options)
    parts = gnd.partition.NeighborSampler(graph, FANOUTS, **options)
    for got, want in zip(parts.draw_many([SEEDS], [4]), whole.draw_many([SEEDS], [4]), strict=True):
        same_batch(got, want)


def test_a_part_copies_what_is_shared_and_itself(folder, cache):
    part = gnd.partition.Part(f"local://{folder}", 1)
    assert (part.number, part.parts, part.folder) == (1, PARTS, f"local://{folder}")
    copy, there = copied(cache)
    assert there == [[1]] * 3
    for name in ("hetero.json", "times-00000.npy", "relation-00002/owner.npy", "relation-00001/part-00001/indices.npy"):
        assert (copy / name).read_bytes() == (folder / name).read_bytes()
    gnd.partition.Part(f"local://{folder}", 2)
    assert copied(cache)[1] == [[1, 2]] * 3


def test_batches_are_those_of_the_whole_graph(folder, typed):
    graph = gnd.partition.open(f"local://{folder}")
    assert graph.path == f"local://{folder}" and graph.num_vertices == typed.num_vertices
    assert (graph.times["paper"] == typed.times["paper"]).all()
    for options in ({}, {"weighted": True}, {"temporal": "last", "disjoint": True}, {"method": "labor"}):
        same_batches(pickle.loads(pickle.dumps(graph)), typed, **options)


def test_rows_of_ranges_are_those_of_one_machine(folder, typed, tmp_path):
    typed.save(tmp_path / "typed")
    kind = MiniBatches(FANOUTS, batch_size=8, shuffle=True)
    whole = Ranges(tmp_path / "typed", kind, "paper", seed=5)
    parts = pickle.loads(pickle.dumps(Ranges(f"local://{folder}", kind, "paper", seed=5)))
    assert parts.table(range(parts.rows)).equals(whole.table(range(whole.rows)))


def test_a_relation_is_a_partitioned_graph(folder):
    graph = gnd.partition.open(f"local://{folder}/")
    cites = graph.relations["paper", "cites", "paper"]
    number = list(graph.relations).index(("paper", "cites", "paper"))
    assert cites.path == f"local://{folder}/relation-{number:05d}"
    walks = gnd.partition.sample(cites, gnd.apps.DeepWalk(4), seed=1).numpy()
    there = gnd.partition.open(folder / f"relation-{number:05d}")
    assert (walks == gnd.partition.sample(there, gnd.apps.DeepWalk(4), seed=1).numpy()).all()


def test_a_copy_of_a_relation_that_was_deleted_is_made_again(folder, typed, cache):
    gnd.partition.open(f"local://{folder}")
    shutil.rmtree(os.path.realpath(copied(cache)[0] / "relation-00001"))
    same_batches(gnd.partition.open(f"local://{folder}"), typed)


@pytest.mark.parametrize("every", [2, 7])
def test_reads_that_fail_are_repeated(every, folder, typed, flaky, monkeypatch):
    monkeypatch.setattr(reading, "PIECE", 1000)
    monkeypatch.setattr(reading, "CONNECTIONS", 1)
    flaky.every = every
    same_batches(gnd.partition.open(f"flaky://{folder}"), typed)
    assert flaky.reads > 60


def test_a_missing_relation_is_refused(another, cache):
    shutil.rmtree(another / "relation-00001")
    with pytest.raises(gnd.FormatError, match=r"local://.*/relation-00001 is missing or incomplete: copy all folders"):
        gnd.partition.open(f"local://{another}")


def test_a_relation_of_another_run_is_refused(another, typed, tmp_path, cache):
    gnd.partition.write(typed, tmp_path / "other", parts=PARTS, by="ranges")
    shutil.rmtree(another / "relation-00001")
    shutil.copytree(tmp_path / "other" / "relation-00001", another / "relation-00001")
    with pytest.raises(gnd.FormatError, match=r"local://.*/relation-00001 is not the graph that hetero.json describes"):
        gnd.partition.Part(f"local://{another}", 1)
    assert not [path for path in (cache / "graphs").iterdir() if (path / "hetero.json").exists()]


def test_damaged_times_are_named_and_not_kept(another, folder, cache):
    times = np.load(another / "times-00000.npy", mmap_mode="r+")
    times[3] += 1
    times.flush()
    with pytest.raises(gnd.FormatError, match=f"local://{another}/times-00000.npy: the hash of the file") as caught:
        gnd.partition.open(f"local://{another}")
    assert str(cache) not in str(caught.value)
    shutil.copy(folder / "times-00000.npy", another / "times-00000.npy")  # repaired
    assert gnd.partition.open(f"local://{another}").parts == PARTS


def test_a_graph_that_is_not_partitioned_is_refused(typed, tmp_path):
    typed.save(tmp_path / "typed")
    with pytest.raises(gnd.FormatError, match=r"is not partitioned; open it with gonextdoor.HeteroGraph.open"):
        gnd.partition.open(f"local://{tmp_path}/typed")
