"""The folder of a run: one run begins in it, its files name the run, and files that are damaged are made again."""

import json
import multiprocessing
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from gonextdoor.ranges import Ranges, files
from gonextdoor.storage import writing
from gonextdoor.storage.location import located

import gonextdoor as gnd
from gonextdoor import apps

RACES, DRIVERS = 8, 4


def race_path(folder, number):
    """A path, in which a hard link decides, or for every other race a URI, for which claims do."""
    return f"{'local://' if number % 2 else ''}{folder}/{number}"


def race(uri, folder, barrier, results):
    """Begins a run without a seed in one folder after the other, at the same time as other processes."""
    for number in range(RACES):
        run, path = Ranges(uri, apps.DeepWalk(4), range_bytes=3000, threads=1), race_path(folder, number)
        barrier.wait(100)
        try:
            files.begin(located("path", path), run.facts(), run.schema, False)
            for ids in run.missing(path):
                run.write(ids, path)
            results.put((number, run.seed))
        except Exception as error:
            results.put((number, f"{type(error).__name__} {error}"))


def test_one_of_several_runs_that_begin_at_once_has_the_folder(uri, tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(DRIVERS), context.Queue()
    workers = [context.Process(target=race, args=(uri, str(tmp_path), barrier, results)) for _ in range(DRIVERS)]
    for worker in workers:
        worker.start()
    found = [results.get(timeout=120) for _ in range(RACES * DRIVERS)]
    for worker in workers:
        worker.join(60)
    for number in range(RACES):
        folder, ends = tmp_path / str(number), [end for race, end in found if race == number]
        (seed,) = (end for end in ends if isinstance(end, int))
        assert sum("the folder has a run already" in str(end) for end in ends) == DRIVERS - 1, ends
        assert all(end == seed or end.startswith("FileExistsError") for end in ends)
        run = Ranges(uri, apps.DeepWalk(4), seed=seed, range_bytes=3000)
        assert files.manifest(located("path", folder)) == run.facts()
        for ids in run:
            assert pq.read_table(folder / files.name_of(ids)).equals(run.table(ids))
        assert sorted(os.listdir(folder)) == [files.MANIFEST, *map(files.name_of, run)]  # no claims


@pytest.fixture
def run(uri):
    return Ranges(uri, apps.DeepWalk(4), seed=1, range_bytes=3000)


def test_processes_of_one_run_share_a_folder(run, uri, tmp_path):
    for ids in run[::2]:
        run.write(ids, tmp_path / "walks")
    same = Ranges(uri, apps.DeepWalk(4), seed=1, range_bytes=3000)
    for ids in same.missing(tmp_path / "walks"):
        same.write(ids, tmp_path / "walks")
    assert run.missing(tmp_path / "walks") == []
    before = {name: (tmp_path / "walks" / name).read_bytes() for name in os.listdir(tmp_path / "walks")}
    other = Ranges(uri, apps.DeepWalk(4), seed=2, range_bytes=3000)
    with pytest.raises(FileExistsError, match=r"folder = .*walks': the folder has another run, with seed = 1 instead"):
        other.write(other[0], tmp_path / "walks")
    assert other.missing(tmp_path / "walks") == list(other)
    assert before == {name: (tmp_path / "walks" / name).read_bytes() for name in os.listdir(tmp_path / "walks")}
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.parquet").write_bytes(b"")
    with pytest.raises(FileExistsError, match="Parquet files of something else"):
        run.write(run[0], tmp_path / "other")


def test_the_footer_names_the_run(run, uri, tmp_path):
    for out in ("one", "two"):
        run.write(run[0], tmp_path / out)
    name = files.name_of(run[0])
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    stamp = json.loads(pq.read_schema(tmp_path / "one" / name).metadata[b"gonextdoor"])
    facts = run.facts()
    digest = stamp.pop("run")
    assert stamp == {fact: facts[fact] for fact in ("app", "graph", "seed", "version")}
    others = [
        Ranges(uri, apps.DeepWalk(4), seed=1, range_bytes=4000),
        Ranges(uri, apps.DeepWalk(4), seed=2, range_bytes=3000),
        Ranges(uri, apps.DeepWalk(4), seed=1, range_bytes=3000, repeat=2),
    ]
    digests = {json.loads(files.stamp_of(other._facts()))["run"] for other in [run, *others]}
    assert digest in digests and len(digests) == 4


def no_footer(data):
    """The file with zeros in place of its footer."""
    length = int.from_bytes(data[-8:-4], "little")
    return data[: -length - 8] + bytes(length) + data[-8:]


def swapped(data):
    """The file with another seed in its footer."""
    return data.replace(b'\\"seed\\": 1', b'\\"seed\\": 2').replace(b'"seed": 1', b'"seed": 2')


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"PAR1",
        lambda data: data[:100],
        lambda data: data[:-1],
        lambda data: data[:200] + data[201:],  # the footer is there, but the data is shorter
        lambda data: data[:200] + b"x" + data[200:],
        lambda data: data[:-8] + b"\xff\xff\xff\xffPAR1",
        no_footer,
        lambda data: data + b"x",
        swapped,
    ],
)
def test_a_damaged_file_is_missing(damage, run, tmp_path):
    for ids in run:
        run.write(ids, tmp_path)
    file = tmp_path / files.name_of(run[1])
    data = file.read_bytes()
    file.write_bytes(damage(data))
    assert file.read_bytes() != data
    assert run.missing(tmp_path) == [run[1]]
    run.write(run[1], tmp_path)
    assert run.missing(tmp_path) == [] and file.read_bytes() == data


