"""read: graphs from files."""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
from collections.abc import Iterator, Sequence
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from .._core import memory, npy, running
from .._core.arguments import PathLike, is_uri, path_text, without_secrets
from .._core.atomic import output_folder
from .._core.binding import advised
from .._core.checks import checked_auto, checked_flag
from .._core.costs import costs
from .._core.log import logger
from ..errors import FormatError, warn
from . import columns
from .columns import ColumnChoice, WeightChoice
from .edgelist import from_columns
from .graph import Graph

__all__ = ["contents_of", "read"]

FORMATS = ("text", "csv", "tsv", "mtx", "dimacs", "metis", "parquet", "npz", "folder")
ENTRY = ["row", "column", "value"]  # names of a sparse matrix's columns, as in Matrix Market files

Array = npt.NDArray[Any]


@advised
def read(
    path: PathLike | Sequence[PathLike],
    *,
    format: str | None = None,
    source: ColumnChoice = None,
    target: ColumnChoice = None,
    weight: WeightChoice = "auto",
    time: ColumnChoice = None,
    label: ColumnChoice = None,
    header: bool | Literal["auto"] = "auto",
    symmetric: bool | Literal["auto"] = "auto",
    ids: Literal["text", "int", "auto"] = "auto",
    bipartite: bool | Literal["auto"] = "auto",
    folder: PathLike | None = None,
    edge_ids: bool = True,
    alias_tables: bool = False,
    progress: bool | None = None,
) -> Graph:
    """Reads a graph from a file, from many Parquet files, or from a folder that ``Graph.save`` wrote.

    ``graph.source`` lists the decisions that were made. Ambiguous input is reported by an ``InputWarning``. Ids that
    are text, or integers other than 0 ... V-1, are numbered, and kept as ``graph.vertex_names``.

    Args:
        path: text in columns (SNAP, KONECT: separated by blanks, ``#`` or ``%`` comments), csv, tsv, Matrix Market,
            DIMACS, METIS or NetworkX's edge lists, each also as .gz or .zst; a Parquet table (needs pyarrow); a sparse
            matrix by ``scipy.sparse.save_npz`` (needs SciPy) or columns by ``numpy.savez``; or a folder. Parquet may
            also be a folder of files, a glob such as ``"edges/*.parquet"``, a URI of pyarrow.fs or fsspec such as
            ``s3://bucket/edges`` or ``s3://bucket/edges/*.parquet``, or a list of these. Several files are one table,
            in the order of their paths or of the list. The folder of a Delta table is read at its newest version. The
            folder of a graph may be a URI too, which is copied as by ``Graph.open``.
        format: "text", "csv", "tsv", "mtx", "dimacs", "metis", "parquet", "npz" or "folder"; None (default) detects it
            by the name, then by the content. "text" reads columns by position, whatever they look like.
        source: the column of the vertices that the edges leave, by name or by number from 0; None (default): a column
            with a known name, such as ``source`` or ``node1``, or else the first.
        target: the column of the vertices that the edges lead to, by name or number; None (default): a column with a
            known name, such as ``target`` or ``node2``, or else the second.
        weight: the column of weights, by name or number; "auto" (default) reads weights if a column has a known name,
            such as ``weight``, or is the only one left and holds numbers; True requires weights; False or None ignores
            them.
        time: the column of edge times (64-bit integers, or dates of ISO 8601), by name or number; None (default) reads
            a column with a known name, such as ``timestamp``; False ignores it.
        label: the column of edge labels (32-bit integers, or text, which is numbered), by name or number; None
            (default) reads a column with a known name, such as ``type``; False ignores it.
        header: whether the first line of text names the columns; "auto" (default) detects it.
        symmetric: whether each edge is read in both directions; "auto" (default): if the file says that it is
            undirected (a comment such as ``# Undirected graph``, or Matrix Market's ``symmetric``) and does not list
            both directions already. A folder is used as it was saved.
        ids: how text files are read: "int", "text" (names keep leading zeros, and may be larger than 64 bits) or "auto"
            (default): integers if those of the first lines are.
        bipartite: whether a source and a target of one id are different vertices, named such as ``"user:1"`` and
            ``"item:1"``; sources come first. "auto" (default): if the column names (user, item) or a comment (KONECT's
            ``% bip``) indicate it, and an id occurs in both.
        folder: write the graph to this folder in pieces and open it, for Parquet larger than memory; as ``Graph.save``.
            None (default): build the graph in memory.
        edge_ids: whether that folder has the ids of the edges, as for ``Graph.save`` (default True).
        alias_tables: whether that folder has alias tables, as for ``Graph.save`` (default False).
        progress: whether to show a progress bar; None (default): in interactive use, if reading takes over a second.

    Returns:
        The graph. The id of an edge is its position in the file, or in all files together.

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
        >>> graph = gnd.read("visits.csv", source="user", target="page", time="seen", bipartite=True)
        >>> graph.vertex_names.tolist()
        ['user:1', 'user:2', 'page:2', 'page:3']
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"format = {format!r}: expected one of {', '.join(FORMATS)}, or None")
    chosen = {"source": source, "target": target, "weight": weight, "time": time, "label": label}
    spec = {"columns": columns.choices(**chosen)}
    answers = {
        name: _answer(name, value)
        for name, value in (("header", header), ("symmetric", symmetric), ("bipartite", bipartite))
    }
    if ids not in ("text", "int", "auto"):
        raise ValueError(f'ids = {ids!r}: expected "text", "int" or "auto"')
    answers["ids"] = "" if ids == "auto" else ids
    written = {
        "edge_ids": checked_flag("edge_ids", edge_ids), "alias_tables": checked_flag("alias_tables", alias_tables),
    }  # fmt: skip
    for name, usual in (("edge_ids", True), ("alias_tables", False)):
        if written[name] is not usual and folder is None:
            value = f"{name}={written[name]}"
            raise ValueError(f"{value}: is for the folder that folder= names; call graph.save(..., {value})")
    from .dataset import is_parquet

    if format is None and is_parquet(path):
        format = "parquet"
    if format == "parquet":
        _refuse_header(answers, header, format)
        if ids != "auto":
            raise ValueError(f"ids = {ids!r}: Parquet states the types of its columns; leave it out")
        return _parquet(path, chosen, answers["symmetric"] == "yes", bipartite, folder, written)
    if folder is not None:
        raise ValueError(f"folder = {folder!r}: only Parquet is written to a folder while it is read; call graph.save")
    text = _path(path, format)
    plain = weight == "auto" and time is None and label is None  # a folder as it was saved
    if is_uri(text):
        remote = Graph.open(text)
        if plain or remote._folder is None:
            return remote
        text = remote._folder.path  # of the copy
    if format is None:
        format = _format(text)
    if format == "npz":
        _refuse_header(answers, header, format)
        return _named(_npz(text, chosen, answers["symmetric"] == "yes", bipartite), os.path.basename(text))
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
    as_saved = plain and stat.S_ISDIR(status.st_mode)
    graph = Graph._of(found["graph"], text if as_saved else None, found["source"])
    logger.debug("read %s", graph._source)
    for warning in found["warnings"]:
        warn(warning)
    return graph


def _path(path: PathLike | Sequence[PathLike], format: str | None) -> str:
    """The path as text, or the URI of the folder of a graph; refuses other URIs, and lists."""
    if isinstance(path, (list, tuple)):
        raise ValueError(
            f'path = {path!r}: expected a list of Parquet files; name them .parquet, or pass format="parquet"'
        )
    text = path_text(cast("PathLike", path))
    suffix = os.path.splitext(text.partition("?")[0])[1]
    if is_uri(text) and format != "folder" and (format is not None or suffix):
        raise ValueError(
            f"path = {without_secrets(text)!r}: read takes a file on this machine; download it first, for example with "
            "urllib.request.urlretrieve or curl -LO. Only Parquet, and the folders of graphs, whose names have no "
            "suffix, are read from a URI"
        )
    return text


def _refuse_header(answers: dict[str, str], header: Any, format: str) -> None:
    if answers["header"]:
        raise ValueError(f"header = {header!r}: a file of format {format!r} has no header line; leave it out")


def _answer(name: str, value: Any) -> str:
    return {None: "", True: "yes", False: "no"}[checked_auto(name, value)]


def _format(path: str) -> str | None:
    """The format by the name; None: the core detects it."""
    if os.path.isdir(path):
        return "folder"
    return "npz" if os.path.splitext(path)[1].lower() == ".npz" else None


def _named(graph: Graph, name: str) -> Graph:
    """The graph, with the file's name before its description."""
    graph._source = f"{name}: {graph._source}"
    logger.debug("read %s", graph._source)
    return graph


