"""Heterogeneous graphs: vertices and edges of several types."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core import advice, memory, native, running, svg
from .._core.adapters import adapter
from .._core.arguments import PathLike, integers, is_uri, path_text
from .._core.atomic import output_folder
from .._core.binding import advised
from .._core.checks import check_size
from .._core.costs import costs
from .._core.dates import dated, from_dates, moment, unit_of_all, whole_times
from .._core.htmltable import panel
from .._core.weak import WeakTable
from ..errors import FormatError
from .direction import Direction
from .graph import Graph
from .heterofolder import read_record, writing
from .heteroversions import HeteroVersions, RelationType
from .homogeneous import Homogeneous, homogeneous
from .placement import Placement, place_all

__all__ = ["HeteroGraph", "RelationType"]

Array = npt.NDArray[Any]

MOST_FACTS = 16  # types and relations that a notebook shows


@advised
class HeteroGraph(HeteroVersions):
    """A graph whose vertices and edges are of several types: one ``Graph`` for each relation. It is immutable.

    Args:
        relations: a graph for each (source type, name, destination type). Its row v lists the edges that lead to vertex
            v of the destination type; their end points are vertices of the source type. It has as many vertices as the
            larger of the two types.
        num_vertices: the number of vertices of each type.
        times: (num_vertices[type],) ints or dates for those types that have times: the times of the vertices. The times
            of edges are those of their graphs. None (default): no times.

    Attributes:
        relations: the graphs, by (source type, name, destination type), in the order given.
        num_vertices: the number of vertices by type, in the order given.
        times: (num_vertices[type],) int64 by type, read-only; None if no type has times.
        time_unit: the unit of times that were dates, as ``Graph.time_unit``; None: they are the user's integers.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a relation names a type that is not in num_vertices, a graph has too few vertices for its types, an
            edge has an end that its type does not have, or times are of the wrong length.

    Examples:
        >>> buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)  # row: item, end point: user
        >>> gnd.HeteroGraph({("user", "buys", "item"): buys}, {"user": 2, "item": 3})
        HeteroGraph(num_vertices={'user': 2, 'item': 3}, num_edges={'user/buys/item': 3})
    """

    __slots__ = ("__weakref__", "_held", "_lineage", "num_vertices", "relations", "time_unit", "times")

    _numbers_meant = True  # its vertices have no names

    def __init__(
        self,
        relations: Mapping[RelationType, Graph],
        num_vertices: Mapping[str, SupportsIndex],
        times: Mapping[str, npt.ArrayLike] | None = None,
    ) -> None:
        for name, value in (("relations", relations), ("num_vertices", num_vertices)):
            if not isinstance(value, Mapping):
                raise TypeError(f"{name}: expected a dict, got {type(value).__name__}")
            if not value:
                raise ValueError(f"{name} is empty: expected at least one type")
        for vertex_type in num_vertices:
            if not isinstance(vertex_type, str):
                raise TypeError(f"num_vertices: expected types as str, got {vertex_type!r}; relations is passed first")
        self.num_vertices = {t: check_size(f"num_vertices[{t!r}]", n) for t, n in num_vertices.items()}
        for relation, graph in relations.items():
            self._check(relation, graph)
        self.relations = dict(relations)
        self._lineage = object()  # that of all versions
        timed = {f"relation {name!r}": graph.time_unit for name, graph in relations.items() if graph.times is not None}
        self.time_unit = unit_of_all(timed)
        self.times: dict[str, Array] | None = None
        if times is not None:
            self.times, self.time_unit = vertex_times(times, self.num_vertices, self.time_unit, bool(timed))
        self._held = HeldHetero(
            list(self.relations.values()),
            self.num_vertices,
            [(relation[2], relation[0]) for relation in self.relations],
            self.times,
            names=list(self.relations),
        )

    @classmethod
    def open(cls, folder: PathLike) -> HeteroGraph:
        """Opens a graph that ``save`` wrote. The graphs of the relations are mapped, as by ``Graph.open``.

        Args:
            folder: the folder: a path, or a URI, which is copied as by ``Graph.open``.

        Raises:
            OSError: a file cannot be read, or not be copied.
            ValueError: nothing here opens such a URI.
            ImportError: what opens the URI is missing.
            FormatError: the folder does not have a heterogeneous graph, or a part of it is missing or another one.

        Examples:
            >>> buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)
            >>> gnd.HeteroGraph({("user", "buys", "item"): buys}, {"user": 2, "item": 3}).save("shop")
            >>> gnd.HeteroGraph.open("shop")
            HeteroGraph(num_vertices={'user': 2, 'item': 3}, num_edges={'user/buys/item': 3})
        """
        path = path_text(folder)
        if is_uri(path):
            remote: HeteroGraph = adapter("open_uri")(cls, path)
            return remote
        record = read_record(path)
        if record.parts:
            raise FormatError(f"{path} has a partitioned heterogeneous graph: open it with gonextdoor.partition.open")
        graphs = {relation: Graph.open(at) for relation, at in record.relations.items()}
        times = {kind: dated(values, record.time_unit) for kind, values in (record.times or {}).items()}
        return cls(graphs, record.num_vertices, times or None)

    def save(self, folder: PathLike, *, edge_ids: bool = True, alias_tables: bool = False) -> None:
        """Writes the graph to a folder, which appears, or replaces an older graph, in one step when it is complete.

        Each relation has the folder of a graph, as ``Graph.save`` writes it. Features are not part of the graph.

        Args:
            folder: the folder to create, or the folder of a graph to replace; or the URI of a new folder, as for
                ``Graph.save``.
            edge_ids: whether the folder has the ids of the edges, as for ``Graph.save`` (default True).
            alias_tables: whether the folder has alias tables of the relations with weights, as for ``Graph.save``
                (default False).

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: the path exists and is not the folder of a graph.
            OSError: the folder cannot be written, or the disk is full. The target is unchanged.

        Examples:
            >>> import os
            >>> buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)
            >>> gnd.HeteroGraph({("user", "buys", "item"): buys}, {"user": 2, "item": 3}).save("shop")
            >>> sorted(os.listdir("shop"))
            ['hetero.json', 'relation-00000']
        """
        with (
            output_folder("folder", folder) as target,
            writing(target, self.num_vertices, list(self.relations), self.times, self.time_unit) as paths,
        ):
            for path, graph in zip(paths, self.relations.values(), strict=True):
                graph.save(path, edge_ids=edge_ids, alias_tables=alias_tables and graph.weighted)

    def to_homogeneous(self, direction: Direction = "out") -> Homogeneous:
        """Returns all vertices and edges as one graph, for walks from type to type and for every other app.

        Vertices are numbered one type after the other, in the order of ``num_vertices``. The labels of edges are the
        numbers of their relations, so that ``gonextdoor.apps.MetaPath(labels)`` walks along a path of relations. Edges
        have weights if a relation has them (1 in the others), and times if all relations have them. Edge i in the order
        of a relation's rows gets the id i plus the number of edges of the relations before.

        Args:
            direction: "out" (default): rows list the edges that leave a vertex, so that walks go from the source type
                of a relation to its destination type; "in": those that lead to it, as in the relations.

        Returns:
            A named tuple of the graph, and of the number of the first vertex of each type.

        Raises:
            TypeError: direction is not a str.
            ValueError: direction is not "out" or "in".

        Examples:
            >>> buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)  # row: item, end point: user
            >>> likes = gnd.Graph.from_edges([0, 1], [2, 2], num_vertices=3)  # row: user, end point: item
            >>> relations = {("user", "buys", "item"): buys, ("item", "likes", "user"): likes}
            >>> graph, first = gnd.HeteroGraph(relations, {"user": 2, "item": 3}).to_homogeneous()
            >>> first
            {'user': 0, 'item': 2}
            >>> gnd.sample(graph, gnd.apps.MetaPath([0, 1]), [1], seed=1).numpy()  # user, item, user
            array([[1, 4, 1]], dtype=int32)
        """
        return homogeneous(self.relations, self.num_vertices, direction)

    def _check(self, relation: Any, graph: Any) -> None:
        if not (isinstance(relation, tuple) and len(relation) == 3 and all(isinstance(part, str) for part in relation)):
            raise TypeError(f"relations: expected keys (source type, name, destination type), got {relation!r}")
        for vertex_type in (relation[0], relation[2]):
            if vertex_type not in self.num_vertices:
                raise ValueError(f"relations[{relation!r}]: num_vertices has no type {vertex_type!r}")
        if not isinstance(graph, Graph):
            raise TypeError(f"relations[{relation!r}]: expected a gonextdoor.Graph, got {type(graph).__name__}")

    def place(
        self, devices: Sequence[str] | None, *, bounds: Mapping[RelationType, npt.ArrayLike] | None = None
    ) -> None:
        """Splits the rows of each relation's graph over GPUs, as ``Graph.place`` does.

        Args:
            devices: the GPUs, in the order of the parts; None undoes the placements.
            bounds: for each relation, the bounds of ``Graph.place``. A relation that is missing, and None (default):
                parts with equal numbers of edges.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: a device is not a GPU or is named twice, or bounds do not fit.
            DeviceError: there is no such GPU, a GPU cannot read the memory of another, or a call is using a graph.

        Examples:
            >>> buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)
            >>> graph = gnd.HeteroGraph({("user", "buys", "item"): buys}, {"user": 2, "item": 3})
            >>> graph.place(None)  # not split
        """
        place_all(self.relations, devices, bounds)

    @property
    def placement(self) -> dict[RelationType, Placement] | None:
        """How the rows of each relation's graph are split over GPUs; None if no graph is. A relation whose graph is not
        split is left out.

        Examples:
            >>> buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)
            >>> gnd.HeteroGraph({("user", "buys", "item"): buys}, {"user": 2, "item": 3}).placement is None
            True
        """
        placements = {relation: graph.placement for relation, graph in self.relations.items()}
        return {relation: placement for relation, placement in placements.items() if placement is not None} or None

    def __copy__(self) -> HeteroGraph:
        return self  # immutable

    def __deepcopy__(self, memo: dict[int, Any]) -> HeteroGraph:
        return self

    def __reduce__(self) -> tuple[Callable[..., HeteroGraph], tuple[Any, ...]]:
        times = {kind: dated(values, self.time_unit) for kind, values in (self.times or {}).items()}
        return HeteroGraph, (self.relations, self.num_vertices, times or None)

    def _repr_html_(self) -> str:
        facts = {f"{name} vertices": f"{count:,}" for name, count in self.num_vertices.items()}
        facts |= {" ".join(relation): f"{graph.num_edges:,} edges" for relation, graph in self.relations.items()}
        placed = {device for placement in (self.placement or {}).values() for device in placement.devices}
        if placed:
            facts["placed on"] = ", ".join(sorted(placed))
        names = list(facts)
        if len(names) > MOST_FACTS:
            facts = {name: facts[name] for name in names[:MOST_FACTS]} | {"…": f"{len(names) - MOST_FACTS:,} more"}
        types = list(self.num_vertices)
        arrows = [(types.index(source), types.index(destination)) for source, _, destination in self.relations]
        drawn = svg.network(types, arrows, "types and relations") if len(types) <= MOST_FACTS else ""
        return panel("HeteroGraph", facts, drawn, "types and relations")

    def __repr__(self) -> str:
        edges = {"/".join(relation): graph.num_edges for relation, graph in self.relations.items()}
        return f"HeteroGraph(num_vertices={self.num_vertices}, num_edges={edges})"


def vertex_times(
    times: Mapping[str, npt.ArrayLike], counts: Mapping[str, int], unit: str | None = None, known: bool = False
) -> tuple[dict[str, Array], str | None]:
    """Copies of the times of vertices by type, read-only, and their unit; known: the times of edges decide the unit.

    Raises:
        TypeError, ValueError: they are not times of these vertices, or some are dates and others are not.
    """
    if not isinstance(times, Mapping):
        raise TypeError(f"times: expected a dict of arrays by type of vertices, got {type(times).__name__}")
    checked, units = {}, {}
    for kind, values in times.items():
        if kind not in counts:
            raise ValueError(f"times[{kind!r}]: expected one of the types {', '.join(map(repr, counts))}")
        name = f"times[{kind!r}]"
        checked[kind], units[name] = times_of(name, values, counts[kind], unit, known)
    return checked, unit if known else unit_of_all(units)


def times_of(
    name: str, values: npt.ArrayLike, count: int, unit: str | None = None, known: bool = False
) -> tuple[Array, str | None]:
    """A copy of count times, read-only, and their unit, which is ``unit`` if that is known."""
    if known:
        values = moment(name, values, unit)
    else:
        dates = from_dates(name, values)
        values, unit = (values, None) if dates is None else dates
    array = integers(name, values)
    if array.shape != (count,):
        raise ValueError(f"{name}: expected shape ({count},), one time per vertex, got {array.shape}")
    array = np.array(whole_times(name, array))
    array.flags.writeable = False
    return array, unit


class HeldHetero(native.Held):
    """Graphs and their types in the core. It keeps the graphs and the memory of the times alive.

    Attributes:
        names: the names of the types and those of the relations; None for a ``Graph``.
    """

    __slots__ = ("_ends", "_graphs", "_spec", "_times", "edges", "names", "relations", "types", "warm", "widest")

    def __init__(
        self,
        graphs: list[Graph],
        counts: Mapping[str, int],
        ends: list[tuple[str, str]],  # destination and source of each relation
        times: Mapping[str, Array] | None,
        names: list[RelationType] | None = None,
    ) -> None:
        self._graphs = [graph._held for graph in graphs]
        self.widest = max(graphs, key=lambda graph: graph.num_vertices)._held
        types = list(counts)
        self._times = None if times is None else [times.get(t) for t in types]
        self._spec: dict[str, Any] = {"types": None if names is None else types, "counts": list(counts.values())}
        if self._times is not None:
            self._spec["times"] = [{} if a is None else memory.described(a) for a in self._times]
        self._ends: list[dict[str, Any]] = [
            {"destination": types.index(d), "source": types.index(s), "name": "" if names is None else repr(names[i])}
            for i, (d, s) in enumerate(ends)
        ]
        self.types, self.relations = len(types), len(graphs)
        self.names = None if names is None else (types, names)
        self.edges = sum(graph.num_edges for graph in graphs)
        self.warm = False  # whether the weight tables exist
        super().__init__(
            running.call("NewHetero", self._text(), seconds=costs().relation_edge * self.edges), "DropHetero"
        )

    def _text(self) -> str:
        relations = [{**e, "graph": graph.number} for e, graph in zip(self._ends, self._graphs, strict=True)]
        return json.dumps({**self._spec, "relations": relations})

    def remade(self) -> int:
        number: int = native.call("NewHetero", self._text(), 0)
        return number


_alone: WeakTable[Graph, HeldHetero] = WeakTable()


def held(graph: Graph | HeteroGraph, times: npt.ArrayLike | None = None) -> HeldHetero:
    """The core's form of a graph, of one type or several. times are those of the vertices of a ``Graph``.

    Raises:
        TypeError, ValueError: graph is none, or times are not its vertices'.
    """
    if isinstance(graph, HeteroGraph):
        if times is not None:
            raise ValueError("times: expected None, since a HeteroGraph has its own")
        return graph._held
    if not isinstance(graph, Graph):
        raise advice.graph_error("a gonextdoor.Graph or HeteroGraph", graph, "in")
    if times is not None:
        known = graph.times is not None
        return _of_one(graph, {"": times_of("times", times, graph.num_vertices, graph.time_unit, known)[0]})
    found = _alone.of(graph)
    if found is None:
        found = _alone.put_first(graph, _of_one(graph, None))
    return found


def _of_one(graph: Graph, times: Mapping[str, Array] | None) -> HeldHetero:
    return HeldHetero([graph], {"": graph.num_vertices}, [("", "")], times)
