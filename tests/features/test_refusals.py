"""Bad input of features: each error names the argument, the value and what to do."""

from __future__ import annotations

import os
import pathlib
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor import features

SOURCE = np.arange(12.0).reshape(4, 3)
X = features.open(SOURCE.copy())
FROZEN = SOURCE.copy()
FROZEN.flags.writeable = False
GRAPH = gnd.Graph.from_edges([0, 1], [1, 5])
HETERO = gnd.HeteroGraph(
    {("user", "buys", "item"): gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)}, {"user": 2, "item": 3}
)
RECORDS = np.zeros((4, 3), np.float64)


class OnGpu:
    """An array that reports that it is on a GPU."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


CASES: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (IndexError, "ids[2] = 4: there are 4 rows, expected 0 to 3", lambda: X[[0, 1, 4]]),
    (IndexError, "ids[1] = -1: there are 4 rows, expected 0 to 3", lambda: X[[0, -1]]),
    (IndexError, "ids[0] = 4: ", lambda: X[4]),
    (IndexError, "ids[0] = 9: ", lambda: X.read_async([9])),
    (IndexError, "ids[0] = 9: ", lambda: X.update(np.zeros((1, 3)), [9])),
    (TypeError, "ids: expected an array of ints, got float64 of shape (2,): ids[0] = 0.5", lambda: X[[0.5, 1.0]]),
    (TypeError, "pass np.flatnonzero(ids)", lambda: X[np.array([True, False, True, False])]),
    (TypeError, "ids: expected an array of ints, got 'x'", lambda: X["x"]),
    (TypeError, "ids: expected an array of ints, got NoneType", lambda: X[None]),
    (ValueError, "ids: expected an array in this machine's memory, got one on cuda:0", lambda: X[OnGpu()]),
    (TypeError, "out: expected an array or a tensor, got list", lambda: X.read([0], [0.0])),
    (TypeError, "out has dtype float32: expected float64", lambda: X.read([0], np.empty((1, 3), np.float32))),
    (ValueError, "out has shape (2, 3): expected (1, 3)", lambda: X.read([0], np.empty((2, 3)))),
    (ValueError, "out: expected a contiguous array", lambda: X.read([0, 1], np.empty((3, 2)).T)),
    (ValueError, "out: expected a contiguous array that can be written", lambda: X.read([0, 1, 2, 3], FROZEN)),
    (ValueError, "out shares memory with", lambda: (s := np.zeros((4, 3)), features.open(s).read([0], s[:1]))),
    (ValueError, "out shares memory", lambda: (i := np.zeros(4, int), features.open(np.zeros(4, int)).read(i, i))),
    (TypeError, "values has dtype float32: expected float64", lambda: X.update(np.zeros((1, 3), np.float32), [0])),
    (ValueError, "values has shape (3,): expected (1, 3)", lambda: X.update(np.zeros(3), [0])),
    (ValueError, "the source is a read-only array", lambda: features.open(FROZEN).update(np.zeros((1, 3)), [0])),
    (TypeError, "source: expected an array of numbers, got dtype <U1", lambda: features.open(np.array(["a"]))),
    (TypeError, "source: expected an array of numbers, got dict_keys", lambda: features.open({}.keys())),
    (TypeError, "source: expected an array of numbers, got NoneType", lambda: features.open(None)),
    (TypeError, "got dtype datetime64", lambda: features.open(np.zeros(3, "M8[s]"))),
    (TypeError, "source: expected an array with a row per vertex, got float", lambda: features.open(1.0)),
    (ValueError, "source: expected an array in this machine's memory", lambda: features.open(OnGpu())),
    (ValueError, "pass np.ascontiguousarray(source)", lambda: features.open(SOURCE.T)),
    (ValueError, "source[1] is masked", lambda: features.open(np.ma.array([1.0, 2.0], mask=[False, True]))),
    (TypeError, "source[0] is a list: a list has the parts", lambda: features.open([[1.0, 2.0], [3.0, 4.0]])),
    (TypeError, "pass np.array(source) if it is a list of rows", lambda: features.open([SOURCE, (SOURCE, SOURCE)])),
    (ValueError, "source is empty: expected at least one array", lambda: features.open([])),
    (ValueError, "source is empty: expected features", lambda: features.open({})),
    (
        TypeError,
        "source[1] has dtype float32, but source[0] float64",
        lambda: features.open([SOURCE, SOURCE.astype("f4")]),
    ),
    (
        ValueError,
        "source[1] has rows of shape (2,), but source[0] of (3,)",
        lambda: features.open([SOURCE, SOURCE[:, :2]]),
    ),
    (ValueError, 'mode = "w": expected "r" or "r+"'.replace('"w"', "'w'"), lambda: features.open(SOURCE, mode="w")),
    (ValueError, "threads = 0: expected from 1", lambda: features.open(SOURCE, threads=0)),
    (ValueError, "source has 4 rows, but the graph has 6 vertices", lambda: features.open(SOURCE, graph=GRAPH)),
    (TypeError, "graph: expected a gonextdoor.Graph", lambda: features.open(SOURCE, graph=HETERO)),
    (TypeError, "graph: expected a gonextdoor.HeteroGraph", lambda: features.open({"a": SOURCE}, graph=GRAPH)),
    (
        ValueError,
        "source['item'] has 2 rows, but type 'item' of the graph has 3 vertices",
        lambda: features.open({"item": np.zeros(2)}, graph=HETERO),
    ),
    (
        ValueError,
        "source['a']: the graph has the vertex types ['user', 'item']",
        lambda: features.open({"a": np.zeros(2)}, graph=HETERO),
    ),
    (KeyError, "'b': there are features of the types ['a']", lambda: features.open({"a": SOURCE}).read({"b": [0]})),
    (TypeError, "ids: expected a dict of ids by type, got list", lambda: features.open({"a": SOURCE}).read([0])),
    (KeyError, "values has no type 'a'", lambda: features.open({"a": SOURCE}).update({}, {"a": [0]})),
    (FileNotFoundError, "No such file", lambda: features.open("/nowhere/x.npy")),
    (IsADirectoryError, "Is a directory", lambda: features.open("/")),
    (ValueError, "copy = False", lambda: X.__array__(copy=False)),
]


@pytest.mark.parametrize(("kind", "text", "call"), CASES, ids=[text for _, text, _ in CASES])
def test_bad_input(kind: type[Exception], text: str, call: Callable[[], Any]) -> None:
    with pytest.raises(kind, match=re.escape(text)):
        call()


def saved(path: pathlib.Path, array: Any = SOURCE) -> pathlib.Path:
    np.save(path, array)
    return path


def test_files_that_are_no_rows(tmp_path: pathlib.Path) -> None:
    (tmp_path / "text.npy").write_text("hello, this is text")
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "new.npy").write_bytes(np.lib.format.magic(3, 0) + b"\0" * 100)
    whole = saved(tmp_path / "whole.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(whole[:-1])
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    np.save(tmp_path / "words.npy", np.array(["a"]))
    np.save(tmp_path / "days.npy", np.zeros(3, "M8[D]"))
    for name, kind, text in [
        ("text.npy", gnd.FormatError, "expected a file in NumPy's .npy format"),
        ("empty.npy", gnd.FormatError, "expected a file in NumPy's .npy format"),
        ("new.npy", gnd.FormatError, r"expected version 1.0 or 2.0 of the .npy format, got \(3, 0\)"),
        (
            "short.npy",
            gnd.FormatError,
            f"has {len(whole) - 1} bytes, but its rows end at byte {len(whole)}",
        ),
        ("objects.npy", TypeError, "expected an array of numbers, got dtype object"),
        ("words.npy", TypeError, "expected an array of numbers, got dtype <U1"),
        ("days.npy", TypeError, r"expected an array of numbers, got dtype datetime64\[D\]"),
    ]:
        with pytest.raises(kind, match=text) as error:
            features.open(tmp_path / name)
        assert str(tmp_path / name) in str(error.value)
    with pytest.raises(gnd.FormatError, match="stored column by column"):
        features.open(saved(tmp_path / "columns.npy", np.asfortranarray(SOURCE)))
    with pytest.raises(gnd.FormatError, match="got a single number"):
        features.open(saved(tmp_path / "one.npy", np.float64(1)))


def test_a_file_that_shrinks_is_an_error(tmp_path: pathlib.Path) -> None:
    path = saved(tmp_path / "x.npy", np.arange(30_000.0).reshape(10_000, 3))
    x = features.open(path)
    os.truncate(path, 12_000)
    assert x[100].tolist() == [300, 301, 302]
    with pytest.raises(gnd.FormatError, match=r"x.npy ends at byte 12000, before the end of its rows"):
        x[[0, 9_999]]
    read = x.read_async([9_999])
    with pytest.raises(gnd.FormatError, match="truncated"):
        read.wait()
    assert read.done()
    with pytest.raises(gnd.FormatError, match="truncated"):
        read.wait()


def test_a_file_that_vanishes_is_still_read(tmp_path: pathlib.Path) -> None:
    path = saved(tmp_path / "x.npy")
    x = features.open(path)
    path.unlink()
    assert np.array_equal(x[[3, 0]], SOURCE[[3, 0]])
    os.replace(saved(tmp_path / "y.npy", SOURCE + 1), path)
    assert np.array_equal(x[[3, 0]], SOURCE[[3, 0]])


def test_a_mapped_array_whose_file_shrinks_is_an_error(tmp_path: pathlib.Path) -> None:
    path = saved(tmp_path / "x.npy", np.zeros((10_000, 30)))
    x = features.open(np.load(path, mmap_mode="r")[1:, 2:])
    assert x[9_998].tolist() == [0] * 28
    os.truncate(path, 4096)
    with pytest.raises(gnd.FormatError, match=r"x.npy ends at byte 4096"):
        x[np.full(5000, 9_998)]


def test_a_private_mapping_whose_file_shrinks_is_an_error(tmp_path: pathlib.Path) -> None:
    """In another process: pytest's faulthandler would end this one."""
    path = saved(tmp_path / "x.npy", np.zeros((10_000, 30)))
    code = (
        "import os, sys, numpy as np, gonextdoor as gnd\n"
        "x = gnd.features.open(np.load(sys.argv[1], mmap_mode='c'))\n"
        "assert x[9_999].tolist() == [0] * 30\n"
        "os.truncate(sys.argv[1], 4096)\n"
        "try: x[np.full(5000, 9_999)]\n"
        "except gnd.FormatError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=120)
    assert "a mapped file that was truncated; open the file by its path instead" in run.stdout, run.stderr


def test_updates_need_a_file_that_is_open_for_them(tmp_path: pathlib.Path) -> None:
    path = saved(tmp_path / "x.npy")
    with pytest.raises(ValueError, match=r'x\.npy is open for reads alone: open the features with mode="r\+"'):
        features.open(path).update(SOURCE[:1], [1])
    assert np.array_equal(np.load(path), SOURCE)


HEADERS = {
    "negative": "(-1, 4)",
    "beyond 64 bits": "(4611686018427387904, 4)",
    "no rows of too many": "(0, 9223372036854775807, 4)",
    "too many dimensions": f"({'1, ' * 65})",
    "an expression": "(2**3, 4)",
    "a float": "(2.0, 4)",
    "nested": "[" * 5000,
    "more than the file": "(1000000000000, 4)",
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_header_that_no_array_has_is_an_error(case: str, tmp_path: pathlib.Path) -> None:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {HEADERS[case]}}}".encode()
    path = tmp_path / "x.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(64))
    with pytest.raises(gnd.FormatError, match=re.escape(str(path))):
        features.open(path)
    with pytest.raises(gnd.FormatError, match=re.escape(str(path))):
        gnd.partition.write(GRAPH, tmp_path / "parts", by=path)


