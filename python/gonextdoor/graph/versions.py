"""Versions: graphs that are made from another one by adding and removing edges."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .._core.arguments import Arguments, column
from .._core.binding import advised
from .._core.checks import check_int
from .._core.costs import costs
from .._core.dates import moment
from .constructors import Constructors
from .edgelist import MANY, side, sides
from .names import told_apart

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Versions", "changed_rows", "ends_of"]

Array = npt.NDArray[Any]


@advised
class Versions(Constructors):
    """A graph that has later versions."""

    __slots__ = ()

    def updated(
        self,
        add: Any = None,
        *,
        remove: Any = None,
        weights: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        times: npt.ArrayLike | None = None,
        window: SupportsIndex | Any | None = None,
        symmetric: bool = False,
        names: bool | None = None,
    ) -> Self:
        """A new version of the graph: with edges added and removed. This graph does not change.

        Rows without a change are copied, so an update takes a small part of the time that building the graph anew
        takes. The result is the graph that ``from_edges`` builds from the remaining edges, in their order and with the
        weights in ``weights``, followed by those of add; samples of the two are equal. Only edge ids differ: remaining
        edges keep theirs. New edges get the next ids, in the order of add: those after the edges that ``from_edges``
        was given, or after the largest id, and after those of earlier versions. No id is used twice, also if the graph
        is saved in between. A graph that was saved without ids has versions without ids, and edges are removed from it
        by their ends.

        Vertices that add names and the graph lacks are new: numbers at or above ``num_vertices`` grow the graph, and
        new names get the next numbers, in ascending order. Vertices are never removed. Alias tables and the edge set
        that the graph has are copied, with changed rows made anew; other tables are built when a call first needs them.

        Args:
            add: the edges to add, in the forms of ``from_edges``: a tuple of two arrays, sources and targets, (2, E),
                (E, 2), or a list of pairs. Ints are numbers of vertices, text is names. None (default): none.
            remove: the edges to remove: (R,) ints, ids in ``edge_ids``; or pairs of ends in the forms of add, each of
                which removes one edge: of parallel edges, the first in the row, which is the oldest. None (default):
                none.
            weights: (E,) weights of add; required if, and only if, the graph has weights.
            labels: (E,) labels of add, likewise.
            times: (E,) times of add, likewise; ints or dates.
            window: a time, an int or a date: edges of the graph and of add whose time is below it are left out. None
                (default): none are.
            symmetric: for an undirected graph: also add the reverse of each edge of add, with its id, and remove the
                reverse of each pair of remove. Ids remove both directions in any case.
            names: whether ints in add and in pairs of remove are names, as for ``gonextdoor.sample``.

        Returns:
            The new version. It is in memory, also if this graph is mapped from a folder.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: an edge to remove does not exist, an attribute is missing or is not the graph's, or an array is
                invalid as for ``from_edges``. The text names argument, position and value.

        Examples:
            >>> graph = gnd.Graph.from_edges([0, 0, 1], [1, 2, 2])
            >>> later = graph.updated(([2, 3], [0, 1]), remove=[(0, 2)])
            >>> later.neighbors(0), later.neighbors(3), later.num_vertices
            (array([1], dtype=int32), array([1], dtype=int32), 4)
            >>> later.edge_ids
            array([0, 2, 3, 4])
        """
        edges = {"add": add, "remove": remove, "weights": weights, "labels": labels, "times": times}
        return self._version(0, window=window, symmetric=symmetric, names=names, **edges)

    def _version(
        self,
        vertices: int,
        *,
        add: Any = None,
        remove: Any = None,
        weights: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        times: npt.ArrayLike | None = None,
        window: SupportsIndex | Any | None = None,
        symmetric: bool = False,
        names: bool | None = None,
    ) -> Self:
        """``updated``, with a least number of vertices."""
        if not isinstance(symmetric, (bool, np.bool_)):
            raise TypeError(f"symmetric = {symmetric!r}: expected True or False")
        spec = Arguments()
        if vertices:
            spec.options(num_vertices=vertices)
        added = _added(self, spec, add, names, {"weights": weights, "labels": labels, "times": times}, window)
        if remove is not None:
            _removed(self, spec, remove, names)
        spec.options(symmetric=bool(symmetric))
        seconds = costs().build_edge * (added + self.num_edges / 16)
        number = running.call("GraphUpdated", self._held.number, spec.text(), seconds=seconds, label="updating")
        source = self._source
        if source is not None and not source.endswith("; updated"):
            source += "; updated"
        graph = self._of(number, source=source)
        graph._numbers_meant = self._numbers_meant
        graph._changes = _changes(self, graph)
        return graph


def _added(
    graph: Versions,
    spec: Arguments,
    add: Any,
    names: bool | None,
    attributes: dict[str, npt.ArrayLike | None],
    window: Any,
) -> int:
    """Puts the edges to add into the arguments, and returns their number."""
    since = None
    if window is not None:
        since = check_int("window", moment("window", window, graph.time_unit), -(1 << 63), (1 << 63) - 1)
        spec.options(since=since)
    if add is None:
        for name, given in attributes.items():
            if given is not None:
                raise ValueError(f"{name} was given without add: they are attributes of the edges to add")
        return 0
    src, dst = ends_of("add", add)
    if len(src) != len(dst):
        raise ValueError(f"add[1] has {len(dst)} elements: expected {len(src)}, as add[0] has")
    src, dst = _numbered(graph, spec, src, dst, names)
    columns = {name: column(name, values) for name, values in _whole(graph, attributes).items() if values is not None}
    if since is not None and "times" in columns and len(columns["times"]) == len(src):
        kept = columns["times"] >= since
        src, dst = src[kept], dst[kept]
        columns = {name: values[kept] if len(values) == len(kept) else values for name, values in columns.items()}
    spec.optional(src=src, dst=dst, **columns)
    return len(src)


def _whole(graph: Versions, attributes: dict[str, npt.ArrayLike | None]) -> dict[str, npt.ArrayLike | None]:
    """The attributes, with times that are dates as integers of the graph's unit."""
    times = attributes["times"]
    if times is None or graph.times is None:
        return attributes
    return attributes | {"times": moment("times", times, graph.time_unit)}


