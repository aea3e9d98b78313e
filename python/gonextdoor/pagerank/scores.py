"""Scores: the result of gnd.personalized_pagerank."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core import advice
from .._core.htmltable import panel
from ..graph.nametable import NameTable
from . import bounds

if TYPE_CHECKING:
    import pandas
    import scipy.sparse

    from ..graph.graph import Graph

__all__ = ["Scores"]

Array = npt.NDArray[Any]


class Scores:
    """Personalised PageRank in compressed sparse rows, one row per seed; returned by
    ``gonextdoor.personalized_pagerank``.

    Row i has the vertices ``indices[indptr[i]:indptr[i + 1]]`` and the scores ``values[indptr[i]:indptr[i + 1]]``. Rows
    are sorted by
    vertex; with ``top_k``, by score, highest first. Vertices that no walk visited have no entry: their estimate is 0.

    Attributes:
        indptr: (rows + 1,) int64: the start of each row, and the end.
        indices: (entries,) int32, or int64 if the graph has 2^31 vertices: the vertices.
        visits: (entries,) uint32: the visits of all walks of the row to the vertex.
        visitors: (entries,) uint32: the walks of the row that visit the vertex at least once.
        total_visits: (rows,) int64: the visits of all walks of each row to all vertices, 1 / stop per walk on average.
        walks: (rows,) int64: the walks of each row.
        seeds: (rows,) ints: the seed vertex of each row; None if the rows are of sets of seeds.
        stop: the stop probability, rounded to a multiple of 2^-32: the one that the walks have.
        sinks: "restart" or "stop".
        num_vertices: the number of vertices of the graph.
        top_k: the entries kept per row; None: all.
        seed: the random seed, an int from 0 to 2^64 - 1; fresh entropy if none was given.
        first_id: the id of row 0.
        confidence: the probability with which ``bound`` holds.
        device: where the walks ran: a GPU as "cuda:0", or "cpu", also if the graph exceeds the GPU's memory.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> scores = gnd.personalized_pagerank(graph, [0, 7], walks=10_000, top_k=3, seed=1)
        >>> vertices, values = scores[1]  # of vertex 7
        >>> vertices, values.round(3)
        (array([  7, 176,  86], dtype=int32), array([0.159, 0.033, 0.022]))
        >>> bool((scores.standard_errors < 0.01).all())
        True

        Rows of seed vertices with names:

        >>> graph = gnd.Graph.from_edges([("alice", "bob"), ("bob", "carol"), ("carol", "alice")])
        >>> scores = gnd.personalized_pagerank(graph, ["bob", "carol"], walks=10_000, seed=1)
        >>> vertices, values = scores.row("carol")
        >>> scores.vertex_names[vertices], values.round(2)
        (array(['alice', 'bob', 'carol'], dtype=object), array([0.34, 0.29, 0.39]))
    """

    __slots__ = (
        "_ends",
        "_failure",
        "_names",
        "_places",
        "_run",
        "_values",
        "_vertex_names",
        "confidence",
        "device",
        "first_id",
        "indices",
        "indptr",
        "num_vertices",
        "seed",
        "seeds",
        "sinks",
        "stop",
        "top_k",
        "total_visits",
        "visitors",
        "visits",
        "walks",
    )

    def __init__(
        self,
        columns: tuple[Array, Array, Array, Array],
        ends: Array | None,
        totals: Array,
        walks: Array,
        *,
        num_vertices: int,
        stop: float,
        sinks: str,
        top_k: int | None,
        seed: int,
        first_id: int,
        confidence: float,
        device: str,
        failure: Array,
        seeds: Array | None,
        names: NameTable | None,
        run: Any,
    ) -> None:
        self._run = run  # the call with its graph; None: these were pickled
        self.indptr, self.indices, self.visits, self.visitors = columns
        self._ends, self.total_visits, self.walks, self._failure = ends, totals, walks, failure
        self.num_vertices, self.stop, self.sinks, self.top_k = num_vertices, stop, sinks, top_k
        self.seed, self.first_id, self.confidence, self.device = seed, first_id, confidence, device
        self.seeds, self._names = seeds, names
        self._values: Array | None = None
        self._vertex_names: Array | None = None
        self._places: dict[int | str, list[int]] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of ``scipy()``: (rows, num_vertices)."""
        return len(self), self.num_vertices

    @property
    def values(self) -> Array:
        """The scores: (entries,) float64, ``stop * visits / walks``, which are unbiased.

        A row without ``top_k`` sums to 1 up to its random error. At a sink of ``sinks="stop"``, which a walk visits
        once, the score is ``visits / walks``.
        """
        if self._values is None:
            self._values = self._unit() * self.visits / self._each(self.walks)
        return self._values

    @property
    def standard_errors(self) -> Array:
        """Estimates of the standard errors of ``values``: (entries,) float64; nan for a row of one walk.

        At vertices that few walks visit, they are too large, by up to 13 % on average.
        """
        return bounds.standard_errors(self.visits, self.visitors, self._each(self.walks), self._unit())

    @property
    def bound(self) -> Array:
        """The error bound of each row: (rows,) float64.

        With probability ``confidence``, all entries of the row are this close to the exact scores: those listed, and
        without ``top_k`` also the zeros that are not. The bound holds for any graph and number of walks, so it is
        usually larger than the actual errors.
        """
        ends = None if self._ends is None else self._ends > 0
        return bounds.bounds(
            self.indptr, self.visits, self.visitors, ends, self.walks, self.stop, self._failure, self.top_k is not None
        )

    @property
    def vertex_names(self) -> Array | None:
        """The names of the graph's vertices: (num_vertices,) int64 or str objects; None if they are their numbers."""
        if self._names is not None and self._vertex_names is None:
            self._vertex_names = self._names.array()
        return self._vertex_names

    def row(
        self, i: SupportsIndex | str | None = None, *, vertex: SupportsIndex | str | None = None
    ) -> tuple[Array, Array]:
        """Returns the vertices and the scores of a row, in the order of the row.

        Args:
            i: the number of the row, of which a negative one counts from the end; or the name of its seed vertex, as
                text. ``scores[i]`` is the same.
            vertex: instead of i, the seed vertex: its number, or its name as text. None (default): i names the row.

        Returns:
            (entries,) vertices, and (entries,) float64 scores.

        Raises:
            TypeError: the argument is neither an int nor text, or not exactly one is given.
            IndexError: there is no row with that number.
            ValueError: no row, or more than one, has that seed vertex, or the rows are of sets of seeds.

        Examples:
            >>> scores = gnd.personalized_pagerank(gnd.rmat(8, seed=1), [0, 7], walks=1000, seed=1)
            >>> np.array_equal(scores.row(vertex=7)[0], scores.row(1)[0])
            True
        """
        if (i is None) == (vertex is None):
            raise TypeError(f"row(i={i!r}, vertex={vertex!r}): pass the number of a row, or the seed vertex")
        n = len(self)
        if vertex is not None or isinstance(i, str):
            at = self._place("i", i) if isinstance(i, str) else self._place("vertex", vertex)
        else:
            try:
                at = operator.index(i)  # type: ignore[arg-type]  # not None
            except TypeError:
                raise TypeError(f"i = {i!r}: expected the number of a row, or a name as text") from None
        if not -n <= at < n:
            raise IndexError(f"row {at} of {n}: expected {-n} to {n - 1}; row(vertex={at}) is that of a seed vertex")
        first, end = self.indptr[at % n], self.indptr[at % n + 1]
        return self.indices[first:end], self.values[first:end]

    def _place(self, argument: str, vertex: Any) -> int:
        """The number of the row whose seed is a vertex, by its number or its name."""
        if not isinstance(vertex, str):
            try:
                vertex = operator.index(vertex)
            except TypeError:
                raise TypeError(f"{argument} = {vertex!r}: expected a vertex, an int or a name") from None
        if self.seeds is None:
            raise ValueError(f"{argument} = {vertex!r}: the rows are of sets of seeds; pass the number of a row")
        if self._places is None:
            seeds = self.seeds.tolist()
            names = seeds if self.vertex_names is None else self.vertex_names[self.seeds].tolist()
            self._places = {}
            for row, (seed, name) in enumerate(zip(seeds, names, strict=True)):
                self._places.setdefault(seed, []).append(row)
                self._places.setdefault(str(name), []).append(row)
        rows = self._places.get(vertex, [])
        if not rows:
            names = [name for name in self._places if isinstance(name, str)]
            hint = advice.meant(vertex, names) if isinstance(vertex, str) else ""
            raise ValueError(f"{argument} = {vertex!r}: no row has that seed vertex{hint}")
        if len(rows) > 1:
            raise ValueError(f"{argument} = {vertex!r}: rows {rows[0]} and {rows[1]} have that seed; pass the number")
        return rows[0]

    def dense(self, i: SupportsIndex | str) -> Array:
        """Returns row i as (num_vertices,) float64; vertices without an entry have 0. i: as for ``row``."""
        out = np.zeros(self.num_vertices)
        vertices, values = self.row(i)
        out[vertices] = values
        return out

    def scipy(self) -> scipy.sparse.csr_array:
        """Returns the scores as a SciPy matrix of shape (rows, num_vertices), columns sorted.

        Raises:
            ImportError: SciPy is not installed.

        Examples:
            >>> scores = gnd.personalized_pagerank(gnd.rmat(8, seed=1), [0, 7], walks=10_000, seed=1)
            >>> features = np.ones((256, 4))
            >>> (scores.scipy() @ features).round(1)  # PageRank-weighted sums of features
            array([[1., 1., 1., 1.],
                   [1., 1., 1., 1.]])
        """
        try:
            import scipy.sparse
        except ImportError as missing:
            raise ImportError("Scores.scipy needs scipy: pip install 'gonextdoor[scipy]'") from missing
        matrix = scipy.sparse.csr_array((self.values, self.indices, self.indptr), shape=self.shape)
        if self.top_k is not None:
            matrix = matrix.copy()
            matrix.sort_indices()
        return matrix

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a pandas frame with one row per entry, in order.

        Columns: ``id`` (the id of the row, from ``first_id``), ``seed`` (its seed vertex; not if rows are of sets of
        seeds), ``vertex``, ``score`` and ``standard_error``. Vertices are given by their names, or else their numbers.

        Raises:
            ImportError: pandas is not installed.

        Examples:
            >>> import pandas
            >>> graph = gnd.Graph.from_edges([("alice", "bob"), ("bob", "carol"), ("carol", "alice")])
            >>> scores = gnd.personalized_pagerank(graph, ["bob"], walks=10_000, top_k=2, seed=1)
            >>> print(scores.to_pandas().round(2).to_string())
               id seed vertex  score  standard_error
            0   0  bob    bob   0.39             0.0
            1   0  bob  carol   0.33             0.0
        """
        try:
            import pandas
        except ImportError as missing:
            raise ImportError("to_pandas needs pandas: pip install 'gonextdoor[pandas]'") from missing
        names = self.vertex_names
        kind = np.int64 if self.first_id + len(self) <= 1 << 63 else np.uint64
        columns = {"id": self._each(np.arange(len(self)).astype(kind) + kind(self.first_id))}
        if self.seeds is not None:
            columns["seed"] = self._each(self.seeds if names is None else names[self.seeds])
        columns["vertex"] = self.indices if names is None else names[self.indices]
        return pandas.DataFrame(columns | {"score": self.values, "standard_error": self.standard_errors})

    def updated(self, graph: Graph) -> Scores:
        """The scores that ``gonextdoor.personalized_pagerank`` returns for a later version of the graph, with the same
        seeds, random seed and other arguments.

        The walks of a row read the rows of the vertices that they visit. So a row of scores is kept if it has no vertex
        whose row in the graph changed, and the others are counted again. Of rows that ``top_k`` has shortened, not all
        vertices are known; they are counted again, too. If that is more than half of the rows, all are.

        Args:
            graph: a version of the graph of the scores, which ``Graph.updated`` returned; several updates may lie
                between.

        Returns:
            The scores of that version. These scores do not change.

        Raises:
            TypeError: it is no ``Graph``.
            ValueError: it is no version of the graph, or the scores were pickled, which leaves out their graph.

        Examples:
            >>> graph = gnd.rmat(8, seed=1)
            >>> scores = gnd.personalized_pagerank(graph, [0, 7], walks=1000, seed=1)
            >>> later = graph.updated([(7, 9), (3, 5)])
            >>> again = gnd.personalized_pagerank(later, [0, 7], walks=1000, seed=1)
            >>> np.array_equal(scores.updated(later).visits, again.visits)
            True
        """
        if self._run is None:
            raise ValueError("these scores were pickled, without their graph: call gonextdoor.personalized_pagerank")
        return self._run.updated(self, graph)  # type: ignore[no-any-return]

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        return None, {name: getattr(self, name) for name in self.__slots__ if name != "_run"} | {"_run": None}

    def __len__(self) -> int:
        return len(self.walks)

    def __getitem__(self, i: SupportsIndex | str) -> tuple[Array, Array]:
        return self.row(i)

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        return (self.row(i) for i in range(len(self)))

    def __repr__(self) -> str:
        n = f"{int(self.walks.min()):,}" if len(self) else "0"
        if len(self) and self.walks.min() < self.walks.max():
            n += f" to {int(self.walks.max()):,}"
        top = "" if self.top_k is None else f", top_k={self.top_k}"
        return f"Scores({len(self)} rows, {len(self.indices)} entries, stop={self.stop:.6g}, {n} walks each{top})"

    def _repr_html_(self) -> str:
        return panel(
            "Scores",
            {
                "rows": f"{len(self):,}",
                "entries": f"{len(self.indices):,}",
                "stop": f"{self.stop:.6g}",
                "sinks": self.sinks,
                "walks": f"{int(self.walks.sum()):,}",
                "seed": str(self.seed),
                "device": self.device,
            },
        )

    def _unit(self) -> Array:
        """The score of one visit, for each entry or for all."""
        return np.array(self.stop) if self._ends is None else np.where(self._ends > 0, 1.0, self.stop)

    def _each(self, rows: Array) -> Array:
        """A number of each row, for each of its entries."""
        return np.repeat(rows, np.diff(self.indptr))
