"""gnd.read: graphs from files."""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from . import _running
from .arguments import PathLike, path_text
from .convert import from_columns, from_scipy
from .errors import FormatError
from .graph import Graph

__all__ = ["read"]

FORMATS = ("text", "csv", "tsv", "mtx", "parquet", "npz", "folder")
# The names that the core knows in csv files too.
SOURCES = ("source", "src", "from", "u")
TARGETS = ("target", "dst", "to", "v")
WEIGHTS = ("weight", "weights", "w", "value")


def read(
    path: PathLike,
    *,
    format: str | None = None,
    symmetric: bool = False,
    weighted: bool | Literal["auto"] = "auto",
    progress: bool | None = None,
) -> Graph:
    """Reads a graph from a file, or from a folder that ``Graph.save`` wrote.

    Args:
        path: SNAP text (two columns, ``#`` comments), csv or tsv, Matrix Market, each also as .gz or .zst; a Parquet
            table (pyarrow), a SciPy sparse matrix in .npz (scipy), or a folder.
        format: "text", "csv", "tsv", "mtx", "parquet", "npz" or "folder"; None: by the name, then by the content.
        symmetric: hold every edge in both directions; a folder is refused, since its graph is used as it was saved.
        weighted: True: read weights, and refuse a file without; False: leave them; "auto": where there is one more
            column of numbers, or one that is named as weights are.
        progress: whether to show a bar; None: when interactive and it takes over a second.

    Vertices that are text, or integers other than 0 ... n-1, are numbered, and kept as ``graph.vertex_names``.

    Raises:
        OSError: the file cannot be read.
        FormatError: it is not what it should be; the text has the line's number.
        ImportError: the package that reads the format is missing.
        TypeError, ValueError: an argument is of the wrong type or value.
    """
    text = path_text(path)
    if format is not None and format not in FORMATS:
        raise ValueError(f"format = {format!r}: expected one of {', '.join(FORMATS)}, or None")
    if not isinstance(symmetric, (bool, np.bool_)):
        raise TypeError(f"symmetric = {symmetric!r}: expected True or False")
    if not (weighted is True or weighted is False or weighted == "auto"):
        raise TypeError(f'weighted = {weighted!r}: expected "auto", True or False')
    if format is None:
        format = _format(text)
    if format == "parquet":
        return _parquet(text, symmetric, weighted)
    if format == "npz":
        return _npz(text, symmetric, weighted)
    status = os.stat(text)
    size = status.st_size
    # A pipe has no size and may keep us waiting: beside the interpreter, which hears Ctrl-C.
    seconds = 2e-8 * size if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) else math.inf
    spec = {
        "path": text,
        "format": format or "",
        "symmetric": bool(symmetric),
        "weighted": weighted if isinstance(weighted, str) else "required" if weighted else "ignored",
    }
    number = _running.call(
        "GraphRead", json.dumps(spec), seconds=seconds, total=size or None, progress=progress, label="reading"
    )
    as_saved = weighted == "auto" and stat.S_ISDIR(status.st_mode)
    return Graph._of(number, text if as_saved else None)


def _format(path: str) -> str | None:
    """The format by the name; None: the core finds it out."""
    if os.path.isdir(path):
        return "folder"
    return {".parquet": "parquet", ".pq": "parquet", ".npz": "npz"}.get(os.path.splitext(path)[1].lower())


def _npz(path: str, symmetric: bool, weighted: Any) -> Graph:
    try:
        from scipy import sparse
    except ImportError as missing:
        raise ImportError("reading .npz needs scipy: pip install 'gonextdoor[scipy]'") from missing
    try:
        matrix = sparse.load_npz(path)
    except OSError:
        raise
    except Exception as error:
        raise FormatError(f"{path}: not a sparse matrix as scipy.sparse.save_npz writes it: {error}") from error
    with _contents(path):
        return _of_matrix(matrix, symmetric, weighted)


@contextlib.contextmanager
def _contents(path: str) -> Iterator[None]:
    """A refusal of what a file holds is one of the file."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise FormatError(f"{path}: {error}") from error


def _of_matrix(matrix: Any, symmetric: bool, weighted: Any) -> Graph:
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"expected a square matrix, got shape {matrix.shape}")
    if weighted == "auto" and not symmetric:
        return from_scipy(matrix)
    entries = matrix.tocoo()
    weights = entries.data
    if weighted is False or (weighted == "auto" and (weights.dtype.kind == "b" or bool((weights == 1).all()))):
        weights = None
    elif weights.dtype.kind == "b":
        weights = weights.astype(np.uint8)
    return Graph.from_edges(
        entries.row, entries.col, weights=weights, num_vertices=matrix.shape[0], symmetric=bool(symmetric)
    )


def _parquet(path: str, symmetric: bool, weighted: Any) -> Graph:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as missing:
        raise ImportError("reading Parquet needs pyarrow: pip install 'gonextdoor[parquet]'") from missing
    try:
        os.stat(path)  # its own error has a number, unlike that of pyarrow
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FormatError(f"{path}: {str(error).strip()}") from error
    columns = table.column_names
    if len(columns) < 2:
        raise FormatError(f"{path}: its columns are {columns}; expected two of vertices")
    source, target = _named(columns, SOURCES), _named(columns, TARGETS)
    if source is None or target is None:
        source, target = columns[0], columns[1]
    weight = _named(columns, WEIGHTS)
    if weight is None and len(columns) == 3:
        weight = next(name for name in columns if name not in (source, target))
        if weighted == "auto" and not _is_number(pyarrow, table.schema.field(weight).type):
            weight = None
    if weighted is True and weight is None:
        raise ValueError(f"weighted = True: {path} has the columns {columns}, none of weights")
    src, dst = (table.column(name).to_numpy() for name in (source, target))
    weights = None if weighted is False or weight is None else table.column(weight).to_numpy()
    with _contents(path):
        return from_columns(src, dst, weights, symmetric=bool(symmetric), names=(source, target))


def _named(columns: list[str], names: tuple[str, ...]) -> str | None:
    return next((column for column in columns if column.lower() in names), None)


def _is_number(pyarrow: Any, kind: Any) -> bool:
    return bool(pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind))
