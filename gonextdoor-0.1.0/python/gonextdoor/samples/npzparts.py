"""Arrays in an uncompressed .npz archive, written to and read from an open file with every length checked."""

from __future__ import annotations

import math
import zipfile
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from .._core import memory
from ..errors import FormatError

__all__ = ["read", "write"]

Array = npt.NDArray[Any]

PIECE = 8 << 20  # bytes read or written at a time, so that Ctrl-C is heard between them


def write(file: IO[bytes], arrays: dict[str, Array]) -> None:
    """Writes the arrays, each as NAME.npy."""
    # Not numpy.savez: its older versions leave the archive open at an error, whose finalizer then writes a traceback.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            array = np.ascontiguousarray(array)
            entry = zipfile.ZipInfo(f"{name}.npy")  # dated 1980: the same samples give the same bytes
            with archive.open(entry, "w", force_zip64=True) as out:
                np.lib.format.write_array_header_1_0(out, np.lib.format.header_data_from_array_1_0(array))
                raw = _bytes(array)
                for at in range(0, len(raw), PIECE):
                    out.write(raw[at : at + PIECE])


def read(file: IO[bytes]) -> dict[str, Array]:
    """Reads all arrays. Lengths that a header states must be those of the bytes that are there, so that a damaged file
    cannot ask for memory.

    Raises:
        FormatError: an entry is compressed, is no array, or has another length than it states.
        MemoryError: the arrays do not fit in memory.
    """
    size = file.seek(0, 2)
    arrays: dict[str, Array] = {}
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        if sum(entry.file_size for entry in entries) > size:
            raise FormatError("the file is damaged: its entries are longer than the file")
        for entry in entries:
            name = entry.filename.removesuffix(".npy")
            if entry.compress_type != zipfile.ZIP_STORED or entry.filename == name or name in arrays:
                raise FormatError(f"entry {entry.filename!r}: expected one uncompressed .npy array of each name")
            arrays[name] = _array(archive, entry)
    return arrays


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Array:
    with archive.open(entry) as source:
        if np.lib.format.read_magic(source) != (1, 0):
            raise FormatError(f"entry {entry.filename!r}: expected a .npy array of version 1.0")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(source)
        length = math.prod(shape) * dtype.itemsize
        if fortran or dtype.kind not in "iuf" or source.tell() + length != entry.file_size:
            raise FormatError(f"entry {entry.filename!r}: its header does not fit its {entry.file_size} bytes")
        array = memory.empty(shape, dtype)
        raw, at = _bytes(array), 0
        while at < length:
            piece = source.read(min(PIECE, length - at))
            if not piece:
                raise FormatError(f"entry {entry.filename!r} ends early")
            raw[at : at + len(piece)] = piece
            at += len(piece)
        if source.read(1):  # reaches the end, where zipfile compares the checksum
            raise FormatError(f"entry {entry.filename!r} is longer than its array")
    return array


def _bytes(array: Array) -> memoryview:
    """The memory of a contiguous array."""
    return array.reshape(-1).view(np.uint8).data
