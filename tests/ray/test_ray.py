"""gonextdoor.ray: datasets and files have the rows of one call on one machine."""

import concurrent.futures
import os
import subprocess
import sys

import docstrings
import gonextdoor.ray as gray
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import ray
from gonextdoor.ranges import MiniBatches, PageRank, Ranges
from gonextdoor.ray import framework

import gonextdoor as gnd
from gonextdoor import apps

SMALL = {"num_cpus": 0.5, "concurrency": 1}  # an actor takes seconds to start


def rows(dataset):
    return pa.concat_tables(ray.get(dataset.to_arrow_refs())).sort_by("id").combine_chunks()


def expected(uri, app, roots=None, **given):
    run = Ranges(uri, app, roots, **given)
    return run.table(range(run.rows)).combine_chunks()


slow = pytest.mark.slow  # tests/ranges has all kinds of rows without Ray


@pytest.mark.parametrize(
    ("app", "roots"),
    [
        (apps.Node2Vec(p=0.5, q=2, length=20), None),
        pytest.param(MiniBatches([3, 2], batch_size=64, shuffle=True), None, marks=slow),
        pytest.param(apps.PPR(0.2), 400, marks=slow),
        pytest.param(apps.FastGCN(sizes=[3, 4]), 30, marks=slow),
        pytest.param(PageRank(walks=50, top_k=3), np.arange(100), marks=slow),
    ],
    ids=["walks", "mini-batches", "ragged walks", "layers", "PageRank"],
)
def test_rows_are_those_of_one_machine(app, roots, nodes, uri):
    given = {"seed": 3, "range_bytes": 12_000}
    assert len(Ranges(uri, app, roots, **given)) > 1
    dataset = gray.sample(uri, app, roots, **given, num_cpus=0.5, concurrency=2)
    assert rows(dataset).equals(expected(uri, app, roots, seed=3))


def test_a_dataset_is_lazy_and_may_be_empty(nodes, uri):
    dataset = gray.sample(uri, apps.DeepWalk(4), seed=1, **SMALL)
    assert "MapBatches" in repr(dataset)  # not executed
    assert gray.sample(uri, apps.DeepWalk(4), roots=[], seed=1).count() == 0


def test_a_graph_in_object_storage(nodes, uri):
    """A graph of fsspec's "local" protocol counts as one in object storage; actors copy it to the cache folder."""
    app = apps.DeepWalk(6)
    assert rows(gray.sample(f"local://{uri}", app, seed=2, **SMALL)).equals(expected(uri, app, seed=2))
    digest = Ranges(uri, app, seed=2).facts()["graph"]
    assert os.path.exists(os.path.join(os.environ["GONEXTDOOR_CACHE"], "graphs", digest, "graph.json"))


@slow
def test_errors_of_a_dataset_have_their_text(nodes, uri):
    with pytest.raises(Exception, match="weighted = True"):
        gray.sample(uri, apps.DeepWalk(4, weighted=True), seed=1, **SMALL).take(1)


def test_errors_of_write_reach_the_caller(nodes, uri):
    with pytest.raises(ValueError, match="weighted = True"):
        gray.write(uri, apps.DeepWalk(4, weighted=True), uri + "-refused", seed=1, **SMALL)


def test_write_and_resume(nodes, uri, tmp_path):
    app, given = apps.DeepWalk(20), {"repeat": 4, "range_bytes": 40_000}
    out = tmp_path / "walks"
    done = gray.write(uri, app, out, seed=5, **given, **SMALL)
    assert (done.rows, done.seed, done.written) == (2048, 5, done.files) and done.files > 3
    files = sorted(out.glob("[0-9]*.parquet"))
    assert done.bytes == sum(file.stat().st_size for file in files) and len(files) == done.files
    table = pq.read_table(out)  # the manifest is no part of it
    assert table.sort_by("id").combine_chunks().equals(expected(uri, app, seed=5, repeat=4))
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in files}
    os.remove(files[1])
    os.remove(files[3])
    again = gray.write(uri, app, out, resume=True, **given, **SMALL)
    assert (again.written, again.seed, again.files) == (2, 5, done.files)
    for file in files:
        assert file.read_bytes() == before[file][0]
        assert (file.stat().st_mtime_ns == before[file][1]) == (file not in (files[1], files[3]))
    assert gray.write(uri, app, out, resume=True, **given, **SMALL).written == 0


