"""Placement: on which GPUs the rows of a graph are."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from .._core import native
from .._core.arguments import integers
from .._core.htmltable import grid
from .._core.log import logger
from .._core.units import byte_text
from .._core.weak import WeakTable
from ..device.devices import gpus, named
from .rows import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Part", "Placement", "equal_parts", "follow", "place", "place_all", "placement_of"]


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Part:
    """The rows of a graph that one GPU has.

    Attributes:
        device: the GPU, such as "cuda:0".
        first: the first row.
        end: the row after the last; the part is empty if it is the first.
        edges: the number of edges in the rows.
        bytes: the bytes of GPU memory that the graph takes there now, replicas included.
        replicated_bytes: of which are copies of data that another GPU has too.
    """

    device: str
    first: int
    end: int
    edges: int
    bytes: int
    replicated_bytes: int

    def __str__(self) -> str:
        return f"{self.device}: {', '.join(self._cells())}"

    def _cells(self) -> tuple[str, str, str]:
        rows = f"rows {self.first:,} to {self.end - 1:,}" if self.end > self.first else "no rows"
        copies = f", {byte_text(self.replicated_bytes)} of them replicated" if self.replicated_bytes else ""
        return rows, f"{self.edges:,} edges", f"{byte_text(self.bytes)}{copies}"

    __repr__ = __str__


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Placement:
    """How the rows of a graph are split over GPUs; returned by ``Graph.placement``.

    It describes the moment at which it was read: the graph takes GPU memory when samples are first drawn.

    Attributes:
        parts: the part of each GPU, in the order of the rows: its ``device``, ``first`` and ``end`` row, ``edges``,
            ``bytes`` of GPU memory, and ``replicated_bytes``, the part of those that another GPU has too.
        automatic: whether a call split the graph because it did not fit one GPU, and not ``Graph.place``.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> graph.placement is None  # not split
        True
    """

    parts: tuple[Part, ...]
    automatic: bool

    @classmethod
    def _of(cls, facts: dict[str, Any]) -> Placement:
        """The placement that the core describes by a dict with the attributes."""
        return cls(tuple(Part(**part) for part in facts["parts"]), facts["automatic"])

    @property
    def devices(self) -> list[str]:
        """The GPUs, in the order of the rows."""
        return [part.device for part in self.parts]

    @property
    def bounds(self) -> list[int]:
        """The first row of each part, and the number of vertices: the ``bounds`` of ``Graph.place``."""
        return [0, *(part.end for part in self.parts)]

    def __repr__(self) -> str:
        return "\n".join(map(str, self.parts))

    def _repr_html_(self) -> str:
        head = "device", "rows", "edges", "bytes", "replicated"
        rows = (
            (
                part.device,
                f"{part.first:,} to {part.end - 1:,}" if part.end > part.first else "none",
                f"{part.edges:,}",
                byte_text(part.bytes),
                byte_text(part.replicated_bytes),
            )
            for part in self.parts
        )
        return grid("Placement", head, rows)


# The graphs that have the placement of another: its reversed graph.
_followers: WeakTable[Rows, Rows] = WeakTable()


def placement_of(graph: Rows) -> Placement | None:
    """Returns the placement of a graph, or None."""
    text = native.call("GraphPlacement", graph._held.number)
    return Placement._of(json.loads(text)) if text else None


def place(graph: Rows, devices: Sequence[str] | None, bounds: npt.ArrayLike | None) -> None:
    """Places a graph, and the graph that follows it, as ``Graph.place`` describes."""
    ids = _ids(devices)
    parts = [(graph, None if bounds is None else _rows("bounds", bounds, len(ids)))]
    if (follower := _followers.of(graph)) is not None:
        parts.append((follower, None))
    _place_each(parts, ids)


def place_all(
    relations: Mapping[Any, Rows], devices: Sequence[str] | None, bounds: Mapping[Any, npt.ArrayLike] | None
) -> None:
    """Places the graphs of all relations, as ``HeteroGraph.place`` describes."""
    ids, cuts = _ids(devices), {} if bounds is None else bounds
    if not isinstance(cuts, Mapping):
        raise TypeError(f"bounds: expected a dict of bounds by relation, got {type(cuts).__name__}")
    for relation in cuts:
        if relation not in relations:
            raise ValueError(f"bounds[{relation!r}]: expected one of the relations {', '.join(map(repr, relations))}")
    _place_each(
        [
            (graph, _rows(f"bounds[{relation!r}]", cuts[relation], len(ids)) if relation in cuts else None)
            for relation, graph in relations.items()
        ],
        ids,
    )


def equal_parts(graph: Rows, parts: int) -> list[int]:
    """Returns the bounds of parts with equal numbers of edges, as ``Graph.place`` cuts them."""
    bounds: list[int] = json.loads(native.call("GraphRowRanges", graph._held.number, parts))
    return bounds


def follow(graph: Rows, other: Rows) -> None:
    """Gives another graph the GPUs of a graph, now and whenever the graph is placed. The graph keeps it alive."""
    _followers.put(graph, other)
    placement = placement_of(graph)
    if placement is not None and not placement.automatic:
        _place(other, gpus("devices", placement.devices), None)


def _ids(devices: Sequence[str] | None) -> tuple[int, ...]:
    ids = () if devices is None else gpus("devices", devices)
    if devices is not None and not ids:
        raise ValueError("devices is empty: expected a list of GPUs, or None to undo the placement")
    return ids


def _rows(name: str, bounds: npt.ArrayLike, parts: int) -> list[int]:
    if parts < 2:
        raise ValueError(f"{name}: expected None, since the graph is not split over several GPUs")
    rows = integers(name, bounds)
    if rows.ndim != 1:
        raise ValueError(f"{name}: expected shape ({parts + 1},), got {rows.shape}")
    return [int(row) for row in rows]


def _place_each(parts: list[tuple[Rows, list[int] | None]], ids: tuple[int, ...]) -> None:
    """Places graphs on GPUs by their bounds. After an error, all have the placements that they had before."""
    done: list[tuple[Rows, Placement | None]] = []
    try:
        for graph, bounds in parts:
            before = placement_of(graph)
            _place(graph, ids, bounds)
            done.append((graph, before))
    except BaseException:
        for graph, before in done:
            if before is None:
                _place(graph, (), None)
            else:
                _place(graph, gpus("devices", before.devices), before.bounds)
        raise


def _place(graph: Rows, ids: tuple[int, ...], bounds: list[int] | None) -> None:
    native.call("GraphPlace", graph._held.number, json.dumps({"devices": list(ids), "bounds": bounds}), 0)
    graph._warm = {app for app in graph._warm if not (isinstance(app, tuple) and app[1])}
    if len(ids) > 1:
        logger.debug("%r placed on %s", graph, named(ids))
    else:
        logger.debug("%r is not placed", graph)
