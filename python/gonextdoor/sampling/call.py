"""Call: the checked arguments of a sampling call, with the samplers of its app on the graph."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from .. import apps
from .._core import advice, native
from .._core.arguments import checked_threads, cores, vertex_type
from .._core.checks import check_int, checked_flag
from .._core.excess import FROM_HOST, IN_PARTS, excess_of
from .._core.seeds import entropy
from ..apps import SamplingApp
from ..device import devices
from ..graph.graph import Graph
from . import roots as _roots
from .estimate import Estimate, estimate
from .types import on_types

__all__ = ["Call", "HeldSampler", "Samplers", "samplers_of"]

if TYPE_CHECKING:
    from .._core.seeds import Seed
    from ..device.devices import Device
    from ..graph.held import HeldGraph
    from ..graph.hetero import HeteroGraph

    Roots = npt.ArrayLike | None

_ORDERS = "sample", "transit"  # in records.Request.order: 1 and 2; 0 lets the planner choose
_LAST = (1 << 64) - 1  # the largest id of a sample


class Call:
    """The checked arguments of a sampling call; each is documented at ``gonextdoor.sample``.

    Attributes:
        graph, app, seed, progress, edges: the arguments; an app with hooks has its inferred bound.
        vertex: the type of the result's vertices.
        roots: the roots.
        copies: the samples of each root.
        first: the id of the first sample.
        rows: the number of samples.
        same: the walks that stand in for those of the app that was given, if any.
        sampled: the graph, or the view of it that is sampled.
        devices: the GPUs of ``device``, empty for the CPU; None: "auto".
        threads: the threads of the CPU. 0: one sample, which has one thread.
        order: as in records.Request.
        ids: the address of the samples' ids, as in records.Request; 0: they follow ``first``.
        links: whether layered samples have their steps and recorded edges; False for a caller that finds them itself.
        samplers: the samplers of the app on ``sampled``, with the shape of the samples.
    """

    __slots__ = (
        "app", "copies", "devices", "edges", "first", "graph", "ids", "links", "order", "progress", "roots", "rows",
        "same", "sampled", "samplers", "seed", "threads", "vertex",
    )  # fmt: skip

    def __init__(
        self,
        graph: Graph | HeteroGraph,
        app: SamplingApp,
        roots: Roots,
        repeat: int = 1,
        seed: Seed = None,
        first_id: int = 0,
        device: Device = "auto",
        threads: int | None = None,
        progress: bool | None = None,
        plan: Mapping[str, str] | None = None,
        dtype: npt.DTypeLike | None = None,
        edges: bool = False,
        names: bool | None = None,
    ) -> None:
        # 1. Check the arguments.
        self.edges = edges if type(edges) is bool else checked_flag("edges", edges)
        self.order, self.links, self.ids = 0 if plan is None else _order(plan), True, 0
        if not isinstance(graph, Graph):
            graph, app, roots = on_types(graph, app, roots, names)
            names = None
        if not isinstance(app, SamplingApp):
            raise advice.app_error(app, apps.__all__)
        self.devices = None if type(device) is str and device == "auto" else devices.among(device)
        if threads is not None:
            threads = checked_threads(threads)
        if progress is not None and not isinstance(progress, bool):
            raise TypeError(f"progress = {progress!r}: expected True, False or None")
        if app._infers:
            app = app._on(graph)
        self.graph, self.app, self.progress = graph, app, progress
        self.seed = entropy(seed)
        copies = repeat if type(repeat) is int and repeat == 1 else check_int("repeat", repeat, 1, 1 << 62)
        first = first_id if type(first_id) is int and first_id == 0 else check_int("first_id", first_id, 0, _LAST)
        self.copies, self.first = copies, first
        # 2. Read the roots. The pool of the samplers for one root per sample is the same for any number of roots.
        samplers = samplers_of(graph, app, 1)
        pool = samplers.facts.pool
        self.roots = given = _roots.given(
            graph, app, roots, pool, seed=self.seed, first_id=first, repeat=copies, names=names
        )
        self.same = same = app._same if given.width == 1 else None
        if same is not None:
            self.app = app = same.app
            graph = same.view or graph
            samplers = samplers_of(graph, app, 1)
        self.sampled = graph
        if app._per_root:
            app._check_roots(given.count)
        self.rows = rows = given.count * copies
        if first + rows > 1 << 64:
            raise ValueError(f"first_id = {first}: expected at most 2^64 - {rows}, so that all ids fit in 64 bits")
        # 3. Counting the cores takes as long as some samples.
        self.threads = threads if threads is not None else cores() if rows > 1 else 0
        self.samplers = samplers if given.width == 1 else samplers_of(graph, app, given.width)
        self.vertex = vertex_type(graph._info["vertices"], dtype)

    @property
    def asked(self) -> tuple[str, int]:
        """What the roots are, "every" vertex, "random" ones or "given" ones, and the samples of each."""
        if self.roots.draw is not None:
            return "random", self.copies
        given = self.roots.array is not None or self.roots.held is not None
        return "given" if given else "every", self.copies

    def preferred(self) -> tuple[tuple[int, ...] | None, str]:
        """The devices that the arguments or the environment name, or that have the roots, and why; None: the estimate
        decides. The reason is empty if the caller named them."""
        if self.devices is not None:
            return self.devices, ""
        ids = devices.preferred() if devices.AUTO in os.environ else None
        if ids is not None:
            return ids, f"which {devices.AUTO} names"
        if self.roots.held is not None:
            return (self.roots.held.device,), "where the roots are"
        return None, ""


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


def _order(plan: Mapping[str, Any]) -> int:
    """The order of execution that an argument ``plan`` forces, as records.Request.order."""
    if not isinstance(plan, Mapping):
        raise TypeError(f"plan = {plan!r}: expected a dict such as {{'order': 'transit'}}, or None")
    for key in plan:
        if key != "order":
            raise ValueError(f"plan has the key {key!r}: the only possible key is 'order'")
    if "order" not in plan:
        return 0
    order = plan["order"]
    if not isinstance(order, str):
        raise TypeError(f"plan['order'] = {order!r}: expected 'sample' or 'transit'")
    if order not in _ORDERS:
        raise ValueError(f"plan['order'] = {order!r}: expected 'sample' or 'transit'")
    return 1 + _ORDERS.index(order)
