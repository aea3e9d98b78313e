"""Ranges of mini-batches of heterogeneous graphs: the batches of the loader, from folders and from object storage."""

import json
import os
import pickle

import numpy as np
import pyarrow as pa
import pytest
from corpus import hetero
from gonextdoor.ranges import MiniBatches, PageRank, Ranges

import gonextdoor as gnd

FANOUTS = [{("paper", "cites", "paper"): 3, ("author", "writes", "paper"): 2, ("paper", "of", "author"): -1}, 2]


@pytest.fixture(scope="module")
def typed():
    return hetero(weighted=True)


@pytest.fixture
def folder(typed, tmp_path):
    typed.save(tmp_path / "typed")
    return tmp_path / "typed"


def expected(typed, roots, epochs, **given):
    """The batches of a loader, as dicts by column."""
    loader, rows = gnd.loader(typed, FANOUTS, roots, 8, shuffle=True, seed=5, **given), []
    for batch in [batch for _ in range(epochs) for batch in loader]:
        parts, row = batch.split(batch.arena), {}
        for i, name in enumerate(typed.num_vertices):
            row |= {f"num_nodes/{name}": batch.num_nodes[i], f"nodes/{name}": parts.nodes[i].tolist()}
        for i, relation in enumerate(typed.relations):
            name = "/".join(relation)
            row |= {f"num_edges/{name}": batch.num_edges[i], f"edges/{name}": parts.edges[i].tolist()}
            row |= {f"row/{name}": parts.row[i].tolist(), f"col/{name}": parts.col[i].tolist()}
        rows.append(row)
    return rows


@pytest.mark.parametrize("roots", ["paper", ("author", None), ("paper", [3, 40, 9, 1, 0, 30, 31, 32, 33])])
@pytest.mark.parametrize("parts", [0, 3])
def test_rows_are_the_batches_of_the_loader(parts, roots, typed, folder, tmp_path):
    if parts:
        gnd.partition.write(typed, tmp_path / "parts", parts=parts, by="hash", hot=0.1)
        folder = tmp_path / "parts"
    kind = MiniBatches(FANOUTS, batch_size=8, shuffle=True, options={"weighted": True})
    run = pickle.loads(pickle.dumps(Ranges(folder, kind, roots, repeat=2, seed=5, range_bytes=3000)))
    assert len(run) > 1 and run.parts == parts
    table = pa.concat_tables([run.table(ids) for ids in run])
    rows = expected(typed, roots, 2, weighted=True)
    assert table["id"].to_pylist() == list(range(len(rows)))
    assert table.drop_columns("id").to_pylist() == [
        {name: row[name] for name in table.column_names[1:]} for row in rows
    ]
    assert {*table.column_names} == {"id", *rows[0]}
    run.write(run[0], tmp_path / "batches")
    assert json.dumps(run.facts())


def test_object_storage_is_copied_once_and_checked(typed, folder, cache):
    run = Ranges(f"local://{folder}", MiniBatches([2, 2], batch_size=8), "paper", seed=1)
    table = run.table(range(run.rows))
    assert table.equals(Ranges(folder, run.app, "paper", seed=1).table(range(run.rows)))
    (copy,) = [path for path in (cache / "graphs").iterdir() if path.is_dir()]
    assert sorted(os.listdir(copy)) == ["hetero.json", "relation-00000", "relation-00001", "relation-00002"]
    assert copy.name == run.facts()["graph"]


def test_a_damaged_copy_is_refused(folder, cache):
    run = Ranges(f"local://{folder}", MiniBatches([2, 2], batch_size=8), "paper", seed=1)
    damaged = folder / "relation-00001" / "indices.npy"
    data = bytearray(damaged.read_bytes())
    data[-1] ^= 1
    damaged.write_bytes(data)
    with pytest.raises(gnd.FormatError, match=r"indices.npy"):
        run.table(range(1))
    assert not [path for path in (cache / "graphs").iterdir() if path.is_dir()]


def test_a_folder_without_a_relation_is_refused(folder):
    os.remove(folder / "relation-00001" / "graph.json")
    with pytest.raises(gnd.FormatError, match=r"relation-00001 is missing or incomplete: copy all folders"):
        Ranges(f"local://{folder}", MiniBatches([2]), "paper", seed=1)


def test_names_that_give_the_same_columns_are_refused(tmp_path):
    one = gnd.Graph.from_edges([0], [0], num_vertices=1)
    relations = {("a", "b/c", "a"): one, ("a", "b", "c/a"): one}
    gnd.HeteroGraph(relations, {"a": 1, "c/a": 1}).save(tmp_path / "typed")
    with pytest.raises(ValueError, match="the names of types and relations give the same names of columns"):
        Ranges(tmp_path / "typed", MiniBatches([1]), "a", seed=1).table(range(1))


def test_refusals(folder, uri):
    for roots in (None, [1, 2], "venue", ("venue", [1]), 5):
        with pytest.raises(
            ValueError, match="roots: the graph has the vertex types 'paper', 'author'; expected one of"
        ):
            Ranges(folder, MiniBatches([2]), roots, seed=1)
    with pytest.raises(ValueError, match="roots: expected the input nodes of mini-batches"):
        Ranges(uri, MiniBatches([2]), "paper", seed=1)
    with pytest.raises(TypeError, match="roots: expected an array of ints"):
        Ranges(folder, MiniBatches([2]), ("paper", [1.5]), seed=1)
    with pytest.raises(IndexError, match=r"seed_nodes\['paper'\]\[1\] = 50"):
        Ranges(folder, MiniBatches([2], batch_size=2), ("paper", np.array([1, 50])), seed=1).table(range(1))
    with pytest.raises(ValueError, match=r"fanouts\[0\] has no number for"):
        Ranges(folder, MiniBatches([{("paper", "of", "author"): 2}]), "paper", seed=1).table(range(1))
    for app in (gnd.apps.DeepWalk(3), PageRank(walks=10)):
        with pytest.raises(
            ValueError, match="roots: expected vertices of a graph of one type, got vertices of type 'pa"
        ):
            Ranges(uri, app, "paper", seed=1)
        for roots in (None, [1], "paper"):
            with pytest.raises(
                ValueError, match=f"app: {type(app).__name__} needs a graph of one type, but the folder"
            ):
                Ranges(folder, app, roots, seed=1)
