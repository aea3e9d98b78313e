"""RowFile: a file with rows, open for reads by the core."""

from __future__ import annotations

import io
import math
import mmap
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import memory, native, npy
from .._core.arguments import PathLike, path_text
from ..errors import FormatError

__all__ = ["MODES", "Layout", "RowFile", "mapped_inode", "of_mapped"]

MODES = {"r": os.O_RDONLY, "r+": os.O_RDWR}

Array = npt.NDArray[Any]


class Layout(NamedTuple):
    """The positions of rows in a file.

    Attributes:
        offset: the offset of the first row.
        shape: the number of rows, and the shape of a row.
        dtype: the dtype of the elements.
        stride: bytes from a row to the next.
    """

    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    stride: int


class RowFile(native.Owner):
    """A file with rows that is open. The core reads the rows by position.

    The file can be read even if its name is removed or replaced. It is closed when the object is deleted. A forked
    child inherits the open file, and a pickled copy opens the path again.

    Args:
        path: the path.
        mode: "r", or "r+" if rows can be updated.
        layout: the positions of the rows; None (default): the header of a .npy file has them, which NumPy reads.

    Attributes:
        path: the absolute path.
        writeable: whether rows can be updated.
        layout: the positions of the rows.

    Raises:
        OSError: the file cannot be opened.
        FormatError: it is no regular file, no .npy file, is too short for its rows, or has columns instead of rows.
        TypeError: its elements are objects, text or dates.
    """

    __slots__ = ("_headed", "_number", "layout", "path", "writeable")

    _drop, _generation = os.close, None  # also in a forked child, which inherits the open file

    def __init__(self, path: PathLike, mode: str, layout: Layout | None = None) -> None:
        self.path, self.writeable = os.path.abspath(path_text(path)), mode == "r+"
        self._number = npy.opened(self.path, MODES[mode])
        self.layout = layout or self._of_header()
        offset, shape, dtype, stride = self.layout
        last = offset + max(0, (shape[0] - 1) * stride)
        expected = last + math.prod(shape[1:]) * dtype.itemsize if shape[0] else offset
        size = os.fstat(self.descriptor).st_size
        if size < expected:
            raise FormatError(f"{self.path} has {size} bytes, but its rows end at byte {expected}: it is incomplete")
        self._headed = layout is None

    def _of_header(self) -> Layout:
        with io.FileIO(self.descriptor, closefd=False) as file:
            offset, shape, columns, dtype = npy.header(self.path, file)
        if dtype.hasobject or dtype.kind in "SUmM":
            raise TypeError(f"{self.path}: expected an array of numbers, got dtype {dtype}")
        if not shape:
            raise FormatError(f"{self.path}: expected an array with a row per vertex, got a single number")
        if columns and len(shape) > 1:
            raise FormatError(
                f"{self.path} is stored column by column, so its rows are not contiguous; "
                "write it again with np.save(path, np.ascontiguousarray(array))"
            )
        return Layout(offset, shape, dtype, math.prod(shape[1:]) * dtype.itemsize)

    def __reduce__(self) -> tuple[Callable[..., RowFile], tuple[Any, ...]]:
        return _reopened, (self.path, "r+" if self.writeable else "r", self.layout, self._headed)

    @property
    def descriptor(self) -> int:
        """The descriptor of the open file."""
        return self._number


def _reopened(path: str, mode: str, layout: Layout, headed: bool) -> RowFile:
    """The file of a pickled copy.

    Raises:
        FormatError: it has another header now.
    """
    if not headed:
        return RowFile(path, mode, layout)
    file = RowFile(path, mode)
    if file.layout != layout:
        found, expected = (f"shape {one.shape} and dtype {one.dtype}" for one in (file.layout, layout))
        raise FormatError(f"{path} was replaced: it has {found}, expected {expected}")
    return file


def of_mapped(array: Array) -> RowFile | None:
    """The file of an ``np.memmap`` or of a view of one.

    None if the array is no shared mapping of a file, or if the name of the file has another one now.

    Reads of the file return the same bytes, and report a file that was truncated. A read of the mapping would end the
    process if another library handles its signal, as ``faulthandler`` does.
    """
    root: Any = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    path = getattr(root, "filename", None)
    if not isinstance(root.base, mmap.mmap) or path is None or root.mode == "c" or not array.size:
        return None
    offset = root.offset + memory.address(array) - memory.address(root)
    layout = Layout(offset, array.shape, array.dtype, array.strides[0])
    try:
        file = RowFile(path, "r+" if array.flags.writeable else "r", layout)
        facts = os.fstat(file.descriptor)
        return file if mapped_inode(memory.address(root)) == facts.st_ino else None
    except (OSError, ValueError):
        return None


def mapped_inode(address: int) -> int:
    """The number of the file that is mapped at an address; 0 if there is none."""
    with open("/proc/self/maps") as lines:
        for line in lines:
            extent, _, _, _, inode, *_ = line.split()
            first, end = (int(number, 16) for number in extent.split("-"))
            if first <= address < end:
                return int(inode)
    return 0
