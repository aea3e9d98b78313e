"""HeldFeatures: a store of features in the core, and the reads that run in it."""

from __future__ import annotations

import atexit
import json
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, records, running
from .._core.arguments import integer_kind
from .parts import Part

__all__ = ["HeldFeatures", "HeldRead"]

Array = npt.NDArray[Any]

ROW, BYTE = 3e-8, 2.5e-10  # seconds in memory; a call that may take long runs beside the interpreter
FILE_ROW = 1e-5  # seconds of a row that must be read from a device


class HeldFeatures(native.Held):
    """A handle of a store in the core. A forked child inherits the memory of the parts and opens them again."""

    __slots__ = ("_parts", "_row_bytes")

    def __init__(self, parts: list[Part], row_bytes: int) -> None:
        self._parts, self._row_bytes = parts, row_bytes
        super().__init__(self.remade(), "DropFeatures")

    def remade(self) -> int:
        given = np.array([_record(part) for part in self._parts], np.int64)
        names = json.dumps([part.file.path if part.file else "" for part in self._parts])
        number: int = native.call("FeaturesOpen", memory.address(given), len(self._parts), self._row_bytes, names)
        return number

    def call(self, name: str, ids: Array, values: Array, threads: int) -> None:
        """Calls FeaturesRead or FeaturesUpdate."""
        buffer = self._written(ids, values, threads)
        row = FILE_ROW if any(part.file for part in self._parts) else ROW
        seconds = ids.size * (row + self._row_bytes * BYTE)
        running.call(name, self.number, buffer.address, seconds=seconds, progress=False)
        buffer.release()

    def start(self, ids: Array, values: Array, threads: int) -> HeldRead:
        """Begins to read rows in the background."""
        buffer = self._written(ids, values, threads)
        read = HeldRead(native.call("FeaturesStart", self.number, buffer.address), self, values)
        buffer.release()
        return read

    def _written(self, ids: Array, values: Array, threads: int) -> memory.Buffer:
        buffer = memory.buffer()
        records.FEATURE_CALL.pack_into(
            buffer.bytes, 0, memory.address(ids), ids.size, integer_kind(ids), memory.address(values), threads
        )
        return buffer


class HeldRead(native.Held):
    """A handle of a read that runs in the background. It keeps the store and the memory of the rows."""

    __slots__ = ("_store", "_values")

    def __init__(self, number: int, store: HeldFeatures, values: Array) -> None:
        super().__init__(number, "DropFeaturesRead")
        self._store, self._values = store, values
        _reading.add(self)

    def remade(self) -> int:
        raise RuntimeError("the read was begun before this process was forked: read the rows again")

    def stop(self) -> None:
        """Stops the read and waits for its end."""
        if self._generation == native.generation:
            native.call("DropFeaturesRead", self._number)


_reading = native.WeakValues()


def _record(part: Part) -> records.FeaturePart:
    file = (part.file.descriptor, part.file.layout.offset) if part.file else (-1, 0)
    return records.FeaturePart(part.rows, part.address, part.stride, int(part.writeable), *file)


def _stop_all() -> None:
    """Stops reads at the end of the interpreter, which frees the memory that they write to."""
    for read in _reading.present():
        read.stop()


atexit.register(native.uninterrupted(_stop_all))
