"""open: features of arrays and tensors."""

from __future__ import annotations

from typing import Any

from .._core.arguments import checked_threads
from .parts import Part, part_of
from .store import Features

__all__ = ["open"]


def open(source: Any, *, threads: int | None = None) -> Features:
    """Features of an array or tensor, or of a list of them. Nothing is copied.

    Args:
        source: an array with a row per vertex: of NumPy or torch, or another with ``__array__``. A list of arrays has
            the rows of all of them, in their order.
        threads: CPU threads of a read; None (default): one per core that this process may use.

    Raises:
        TypeError: the source is nothing that has rows of numbers, or its parts differ in dtype.
        ValueError: its parts differ in the shape of a row, or rows are not contiguous.

    Examples:
        >>> import numpy as np
        >>> x = gnd.features.open(np.arange(6.0).reshape(3, 2))
        >>> x[[2, 0]]
        array([[4., 5.],
               [0., 1.]])
    """
    return Features(_parts(source), source, checked_threads(threads))


def _parts(source: Any) -> list[Part]:
    if not isinstance(source, (list, tuple)):
        return [part_of("source", source)]
    if not source:
        raise ValueError("source is empty: expected at least one array")
    parts = [part_of(f"source[{i}]", one) for i, one in enumerate(source)]
    for i, part in enumerate(parts):
        if part.elements != parts[0].elements:
            raise TypeError(f"source[{i}] has dtype {part.elements.dtype}, source[0] {parts[0].elements.dtype}")
        if part.shape != parts[0].shape:
            raise ValueError(f"source[{i}] has rows of shape {part.shape}, source[0] of {parts[0].shape}")
    return parts
