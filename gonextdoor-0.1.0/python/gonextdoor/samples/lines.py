"""Samples as lines of text, written by the core."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO, TYPE_CHECKING

from .._core import memory, running
from .._core.atomic import replacing
from .._core.costs import costs
from .arrays import SampleArrays

if TYPE_CHECKING:
    from .._core.arguments import PathLike

__all__ = ["to_linesentence", "write"]

CODECS = {".gz": "gzip", ".zst": "zstd"}


def to_linesentence(samples: SampleArrays, path: PathLike) -> None:
    """Writes one line per sample, the original vertex names separated by single spaces: gensim's LineSentence format.

    Missing vertices are omitted. A name that ends in .gz or .zst is compressed; the file is written by several threads,
    and the same samples always give the same bytes. The file appears when it is complete.

    Raises:
        ValueError: a vertex name is empty or contains white space, so that a line could not be read back.
        OSError: the file cannot be written.
    """
    with replacing(path) as file:
        write(samples, file, CODECS.get(Path(path).suffix.lower(), ""))


def write(samples: SampleArrays, file: IO[bytes], codec: str = "") -> None:
    """Writes the lines to an open file that has a descriptor; codec is "gzip", "zstd" or "" (not compressed)."""
    file.flush()
    ragged = samples.ragged
    values = samples.values if ragged else samples.numpy()
    offsets = samples.offsets if ragged else None
    names = samples._name_table()
    ints, text, ends = (None, None, None) if names is None else (names.ints, names.text, names.offsets)
    each = {"": costs().line_vertex, "gzip": costs().gzip_vertex, "zstd": costs().zstd_vertex}
    seconds = each[codec] * values.size
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        seconds += 1.0  # a pipe may block for any time: Ctrl-C must end the call
    try:
        running.call(
            "WriteLines",
            file.fileno(),
            codec,
            memory.address(values),
            values.itemsize,
            values.size,
            0 if offsets is None else memory.address(offsets),
            len(samples),
            0 if ragged else values.shape[1],
            0 if ints is None else memory.address(ints),
            0 if text is None else memory.address(text),
            0 if text is None else text.size,
            0 if ends is None else memory.address(ends),
            0 if names is None else len(names),
            0,
            seconds=seconds,
            total=values.size,
            label="writing",
        )
    except OSError as error:
        number = error.errno or 0
        raise OSError(number, os.strerror(number)) from None  # Go's texts are in lower case
