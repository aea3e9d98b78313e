"""A node is killed at a random moment: rows are the same, and no file is lost or changed."""

import os
import random

import daily
import gonextdoor.ray as gray
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Watch, finished
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


@pytest.mark.parametrize("moment", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, 20))])
def test_a_node_is_killed_while_files_are_written(moment, nodes, uri, tmp_path, expected):
    run, table = expected
    out = tmp_path / "walks"
    watch = Watch(nodes.kill, out, random_of("files", moment).randrange(1, len(run) - 4))
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
