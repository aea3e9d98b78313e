"""Part: consecutive rows of features in one place."""

from __future__ import annotations

import math
import os
from typing import Any, NamedTuple

from .._core import memory
from .elements import Elements, array_of
from .rowfile import RowFile, of_mapped

__all__ = ["Part", "part_of", "parts_of"]


class Part(NamedTuple):
    """Consecutive rows in one place.

    Attributes:
        owner: the array that has the memory, or the file.
        rows: the number of rows.
        shape: the shape of a row.
        elements: its elements.
        writeable: whether rows can be updated.
        stride: bytes from a row to the next.
        address: the address of the first row; 0 for a file.
    """

    owner: Any
    rows: int
    shape: tuple[int, ...]
    elements: Elements
    writeable: bool
    stride: int
    address: int = 0

    @property
    def file(self) -> RowFile | None:
        """The file that has the rows, or None."""
        return self.owner if isinstance(self.owner, RowFile) else None

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        return math.prod(self.shape) * self.elements.stored.itemsize


def parts_of(source: Any, mode: str) -> list[Part]:
    """The parts of a source: of each item of a list, or one.

    Raises:
        OSError: a file cannot be opened.
        TypeError: the source is nothing that has rows of numbers, or its parts differ in dtype.
        ValueError: its parts differ in the shape of a row, or rows are not contiguous.
    """
    if not isinstance(source, (list, tuple)):
        return [part_of("source", source, mode)]
    if not source:
        raise ValueError("source is empty: expected at least one array, tensor or path")
    for i, one in enumerate(source):
        if isinstance(one, (list, tuple)):
            raise TypeError(
                f"source[{i}] is a {type(one).__name__}: a list has the parts of the features, which are arrays, "
                "tensors and paths; pass np.array(source) if it is a list of rows"
            )
    parts = [part_of(f"source[{i}]", one, mode) for i, one in enumerate(source)]
    for i, part in enumerate(parts):
        if part.elements != parts[0].elements:
            raise TypeError(f"source[{i}] has dtype {part.elements.dtype}, but source[0] {parts[0].elements.dtype}")
        if part.shape != parts[0].shape:
            raise ValueError(f"source[{i}] has rows of shape {part.shape}, but source[0] of {parts[0].shape}")
    return parts


def part_of(name: str, source: Any, mode: str) -> Part:
    """The part of an array, a tensor or the path of a .npy file. It copies nothing.

    An ``np.memmap`` is read by its file.

    Raises:
        OSError: the file cannot be opened.
        TypeError: the source is nothing that has rows of numbers.
        ValueError: its rows are not contiguous, or it is on another device.
    """
    if isinstance(source, (str, os.PathLike)):
        return _of_file(RowFile(source, mode))
    if isinstance(source, RowFile):  # of a pickled copy
        return _of_file(source)
    array, elements = array_of(name, source)
    if array.ndim == 0:
        raise TypeError(f"{name}: expected an array with a row per vertex, got {type(source).__name__}")
    if array.size and not array[:1].flags.c_contiguous:
        raise ValueError(
            f"{name} has shape {array.shape} and strides {array.strides}: expected contiguous rows; "
            f"pass np.ascontiguousarray({name}), which copies it"
        )
    if (file := of_mapped(array)) is not None:
        return _of_file(file)
    shape, stride = array.shape[1:], array.strides[0]
    return Part(array, len(array), shape, elements, bool(array.flags.writeable), stride, memory.address(array))


def _of_file(file: RowFile) -> Part:
    shape, dtype = file.layout.shape, file.layout.dtype
    return Part(file, shape[0], shape[1:], Elements(dtype, dtype), file.writeable, file.layout.stride)
