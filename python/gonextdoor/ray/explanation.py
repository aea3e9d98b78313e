"""explain: what a run on a partitioned graph needs of a cluster, before it starts."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

from .._core.arguments import PathLike
from .._core.binding import advised
from .._core.checks import check_int, checked_number
from .._core.units import byte_text, second_text
from ..ranges.ranges import Ranges
from ..ranges.sampled import Sampled
from ..ranges.sizes import vertices_of
from ..storage.head import head_of
from ..storage.location import located
from . import resources
from .atparts import ranges_at_once
from .forecast import FIRST_ORDER, RETURNING, SECOND_ORDER, TRACE, Cluster, Costs, Forecast, Work, forecast

__all__ = ["RunPlan", "explain"]

ALIAS = 16  # bytes per edge of the tables of weighted walks
PROCESS = 300e6  # bytes of a process with Ray and this library


@dataclasses.dataclass(frozen=True, repr=False)
class RunPlan:
    """What ``write`` of a partitioned graph will do; its text is a summary. Sizes and times are estimates.

    Attributes:
        app: its text.
        parts: of the graph.
        nodes, cores: the number of nodes, and the CPUs of each.
        part_cpus: the CPUs of the actor of a part.
        at_once: the ranges that a part makes at once.
        rows: of the run.
        choices: steps of all walks, or vertices of all trees after the roots.
        files: their number.
        file_bytes: the size of a file, before compression.
        part_bytes: the largest size of a part, with what each part needs beside it.
        node_bytes: memory of a node: its parts, their tables, and the ranges that are made at once.
        forecast: the times.

    Examples:
        >>> import gonextdoor.ray
        >>> gnd.partition.write(gnd.rmat(8, seed=1), "parts", parts=4)
        >>> plan = gonextdoor.ray.explain("parts", gnd.apps.DeepWalk(10), repeat=4, nodes=2, cores=8)
        >>> plan.files, plan.part_cpus, plan.choices
        (1, 4, 10240.0)
    """

    app: str
    parts: int
    nodes: int
    cores: float
    part_cpus: float
    at_once: int
    rows: int
    choices: float
    files: int
    file_bytes: float
    part_bytes: float
    node_bytes: float
    forecast: Forecast

    def to_dict(self) -> dict[str, Any]:
        """Returns the attributes as a dict of plain values, which ``json.dumps`` accepts."""
        return {**dataclasses.asdict(self), "seconds": self.forecast.seconds, "limit": self.forecast.limit}

    def __str__(self) -> str:
        """The plan in lines."""
        times = self.forecast
        cpu = ", ".join(f"{name} {second_text(value)}" for name, value in times.core_seconds.items())
        most = ", ".join(f"{name} {second_text(getattr(times, name))}" for name in ("cores", "network", "calls"))
        advice = "; larger range_bytes make fewer calls" if times.limit == "calls" else ""
        lines = [
            ("app", self.app),
            ("parts", f"{self.parts}, {self.part_cpus:g} CPUs each, {self.at_once} files at once"),
            ("nodes", f"{self.nodes}, {self.cores:g} CPUs each"),
            ("rows", f"{self.rows:,}, about {self.choices:,.0f} choices"),
            ("files", f"{self.files:,} of {byte_text(self.file_bytes)} before compression"),
            ("memory", f"part {byte_text(self.part_bytes)}, node {byte_text(self.node_bytes)}"),
            ("network", f"{byte_text(times.wire_bytes)} between nodes, {times.calls_made:,.0f} calls of parts"),
            ("CPU time", cpu),
            ("time", f"{most}: {second_text(times.seconds)}, limited by {times.limit}{advice}"),
        ]
        return "\n".join(f"{word:<10}{text}" for word, text in lines)

    __repr__ = __str__


@advised
def explain(
    uri: PathLike,
    app: Any,
    roots: Any = None,
    *,
    repeat: int = 1,
    edges: bool = False,
    nodes: int | None = None,
    cores: int | None = None,
    gigabits: float = 25.0,
    range_bytes: int | None = None,
) -> RunPlan:
    """Explains what ``write`` with the same arguments needs: memory, files, bytes between nodes, and time by stage.

    Nothing is sampled. Times follow from costs that benchmarks/partition_cluster.py measured elsewhere, not on this
    cluster. They are the least that each of the cores, the network and the calls of parts needs, for vertices that a
    hash assigned to parts; other divisions send less.

    Args:
        uri: the folder of a partitioned graph, as for ``write``.
        app: what is sampled: one of ``gonextdoor.apps`` that can be sampled by parts.
        roots: as for ``write``; None (default): every vertex.
        repeat: samples from each root (default 1).
        edges: whether rows have the ids of edges (default False).
        nodes: of the cluster; None (default): those of the cluster of this process, which is started if there is none.
        cores: CPUs of a node; None (default): the mean of that cluster.
        gigabits: per second, of the network of a node (default 25).
        range_bytes: as for ``write``; None (default): 256 MiB.

    Returns:
        The plan. Print it, or read its attributes.

    Raises:
        FileNotFoundError: there is no graph.
        FormatError: the folder does not have a graph.
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or the graph is not partitioned.

    Examples:
        >>> import gonextdoor.ray
        >>> gnd.partition.write(gnd.rmat(10, seed=1), "parts", parts=16, by="hash")
        >>> app = gnd.apps.DeepWalk(80)
        >>> plan = gonextdoor.ray.explain("parts", app, repeat=10, nodes=16, cores=32, range_bytes=1 << 20)
        >>> plan.files, plan.forecast.limit
        (4, 'calls')
    """
    run = Ranges(uri, app, roots, repeat=repeat, edges=edges, range_bytes=range_bytes)
    at = located("uri", uri)
    head = head_of(at)
    if not run.parts:
        raise ValueError(f"uri = {at.text!r}: the graph is not partitioned; gonextdoor.explain explains a whole one")
    kind = run._kind
    if not isinstance(kind, Sampled):
        raise ValueError(f"app: {type(app).__name__} has no measured costs; expected one of gonextdoor.apps")
    if not 0 < checked_number("gigabits", gigabits) < math.inf:
        raise ValueError(f"gigabits = {gigabits}: expected a number above 0")
    there = resources.cpus() if nodes is None or cores is None else []
    count = len(there) if nodes is None else check_int("nodes", nodes, 1, 1 << 20)
    each = sum(there) / max(len(there), 1) if cores is None else check_int("cores", cores, 1, 1 << 16)
    per_row = vertices_of(app, kind._width(run.run), head)
    row_bytes = kind.row_bytes(run.run, head)
    costs = None if run.at_home else _costs(app)
    work = Work(run.rows * per_row, per_row, len(run), run.rows * row_bytes, costs)
    parts_of_node = -(-run.parts // count)
    share = each / parts_of_node
    cpus = int(share) if share >= 1 else share
    at_once = ranges_at_once(cpus, run.parts, run.at_home)
    part_bytes = _part_bytes(at, run.parts)
    weighted = json.loads(head.text).get("weighted") and getattr(app, "weighted", False) in (True, "auto")
    tables = ALIAS * head.edges / run.parts if weighted else 0
    in_work = at_once * run.range_rows * (3 * row_bytes + (0 if run.at_home else 2 * TRACE * per_row))
    node_bytes = parts_of_node * (part_bytes + tables + min(in_work, run.rows * row_bytes * 9) + PROCESS)
    cluster = Cluster(count, each, gigabits * 1e9 / 8, run.parts)
    return RunPlan(
        repr(app), run.parts, count, each, cpus, at_once, run.rows, work.choices, work.files,
        min(run.range_rows, run.rows) * row_bytes, part_bytes, node_bytes, forecast(work, cluster),
    )  # fmt: skip


def _costs(app: Any) -> Costs:
    """The costs of the walks of an app."""
    if type(app).__name__ in ("Node2Vec", "NonBacktracking"):
        return RETURNING if getattr(app, "p", 1) < 1 else SECOND_ORDER
    return FIRST_ORDER


def _part_bytes(at: Any, parts: int) -> float:
    """The largest size of the files of a part, with those that all parts read."""
    from pyarrow import fs

    shared, sizes = 0, [0] * parts
    for file in at.filesystem.get_file_info(fs.FileSelector(at.path, recursive=True)):
        inside = file.path[len(at.path) :].strip("/").split("/")
        if file.is_file and inside[0].startswith("part-"):
            sizes[int(inside[0][5:])] += file.size
        elif file.is_file:
            shared += file.size
    return float(shared + max(sizes))
