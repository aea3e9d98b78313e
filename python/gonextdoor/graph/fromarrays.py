"""FromArrays: the class methods that make a Graph from a folder, and from arrays and sparse matrices."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any, Literal

import numpy.typing as npt

from .._core import native
from .._core.adapters import adapter
from .._core.arguments import Arguments, PathLike, is_uri, path_text
from .._core.binding import advised
from .._core.checks import check_size
from . import convert, edgelist
from .rows import Rows

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FromArrays"]


@advised
class FromArrays(Rows):
    """The constructors of ``Graph`` that take a folder or arrays; these have ``weights=``, ``labels=``, ``times=``."""

    __slots__ = ()

    @classmethod
    def open(cls, folder: PathLike) -> Self:
        """Opens the graph of a folder that ``save`` wrote.

        Its files are mapped: nothing is loaded until it is used, and processes that open the same folder share the
        memory. The arrays' contents are checked before the first sample. A file that is truncated or written to later
        is noticed by the next call.

        Args:
            folder: the folder: a path, or a URI such as ``s3://bucket/graph``. The folder of a URI is copied once per
                machine, to the cache folder, and checked; a folder that was changed since is copied again.

        Returns:
            The graph.

        Raises:
            OSError: the folder cannot be read, or not be copied.
            ValueError: nothing here opens such a URI.
            ImportError: what opens the URI is missing.
            FormatError: it does not hold a graph, or an incomplete one; or one of its files is a named pipe or a
                device.

        Examples:
            >>> gnd.rmat(8, seed=1).save("graph")
            >>> gnd.Graph.open("graph")
            Graph(num_vertices=256, num_edges=4264)
        """
        path = path_text(folder)
        if is_uri(path):
            remote: Self = adapter("open_uri")(cls, path)
            return remote
        if os.path.isfile(path):
            raise NotADirectoryError(errno.ENOTDIR, "this is a file; gonextdoor.read reads it", path)
        source = f"{os.path.basename(os.path.abspath(path))}: the folder of a graph, as it was saved"
        return cls._of(native.call("GraphOpen", path), path, source)

    @classmethod
    def from_csr(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        *,
        weights: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        times: npt.ArrayLike | None = None,
        edge_ids: npt.ArrayLike | None = None,
        num_vertices: int | None = None,
    ) -> Self:
        """A graph from compressed sparse rows, which need not be sorted.

        Args:
            indptr: (V + 1,) ints: the start of each row in indices, and the end.
            indices: (E,) ints: the end point of each edge.
            weights: (E,) non-negative finite numbers; None: unweighted.
            labels: (E,) ints of 32 bits; None: no labels.
            times: (E,) ints, or dates, which become ints of ``time_unit``; None: no times.
            edge_ids: (E,) ints: the id of each edge; None: its position in indices.
            num_vertices: V, at least len(indptr) - 1; vertices after those rows have no edges. None: len(indptr) - 1.

        Returns:
            The graph.

        Raises:
            TypeError: an array is of the wrong type.
            ValueError: an array is of the wrong rank or length, indptr decreases or does not end at E, an end point is
                not a vertex, or a weight is negative or not finite. The text names array, index and value.

        Examples:
            >>> gnd.Graph.from_csr([0, 2, 2, 3], [1, 2, 0], weights=[0.5, 2.0, 1.0])
            Graph(num_vertices=3, num_edges=3, weighted)
        """
        spec = Arguments(indptr=indptr, indices=indices)
        spec.optional(weights=weights, labels=labels, times=times, edge_ids=edge_ids)
        if num_vertices is not None:
            spec.options(num_vertices=check_size("num_vertices", num_vertices))
        return cls._of(spec.run("GraphFromCSR", "indices"))

    @classmethod
    def from_edges(
        cls,
        src: Any,
        dst: Any = None,
        *,
        weights: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        times: npt.ArrayLike | None = None,
        num_vertices: int | None = None,
        symmetric: bool = False,
        deduplicate: bool = False,
        drop_self_loops: bool = False,
        relabel: bool = False,
    ) -> Self:
        """A graph from a list of edges. The id of an edge is its position in the list.

        Args:
            src: (E,) ints or text: the vertex that each edge leaves; anything that ``numpy.asarray`` accepts, such as a
                torch tensor. Without dst, both ends: (2, E), like PyG's edge_index, (E, 2), or any iterable of pairs.
                An array of shape (2, 2) is read as (2, E), with an ``InputWarning`` if the other reading differs; a
                list of two tuples is two pairs.
            dst: (E,) ints or text: the vertex that each edge leads to; None: src has both ends.
            weights: (E,) non-negative finite numbers; None: unweighted.
            labels: (E,) ints of 32 bits; None: no labels.
            times: (E,) ints, or dates, which become ints of ``time_unit``; None: no times.
            num_vertices: V, at most 2^32 - 2; None: one more than the largest id.
            symmetric: hold every edge in both directions, both with its id; self-loops once.
            deduplicate: keep only the first of equal edges.
            drop_self_loops: leave out edges from a vertex to itself.
            relabel: number the ids that occur in ascending order, and keep them as ``vertex_names``. Text is always
                numbered in this way. False: an int is the number of its vertex, so 4,000,000,000 needs 32 GB; from 2^27
                on, ids that are far larger than the number of edges are refused unless num_vertices is given.

        Returns:
            The graph.

        Raises:
            TypeError: an array is of the wrong type.
            ValueError: an array is of the wrong rank or length, an id is negative or too large, or a weight is negative
                or not finite. The text names array, position and value.

        Examples:
            >>> gnd.Graph.from_edges([0, 0, 1], [1, 2, 2])
            Graph(num_vertices=3, num_edges=3)
            >>> gnd.Graph.from_edges(np.array([[0, 0, 1], [1, 2, 2]]), num_vertices=5)
            Graph(num_vertices=5, num_edges=3)
            >>> gnd.Graph.from_edges([("bob", "alice"), ("alice", "carol")], symmetric=True).vertex_names
            array(['alice', 'bob', 'carol'], dtype=object)
        """
        attributes = {"weights": weights, "labels": labels, "times": times}
        flags = {"symmetric": symmetric, "deduplicate": deduplicate, "drop_self_loops": drop_self_loops}
        graph = cls._of(edgelist.from_edges(src, dst, attributes, num_vertices, flags, relabel))
        graph._edge_index = not symmetric and edgelist.is_edge_index(src, dst)
        return graph

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, weight: Literal["auto"] | bool | None = "auto", symmetric: bool = False
    ) -> Self:
        """A graph from a square SciPy sparse matrix or array: entry (u, v) is an edge from u to v.

        The id of an edge is the position of its entry in the CSR form, ``matrix.tocsr()``.

        Args:
            matrix: (V, V), of any sparse format. Duplicate entries of a CSR or CSC matrix are parallel edges; those of
                other formats are added up by ``tocsr``.
            weight: "auto" (default): the entries are weights, unless they are booleans or all 1; True: they are weights
                in any case; False or None: the graph is unweighted.
            symmetric: hold every edge in both directions, for a matrix that has each edge once, such as a triangular
                one.

        Returns:
            The graph.

        Raises:
            TypeError: the argument is not a sparse matrix.
            ValueError: the matrix is not square, or an entry is not a valid weight.

        Examples:
            >>> import scipy.sparse
            >>> gnd.Graph.from_scipy(scipy.sparse.csr_array([[0, 2], [1, 0]])).weights
            array([2., 1.])
        """
        return cls._of(convert.from_scipy(matrix, weight=weight, symmetric=symmetric))
