"""gnd.sample, and NextDoor's own calls."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from .. import apps
from .._core import advice
from .._core.arguments import cores
from .._core.checks import check_int, checked_flag
from .._core.seeds import call_seed, entropy, signed
from ..apps import SamplingApp
from ..apps.synonyms import unexpected
from ..device import devices
from ..errors import DeviceError
from ..graph.graph import Graph
from ..samples.samples import Samples
from . import roots as _roots
from .call import Call
from .sinks import warn_of_sinks

__all__ = ["NextDoor", "sample"]

Array = npt.NDArray[Any]

_T = TypeVar("_T")

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.seeds import Seed
    from ..device.devices import Device

    Roots = npt.ArrayLike | None


def sample(
    graph: Graph,
    app: SamplingApp,
    roots: Roots = None,
    *,
    repeat: int = 1,
    seed: Seed = None,
    first_id: int = 0,
    device: Device = "auto",
    threads: int | None = None,
    dtype: npt.DTypeLike | None = None,
    edges: bool = False,
    progress: bool | None = None,
    **other: NoReturn,
) -> Samples:
    """Samples the graph: ``repeat`` samples from each root.

    One law: the same graph, app, roots and seed give the same samples, on any number of threads and however a run is
    split by ``first_id``; on the CPU and on GPUs.

    Args:
        graph: the graph.
        app: how a sample grows: one of ``gonextdoor.apps``, or a ``gonextdoor.App`` of your own.
        roots: (n,) vertices; (n, r) for samples that grow from r roots each (KHop); an int n: n random vertices, drawn
            by the seed; None: every vertex in order. An app that grows from several vertices or chooses its own
            (``app.pool()``) makes n samples for an int n, one for None.
        repeat: samples from each root, at least 1. Row i of the result begins with root i // repeat.
        seed: an int from 0 to 2^64 - 1; a numpy Generator, of which one word is taken; None: fresh entropy, kept in
            ``samples.seed``.
        first_id: the id of the first row; row i has first_id + i, and draws the random words of that id.
        device: "cpu"; "cuda" or "cuda:1", a GPU, where the samples then stay until an array of them is asked for; a
            list of GPUs, which share the rows; "auto": a GPU where there is one, it runs the app and the work is large
            enough to pay, or what the environment variable GONEXTDOOR_DEVICE names. ``samples.device`` says which it
            was.
        threads: threads of the CPU to use, at least 1; None: as many as this process has processors.
        dtype: of vertices, int32 or int64; None: int32 unless the graph has 2^31 vertices.
        edges: whether to record the id of each edge taken; see ``Samples.edges``.
        progress: whether to show a bar; None: when interactive and the run takes over a second.
        other: nothing. The argument names of other libraries (``walk_length``, ``num_walks``) are refused with the name
            that they have here.

    Returns:
        The samples; ``samples.numpy()`` has them as (rows, width).

    Raises:
        TypeError, ValueError: an argument is of the wrong type or value.
        IndexError: a root is not a vertex of the graph.
        MemoryError: the result does not fit in memory; nothing has begun.
        DeviceError: the GPU is not there, does not run the app, or has not the memory; the text says what to do.
        KeyboardInterrupt: Ctrl-C was pressed; everything is as before.
    """
    if other:
        raise unexpected("gonextdoor.sample", next(iter(other)), _ARGUMENTS)
    edges = checked_flag("edges", edges)
    run = Run(graph, app, roots, repeat, seed, first_id, device, threads, progress)
    vertex = vertex_type(graph, dtype)
    result = run.explained(lambda call: call.made(vertex, edges))
    warn_of_sinks(graph, app, result)
    on, width = devices.named(run.call.devices), run.begin.width
    return Samples(graph, app, result, roots=width, seed=run.seed, first_id=run.first, device=on, dtype=vertex)


_ARGUMENTS = [name for name in inspect.signature(sample).parameters if name != "other"]


class Run:
    """What the arguments of sample ask for, checked."""

    __slots__ = ("auto", "begin", "call", "copies", "first", "seed")

    def __init__(
        self,
        graph: Graph,
        app: SamplingApp,
        roots: Roots,
        repeat: int,
        seed: Seed,
        first_id: int,
        device: Device,
        threads: int | None,
        progress: bool | None,
    ) -> None:
        if not isinstance(graph, Graph):
            raise advice.graph_error("a gonextdoor.Graph", graph, "out")
        if not isinstance(app, SamplingApp):
            raise advice.app_error(app, apps.__all__)
        ids = devices.among(device)
        workers = checked_threads(threads)
        if progress is not None and not isinstance(progress, bool):
            raise TypeError(f"progress = {progress!r}: expected True, False or None")
        self.seed = entropy(seed)
        self.copies = check_int("repeat", repeat, 1, 1 << 62)
        self.first = check_int("first_id", first_id, 0, (1 << 64) - 1)
        self.begin = _roots.given(graph, app, roots, seed=self.seed, first_id=self.first, repeat=self.copies)
        rows = self.begin.count * self.copies
        if self.first + rows > 1 << 64:
            raise ValueError(f"first_id = {self.first}: expected at most 2^64 - {rows}, so that all ids fit in 64 bits")
        asked = self.copies, signed(self.seed), signed(self.first), workers
        self.auto, self.call = ids is None, Call(graph, app, self.begin, asked, progress, ids)

    def explained(self, run: Callable[[Call], _T]) -> _T:
        """What run(call) gives; an error of the app's own functions says where in them it was. A GPU that nobody named
        may fail: the CPU runs the call then."""
        try:
            return run(self.call)
        except DeviceError as why:
            if not self.auto or not self.call.devices:
                raise
            warnings.warn(f'device = "auto": the CPU samples, since {why}', RuntimeWarning, stacklevel=3)
        except (ArithmeticError, IndexError, RuntimeError, ValueError) as error:

            def again(other: SamplingApp, id: int) -> Samples:
                root = self.begin.of((id - self.first) // self.copies)
                return sample(self.call.graph, other, root, seed=self.seed, first_id=id, threads=1, device="cpu")

            explained = self.call.app.explained(error, again)
            if explained is error:
                raise
            raise explained from None
        self.auto, self.call = False, self.call.on(devices.CPU)
        return self.explained(run)


_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


def vertex_type(graph: Graph, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    """The type of a result's vertices."""
    small = graph.num_vertices < 1 << 31
    if dtype is None:
        return _INT32 if small else _INT64
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype = {dtype!r}: expected int32 or int64") from None
    if wanted not in (_INT32, _INT64):
        raise TypeError(f"dtype = {wanted}: expected int32 or int64")
    if wanted == _INT32 and not small:
        raise ValueError(f"dtype = int32: the graph has {graph.num_vertices} vertices, expected int64")
    return wanted


