"""explain: how a sampling call will run, and what it is expected to take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.binding import advised
from ..graph.names import no_vertex
from .call import Call
from .explanation import Explanation, described

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..apps import SamplingApp
    from ..device.devices import Device
    from ..graph.graph import Graph
    from ..graph.hetero import HeteroGraph
    from .call import Roots

__all__ = ["explain"]


@advised
def explain(
    graph: Graph | HeteroGraph,
    app: SamplingApp,
    roots: Roots = None,
    device: Device = "auto",
    *,
    repeat: int = 1,
    names: bool | None = None,
    threads: int | None = None,
    plan: Mapping[str, str] | None = None,
) -> Explanation:
    """Explains how ``gonextdoor.sample`` with the same arguments will run: device and why, tables, time and memory.

    Nothing is sampled, built or copied to a GPU. If the graph is mapped from a folder, the first call reads every edge
    to check it, as the first call of ``sample`` does. So does the first call that infers a bound. Times are estimates
    by the cost model that ``device="auto"`` uses (docs/device-choice.md). Memory is for samples without edge ids.

    Args:
        graph: the graph.
        app: one of ``gonextdoor.apps``, or a ``gonextdoor.App``.
        roots: as for ``gonextdoor.sample``; None (default): every vertex in order.
        device: as for ``gonextdoor.sample``.
        repeat: samples from each root, at least 1 (default 1).
        names: as for ``gonextdoor.sample``; None (default): integers are numbers.
        threads: CPU threads, at least 1; None (default): one per core that this process may use.
        plan: as for ``gonextdoor.sample``.

    Returns:
        The plan. Print it, or read its attributes.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.
        IndexError: a root is not a vertex of the graph.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> graph = gnd.rmat(10, seed=1)
        >>> plan = gnd.explain(graph, gnd.apps.DeepWalk(80), roots=100, device="cpu")
        >>> plan.driver, plan.selector, plan.samples, plan.choices
        ('walk', 'Uniform', 100, 8000)
        >>> for table in plan.tables:
        ...     print(table.name)
        packed vertex records
    """
    call = Call(graph, app, roots, repeat, 0, device=device, threads=threads, plan=plan, names=names)
    try:
        return described(call)
    except IndexError as error:
        raise no_vertex(call.graph, error) from None
