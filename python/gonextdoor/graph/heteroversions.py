"""HeteroVersions: heterogeneous graphs that are made from another one by adding and removing edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy.typing as npt

from .._core.binding import advised
from .._core.checks import check_size
from .._core.dates import dated
from .versions import ends_of

if TYPE_CHECKING:
    from typing_extensions import Self

    from .graph import Graph

__all__ = ["HeteroVersions", "RelationType"]

Array = npt.NDArray[Any]
RelationType = tuple[str, str, str]

KEYS = ("add", "remove", "weights", "labels", "times", "window")


@advised
class HeteroVersions:
    """A heterogeneous graph that has later versions."""

    __slots__ = ()

    num_vertices: dict[str, int]
    relations: dict[RelationType, Graph]
    times: dict[str, Array] | None
    time_unit: str | None
    _lineage: object

    def updated(
        self, changes: Mapping[RelationType, Any], num_vertices: Mapping[str, SupportsIndex] | None = None
    ) -> Self:
        """A new version of the graph, with edges of some relations added and removed. This graph does not change.

        Each relation of changes gets a new version of its graph, by ``Graph.updated``. The two versions share the
        graphs of the other relations, unless one of their types gets more vertices.

        Args:
            changes: for each relation that changes, a dict with the arguments ``add``, ``remove``, ``weights``,
                ``labels``, ``times`` and ``window`` of ``Graph.updated``; or edges to add alone. As in the graph of the
                relation, the first end of an edge is a vertex of the destination type.
            num_vertices: for each type that gets new vertices, the number of its vertices. None (default): no type
                does.

        Returns:
            The new version.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: there is no such relation or type, an edge has an end that its type does not have, or an
                argument is invalid as for ``Graph.updated``. The text names the relation.

        Examples:
            >>> buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)  # row: item, end point: user
            >>> graph = gnd.HeteroGraph({("user", "buys", "item"): buys}, {"user": 2, "item": 3})
            >>> graph.updated({("user", "buys", "item"): {"add": [(2, 0), (3, 1)]}}, num_vertices={"item": 4})
            HeteroGraph(num_vertices={'user': 2, 'item': 4}, num_edges={'user/buys/item': 5})
        """
        if not isinstance(changes, Mapping):
            raise TypeError(f"changes: expected a dict of changes by relation, got {type(changes).__name__}")
        for relation in changes:
            if relation not in self.relations:
                known = ", ".join(map(repr, self.relations))
                raise ValueError(f"changes has the relation {relation!r}: expected one of {known}")
        counts = self.num_vertices | self._grown(num_vertices)
        relations = dict(self.relations)
        for relation, graph in self.relations.items():
            least = max(counts[relation[0]], counts[relation[2]])
            if relation in changes:
                relations[relation] = _version(graph, relation, changes[relation], counts)
            elif least > graph.num_vertices:
                relations[relation] = graph._version(least)
        times = {kind: dated(values, self.time_unit) for kind, values in (self.times or {}).items()}
        later = type(self)(relations, counts, times or None)  # type: ignore[call-arg]
        later._lineage = self._lineage  # type: ignore[misc]  # HeteroGraph has the slot
        return later

    def _grown(self, num_vertices: Mapping[str, SupportsIndex] | None) -> dict[str, int]:
        """The checked numbers of vertices of types that get more of them."""
        if num_vertices is None:
            return {}
        if not isinstance(num_vertices, Mapping):
            raise TypeError(f"num_vertices: expected a dict, got {type(num_vertices).__name__}")
        grown = {}
        for kind, count in num_vertices.items():
            if kind not in self.num_vertices:
                known = ", ".join(map(repr, self.num_vertices))
                raise ValueError(f"num_vertices has the type {kind!r}: expected one of {known}")
            grown[kind] = check_size(f"num_vertices[{kind!r}]", count)
            before = self.num_vertices[kind]
            if grown[kind] < before:
                raise ValueError(
                    f"num_vertices[{kind!r}] = {grown[kind]}: the type has {before} vertices, and none is removed"
                )
            if grown[kind] > before and kind in (self.times or {}):
                raise ValueError(
                    f"num_vertices[{kind!r}] = {grown[kind]}: vertices of this type have times; make a HeteroGraph of "
                    "the relations with the times of the new ones"
                )
        return grown


def _version(graph: Graph, relation: RelationType, change: Any, counts: Mapping[str, int]) -> Graph:
    """The version of the graph of a relation, with as many vertices as its types have."""
    name = f"changes[{relation!r}]"
    arguments = dict(change) if isinstance(change, Mapping) else {"add": change}
    for key in arguments:
        if key not in KEYS:
            raise ValueError(f"{name} has the key {key!r}: expected {', '.join(KEYS)}")
    try:
        if arguments.get("add") is not None:
            for side, kind in zip(ends_of("add", arguments["add"]), (relation[2], relation[0]), strict=True):
                most = int(side.max()) if side.dtype.kind in "iu" and len(side) else -1
                if most >= counts[kind]:
                    raise ValueError(
                        f"add has vertex {most} of the type {kind!r}, which has {counts[kind]} vertices: pass "
                        f"num_vertices={{{kind!r}: {most + 1}}} if it is new"
                    )
        return graph._version(max(counts[relation[0]], counts[relation[2]]), **arguments)
    except (TypeError, ValueError, IndexError) as error:
        if type(error) not in (TypeError, ValueError, IndexError):
            raise
        raise type(error)(f"{name}: {error}") from None
