"""explain: how a sampling call will run, and what it is expected to take."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from .. import apps
from .._core import advice, memory, native
from .._core.arguments import checked_threads
from .._core.checks import check_int
from .._core.units import byte_text, second_text
from ..apps import SamplingApp
from ..device import devices
from ..graph.graph import Graph
from ..graph.placement import Placement
from . import roots as _roots
from .order import checked_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..device.devices import Device
    from .request import Roots

__all__ = ["Explanation", "Table", "explain"]

AUTO = -1  # the devices of a call whose estimate decides


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A table of the graph that a call reads.

    Attributes:
        name: the name of the table.
        bytes: its size; an estimate if it has not been built.
        built: whether an earlier call has built it.
        when: empty if it is built before the first sample; otherwise the condition.
    """

    name: str
    bytes: int
    built: bool
    when: str


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The plan of a call of ``gonextdoor.sample``; its text is a summary. Unbounded numbers are None.

    Attributes:
        app: the name of the app.
        selector: how a choice is made, which is part of the samples' definition (docs/reproducibility.md).
        driver: the loop of the engine that runs the app.
        device: "cpu", "cuda:0" or "cuda:0,cuda:1".
        why: the reason for the device.
        samples: the number of samples.
        choices: the expected number of vertices after the roots, over all samples.
        operations: choices, and edges that are read to make them.
        cost_class: the row of the cost model that gives the cost of an operation.
        tables: the tables that the call reads on the device.
        tables_seconds: seconds until the missing tables are built; on a GPU, the start of the driver and the upload of
            the graph are included.
        sample_seconds: seconds until the samples are made.
        transfer_seconds: seconds until the result is in host memory; 0 on the CPU.
        result_bytes: bytes of the samples, without edge ids.
        tables_bytes: bytes of the tables in host memory, built or not.
        device_bytes: bytes of GPU memory for tables and result; 0 on the CPU.
        orders: of trees on a GPU, the order of execution of each step: "sample" or "transit". Empty otherwise.
        bound: of a walk of ``gonextdoor.App`` with edge_bias: its inferred bound as Python text, the name of its own
            hook, or why no bound was inferred. None for other apps, and with ``bound=None``.
        biases: of a ``gonextdoor.App`` whose edge_bias returns floats: how they are rounded. None otherwise.
        placement: how the graph is split over GPUs when the call reads it, by ``Graph.place`` or because it does not
            fit one GPU; None if each GPU has all of it, and on the CPU. Bytes of data that is not in GPU memory yet are
            estimates.
        placed: the reason for the placement; empty without one.
        remote: with a placement, how the call reads the rows of other GPUs: "peers" by reads of their memory,
            "exchange" not at all: the GPU that has the vertex makes each step. Empty otherwise.

    Examples:
        >>> plan = gnd.explain(gnd.rmat(8, seed=1), gnd.apps.Node2Vec(p=0.5, length=10), device="cpu")
        >>> isinstance(plan, gnd.Explanation), plan.samples, plan.choices
        (True, 256, 2560)
        >>> plan.to_dict()["device"]
        'cpu'
    """

    app: str
    selector: str
    driver: str
    device: str
    why: str
    samples: int
    choices: float | None
    operations: float | None
    cost_class: str
    tables: tuple[Table, ...]
    tables_seconds: float
    sample_seconds: float | None
    transfer_seconds: float | None
    result_bytes: float | None
    tables_bytes: int
    device_bytes: float | None
    orders: tuple[str, ...] = ()
    bound: str | None = None
    biases: str | None = None
    placement: Placement | None = None
    placed: str = ""
    remote: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Returns the attributes as a dict of plain values, which ``json.dumps`` accepts."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        """The plan in lines."""
        lines = [
            ("app", self.app),
            ("selector", self.selector),
            *([] if self.bound is None else [("bound", self.bound)]),
            *([] if self.biases is None else [("biases", self.biases)]),
            ("driver", self.driver),
            *([("order", ", ".join(self.orders))] if self.orders else []),
            ("device", f"{self.device} ({self.why})"),
            *self._split(),
            ("samples", f"{self.samples:,}"),
            ("choices", "nothing bounds them" if self.choices is None else f"about {self.choices:,.0f}"),
        ]
        for table in self.tables:
            state = "built" if table.built else f"to build{table.when and f' {table.when}'}"
            lines.append(("table", f"{table.name}: {byte_text(table.bytes)}, {state}"))
        if not self.tables:
            lines.append(("table", "none"))
        parts = (self.tables_seconds, "tables"), (self.sample_seconds, "samples"), (self.transfer_seconds, "transfer")
        lines.append(("time", ", ".join(f"{name} {second_text(value)}" for value, name in parts)))
        sizes = (self.result_bytes, "result"), (self.tables_bytes, "tables"), (self.device_bytes, "GPU")
        lines.append(("memory", ", ".join(f"{name} {byte_text(value)}" for value, name in sizes)))
        return "\n".join(f"{word:<10}{text}" for word, text in lines)

    __repr__ = __str__

    def _split(self) -> list[tuple[str, str]]:
        """The lines on the placement."""
        if self.placement is None:
            return []
        lines = [("placement", str(part)) for part in self.placement.parts]
        return [*lines, ("split", self.placed), ("remote", _REMOTE[self.remote])]


_REMOTE = {
    "peers": "each GPU reads the rows of the others from their memory",
    "exchange": "the GPU that has the vertex makes each step",
}


def explain(
    graph: Graph,
    app: SamplingApp,
    roots: Roots = None,
    device: Device = "auto",
    *,
    repeat: int = 1,
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
    if not isinstance(graph, Graph):
        raise advice.graph_error("a gonextdoor.Graph", graph, "out")
    if not isinstance(app, SamplingApp):
        raise advice.app_error(app, apps.__all__)
    ids = devices.among(device)
    workers = checked_threads(threads)
    order = checked_order(plan)
    copies = check_int("repeat", repeat, 1, 1 << 62)
    app = app._on(graph)
    begin = _roots.given(graph, app, roots, app.pool(), seed=0, repeat=copies)
    return plan_of_call(graph, app, begin, ids, copies, workers, order)


def plan_of_call(
    graph: Graph,
    app: SamplingApp,
    begin: _roots.Roots,
    ids: tuple[int, ...] | None,
    copies: int,
    workers: int,
    order: int,
) -> Explanation:
    """The plan of a call with checked arguments; ids: its GPUs, None for "auto"; order: as in records.Request."""
    given = ""
    if ids is None:
        ids, given = _preferred(begin)
    held = 0 if begin.held is None else begin.held.number
    where = held if begin.array is None else memory.address(begin.array)
    text = native.call(
        "Explain",
        graph._held.number,
        app._planned().number,
        where,
        begin.count,
        begin.width,
        begin.kind,
        copies,
        workers,
        AUTO if ids is None else devices.mask(ids),
        given,
        4 if graph.num_vertices < 1 << 31 else 8,
        order,
    )
    facts = json.loads(text)
    facts["tables"] = tuple(Table(**table) for table in facts["tables"])
    facts["orders"] = tuple(facts["orders"])
    split = facts.pop("split")
    if split is not None:
        facts |= {"placement": Placement._of(split), "remote": split["remote"]}
        facts["placed"] = split["why"] if split["made"] else f"{split['why']}: the call splits it"
    return Explanation(**facts, bound=app._bound(), biases=app._bias_unit())


def _preferred(begin: _roots.Roots) -> tuple[tuple[int, ...] | None, str]:
    """The devices of an "auto" that no estimate decides, and why; None: the estimate decides."""
    ids = devices.preferred()
    if ids is not None:
        return ids, f"which {devices.AUTO} names"
    if begin.held is not None:
        return (begin.held.device,), "where the roots are"
    return None, ""