def test_one_of_several_writes_at_once_has_the_folder(nodes, uri, tmp_path):
    """tests/ranges/test_run_folder.py has races of processes."""

    def write(_):
        try:
            return gray.write(uri, apps.DeepWalk(20), out, range_bytes=20_000, **SMALL)
        except FileExistsError as error:
            return str(error)

    out = tmp_path / "walks"
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        done, *refused = sorted(pool.map(write, range(3)), key=lambda end: isinstance(end, str))
    assert all("pass resume=True" in end for end in refused)
    assert pq.read_table(out).sort_by("id").combine_chunks().equals(expected(uri, apps.DeepWalk(20), seed=done.seed))
    file = sorted(out.glob("[0-9]*.parquet"))[1]  # of another run, or damaged: written again
    data = file.read_bytes()
    file.write_bytes(data[:-1])
    again = gray.write(uri, apps.DeepWalk(20), out, range_bytes=20_000, resume=True, **SMALL)
    assert (again.written, again.seed, file.read_bytes()) == (1, done.seed, data)


def test_compression_is_checked_before_anything_is_written(uri, tmp_path):
    with pytest.raises(ValueError, match=r"compression = 'zst': expected one of 'brotli', .*, 'zstd'"):
        gray.write(uri, apps.DeepWalk(4), tmp_path / "walks", compression="zst")
    assert not (tmp_path / "walks").exists()


def test_write_refuses_the_files_of_another_run(uri, tmp_path):
    out = tmp_path / "walks"
    from gonextdoor.ranges import files
    from gonextdoor.storage.location import located

    run = Ranges(uri, apps.DeepWalk(4), seed=1)
    files.begin(located("path", out), run.facts(), run.schema, False)
    with pytest.raises(FileExistsError, match="pass resume=True"):
        gray.write(uri, apps.DeepWalk(4), out, seed=1)
    for given, text in (
        ({"app": apps.DeepWalk(5), "seed": 1}, "with app = "),
        ({"app": apps.DeepWalk(4), "seed": 2}, "with seed = 1 instead of 2"),
        ({"app": apps.DeepWalk(4), "range_bytes": 1000}, "with range_rows = "),
        ({"app": apps.DeepWalk(4), "repeat": 2}, "with repeat = 1 instead of 2"),
        ({"app": apps.DeepWalk(4), "compression": "snappy"}, "with compression = 'zstd' instead of 'snappy'"),
        ({"app": apps.DeepWalk(4), "roots": [1, 2]}, "with roots = None instead of '2 "),
    ):
        with pytest.raises(ValueError, match=text):
            gray.write(uri, path=out, resume=True, **given)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.parquet").write_bytes(b"")
    for resume in (True, False):
        with pytest.raises(FileExistsError, match="Parquet files of something else"):
            gray.write(uri, apps.DeepWalk(4), tmp_path / "other", resume=resume)
    (out / files.MANIFEST).write_text("{")
    with pytest.raises(gnd.FormatError, match=files.MANIFEST):
        gray.write(uri, apps.DeepWalk(4), out, resume=True)


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        ({"device": "cuda:1"}, ValueError, 'device = \'cuda:1\': expected "cpu" or "cuda"'),
        ({"num_cpus": -1}, ValueError, "num_cpus = -1"),
        ({"num_cpus": "all"}, TypeError, "num_cpus = 'all'"),
        ({"num_gpus": 1}, ValueError, 'num_gpus = 1: expected none with device = "cpu"'),
        ({"concurrency": 0}, ValueError, "concurrency = 0"),
        ({"concurrency": (2, 1)}, ValueError, "concurrency = 1: expected from 2"),
        ({"concurrency": "all"}, TypeError, "concurrency = 'all'"),
        ({"uri": "/nowhere"}, FileNotFoundError, "/nowhere/graph.json"),
    ],
)
def test_refusals(given, kind, text, uri):
    with pytest.raises(kind, match=text.replace("(", r"\(")):
        gray.sample(**({"uri": uri, "app": apps.DeepWalk(4)} | given))


