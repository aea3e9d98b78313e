"""Visit counts and end points, computed without storing the samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from .._core import memory
from .._core.binding import advised
from ..errors import FAULTS
from .call import Call
from .place import Place, place
from .run import after, count_visits

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.seeds import Seed
    from ..apps import SamplingApp
    from ..device.devices import Device
    from ..graph.graph import Graph
    from ..graph.hetero import HeteroGraph
    from .call import Roots

__all__ = ["end_points", "visit_counts"]

Array = npt.NDArray[Any]
_T = TypeVar("_T")


@advised
def visit_counts(
    graph: Graph | HeteroGraph,
    app: SamplingApp,
    roots: Roots = None,
    *,
    repeat: int = 1,
    names: bool | None = None,
    seed: Seed = None,
    first_id: int = 0,
    device: Device = "auto",
    threads: int | None = None,
) -> Array:
    """Counts how often each vertex occurs in the samples, roots included, without storing the samples.

    The result equals ``gonextdoor.sample(...).visit_counts()`` of the same arguments, in memory that does not grow with
    the number of samples. On a GPU, walks of at least a million walkers, and of at least one per vertex, are processed
    in vertex order, which is faster than storing traces once there are a few walkers per vertex.

    Args:
        graph: the graph.
        app: one of ``gonextdoor.apps``, or a ``gonextdoor.App``.
        roots: as for ``gonextdoor.sample``; None (default): every vertex in order.
        repeat: samples from each root, at least 1 (default 1).
        names: as for ``gonextdoor.sample``; None (default): integers are numbers.
        seed: as for ``gonextdoor.sample``.
        first_id: the id of the first sample (default 0).
        device: as for ``gonextdoor.sample``.
        threads: CPU threads, at least 1; None (default): one per core that this process may use.

    Returns:
        (num_vertices,) int64.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.
        IndexError: a root is not a vertex of the graph.
        MemoryError: the result does not fit in memory.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> path = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)
        >>> gnd.visit_counts(path, gnd.apps.DeepWalk(length=5), repeat=100, seed=1)
        array([439, 807, 761, 393])
    """
    call = Call(graph, app, roots, repeat, seed, first_id, device, threads, names=names)

    def counted(call: Call, at: Place) -> Array:
        counts = memory.empty((call.graph.num_vertices,), np.int64)
        count_visits(call, at, counts, None)
        return counts

    return _run(call, counted)


@advised
def end_points(
    graph: Graph | HeteroGraph,
    app: SamplingApp,
    roots: Roots = None,
    *,
    repeat: int = 1,
    names: bool | None = None,
    seed: Seed = None,
    first_id: int = 0,
    device: Device = "auto",
    threads: int | None = None,
) -> Array:
    """Returns the last vertex of each sample, without storing the samples: for a walk, the vertex that it ended at.

    Args:
        graph: the graph.
        app: one of ``gonextdoor.apps``, or a ``gonextdoor.App``.
        roots: as for ``gonextdoor.sample``; None (default): every vertex in order.
        repeat: samples from each root, at least 1 (default 1).
        names: as for ``gonextdoor.sample``; None (default): integers are numbers.
        seed: as for ``gonextdoor.sample``.
        first_id: the id of the first sample (default 0).
        device: as for ``gonextdoor.sample``.
        threads: CPU threads, at least 1; None (default): one per core that this process may use.

    Returns:
        (rows,) int32, or int64 if the graph has 2^31 vertices; -1 if a sample has no vertex.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.
        IndexError: a root is not a vertex of the graph.
        MemoryError: the result does not fit in memory.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> gnd.end_points(graph, gnd.apps.DeepWalk(length=5), [0, 1, 2], seed=1)
        array([146, 209, 246], dtype=int32)
        >>> gnd.sample(graph, gnd.apps.DeepWalk(length=5), [0, 1, 2], seed=1).numpy()[:, -1]
        array([146, 209, 246], dtype=int32)
    """
    call = Call(graph, app, roots, repeat, seed, first_id, device, threads, names=names)
    memory.check(4 * call.rows)
    ends = memory.empty((call.rows,), np.dtype(np.int32))
    _run(call, lambda call, at: count_visits(call, at, None, ends))
    if call.vertex == np.int32:
        return ends
    wide = ends.view(np.uint32).astype(np.int64)
    wide[ends == -1] = -1
    return wide


def _run(call: Call, function: Callable[[Call, Place], _T]) -> _T:
    """Returns function(call, place), or what ``after`` returns if it fails."""
    at = place(call)
    try:
        return function(call, at)
    except FAULTS as error:
        return after(call, at, error, function)[0]
