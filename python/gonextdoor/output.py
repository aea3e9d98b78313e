"""Samples: the result of gnd.sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _memory, _native
from .apps import SamplingApp
from .arguments import PathLike
from .layers import Adjacency, Layers, Subgraph, place

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from .export import Sentences
    from .graph import Graph

__all__ = ["Samples"]

Array = npt.NDArray[Any]


class Samples:
    """Samples of a graph, one a row; made by ``gonextdoor.sample``.

    ``numpy()``, or ``np.asarray(samples)``, has them as (n, width): the roots first, then each step's vertices, -1
    where a sample has none. Samples that differ in length (PPR) are kept as ``values`` and ``offsets`` and padded on
    demand; so are layered ones, which also know their ``steps``, ``parents`` and the edges that the app recorded.

    Attributes:
        graph: the graph.
        app: the app.
        seed: the seed, an int from 0 to 2^64 - 1; fresh entropy where none was given.
        first_id: the id of row 0.
        device: where the samples were drawn, "cpu".
    """

    __slots__ = (
        "_dtype", "_edges", "_layers", "_lengths", "_matrix", "_offsets", "_roots", "_seconds", "_values", "app",
        "device", "first_id", "graph", "seed",
    )  # fmt: skip

    def __init__(
        self,
        graph: Graph,
        app: SamplingApp,
        values: Array,
        offsets: Array | None,
        edges: Array | None,
        *,
        roots: int,
        seed: int,
        first_id: int,
        device: str,
        seconds: float,
        dtype: np.dtype[Any],
        layers: Layers | None = None,
    ) -> None:
        self.graph, self.app, self.seed, self.first_id, self.device = graph, app, seed, first_id, device
        self._values, self._offsets, self._edges, self._roots = values, offsets, edges, roots
        self._seconds, self._dtype, self._layers = seconds, dtype, layers
        self._matrix: Array | None = values if offsets is None else None
        self._lengths: Array | None = None

    def numpy(self) -> Array:
        """All samples, (n, width), int32 or int64: the roots first, then each step's vertices; -1 where there is none.

        No copy is made; samples that differ in length are padded to the longest at the first call.
        """
        if self._matrix is None:
            width = int(self.lengths.max(initial=self._roots))
            self._matrix = self._padded(self._values, 0, width, self._dtype)
        return self._matrix

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        whole = self.numpy()
        if dtype is not None and whole.dtype != dtype:
            if copy is False:
                raise ValueError(f"dtype = {np.dtype(dtype)}: the samples are {whole.dtype}, which takes a copy")
            return whole.astype(dtype)
        return whole.copy() if copy else whole

    def __dlpack__(self, **options: Any) -> Any:
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.numpy().__dlpack_device__()

    @property
    def lengths(self) -> Array:
        """The number of vertices in each sample, roots included: (n,) int64."""
        if self._lengths is None:
            if self._offsets is not None:
                self._lengths = np.diff(self._offsets)
            else:
                self._lengths = np.empty(len(self), np.int64)
                rows, width = self._values.shape
                where, to = _memory.address(self._values), _memory.address(self._lengths)
                _native.call("Lengths", where, self._values.itemsize, rows, width, to, 0)
        return self._lengths

    @property
    def roots(self) -> Array:
        """The vertices that each sample began with: (n, r); r is 0 for apps that choose their own."""
        if self._offsets is None:
            return self._values[:, : self._roots]
        return self._values[self._offsets[:-1, None] + np.arange(self._roots)]

    @property
    def steps(self) -> list[Array]:
        """The vertices of each step, roots left out: for walks one (n,) array a step, for KHop (n, m_1), (n, m_1, m_2)
        and so on; views of ``numpy()``. Samples from r > 1 roots have (n, r, m_1) and so on. Layered samples have
        (n, m), m being the most vertices that the step has in a sample, filled up with -1."""
        if self._layers is not None:
            levels = range(1, self._layers.count() + 1)
            return [self._layers.level(level, self._values, self.offsets) for level in levels]
        whole, at, steps = self.numpy(), self._roots, []
        shapes = [()] * (whole.shape[1] - at) if self._offsets is not None else self.app.slots(self._roots)
        for shape in shapes:
            slots = int(np.prod(shape, dtype=np.int64))
            steps.append(whole[:, at : at + slots].reshape(len(whole), *shape))
            at += slots
        return steps

    @property
    def ragged(self) -> bool:
        """Whether samples may differ in length: ``values`` then has no missing vertices."""
        return self._offsets is not None

    @property
    def layered(self) -> bool:
        """Whether the samples have steps of different sizes, or recorded edges."""
        return self._layers is not None

    @property
    def records(self) -> bool:
        """Whether the app recorded edges between the samples' vertices: ``adjacency`` and ``subgraph`` have them."""
        return self._layers is not None and self._layers.recorded

    def adjacency(self, step: int) -> Adjacency:
        """The recorded edges from the vertices of the step before (the roots, for step 0) to those of a step, of all
        samples: what layer-wise apps record. ``subgraph`` has all edges of one sample, whatever they lie between.

        Raises:
            TypeError, IndexError: there is no such step.
            ValueError: the app records no edges.
        """
        layers = self._recorded()
        return layers.adjacency(place("step", step, layers.count()))

    def subgraph(self, sample: int = 0) -> Subgraph:
        """All recorded edges of one sample, by places among its vertices: for apps that record them (ClusterGCN,
        GraphSAINT and others) the subgraph that its vertices induce.

        Raises:
            TypeError, IndexError: there is no such sample.
            ValueError: the app records no edges.
        """
        links_from, sources, targets, ids, values = self._recorded().links()
        sample = place("sample", sample, len(self))
        part = slice(int(links_from[sample]), int(links_from[sample + 1]))
        nodes = self._values[self.offsets[sample] : self.offsets[sample + 1]]
        return Subgraph(nodes, sources[part], targets[part], ids[part], values[part])

    def _recorded(self) -> Layers:
        if self._layers is None or not self._layers.recorded:
            raise ValueError(f"{self.app!r} records no edges between its vertices")
        return self._layers

    @property
    def parents(self) -> Array:
        """For each of ``values`` the place in its sample of the vertex that it was reached from, or -1:
        (offsets[-1],) int32; of layered samples alone.

        Raises:
            ValueError: the samples are not layered.
        """
        if self._layers is None:
            raise ValueError(f"{self.app!r}: its samples are not layered")
        return self._layers.parents

    @property
    def edges(self) -> Array:
        """The id of the edge that led to each vertex behind the roots: (n, width - roots) int64, -1 where there is
        none.

        Raises:
            ValueError: they were not recorded; ``sample(..., edges=True)`` records them.
        """
        taken = self._taken()
        if self._offsets is None:
            return taken
        width = int(self.lengths.max(initial=self._roots)) - self._roots
        return self._padded(taken, self._roots, width, np.dtype(np.int64))

    @property
    def edge_values(self) -> Array:
        """The same beside ``values``, -1 at roots: (offsets[-1],) int64."""
        taken = self._taken()
        if self._offsets is not None:
            return taken
        whole = np.full((len(self), self._roots + taken.shape[1]), -1, np.int64)
        whole[:, self._roots :] = taken
        return whole.reshape(-1)

    def _taken(self) -> Array:
        if self._edges is None:
            raise ValueError("edges were not recorded: call gonextdoor.sample(..., edges=True)")
        return self._edges

    @property
    def has_edges(self) -> bool:
        """Whether ``edges`` were recorded."""
        return self._edges is not None

    @property
    def offsets(self) -> Array:
        """Where each sample begins in ``values``, and the end: (n + 1,) int64. Sample i is
        ``values[offsets[i]:offsets[i + 1]]``."""
        if self._offsets is None:
            rows, width = self._values.shape
            return np.arange(0, rows * width + 1, width, dtype=np.int64) if width else np.zeros(rows + 1, np.int64)
        return self._offsets

    @property
    def values(self) -> Array:
        """All samples one behind the other, (offsets[-1],); those of one width have their -1 in it."""
        return self._values if self._offsets is not None else self._values.reshape(-1)

    @property
    def selector(self) -> str:
        """The selector that the choices were made by, which follows from the app and the graph alone."""
        name: str = _native.call("AppSelector", self.app._held().number, self.graph._held.number)
        return name

    @property
    def vertex_names(self) -> Array | None:
        """The original names of the graph's vertices; None where those are their numbers."""
        return self.graph.vertex_names

    @property
    def stats(self) -> dict[str, float]:
        """``steps`` of the longest sample, ``edges`` taken in all samples (vertices behind the roots), ``seconds`` that
        sampling took, and ``edges_per_second``; ``links``, the recorded edges of all samples, where the app records
        them."""
        filled = _native.call("Filled", _memory.address(self._values), self._values.itemsize, self._values.size, 0)
        taken = filled - len(self) * self._roots
        if self._layers is not None:
            steps = self._layers.count()
        elif self._offsets is None:
            steps = len(self.app.slots(self._roots))
        else:
            steps = int(self.lengths.max(initial=self._roots)) - self._roots
        links = {"links": len(self._layers.links()[1])} if self._layers is not None and self._layers.recorded else {}
        rate = taken / self._seconds if self._seconds else 0.0
        return {"steps": steps, "edges": taken, **links, "seconds": self._seconds, "edges_per_second": rate}

    def visit_counts(self) -> Array:
        """How often each vertex stands in the samples, roots included: (num_vertices,) int64."""
        counts = np.zeros(self.graph.num_vertices, np.int64)
        where, to = _memory.address(self._values), _memory.address(counts)
        _native.call("Visits", where, self._values.itemsize, self._values.size, to, counts.size, 0)
        return counts

    def sentences(self) -> Sentences:
        """The samples as a re-iterable of lists of str, for ``gensim.models.Word2Vec(sentences=...)``."""
        from . import export

        return export.sentences(self)

    def to_linesentence(self, path: PathLike) -> None:
        """Writes one line a sample, names with a space between: gensim's LineSentence format."""
        from . import export

        export.to_linesentence(self, path)

    def to_parquet(self, path: PathLike, **options: Any) -> None:
        """Writes a Parquet table with one row a sample."""
        from . import export

        export.to_parquet(self, path, **options)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame with one row for each vertex of each sample."""
        from . import export

        return export.to_pandas(self)

    def plot(self, kind: str = "visits", **options: Any) -> Axes:
        """Draws the samples with matplotlib and returns the Axes; kind is "visits" or "lengths"."""
        from .plot import plot

        return plot(self, kind, **options)

    def __len__(self) -> int:
        return len(self._values) if self._offsets is None else len(self._offsets) - 1

    def __repr__(self) -> str:
        return f"Samples({len(self)} of {self.app!r}, {self._shape()}, seed={self.seed}, device={self.device!r})"

    def _repr_html_(self) -> str:
        facts = {
            "app": repr(self.app), "samples": f"{len(self):,}", "shape": self._shape(), "selector": self.selector,
            "seed": str(self.seed), "device": self.device, "seconds": f"{self._seconds:.3g}",
        }  # fmt: skip
        return table(facts)

    def _shape(self) -> str:
        if self._offsets is None:
            return f"shape {self._values.shape}, {self._values.dtype}"
        vertices = f"{self._values.size} vertices, {self._dtype}"
        if self._layers is None:
            return vertices
        edges = f"{len(self._layers.links()[1])} recorded edges, " if self._layers.recorded else ""
        return f"{self._layers.count()} steps, {edges}{vertices}"

    def _padded(self, values: Array, skip: int, width: int, dtype: np.dtype[Any]) -> Array:
        rows = len(self)
        _memory.check(rows * width * dtype.itemsize)
        out = _memory.empty((rows, width), dtype)
        at = _memory.address(self.offsets)
        where, to = _memory.address(values), _memory.address(out)
        _native.call("Pad", at, rows, where, values.itemsize, skip, to, dtype.itemsize, width, 0)
        return out


def table(facts: dict[str, str]) -> str:
    """A small HTML table of names and values."""
    from html import escape

    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts.items())
    return f"<table>{rows}</table>"
