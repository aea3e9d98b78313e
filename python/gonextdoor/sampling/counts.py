"""What is counted of samples that nobody keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import memory
from .call import Call
from .sample import Run, vertex_type

if TYPE_CHECKING:
    from .._core.seeds import Seed
    from ..apps import SamplingApp
    from ..device.devices import Device
    from ..graph.graph import Graph
    from .sample import Roots

__all__ = ["end_points", "visit_counts"]

Array = npt.NDArray[Any]


def visit_counts(
    graph: Graph,
    app: SamplingApp,
    roots: Roots = None,
    *,
    repeat: int = 1,
    seed: Seed = None,
    first_id: int = 0,
    device: Device = "auto",
    threads: int | None = None,
) -> Array:
    """How often each vertex stands in samples that are not kept, roots included.

    It is ``gonextdoor.sample(...).visit_counts()`` of the same arguments, in memory that does not grow with the number
    of samples. On a GPU, walks of a million walkers or more, and one or more for each vertex, go through the graph in
    the order of its vertices, which is faster than with their traces from a few for each vertex on.

    Args:
        graph, app, roots, repeat, seed, first_id, device, threads: as for ``gonextdoor.sample``.

    Returns:
        (num_vertices,) int64.

    Raises:
        As ``gonextdoor.sample``.
    """
    run = Run(graph, app, roots, repeat, seed, first_id, device, threads, None)

    def counted(call: Call) -> Array:
        counts = np.zeros(graph.num_vertices, np.int64)
        call.tally(counts, None)
        return counts

    return run.explained(counted)


def end_points(
    graph: Graph,
    app: SamplingApp,
    roots: Roots = None,
    *,
    repeat: int = 1,
    seed: Seed = None,
    first_id: int = 0,
    device: Device = "auto",
    threads: int | None = None,
) -> Array:
    """The last vertex of each sample, of samples that are not kept: for a walk, where it ended.

    Args:
        graph, app, roots, repeat, seed, first_id, device, threads: as for ``gonextdoor.sample``.

    Returns:
        (rows,), int32 unless the graph has 2^31 vertices; -1 where a sample has no vertex.

    Raises:
        As ``gonextdoor.sample``.
    """
    run = Run(graph, app, roots, repeat, seed, first_id, device, threads, None)
    memory.check(4 * run.call.rows)
    ends = memory.empty((run.call.rows,), np.dtype(np.int32))
    run.explained(lambda call: call.tally(None, ends))
    if vertex_type(graph, None) == np.int32:
        return ends
    wide = ends.view(np.uint32).astype(np.int64)
    wide[ends == -1] = -1
    return wide
