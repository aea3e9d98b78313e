"""A conversion in shares writes the folder of one process. The tasks run here, each on a copy of its arguments."""

import os
import pickle

import numpy as np
import pytest
from gonextdoor.partition.convert import written
from test_convert import contents
from test_convert import edges as _edges

import gonextdoor as gnd
from gonextdoor.partition import shares

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

edges = _edges  # a fixture

DEFAULTS = {
    "parts": 3, "by": "ranges", "hot": 0.0, "edge_ids": True, "alias_tables": False, "symmetric": False,
    "source": None, "target": None, "weight": "auto", "time": None, "label": None,
}  # fmt: skip


class Here:
    """Runs each task twice, as if the worker of the first had been lost, in reverse order."""

    def __init__(self, at_once):
        self.at_once, self.before = at_once, lambda task, common, number: None

    def run(self, task, common, count):
        for number in reversed(range(count)):
            self.before(task, common, number)
            task(pickle.loads(pickle.dumps(common)), number)
            yield number, pickle.loads(pickle.dumps(task(pickle.loads(pickle.dumps(common)), number)))


def convert(edges, path, tasks, **given):
    written(edges, path, lambda *files: shares.SharedStream(tasks, *files), **DEFAULTS | given)


def check(edges, tmp_path, **given):
    gnd.partition.convert(edges, tmp_path / "one", **{"parts": 3} | given)
    for count in (1, 2, 5):
        convert(edges, tmp_path / "shares", Here(count), **given)
        assert contents(tmp_path / "shares") == contents(tmp_path / "one")
    assert sorted(os.listdir(tmp_path)) == sorted({"one", "shares", *os.listdir(tmp_path)} - {""})
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


@pytest.mark.parametrize(
    "given",
    [
        {"hot": 0.3, "alias_tables": True},
        {"by": "hash", "symmetric": True, "edge_ids": False},
        {"by": np.arange(400) % 3, "weight": False, "hot": 1e-9},
        {"label": "label", "source": "dst", "target": "src"},
    ],
)
def test_same_folder_for_any_number_of_shares(edges, tmp_path, given):
    if isinstance(given.get("by"), np.ndarray):
        given["by"] = np.arange(gnd.read(edges).num_vertices) % 3
    check(edges, tmp_path, **given)


@pytest.mark.parametrize("kind", ["text", "large", "dates", "empty"])
def test_columns_that_take_another_pass(tmp_path, kind):
    rng = np.random.default_rng(3)
    ends = [rng.integers(0, 40, 300) for _ in range(2)]
    times = pa.array(rng.integers(0, 10**9, 300), pa.timestamp("s"))
    if kind == "text":
        ends = [np.array([f"v{x}" if x > 20 else str(x) for x in part]) for part in ends]
    elif kind == "large":
        ends = [part * 10**12 - 7 for part in ends]
    table = pa.table({"src": ends[0], "dst": ends[1], "time": times})
    (tmp_path / "edges").mkdir()
    for at, (first, rows) in enumerate([(0, 0), (0, 100), (100, 0), (100, 200)]):
        part = table[first : first + (0 if kind == "empty" else rows)]
        if at == 3:  # the unit is that of the first edges
            part = part.set_column(2, "time", part["time"].cast(pa.timestamp("ms")))
        pq.write_table(part, tmp_path / "edges" / f"{at}.parquet", row_group_size=30)
    check(tmp_path / "edges", tmp_path)


def test_a_file_that_vanishes_or_changes(edges, tmp_path):
    tasks = Here(2)

    def vanish(task, common, number):
        if task is shares.store_share:
            (edges / "2.parquet").unlink(missing_ok=True)

    tasks.before = vanish
    with pytest.raises(FileNotFoundError, match=r"2\.parquet"):
        convert(edges, tmp_path / "out", tasks)
    pq.write_table(pa.table({"src": [1, 2, 3], "dst": [2, 3, 1]}), edges / "2.parquet")
    (edges / "1.parquet").unlink()

    def change(task, common, number):
        if task is shares.store_share:
            pq.write_table(pa.table({"src": [1, 1, 3], "dst": [3, 2, 1]}), edges / "2.parquet")

    tasks.before = change
    with pytest.raises(ValueError, match="the edges changed between the two passes"):
        convert(edges, tmp_path / "out", tasks)

    def lose(task, common, number):
        if task is shares.build_part:
            for path in tmp_path.glob(".out.*/part-00001-00000.arcs"):
                path.unlink()

    tasks.before = lose
    with pytest.raises(FileNotFoundError, match=r"part-00001-00000\.arcs"):
        convert(edges, tmp_path / "out", tasks)
    assert os.listdir(tmp_path) == ["edges"]


def test_a_worker_of_another_version_or_without_the_folder(edges, tmp_path):
    tasks = Here(2)
    run = tasks.run
    tasks.run = lambda task, common, count: run(task, common._replace(version="0.0.1"), count)
    with pytest.raises(RuntimeError, match=r"but the conversion was started by 0\.0\.1"):
        convert(edges, tmp_path / "out", tasks)
    tasks.run = lambda task, common, count: run(task, common._replace(folder=common.folder and "/none/out"), count)
    with pytest.raises(FileNotFoundError, match="pass a path that all nodes can write: '/none'"):
        convert(edges, tmp_path / "out", tasks)
    assert os.listdir(tmp_path) == ["edges"]


def test_negative_ids_in_one_share(tmp_path):
    pq.write_table(pa.table({"src": [0, 1, 2, -3], "dst": [1, 2, 0, 1]}), tmp_path / "e.parquet", row_group_size=2)
    check(tmp_path / "e.parquet", tmp_path)
