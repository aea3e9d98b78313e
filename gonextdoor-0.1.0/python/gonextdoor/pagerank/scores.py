"""Scores: the result of gnd.personalized_pagerank."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core.htmltable import panel
from . import bounds

if TYPE_CHECKING:
    import scipy.sparse

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
    """

    __slots__ = (
        "_ends",
        "_failure",
        "_values",
        "confidence",
        "device",
        "first_id",
        "indices",
        "indptr",
        "num_vertices",
        "seed",
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
    ) -> None:
        self.indptr, self.indices, self.visits, self.visitors = columns
        self._ends, self.total_visits, self.walks, self._failure = ends, totals, walks, failure
        self.num_vertices, self.stop, self.sinks, self.top_k = num_vertices, stop, sinks, top_k
        self.seed, self.first_id, self.confidence, self.device = seed, first_id, confidence, device
        self._values: Array | None = None

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

    def row(self, i: int) -> tuple[Array, Array]:
        """Returns the vertices and the scores of row i, in the order of the row.

        Args:
            i: the row; a negative one counts from the end. ``scores[i]`` is the same.

        Returns:
            (entries,) vertices, and (entries,) float64 scores.

        Raises:
            IndexError: there is no such row.
        """
        n = len(self)
        at = operator.index(i)
        if not -n <= at < n:
            raise IndexError(f"row {i} of {n}: expected {-n} to {n - 1}")
        first, end = self.indptr[at % n], self.indptr[at % n + 1]
        return self.indices[first:end], self.values[first:end]

    def dense(self, i: int) -> Array:
        """Returns row i as (num_vertices,) float64; vertices without an entry have 0."""
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

    def __len__(self) -> int:
        return len(self.walks)

    def __getitem__(self, i: int) -> tuple[Array, Array]:
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
