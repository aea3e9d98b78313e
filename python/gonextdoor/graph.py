"""Graph: the immutable graph that is sampled."""

from __future__ import annotations

import itertools
import json
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from . import _memory, _native, _running
from .arguments import Arguments, PathLike, path_text, size
from .sharing import Folder, Shared, register

if TYPE_CHECKING:
    import networkx
    import pandas

    from .hetero import HeteroGraph

__all__ = ["Graph"]

Array = npt.NDArray[Any]

# What GraphInfo writes, in its order.
_INFO = (
    "vertices", "edges", "indptr", "indices", "edge_ids", "edge_ids_wide", "weighted", "labels", "times", "name_ints",
    "name_text", "name_bytes", "name_offsets", "largest_degree",
)  # fmt: skip


class Graph:
    """A directed graph in compressed sparse rows: row u lists the out-edges of u, sorted by (neighbour, input
    position).

    Made by ``Graph.from_csr``, ``from_edges``, ``from_scipy``, ``from_networkx``, ``from_pandas``, ``Graph.open``,
    ``gonextdoor.read`` and ``gonextdoor.rmat``; never changed. An undirected graph holds each edge in both directions.
    All arrays are read-only views of the core's memory.
    """

    __slots__ = ("__weakref__", "_folder", "_held", "_info", "_views", "_warm")

    _folder: Folder | None  # that it was opened from
    _held: _HeldGraph
    _info: dict[str, int]
    _views: dict[str, Array]
    _warm: set[Any]  # the apps, and devices, whose tables are there

    def __init__(self) -> None:
        raise TypeError("a Graph is made by Graph.from_csr, from_edges, ..., gonextdoor.read or gonextdoor.rmat")

    @classmethod
    def _of(cls, number: int, folder: str | None = None) -> Graph:
        """The graph of a number of the core, which may be that of a folder."""
        self: Graph = object.__new__(cls)
        self._folder = None if folder is None else Folder(folder)
        self._held = _HeldGraph(number)
        words = np.zeros(len(_INFO), np.int64)
        _native.call("GraphInfo", number, _memory.address(words))
        self._info = dict(zip(_INFO, words.tolist(), strict=True))
        self._views = {}
        self._warm = set()
        register(cls)
        return self

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
    ) -> Graph:
        """A graph from compressed sparse rows, which need not be sorted.

        Args:
            indptr: (V + 1,) ints: where each row begins in indices, and the end.
            indices: (E,) ints: the end point of each edge.
            weights: (E,) non-negative finite numbers; None: unweighted.
            labels: (E,) ints of 32 bits. times: (E,) ints.
            edge_ids: (E,) ints: the id of each edge; None: its place in indices.
            num_vertices: V, at least len(indptr) - 1; the vertices behind those rows have no edges. None: len(indptr)
                - 1.

        Raises:
            TypeError, ValueError: an array is of the wrong type, rank or length, indptr decreases or does not end at E,
                an end point is no vertex, or a weight is negative or not finite; the text names array, place and value.
        """
        spec = Arguments(indptr=indptr, indices=indices)
        spec.optional(weights=weights, labels=labels, times=times, edge_ids=edge_ids)
        if num_vertices is not None:
            spec.options(num_vertices=size("num_vertices", num_vertices))
        return cls._of(spec.run("GraphFromCSR", "indices"))

    @classmethod
    def from_edges(
        cls,
        src: npt.ArrayLike,
        dst: npt.ArrayLike,
        *,
        weights: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        times: npt.ArrayLike | None = None,
        num_vertices: int | None = None,
        symmetric: bool = False,
        deduplicate: bool = False,
        drop_self_loops: bool = False,
    ) -> Graph:
        """A graph from a list of edges. The id of an edge is its place in the list.

        Args:
            src, dst: (E,) ints: where each edge leads from and to.
            weights: (E,) non-negative finite numbers; None: unweighted.
            labels: (E,) ints of 32 bits. times: (E,) ints.
            num_vertices: V, at most 2^32 - 2; None: one more than the largest id.
            symmetric: hold every edge in both directions, both with its id; self-loops once.
            deduplicate: of equal edges keep the first alone.
            drop_self_loops: leave edges from a vertex to itself out.

        Raises:
            TypeError, ValueError: an array is of the wrong type, rank or length, an id is negative or too large, or a
                weight is negative or not finite; the text names array, place and value.
        """
        flags = {"symmetric": symmetric, "deduplicate": deduplicate, "drop_self_loops": drop_self_loops}
        for name, value in flags.items():
            if not isinstance(value, (bool, np.bool_)):
                raise TypeError(f"{name} = {value!r}: expected True or False")
        spec = Arguments(src=src, dst=dst)
        spec.optional(weights=weights, labels=labels, times=times)
        spec.options(**{name: bool(value) for name, value in flags.items()})
        if num_vertices is not None:
            spec.options(num_vertices=size("num_vertices", num_vertices))
        return cls._of(spec.run("GraphFromEdges", "src"))

    @classmethod
    def from_scipy(cls, matrix: Any) -> Graph:
        """A graph from a square SciPy sparse matrix or array: entry (u, v) is an edge from u to v of that weight.

        A matrix of booleans, or of ones alone, is an unweighted graph. Ids of edges are places in the CSR form.

        Raises:
            TypeError, ValueError: it is not sparse, not square, or has an entry that is no weight.
        """
        from . import convert

        return convert.from_scipy(matrix)

    @classmethod
    def from_networkx(cls, graph: networkx.Graph, weight: str | None = "weight") -> Graph:
        """A graph from a networkx one; undirected ones hold each edge in both directions. Ids of edges are places in
        ``list(graph.edges)``; nodes other than 0 ... n-1 in order are kept as ``vertex_names``.

        Args:
            weight: the edges' attribute with their weights, 1 where an edge lacks it. Where all lack it, or None: an
                unweighted graph.
        """
        from . import convert

        return convert.from_networkx(graph, weight)

    @classmethod
    def from_pandas(
        cls, frame: pandas.DataFrame, source: str = "source", target: str = "target", weight: str | None = None
    ) -> Graph:
        """A graph from a pandas frame with one row an edge. Ids of edges are places in the frame; vertices that are not
        0 ... n-1 are numbered in sorted order and kept as ``vertex_names``.

        Args:
            source, target, weight: names of columns; weight None: an unweighted graph.
        """
        from . import convert

        return convert.from_pandas(frame, source, target, weight)

    @classmethod
    def from_pyg(cls, data: Any, edge_dir: str = "in", *, weight_attr: str | None = None) -> Graph | HeteroGraph:
        """A graph from a torch_geometric Data, or a HeteroGraph from a HeteroData or a (FeatureStore, GraphStore). Ids
        of edges are places in ``edge_index``; weight_attr names the edges' attribute with their weights.

        Args:
            edge_dir: "in": row v lists the edges that lead to v, along which mini-batches are sampled; "out": those
                that leave it.
        """
        from .pyg import graphs

        return graphs.from_pyg(data, edge_dir, weight_attr)

    @classmethod
    def from_dgl(
        cls, g: Any, edge_dir: str = "in", *, prob: str | None = None, mask: str | None = None
    ) -> Graph | HeteroGraph:
        """A graph from a ``dgl.DGLGraph``; a ``HeteroGraph`` where it has several types of vertices or edges. Ids of
        edges are DGL's. ``gonextdoor.dgl.from_dgl`` has the arguments.

        Args:
            edge_dir: "in": row v lists the edges that lead to v, as message passing wants them; "out": those from v.
            prob, mask: names of edge features: weights; which edges to keep.
        """
        from .dgl import from_dgl

        return from_dgl(g, edge_dir, prob=prob, mask=mask)

    @classmethod
    def open(cls, folder: PathLike) -> Graph:
        """The graph of a folder that ``save`` wrote. Its files are mapped: nothing is loaded until it is used, and
        processes that open the same folder share the memory.

        Raises:
            OSError: the folder cannot be read.
            FormatError: it does not hold a graph, or one that is incomplete.
        """
        path = path_text(folder)
        return cls._of(_native.call("GraphOpen", path), path)

    def save(self, folder: PathLike) -> None:
        """Writes the graph to a folder of .npy files and graph.json, which appears when it is complete.

        Raises:
            OSError: the folder cannot be written.
        """
        total = _native.call("GraphSavedBytes", self._held.number)
        seconds = 2e-9 * total + 0.1
        _running.call("GraphSave", self._held.number, path_text(folder), seconds=seconds, total=total, label="saving")

    @property
    def num_vertices(self) -> int:
        """The number of vertices, V."""
        return self._info["vertices"]

    @property
    def num_edges(self) -> int:
        """The number of edges, E; an undirected graph has each one twice."""
        return self._info["edges"]

    @property
    def weighted(self) -> bool:
        """Whether the edges have weights."""
        return bool(self._info["weighted"])

    @property
    def indptr(self) -> Array:
        """Where each row begins in ``indices``, and the end: (V + 1,) int64, read-only."""
        return self._view("indptr", self.num_vertices + 1, np.int64)

    @property
    def indices(self) -> Array:
        """The end point of each edge: (E,) int32, uint32 from 2^31 vertices on; read-only."""
        return self._view("indices", self.num_edges, np.int32 if self.num_vertices < 1 << 31 else np.uint32)

    @property
    def edge_ids(self) -> Array:
        """The place of each edge in the user's input: (E,) int64, read-only."""
        if self._info["edge_ids_wide"]:
            return self._view("edge_ids_wide", self.num_edges, np.int64)
        if self._info["edge_ids"]:
            return self._kept("ids", lambda: self._view("edge_ids", self.num_edges, np.uint32).astype(np.int64))
        return self._kept("ids", lambda: np.arange(self.num_edges, dtype=np.int64))

    @property
    def weights(self) -> Array | None:
        """The weight of each edge: (E,) float64, read-only; None in an unweighted graph. Weights are kept to within
        2^-32 of the largest in their row."""
        if not self.weighted:
            return None

        def read() -> Array:
            weights = _memory.empty((self.num_edges,), np.float64)
            _native.call("GraphWeights", self._held.number, _memory.address(weights), weights.size)
            return weights

        return self._kept("weights", read)

    @property
    def labels(self) -> Array | None:
        """The label of each edge: (E,) int32, read-only; None where there are none."""
        return self._view("labels", self.num_edges, np.int32) if self._info["labels"] else None

    @property
    def times(self) -> Array | None:
        """The time of each edge: (E,) int64, read-only; None where there are none."""
        return self._view("times", self.num_edges, np.int64) if self._info["times"] else None

    @property
    def vertex_names(self) -> Array | None:
        """The vertices' names in the input, (V,) int64 or str; None where they are 0 ... V-1."""
        info = self._info
        if info["name_ints"]:
            return self._view("name_ints", self.num_vertices, np.int64)
        return self._kept("names", self._names) if info["name_offsets"] else None

    def degrees(self) -> Array:
        """The number of out-edges of each vertex: (V,) int64."""
        return np.diff(self.indptr)

    def neighbors(self, v: SupportsIndex) -> Array:
        """The end points of v's out-edges, ascending: a read-only view.

        Raises:
            IndexError: v is not a vertex.
        """
        v = self._vertex("v", v)
        indptr = self.indptr
        return self.indices[indptr[v] : indptr[v + 1]]

    def has_edge(self, u: SupportsIndex, v: SupportsIndex) -> bool:
        """Whether an edge leads from u to v.

        Raises:
            IndexError: u or v is not a vertex.
        """
        v = self._vertex("v", v)
        row = self.neighbors(self._vertex("u", u))
        at = int(np.searchsorted(row, v))
        return at < len(row) and int(row[at]) == v

    def reverse(self) -> Graph:
        """The graph with every edge turned round; edges keep their ids, vertices their names."""
        number = _running.call("GraphReverse", self._held.number, seconds=1e-7 * self.num_edges, label="reversing")
        return type(self)._of(number)

    @property
    def device_bytes(self) -> dict[str, int]:
        """How many bytes the graph takes on GPUs, by their names. Its arrays go there with the first samples, and stay
        until others need the room, or the graph goes."""
        return dict(json.loads(_native.call("GraphDeviceBytes", self._held.number)))

    def release_device(self) -> None:
        """Gives back the memory that the graph takes on GPUs, and what the package keeps there unused, for others to
        have. The next samples bring the graph there again."""
        _native.call("GraphReleaseDevice", self._held.number)
        self._warm = {app for app in self._warm if not (isinstance(app, tuple) and app[1])}

    def __copy__(self) -> Graph:
        return self  # it never changes

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        return self

    def __reduce__(self) -> tuple[Callable[..., Graph], tuple[dict[str, Any]]]:
        arrays = {"indptr": self.indptr, "indices": self.indices, "weights": self.weights, "labels": self.labels}
        if self._info["edge_ids"] or self._info["edge_ids_wide"]:
            arrays["edge_ids"] = self.edge_ids
        arrays |= {"times": self.times, "names": self.vertex_names}
        return _from_arrays, ({name: array for name, array in arrays.items() if array is not None},)

    def __repr__(self) -> str:
        weighted = ", weighted" if self.weighted else ""
        return f"Graph(num_vertices={self.num_vertices}, num_edges={self.num_edges}{weighted})"

    def _repr_html_(self) -> str:
        from .htmltable import table

        facts = {"vertices": f"{self.num_vertices:,}", "edges": f"{self.num_edges:,}", "weighted": str(self.weighted)}
        facts["largest degree"] = f"{self._info['largest_degree']:,}"
        return table(facts)

    def _view(self, name: str, length: int, dtype: npt.DTypeLike) -> Array:
        view: Array | None = self._views.get(name)
        if view is None:
            view = self._views[name] = _memory.show(self._held, self._info[name], length, dtype)
        return view

    def _kept(self, name: str, make: Callable[[], Array]) -> Array:
        array: Array | None = self._views.get(name)
        if array is None:
            array = make()
            array.flags.writeable = False
            self._views[name] = array
        return array

    def _names(self) -> Array:
        text = _memory.show(self._held, self._info["name_text"], self._info["name_bytes"], np.uint8).tobytes()
        ends = _memory.show(self._held, self._info["name_offsets"], self.num_vertices + 1, np.int64).tolist()
        return np.array([text[a:b].decode() for a, b in itertools.pairwise(ends)], dtype=np.str_)

    def _vertex(self, name: str, v: SupportsIndex) -> int:
        if isinstance(v, (bool, np.bool_)):
            raise TypeError(f"{name} = {v!r}: expected a vertex, an int")
        try:
            number = operator.index(v)
        except TypeError:
            raise TypeError(f"{name} = {v!r}: expected a vertex, an int") from None
        if not 0 <= number < self.num_vertices:
            raise IndexError(f"{name} = {number}: the graph has {self.num_vertices} vertices")
        return number


