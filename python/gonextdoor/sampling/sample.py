"""sample: samples from a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import numpy.typing as npt

from .._core.binding import refuse_unknown
from ..apps import MetaPath, SamplingApp
from ..device import devices
from ..errors import FAULTS
from ..samples.samples import Samples
from .call import Call
from .place import place
from .run import after, run
from .sinks import LEAST_ROWS, warn_of_sinks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._core.seeds import Seed
    from ..device.devices import Device
    from ..graph.graph import Graph
    from ..graph.hetero import HeteroGraph
    from .call import Roots

__all__ = ["sample"]


def sample(
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
    dtype: npt.DTypeLike | None = None,
    edges: bool = False,
    progress: bool | None = None,
    plan: Mapping[str, str] | None = None,
    **other: NoReturn,
) -> Samples:
    """Samples the graph: ``repeat`` samples from each root.

    Reproducible: the same graph, app, roots and seed give the same samples on any number of threads, on CPUs and GPUs,
    and however a run is split by ``first_id``.

    Args:
        graph: the graph. A ``HeteroGraph`` has walks of ``gonextdoor.apps.MetaPath`` alone.
        app: the sampling algorithm and its parameters: one of ``gonextdoor.apps``, or a ``gonextdoor.App`` of your own.
        roots: (n,) vertices; (n, r) for samples that grow from r roots each (KHop); an int n: n random vertices, drawn
            by the seed; None (default): every vertex in order. An app that grows from several vertices or chooses its
            own (``app.pool()``) makes n samples for an int n, one for None.
        repeat: samples from each root, at least 1 (default 1). Row i of the result begins with root i // repeat.
        names: whether integers in roots are names, as by ``graph.ids(roots)``; text always is. None (default): they are
            numbers, and the first such call warns if vertices have integers as names. False: no warning.
        seed: an int from 0 to 2^64 - 1; a numpy Generator, of which one word is taken; None (default): fresh entropy,
            kept in ``samples.seed``.
        first_id: the id of the first row (default 0); row i has first_id + i, and draws the random words of that id.
        device: ``"cpu"``; ``"cuda"`` or ``"cuda:1"``: a GPU, in whose memory the samples stay until an array of them is
            requested; a list of GPUs, which share the rows; ``"auto"`` (default): a GPU if one is available, supports
            the app and is expected to be faster, or the device that the environment variable GONEXTDOOR_DEVICE names.
            ``samples.device`` is the device that was used.
        threads: CPU threads to use, at least 1; None (default): one per core that this process may use.
        dtype: of vertices, int32 or int64; None (default): int32 unless the graph has 2^31 vertices.
        edges: whether to record the id of each edge taken (default False); see ``Samples.edges``.
        progress: whether to show a progress bar; None (default): in interactive use, if the run takes over a second.
        plan: ``{"order": "transit"}`` or ``{"order": "sample"}``: the order in which a GPU makes the picks of trees,
            see ``gonextdoor.explain``. For walks on a graph that is split over GPUs: the GPU that has the present
            vertex makes the step, or the GPU of the sample. On such a graph, and on one larger than GPU memory, GPUs
            make the samples, even if the CPU would be faster. It changes the speed only. Other calls ignore it. None
            (default): the planner chooses.
        other: nothing. The argument names of other libraries (``walk_length``, ``num_walks``) are refused with the name
            that they have here.

    Returns:
        The samples; ``samples.numpy()`` has them as (rows, width).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.
        IndexError: a root is not a vertex of the graph.
        MemoryError: the result does not fit in memory; nothing has begun.
        DeviceError: the GPU is missing, does not run the app, or has too little memory; the text says what to do.
        KeyboardInterrupt: Ctrl-C was pressed. The graph and all earlier results remain usable.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> walks = gnd.sample(graph, gnd.apps.DeepWalk(length=4), [0, 7], repeat=2, seed=1)
        >>> walks.numpy()
        array([[  0, 232, 176, 222,  60],
               [  0, 116, 206, 231, 139],
               [  7, 206, 158, 184, 248],
               [  7, 206,  26, 245, 146]], dtype=int32)
    """
    if other:
        refuse_unknown("gonextdoor.sample", sample, other, ())
    return sampled(
        Call(graph, app, roots, repeat, seed, first_id, device, threads, progress, plan, dtype, edges, names), app
    )


def sampled(call: Call, app: SamplingApp | None = None) -> Samples:
    """The samples of a call. app: as the caller gave it; None: that of the call."""
    given = call.app if app is None or isinstance(app, MetaPath) else app
    at = place(call)
    try:
        result = run(call, at)
    except FAULTS as error:
        result, at = after(call, at, error, run)
    if call.graph._sink_checks and call.rows >= LEAST_ROWS:
        warn_of_sinks(call.graph, given, result)
    on = devices.named(at.devices) if at.devices else "cpu"
    return Samples(
        call.graph, given, result,
        roots=call.roots.width, seed=call.seed, first_id=call.first, device=on, dtype=call.vertex,
        asked=call.asked,
    )  # fmt: skip
