"""read: graphs from files."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import stat
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .._core import memory, running
from .._core.arguments import PathLike, path_text
from .._core.costs import costs
from .._core.log import logger
from ..errors import FormatError, warn
from . import columns
from .arrow import ArrowTable
from .columns import ColumnChoice, WeightChoice
from .edgelist import from_columns
from .graph import Graph
from .tables import from_table

__all__ = ["read"]

FORMATS = ("text", "csv", "tsv", "mtx", "parquet", "npz", "folder")
ENTRY = ["row", "column", "value"]  # names of a sparse matrix's columns, as in Matrix Market files

Array = npt.NDArray[Any]


def read(
    path: PathLike,
    *,
    format: str | None = None,
    source: ColumnChoice = None,
    target: ColumnChoice = None,
    weight: WeightChoice = "auto",
    time: ColumnChoice = None,
    label: ColumnChoice = None,
    header: bool | Literal["auto"] = "auto",
    symmetric: bool | Literal["auto"] = "auto",
    progress: bool | None = None,
) -> Graph:
    """Reads a graph from a file, or from a folder that ``Graph.save`` wrote.

    ``graph.source`` lists the decisions that were made. Ambiguous input is reported by an ``InputWarning``. Ids that
    are text, or integers other than 0 ... V-1, are numbered, and kept as ``graph.vertex_names``.

    Args:
        path: SNAP text (columns separated by blanks, ``#`` or ``%`` comments), csv, tsv or Matrix Market, each also as
            .gz or .zst; a Parquet table (needs pyarrow); a sparse matrix written by ``scipy.sparse.save_npz`` (needs
            SciPy) or columns written by ``numpy.savez``; or a folder.
        format: "text", "csv", "tsv", "mtx", "parquet", "npz" or "folder"; None (default) detects it by the name, then
            by the content.
        source: the column of the vertices that the edges leave, by name or by number from 0; None (default): a column
            with a known name, such as ``source`` or ``node1``, or else the first.
        target: the column of the vertices that the edges lead to, by name or number; None (default): a column with a
            known name, such as ``target`` or ``node2``, or else the second.
        weight: the column of weights, by name or number; "auto" (default) reads weights if a column has a known name,
            such as ``weight``, or is the only one left and holds numbers; True requires weights; False or None ignores
            them.
        time: the column of edge times (64-bit integers), by name or number; None (default) reads a column with a known
            name, such as ``timestamp``; False ignores it.
        label: the column of edge labels (32-bit integers), by name or number; None (default) reads a column with a
            known name, such as ``type``; False ignores it.
        header: whether the first line of text names the columns; "auto" (default) detects it.
        symmetric: whether each edge is read in both directions; "auto" (default): if the file says that it is
            undirected (a comment such as ``# Undirected graph``, or Matrix Market's ``symmetric``) and does not list
            both directions already. A folder is used as it was saved.
        progress: whether to show a progress bar; None (default): in interactive use, if reading takes over a second.

    Returns:
        The graph. The id of an edge is its position in the file.

    Raises:
        OSError: the file cannot be read.
        FormatError: the file is not of the expected format, or does not have a chosen column; the text has the line's
            number.
        ImportError: the package that reads the format is missing.
        TypeError: an argument is of the wrong type.
        ValueError: an argument has a value that is not allowed.

    Examples:
        >>> with open("visits.csv", "w") as file:
        ...     _ = file.write("user,page,seen\\n1,2,100\\n2,3,110\\n")
        >>> graph = gnd.read("visits.csv", source="user", target="page", time="seen")
        >>> graph
        Graph(num_vertices=3, num_edges=2)
        >>> graph.source
        "visits.csv: columns user -> page, time 'seen'; header recognised; symmetric=False"
    """
    text = _path(path)
    if format is not None and format not in FORMATS:
        raise ValueError(f"format = {format!r}: expected one of {', '.join(FORMATS)}, or None")
    chosen = {"source": source, "target": target, "weight": weight, "time": time, "label": label}
    spec = {"columns": columns.choices(**chosen)}
    answers = {"header": _answer("header", header), "symmetric": _answer("symmetric", symmetric)}
    if format is None:
        format = _format(text)
    if format in ("parquet", "npz"):
        if answers["header"]:
            raise ValueError(f"header = {header!r}: a file of format {format!r} has no header line; leave it out")
        read_columns = _parquet if format == "parquet" else _npz
        return _named(read_columns(text, chosen, answers["symmetric"] == "yes"), text)
    status = os.stat(text)
    size = status.st_size
    # A pipe has no size and may block at any time: the expected time is infinite, so that Ctrl-C can interrupt it.
    seconds = costs().read_byte * size if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) else math.inf
    made = running.call(
        "GraphRead",
        json.dumps(spec | answers | {"path": text, "format": format or ""}),
        seconds=seconds,
        total=size or None,
        progress=progress,
        label="reading",
    )
    found = json.loads(made)
    as_saved = weight == "auto" and time is None and label is None and stat.S_ISDIR(status.st_mode)
    graph = Graph._of(found["graph"], text if as_saved else None)
    graph._source = found["source"]
    logger.debug("read %s", graph._source)
    for warning in found["warnings"]:
        warn(warning)
    return graph


def _path(path: PathLike) -> str:
    """The path as text; refuses URLs."""
    text = path_text(path)
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text) and not os.path.exists(text):
        raise ValueError(
            f"path = {text!r}: read takes a file on this machine; download it first, for example with "
            "urllib.request.urlretrieve or curl -LO"
        )
    return text


def _answer(name: str, value: Any) -> str:
    if isinstance(value, str) and value == "auto":
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    raise TypeError(f'{name} = {value!r}: expected "auto", True or False')


def _format(path: str) -> str | None:
    """The format by the name; None: the core detects it."""
    if os.path.isdir(path):
        return "folder"
    return {".parquet": "parquet", ".pq": "parquet", ".npz": "npz"}.get(os.path.splitext(path)[1].lower())


def _named(graph: Graph, path: str) -> Graph:
    """The graph, with the file's name before its description."""
    graph._source = f"{os.path.basename(path)}: {graph._source}"
    logger.debug("read %s", graph._source)
    return graph


@contextlib.contextmanager
def _contents(path: str) -> Iterator[None]:
    """Turns errors of the contents into FormatErrors with the file's name."""
    try:
        yield
    except FormatError:
        raise
    except (TypeError, ValueError) as error:
        raise FormatError(f"{path}: {error}") from error


def _npz(path: str, chosen: dict[str, Any], symmetric: bool) -> Graph:
    """The graph of an .npz file: of a sparse matrix of SciPy's, by the names of its arrays, or of columns."""
    with _archive(path) as file:
        names = list(file.files)
        found = _matrix(path, file) if "format" in names or "indptr" in names else _arrays(file)
    with _contents(path):
        return _of_matrix(found, chosen, symmetric) if hasattr(found, "tocoo") else _of_arrays(found, chosen, symmetric)


def _matrix(path: str, file: Any) -> Any:
    """The sparse matrix of an open .npz file."""
    try:
        import scipy.sparse  # noqa: F401
    except ImportError as missing:
        raise ImportError("reading .npz needs scipy: pip install 'gonextdoor[scipy]'") from missing
    from . import sparse

    with _contents(path):
        return sparse.load(file)


def _arrays(file: Any) -> dict[str, Array]:
    """The arrays of an open .npz file."""
    memory.check(sum(entry.file_size for entry in file.zip.infolist()))
    return {name: file[name] for name in file.files}


@contextlib.contextmanager
def _archive(path: str) -> Iterator[Any]:
    try:
        file = np.load(path, allow_pickle=False)
        if not hasattr(file, "files"):
            raise FormatError(f"{path}: a single numpy array; expected a sparse matrix or columns")
        with file:
            yield file
    except (OSError, MemoryError, ImportError, FormatError):
        raise
    except Exception as error:  # zipfile and zlib raise many types
        raise FormatError(f"{path}: not an .npz file of a sparse matrix or of columns: {error}") from error


def _of_matrix(matrix: Any, chosen: dict[str, Any], symmetric: bool) -> Graph:
    """The graph of a sparse matrix, whose values are weights unless another column is chosen."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"expected a square matrix, got shape {matrix.shape}")
    entries = matrix.tocoo()
    values = entries.data.astype(np.uint8) if entries.data.dtype.kind == "b" else entries.data
    found = columns.choose(ENTRY, ["int", "int", _kind(values)], **chosen, symmetric=symmetric)
    read: list[Array] = [entries.row, entries.col, values]
    weight, said = found.weight, found.said
    ones = entries.data.dtype.kind == "b" or bool((values == 1).all())
    if weight is not None and chosen["weight"] == "auto" and ones:
        weight, said = None, said.replace(", weight 'value'", "; the values are all 1 and not read as weights")
    weights, times, labels = (None if at is None else read[at] for at in (weight, found.time, found.label))
    graph = Graph.from_edges(
        read[found.source],
        read[found.target],
        weights=weights,
        times=times,
        labels=labels,
        num_vertices=matrix.shape[0],
        symmetric=symmetric,
    )
    graph._source = said
    return graph


def _kind(values: Array) -> str:
    return {"i": "int", "u": "int", "f": "float", "U": "text"}.get(values.dtype.kind, "other")


def _of_arrays(arrays: dict[str, Array], chosen: dict[str, Any], symmetric: bool) -> Graph:
    """The graph of an .npz file whose arrays are columns."""
    if not arrays:
        raise ValueError("there is no array in the file")
    for name, values in arrays.items():
        if values.ndim != 1:
            raise ValueError(
                f"{name} has shape {values.shape}: expected a sparse matrix as scipy.sparse.save_npz writes it, or "
                "columns of shape (edges,)"
            )
    names, table = list(arrays), list(arrays.values())
    return _table(names, [_kind(values) for values in table], table, chosen, symmetric)


def _table(names: list[str], kinds: list[str], table: list[Array], chosen: dict[str, Any], symmetric: bool) -> Graph:
    """The graph of columns, each an array."""
    found = columns.choose(names, kinds, **chosen, symmetric=symmetric)
    attributes = {"weights": found.weight, "times": found.time, "labels": found.label}
    for role, at in attributes.items():
        if role != "weights" and at is not None and kinds[at] != "int":
            raise ValueError(f"column {names[at]!r}: expected integers for {role}, got {kinds[at]}")
    weights, times, labels = (None if at is None else table[at] for at in attributes.values())
    graph = from_columns(
        table[found.source],
        table[found.target],
        weights,
        times=times,
        labels=labels,
        symmetric=symmetric,
        names=(names[found.source], names[found.target]),
    )
    graph._source = found.said
    return graph


def _parquet(path: str, chosen: dict[str, Any], symmetric: bool) -> Graph:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as missing:
        raise ImportError("reading Parquet needs pyarrow: pip install 'gonextdoor[parquet]'") from missing
    try:
        os.stat(path)  # raises OSError with an errno, unlike pyarrow
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FormatError(f"{path}: {str(error).strip()}") from error
    with _contents(path):
        return from_table(ArrowTable(table.to_reader()), **chosen, symmetric=symmetric)
