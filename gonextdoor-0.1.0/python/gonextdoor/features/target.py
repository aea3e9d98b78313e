"""The caller's arrays of a read to a GPU: the ids, and the array to which it copies the rows."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .._core import memory
from .._core.arguments import integer_kind, integers
from ..device.interop import DeviceIntegers, integers_on, on_gpu, writable_on
from .elements import Elements

__all__ = ["DLPACK_CODES", "GivenIDs", "Target", "code_of"]

DLPACK_CODES = {"i": 0, "u": 1, "f": 2, "bfloat": 4, "c": 5, "b": 6}  # by the kind of a NumPy dtype


class GivenIDs:
    """Ids of a read, in this machine's memory or on the GPU of the cache. It keeps their memory.

    Args:
        ids: an array in this machine's memory; one of another library on the GPU, or its ``DeviceIntegers``.
        device: the GPU.

    Attributes:
        shape: their shape.
        record: records.FeatureIDs as a tuple.
    """

    __slots__ = ("_owner", "record", "shape")

    def __init__(self, ids: Any, device: int) -> None:
        if isinstance(ids, DeviceIntegers) or on_gpu(ids) is not None:
            given = ids if isinstance(ids, DeviceIntegers) else integers_on("ids", ids, device)
            self._owner: object = given
            self.shape = given.shape
            self.record = (given.address, math.prod(given.shape), given.kind, 0, given.stream)
            return
        array = np.asarray(integers("ids", ids), order="C")
        if array.itemsize < 4:
            array = array.astype(np.int64)
        self._owner, self.shape = array, array.shape
        self.record = (memory.address(array), array.size, integer_kind(array), 1, 0)


class Target:
    """An array of the caller on a GPU, for the rows of a read.

    Args:
        out: the array, contiguous and writable.
        shape: the shape that it must have.
        elements: those of the features.
        device: the GPU that it must be on.

    Attributes:
        array: the array, as it was given.
        record: records.FeatureTarget as a tuple.

    Raises:
        TypeError: it is no array, or has another dtype.
        ValueError: it has another shape, is on another device, is not contiguous or cannot be written.
    """

    __slots__ = ("_view", "array", "record")

    def __init__(self, out: Any, shape: tuple[int, ...], elements: Elements, device: int) -> None:
        view = writable_on("out", out, device)
        code = DLPACK_CODES.get(view.kind, -2)
        if code != code_of(elements) or view.size != elements.stored.itemsize:
            dtype = getattr(out, "dtype", f"{view.kind}{8 * view.size}")
            raise TypeError(f"out has dtype {dtype}: expected {elements.name}, that of the features")
        if view.shape != shape:
            raise ValueError(f"out has shape {view.shape}: expected {shape}")
        self.array, self._view = out, view
        self.record = (view.address, view.stream)


@functools.lru_cache(maxsize=64)
def code_of(elements: Elements) -> int:
    """DLPack's code of the elements; -1: it has none."""
    if elements.name == "bfloat16":
        return DLPACK_CODES["bfloat"]
    if elements.tensors and elements.name not in (elements.stored.name, "bool"):
        return -1
    return DLPACK_CODES.get(elements.stored.kind, -1)
