"""Samples for other tools: sentences for gensim, LineSentence text, Parquet tables, pandas frames."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from .arguments import PathLike
from .atomic import replacing, replacing_text

if TYPE_CHECKING:
    import pandas

CHUNK = 1 << 20  # vertices that are converted at a time, about

Array = npt.NDArray[Any]


class Exportable(Protocol):
    """What this module needs of ``gonextdoor.Samples``."""

    first_id: int
    seed: int
    app: Any

    @property
    def edges(self) -> Array: ...
    @property
    def has_edges(self) -> bool: ...
    @property
    def values(self) -> Array: ...
    @property
    def offsets(self) -> Array: ...
    @property
    def vertex_names(self) -> Array | None: ...
    def numpy(self) -> Array: ...
    def __len__(self) -> int: ...


class Sentences:
    """The samples as lists of str, the original vertex names; missing vertices are left out.

    Every ``iter()`` begins anew, as gensim's several passes need; ``len()`` is the number of samples. Nothing is stored
    but the samples themselves.
    """

    def __init__(self, samples: Exportable) -> None:
        self._samples = samples

    def __len__(self) -> int:
        return len(self._samples)

    def __iter__(self) -> Iterator[list[str]]:
        names = text_names(self._samples.vertex_names)
        for rows in chunks(self._samples):
            if names is None:
                for row in rows:
                    yield list(map(str, row))
            else:
                for row in rows:
                    yield [names[v] for v in row]

    def __repr__(self) -> str:
        return f"Sentences({len(self)} lists of str)"


def sentences(samples: Exportable) -> Sentences:
    """The samples as a re-iterable of lists of str, for ``gensim.models.Word2Vec(sentences=...)``."""
    return Sentences(samples)


def to_linesentence(samples: Exportable, path: PathLike) -> None:
    """Writes one line a sample, the original vertex names with a space between: gensim's LineSentence format.

    A name that ends in .gz or .zst is compressed. The file appears when it is complete.

    Raises:
        ValueError: a vertex name is empty or has white space in it, so that a line could not be read back.
        OSError: the file cannot be written.
    """
    names = line_names(samples.vertex_names)
    with replacing_text(path) as file:
        for rows in chunks(samples):
            file.write(lines(rows, names))


def lines(rows: list[list[int]], names: list[str] | None) -> bytes:
    """The rows as lines of text. Without names the list's own repr is rewritten: several times faster than joining."""
    if names is None:
        return repr(rows)[2:-2].replace("], [", "\n").replace(", ", " ").encode("ascii") + b"\n"
    return "".join(" ".join([names[v] for v in row]) + "\n" for row in rows).encode()


def line_names(vertex_names: Array | None) -> list[str] | None:
    """The names as they stand in a line of text; refuses one that would not be read back as one word."""
    names = text_names(vertex_names)
    for v, name in enumerate(names or []):
        if not name or name.split() != [name]:
            raise ValueError(
                f"vertex_names[{v}] = {name!r}: a line of text is split at white space; "
                "expected names without any (write .parquet or .npz instead)"
            )
    return names


def text_names(vertex_names: Array | None) -> list[str] | None:
    """The vertices' names as str, or None where the vertices have no names but their numbers."""
    if vertex_names is None:
        return None
    return [str(name) for name in vertex_names.tolist()]


def chunks(samples: Exportable) -> Iterator[list[list[int]]]:
    """The samples, some thousand at a time, as lists without the missing vertices."""
    for first, end in spans(samples):
        vertices, offsets = there(samples, first, end)
        flat = vertices.tolist()
        yield [flat[a:b] for a, b in pairwise(offsets.tolist())]