def _removed(graph: Versions, spec: Arguments, remove: Any, names: bool | None) -> None:
    """Puts the edges to remove into the arguments."""
    if isinstance(remove, (dict, str)):
        raise TypeError(f"remove: expected ids of edges or pairs of vertices, got {type(remove).__name__}")
    if not _two_sides(remove):
        ids = side("remove", remove)
        if ids.ndim == 1:
            if ids.dtype.kind not in "iu":
                raise TypeError(f"remove: expected ids of edges as ints, or pairs of vertices, got {ids.dtype}")
            spec.optional(remove_ids=ids)
            return
    src, dst = ends_of("remove", remove)
    if len(src) != len(dst):
        raise ValueError(f"remove[1] has {len(dst)} elements: expected {len(src)}, as remove[0] has")
    ends = [_found(graph, "remove", x, names) for x in (src, dst)]
    spec.optional(remove_src=ends[0], remove_dst=ends[1])


def _two_sides(edges: Any) -> bool:
    """Whether edges are a tuple of two arrays or lists, the sources and the targets."""
    if not isinstance(edges, tuple) or len(edges) != 2 or any(isinstance(x, (tuple, str)) for x in edges):
        return False
    return all(isinstance(x, list) or np.ndim(x) == 1 for x in edges)


def ends_of(name: str, edges: Any) -> tuple[Array, Array]:
    """The sources and the targets of edges."""
    if _two_sides(edges):
        return side(f"{name}[0]", edges[0]), side(f"{name}[1]", edges[1])
    return sides(name, edges)


def _found(graph: Versions, argument: str, ends: Array, names: bool | None) -> Array:
    """The numbers of vertices that are given by number or by name."""
    if ends.dtype.kind in "OUT":
        return graph._names_index().find(argument, ends.astype(object))
    if names or not graph._numbers_meant:
        return np.asarray(told_apart(graph, argument, ends, names))
    return ends


