"""Tables of edges that are added to a graph, with the columns of the first."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import columns
from .arrow import ArrowTable
from .numbering import Text
from .tables import kinds_of, read_columns

if TYPE_CHECKING:
    from typing_extensions import Self

    from .graph import Graph

__all__ = ["TableColumns"]

Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True)
class TableColumns:
    """The names of the columns of edges to add, by role; "" for attributes that the graph lacks."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, graph: Graph, first: Self | None, table: Any) -> tuple[Self, ArrowTable, bool | None]:
        """The columns of a table, which are those of the first; the table; and whether integers in it are names.

        Raises:
            TypeError, ValueError: it is no table, or has no such columns.
        """
        stream = ArrowTable.of(table)
        if first is None:
            attributes: dict[str, Any] = {
                "weight": graph.weighted, "time": None if graph.times is not None else False,
                "label": None if graph.labels is not None else False,
            }  # fmt: skip
            chosen = columns.choose(stream.names, kinds_of(stream), **attributes)
            places = (chosen.source, chosen.target, chosen.weight, chosen.time, chosen.label)
            first = cls(tuple("" if i is None else stream.names[i] for i in places))
        for name in first.names:
            if name and stream.names.count(name) != 1:
                raise ValueError(
                    f"the table has the columns {', '.join(map(repr, stream.names))}: expected one named {name!r}, as "
                    "in the first table"
                )
        names = graph.vertex_names
        return first, stream, True if names is not None and names.dtype.kind in "iu" else None

    def edges(self, table: ArrowTable) -> tuple[tuple[Array, Array], dict[str, Any]]:
        """The ends and the attributes of the edges of a table."""
        places = {role: table.names.index(name) for role, name in zip(columns.ROLES, self.names, strict=True) if name}
        ends, attributes = read_columns(table, places)
        src, dst = (np.array(x.words, object)[x.codes] if isinstance(x, Text) else x for x in ends)
        every: dict[str, Any] = {"weights": None, "labels": None, "times": None}
        return (src, dst), every | attributes
