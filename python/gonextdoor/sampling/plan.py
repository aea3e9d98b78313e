"""Plan: an app on a graph, planned once and kept with the app."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._core import memory, native
from .._core.excess import FROM_HOST, IN_PARTS, excess_of
from ..apps.app import remember
from ..device import devices

if TYPE_CHECKING:
    from ..apps import SamplingApp
    from ..graph.graph import Graph
    from ..graph.held import HeldGraph

__all__ = ["Estimate", "Plan", "estimate", "plan_of"]


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


class Plan:
    """An app on a graph with a number of roots per sample: the shape of the samples, estimates, and samplers.

    A plan is kept with the app until the app or the graph is deleted. It does not keep the graph alive. It is safe for
    concurrent use.

    Attributes:
        width: the vertices of a whole sample, roots included; None if samples differ in length.
        layered: whether samples have steps of different sizes, or record edges.
        pool: the vertices that are drawn for each sample without roots; see ``SamplingApp.pool``.
        roots: the roots of a sample.
    """

    __slots__ = ("_estimate", "_graph", "_samplers", "layered", "pool", "roots", "width")

    def __init__(self, graph: weakref.ref[Graph], app: SamplingApp, roots: int) -> None:
        facts = app._facts(roots)
        self.width, self.layered, self.pool = facts.width, facts.layered, facts.pool
        self.roots, self._graph = roots, graph
        self._samplers: dict[tuple[tuple[int, ...], int | None], HeldSampler] = {}
        self._estimate: tuple[int, int, Estimate] | None = None  # the last one, and what it was asked for

    def sampler(self, graph: Graph, app: SamplingApp, on: tuple[int, ...]) -> int:
        """Returns the number of the sampler for devices, which is made at its first use.

        Raises:
            ImportError: nothing here compiles the app's functions for a GPU.
            DeviceError: the GPU does not run the app.
        """
        key = on, app._excess(graph, self.roots, on) if on else None
        held = self._samplers.get(key)
        if held is None:
            core = app._held_on(graph, self.roots, *key) if on else app._text() or app._held()
            held = HeldSampler(graph._held, core, self.roots, devices.mask(on) if on else 0)
            held = self._samplers.setdefault(key, held)  # another thread's, if that came first
        return held.number

    def exceeds(self, graph: Graph, app: SamplingApp, on: tuple[int, ...]) -> bool:
        """Whether the graph exceeds the memory of GPUs."""
        excess = excess_of(graph._held.number, app._planned().number, self.roots, on, edges=True)
        return excess in (IN_PARTS, FROM_HOST)

    def kept(self, on: tuple[int, ...]) -> HeldSampler | None:
        """Returns a sampler that an earlier call made for devices, or None."""
        return next((held for (ids, _), held in self._samplers.items() if ids == on), None)

    def estimate(self, graph: Graph, app: SamplingApp, samples: int, threads: int) -> Estimate:
        """Returns the expected duration of a call. The last result is kept."""
        last = self._estimate
        if last is not None and last[0] == samples and last[1] == threads:
            return last[2]
        expected = estimate(graph, app, samples, self.roots, threads)
        self._estimate = samples, threads, expected
        return expected


class _Plans(dict[tuple[int, int], Plan]):
    """The plans of one app, by the id of the graph and the roots of a sample."""

    __slots__ = ("__weakref__",)


def plan_of(graph: Graph, app: SamplingApp, roots: int) -> Plan:
    """Returns the plan of an app on a graph for a number of roots per sample; the first call makes it."""
    plans: _Plans | None = app.__dict__.get("_plans")
    key = id(graph), roots
    if plans is None:
        plans = app.__dict__.setdefault("_plans", _Plans())
    plan = plans.get(key)
    if plan is None or plan._graph() is not graph:
        plan = plans.setdefault(key, Plan(native.forgetting(weakref.ref(plans), key, graph), app, roots))
    return plan


class Estimate(NamedTuple):
    """The seconds that the core expects a call to take (plan.Estimate).

    Attributes:
        cpu: on the CPU, its tables made; infinite if nothing bounds the samples.
        cpu_tables: more, if the app's tables of the graph must be made.
        gpu: on a GPU that has the graph, until the result is in the host's memory.
        gpu_latency: of which are operations that wait for one another.
        gpu_work: of which are all other operations, of which each of several GPUs has an equal part.
        gpu_ahead: of latency and work, what one GPU may have left when a call returns whose samples stay there.
        gpu_tables: more, if the process's context and the graph's tables must be made.
        upload: of which is the copy of the graph.
    """

    cpu: float
    cpu_tables: float
    gpu: float
    gpu_latency: float
    gpu_work: float
    gpu_ahead: float
    gpu_tables: float
    upload: float

    def until(self, gpus: int, *, tables: bool) -> float:
        """Returns the seconds until a call returns; gpus is the number of GPUs, 0 on the CPU.

        tables: whether the call must make tables first.
        """
        if not gpus:
            return self.cpu + (self.cpu_tables if tables else 0.0)
        wait = max(0.0, self.gpu_latency + self.gpu_work / gpus - self.gpu_ahead)
        return wait + (self.gpu_tables if tables else 0.0)


class _EstimateOfThread(threading.local):
    """The array to which the core writes an estimate; each thread has a separate one."""

    def __init__(self) -> None:
        array = np.zeros(len(Estimate._fields), np.float64)
        self.there = array, memory.address(array)


_estimate = _EstimateOfThread()


def estimate(graph: Graph, app: SamplingApp, samples: int, width: int, threads: int) -> Estimate:
    """Returns the expected duration of a call by the core's cost model; width is the number of roots per sample.

    The estimates of a graph depend on the text of the app alone, and are kept for later apps of the same text.
    """
    text, number = app._text(), graph._held.number
    key = None if text is None else (*text, native.generation(), number, samples, width, threads)
    expected = None if key is None else _estimates.get(key)
    if expected is None:
        seconds, where = _estimate.there
        most = min(samples, 1 << 62)  # such results do not fit in memory, and are refused later
        native.call("Estimate", number, app._planned().number, most, width, threads, where)
        expected = Estimate._make(seconds.tolist())
        if key is not None:
            remember(_estimates, key, expected)
    return expected


_estimates: dict[tuple[str, str, int, int, int, int, int], Estimate] = {}  # numbers of graphs are never used twice
