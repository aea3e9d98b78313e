"""The parts of layered samples: steps of different sizes, and recorded edges.

Nothing here loops over samples: they may be millions.
"""

from __future__ import annotations

import dataclasses
import operator
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core import memory

if TYPE_CHECKING:
    import scipy.sparse

__all__ = ["Adjacency", "Layers", "Subgraph"]

Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Layers:
    """Steps and recorded edges of layered samples, in memory of the core. Positions count from a sample's first vertex.

    ``parents`` is parallel to the vertices. Sample i has the step ends ``ends[ends_from[i]:ends_from[i + 1]]``, that of
    its roots first, and the links ``links_from[i]:links_from[i + 1]`` of the arrays after it; None: there are none.
    """

    parents: Array
    ends_from: Array
    ends: Array
    links_from: Array | None = None
    sources: Array | None = None
    targets: Array | None = None
    link_edges: Array | None = None
    values: Array | None = None

    @property
    def recorded(self) -> bool:
        """Whether edges between the vertices were recorded."""
        return self.links_from is not None

    def count(self) -> int:
        """The steps of the sample that has the most."""
        return int(np.diff(self.ends_from).max(initial=1)) - 1

    def bounds(self, level: int) -> tuple[Array, Array]:
        """The bounds of a level in each sample: 0 is the roots, 1 the first step. Both are the sample's end
        if it has no such level."""
        last = np.diff(self.ends_from) - 1
        stop = self.ends[self.ends_from[:-1] + np.minimum(level, last)]
        start = self.ends[self.ends_from[:-1] + np.minimum(level - 1, last)] if level else np.zeros_like(stop)
        return start.astype(np.int64), stop.astype(np.int64)

    def level(self, level: int, values: Array, offsets: Array) -> Array:
        """The vertices of a level: (n, m), m being the most that it has in a sample, padded with -1."""
        start, stop = self.bounds(level)
        width = int((stop - start).max(initial=0))
        memory.check(len(start) * width * values.itemsize)
        out = np.full((len(start), width), -1, values.dtype)
        there = np.arange(width) < (stop - start)[:, None]
        out[there] = values[spread(offsets[:-1] + start, stop - start)]
        return out

    def steps_of(self, first: int, end: int) -> Array:
        """The step of each vertex of samples first to end, 0 for roots: beside ``values``, int32."""
        counts = np.diff(self.ends_from[first : end + 1])
        ends = self.ends[self.ends_from[first] : self.ends_from[end]].astype(np.int64)
        begin = np.zeros_like(ends)
        begin[1:] = ends[:-1]
        begin[(self.ends_from[first:end] - self.ends_from[first])[counts > 0]] = 0
        return np.repeat(spread(np.zeros_like(counts), counts), ends - begin).astype(np.int32)

    def adjacency(self, step: int) -> Adjacency:
        """The links from one level to the next."""
        links_from, sources, targets, ids, values = self.links()
        (first, middle), (_, end) = self.bounds(step), self.bounds(step + 1)
        row = np.repeat(np.arange(len(first)), np.diff(links_from))
        taken = (targets >= middle[row]) & (targets < end[row]) & (sources >= first[row]) & (sources < middle[row])
        row, which = row[taken], np.flatnonzero(taken)
        return Adjacency(
            np.searchsorted(row, np.arange(len(first) + 1)),
            sources[which] - first[row],
            targets[which] - middle[row],
            values[which],
            ids[which],
            np.stack([middle - first, end - middle], axis=1),
        )

    def links(self) -> tuple[Array, Array, Array, Array, Array]:
        """``links_from`` and the arrays after it; only if edges were recorded."""
        assert self.links_from is not None and self.sources is not None and self.targets is not None
        assert self.link_edges is not None and self.values is not None
        return self.links_from, self.sources, self.targets, self.link_edges, self.values


def spread(starts: Array, counts: Array) -> Array:
    """The numbers starts[i] ... starts[i] + counts[i] - 1 of each i, concatenated."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    places: Array = np.arange(total) + np.repeat(starts - (ends - counts), counts)
    return places


@dataclasses.dataclass(frozen=True, eq=False)
class Adjacency:
    """The recorded edges from the vertices of one step to those of the next, of all samples.

    Sample i has the entries ``offsets[i]:offsets[i + 1]`` of the arrays. ``rows`` are indices in the previous step (or
    among the roots), ``columns`` in the step itself, as ``samples.steps`` has them; ``values`` are the app's weights;
    ``edge_ids`` is -1 if the graph has no such edge. ``shapes`` (n, 2) has the size of each sample's matrix.
    """

    offsets: Array
    rows: Array
    columns: Array
    values: Array
    edge_ids: Array
    shapes: Array

    def scipy(self, sample: int = 0) -> scipy.sparse.csr_array:
        """The matrix of one sample, (vertices of the previous step, vertices of the step)."""
        sample = place("sample", sample, len(self))
        part = slice(int(self.offsets[sample]), int(self.offsets[sample + 1]))
        shape = tuple(self.shapes[sample].tolist())
        return _matrix("Adjacency", self.values[part], self.rows[part], self.columns[part], shape)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"Adjacency({len(self)} samples, {len(self.rows)} edges)"


@dataclasses.dataclass(frozen=True, eq=False)
class Subgraph:
    """The subgraph that a sample's vertices induce: edge k leads from ``nodes[src[k]]`` to ``nodes[dst[k]]``."""

    nodes: Array
    src: Array
    dst: Array
    edge_ids: Array
    values: Array

    def scipy(self) -> scipy.sparse.csr_array:
        """The matrix of the subgraph, (nodes, nodes): the sum of the values of each pair's edges."""
        return _matrix("Subgraph", self.values, self.src, self.dst, (len(self.nodes), len(self.nodes)))

    def __repr__(self) -> str:
        return f"Subgraph({len(self.nodes)} vertices, {len(self.src)} edges)"


def _matrix(whose: str, values: Array, rows: Array, columns: Array, shape: tuple[int, ...]) -> scipy.sparse.csr_array:
    try:
        import scipy.sparse
    except ImportError as missing:
        raise ImportError(f"{whose}.scipy needs scipy: pip install 'gonextdoor[scipy]'") from missing
    return scipy.sparse.coo_array((values, (rows, columns)), shape=shape).tocsr()


def place(name: str, value: SupportsIndex, count: int) -> int:
    """An index into count elements, as a number from 0; a negative one counts from the end, as in lists.

    Raises:
        TypeError, IndexError: there is no such thing.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r}: expected an int") from None
    if not -count <= number < count:
        raise IndexError(f"{name} = {number} is out of range: there are {count}")
    return number % count
