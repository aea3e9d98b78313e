"""Single samples and selections of samples: ``samples[i]``, iteration, names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core import memory
from . import export
from .arrays import SampleArrays
from .layers import place, spread

__all__ = ["contains", "iterate", "named", "one", "select"]

Array = npt.NDArray[Any]


def select(samples: SampleArrays, key: Any) -> Array:
    """``samples[key]``: one sample without padding for an int, rows of ``samples.numpy()`` for a slice or an array."""
    if isinstance(key, slice):
        return _rows(samples, np.arange(*key.indices(len(samples))), key)
    if isinstance(key, (tuple, str, bytes, bool, np.bool_)) or key is None or key is Ellipsis:
        raise TypeError(
            f"samples[{key!r}]: expected an int, a slice or a 1-D array of rows; "
            "index samples.numpy() for single vertices"
        )
    if isinstance(key, (list, np.ndarray)) and np.ndim(key):
        return _rows(samples, _numbers(samples, key), None)
    return one(samples, key)


def one(samples: SampleArrays, sample: SupportsIndex) -> Array:
    """The vertices of one sample, roots first; missing vertices are omitted."""
    row = place("sample", sample, len(samples))
    if samples.ragged:
        offsets = samples.offsets
        vertices: Array = samples.values[offsets[row] : offsets[row + 1]]
        return vertices
    vertices = samples.numpy()[row]
    there = vertices >= 0
    return vertices if there.all() else vertices[there]


def iterate(samples: SampleArrays) -> Iterator[Array]:
    """The samples in order, each as ``one`` returns it."""
    for first, end in export.spans(samples):
        part = export.piece(samples, first, end, gaps=False)
        for a, b in pairwise(part.offsets.tolist()):
            yield part.vertices[a:b]


def contains(samples: SampleArrays, walk: Any) -> bool:
    """Whether one of the samples has exactly these vertices."""
    wanted = np.asarray(walk)
    if wanted.ndim != 1 or (wanted.size and wanted.dtype.kind not in "iu"):
        raise TypeError(f"{walk!r} in samples: expected the vertices of one sample, a 1-D array of ints")
    for row in np.flatnonzero(samples.lengths == len(wanted)).tolist():
        if np.array_equal(one(samples, row), wanted):
            return True
    return False


def named(samples: SampleArrays, sample: SupportsIndex | None) -> Any:
    """The original names of one sample's vertices, or of all samples'."""
    vertices = samples.numpy() if sample is None else one(samples, sample)
    names = samples.vertex_names
    missing = vertices < 0
    if names is None:
        found = vertices.astype(np.int64)
    elif names.dtype.kind != "O":
        found = np.full(vertices.shape, -1, np.int64)
        found[~missing] = names[vertices[~missing]]
    else:
        text = np.empty(vertices.shape, object)  # None if nothing else is assigned
        text[~missing] = names[vertices[~missing]]
        return text
    return np.ma.MaskedArray(found, mask=missing, fill_value=-1) if sample is None else found


def _numbers(samples: SampleArrays, key: Any) -> Array:
    """The rows that an array of ints or a mask selects."""
    rows, n = np.asarray(key), len(samples)
    if rows.ndim != 1:
        raise IndexError(f"samples[...]: expected a 1-D array of rows, got shape {rows.shape}")
    if rows.dtype.kind == "b":
        if len(rows) != n:
            raise IndexError(f"samples[mask]: the mask has {len(rows)} elements, but there are {n} samples")
        return np.flatnonzero(rows)
    if not rows.size and not isinstance(key, np.ndarray):
        return np.empty(0, np.int64)
    if rows.dtype.kind not in "iu":
        raise TypeError(f"samples[...]: expected rows as ints or a mask of bools, got {rows.dtype}")
    wrong = np.flatnonzero((rows >= n) | (rows < -n if rows.dtype.kind == "i" else False))
    if len(wrong):
        raise IndexError(f"samples[...]: row {rows[wrong[0]]} is out of range: there are {n} samples")
    numbers = rows.astype(np.int64)
    return np.where(numbers < 0, numbers + n, numbers)


def _rows(samples: SampleArrays, numbers: Array, part: slice | None) -> Array:
    """Rows of ``samples.numpy()``; of samples that differ in length, only these are padded."""
    if not samples.ragged or samples._matrix is not None:
        return samples.numpy()[numbers if part is None else part]
    lengths, width = samples.lengths[numbers], int(samples.lengths.max(initial=samples._roots))
    memory.check(len(numbers) * width * samples._dtype.itemsize)
    out = np.full((len(numbers), width), -1, samples._dtype)
    out[np.arange(width) < lengths[:, None]] = samples.values[spread(samples.offsets[:-1][numbers], lengths)]
    return out