@contextlib.contextmanager
def contents_of(path: str) -> Iterator[None]:
    """Turns errors of the contents into FormatErrors with the file's name."""
    try:
        yield
    except FormatError:
        raise
    except (TypeError, ValueError) as error:
        raise FormatError(f"{path}: {error}") from error


def _npz(path: str, chosen: dict[str, Any], symmetric: bool, bipartite: Any) -> Graph:
    """The graph of an .npz file: of a sparse matrix of SciPy's, by the names of its arrays, or of columns."""
    with _archive(path) as file:
        names = list(file.files)
        found = _matrix(path, file) if "format" in names or "indptr" in names else _arrays(file)
    with contents_of(path):
        if hasattr(found, "tocoo"):
            return _of_matrix(found, chosen, symmetric)
        return _of_arrays(found, chosen, symmetric, bipartite)


def _matrix(path: str, file: Any) -> Any:
    """The sparse matrix of an open .npz file."""
    try:
        import scipy.sparse  # noqa: F401
    except ImportError as missing:
        raise ImportError("reading .npz needs scipy: pip install 'gonextdoor[scipy]'") from missing
    from . import sparse

    with contents_of(path):
        return sparse.load(file)


def _arrays(file: Any) -> dict[str, Array]:
    """The arrays of an open .npz file."""
    memory.check(sum(entry.file_size for entry in file.zip.infolist()))
    return {name: file[name] for name in file.files}