def _numbered(graph: Versions, spec: Arguments, src: Array, dst: Array, names: bool | None) -> tuple[Array, Array]:
    """The numbers of the ends of edges to add; new vertices with their names are put into the arguments."""
    if names is not None and type(names) is not bool:
        raise TypeError(f"names = {names!r}: expected True, False or None")
    text = [x.dtype.kind in "OUT" for x in (src, dst)]
    if any(text) != all(text) and len(src):
        raise TypeError("add has text and integers: expected names for both ends, or numbers for both")
    named = graph.vertex_names is not None
    if not named or not (any(text) or names):
        if any(text):
            raise ValueError(
                f"add has {src[:1].tolist()[0]!r}, but the vertices of the graph have no names: pass numbers"
            )
        if not graph._numbers_meant:
            told_apart(graph, "add", src, names)  # warns
        _refuse_far(graph, src, dst, named)
        return src, dst
    both = np.concatenate([src, dst])
    index = graph._names_index()
    new = index.absent("add", both)
    if new.dtype.kind == "O" or graph._info["name_ints"]:
        spec.names(new if len(new) else None)
    spec.options(num_vertices=graph.num_vertices + len(new))
    if new.dtype.kind == "O":
        number = dict(zip(new.tolist(), range(graph.num_vertices, graph.num_vertices + len(new)), strict=True))
        old = np.array([name not in number for name in both.tolist()], bool)
        numbers = np.fromiter((number.get(name, -1) for name in both.tolist()), np.int64, len(both))
    else:
        values = both if both.dtype.kind in "iu" else np.array([int(name) for name in both.tolist()], np.int64)
        numbers = np.searchsorted(new, values) + graph.num_vertices
        old = ~np.isin(values, new)
    numbers[old] = index.find("add", both[old])
    return numbers[: len(src)], numbers[len(src) :]


def _refuse_far(graph: Versions, src: Array, dst: Array, named: bool) -> None:
    """Refuses numbers of new vertices that have names, and those that would add gigabytes of vertices without edges."""
    if not len(src) or any(x.dtype.kind not in "iu" for x in (src, dst)):
        return
    most = max(int(src.max()), int(dst.max()))
    if named and most >= graph.num_vertices:
        raise ValueError(
            f"add has vertex {most}: the graph has {graph.num_vertices} vertices with names; add a vertex by its name"
        )
    if most >= max(MANY, graph.num_vertices) and most >= 64 * (graph.num_edges + len(src)):
        raise ValueError(
            f"add has vertex {most}: the result would have {most + 1:,} vertices ({8e-9 * most:.1f} GB) for "
            f"{graph.num_edges + len(src):,} edges; build a graph of names with from_edges(..., relabel=True)"
        )


def _changes(graph: Versions, later: Versions) -> list[tuple[weakref.ref[Any], Array]]:
    """The graphs before a version that still exist, each with a bitmap of the rows that changed since."""
    words = later.num_vertices // 64 + 1
    changed = np.zeros(words, np.uint64)
    native.call("GraphChanged", later._held.number, memory.address(changed), words)
    found: list[tuple[weakref.ref[Any], Array]] = [(weakref.ref(graph), changed)]
    for before, rows in graph._changes:
        if before() is not None:
            every = changed.copy()
            every[: len(rows)] |= rows
            found.append((before, every))
    return found


def changed_rows(graph: Any, before: Versions, which: str) -> Array | None:
    """The bitmap of the rows that changed since a graph; None if it is that graph. which: the graph, for errors.

    Raises:
        TypeError, ValueError: the graph is no version of it.
    """
    if not isinstance(graph, Versions):
        raise TypeError(f"graph: expected a version of {which}, got {type(graph).__name__}")
    if graph is before:
        return None
    for earlier, rows in graph._changes:
        if earlier() is before:
            return rows
    raise ValueError(
        f"graph: expected a version of {which}, which the updated method of it or of a later version returned in this "
        "process; make a new call for another graph"
    )