def spans(samples: Exportable) -> Iterator[tuple[int, int]]:
    """Pieces of the samples, as (first row, the row behind the last)."""
    rows = len(samples)
    step = max(1, CHUNK * rows // max(1, samples.values.size))
    for first in range(0, rows, step):
        yield first, min(first + step, rows)


def there(samples: Exportable, first: int, end: int) -> tuple[Array, Array]:
    """The vertices of some samples one behind the other, the missing left out, and where each sample begins."""
    if samples.app.width() is None:  # kept without the missing ones: padding all would cost memory
        offsets = samples.offsets[first : end + 1]
        return samples.values[offsets[0] : offsets[-1]], offsets - offsets[0]
    rows = samples.numpy()[first:end]
    present = rows >= 0
    return rows[present], np.concatenate([[0], np.cumsum(present.sum(axis=1))])


def _walks(samples: Exportable) -> bool:
    """Whether missing vertices stand only behind the others, as in walks; in trees their places tell something."""
    return not hasattr(samples.app, "fanouts")


def to_parquet(samples: Exportable, path: PathLike, *, compression: str = "zstd") -> None:
    """Writes a Parquet table with one row a sample.

    Columns: ``id`` (int64, the sample's id), ``root`` (its first vertex) and ``walk`` (list; ``vertices`` for apps that
    do not walk, with null for what is missing), by original names: int64, or string where the names are text.
    ``edges`` (list of int64 edge ids) where edges were recorded. The app and the seed stand in the table's metadata.

    Raises:
        ImportError: pyarrow is missing.
        OSError: the file cannot be written.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as missing:
        raise ImportError("to_parquet needs pyarrow: pip install 'gonextdoor[parquet]'") from missing
    table = _Table(samples, pa)
    with replacing(path) as file, pq.ParquetWriter(file, table.schema, compression=compression) as writer:
        for first, end in spans(samples):
            writer.write_batch(table.batch(first, end))


class _Table:
    """The samples as Arrow record batches."""

    def __init__(self, samples: Exportable, pa: Any) -> None:
        self.pa = pa
        self.samples = samples
        self.edges = samples.edges if samples.has_edges else None
        names = samples.vertex_names
        self.names = None if names is None else pa.array(names)
        vertex = pa.int64() if self.names is None else self.names.type
        column = "walk" if _walks(samples) else "vertices"
        fields = [("id", pa.int64()), ("root", vertex), (column, pa.list_(vertex))]
        if self.edges is not None:
            fields.append(("edges", pa.list_(pa.int64())))
        about = {"gonextdoor.app": repr(samples.app), "gonextdoor.seed": str(samples.seed)}
        self.schema = pa.schema(fields, metadata=about)

    def batch(self, first: int, end: int) -> Any:
        if _walks(self.samples):
            vertices, offsets = there(self.samples, first, end)
        else:
            rows = self.samples.numpy()[first:end]
            vertices, offsets = rows.reshape(-1), np.arange(len(rows) + 1) * rows.shape[1]
        roots = vertices[offsets[:-1]]
        ids = self.pa.array(self.samples.first_id + np.arange(first, end, dtype=np.int64))
        columns = [ids, self._named(roots), self._lists(self._named(vertices), offsets)]
        if self.edges is not None:
            edges = self.edges[first:end]
            keep = edges >= 0 if _walks(self.samples) else np.ones(edges.shape, dtype=bool)
            ends = np.concatenate([[0], np.cumsum(keep.sum(axis=1))])
            columns.append(self._lists(self._numbers(edges[keep]), ends))
        return self.pa.record_batch(columns, schema=self.schema)

    def _numbers(self, values: Array) -> Any:
        return self.pa.array(values.astype(np.int64), mask=values < 0)

    def _named(self, vertices: Array) -> Any:
        numbers = self._numbers(vertices)
        return numbers if self.names is None else self.names.take(numbers)

    def _lists(self, values: Any, offsets: Array) -> Any:
        return self.pa.ListArray.from_arrays(self.pa.array(offsets.astype(np.int32)), values)


def to_pandas(samples: Exportable) -> pandas.DataFrame:
    """A pandas frame with one row for each vertex of each sample, in order; missing vertices have none.

    Columns: ``id`` (the sample's id), ``step`` (``slot`` for apps that do not walk: the place in the sample, 0 = root),
    ``vertex`` (the original name), and ``edge`` (the id of the edge that led there, -1 at roots) where edges were
    recorded.

    Raises:
        ImportError: pandas is missing.
    """
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("to_pandas needs pandas: pip install 'gonextdoor[pandas]'") from missing
    whole = samples.numpy()
    row, place = np.nonzero(whole >= 0)
    vertices = whole[row, place]
    names = samples.vertex_names
    columns = {
        "id": row + samples.first_id,
        "step" if _walks(samples) else "slot": place,
        "vertex": vertices if names is None else np.asarray(names)[vertices],
    }
    if samples.has_edges:
        recorded = samples.edges
        edges = np.full(whole.shape, -1, dtype=np.int64)
        edges[:, whole.shape[1] - recorded.shape[1] :] = recorded
        columns["edge"] = edges[row, place]
    return pandas.DataFrame(columns)
