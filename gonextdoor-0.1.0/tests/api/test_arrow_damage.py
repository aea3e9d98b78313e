"""Arrow data whose buffers are damaged: an error that names the column, not the end of the process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pytest

import gonextdoor as gnd


def buffers(kind: Any, length: int, *parts: Any) -> Any:
    return pa.Array.from_buffers(kind, length, [None if p is None else pa.py_buffer(p) for p in parts])


def text(offsets: list[int], kind: Any = None, data: bytes | None = None) -> Any:
    """Text of an IPC file in which the offsets or the text were replaced; pyarrow reads it without a check."""
    good = pa.array(["x" * 77, "y" * 22], kind or pa.utf8())
    width = np.int64 if kind is not None else np.int32
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, pa.schema([("text", good.type)])) as file:
        file.write_table(pa.table({"text": good}))
    old, new = (np.array(numbers, width).tobytes() for numbers in ([0, 77, 99], offsets))
    raw = sink.getvalue().to_pybytes()
    assert raw.count(old) == 1
    raw = raw.replace(old, new)
    raw = raw if data is None else raw.replace(b"x" * 77, data)
    return pa.ipc.open_file(pa.py_buffer(raw)).read_all()["text"]


VIEW = np.array([100, 0, 0, 1 << 20], np.int32).tobytes()  # 100 bytes from offset 2**20 of buffer 0
DAMAGED: dict[str, Callable[[], Any]] = {
    "decreasing": lambda: text([0, -5, 99]),
    "the last one decreases": lambda: text([0, 99, 1]),
    "beyond the data": lambda: text([0, 1 << 30, 99]),
    "the last one is beyond the data": lambda: text([0, 77, 1 << 30]),
    "negative": lambda: text([-1_000_000, 77, 99]),
    "all negative": lambda: text([-9, -8, -7]),
    "large_string": lambda: text([0, 77, 1 << 40], pa.large_utf8()),
    "no UTF-8": lambda: text([0, 77, 99], data=b"\xff" * 77),
    "sliced": lambda: text([0, 77, 1 << 30])[1:],
    "string_view": lambda: buffers(pa.string_view(), 2, None, VIEW + VIEW, b"ab"),
    "dictionary": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1 << 30], pa.int32()), pa.array(["a", "b"]), safe=False
    ),
    "dictionary of numbers": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, -7], pa.int32()), pa.array([1, 2]), safe=False
    ),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_columns_are_refused(case: str) -> None:
    column = DAMAGED[case]()
    good = pa.array(["c", "d"] * len(column))[: len(column)]
    table = pa.table({"target": good}).append_column("source", column)
    for given in (table, table.to_batches()[0], table.to_reader()):
        with pytest.raises(ValueError, match="column 'source': its Arrow data is damaged"):
            gnd.Graph.from_arrow(given)


@pytest.mark.parametrize("case", ["decreasing", "beyond the data", "no UTF-8"])
def test_damaged_columns_of_frames_are_refused(case: str) -> None:
    made = pandas.arrays.ArrowExtensionArray
    frame = pandas.DataFrame({"source": made(DAMAGED[case]()), "target": made(pa.array(["c", "d"]))})
    for read in (gnd.Graph.from_pandas, gnd.Graph.from_arrow):
        with pytest.raises(ValueError, match="column 'source': its Arrow data is damaged"):
            read(frame)


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("src", lambda a: gnd.Graph.from_edges(a, a)),
        ("ids", lambda a: gnd.features.open(np.zeros((3, 2)))[a]),
        ("source", lambda a: gnd.features.open(a)),
        ("roots", lambda a: gnd.sample(gnd.rmat(4, seed=1), gnd.apps.DeepWalk(2), a)),
    ],
)
def test_damaged_arrays_are_refused(name: str, use: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=f"{name}: its Arrow data is damaged"):
        use(DAMAGED["dictionary of numbers"]())


def test_a_damaged_stream_of_another_library_is_refused() -> None:
    """In another process, which would die. A stream has no sizes of buffers, so that only offsets can be checked."""
    code = (
        "import numpy as np, pyarrow as pa, gonextdoor as gnd\n"
        "class Stream:\n"
        "    def __init__(self, table): self.table = table\n"
        "    def __arrow_c_stream__(self, schema=None): return self.table.__arrow_c_stream__(schema)\n"
        "for offsets in ([0, -5, 2], [0, 2, 1], [0, 1 << 30, 2]):\n"
        "    b = [None, pa.py_buffer(np.array(offsets, np.int32).tobytes()), pa.py_buffer(b'ab')]\n"
        "    table = pa.table({'source': pa.Array.from_buffers(pa.utf8(), 2, b), 'target': ['c', 'd']})\n"
        "    try: gnd.Graph.from_arrow(Stream(table))\n"
        "    except ValueError as error: print('refused', error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.stdout.count("refused") == 3, (run.returncode, run.stdout, run.stderr)