def test_a_dtype_with_dimensions_is_refused(tmp_path: pathlib.Path) -> None:
    text = b"{'descr': ('<f4', (3,)), 'fortran_order': False, 'shape': (2,)}"
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(64))
    with pytest.raises(gnd.FormatError, match="expected an array that NumPy can have"):
        features.open(tmp_path / "x.npy")


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_what_is_no_regular_file_is_refused_at_once(mode: str, tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "x.npy")
    with pytest.raises(gnd.FormatError, match=r"x\.npy is a named pipe: expected a regular file"):
        features.open(tmp_path / "x.npy", mode=mode)
    with pytest.raises(gnd.FormatError, match="/dev/zero is a device: expected a regular file"):
        features.open("/dev/zero", mode=mode)
    with pytest.raises(IsADirectoryError, match=re.escape(str(tmp_path))):
        features.open(tmp_path, mode=mode)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("row", [0, 9_999])
def test_an_update_leaves_a_file_alone_that_shrank(parts: int, row: int, tmp_path: pathlib.Path) -> None:
    """A write past the end would fill the gap with zeros, which later reads would return as rows."""
    paths = [saved(tmp_path / f"{i}.npy", np.ones((10_000, 3))) for i in range(parts)]
    x = features.open(paths, mode="r+")
    os.truncate(paths[-1], 12_000)
    before = paths[-1].read_bytes()
    with pytest.raises(gnd.FormatError, match=rf"{parts - 1}\.npy ends at byte 12000, before the end of its rows"):
        x.update(np.zeros((2, 3)), [0, (parts - 1) * 10_000 + row])
    assert paths[-1].read_bytes() == before
    if parts > 1:
        assert x[0].tolist() == [1, 1, 1], "a row was changed before the error"
        x.update(np.zeros((1, 3)), [10_001])  # a file that is whole
        assert x[10_001].tolist() == [0, 0, 0]


def test_a_pickled_copy_of_a_file_that_was_replaced(tmp_path: pathlib.Path) -> None:
    path = saved(tmp_path / "x.npy")
    pickled = pickle.dumps(features.open(path))
    saved(path, np.zeros((100, 3), np.float32))
    with pytest.raises(gnd.FormatError, match=r"x\.npy was replaced: it has shape \(100, 3\) and dtype float32"):
        pickle.loads(pickled)


def test_ids_that_do_not_fit_in_memory_are_named() -> None:
    with pytest.raises(MemoryError, match="ids: a contiguous copy of its 1000000000000000000 elements does not fit"):
        X.read(np.broadcast_to(np.int64(1), (10**18,)))
