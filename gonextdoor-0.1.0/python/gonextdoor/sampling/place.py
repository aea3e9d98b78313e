"""Place: the devices that run a sampling call, the samplers of its app there, and the time that it will take."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from .._core import native, running
from .._core.excess import FROM_HOST, IN_PARTS, excess_of
from .._core.log import DEBUG, logger
from ..device import devices
from .estimate import Estimate, estimate
from .explanation import log_call

if TYPE_CHECKING:
    from ..apps import SamplingApp
    from ..graph.graph import Graph
    from ..graph.held import HeldGraph
    from .call import Call

__all__ = ["Place", "Samplers", "place", "samplers_of"]


class HeldSampler(native.Held):
    """A handle of a sampler in the core (gonextdoor.LazySampler). Its first call plans it.

    Args:
        graph: the graph.
        app: the app in the core, or its name and parameters, from which the sampler makes a separate one.
        roots: the roots of a sample.
        mask: a bit for each GPU that runs it; 0: the CPU.
    """

    __slots__ = ("_app", "_graph", "_mask", "_roots")

    def __init__(self, graph: HeldGraph, app: native.Held | tuple[str, str], roots: int, mask: int) -> None:
        self._graph, self._app, self._roots, self._mask = graph, app, roots, mask
        super().__init__(self.remade(), "DropSampler")

    def remade(self) -> int:
        app = self._app
        number: int
        if isinstance(app, tuple):
            number = native.call("NewAppSampler", self._graph.number, *app, self._roots, self._mask)
        else:
            number = native.call("NewSampler", self._graph.number, app.number, self._roots, self._mask)
        return number


class Samplers:
    """The samplers of an app on a graph with a number of roots per sample, one for each set of devices.

    They are kept with the app until the app or the graph is deleted, and do not keep the graph alive. They are safe for
    concurrent use.

    Attributes:
        facts: the shape of the samples.
        roots: the roots of a sample.
    """

    __slots__ = ("_estimate", "_graph", "_held", "facts", "roots")

    def __init__(self, graph: weakref.ref[Graph], app: SamplingApp, roots: int) -> None:
        self.facts, self.roots, self._graph = app._facts(roots), roots, graph
        self._held: dict[tuple[tuple[int, ...], int | None], HeldSampler] = {}
        self._estimate: tuple[int, int, Estimate] | None = None  # the last one, and what it was asked for

    def sampler(self, graph: Graph, app: SamplingApp, on: tuple[int, ...]) -> int:
        """Returns the number of the sampler for devices, which is made at its first use.

        Raises:
            ImportError: nothing here compiles the app's functions for a GPU.
            DeviceError: the GPU does not run the app.
        """
        key = on, app._excess(graph, self.roots, on) if on else None
        held = self._held.get(key)
        if held is None:
            core = app._held_on(graph, self.roots, *key) if on else app._text() or app._held()
            held = HeldSampler(graph._held, core, self.roots, devices.mask(on) if on else 0)
            held = self._held.setdefault(key, held)  # another thread's, if that came first
        return held.number

    def exceeds(self, graph: Graph, app: SamplingApp, on: tuple[int, ...]) -> bool:
        """Whether the graph exceeds the memory of GPUs."""
        excess = excess_of(graph._held.number, app._planned().number, self.roots, on, edges=True)
        return excess in (IN_PARTS, FROM_HOST)

    def kept(self, on: tuple[int, ...]) -> HeldSampler | None:
        """Returns a sampler that an earlier call made for devices, or None."""
        return next((held for (ids, _), held in self._held.items() if ids == on), None)

    def estimate(self, graph: Graph, app: SamplingApp, samples: int, threads: int) -> Estimate:
        """Returns the expected duration of a call. The last result is kept."""
        last = self._estimate
        if last is not None and last[0] == samples and last[1] == threads:
            return last[2]
        expected = estimate(graph, app, samples, self.roots, threads)
        self._estimate = samples, threads, expected
        return expected


class _ByGraph(dict[tuple[int, int], Samplers]):
    """The samplers of one app, by the id of the graph and the roots of a sample."""

    __slots__ = ("__weakref__",)


def samplers_of(graph: Graph, app: SamplingApp, roots: int) -> Samplers:
    """Returns the samplers of an app on a graph for a number of roots per sample; the first call makes them."""
    kept: _ByGraph | None = app.__dict__.get("_samplers")
    key = id(graph), roots
    if kept is None:
        kept = app.__dict__.setdefault("_samplers", _ByGraph())
    found = kept.get(key)
    if found is None or found._graph() is not graph:
        found = kept.setdefault(key, Samplers(native.forgetting(weakref.ref(kept), key, graph), app, roots))
    return found


class Place:
    """The devices that run a call.

    Attributes:
        devices: the GPUs; empty: the CPU.
        roots: the roots of the call, in memory that the devices read.
        tables: names the app's tables in ``Graph._warm``.
        cold: whether the tables must be made.
        seconds: the expected time of the call.
    """

    __slots__ = ("cold", "devices", "roots", "seconds", "tables")

    def __init__(self, call: Call, ids: tuple[int, ...], expected: Estimate) -> None:
        self.devices = ids
        self.roots = call.roots if call.roots.array is not None else call.roots.among(ids)
        self.tables: tuple[Any, ...] = type(call.app), ids
        self.cold = cold = self.tables not in call.graph._warm
        seconds = expected.until(len(ids), tables=cold) if ids or cold else expected.cpu
        if ids and seconds < running.LONG <= expected.cpu and call.samplers.exceeds(call.graph, call.app, ids):
            seconds = expected.cpu  # the estimate for GPUs is that of a graph in their memory
        self.seconds = seconds
        # Short calls on built tables are not logged, nor delayed.
        if (cold or seconds >= running.LONG) and logger.isEnabledFor(DEBUG):
            log_call(call, ids, seconds)


def place(call: Call) -> Place:
    """Chooses the devices of a call: those that are named or have the roots, or else the GPU if it is expected to
    finish before the CPU. "auto" is the CPU if the GPU does not run the app."""
    samplers = call.samplers
    expected = samplers.estimate(call.graph, call.app, call.rows, call.threads)
    ids, _ = call.preferred()
    if call.devices is not None or ids == devices.CPU or (ids is None and expected.cpu < expected.gpu):
        return Place(call, ids or devices.CPU, expected)
    asked = call.graph._held.number, call.app._planned().number, samplers.roots
    if ids is not None:
        ids = ids if native.call("DeviceRuns", *asked) else devices.CPU
    else:
        id = native.call("DeviceFor", *asked, expected.cpu, expected.gpu)
        ids = devices.CPU if id < 0 else (id,)
    try:
        if ids:
            samplers.sampler(call.graph, call.app, ids)
    except ImportError:  # no compiler for GPUs is installed
        ids = devices.CPU
    return Place(call, ids, expected)
