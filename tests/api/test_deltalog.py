"""Delta tables are read at their newest version, and refused if files have rows that the table does not have.

The logs are written by hand, as the protocol of Delta describes them. test_lakes.py has tables of deltalake.
"""

import json

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gonextdoor as gnd

VECTOR = {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^", "offset": 4}
PROTOCOL = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"]}}


def add(name, vector=None):
    return {"add": {"path": name, "size": 1, "deletionVector": vector}}


def remove(name, vector=None):
    return {"remove": {"path": name, "deletionVector": vector}}


class Table:
    """A table of files with an edge each: that of file i leads from i to i + 1."""

    def __init__(self, folder, names=("a.parquet", "b.parquet", "c.parquet")):
        self.folder, self.log = folder, folder / "_delta_log"
        self.log.mkdir(parents=True)
        for number, name in enumerate(names):
            (folder / name).parent.mkdir(exist_ok=True)
            pq.write_table(pa.table({"source": [number], "target": [number + 1]}), folder / name)

    def commit(self, version, *actions):
        lines = [json.dumps(action) for action in actions]
        (self.log / f"{version:020d}.json").write_text("\n".join(lines) + "\n")

    def checkpoint(self, version, *actions, name="checkpoint.parquet"):
        rows = [{"add": None, "sidecar": None} | action for action in actions]
        pq.write_table(pa.Table.from_pylist(rows), self.log / f"{version:020d}.{name}")


@pytest.fixture
def table(tmp_path):
    table = Table(tmp_path / "edges")
    table.commit(0, PROTOCOL, add("a.parquet"), add("b.parquet"))
    return table


def edges(source):
    graph = gnd.read(source)
    names = range(graph.num_vertices) if graph.vertex_names is None else graph.vertex_names
    return [int(names[v]) for v in range(graph.num_vertices) for _ in graph.neighbors(v)]


def test_a_folder_has_the_files_of_the_newest_version(table):
    assert edges(table.folder) == edges(str(table.folder / "*.parquet")) == [0, 1]
    table.commit(1, remove("a.parquet"), add("c.parquet"))
    assert edges(table.folder) == edges(str(table.folder / "*.parquet")) == [1, 2]
    assert edges([table.folder / "a.parquet"]) == [0]  # of an older version


def test_partitions_and_encoded_names(tmp_path, monkeypatch):
    table = Table(tmp_path / "edges", ["day=1%2F2/a.parquet", "day=3/b.parquet", "day=3/c.parquet"])
    table.commit(0, add("day=1%252F2/a.parquet"), add("day=3/c.parquet"))
    assert edges(table.folder) == [0, 2]
    assert edges(table.folder / "day=3") == edges(str(table.folder / "day=3" / "*.parquet")) == [2]
    monkeypatch.chdir(table.folder / "day=3")
    assert edges("../../edges") == [0, 2] and edges(".") == edges("*.parquet") == [2]


def test_a_table_in_object_storage(table):
    table.commit(1, remove("a.parquet"), add("c.parquet"))
    store = fsspec.filesystem("memory")
    store.put(str(table.folder), "/delta/edges", recursive=True)
    try:
        for source in ("memory://delta/edges/", "memory://delta/edges/*.parquet"):
            graph = gnd.read(source, format="parquet")
            assert graph.num_edges == 2 and graph.vertex_names.tolist() == [1, 2, 3]
        table.commit(2, remove("c.parquet"), add("c.parquet", VECTOR))
        store.put(str(table.log / f"{2:020d}.json"), f"/delta/edges/_delta_log/{2:020d}.json")
        for source in ("memory://delta/edges", "memory://delta/edges/*.parquet", ["memory://delta/edges/c.parquet"]):
            with pytest.raises(gnd.FormatError, match=r"delta/edges/c.parquet: the Delta table .* deletion vector"):
                gnd.read(source, format="parquet")
    finally:
        store.rm("/delta", recursive=True)


@pytest.mark.parametrize("name", ["checkpoint.parquet", "checkpoint.0123abcd-0123-0123-0123-0123456789ab.parquet"])
@pytest.mark.parametrize("vector", [None, VECTOR])
def test_a_checkpoint_replaces_older_commits(name, vector, table):
    table.commit(1, remove("b.parquet"), add("b.parquet", vector))
    table.checkpoint(1, add("b.parquet", vector), name=name)
    table.commit(2, add("c.parquet"))
    for version in (0, 1):
        (table.log / f"{version:020d}.json").unlink()
    if vector is None:
        assert edges(table.folder) == [1, 2]
    else:
        with pytest.raises(gnd.FormatError, match="deletion vector"):
            gnd.read(table.folder)
        table.commit(3, remove("b.parquet", vector), add("b.parquet"))  # the same file without a vector
        assert edges(table.folder) == [1, 2]


def test_a_checkpoint_of_several_files(table):
    for piece, name in enumerate(["a.parquet", "c.parquet"], 1):
        table.checkpoint(4, add(name), name=f"checkpoint.{piece:010d}.{2:010d}.parquet")
    table.checkpoint(5, add("b.parquet"), name=f"checkpoint.{1:010d}.{2:010d}.parquet")  # incomplete
    table.commit(5, remove("a.parquet"), add("b.parquet"))
    assert edges(table.folder) == [1, 2]


def test_a_checkpoint_with_sidecars(table):
    (table.log / "_sidecars").mkdir()
    pq.write_table(pa.Table.from_pylist([add("c.parquet")]), table.log / "_sidecars" / "one.parquet")
    lines = [{"checkpointMetadata": {"version": 3}}, {"sidecar": {"path": "one.parquet", "sizeInBytes": 1}}]
    name = f"{3:020d}.checkpoint.0123abcd-0123-0123-0123-0123456789ab.json"
    (table.log / name).write_text("\n".join(map(json.dumps, lines)))
    assert edges(table.folder) == [2]


def test_deletion_vectors_are_refused(table):
    table.commit(1, remove("a.parquet"), add("a.parquet", VECTOR))
    path = table.folder / "a.parquet"
    for source in (table.folder, str(table.folder / "*.parquet"), [table.folder / "b.parquet", path], path):
        with pytest.raises(gnd.FormatError, match=r"a\.parquet: the Delta table .* has a deletion vector .*PURGE"):
            gnd.read(source)
        with pytest.raises(gnd.FormatError, match="deletion vector"):
            gnd.partition.convert(source, table.folder.parent / "parts", parts=2)
    assert edges([table.folder / "b.parquet"]) == [1]
    table.commit(2, remove("a.parquet", VECTOR), add("c.parquet"))
    assert edges(table.folder) == [1, 2]


MAPPED = {"metaData": {"id": "1", "configuration": {"delta.columnMapping.mode": "name"}}}


@pytest.mark.parametrize(
    "actions, text",
    [
        ([{"protocol": {"readerFeatures": ["catalogManaged"]}}], "needs 'catalogManaged', which"),
        ([MAPPED], r"other names of columns in its files \(column mapping\)"),
        ([add("d.parquet")], "has the file 'd.parquet', which is not there"),
        ([add("s3://other/d.parquet")], "has the file 's3://other/d.parquet', which is not there"),
    ],
)
def test_tables_that_are_not_their_files_are_refused(actions, text, table):
    table.commit(1, *actions)
    with pytest.raises(gnd.FormatError, match=text):
        gnd.read(table.folder)
    assert edges([table.folder / "a.parquet"]) == [0]


def test_damaged_logs_are_refused(table):
    table.commit(2, add("c.parquet"))
    with pytest.raises(gnd.FormatError, match="_delta_log: the log of the Delta table lacks version 1"):
        gnd.read(table.folder)
    (table.log / f"{1:020d}.json").write_text('{"add": ')
    with pytest.raises(gnd.FormatError, match=r"0001\.json: the log of the Delta table is damaged"):
        gnd.read(table.folder)
    for file in table.log.iterdir():
        file.unlink()
    with pytest.raises(gnd.FormatError, match="lacks version 0"):
        gnd.read([table.folder / "a.parquet"])


@pytest.mark.parametrize("scheme", ["", "memory://iceberg"])
def test_the_folder_of_an_iceberg_table_is_refused(scheme, tmp_path):
    files = {"metadata/00000-ab.metadata.json": b"{}", "data/a.parquet": b""}
    store = fsspec.filesystem("memory")
    for name, data in files.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(data)
        store.pipe(f"/iceberg/{name}", data)
    try:
        with pytest.raises(gnd.FormatError, match=r"an Iceberg table, .*plan_files\(\)"):
            gnd.read(scheme or tmp_path, format="parquet")
    finally:
        store.rm("/iceberg", recursive=True)
