"""Checks of SciPy's sparse matrices before SciPy converts them: its C++ conversions do not check indices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory

__all__ = ["checked", "load"]

Array = npt.NDArray[Any]
MOST = (1 << 32) - 2  # vertices of a graph
_LARGE = 64 << 20  # bytes; if a smaller file does not fit in memory, its headers are damaged


def load(file: Any) -> Any:
    """The matrix of a file that ``scipy.sparse.save_npz`` wrote, checked in full.

    Args:
        file: the .npz file as ``numpy.load`` opens it.

    Returns:
        A SciPy sparse matrix that can be converted.

    Raises:
        OSError: the file cannot be read.
        MemoryError: its arrays do not fit into memory.
        ValueError, TypeError: it is no such file, or an index is out of range; the text names array, index and value.
        ImportError: scipy is missing.
    """
    size = sum(entry.file_size for entry in file.zip.infolist())
    memory.check(size)
    try:
        if "format" not in file.files or "shape" not in file.files:
            raise ValueError(f"expected the entries format and shape, got {', '.join(map(repr, file.files))}")
        kind = file["format"].item()
        shape = file["shape"]
        if shape.dtype.kind not in "iu" or shape.shape != (2,):
            raise ValueError(f"shape = {shape.tolist()!r}: expected two integers")
        kind = kind.decode("ascii") if isinstance(kind, bytes) else kind
        if kind not in _CHECKS:
            raise ValueError(f"format = {kind!r}: expected one of {', '.join(_CHECKS)}")
        names = _ARRAYS[kind]
        if kind == "coo" and "coords" in file.files:
            coords = file["coords"]
            if coords.ndim != 2 or len(coords) != 2:
                raise ValueError(f"coords: expected shape (2, n), got {coords.shape}")
            arrays = {"row": coords[0], "col": coords[1], "data": file["data"]}
        else:
            missing = [name for name in names if name not in file.files]
            if missing:
                raise ValueError(f"the entry {missing[0]!r} is missing, which the format {kind} has")
            arrays = {name: file[name] for name in names}
    except MemoryError as error:
        if size < _LARGE:  # a header that states more bytes than its entry has
            raise ValueError(f"an array of it is damaged: {error}") from error
        raise
    except (OSError, TypeError, ValueError):
        raise
    except Exception as error:  # of zipfile, zlib and numpy's parser, which reads hostile headers
        raise ValueError(f"not a sparse matrix as scipy.sparse.save_npz writes it: {error}") from error
    return _CHECKS[kind](int(shape[0]), int(shape[1]), arrays)


def checked(matrix: Any) -> Any:
    """The same matrix after a full check, with copies of its indices that no other thread can write to.

    Args:
        matrix: a SciPy sparse matrix or array of rank 2, in any format.

    Returns:
        A matrix in the same format, or in COO if it was in one of the formats for construction (DOK, LIL).

    Raises:
        TypeError, ValueError: an index is out of range, or arrays do not fit together.
    """
    kind = matrix.format
    if kind not in _CHECKS:
        matrix, kind = matrix.tocoo(), "coo"
    arrays = {name: np.array(getattr(matrix, name)) for name in _ARRAYS[kind] if name != "data"}
    rows, columns = matrix.shape
    return _CHECKS[kind](int(rows), int(columns), arrays | {"data": matrix.data})


def _csr(rows: int, columns: int, arrays: Mapping[str, Array]) -> Any:
    from scipy import sparse

    return sparse.csr_matrix(_compressed(rows, columns, arrays), shape=(rows, columns))


def _csc(rows: int, columns: int, arrays: Mapping[str, Array]) -> Any:
    from scipy import sparse

    return sparse.csc_matrix(_compressed(columns, rows, arrays), shape=(rows, columns))


def _bsr(rows: int, columns: int, arrays: Mapping[str, Array]) -> Any:
    from scipy import sparse

    _check_shape(rows, columns)
    data = arrays["data"]
    if data.ndim != 3 or 0 in data.shape[1:]:
        raise ValueError(f"data: expected shape (blocks, rows, columns) of non-empty blocks, got {data.shape}")
    height, width = data.shape[1:]
    if rows % height or columns % width:
        raise ValueError(f"data: blocks of {height} x {width} do not divide the shape ({rows}, {columns})")
    data, indices, indptr = _compressed(rows // height, columns // width, arrays)
    return sparse.bsr_matrix((data, indices, indptr), shape=(rows, columns), blocksize=(height, width))


def _coo(rows: int, columns: int, arrays: Mapping[str, Array]) -> Any:
    from scipy import sparse

    _check_shape(rows, columns)
    data = arrays["data"]
    _check_numbers(data)
    if data.ndim != 1:
        raise ValueError(f"data: expected shape (n,), got {data.shape}")
    for name, end in (("row", rows), ("col", columns)):
        _check_indices(name, arrays[name], end)
        if len(arrays[name]) != len(data):
            raise ValueError(f"{name} has {len(arrays[name])} elements: expected {len(data)}, as data has")
    return sparse.coo_matrix((data, (arrays["row"], arrays["col"])), shape=(rows, columns))


def _dia(rows: int, columns: int, arrays: Mapping[str, Array]) -> Any:
    from scipy import sparse

    _check_shape(rows, columns)
    data, offsets = arrays["data"], arrays["offsets"]
    _check_numbers(data)
    _check_integers("offsets", offsets)
    if data.ndim != 2 or len(data) != len(offsets):
        raise ValueError(f"data: expected shape ({len(offsets)}, n), one row per offset, got {data.shape}")
    if len(np.unique(offsets)) != len(offsets):
        raise ValueError("offsets: a diagonal occurs twice")
    inside = (offsets < columns) & (offsets > -rows) if offsets.dtype.kind == "i" else offsets < columns
    data, offsets = data[inside], offsets[inside].astype(np.int64)
    memory.check(3 * 8 * data.size)
    return sparse.dia_matrix((data[:, :columns], offsets), shape=(rows, columns))


_ARRAYS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}
_CHECKS: dict[str, Callable[[int, int, Mapping[str, Array]], Any]] = {
    "csr": _csr,
    "csc": _csc,
    "bsr": _bsr,
    "coo": _coo,
    "dia": _dia,
}


def _compressed(rows: int, columns: int, arrays: Mapping[str, Array]) -> tuple[Array, Array, Array]:
    """data, indices and indptr, if they are valid compressed rows."""
    _check_shape(rows, columns)
    data, indices, indptr = arrays["data"], arrays["indices"], arrays["indptr"]
    if not data.ndim:
        raise ValueError("data: expected an array, got a number")
    _check_numbers(data)
    _check_integers("indptr", indptr)
    if len(indptr) != rows + 1:
        raise ValueError(f"indptr has {len(indptr)} elements: expected {rows + 1}, one more than there are rows")
    if int(indptr[0]) != 0:
        raise ValueError(f"indptr[0] = {indptr[0]}: expected 0")
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if falls.size:
        at = int(falls[0])
        raise ValueError(
            f"indptr[{at + 1}] = {indptr[at + 1]} after indptr[{at}] = {indptr[at]}: "
            "expected offsets that do not decrease"
        )
    end = int(indptr[-1])
    _check_integers("indices", indices)
    for name, array in (("indices", indices), ("data", data)):
        if len(array) < end:
            raise ValueError(f"indptr[{rows}] = {end}, its last element: {name} has only {len(array)} elements")
    _check_indices("indices", indices[:end], columns)
    return data[:end], indices[:end], indptr


def _check_shape(rows: int, columns: int) -> None:
    if rows < 0 or columns < 0:
        raise ValueError(f"shape = ({rows}, {columns}): expected sizes that are not negative")
    if max(rows, columns) > MOST:
        raise ValueError(f"shape = ({rows}, {columns}): expected at most 2^32 - 2 vertices")
    memory.check(16 * max(rows, columns))


def _check_indices(name: str, array: Array, end: int) -> None:
    _check_integers(name, array)
    wrong = np.flatnonzero((array < 0) | (array >= end) if array.dtype.kind == "i" else array >= end)
    if wrong.size:
        at = int(wrong[0])
        raise ValueError(f"{name}[{at}] = {array[at]}: expected from 0 to below {end}")


def _check_numbers(data: Array) -> None:
    if data.dtype.kind not in "biuf" or data.dtype.itemsize > 8 or data.dtype == np.float16:
        raise TypeError(f"data: dtype {data.dtype}, expected non-negative numbers: integers, float32, float64 or bool")


def _check_integers(name: str, array: Array) -> None:
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: dtype {array.dtype}, expected integers")
    if array.ndim != 1:
        raise ValueError(f"{name}: expected shape (n,), got {array.shape}")
