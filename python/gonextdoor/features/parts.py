"""Part: consecutive rows of features in one place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core import memory
from .elements import Elements, array_of

__all__ = ["Part", "part_of"]


class Part(NamedTuple):
    """Consecutive rows in one place.

    Attributes:
        owner: the object that keeps the memory.
        rows: the number of rows.
        shape: the shape of a row.
        elements: its elements.
        address: the address of the first row.
        stride: bytes from a row to the next.
        writeable: whether rows can be updated.
    """

    owner: Any
    rows: int
    shape: tuple[int, ...]
    elements: Elements
    address: int
    stride: int
    writeable: bool

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.elements.stored.itemsize


def part_of(name: str, source: Any) -> Part:
    """The part of an array or tensor. It copies nothing.

    Raises:
        TypeError: it is nothing that has rows of numbers.
        ValueError: its rows are not contiguous.
    """
    array, elements = array_of(name, source)
    if array.ndim == 0:
        raise TypeError(f"{name}: expected an array with a row per vertex, got {type(source).__name__}")
    if array.size and not array[0].flags.c_contiguous:
        raise ValueError(
            f"{name}: expected contiguous rows, got an array of shape {array.shape} with strides {array.strides}; "
            f"pass np.ascontiguousarray({name}), which copies it"
        )
    return Part(
        array,
        len(array),
        array.shape[1:],
        elements,
        memory.address(array),
        array.strides[0],
        bool(array.flags.writeable),
    )
