"""Exports of samples: sentences for gensim, Parquet tables, pandas frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core.arguments import PathLike
from .._core.atomic import replacing
from .arrays import SampleArrays
from .layers import Layers, spread

if TYPE_CHECKING:
    import pandas

    from ..apps.app import SamplingApp
    from ..graph.nametable import NameTable

CHUNK = 1 << 20  # vertices and recorded edges that are converted at a time, about
LARGEST_LIST = (1 << 31) - 1  # elements of an ordinary list column of Arrow's

Array = npt.NDArray[Any]


class Sentences:
    """The samples as lists of str, with the original vertex names and without missing vertices.

    Every ``iter()`` begins anew, as gensim's several passes need; ``len()`` is the number of samples. Nothing is stored
    but the samples themselves.

    Args:
        samples: the samples.
        words: the names of all vertices; None (default): those of the samples.
    """

    def __init__(self, samples: SampleArrays, words: Array | None = None) -> None:
        self._samples, self._words = samples, words

    def __len__(self) -> int:
        return len(self._samples)

    def __iter__(self) -> Iterator[list[str]]:
        samples, words = self._samples, self._words
        if words is None and (samples._name_table() is not None or samples._vertices() <= samples.values.size):
            words = vertex_words(samples._vertices(), samples._name_table())
        for first, end in spans(samples):
            part = piece(samples, first, end, gaps=False)
            flat = list(map(str, part.vertices.tolist())) if words is None else words[part.vertices].tolist()
            for a, b in pairwise(part.offsets.tolist()):
                yield flat[a:b]

    def __repr__(self) -> str:
        return f"Sentences({len(self)} lists of str)"


def vertex_words(vertices: int, names: NameTable | None) -> Array:
    """The name of each vertex as an array of str objects, which sentences share."""
    words = list(map(str, range(vertices))) if names is None else names.texts()
    made = np.empty(vertices, dtype=object)
    made[:] = words
    return made


def sentences(samples: SampleArrays) -> Sentences:
    """The samples as a re-iterable of lists of str, for ``gensim.models.Word2Vec(sentences=...)``."""
    return Sentences(samples)


def line_names(vertex_names: Array | None) -> list[str] | None:
    """The names as words in a line of text; refuses a name that would not be read back as one word."""
    names = text_names(vertex_names)
    for v, name in enumerate(names or []):
        if not name or name.split() != [name]:
            raise ValueError(
                f"vertex_names[{v}] = {name!r}: a line of text is split at white space; "
                "expected names without any (write .parquet or .npz instead)"
            )
    return names


def text_names(vertex_names: Array | None) -> list[str] | None:
    """The vertices' names as str, or None if the vertices have no names."""
    if vertex_names is None:
        return None
    return [str(name) for name in vertex_names.tolist()]


