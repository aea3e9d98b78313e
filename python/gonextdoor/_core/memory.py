"""Arrays whose memory crosses to Go by address, and results in memory that Go owns.

Large results are lent from a pool, because the kernel zeroes fresh pages, which takes a large part of the time of a
large result.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from . import native

LEND_FROM = 4 << 20  # bytes; numpy allocates smaller results
BUFFER = 8192  # bytes of a buffer
KEPT = 8  # buffers that are kept for the next calls

Array = npt.NDArray[Any]


def address(array: Array) -> int:
    """The address of a contiguous array."""
    return int(array.__array_interface__["data"][0])


def described(array: Array) -> dict[str, Any]:
    """A contiguous array as the core reads it. It must live until the core has read it."""
    return {"address": address(array), "length": len(array), "dtype": array.dtype.name}


class Block(native.Owner):
    """Memory lent by Go, returned when the last array that views it is deleted."""

    __slots__ = ("__array_interface__", "__weakref__", "_drop", "_generation", "_number")

    def __init__(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._number, self._drop, self._generation = address, native.function("Return"), native.generation
        self.__array_interface__ = {"data": (address, False), "shape": shape, "typestr": dtype.str, "version": 3}


def wrap(address: int, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """An array over a lent block, which is returned when the array and its views are deleted."""
    if address == 0:
        return np.empty(shape, dtype)
    return np.asarray(Block(address, shape, np.dtype(dtype)))


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """An uninitialised array for a result.

    Raises:
        MemoryError: there is less memory than it needs; the text has both figures.
    """
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    if size < LEND_FROM:
        return np.empty(shape, dtype)
    return wrap(native.call("Lend", size), shape, dtype)


class Buffer:
    """Memory whose address is known, for the records of a call and for small arrays.

    Looking up the address of an array takes as long as a call into Go, so a finished call releases its buffer to a
    pool. A buffer that is not released, as after an error, is freed with its last reference.

    Attributes:
        bytes: the memory.
        int32, int64: arrays that share it.
        address: its address.
    """

    __slots__ = ("address", "bytes", "int32", "int64")

    def __init__(self) -> None:
        self.int64 = np.zeros(BUFFER // 8, np.int64)
        self.int32, self.bytes = self.int64.view(np.int32), self.int64.data.cast("B")
        self.address = address(self.int64)

    def release(self) -> None:
        """Returns the buffer to the pool; the caller must not use it afterwards."""
        if len(_buffers) < KEPT:
            _buffers.append(self)


_buffers: list[Buffer] = []  # not in use


def buffer() -> Buffer:
    """Returns a buffer of BUFFER bytes, whose contents are undefined. ``release`` returns it to the pool."""
    try:
        return _buffers.pop()
    except IndexError:  # all are in use
        return Buffer()


def check(size: int) -> None:
    """Raises an error if the given number of bytes is not available.

    Raises:
        MemoryError: there is less memory; the text has both figures.
    """
    if size >= 1 << 62:
        raise MemoryError(f"{size / 1e18:.1f} EB needed, more than any machine has")
    if size >= 64 << 20:
        native.call("CheckMemory", size)


class Shown:
    """Read-only memory that a Go object owns; the object lives as long as an array views it."""

    __slots__ = ("__array_interface__", "_owner")

    def __init__(self, owner: object, address: int, length: int, dtype: np.dtype[Any]) -> None:
        self._owner = owner
        self.__array_interface__ = {"data": (address, True), "shape": (length,), "typestr": dtype.str, "version": 3}


def show(owner: object, address: int, length: int, dtype: npt.DTypeLike) -> Array:
    """A read-only array over memory that belongs to owner."""
    if address == 0 or length == 0:
        nothing = np.empty(0, dtype)
        nothing.flags.writeable = False
        return nothing
    return np.asarray(Shown(owner, address, length, np.dtype(dtype)))
