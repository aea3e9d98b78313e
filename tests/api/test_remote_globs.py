"""Globs of Parquet files in object storage."""

import glob
import os

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gonextdoor as gnd

FILES = ["b.parquet", "a.parquet", "c.pq", ".hidden.parquet", "day/x.parquet", "day/deep/y.parquet", ".day/z.parquet"]


@pytest.fixture
def folder(tmp_path):
    """The files, here and in a file system that has no files on this machine."""
    store = fsspec.filesystem("memory")
    for number, name in enumerate(FILES):
        path = tmp_path / "edges" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"source": [number], "target": [number + 1]}), path)
        store.pipe(f"/globs/edges/{name}", path.read_bytes())
    yield tmp_path / "edges"
    store.rm("/globs", recursive=True)


@pytest.mark.parametrize(
    "pattern",
    ["*.parquet", "[ab].parquet", "*/x.parquet", "**/*.parquet", "**/deep/*.parquet", "day/**/*.parquet", ".*.parquet"],
)
def test_a_glob_of_a_uri_is_that_of_a_path(pattern, folder):
    assert glob.glob(str(folder / pattern), recursive=True)
    here = gnd.read(os.fspath(folder / pattern))
    there = gnd.read(f"memory://globs/edges/{pattern}")
    assert here.num_edges == there.num_edges > 0
    assert np.array_equal(here.vertex_names, there.vertex_names) and here.equals(there)


@pytest.mark.parametrize("pattern", ["*.pqt.parquet", "nowhere/*.parquet", "**/q*.parquet"])
def test_an_empty_glob_is_refused(pattern, folder):
    for at in (folder, "memory://globs/edges"):
        with pytest.raises(gnd.FormatError, match="no Parquet files; expected names that end in"):
            gnd.read(f"{at}/{pattern}")
