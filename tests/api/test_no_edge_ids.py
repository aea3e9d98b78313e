"""Graphs that were saved with edge_ids=False: the same samples, and a refusal of everything that needs ids."""

import filecmp
import json
import multiprocessing
import os
import pickle
import re

import numpy as np
import pytest

import gonextdoor as gnd

NEEDS = "needs the ids of edges, but the graph was saved with edge_ids=False; save it again with edge_ids=True"


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A graph, the same from a folder without ids, and the folder."""
    rng = np.random.default_rng(4)
    src, dst = rng.integers(0, 200, (2, 3000))
    graph = gnd.Graph.from_edges(src, dst, weights=rng.random(3000), times=rng.integers(0, 90, 3000), num_vertices=210)
    folder = tmp_path_factory.mktemp("graphs") / "without"
    graph.save(folder, edge_ids=False)
    return graph, gnd.Graph.open(folder), folder


@pytest.fixture(scope="module")
def parts(pair, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts") / "without"
    gnd.partition.write(pair[0], folder, parts=3, by="hash", hot=0.1, edge_ids=False)
    return gnd.partition.open(folder)


def prefers_odd(ctx, edge, dst):
    return 1.0 + ctx.edge_id(edge) % 2


def prefers_listed(ctx, edge, dst):
    return ctx.values[edge]


def prefers_late(ctx, edge, dst):
    return 1.0 + ctx.time(edge)


APPS = [
    gnd.apps.DeepWalk(6),
    gnd.apps.Node2Vec(0.5, 2, 6),
    gnd.apps.TemporalWalk(5),
    gnd.apps.KHop([3, 2]),
    gnd.apps.Neighbor([3, 2]),
    gnd.App(edge_bias=prefers_late, steps=4),
]


def test_versions_have_no_ids_either(pair):
    change = {"weights": [1.0, 2.0], "times": [3, 4], "remove": [(0, pair[0].neighbors(0)[0])]}
    want, got = (graph.updated(([0, 5], [211, 3]), **change) for graph in pair[:2])
    for app in APPS:
        np.testing.assert_array_equal(gnd.sample(got, app, seed=3).numpy(), gnd.sample(want, app, seed=3).numpy())
    with pytest.raises(ValueError, match=re.escape(f"edges = True {NEEDS}")):
        gnd.sample(got, gnd.apps.DeepWalk(6), seed=3, edges=True)
    for graph in (pair[1], got):
        with pytest.raises(ValueError, match=re.escape(f"remove[0] = 3 {NEEDS}")):
            graph.updated(remove=[3, 4])
    assert graph.updated(remove=[]).num_edges == got.num_edges


@pytest.mark.parametrize("app", APPS, ids=lambda app: type(app).__name__)
def test_the_same_samples(pair, app):
    want, got = (gnd.sample(graph, app, seed=3).numpy() for graph in pair[:2])
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("app", APPS[:5], ids=lambda app: type(app).__name__)
def test_the_same_samples_by_parts(pair, parts, app):
    want = gnd.sample(pair[0], app, seed=3).numpy()
    np.testing.assert_array_equal(gnd.partition.sample(parts, app, seed=3).numpy(), want)
    with pytest.raises(ValueError, match=f"edges = True {NEEDS}"):
        gnd.partition.sample(parts, app, seed=3, edges=True)


def test_folders(pair, tmp_path):
    graph, without, folder = pair
    assert graph.equals(without)
    assert not (folder / "edge_ids.npy").exists()
    record = json.loads((folder / "graph.json").read_text())
    assert (record["version"], record["no_edge_ids"]) == (2, True)  # programs that know no such folders refuse it
    graph.save(tmp_path / "with")
    assert json.loads((tmp_path / "with" / "graph.json").read_text())["version"] == 1
    without.save(tmp_path / "again")  # there are none to save
    assert not filecmp.dircmp(folder, tmp_path / "again").diff_files
    record["arrays"]["edge_ids"] = {"dtype": "<u4", "shape": [3000], "crc32c": "00000000"}
    (tmp_path / "with" / "graph.json").write_text(json.dumps(record))
    with pytest.raises(gnd.FormatError, match="the edges have ids, but no_edge_ids is set"):
        gnd.Graph.open(tmp_path / "with")


def test_parts_of_another_kind(pair, tmp_path):
    for name, ids in (("one", True), ("other", False)):
        gnd.partition.write(pair[0], tmp_path / name, parts=2, edge_ids=ids)
    record = json.loads((tmp_path / "one" / "partition.json").read_text())
    record["rows"] = json.loads((tmp_path / "other" / "partition.json").read_text())["rows"]
    (tmp_path / "other" / "partition.json").write_text(json.dumps(record))
    with pytest.raises(gnd.FormatError):
        gnd.partition.sample(gnd.partition.open(tmp_path / "other"), gnd.apps.DeepWalk(2), seed=1)


def test_refusals(pair):
    _, graph, _ = pair
    for made in (graph, graph.reverse(), pickle.loads(pickle.dumps(graph))):
        with pytest.raises(ValueError, match=f"graph.edge_ids {NEEDS}"):
            made.edge_ids  # noqa: B018
    for app in APPS[:5]:
        with pytest.raises(ValueError, match=f"edges = True {NEEDS}"):
            gnd.sample(graph, app, seed=1, edges=True)
    with pytest.raises(ValueError, match=f"app = RandomNode, which records the edges between vertices, {NEEDS}"):
        gnd.sample(graph, gnd.apps.RandomNode(3), seed=1)
    with pytest.raises(ValueError, match=rf"a hook of the app, which reads ctx.edge_id\(edge\) .*, {NEEDS}"):
        gnd.sample(graph, gnd.App(edge_bias=prefers_odd, steps=3), seed=1)
    by_array = gnd.App(edge_bias=prefers_listed, steps=3, arrays={"values": np.ones(graph.num_edges)})
    with pytest.raises(ValueError, match=f"an array by edges, {NEEDS}"):
        gnd.sample(graph, by_array, seed=1)


def forked(graph, queue):
    try:
        queue.put(str(graph.edge_ids))
    except ValueError as error:
        queue.put(str(error))


def test_forked_processes(pair):
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=forked, args=(pair[1], queue))
    process.start()
    assert NEEDS in queue.get(timeout=60)
    process.join()


@pytest.mark.parametrize("direction", ["out", "in"])
@pytest.mark.parametrize("layout", ["coo", "csc"])
@pytest.mark.parametrize("options", [{}, {"weighted": True}, {"temporal": "last", "disjoint": True}])
def test_mini_batches(pair, direction, layout, options):
    samplers = [gnd.NeighborSampler(g, [4, 3], direction=direction, layout=layout, **options) for g in pair[:2]]
    given = {"times": [50, 60]} if "temporal" in options else {}
    want, got = (sampler.sample([3, 7], 1, **given) for sampler in samplers)
    parts, whole = got.split(got.arena), want.split(want.arena)
    np.testing.assert_array_equal(got.nodes, want.nodes)
    if layout == "coo":
        np.testing.assert_array_equal(got.row, want.row)
        assert parts.edges == [None]
        with pytest.raises(ValueError, match=rf"batch\.edges {NEEDS}"):
            got.edges  # noqa: B018
    for mine, theirs in zip(parts.hops, whole.hops, strict=True):
        np.testing.assert_array_equal(mine[0][1], theirs[0][1])
        assert mine[0][2] is None
    with pytest.raises(ValueError, match=rf"exclude\[0\] = 5 {NEEDS}"):
        samplers[1].sample([3, 7], 1, exclude=[5], **given)
    samplers[1].sample([3, 7], 1, exclude=[], **given)


def test_blocks(pair):
    sampler = gnd.PGSampler([3, 2], seed=1, direction="in")
    for _, _, blocks in (sampler.sample(pair[1], [3, 7]), *sampler.sample_many(pair[1], [[1], [2]])):
        with pytest.raises(ValueError, match=rf"block\.edge_ids {NEEDS}"):
            blocks[0].edge_ids  # noqa: B018
    with pytest.raises(ValueError, match=rf"exclude_eids\[0\] = 2 {NEEDS}"):
        sampler.sample(pair[1], [3], exclude_eids=[2])


def test_mini_batches_of_parts(pair, parts):
    for layout in ("coo", "csc"):
        want = gnd.NeighborSampler(pair[0], [4, 3], layout=layout).sample([3, 7], 1)
        sampler = gnd.partition.NeighborSampler(parts, [4, 3], layout=layout)
        got = sampler.sample([3, 7], 1)
        np.testing.assert_array_equal(got.nodes, want.nodes)
        assert got.split(got.arena).edges == [None] * (layout == "coo")
    with pytest.raises(ValueError, match=rf"exclude\[0\] = 5 {NEEDS}"):
        sampler.sample([3, 7], 1, exclude=[5])
    (batch,) = gnd.partition.loader(parts, [2], range(8), batch_size=8, seed=1)
    with pytest.raises(ValueError, match=NEEDS):
        batch.edges  # noqa: B018


def test_heterogeneous_graphs(pair, tmp_path):
    graph = gnd.HeteroGraph({("a", "to", "b"): pair[0], ("b", "to", "a"): pair[0].reverse()}, {"a": 210, "b": 210})
    graph.save(tmp_path / "whole", edge_ids=False)
    gnd.partition.write(graph, tmp_path / "parts", parts=2, by="hash", edge_ids=False)
    opened = gnd.HeteroGraph.open(tmp_path / "whole")
    want = gnd.NeighborSampler(graph, [3, 2]).sample({"a": [1, 2]}, 1)
    for sampler in (
        gnd.NeighborSampler(opened, [3, 2]),
        gnd.partition.NeighborSampler(gnd.partition.open(tmp_path / "parts"), [3, 2]),
    ):
        batch = sampler.sample({"a": [1, 2]}, 1)
        for kind, nodes in want.nodes.items():
            np.testing.assert_array_equal(batch.nodes[kind], nodes)
        with pytest.raises(ValueError, match=rf"batch\.edges {NEEDS}"):
            batch.edges  # noqa: B018
        with pytest.raises(ValueError, match=rf"exclude\[.*\]\[0\] = 5 {NEEDS}"):
            sampler.sample({"a": [1, 2]}, 1, exclude={("a", "to", "b"): [5]})


def test_ranges(pair, parts):
    pytest.importorskip("pyarrow")
    for uri in (pair[2], parts.path):
        with pytest.raises(ValueError, match=f"edges = True {NEEDS}"):
            gnd.ranges.Ranges(uri, gnd.apps.DeepWalk(3), seed=1, edges=True)
        table = gnd.ranges.Ranges(uri, gnd.ranges.MiniBatches([3], batch_size=64), seed=1).table(range(2))
        assert table["edges"].null_count == len(table) == 2


@pytest.mark.parametrize("target", ["whole", "parts"])
def test_parquet_is_converted_without_ids(pair, tmp_path, target):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(1)
    pq.write_table(
        pa.table({"source": rng.integers(0, 90, 800), "target": rng.integers(0, 90, 800)}), tmp_path / "e.parquet"
    )
    graph = gnd.read(tmp_path / "e.parquet")
    if target == "whole":
        graph.save(tmp_path / "want", edge_ids=False)
        gnd.read(tmp_path / "e.parquet", folder=tmp_path / "got", edge_ids=False)
    else:
        gnd.partition.write(graph, tmp_path / "want", parts=3, by="hash", edge_ids=False)
        gnd.partition.convert(tmp_path / "e.parquet", tmp_path / "got", parts=3, by="hash", edge_ids=False)
    files = [
        os.path.relpath(os.path.join(at, one), tmp_path / "want")
        for at, _, all in os.walk(tmp_path / "want")
        for one in all
    ]
    assert not any("edge_ids" in file for file in files)
    assert filecmp.cmpfiles(tmp_path / "want", tmp_path / "got", files, shallow=False)[0] == files


def test_wrong_arguments(pair, tmp_path):
    graph = pair[0]
    with pytest.raises(TypeError, match="edge_ids = 'no': expected True or False"):
        graph.save(tmp_path / "g", edge_ids="no")
    with pytest.raises(TypeError, match="edge_ids = 2: expected True or False"):
        gnd.partition.write(graph, tmp_path / "g", parts=2, edge_ids=2)
    (tmp_path / "e.txt").write_text("0 1\n")
    with pytest.raises(ValueError, match="edge_ids=False: is for the folder that folder= names"):
        gnd.read(tmp_path / "e.txt", edge_ids=False)
    assert os.listdir(tmp_path) == ["e.txt"]