@slow
def test_actors_with_a_gpu(gpu, nodes, uri):
    """The GPU is the emulated one, unless GONEXTDOOR_TEST_DEVICE=cuda."""
    app = apps.DeepWalk(6)
    dataset = gray.sample(uri, app, seed=2, device="cuda", range_bytes=8000, **SMALL)
    assert rows(dataset).equals(expected(uri, app, seed=2))


def test_an_actor_has_one_gpu_or_its_threads():
    from gonextdoor.ray.actors import Actors

    assert Actors("cpu", 0.5, None, None).threads == 1 and Actors("cpu", 3, None, None).threads == 3
    assert Actors("cuda", None, None, None).gpus == 1 and Actors("cuda", None, 0.5, None).gpus == 0.5
    assert Actors("cpu", None, None, None).gpus == 0


def test_an_actor_has_more_than_two_ranges_at_once_but_a_quarter_of_its_share_at_most(nodes):
    from gonextdoor.ray.actors import Actors

    def at_once(blocks, *given):
        return Actors(*given)._pool(blocks).max_tasks_in_flight_per_actor

    two = ("cpu", None, None, 2)
    assert [at_once(blocks, *two) for blocks in (1, 16, 29, 40, 1000)] == [2, 2, 3, 5, 8]
    assert at_once(40, "cpu", None, None, (1, 2)) == 5
    every = int(ray.cluster_resources()["CPU"])  # one GPU each
    assert at_once(20 * every, "cpu", None, None, None) == 5 and at_once(40 * every, "cpu", 0.5, None, None) == 5
    assert at_once(20 * every, "cuda", 0.25, 1, None) == 5 and at_once(20 * every, "cpu", 2 * every, None, None) == 8
    assert at_once(20, "cpu", 0, None, None) == 5


def test_old_versions_of_ray_are_refused():
    framework.check("2.60.0")
    framework.check("3.0.0rc1")
    with pytest.raises(ImportError, match=r"needs Ray \d+\.\d+ or later, found 2.9.3: pip install --upgrade"):
        framework.check("2.9.3")


def test_a_missing_package_of_ray_data_is_named(monkeypatch):
    monkeypatch.setattr(framework, "NEEDED", ("pyarrow", "no_such_package"))
    with pytest.raises(ImportError, match=r"lacks no_such_package: pip install 'gonextdoor\[ray\]'"):
        framework.check("2.60.0")


def test_actors_of_parts_do_not_import_ray_data():
    code = "import sys, gonextdoor.ray.transport; print('ray.data' in sys.modules, 'pandas' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.stdout == "False False\n", run.stderr


def test_a_missing_ray_is_named():
    code = "import sys; sys.modules['ray'] = None; import gonextdoor; gonextdoor.ranges; import gonextdoor.ray"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "ImportError: gonextdoor.ray needs Ray Data" in run.stderr and "pip install 'gonextdoor[ray]'" in run.stderr


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=slow if name in ("sample", "write") else ()) for name in gray.__all__]
)
def test_examples_of_docstrings(name, nodes, tmp_path, monkeypatch):
    docstrings.run(name, docstrings.docstring(name, getattr(gray, name), {}), tmp_path, monkeypatch)


@pytest.mark.parametrize("name", gray.__all__)
def test_docstrings_have_every_argument(name):
    thing = getattr(gray, name)
    text = docstrings.docstring(name, thing, {})
    docstrings.check_raises(name, text)
    if "\nArgs:\n" in text:
        docstrings.check_arguments(name, thing, text)
