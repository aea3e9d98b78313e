"""Run: the arguments that all ranges of a run share, and the protocol of the kinds of rows."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ..graph.graph import Graph

if TYPE_CHECKING:
    import pyarrow

    from ..device.devices import Device
    from ..partition import Transport
    from ..partition.anygraph import AnyGraph
    from ..storage.head import Head

__all__ = ["Kind", "Run", "TypedNodes", "check_one_type", "digest_of", "needs_whole", "whole"]

Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True)
class Run:
    """The arguments of a run.

    Attributes:
        roots: None, a number, an array, a list of names, or ``TypedNodes``.
        repeat: the samples of each root, or the epochs of mini-batches.
        edges: whether the ids of the edges taken are recorded.
        names: whether vertices have their names in the input instead of their numbers.
        seed: 64 bits.
        device, threads: as for ``gonextdoor.sample``.
    """

    roots: Any
    repeat: int
    edges: bool
    names: bool
    seed: int
    device: Device
    threads: int | None


@dataclasses.dataclass(frozen=True)
class TypedNodes:
    """Vertices of one type of a heterogeneous graph.

    Attributes:
        type: the type.
        nodes: (n,) the vertices; None: all.
    """

    type: str
    nodes: Any


class Kind(Protocol):
    """What a run samples. A row of its result has an id.

    Attributes:
        at_home: whether one part of a partitioned graph makes the rows and asks the others. Otherwise all parts do.
    """

    @property
    def at_home(self) -> bool: ...

    def rows(self, run: Run, head: Head) -> int:
        """The number of rows. Raises a ValueError if the run is not possible."""

    def row_bytes(self, run: Run, head: Head) -> float:
        """The expected size of a row in Arrow."""

    def table(self, run: Run, graph: AnyGraph, ids: range, transport: Transport | None = None) -> pyarrow.Table:
        """The rows of consecutive ids."""

    def schema(self, run: Run, head: Head) -> pyarrow.Schema:
        """The schema of ``table``."""

    def facts(self) -> dict[str, Any]:
        """A description as JSON, equal only for kinds with equal rows."""


def check_one_type(app: object, run: Run, head: Head) -> None:
    """Refuses a heterogeneous graph, and roots of one of its types.

    Raises:
        ValueError: the graph is heterogeneous, or the roots have a type.
    """
    if head.types is not None:
        raise ValueError(
            f"app: {type(app).__name__} needs a graph of one type, but the folder has a heterogeneous one; expected "
            "gonextdoor.ranges.MiniBatches, or the folder of HeteroGraph.to_homogeneous"
        )
    if isinstance(run.roots, TypedNodes):
        raise ValueError(f"roots: expected vertices of a graph of one type, got vertices of type {run.roots.type!r}")


def whole(kind: object, graph: AnyGraph) -> Graph:
    """The graph, which has one type.

    Raises:
        ValueError: it is partitioned, and these rows cannot be sampled by parts.
    """
    if isinstance(graph, Graph):
        return graph
    raise needs_whole(kind)


def needs_whole(kind: object) -> ValueError:
    """The error for rows that cannot be sampled by parts."""
    return ValueError(f"app: {type(kind).__name__} needs a whole graph, but the folder has a partitioned one")


def digest_of(roots: Any) -> Any:
    """Roots as JSON: None, a number, or a digest of an array, and their type if there are several."""
    if roots is None or isinstance(roots, int):
        return roots
    if isinstance(roots, TypedNodes):
        return {"type": roots.type, "nodes": digest_of(roots.nodes)}
    array = np.asarray(roots)
    if array.dtype.kind in "OU":
        data = "\0".join(map(str, array.reshape(-1).tolist())).encode()
    else:
        data = array.astype("<i8").tobytes()
    return f"{'x'.join(map(str, array.shape))} {hashlib.sha256(data).hexdigest()}"
