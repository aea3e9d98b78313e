"""Regular files, and arrays in NumPy's .npy format.

The files may be anything: a pipe, which would be waited for, or a header that names more than there is. Each is checked
before memory is taken.
"""

from __future__ import annotations

import errno
import io
import math
import os
import stat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from . import memory
from .arguments import PathLike, path_text

__all__ = ["Header", "header", "load", "opened"]

MOST_DIMENSIONS = 32  # of all versions of NumPy


class Header(NamedTuple):
    """The header of a .npy file.

    Attributes:
        offset: the offset of the first element.
        shape: of the array.
        columns: whether it is stored column by column.
        dtype: of its elements.
    """

    offset: int
    shape: tuple[int, ...]
    columns: bool
    dtype: np.dtype[Any]


def opened(path: PathLike, flags: int = os.O_RDONLY) -> int:
    """The descriptor of a regular file. Named pipes and devices are refused without waiting for them.

    Raises:
        OSError: it cannot be opened, or is a folder.
        FormatError: it is no regular file.
    """
    text = path_text(path)
    descriptor = os.open(text, flags | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), text)
        if not stat.S_ISREG(mode):
            kind = "a named pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
            raise FormatError(f"{text} is {kind}: expected a regular file")
        os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def header(path: PathLike, file: Any) -> Header:
    """Reads the header of an open file, whose position is then that of the first element.

    Raises:
        FormatError: it is no .npy file, or no array can have its shape.
    """
    form, text = np.lib.format, os.fsdecode(path)
    try:
        version = form.read_magic(file)
        if version == (1, 0):
            shape, columns, dtype = form.read_array_header_1_0(file)
        elif version == (2, 0):
            shape, columns, dtype = form.read_array_header_2_0(file)
        else:
            raise FormatError(f"{text}: expected version 1.0 or 2.0 of the .npy format, got {version}")
    except (OSError, FormatError):
        raise
    except Exception as error:  # the parser of headers raises many types
        what = str(error).partition("\n")[0][:200] or type(error).__name__
        raise FormatError(f"{text}: expected a file in NumPy's .npy format, such as np.save writes ({what})") from None
    shape = tuple(int(n) for n in shape)
    size = math.prod(max(n, 1) for n in shape) * max(dtype.itemsize, 1)
    if len(shape) > MOST_DIMENSIONS or any(n < 0 for n in shape) or size >= 1 << 63 or dtype.subdtype is not None:
        shown = f"{shape}" if len(shape) <= MOST_DIMENSIONS else f"of {len(shape)} dimensions"
        raise FormatError(f"{text}: expected an array that NumPy can have, got shape {shown} and dtype {dtype}")
    return Header(file.tell(), shape, columns, dtype)


def load(path: PathLike, *, mapped: bool = False) -> npt.NDArray[Any]:
    """The array of a .npy file; mapped: read-only, and not read before it is used.

    Raises:
        OSError: the file cannot be read.
        FormatError: it is no regular file, no .npy file, has Python objects, or is incomplete.
        MemoryError: the array does not fit in memory.
    """
    text = os.fsdecode(path)
    with io.FileIO(opened(path)) as file:
        offset, shape, columns, dtype = header(path, file)
        if dtype.hasobject:
            raise FormatError(f"{text}: expected an array of numbers or text, got dtype {dtype}")
        size, end = os.fstat(file.fileno()).st_size, offset + math.prod(shape) * dtype.itemsize
        if size < end:
            raise FormatError(f"{text} has {size} bytes, but its array ends at byte {end}: it is incomplete")
        with open(file.fileno(), "rb", closefd=False) as buffered:
            if mapped and end > offset:
                order: Any = "F" if columns else "C"
                return np.asarray(np.memmap(buffered, dtype, "r", offset, shape, order))
            memory.check(end - offset)
            buffered.seek(0)
            found: npt.NDArray[Any] = np.lib.format.read_array(buffered, allow_pickle=False)
    return found
