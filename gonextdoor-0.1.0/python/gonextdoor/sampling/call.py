"""Call: the checked arguments of a sampling call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from .. import apps
from .._core import advice
from .._core.arguments import checked_threads, cores, vertex_type
from .._core.checks import check_int, checked_flag
from .._core.seeds import entropy
from ..apps import SamplingApp
from ..device import devices
from ..graph.graph import Graph
from . import roots as _roots
from .place import samplers_of

__all__ = ["Call"]

if TYPE_CHECKING:
    from .._core.seeds import Seed
    from ..device.devices import Device

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
        devices: the GPUs of ``device``, empty for the CPU; None: "auto".
        threads: the threads of the CPU. 0: one sample, which has one thread.
        order: as in records.Request.
        samplers: the samplers of the app on the graph, with the shape of the samples.
    """

    __slots__ = (
        "app", "copies", "devices", "edges", "first", "graph", "order", "progress", "roots", "rows", "samplers", "seed",
        "threads", "vertex",
    )  # fmt: skip

    def __init__(
        self,
        graph: Graph,
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
    ) -> None:
        # 1. Check the arguments.
        self.edges = edges if type(edges) is bool else checked_flag("edges", edges)
        self.order = 0 if plan is None else _order(plan)
        if not isinstance(graph, Graph):
            raise advice.graph_error("a gonextdoor.Graph", graph, "out")
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
        self.roots = given = _roots.given(graph, app, roots, pool, seed=self.seed, first_id=first, repeat=copies)
        self.rows = rows = given.count * copies
        if first + rows > 1 << 64:
            raise ValueError(f"first_id = {first}: expected at most 2^64 - {rows}, so that all ids fit in 64 bits")
        # 3. Counting the cores takes as long as some samples.
        self.threads = threads if threads is not None else cores() if rows > 1 else 0
        self.samplers = samplers if given.width == 1 else samplers_of(graph, app, given.width)
        self.vertex = vertex_type(graph._info["vertices"], dtype)

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
