"""The tables of deltalake and pyiceberg by the recipes of docs/graph.md; make test-all installs both."""

import pyarrow as pa
import pytest

import gonextdoor as gnd

pytestmark = pytest.mark.slow


def edges(source, target):
    return pa.table({"source": pa.array(source, pa.int64()), "target": pa.array(target, pa.int64())})


def pairs(graph):
    return [(v, int(w)) for v in range(graph.num_vertices) for w in graph.neighbors(v)]


FIRST, SECOND = edges([0, 1, 2], [1, 2, 0]), edges([0, 3], [3, 1])
BOTH, REST = [(0, 1), (0, 3), (1, 2), (2, 0), (3, 1)], [(0, 1), (0, 3), (1, 2), (2, 0)]


@pytest.mark.parametrize("partition", [None, ["source"]])
def test_a_delta_table(partition, tmp_path):
    deltalake = pytest.importorskip("deltalake", reason="make test-all installs deltalake")
    path = str(tmp_path / "edges")
    first = FIRST.append_column("day", pa.array(["1/2 a", "b", "b"]))
    second = SECOND.append_column("day", pa.array(["b", "1/2 a"]))
    days = {"partition_by": ["day"]} if partition else {}
    deltalake.write_deltalake(path, first, **days)
    deltalake.write_deltalake(path, second, mode="append")
    columns = {"source": "source", "target": "target"}
    assert pairs(gnd.read(path, **columns)) == BOTH
    deltalake.DeltaTable(path).delete("source = 3")
    deltalake.DeltaTable(path).create_checkpoint()
    assert pairs(gnd.read(path, **columns)) == REST
    deltalake.write_deltalake(path, second.slice(1), mode="append")
    table = deltalake.DeltaTable(path)
    assert pairs(gnd.read(path, **columns)) == pairs(gnd.read(sorted(table.file_uris()), **columns)) == BOTH
    assert pairs(gnd.read(sorted(deltalake.DeltaTable(path, version=2).file_uris()), **columns)) == REST


def test_an_iceberg_table(tmp_path):
    sql = pytest.importorskip("pyiceberg.catalog.sql", reason="make test-all installs pyiceberg")
    catalog = sql.SqlCatalog("test", uri=f"sqlite:///{tmp_path / 'catalog.db'}", warehouse=f"file://{tmp_path}/lake")
    catalog.create_namespace("g")
    table = catalog.create_table("g.edges", schema=FIRST.schema)
    table.append(FIRST)
    table.append(SECOND)

    def read():
        tasks = list(table.scan().plan_files())
        assert not any(task.delete_files for task in tasks)
        return gnd.read(sorted(task.file.file_path for task in tasks))

    assert pairs(read()) == BOTH
    table.delete("source = 3")
    assert pairs(read()) == REST
    for folder in (tmp_path / "lake" / "g" / "edges", table.location()):
        with pytest.raises(gnd.FormatError, match="an Iceberg table"):
            gnd.read(folder, format="parquet")