def test_a_file_of_another_run_or_range_is_missing(run, uri, tmp_path):
    """Such files were left by versions that let two runs begin in one folder."""
    for ids in run:
        run.write(ids, tmp_path / "walks")
    other = Ranges(uri, apps.DeepWalk(4), seed=2, range_bytes=3000)
    other.write(run[0], tmp_path / "other")
    run.write(range(0, 5), tmp_path / "part")
    names = [files.name_of(ids) for ids in run[:2]]
    os.replace(tmp_path / "other" / names[0], tmp_path / "walks" / names[0])
    os.replace(tmp_path / "part" / names[0], tmp_path / "walks" / names[1])
    assert run.missing(tmp_path / "walks") == run[:2]


def test_long_footers_are_read_whole(run, tmp_path, monkeypatch):
    run.write(run[0], tmp_path)
    monkeypatch.setattr(files, "TAIL", 20)
    assert run.missing(tmp_path) == run[1:]


@pytest.mark.parametrize("compression", [*files.CODECS, "ZSTD"])
def test_compression_is_a_fact_of_the_run(compression, run, tmp_path):
    run.write(run[0], tmp_path, compression=compression)
    facts = files.manifest(located("path", tmp_path))
    assert facts == run.facts(compression) and facts["compression"] == compression.lower()
    column = pq.read_metadata(tmp_path / files.name_of(run[0])).row_group(0).column(0)
    assert column.compression == {"none": "UNCOMPRESSED"}.get(compression, compression.upper())
    assert run.missing(tmp_path) == run[1:]
    another = "snappy" if compression == "gzip" else "gzip"
    text = f"with compression = '{compression.lower()}' instead of '{another}'"
    with pytest.raises(FileExistsError, match=text):
        run.write(run[1], tmp_path, compression=another)
    with pytest.raises(ValueError, match=text):
        files.begin(located("path", tmp_path), run.facts(another), run.schema, True)


@pytest.mark.parametrize(
    ("compression", "error"), [("zst", ValueError), ("", ValueError), ("lzo", ValueError), (None, TypeError)]
)
def test_other_compression_is_refused_before_anything_is_written(compression, error, run, tmp_path):
    with pytest.raises(error, match=r"compression = .*: expected one of 'brotli'"):
        run.write(run[0], tmp_path / "walks", compression=compression)
    assert not (tmp_path / "walks").exists()


def test_a_damaged_manifest_is_named(run, tmp_path):
    run.write(run[0], tmp_path)
    for text in ("{", "[]", "{}", '{"seed": "1"}', '{"seed": true}'):
        empty = run.schema.empty_table().replace_schema_metadata({files.STAMP: text.encode()})
        pq.write_table(empty, tmp_path / files.MANIFEST)
        with pytest.raises(gnd.FormatError, match=r"\.gonextdoor\.parquet: .*; write the run to another folder"):
            run.write(run[1], tmp_path)
    whole = (tmp_path / files.MANIFEST).read_bytes()
    for data in (b"", b"{}", whole[:-1], without_metadata(run.schema)):
        (tmp_path / files.MANIFEST).write_bytes(data)
        with pytest.raises(gnd.FormatError, match=r"\.gonextdoor\.parquet: .*; write the run to another folder"):
            run.write(run[1], tmp_path)


def without_metadata(schema):
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    return sink.getvalue().to_pybytes()


def test_file_systems_without_hard_links(run, tmp_path, monkeypatch):
    def link(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    at = located("path", tmp_path)
    assert writing.created(at, "one", b"1") and not writing.created(at, "one", b"2")
    assert os.listdir(tmp_path) == ["one"] and (tmp_path / "one").read_bytes() == b"1"


def test_an_answer_that_was_lost_is_no_other_file(tmp_path, monkeypatch):
    """A link on NFS may be there although the call reports that the name exists."""
    link = os.link

    def twice(source, target):
        link(source, target)
        link(source, target)

    monkeypatch.setattr(os, "link", twice)
    assert writing.created(located("path", tmp_path), "one", b"1")
    assert os.listdir(tmp_path) == ["one"]


def test_a_claim_that_was_left_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "FIRST_PAUSE", 1e-3)
    at = located("path", f"local://{tmp_path}")
    for name in ("one.claim.0", "one.claim.z"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(FileExistsError, match=rf"one: another call claimed .* by {name}; if no other .* delete"):
            writing.created(at, "one", b"1")
        assert os.listdir(tmp_path) == [name]
        os.remove(tmp_path / name)
    assert writing.created(at, "one", b"1")
    (tmp_path / "one.claim.0").write_bytes(b"")
    assert not writing.created(at, "one", b"2") and (tmp_path / "one").read_bytes() == b"1"


def test_tables_have_no_metadata_of_files(run, tmp_path):
    run.write(run[0], tmp_path)
    table = pq.read_table(tmp_path)
    assert table.equals(run.table(run[0])) and run.table(run[0]).schema.metadata is None
    assert isinstance(table, pa.Table)


def test_another_run_by_an_array(tmp_path):
    """The text of an app has the number of elements of an array alone: a run is resumed only with the same ones."""
    gnd.rmat(5, seed=1).save(tmp_path / "graph")
    parts = np.arange(32) % 4
    runs = [Ranges(tmp_path / "graph", apps.ClusterGCN(a, 2), 5, seed=1) for a in (parts, parts.copy(), parts[::-1])]
    first, same, other = (run.facts() for run in runs)
    assert first == same and first != other and first["app"] == other["app"]
