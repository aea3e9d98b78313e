"""A node is killed at a random moment, or the driver: rows are the same, and no file is lost or changed."""

import os
import random
import signal
import subprocess
import sys

import daily
import gonextdoor.ray as gray
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Watch, finished, wait
from gonextdoor.ranges import Ranges

import gonextdoor as gnd

APP = gnd.apps.Node2Vec(p=0.5, q=2, length=40)
RUN = {"repeat": 40, "seed": 7, "range_bytes": 150_000}
ACTORS = {"num_cpus": 0.5, "concurrency": 2}


@pytest.fixture(scope="module")
def expected(uri):
    run = Ranges(uri, APP, **RUN)
    return run, run.table(range(run.rows)).combine_chunks()


def random_of(name, moment):
    return random.Random(f"{daily.SEED} {name} {moment}")


@pytest.mark.parametrize("moment", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, 10))])
def test_a_node_is_killed_while_files_are_written(moment, nodes, uri, tmp_path, expected):
    run, table = expected
    out = tmp_path / "walks"
    watch = Watch(nodes, out, random_of("files", moment).randrange(1, len(run) - 4))
    watch.start()
    done = gray.write(uri, APP, out, **RUN, **ACTORS)
    watch.done.set()
    watch.join(120)
    assert done.files == done.written == len(run) > 20 and not watch.changed
    assert [file.name for file in finished(out)] == [f"{ids.start:020d}.parquet" for ids in run]
    assert not [name for name in os.listdir(out) if name.endswith(".tmp") and name[1:21] not in lost(out)]
    assert pq.read_table(out).sort_by("id").combine_chunks().equals(table)


def lost(folder):
    """The names of temporary files that a killed process may leave: those of files that another one wrote."""
    return {file.name[:20] for file in finished(folder)}


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(10))
def test_a_node_is_killed_while_a_dataset_is_read(moment, nodes, uri, expected):
    run, table = expected
    batches, at = [], random_of("dataset", moment).randrange(1, len(run) // 2)
    for batch in gray.sample(uri, APP, **RUN, **ACTORS).iter_batches(batch_size=None, batch_format="pyarrow"):
        batches.append(batch)
        if len(batches) == at:
            nodes.kill()
    assert pa.concat_tables(batches).sort_by("id").combine_chunks().equals(table)


@pytest.mark.slow  # test_ray.py resumes a run that lacks files
@pytest.mark.parametrize("parts", [0, 3])
def test_the_driver_is_killed(parts, nodes, graph, uri, tmp_path, expected):
    run, table = expected
    out = tmp_path / "walks"
    if parts:
        uri = str(tmp_path / "parts")
        gnd.partition.write(graph, uri, parts=parts, by="hash")
    code = f"""
import ray, gonextdoor as gnd, gonextdoor.ray as gray
ray.init(address={nodes.address!r}, log_to_driver=False)
gray.write({uri!r}, gnd.apps.Node2Vec(p=0.5, q=2, length=40), {str(out)!r}, **{RUN}, **{ACTORS})
"""
    driver = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait(lambda: len(finished(out)) >= 3 or driver.poll() is not None)
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.wait(60)
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in finished(out)}
    assert 3 <= len(before) < len(run)
    done = gray.write(uri, APP, out, resume=True, **(RUN | {"seed": None}), **ACTORS)
    assert done.files == len(run) and done.written <= len(run) - 3
    assert pq.read_table(out).sort_by("id").combine_chunks().equals(table)
    for file, (data, _) in before.items():
        assert file.read_bytes() == data