def _check_entries(path: str, file: Any) -> None:
    """Compares the headers of the arrays with their sizes: NumPy takes the memory that a header names."""
    for entry in file.zip.infolist():
        if entry.filename.endswith(".npy"):
            name = f"{path}: {entry.filename!r}"
            with file.zip.open(entry) as source:
                offset, shape, _, dtype = npy.header(name, source)
            size = offset + math.prod(shape) * dtype.itemsize
            if not dtype.hasobject and size != entry.file_size:
                raise FormatError(f"{name} has {entry.file_size} bytes, but its header says {size}: it is damaged")


@contextlib.contextmanager
def _archive(path: str) -> Iterator[Any]:
    try:
        with open(npy.opened(path), "rb") as opened:
            file = np.load(opened, allow_pickle=False)
            if not hasattr(file, "files"):
                raise FormatError(f"{path}: a single numpy array; expected a sparse matrix or columns")
            _check_entries(path, file)
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
    if entries.data.dtype.kind == "b":  # a stored False is no edge
        entries.eliminate_zeros()
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
    return {"i": "int", "u": "int", "f": "float", "M": "date", "U": "text"}.get(values.dtype.kind, "other")


def _of_arrays(arrays: dict[str, Array], chosen: dict[str, Any], symmetric: bool, bipartite: Any) -> Graph:
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
    return _table(names, [_kind(values) for values in table], table, chosen, symmetric, bipartite)


def _table(
    names: list[str], kinds: list[str], table: list[Array], chosen: dict[str, Any], symmetric: bool, bipartite: Any
) -> Graph:
    """The graph of columns, each an array."""
    found = columns.choose(names, kinds, **chosen, symmetric=symmetric)
    attributes = {"weights": found.weight, "times": found.time, "labels": found.label}
    for role, at in attributes.items():
        if role != "weights" and at is not None and kinds[at] != "int" and (role, kinds[at]) != ("times", "date"):
            raise ValueError(f"column {names[at]!r}: expected integers for {role}, got {kinds[at]}")
    weights, times, labels = (None if at is None else table[at] for at in attributes.values())
    number = from_columns(
        table[found.source],
        table[found.target],
        weights,
        times=times,
        labels=labels,
        symmetric=symmetric,
        names=(names[found.source], names[found.target]),
        two_mode=found.two_mode,
        bipartite=bipartite,
    )
    return Graph._of(number, source=found.said)


def _parquet(
    source: Any,
    chosen: dict[str, Any],
    symmetric: bool,
    bipartite: bool | Literal["auto"],
    folder: PathLike | None,
    written: dict[str, bool],
) -> Graph:
    """The graph of Parquet files, in memory or in a folder."""
    from .dataset import ParquetFiles
    from .streaming import EdgeStream

    files = ParquetFiles(source)
    if folder is None:
        with contents_of(files.path):
            return _named(EdgeStream(files, chosen, symmetric, bipartite).graph(), files.said)
    with output_folder("folder", folder) as target, contents_of(files.path):
        stream = EdgeStream(files, chosen, symmetric, bipartite)
        stream.convert(target, **written)
    graph = Graph.open(folder)
    graph._source = stream.columns.said
    return _named(graph, files.said)