def checked_threads(threads: int | None) -> int:
    if threads is not None:
        return min(check_int("threads", threads, 1, 1 << 31), 1 << 12)
    return cores()


class NextDoor:
    """Sampling by NextDoor's own calls (Jangda et al., EuroSys'21): make one, ``doSampling()``, ``getFinalSamples()``.

    Args:
        graph, app, roots, device: as for ``gonextdoor.sample``.
        seed: as for ``gonextdoor.sample``; call k of doSampling takes word k of the seed's stream.
    """

    def __init__(
        self, graph: Graph, app: SamplingApp, roots: Roots = None, seed: Seed = None, device: Device = "auto"
    ) -> None:
        if not isinstance(graph, Graph):
            raise advice.graph_error("a gonextdoor.Graph", graph, "out")
        if not isinstance(app, SamplingApp):
            raise advice.app_error(app, apps.__all__)
        devices.among(device)
        self.graph, self.app, self.roots, self.device = graph, app, roots, device
        self.seed = entropy(seed)
        self._calls = 0
        self._samples: Samples | None = None

    def doSampling(self) -> None:
        """Samples anew, with the next seed of the stream."""
        word = call_seed(self.seed, self._calls)
        self._samples = sample(self.graph, self.app, self.roots, seed=word, device=self.device)
        self._calls += 1

    def getFinalSamples(self, per_step: bool | None = None) -> Array | list[Array]:
        """The samples of the last doSampling, in one of NextDoor's two formats.

        Args:
            per_step: False: whole samples, (n, width), padded with -1, as ``samples.numpy()``; True: a list with one
                array a step, roots left out, as ``samples.steps``; None: whole for walks and subgraphs, by steps for
                trees and layers.

        Raises:
            RuntimeError: doSampling has not been called.
            TypeError: per_step is none of these.
        """
        wanted = self.app.per_step() if per_step is None else checked_flag("per_step", per_step)
        return self.samples.steps if wanted else self.samples.numpy()

    @property
    def samples(self) -> Samples:
        """The samples of the last doSampling, with all that they know."""
        if self._samples is None:
            raise RuntimeError("no samples yet: call doSampling() first")
        return self._samples

    def __repr__(self) -> str:
        return f"NextDoor({self.graph!r}, {self.app!r}, seed={self.seed}, calls={self._calls})"