class _HeldGraph(_native.Held):
    """A graph in the core. A forked child inherits its memory and needs only be told where all of it lies."""

    __slots__ = ("_arrays", "_file", "_shared")

    def __init__(self, number: int) -> None:
        super().__init__(number, "DropGraph")
        self._arrays: str = _native.call("GraphArrays", number)
        self._file: Array | None = None  # a mapping that the graph lies in
        self._shared: Shared | None = None
        _native.before_fork.add(self)

    def keep(self, file: Array, shared: Shared) -> None:
        """Keeps the mapping that the graph lies in as long as the graph."""
        self._file, self._shared = file, shared

    def shared(self) -> Shared:
        """The file by which other processes have the graph."""
        if self._shared is None:
            self._shared = Shared.new()
        return self._shared

    def prepare_fork(self) -> None:
        """Notes the tables too that have been made since."""
        if self._generation == _native.generation():
            self._arrays = _native.call("GraphArrays", self._number)

    def remade(self) -> int:
        number: int = _native.call("AdoptGraph", self._arrays)
        return number


def _from_arrays(arrays: dict[str, Any]) -> Graph:
    """The graph that was pickled as these arrays."""
    names = arrays.pop("names", None)
    spec = Arguments(**arrays)
    spec.names(names)
    return Graph._of(spec.run("GraphFromCSR", "indices"))
