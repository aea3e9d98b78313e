"""Forecast: the time of a run on the parts of a graph, from measured costs."""

from __future__ import annotations

import dataclasses
import math

__all__ = ["Cluster", "Costs", "Forecast", "Work", "forecast"]


@dataclasses.dataclass(frozen=True)
class Costs:
    """Costs of walks, as benchmarks/partition_cluster.py measures them. Times are of one core.

    Attributes:
        step: seconds of a step at the parts, with the collection of traces.
        messages: messages per step whose next vertex has another part.
        message_bytes: bytes of a message.
        supersteps: the supersteps per step of the longest walk.
    """

    step: float
    messages: float
    message_bytes: float
    supersteps: float


# Of an R-MAT graph of scale 20 in 16 parts by a hash, on 8 cores without other work.
FIRST_ORDER = Costs(174e-9, 1.0, 12, 1.0)
SECOND_ORDER = Costs(305e-9, 1.1, 18, 1.35)
RETURNING = Costs(1066e-9, 2.6, 18, 4.4)  # second-order walks that prefer to return, with p < 1
JOIN, PARQUET = 23e-9, 35e-9  # seconds per step: to join walks, and to write them with zstd

# On two cores beside other work.
TREE = 33e-9  # seconds per vertex of a tree, with all exchanges
TREE_BYTES = 2.4  # bytes per vertex of a tree that pass between parts
CALL = 1e-3  # seconds of a call of a part, in the process that calls and in the one that answers
COPY = 1e-9  # seconds to send or receive a byte, in one process

TRACE = 12  # bytes of a step that a part recorded
STORED = 0.85  # of the bytes of vertices, in a file


@dataclasses.dataclass(frozen=True)
class Work:
    """What a run makes.

    Attributes:
        choices: steps of all walks, or vertices of all trees after the roots.
        longest: steps of a walk; 0: the rows are trees.
        files: their number.
        row_bytes: of all rows.
        costs: of a step; None: the rows are trees.
    """

    choices: float
    longest: float
    files: int
    row_bytes: float
    costs: Costs | None


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The machines.

    Attributes:
        nodes: their number.
        cores: of a node.
        network: bytes per second of a node, in each direction.
        parts: of the graph.
    """

    nodes: int
    cores: float
    network: float
    parts: int


@dataclasses.dataclass(frozen=True)
class Forecast:
    """The time of a run, by what may limit it.

    Attributes:
        core_seconds: CPU time of all nodes, by stage: "supersteps", "joining", "files" and "calls".
        cores: seconds if only the cores limited the run.
        network: seconds if only the network did.
        calls: seconds if only the calls of parts did, which a process answers one after the other.
        wire_bytes: bytes that nodes send.
        calls_made: calls of parts.
    """

    core_seconds: dict[str, float]
    cores: float
    network: float
    calls: float
    wire_bytes: float
    calls_made: float

    @property
    def seconds(self) -> float:
        """The longest of these times."""
        return max(self.cores, self.network, self.calls)

    @property
    def limit(self) -> str:
        """What needs that time: "cores", "network" or "calls"."""
        return max(("cores", "network", "calls"), key=lambda name: float(getattr(self, name)))


def forecast(work: Work, cluster: Cluster) -> Forecast:
    """Returns the time of a run. Vertices are assumed to be in the parts as a hash assigns them: most steps leave."""
    parts, nodes = cluster.parts, cluster.nodes
    remote, apart = 1 - 1 / parts, 1 - 1 / min(nodes, parts)
    costs = work.costs
    if costs is None:  # a part asks the others once per hop, for all trees of a range
        made, boxes, traces, per_range = TREE, TREE_BYTES * work.choices, 0.0, 8.0 * remote * parts
        joining = 0.0
    else:
        made, joining = costs.step, JOIN
        # A box passes through the process that drives the range, unless it is large.
        boxes = 2 * costs.messages * costs.message_bytes * remote * work.choices
        traces, per_range = TRACE * work.choices, parts * (costs.supersteps * work.longest + 1)
    calls = work.files * per_range
    wire = (boxes + traces) * apart
    core_seconds = {
        "supersteps": made * work.choices,
        "joining": joining * work.choices,
        "files": PARQUET * work.choices,
        "calls": 2 * CALL * calls + COPY * 2 * (boxes + traces),
    }
    busy = min(nodes, parts)
    return Forecast(
        core_seconds,
        math.fsum(core_seconds.values()) / (busy * cluster.cores),
        (wire + STORED * work.row_bytes) / (busy * cluster.network),
        2 * CALL * calls / parts,
        wire,
        calls,
    )
