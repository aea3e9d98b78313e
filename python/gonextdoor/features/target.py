"""Target: an array on a GPU to which a read copies rows."""

from __future__ import annotations

import functools
from typing import Any

from ..device.interop import writable_on
from .elements import Elements

__all__ = ["DLPACK_CODES", "Target", "code_of"]

DLPACK_CODES = {"i": 0, "u": 1, "f": 2, "bfloat": 4, "c": 5, "b": 6}  # by the kind of a NumPy dtype


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
