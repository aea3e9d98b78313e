"""Graph: the immutable graph that is sampled."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from .._core import advice, native, running
from .._core.arguments import Arguments, PathLike
from .._core.atomic import output_folder
from .._core.binding import advised
from .._core.checks import checked_flag
from .._core.costs import costs
from .._core.htmltable import panel
from . import convert, networks
from .names import ids as find_ids
from .names import vertex
from .nametable import NameTable
from .picture import graph_picture
from .placement import Placement, place, placement_of
from .sharing import register
from .versions import Versions

if TYPE_CHECKING:
    import networkx
    import scipy.sparse
    from typing_extensions import Self

__all__ = ["Graph"]

Array = npt.NDArray[Any]

PIECE = 1 << 20  # elements that are compared at a time


class _Named(type):
    """The class of Graph, which answers the names of constructors in other libraries."""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            raise advice.missing(cls, name)


@advised
class Graph(Versions, metaclass=_Named):
    """A directed graph in compressed sparse rows: row u lists the out-edges of u, sorted by (neighbour, input
    position).

    Constructors are ``Graph.from_edges``, ``from_csr``, ``from_scipy``, ``from_networkx``, ``from_igraph``,
    ``from_pandas``, ``from_arrow``, ``from_pyg``, ``from_dgl``, ``Graph.open``, ``gonextdoor.read`` and
    ``gonextdoor.rmat``. A graph is immutable. An undirected graph holds each edge in both directions. All arrays are
    read-only views of the core's memory.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 0], weights=[1.0, 0.5, 2.0, 1.0])
        >>> graph
        Graph(num_vertices=3, num_edges=4, weighted)
        >>> graph.neighbors(0), graph.degrees()
        (array([1, 2], dtype=int32), array([2, 1, 1]))
        >>> graph.has_edge(2, 1)
        False
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(
            "Graph(...): use a constructor: Graph.from_edges(edges) for arrays and lists of edges, Graph.from_csr, "
            "from_scipy, from_networkx, from_igraph, from_pandas, from_arrow, from_pyg, from_dgl, Graph.open(folder), "
            "gonextdoor.read(path) or gonextdoor.rmat(scale)"
        )

    if not TYPE_CHECKING:  # type checkers know the attributes

        def __getattr__(self, name: str) -> Any:
            raise advice.missing(self, name)

    @classmethod
    def _of(cls, number: int, folder: str | None = None, source: str | None = None) -> Self:
        register(cls)
        return super()._of(number, folder, source)

    def save(self, folder: PathLike, *, edge_ids: bool = True, alias_tables: bool = False) -> None:
        """Writes the graph to a folder of .npy files and graph.json, which appears when it is complete.

        Args:
            folder: the folder to create; ``Graph.open`` and ``gonextdoor.read`` open it. The files of a URI, such as
                ``s3://bucket/graph``, are written to a temporary folder first, and the folder must have no files.
            edge_ids: whether the folder has the ids of the edges, 4 bytes per edge (8 from 2^32 edges on), unless they
                are in the order of the rows (default True). The graph of a folder without ids refuses what needs them:
                ``edge_ids``, ``edges=True``, ``exclude=``, ``ctx.edge_id``, the ids of the edges of mini-batches, and
                apps that record the edges between vertices. A graph without ids is saved without them.
            alias_tables: whether the folder has the alias tables of weighted walks, 16 bytes per edge (default False).
                All processes of a machine that open it then share them, and build none in their memory.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: the path exists and is not the folder of a graph, or alias_tables is True and the graph has no
                weights.
            OSError: the folder cannot be written.

        Examples:
            >>> import os
            >>> gnd.Graph.from_edges([0, 1], [1, 2]).save("small")
            >>> os.path.exists("small/graph.json")
            True
        """
        given = checked_flag("edge_ids", edge_ids), checked_flag("alias_tables", alias_tables)
        total = native.call("GraphSavedBytes", self._held.number, *given)
        seconds = costs().save_start + costs().save_byte * total
        with output_folder("folder", folder) as path:
            running.call("GraphSave", self._held.number, path, *given, seconds=seconds, total=total, label="saving")

    def neighbors(self, v: SupportsIndex | str) -> Array:
        """The end points of v's out-edges, ascending: a read-only view.

        Args:
            v: a vertex: its number, or its name as text.

        Returns:
            (degree,) int32, or uint32 from 2^31 vertices on.

        Raises:
            IndexError: no vertex has that number.
            ValueError: no vertex has that name.

        Examples:
            >>> graph = gnd.Graph.from_edges([("alice", "bob"), ("alice", "carol")])
            >>> graph.neighbors("alice"), graph.neighbors(0)
            (array([1, 2], dtype=int32), array([1, 2], dtype=int32))
        """
        row = vertex(self, "v", v)
        indptr = self.indptr
        return self.indices[indptr[row] : indptr[row + 1]]

    def has_edge(self, u: SupportsIndex | str, v: SupportsIndex | str) -> bool:
        """Whether an edge leads from u to v.

        Args:
            u: the source vertex: its number, or its name as text.
            v: the target vertex, likewise.

        Raises:
            IndexError: no vertex has that number.
            ValueError: no vertex has that name.

        Examples:
            >>> gnd.Graph.from_edges([("alice", "bob")]).has_edge("bob", "alice")
            False
        """
        end = vertex(self, "v", v)
        row = self.neighbors(vertex(self, "u", u))
        at = int(np.searchsorted(row, end))
        return at < len(row) and int(row[at]) == end

    @overload
    def ids(self, names: str | int) -> int: ...  # type: ignore[overload-overlap]  # both are array-likes, too
    @overload
    def ids(self, names: npt.ArrayLike) -> Array: ...
    def ids(self, names: Any) -> Any:
        """The numbers of the vertices with these names; the inverse of ``vertex_names``.

        Args:
            names: a name, or an array or nested list of names. Ints are names only here: in all other methods an int
                is the number of a vertex. Text is a name as ``Samples.sentences`` writes it, so "7" is the vertex that
                is named 7. In a graph without names, names are 0 ... V-1.

        Returns:
            int64 of the same shape; an int for a single name.

        Raises:
            ValueError: no vertex has a name, or several have it; the text names a close match.
            TypeError: a name is neither an int nor text, or an int although the names are text.

        Examples:
            >>> graph = gnd.Graph.from_edges([("alice", "bob"), ("bob", "carol")])
            >>> graph.ids(["carol", "alice"]), graph.ids("bob")
            (array([2, 0]), 1)
        """
        return find_ids(self, names)

    def to_scipy(self) -> scipy.sparse.csr_array:
        """The adjacency matrix: entry (u, v) is the weight of an edge from u to v, or 1 in an unweighted graph.

        Parallel edges remain separate entries, whose sum is the value of the matrix at (u, v);
        ``A.sum_duplicates()`` adds them. Entry k is edge k of ``indices``, also if its weight is 0. Everything is
        copied; labels, times and names are not part of a matrix.

        Returns:
            (V, V) ``scipy.sparse.csr_array`` of float64, its rows sorted.

        Raises:
            ImportError: SciPy is not installed.

        Examples:
            >>> gnd.Graph.from_edges([0, 0, 1], [1, 1, 2]).to_scipy().toarray()
            array([[0., 2., 0.],
                   [0., 0., 1.],
                   [0., 0., 0.]])
        """
        return convert.to_scipy(self)

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """The graph as a NetworkX graph, which is directed.

        A graph with parallel edges becomes a ``MultiDiGraph``, any other a ``DiGraph``; an undirected graph has both
        directions of each edge, which ``.to_undirected()`` joins. Nodes are the vertices' names, or else 0 ... V-1, in
        the order of the vertices. Edges are added in the order of ``indices``, with the attributes ``weight`` (float),
        ``label`` (int) and ``time`` (int) if the graph has them. ``Graph.from_networkx`` of the result is this graph
        again, except for ``edge_ids``.

        Raises:
            ValueError: two vertices have the same name.
            ImportError: NetworkX is not installed.

        Examples:
            >>> gnd.Graph.from_edges([("a", "b")], weights=[0.5]).to_networkx().edges(data=True)
            OutEdgeDataView([('a', 'b', {'weight': 0.5})])
        """
        return networks.to_networkx(self)

    def reverse(self) -> Graph:
        """The graph with every edge reversed. Edges keep their ids, weights, labels and times; vertices keep their
        names.

        Returns:
            A new graph, whose row v lists the edges that lead to v.

        Examples:
            >>> graph = gnd.Graph.from_edges([0, 0, 1], [1, 2, 2])
            >>> graph.reverse().neighbors(2)
            array([0, 1], dtype=int32)
        """
        number = running.call(
            "GraphReverse", self._held.number, seconds=costs().reverse_edge * self.num_edges, label="reversing"
        )
        return self._of(number, source=None if self._source is None else f"{self._source}; reversed")

    def equals(self, other: Graph) -> bool:
        """Whether two graphs have the same vertices, names and edges, with equal weights, labels and times and the same
        label names and time unit.

        The comparison is exact. The order of parallel edges counts, and weights as they are stored; ``edge_ids``, which
        are positions in the input, ``source`` and ``placement`` do not. ``==`` compares identity.

        Args:
            other: the other graph.

        Raises:
            TypeError: it is no ``Graph``.
            FormatError: a graph is mapped from files that are damaged, or were changed since it was opened.

        Examples:
            >>> graph = gnd.Graph.from_edges([("alice", "bob"), ("bob", "carol")])
            >>> graph.save("friends")
            >>> graph.equals(gnd.Graph.open("friends")), graph.equals(graph.reverse())
            (True, False)
        """
        if not isinstance(other, Graph):
            raise TypeError(f"other: expected a gonextdoor.Graph, got {type(other).__name__}")
        if self is other:
            return True
        pair = (self, other)
        for graph in pair:
            graph._held.check()
        one, another = ((g.num_vertices, g.num_edges, g.weighted, g.time_unit, g.label_names) for g in pair)
        if one != another:
            return False
        names = [NameTable() if (table := graph._name_table()) is None else table for graph in pair]
        return _same(pair, "indptr", "indices", "labels", "times", "weights") and _same(
            names, "ints", "offsets", "text"
        )

    @property
    def device_bytes(self) -> dict[str, int]:
        """The bytes of GPU memory that the graph takes, by the names of the GPUs.

        Its arrays are uploaded with the first samples on a GPU. They stay there until other data needs the memory, or
        the graph is deleted.

        Examples:
            >>> gnd.rmat(8, seed=1).device_bytes  # no samples on a GPU yet
            {}
        """
        return dict(json.loads(native.call("GraphDeviceBytes", self._held.number)))

    def release_device(self) -> None:
        """Frees the GPU memory that the graph takes, and the unused memory that the package keeps there.

        The next samples on a GPU upload the graph again. The graph keeps its ``placement``.

        Examples:
            >>> gnd.rmat(8, seed=1).release_device()
        """
        native.call("GraphReleaseDevice", self._held.number)
        self._warm = {app for app in self._warm if not (isinstance(app, tuple) and app[1])}

    def place(self, devices: Sequence[str] | None, *, bounds: npt.ArrayLike | None = None) -> None:
        """Splits the rows of the graph over GPUs, so that together they hold a graph that does not fit one of them.

        Samples do not depend on the placement. Calls on these GPUs, or on some of them, read the rows of the others
        from their memory. Each GPU also keeps copies of data of the others, as far as its memory permits. A GPU that is
        not in the placement refuses calls. What the graph has in GPU memory is freed, and uploaded in parts by the next
        call. The placement belongs to this process: pickles and forked workers do not have it.

        A graph that fits one GPU needs no placement, and is sampled faster without: a list of GPUs as ``device`` then
        gives a copy to each. A call with a list places a graph by itself if it does not fit one GPU.

        Args:
            devices: the GPUs, in the order of the parts, such as ``["cuda:0", "cuda:1"]``. A list of one GPU, or None,
                undoes the placement.
            bounds: (len(devices) + 1,) ints, ascending from 0 to V: part i has the rows from bounds[i] to
                bounds[i + 1] - 1. None (default): parts with equal numbers of edges.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: a device is not a GPU or is named twice, or bounds do not fit.
            DeviceError: there is no such GPU, a GPU cannot read the memory of another, or a call is using the graph.

        Examples:
            >>> graph = gnd.rmat(8, seed=1)
            >>> graph.place(None)  # not split
            >>> graph.place("cuda:0")
            Traceback (most recent call last):
            TypeError: devices = 'cuda:0': expected a list of GPUs, such as ["cuda:0", "cuda:1"]
        """
        place(self, devices, bounds)

    @property
    def placement(self) -> Placement | None:
        """How the rows of the graph are split over GPUs; None if they are not.

        Examples:
            >>> gnd.rmat(8, seed=1).placement is None
            True
        """
        return placement_of(self)

    def __copy__(self) -> Graph:
        return self  # immutable

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        return self

    def __reduce__(self) -> tuple[Callable[..., Graph], tuple[dict[str, Any]]]:
        self._held.check()
        arrays: dict[str, Any] = {name: getattr(self, name) for name in ("indptr", "indices", "weights", "labels")}
        if self._info["edge_ids"] or self._info["edge_ids_wide"]:
            arrays["edge_ids"] = self.edge_ids
        arrays |= {"times": self.times, "names": self.vertex_names}
        if self._held.mapped():  # the pickler would read the pages, and crash if a file was truncated
            arrays = {name: array if array is None else self._held.copied(array) for name, array in arrays.items()}
        arrays |= {"source": self._source, "time_unit": self.time_unit, "label_names": self.label_names}
        arrays |= {"no_edge_ids": bool(self._info["no_edge_ids"]) or None, "next_id": self._info["next_id"] or None}
        return _from_arrays, ({name: array for name, array in arrays.items() if array is not None},)

    def __repr__(self) -> str:
        weighted = ", weighted" if self.weighted else ""
        return f"Graph(num_vertices={self.num_vertices}, num_edges={self.num_edges}{weighted})"

    def _repr_html_(self) -> str:
        facts = {"vertices": f"{self.num_vertices:,}", "edges": f"{self.num_edges:,}"}
        facts["largest degree"] = f"{self._info['largest_degree']:,}"
        known = {"weights": self.weighted, "labels": self._info["labels"], "times": self._info["times"]}
        facts["edges have"] = ", ".join(name for name, present in known.items() if present) or "no attributes"
        placement = self.placement
        if placement is not None:
            facts["placed on"] = ", ".join(placement.devices)
        return panel("Graph", facts, *graph_picture(self))


def _same(pair: Sequence[Any], *names: str) -> bool:
    """Whether the arrays of these names are equal, piece by piece, or missing in both objects."""
    for name in names:
        one, other = (getattr(owner, name) for owner in pair)
        if one is None or other is None or len(one) != len(other):
            same = one is other
        else:
            same = all((one[i : i + PIECE] == other[i : i + PIECE]).all() for i in range(0, len(one), PIECE))
        if not same:
            return False
    return True


def _from_arrays(arrays: dict[str, Any]) -> Graph:
    """The graph that was pickled as these arrays."""
    names, source = arrays.pop("names", None), arrays.pop("source", None)
    known = "time_unit", "label_names", "no_edge_ids", "next_id"
    meaning = {name: value for name in known if (value := arrays.pop(name, None)) is not None}
    spec = Arguments(**arrays)
    spec.names(names)
    spec.options(**meaning)
    return Graph._of(spec.run("GraphFromCSR", "indices"), source=source)
