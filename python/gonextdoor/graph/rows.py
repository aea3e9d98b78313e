"""Rows: a graph in the core, and views of its arrays."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import advice, memory, native
from .held import HeldGraph
from .names import NameIndex
from .nametable import NameTable
from .sharedfile import Folder

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Rows"]

Array = npt.NDArray[Any]

# What GraphInfo writes, in its order.
_INFO = (
    "vertices", "edges", "indptr", "indices", "edge_ids", "edge_ids_wide", "weighted", "labels", "times", "name_ints",
    "name_text", "name_bytes", "name_offsets", "largest_degree", "no_edge_ids", "next_id",
)  # fmt: skip


class Rows:
    """The base of ``Graph``: its handle, and its arrays as read-only views of the core's memory."""

    __slots__ = (
        "__weakref__", "_changes", "_edge_index", "_folder", "_held", "_index", "_info", "_numbers_meant",
        "_sink_checks", "_source", "_views", "_warm",
    )  # fmt: skip

    _changes: list[tuple[weakref.ref[Rows], Array]]  # of a version: graphs before it, and bitmaps of changed rows
    _edge_index: bool  # whether it was made from an edge_index, and PGSampler has not looked at its directions
    _folder: Folder | None  # the folder that it was opened from
    _held: HeldGraph
    _index: NameIndex | None  # made at the first lookup of a name
    _info: dict[str, int]
    _numbers_meant: bool  # whether integers need no warning that they are numbers of vertices, and not names
    _sink_checks: int  # remaining calls whose walks are checked; see sampling/sinks.py
    _source: str | None  # the decisions made when it was read
    _views: dict[str, Array]
    _warm: set[Any]  # the apps and devices whose tables exist

    @classmethod
    def _of(cls, number: int, folder: str | None = None, source: str | None = None) -> Self:
        """The graph with that handle in the core; with a folder, the one opened there."""
        self = object.__new__(cls)
        self._changes = []
        self._edge_index = False
        self._folder = None if folder is None else Folder(folder)
        self._held = HeldGraph(number)
        words = np.zeros(len(_INFO), np.int64)
        native.call("GraphInfo", number, memory.address(words))
        self._info = dict(zip(_INFO, words.tolist(), strict=True))
        self._index = None
        self._numbers_meant = not self._info["name_ints"]
        self._source = source
        self._sink_checks = 4
        self._views = {}
        self._warm = set()
        return self

    def _reweighted(self, number: int) -> Self:
        """The view of the graph with that handle, which keeps the graph's arrays."""
        view = self._of(number)
        view._held.base = self._held
        return view

    @property
    def num_vertices(self) -> int:
        """The number of vertices, V."""
        return self._info["vertices"]

    @property
    def num_edges(self) -> int:
        """The number of edges, E. An undirected graph counts each edge twice."""
        return self._info["edges"]

    @property
    def weighted(self) -> bool:
        """Whether the edges have weights."""
        return bool(self._info["weighted"])

    @property
    def indptr(self) -> Array:
        """The start of each row in ``indices``, and the end: (V + 1,) int64, read-only."""
        return self._view("indptr", self.num_vertices + 1, np.int64)

    @property
    def indices(self) -> Array:
        """The end point of each edge: (E,) int32, uint32 from 2^31 vertices on; read-only."""
        return self._view("indices", self.num_edges, np.int32 if self.num_vertices < 1 << 31 else np.uint32)

    @property
    def edge_ids(self) -> Array:
        """The position of each edge in the caller's input: (E,) int64, read-only.

        Raises:
            ValueError: the graph was saved with ``edge_ids=False``.

        Examples:
            >>> graph = gnd.Graph.from_edges([2, 0, 1], [0, 1, 2])
            >>> graph.indices, graph.edge_ids
            (array([1, 2, 0], dtype=int32), array([1, 2, 0]))
        """
        self._refuse_edge_ids("graph.edge_ids")
        if self._info["edge_ids_wide"]:
            return self._view("edge_ids_wide", self.num_edges, np.int64)
        if self._info["edge_ids"]:
            return self._kept("ids", lambda: self._view("edge_ids", self.num_edges, np.uint32).astype(np.int64))
        return self._kept("ids", lambda: np.arange(self.num_edges, dtype=np.int64))

    def _edge_ids_at(self, places: Array) -> Array:
        """``edge_ids[places]``, without an array of all ids."""
        self._refuse_edge_ids("graph.edge_ids")
        if self._info["edge_ids_wide"]:
            return self._view("edge_ids_wide", self.num_edges, np.int64)[places]
        if self._info["edge_ids"]:
            return self._view("edge_ids", self.num_edges, np.uint32)[places].astype(np.int64)
        return places

    def _refuse_edge_ids(self, what: str) -> None:
        """Raises an error if the edges have no ids; what needs them?"""
        if self._info["no_edge_ids"]:
            raise advice.no_edge_ids(what)

    @property
    def weights(self) -> Array | None:
        """The weight of each edge: (E,) float64, read-only; None in an unweighted graph.

        Weights are stored to within 2^-32 of the largest weight of their row.
        """
        if not self.weighted:
            return None

        def read() -> Array:
            weights = memory.empty((self.num_edges,), np.float64)
            native.call("GraphWeights", self._held.number, memory.address(weights), weights.size)
            return weights

        return self._kept("weights", read)

    @property
    def labels(self) -> Array | None:
        """The label of each edge: (E,) int32, read-only; None if the graph has none."""
        return self._view("labels", self.num_edges, np.int32) if self._info["labels"] else None

    @property
    def times(self) -> Array | None:
        """The time of each edge: (E,) int64, read-only; None if the graph has none."""
        return self._view("times", self.num_edges, np.int64) if self._info["times"] else None

    @property
    def time_unit(self) -> str | None:
        """The unit of ``times`` that were dates, since 1970-01-01 UTC: "s", "ms", "us" or "ns"; else None.

        Examples:
            >>> dates = np.array(["2024-05-01", "2024-05-02"], "M8[s]")
            >>> graph = gnd.Graph.from_edges([0, 1], [1, 0], times=dates)
            >>> graph.time_unit
            's'
            >>> graph.times.astype(f"M8[{graph.time_unit}]")
            array(['2024-05-01T00:00:00', '2024-05-02T00:00:00'],
                  dtype='datetime64[s]')
        """
        unit: str | None = self._meaning()["time_unit"] or None if self._info["times"] else None
        return unit

    @property
    def label_names(self) -> tuple[str, ...] | None:
        """The text that each label stands for: label i was ``label_names[i]`` in the input; None: they were integers.

        Examples:
            >>> with open("triples.tsv", "w") as file:
            ...     _ = file.write("cat\\tis_a\\tanimal\\nanimal\\tis_a\\tbeing\\n")
            >>> gnd.read("triples.tsv").label_names
            ('is_a',)
        """
        names = self._meaning()["label_names"] if self._info["labels"] else None
        return None if names is None else tuple(names)

    def _meaning(self) -> dict[str, Any]:
        """What the integers of times and labels stand for."""
        found: dict[str, Any] = json.loads(native.call("GraphMeaning", self._held.number))
        return found

    @property
    def vertex_names(self) -> Array | None:
        """The names of the vertices in the input: (V,) int64, or (V,) objects that are str; None if they are 0 ... V-1.

        Examples:
            >>> graph = gnd.Graph.from_edges([("bob", "alice"), ("alice", "carol"), ("carol", "bob")])
            >>> walks = gnd.sample(graph, gnd.apps.DeepWalk(3), ["bob"], seed=1)
            >>> graph.vertex_names[walks.numpy()]  # indexing needs samples without padding
            array([['bob', 'alice', 'carol', 'bob']], dtype=object)
        """
        info = self._info
        if info["name_ints"]:
            return self._view("name_ints", self.num_vertices, np.int64)
        return self._kept("names", self._names) if info["name_offsets"] else None

    @property
    def source(self) -> str | None:
        """The decisions of ``gonextdoor.read``: the file, its columns, its header and whether it is undirected; of
        ``from_pandas`` and ``from_arrow``: the columns.

        None for a graph that was made otherwise. Pickles and worker processes keep the text; a folder that ``save``
        wrote does not, and ``Graph.open`` names the folder.

        Examples:
            >>> with open("edges.csv", "w") as file:
            ...     _ = file.write("node1,node2,weight\\n1,2,0.5\\n2,3,1.5\\n")
            >>> gnd.read("edges.csv").source
            "edges.csv: columns node1 -> node2, weight 'weight'; header recognised; symmetric=False"
        """
        return self._source

    def degrees(self) -> Array:
        """The number of out-edges of each vertex: (V,) int64.

        Examples:
            >>> gnd.Graph.from_edges([0, 0, 1], [1, 2, 2]).degrees()
            array([2, 1, 0])
        """
        return np.diff(self.indptr)

    def _view(self, name: str, length: int, dtype: npt.DTypeLike) -> Array:
        view: Array | None = self._views.get(name)
        if view is None:
            view = self._views[name] = memory.show(self._held, self._info[name], length, dtype)
        return view

    def _kept(self, name: str, make: Callable[[], Array]) -> Array:
        array: Array | None = self._views.get(name)
        if array is None:
            array = make()
            array.flags.writeable = False
            self._views[name] = array
        return array

    def _name_table(self) -> NameTable | None:
        """The names of the vertices, without copying them; None if vertices are named by their numbers."""
        info, held = self._info, self._held
        if info["name_ints"]:
            return NameTable(ints=self.vertex_names)
        if not info["name_offsets"]:
            return None
        text = memory.show(held, info["name_text"], info["name_bytes"], np.uint8)
        return NameTable(text=text, offsets=memory.show(held, info["name_offsets"], self.num_vertices + 1, np.int64))

    def _names(self) -> Array:
        self._held.check()
        names = self._name_table()
        assert names is not None
        return names.array()

    def _names_index(self) -> NameIndex:
        if self._index is None:
            self._index = NameIndex(self.vertex_names, self.num_vertices)
        return self._index
