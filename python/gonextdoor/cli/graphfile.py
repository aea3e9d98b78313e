"""GraphFile: the file or folder to which a graph is written. Its suffix selects the format, and is checked first."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import click

from gonextdoor._core.arguments import is_uri
from gonextdoor._core.atomic import compressor, replacing, replacing_text
from gonextdoor.samples.export import line_names, text_names
from gonextdoor.storage.location import located
from gonextdoor.storage.uploads import check_new
from gonextdoor.storage.writing import listed

from .target import STDOUT, check_folder, suffix

CHUNK = 1 << 18  # edges that are converted at a time
SEPARATORS = {".txt": "\t", ".tsv": "\t", ".csv": ","}


class GraphFile:
    """The target and the format of a graph."""

    def __init__(self, path: str, option: str) -> None:
        """Rejects an unknown suffix, a folder that does not exist, and a missing library."""
        self.path, self.option = path, option
        if path in ("", STDOUT):
            raise click.BadParameter(f"{path!r}: expected the name of a folder or of a file", param_hint=option)
        self.suffix = suffix(path)
        if self.suffix not in WRITERS:
            known = ", ".join(known for known in WRITERS if known)
            raise click.BadParameter(
                f"{path!r}: expected a folder (no suffix) or a name that ends in {known}; text also with .gz, .zst",
                param_hint=option,
            )
        if self.suffix:
            check_folder(path, option)
        else:
            check_replaceable(path, option)
        self._check_libraries()

    def _check_libraries(self) -> None:
        try:
            if self.suffix == ".parquet":
                import pyarrow.parquet  # noqa: F401
            compressor(self.path)
        except ImportError as missing:
            raise click.BadParameter(
                f"{self.path!r}: a library is missing: {missing}", param_hint=self.option
            ) from missing

    def write(self, graph: Any) -> None:
        WRITERS[self.suffix](graph, self.path)

    def size(self) -> int:
        """The size of the file or folder in bytes."""
        return os.path.getsize(self.path) if self.suffix else folder_size(self.path)


def folder_size(folder: str) -> int:
    """The size of the files in a folder, or in that of a URI."""
    if is_uri(folder):
        return sum(listed(located("OUT", folder), recursive=True).values())
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def check_replaceable(folder: str, option: str) -> None:
    """Rejects a target that is anything but the folder of a graph, as Graph.save does, but before any work."""
    if is_uri(folder):
        at = located(option, folder)
        if not at.local:
            check_new(option, at)
            return
        folder = at.path
    path = Path(folder)
    if not Path(os.path.abspath(path)).parent.is_dir():
        raise click.BadParameter(
            f"{str(path)!r}: there is no folder {str(path.parent)!r}; create it first", param_hint=option
        )
    if not os.path.lexists(path) or any(
        (path / name).is_file() for name in ("graph.json", "partition.json", "hetero.json")
    ):
        return
    if not path.is_dir() or any(path.iterdir()):
        raise click.BadParameter(
            f"{str(path)!r} exists and is not the folder of a graph; pass the name of a new folder",
            param_hint=option,
        )


def attributes(graph: Any) -> dict[str, Any]:
    """The attributes of the edges that the graph has, by the names of their columns."""
    all_of_them = {"weight": graph.weights, "time": graph.times, "label": graph.labels}
    return {name: values for name, values in all_of_them.items() if values is not None}


def edge_chunks(graph: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The edges, some at a time, as (sources, destinations, weights or None), by vertex number."""
    import numpy as np

    indptr, indices, weights = graph.indptr, graph.indices, graph.weights
    for first in range(0, graph.num_edges, CHUNK):
        end = min(first + CHUNK, graph.num_edges)
        places = np.arange(first, end, dtype=np.int64)
        sources = np.searchsorted(indptr, places, side="right") - 1
        yield sources, indices[first:end], None if weights is None else weights[first:end]


def _folder(graph: Any, path: str) -> None:
    graph.save(path)


def _text(graph: Any, path: str) -> None:
    separator = SEPARATORS[suffix(path)]
    names, columns_of = _cells(graph, suffix(path)), attributes(graph)
    with replacing_text(path) as file:
        _write_head(file, path, graph)
        first = 0
        for sources, destinations, _ in edge_chunks(graph):
            end = first + len(sources)
            ends = sources.tolist(), destinations.tolist()
            columns = [list(map(str, ids)) if names is None else [names[v] for v in ids] for ids in ends]
            columns += [list(map(repr, values[first:end].tolist())) for values in columns_of.values()]
            first = end
            file.write("".join([separator.join(row) + "\n" for row in zip(*columns, strict=True)]).encode())


def _cells(graph: Any, kind: str) -> list[str] | None:
    """The names as text for a column. Rejects names that could not be read back."""
    if kind == ".txt":
        names = line_names(graph.vertex_names)
        comment = next((name for name in names or () if name.startswith(("#", "%"))), None)
        if comment is not None:
            raise ValueError(f"vertex name {comment!r}: the line would be a comment; write .csv instead")
        return names
    names = text_names(graph.vertex_names)
    bad = next((name for name in names or () if not name or "\n" in name or "\r" in name), None)
    if bad is not None:
        raise ValueError(f"vertex name {bad!r}: expected names of one line, and none empty; write .parquet instead")
    return None if names is None else [_quoted(name, SEPARATORS[kind]) for name in names]


def _quoted(name: str, separator: str) -> str:
    if separator in name or '"' in name or name != name.strip():
        return '"' + name.replace('"', '""') + '"'
    return name


def _write_head(file: IO[bytes], path: str, graph: Any) -> None:
    if suffix(path) == ".txt":
        file.write(f"# Directed edges: {graph.num_vertices} vertices, {graph.num_edges} edges\n".encode())
        if graph.times is not None or graph.labels is not None:  # weights alone need no header
            file.write(("\t".join(["source", "target", *attributes(graph)]) + "\n").encode())
    else:
        columns = ["source", "target", *attributes(graph)]
        file.write((SEPARATORS[suffix(path)].join(columns) + "\n").encode())


def _npz(graph: Any, path: str) -> None:
    """Writes a file for scipy.sparse.load_npz. A graph without weights gets ones, since a matrix needs values."""
    import numpy as np

    values = np.ones(graph.num_edges, dtype=np.float32) if graph.weights is None else graph.weights
    shape = np.array([graph.num_vertices, graph.num_vertices], dtype=np.int64)
    with replacing(path) as file:
        np.savez(file, indices=graph.indices, indptr=graph.indptr, format=np.bytes_(b"csr"), shape=shape, data=values)


def _parquet(graph: Any, path: str) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = None if graph.vertex_names is None else pa.array(graph.vertex_names)
    vertex = pa.int64() if names is None else names.type
    columns_of, types = attributes(graph), {"weight": pa.float64(), "time": pa.int64(), "label": pa.int32()}
    schema = pa.schema([("source", vertex), ("target", vertex), *((name, types[name]) for name in columns_of)])
    with replacing(path) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        first = 0
        for sources, destinations, _ in edge_chunks(graph):
            end = first + len(sources)
            ids = [pa.array(np.asarray(x, dtype=np.int64)) for x in (sources, destinations)]
            columns = ids if names is None else [names.take(x) for x in ids]
            columns += [pa.array(np.asarray(values[first:end]), types[name]) for name, values in columns_of.items()]
            first = end
            writer.write_batch(pa.record_batch(columns, schema=schema))


WRITERS: dict[str, Callable[[Any, str], None]] = {
    "": _folder,
    ".npz": _npz,
    ".parquet": _parquet,
    ".txt": _text,
    ".tsv": _text,
    ".csv": _text,
}
