"""Files of runs as others read them: the same rows in every program, without a warning."""

import contextlib
import json
import os
import shutil
import sys
import warnings

import corpus
import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from gonextdoor.ranges import MiniBatches, PageRank, Ranges

import gonextdoor as gnd
from gonextdoor import apps

NAMED = ["numbers", "names"]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """The folder of a graph whose vertices have text as names."""
    random, ring = np.random.default_rng(1), np.arange(200)
    ends = [np.concatenate([ring, random.integers(0, 200, 800)]) for _ in range(2)]
    pairs = [(f"v{a}", f"v{b}") for a, b in zip(*ends, strict=True)]
    folder = str(tmp_path_factory.mktemp("names") / "graph")
    labels, times = random.integers(0, 3, 1000), random.integers(0, 50, 1000)
    gnd.Graph.from_edges(pairs, labels=labels, times=times).save(folder)
    return folder


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize("app", corpus.APPS, ids=lambda app: type(app).__name__)
def test_the_schema_is_known_before_the_rows_are_made(app, edges, named, names, tmp_path):
    corpus.graph().save(tmp_path / "graph")
    for folder in (tmp_path / "graph", names):
        run = Ranges(folder, app, None if app.pool() is None else 3, edges=edges, vertices=NAMED[named], seed=1)
        assert run.table(range(2)).schema == run.schema


def test_the_schema_of_other_rows(uri, tmp_path):
    for app in (MiniBatches([3, 2], 64), PageRank(walks=10)):
        run = Ranges(uri, app, seed=1)
        assert run.table(range(2)).schema == run.table(range(0)).schema == run.schema
    with pytest.raises(ValueError, match='vertices = "names": does not apply to PageRank'):
        Ranges(uri, app, vertices="names", seed=1)
    for other in (True, "name", None):
        with pytest.raises(ValueError, match='expected "numbers" or "names"'):
            Ranges(uri, apps.DeepWalk(2), vertices=other, seed=1)


@pytest.mark.parametrize("parts", [0, 2])
def test_named_rows_are_those_of_to_parquet(parts, names, tmp_path):
    app, folder = apps.PPR(0.3), names
    if parts:
        folder = str(tmp_path / "parts")
        gnd.partition.write(gnd.Graph.open(names), folder, parts=parts)
    table = Ranges(folder, app, repeat=2, vertices="names", edges=True, seed=3).table(range(1, 30))
    gnd.sample(gnd.Graph.open(names), app, repeat=2, edges=True, seed=3).to_parquet(tmp_path / "all.parquet")
    expected = pq.read_table(tmp_path / "all.parquet").slice(1, 29)
    assert table.equals(expected.replace_schema_metadata(None))


def written(uri, folder, **given):
    """A run of two files in a folder, and its rows."""
    run = Ranges(uri, apps.PPR(0.3), seed=2, **given)
    run.range_rows = run.rows // 2 + 1
    for ids in run:
        run.write(ids, folder)
    return [tuple(row.values()) for row in pa.concat_tables(run.table(ids) for ids in run).to_pylist()]


def by_pandas(folder):
    frame = pytest.importorskip("pandas").read_parquet(folder)
    return [(i, r, list(w)) for i, r, w in frame.itertuples(index=False)]


def by_polars(folder):
    return pytest.importorskip("polars").scan_parquet(folder).collect().rows()


def by_duckdb(folder):
    return pytest.importorskip("duckdb").connect().sql(f"select * from '{folder}/*.parquet'").fetchall()


def by_arrow(folder):
    return [tuple(row.values()) for row in pyarrow.dataset.dataset(folder).to_table().to_pylist()]


@contextlib.contextmanager
def spark():
    """A session of Spark in this process, with one worker."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def by_spark(folder):
    with spark() as session:
        return [tuple(row) for row in session.read.parquet(folder).collect()]


def test_spark_makes_the_rows(uri):
    """The program of docs/ray.md."""
    run = Ranges(uri, apps.DeepWalk(4), seed=2, range_bytes=4000, vertices="names")

    def walks(batches):
        for batch in batches:
            for ids in batch.to_pylist():
                yield from run.table(range(ids["first"], ids["end"])).to_batches()

    with spark() as session:
        rows = [(ids.start, ids.stop) for ids in run]
        frame = session.createDataFrame(rows, "first long, end long").repartition(len(run))
        made = frame.mapInArrow(walks, "id long, root long, walk array<long>").collect()
    expected = pa.concat_tables(run.table(ids) for ids in run).to_pylist()
    assert sorted(map(tuple, made)) == [tuple(row.values()) for row in expected]


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("reader", [by_arrow, by_pandas, by_polars, by_duckdb, by_spark])
def test_programs_read_the_folder(reader, named, names, tmp_path):
    folder = str(tmp_path / "walks")
    rows = written(names, folder, vertices=NAMED[named])
    with warnings.catch_warnings():
        if reader is not by_spark:  # which starts Java
            warnings.simplefilter("error")
        assert sorted(reader(folder)) == rows


def test_the_manifest_is_a_file_of_the_run_without_rows(uri, tmp_path):
    run = Ranges(uri, apps.DeepWalk(4), seed=1)
    run.write(run[0], tmp_path)
    manifest, first = (pq.read_schema(tmp_path / name) for name in sorted(os.listdir(tmp_path)))
    assert manifest == first == run.schema
    assert json.loads(manifest.metadata[b"gonextdoor"])["rows"] == run.rows


def test_names_and_numbers_are_different_runs(names, tmp_path):
    written(names, tmp_path)
    with pytest.raises(FileExistsError, match="with vertices = 'numbers' instead of 'names'"):
        written(names, tmp_path, vertices="names")


@pytest.mark.parametrize(("vertices", "dictionaries"), [(1000, True), (1 << 20, False)])
def test_dictionaries_of_many_vertices_are_left_out(vertices, dictionaries, tmp_path):
    gnd.Graph.from_edges([0, 1], [1, 0], num_vertices=vertices).save(tmp_path / "graph")
    run = Ranges(tmp_path / "graph", apps.DeepWalk(4), [0, 1], seed=1)
    run.write(run[0], tmp_path / "walks")
    column = pq.read_metadata(tmp_path / "walks" / f"{0:020d}.parquet").row_group(0).column(2)
    assert column.has_dictionary_page is dictionaries
