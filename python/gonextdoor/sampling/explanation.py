"""Explanation: how a sampling call will run, as the core decides it; the log is written from it too."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from .._core import memory, native
from .._core.arguments import cores
from .._core.log import logger
from .._core.units import byte_text, second_text
from ..device import devices
from ..errors import FAULTS
from ..graph.placement import Placement

if TYPE_CHECKING:
    from .call import Call

__all__ = ["Explanation", "Table", "described", "log_call"]

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
        kept: whether ``Samples.updated`` keeps samples that read no changed row; otherwise, and on GPUs, it makes all
            samples again.
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
    kept: bool
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


def described(call: Call) -> Explanation:
    """The core's record of how a call will run."""
    ids, why = call.preferred()
    roots = call.roots
    held = 0 if roots.held is None else roots.held.number
    text = native.call(
        "Explain",
        call.sampled._held.number,
        call.app._planned().number,
        held if roots.array is None else memory.address(roots.array),
        roots.count,
        roots.width,
        roots.kind,
        call.copies,
        call.threads or cores(),
        AUTO if ids is None else devices.mask(ids),
        why,
        4 if call.graph.num_vertices < 1 << 31 else 8,
        call.order,
    )
    facts = json.loads(text)
    facts["tables"] = tuple(Table(**table) for table in facts["tables"])
    facts["orders"] = tuple(facts["orders"])
    split = facts.pop("split")
    if split is not None:
        facts |= {"placement": Placement._of(split), "remote": split["remote"]}
        facts["placed"] = split["why"] if split["made"] else f"{split['why']}: the call splits it"
    told = (call.app._bound(), call.app._bias_unit()) if call.same is None else (call.same.bound, call.same.biases)
    return Explanation(**facts, bound=told[0], biases=told[1])


def log_call(call: Call, ids: tuple[int, ...], seconds: float) -> None:
    """Logs a call at DEBUG: the devices with the reason, the expected seconds, the driver and the tables."""
    device = devices.named(ids)
    begin = call.app, call.rows, device
    try:
        plan = described(call)
    except FAULTS:  # the call reports it
        logger.debug("%r, %d samples on %s, expected %.3g s", *begin, seconds)
        return
    why = f" ({plan.why})" if plan.device == device else ""
    logger.debug("%r, %d samples on %s%s, expected %.3g s: driver %s, selector %s",
                 *begin, why, seconds, plan.driver, plan.selector)  # fmt: skip
    if plan.placement is not None:
        logger.debug("graph split over %s: %s", ", ".join(plan.placement.devices), plan.placed)
    for table in plan.tables:
        state = "built before" if table.built else f"built {table.when}" if table.when else "built now"
        logger.debug("table %s on %s: %d bytes, %s", table.name, plan.device, table.bytes, state)