def spans(samples: SampleArrays) -> Iterator[tuple[int, int]]:
    """Yields pieces of the samples as half-open ranges of rows (first, end)."""
    rows = len(samples)
    step = max(1, CHUNK * rows // max(1, samples.values.size + _links(samples)))
    for first in range(0, rows, step):
        yield first, min(first + step, rows)


def _links(samples: SampleArrays) -> int:
    """The recorded edges of all samples."""
    return len(samples._layers.links()[1]) if samples._layers is not None and samples._layers.recorded else 0


class Piece(NamedTuple):
    """Consecutive samples, concatenated: sample i is ``vertices[offsets[i]:offsets[i + 1]]``. The edges that led to the
    vertices after the roots have their own offsets; they are empty if none were recorded."""

    vertices: Array
    offsets: Array
    edges: Array
    edge_offsets: Array


def piece(samples: SampleArrays, first: int, end: int, *, gaps: bool) -> Piece:
    """Samples first to end, with -1 for missing vertices, or without those vertices and their edges."""
    roots = samples.roots.shape[1]
    if samples.ragged:  # no missing vertices; padding would cost memory
        offsets = samples.offsets[first : end + 1]
        part, offsets = slice(int(offsets[0]), int(offsets[-1])), offsets - offsets[0]
        edges = samples.edge_values[part] if samples.has_edges else np.empty(0, np.int64)
        if samples.has_edges:
            after_roots = np.ones(len(edges), bool)
            after_roots[spread(offsets[:-1], np.full(end - first, roots))] = False
            edges = edges[after_roots]
        return Piece(samples.values[part], offsets, edges, offsets - roots * np.arange(end - first + 1))
    rows = samples.numpy()[first:end]
    there = np.ones(rows.shape, bool) if gaps else rows >= 0
    after_roots = there[:, roots:]
    edges = samples.edges[first:end][after_roots] if samples.has_edges else np.empty(0, np.int64)
    return Piece(rows[there], _ends(there), edges, _ends(after_roots))


def _ends(there: Array) -> Array:
    return np.concatenate([[0], np.cumsum(there.sum(axis=1))])


def _ids(samples: SampleArrays, first: int, end: int) -> Array:
    """The ids of samples first to end: int64 if all are below 2^63, since other tools prefer it."""
    kind = np.int64 if samples.first_id + len(samples) <= 1 << 63 else np.uint64
    ids: Array = np.arange(first, end).astype(kind) + kind(samples.first_id)
    return ids


def walks(samples: SampleArrays) -> bool:
    """Whether a sample is one walk from one root: missing vertices come only at the end, while in trees their
    positions are significant; the vertices of a pool or of a layered sample are no walk."""
    return walk_shaped(samples.app, samples.roots.shape[1], samples.layered, samples.ragged)


def walk_shaped(app: SamplingApp, roots: int, layered: bool, ragged: bool) -> bool:
    """Whether a sample of an app with a number of roots is one walk: see ``walks``."""
    return not layered and roots == 1 and (ragged or all(shape == () for shape in app.slots(1)))


class Columns(NamedTuple):
    """The columns of samples in a table.

    Attributes:
        rooted: whether samples have one root.
        walks: whether they are walks.
        layered: whether they have steps of different sizes.
        edges: whether the edges taken were recorded.
        records: whether edges between the vertices were recorded.
    """

    rooted: bool
    walks: bool
    layered: bool
    edges: bool
    records: bool

    def fields(self, pa: Any, vertex: Any, lists: Callable[[str, Any], Any]) -> list[tuple[str, Any]]:
        """The names and types of the columns.

        Args:
            pa: the module pyarrow.
            vertex: the type of a vertex.
            lists: the type of the column of a name, with lists of a type.
        """
        columns = {"walk" if self.walks else "vertices": vertex}
        if self.layered:
            columns |= {"steps": pa.int32(), "parents": pa.int32()}
        if self.edges:
            columns["edges"] = pa.int64()
        if self.records:
            columns |= {"sources": pa.int32(), "targets": pa.int32()}
            columns |= {"link_edges": pa.int64(), "link_values": pa.float64()}
        root = [("root", vertex)] if self.rooted else []
        return [("id", pa.int64()), *root, *((name, lists(name, kind)) for name, kind in columns.items())]


def to_parquet(samples: SampleArrays, path: PathLike, *, compression: str = "zstd") -> None:
    """Writes a Parquet table with one row per sample.

    Columns: ``id`` (the sample's id), ``root`` (its first vertex, if samples have one root) and ``walk`` (list;
    ``vertices`` for apps that do not walk, with null for missing vertices), by original names: int64, or string if
    the names are text. ``edges`` (list of int64) if edges were recorded: the ids of those that led to the vertices
    after the roots, or null. Layered samples also have ``steps`` and ``parents``, lists parallel to ``vertices``: the
    step of each vertex (0: a root) and the position that it was reached from (null: none); and if the app records
    edges between vertices, the lists ``sources``, ``targets`` (positions in the sample), ``link_edges`` (ids, null if
    the graph has no such edge) and ``link_values``. The app and the seed are in the table's metadata.

    Raises:
        ImportError: pyarrow is missing.
        OSError: the file cannot be written.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as missing:
        raise ImportError("to_parquet needs pyarrow: pip install 'gonextdoor[parquet]'") from missing
    names = samples.vertex_names
    table = Table(samples, pa, None if names is None else pa.array(names))
    with replacing(path) as file, pq.ParquetWriter(file, table.schema, compression=compression) as writer:
        for first, end in spans(samples):
            writer.write_batch(table.batch(first, end))


class Table:
    """The samples as Arrow record batches, by original names.

    Args:
        samples: the samples.
        pa: the module pyarrow.
        names: the names of the vertices as an array of Arrow's; None: numbers.
    """

    def __init__(self, samples: SampleArrays, pa: Any, names: Any) -> None:
        self.pa, self.samples, self.names = pa, samples, names
        vertex = pa.int64() if self.names is None else self.names.type
        self.rooted, self.walks = samples.roots.shape[1] == 1, walks(samples)
        # One sample's list is never split, and an ordinary list has 31-bit offsets.
        self.large = max(samples.values.size, _links(samples)) > LARGEST_LIST
        several = pa.large_list if self.large else pa.list_
        columns = Columns(self.rooted, self.walks, samples.layered, samples.has_edges, samples.records)
        fields = columns.fields(pa, vertex, lambda name, kind: several(kind))
        fields[0] = ("id", pa.from_numpy_dtype(_ids(samples, 0, 0).dtype))
        about = {"gonextdoor.app": repr(samples.app), "gonextdoor.seed": str(samples.seed)}
        self.schema = pa.schema(fields, metadata=about)

    def batch(self, first: int, end: int) -> Any:
        samples, part = self.samples, piece(self.samples, first, end, gaps=not self.walks)
        columns = [self.pa.array(_ids(samples, first, end))]
        if self.rooted:
            columns.append(self._named(part.vertices[part.offsets[:-1]]))
        columns.append(self._lists(self._named(part.vertices), part.offsets))
        if samples._layers is not None:
            at = slice(int(samples.offsets[first]), int(samples.offsets[end]))
            columns.append(self._lists(self.pa.array(samples._layers.steps_of(first, end)), part.offsets))
            columns.append(self._lists(self._numbers(samples._layers.parents[at]), part.offsets))
        if samples.has_edges:
            columns.append(self._lists(self._numbers(part.edges), part.edge_offsets))
        if samples._layers is not None and samples._layers.recorded:
            columns += self._links(samples._layers, first, end)
        return self.pa.record_batch(columns, schema=self.schema)

    def _links(self, layers: Layers, first: int, end: int) -> list[Any]:
        links_from, sources, targets, ids, values = layers.links()
        at, offsets = slice(int(links_from[first]), int(links_from[end])), links_from[first : end + 1]
        arrays = [self.pa.array(sources[at]), self.pa.array(targets[at]), self._numbers(ids[at]), values[at]]
        return [self._lists(self.pa.array(array), offsets - offsets[0]) for array in arrays]

    def _numbers(self, values: Array) -> Any:
        return self.pa.array(values, mask=values < 0)

    def _named(self, vertices: Array) -> Any:
        numbers = self._numbers(vertices.astype(np.int64, copy=False))
        return numbers if self.names is None else self.names.take(numbers)

    def _lists(self, values: Any, offsets: Array) -> Any:
        lists, kind = (self.pa.LargeListArray, np.int64) if self.large else (self.pa.ListArray, np.int32)
        return lists.from_arrays(self.pa.array(offsets.astype(kind)), values)


def to_pandas(samples: SampleArrays) -> pandas.DataFrame:
    """A pandas frame with one row for each vertex of each sample, in order; missing vertices have none.

    Columns: ``id`` (the sample's id), ``step`` of walks and layered samples (0: a root), ``slot`` of all but walks (the
    position in the sample, 0: its first vertex), ``vertex`` (the original name), ``parent`` of layered samples (the
    slot that it was reached from, -1: none), and, if edges were recorded, ``edge`` (the id of the edge that led to the
    vertex, -1 if none did).

    Raises:
        ImportError: pandas is missing.
    """
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("to_pandas needs pandas: pip install 'gonextdoor[pandas]'") from missing
    lengths, ends, flat = np.diff(samples.offsets), samples.offsets[1:], samples.values
    row = np.repeat(np.arange(len(samples)), lengths)
    place = np.arange(len(flat)) - np.repeat(ends - lengths, lengths)
    there = slice(None) if samples.ragged else flat >= 0
    names = samples.vertex_names
    columns = {"id": _ids(samples, 0, len(samples))[row[there]]}
    if samples._layers is not None:
        columns["step"] = samples._layers.steps_of(0, len(samples))
    columns["step" if walks(samples) else "slot"] = place[there]
    columns["vertex"] = flat[there] if names is None else np.asarray(names)[flat[there]]
    if samples._layers is not None:
        columns["parent"] = samples.parents
    if samples.has_edges:
        columns["edge"] = samples.edge_values[there]
    return pandas.DataFrame(columns)
