"""Features equal their source, row by row: random sources, dtypes, shapes, parts and ids."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor import features

DTYPES = ["?", "u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8", "c8", "c16", ">f4", "V3"]
ID_TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Random bytes as an array; of booleans, random booleans."""
    if np.dtype(dtype) == np.bool_:
        return rng.random(shape) < 0.5
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return rng.integers(0, 256, size, np.uint8).view(dtype).reshape(shape)


def saved(folder: pathlib.Path, rng: np.random.Generator, array: np.ndarray) -> pathlib.Path:
    path = folder / f"{rng.integers(1 << 60)}.npy"
    np.save(path, array)
    return path


def formed(rng: np.random.Generator, array: np.ndarray, folder: pathlib.Path) -> Any:
    """The same rows in one of the forms that a source may have."""
    match rng.integers(6):
        case 0:
            return array
        case 1 if array.ndim > 1:  # rows with a gap
            wide = np.zeros((len(array), array.shape[1] + 3, *array.shape[2:]), array.dtype)
            wide[:, : array.shape[1]] = array
            return wide[:, : array.shape[1]]
        case 2:
            return array[::-1].copy()[::-1]  # a negative stride
        case 3:  # a view of a mapped file, which has rows with a gap
            wide = np.zeros((2 * len(array) + 1, *array.shape[1:]), array.dtype)
            wide[1::2] = array
            return np.load(saved(folder, rng, wide), "r+")[1::2]
        case _:
            path = saved(folder, rng, array)
            return str(path) if rng.random() < 0.5 else path


def in_order(rows: Any, dtype: np.dtype) -> np.ndarray:
    """Rows as an array. NumPy's scalars have the native byte order, unlike their arrays."""
    return rows if isinstance(rows, np.ndarray) else np.array(rows).astype(dtype)


def same(got: np.ndarray, want: np.ndarray) -> bool:
    return got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes()


@pytest.mark.parametrize("seed", range(60))
def test_random_sources(seed: int, tmp_path: pathlib.Path) -> None:
    rng = np.random.default_rng(seed)
    dtype = np.dtype(DTYPES[seed % len(DTYPES)])
    row = tuple(rng.integers(1, 40, rng.integers(3)))
    parts = [drawn(rng, (int(n), *row), dtype) for n in rng.integers(1, 60, rng.integers(1, 4))]
    whole = np.concatenate(parts).astype(dtype)
    sources = [formed(rng, part, tmp_path) for part in parts]
    x = features.open(sources if len(sources) > 1 else sources[0], threads=int(rng.integers(1, 4)))
    assert (x.shape, x.dtype, len(x), x.nbytes, x.ndim) == (whole.shape, dtype, len(whole), whole.nbytes, whole.ndim)
    for _ in range(5):
        shape = tuple(rng.integers(0, 30, rng.integers(3)))
        ids = rng.integers(0, min(len(whole), 128), shape).astype(ID_TYPES[rng.integers(len(ID_TYPES))])
        want = np.empty((*ids.shape, *row), dtype)
        want[...] = whole[ids]
        assert same(in_order(x[ids], dtype), want)
        assert same(in_order(x.read_async(ids).wait(), dtype), want)
        out = np.empty(want.shape, dtype)
        assert x.read(ids, out) is out
        assert same(out, want)
        if ids.size:
            assert same(in_order(x[ids.tolist()], dtype), want)
    assert same(x[3:-1], whole[3:-1])
    assert same(np.asarray(x), whole)


@pytest.mark.parametrize("seed", range(20))
def test_random_updates(seed: int, tmp_path: pathlib.Path) -> None:
    rng = np.random.default_rng(seed)
    dtype, row = np.dtype(["f4", "f2", "u1", "i8"][seed % 4]), (5,) if seed % 3 else ()
    parts = [drawn(rng, (int(n), *row), dtype) for n in rng.integers(1, 60, 3)]
    whole, sources = np.concatenate(parts), [formed(rng, part, tmp_path) for part in parts]
    x = features.open(sources, mode="r+")
    for _ in range(4):
        ids = rng.integers(0, len(whole), rng.integers(0, 200))
        values = drawn(rng, (len(ids), *row), dtype)
        for i, value in zip(ids, values, strict=True):  # of equal ids, the last one counts
            whole[i] = value
        x.update(values, ids)
        assert same(np.asarray(x), whole)
    again = [np.load(source) if isinstance(source, (str, pathlib.Path)) else source for source in sources]
    assert same(np.concatenate(again), whole)  # the sources themselves have changed


def test_one_row_and_one_element() -> None:
    source = np.arange(12.0).reshape(4, 3)
    x, y = features.open(source), features.open(source[:, 0].copy())
    assert x[np.int32(3)].tolist() == [9, 10, 11]
    assert y[3] == 9.0 and isinstance(y[3], np.float64)
    assert y[[]].shape == (0,)
    assert x[np.array([[0, 1]])].shape == (1, 2, 3)


