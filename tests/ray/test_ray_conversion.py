"""gonextdoor.ray.convert: the workers of a cluster write the folder of one process."""

import errno
import inspect
import os
import resource
import signal
import threading

import gonextdoor.ray as gray
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gonextdoor as gnd
from gonextdoor.partition import shares

CPUS = 0.5


@pytest.fixture(scope="module")
def edges(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edges")
    rng = np.random.default_rng(5)
    for at in range(3):
        ends = [rng.integers(0, 3000, 40_000) for _ in range(2)]
        table = pa.table({"src": ends[0], "dst": ends[1], "weight": rng.random(40_000)})
        pq.write_table(table, folder / f"{at}.parquet", row_group_size=5000)
    return folder


@pytest.fixture(scope="module")
def expected(edges, tmp_path_factory):
    folder = tmp_path_factory.mktemp("one") / "parts"
    gnd.partition.convert(edges, folder, parts=3, by="hash", hot=0.1, alias_tables=True)
    return contents(folder)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def convert(edges, path, **given):
    gray.convert(edges, path, parts=3, by="hash", hot=0.1, alias_tables=True, num_cpus=CPUS, **given)


@pytest.mark.parametrize("workers", [1, 2, 3, None])
def test_same_folder_for_any_number_of_workers(edges, expected, nodes, tmp_path, workers, monkeypatch):
    monkeypatch.chdir(edges.parent)
    convert(edges.name, tmp_path / "parts", concurrency=workers)
    assert contents(tmp_path / "parts") == expected
    assert os.listdir(tmp_path) == ["parts"]


def _deadly(task, marker):
    """A task that kills its process, the first time and after its work, once per number."""

    def deadly(common, number):
        result = task(common, number)
        try:
            os.close(os.open(f"{marker}-{task.__name__}-{number}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return result
        return os.kill(os.getpid(), signal.SIGKILL)

    return deadly


def test_killed_workers_are_repeated(edges, expected, nodes, tmp_path, monkeypatch):
    (tmp_path / "deaths").mkdir()
    for name in ("count_share", "store_share", "build_part"):
        monkeypatch.setattr(shares, name, _deadly(getattr(shares, name), tmp_path / "deaths" / "of"))
    convert(edges, tmp_path / "parts", concurrency=2)
    assert len(os.listdir(tmp_path / "deaths")) == 2 + 2 + 4
    assert contents(tmp_path / "parts") == expected


@pytest.mark.slow  # a node is added again
def test_a_lost_node(edges, expected, nodes, tmp_path):
    timer = threading.Timer(0.5, nodes.kill)
    timer.start()
    convert(edges, tmp_path / "parts", concurrency=3)
    timer.join()
    assert contents(tmp_path / "parts") == expected


def _limited(task):
    """A task that cannot write files of more than 50,000 bytes, as on a full disk."""

    def limited(common, number):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
        try:
            return task(common, number)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limited


def test_errors_name_the_file(edges, nodes, tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match="nothing"):
        convert(edges / "nothing.parquet", tmp_path / "parts")
    damaged = tmp_path / "edges"
    damaged.mkdir()
    for at in range(2):
        table = pq.read_table(edges / f"{at}.parquet")
        pq.write_table(table, damaged / f"{at}.parquet", row_group_size=5000, compression="none")
    with open(damaged / "1.parquet", "r+b") as file:
        file.seek(1000)
        file.write(b"\xff" * 40_000)
    with pytest.raises(gnd.FormatError, match=r"1\.parquet"):
        convert(damaged, tmp_path / "parts", concurrency=2)
    for task, name in [
        (shares.store_share, r"part-0000\d-\d{5}-[0-9a-f]{16}\.arcs"),
        (shares.build_part, r"part-0000\d"),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(shares, task.__name__, _limited(task))
            with pytest.raises(OSError, match=f"file too large.*{name}") as caught:
                convert(edges, tmp_path / "parts", concurrency=2)
        assert caught.value.errno == errno.EFBIG
    assert os.listdir(tmp_path) == ["edges"]


def test_refusals(edges, nodes, tmp_path):
    for given, text in [
        ({"path": "s3://bucket/parts"}, "path = 's3://bucket/parts': the workers write to one folder"),
        ({"concurrency": 0}, "concurrency = 0"),
        ({"num_cpus": -1}, "num_cpus = -1"),
        ({"by": "ldg"}, "by = 'ldg' needs the rows"),
    ]:
        with pytest.raises(ValueError, match=text):
            gray.convert(edges, **{"path": tmp_path / "parts", "parts": 2} | given)
    with pytest.raises(TypeError, match="concurrency"):
        gray.convert(edges, tmp_path / "parts", parts=2, concurrency=(1, 2))


def test_arguments_are_those_of_one_machine():
    one, many = (inspect.signature(function).parameters for function in (gnd.partition.convert, gray.convert))
    assert [*one.values()] == [value for name, value in many.items() if name not in ("num_cpus", "concurrency")]