def test_rows_without_elements_and_no_rows() -> None:
    assert features.open(np.zeros((5, 0)))[[4, 0]].shape == (2, 0)
    empty = features.open(np.zeros((0, 7), np.float32))
    assert empty[[]].shape == (0, 7)
    with pytest.raises(IndexError, match=r"ids\[0\] = 0: there are no rows"):
        empty[[0]]


def test_large_results_are_those_of_numpy() -> None:
    """Results that are written past the caches."""
    rng = np.random.default_rng(1)
    for width in (100, 128, 129, 256):
        source = rng.random((20_000, width), np.float32)
        ids = rng.integers(0, len(source), 9000)
        assert same(features.open(source)[ids], source[ids])


def test_the_source_is_not_copied() -> None:
    source = np.zeros((4, 3))
    x = features.open(source)
    source[2] = 7
    assert x[2].tolist() == [7, 7, 7]
    x.update([[1, 2, 3]], [0])
    assert source[0].tolist() == [1, 2, 3]


def test_an_update_from_the_source_itself() -> None:
    source = np.arange(6.0)
    features.open(source).update(source[:5], np.arange(1, 6))
    assert source.tolist() == [0, 0, 1, 2, 3, 4]


def test_other_numbers_of_threads_share_the_store() -> None:
    x = features.open(np.arange(100_000))
    y = x.with_threads(3)
    ids = np.arange(99_999, -1, -1)
    assert same(x[ids], ids) and same(y[ids], ids)
    assert x.stats() == y.stats() and x.stats().reads == 2
    with pytest.raises(ValueError, match="threads = 0"):
        x.with_threads(0)


def test_ids_of_a_background_read_may_change() -> None:
    source = np.arange(1000)
    ids = np.arange(999, -1, -1)
    read = features.open(source).read_async(ids)
    ids[:] = 0
    assert read.wait().tolist() == source[::-1].tolist()
    assert read.done()
    assert read.wait().tolist() == source[::-1].tolist()


def test_stats_by_place(tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((10, 3), np.float16))
    x = features.open([np.zeros((5, 3), np.float16), tmp_path / "x.npy"])
    assert repr(x) == "Features(shape=(15, 3), dtype=float16, place='memory and file')"
    assert x[[0, 5, 14, 4]].shape == (4, 3)
    assert x[5:8].shape == (3, 3)
    assert x.stats() == (2, {"gpu": 0, "memory": 2, "file": 5}, {"gpu": 0, "memory": 12, "file": 30}, 0)
    assert x.stats().hits == x.stats().kernel_share == 0.0


def test_mappings_are_read_by_their_files(tmp_path: pathlib.Path) -> None:
    path, source = tmp_path / "x.npy", np.arange(30.0).reshape(10, 3)
    np.save(path, source)
    shared, private = np.load(path, "r+"), np.load(path, "c")
    raw = np.memmap(tmp_path / "raw", np.int16, "w+", offset=6, shape=(5, 2))
    raw[:] = np.arange(10).reshape(5, 2)
    assert "'file'" in repr(features.open(shared)) and "'memory'" in repr(features.open(private))
    private[1] = 5
    shared[2] = 6
    assert features.open(private)[1].tolist() == [5, 5, 5]
    assert features.open(shared)[[2, 1]].tolist() == [[6, 6, 6], [3, 4, 5]]
    assert features.open(shared[::-2, 1:])[[0, 4]].tolist() == source[::-2, 1:][[0, 4]].tolist()
    assert features.open(raw[1:])[[0, 3]].tolist() == [[2, 3], [8, 9]]
    path.rename(tmp_path / "other.npy")
    np.save(path, source + 100)  # another file has the name now
    assert "'memory'" in repr(features.open(shared))
    assert features.open(shared)[2].tolist() == [6, 6, 6]


def test_types() -> None:
    x = features.open({"user": np.arange(4), ("user", "buys", "item"): np.ones((2, 2), np.float16)})
    assert list(x) == ["user", ("user", "buys", "item")] and len(x) == 2
    read = x.read({"user": [3, 0], ("user", "buys", "item"): []})
    assert read["user"].tolist() == [3, 0] and read["user", "buys", "item"].shape == (0, 2)
    out = {"user": np.empty(1, np.int64)}
    assert x.read({"user": [2]}, out)["user"] is out["user"] and out["user"].tolist() == [2]
    x.update({"user": [7]}, {"user": [1]})
    pending = x.read_async({"user": [1]})
    assert pending.wait()["user"].tolist() == [7] and pending.done()
    assert x.stats().rows["memory"] == 4
    assert repr(x["user"]) in repr(x)


def test_a_graph_that_fits() -> None:
    graph = gnd.Graph.from_edges([0, 1], [1, 2])
    assert len(features.open(np.zeros(5), graph=graph)) == 5
    buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)
    hetero = gnd.HeteroGraph({("user", "buys", "item"): buys}, {"user": 2, "item": 3})
    x = features.open({"user": np.zeros(2), "item": np.zeros(3), ("user", "buys", "item"): np.zeros(9)}, graph=hetero)
    assert len(x) == 3
