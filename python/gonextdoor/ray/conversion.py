"""convert: Parquet files of edges to the folder of a partitioned graph, by the workers of a cluster."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .._core.arguments import PathLike, is_uri, path_text
from .._core.binding import advised
from .._core.checks import check_int
from ..graph.columns import ColumnChoice, WeightChoice
from ..partition.assign import Assignment
from ..partition.convert import written
from ..partition.shares import SharedStream
from . import resources
from .actors import Actors
from .framework import ray

__all__ = ["convert"]

GONE = 10.0  # seconds for which a cancelled task is waited for


@advised
def convert(
    edges: PathLike | Sequence[PathLike],
    path: PathLike,
    *,
    parts: int | None = None,
    by: Assignment = "ranges",
    hot: float = 0.0,
    edge_ids: bool = True,
    alias_tables: bool = False,
    source: ColumnChoice = None,
    target: ColumnChoice = None,
    weight: WeightChoice = "auto",
    time: ColumnChoice = None,
    label: ColumnChoice = None,
    symmetric: bool = False,
    num_cpus: float | None = None,
    concurrency: int | None = None,
) -> None:
    """Writes the folder of a partitioned graph from Parquet files of edges, on a Ray cluster.

    The folder is that of ``gonextdoor.partition.convert``, byte for byte, for any number of workers. Each worker reads
    a share of the row groups twice: it counts the edges of each row, then stores the edges by parts in files beside
    the folder. Then each part is built by one worker. If a worker or its node is lost, Ray repeats what it did, up to
    three times. After an error the folder is as it was.

    A worker has some 20 bytes per vertex in memory, and one that builds a part the part, too.

    Args:
        edges: Parquet files that all nodes can read, as for ``gonextdoor.partition.convert``.
        path: the folder to create, or the folder of a graph to replace: a path that all nodes can write, no URI.
        parts: the number of parts, as for ``gonextdoor.partition.owners``.
        by: "ranges" (default), "hash", or the part of each vertex, as for ``gonextdoor.partition.convert``.
        hot: the share of the edges that every part gets a copy of, as for ``gonextdoor.partition.write``.
        edge_ids: whether the parts have the ids of their edges, as for ``gonextdoor.partition.write`` (default True).
        alias_tables: whether the parts have alias tables, as for ``gonextdoor.partition.write`` (default False).
        source: the column of the sources, as for ``gonextdoor.read``.
        target: the column of the targets.
        weight: the column of weights.
        time: the column of times.
        label: the column of labels.
        symmetric: write every edge in both directions (default False).
        num_cpus: CPUs of a worker; None (default): one. If no nodes have them, an ``InputWarning`` tells that the call
            waits.
        concurrency: the number of workers at once, and of shares; None (default): one per node, which takes the least
            memory.

    Raises:
        OSError: a file cannot be read or written; it names the file.
        FormatError: the files do not hold edges.
        ImportError: pyarrow is missing, or what opens a URI.
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or the files change meanwhile.

    Examples:
        >>> import gonextdoor.ray, pyarrow as pa, pyarrow.parquet as pq
        >>> pq.write_table(pa.table({"source": [0, 1, 2], "target": [1, 2, 0]}), "edges.parquet")
        >>> gonextdoor.ray.convert("edges.parquet", "parts", parts=2, num_cpus=0.5)
        >>> gnd.partition.open("parts").parts
        2
    """
    if is_uri(text := path_text(path)):
        raise ValueError(f"path = {text!r}: the workers write to one folder; pass a path that all nodes can write")
    if concurrency is not None:
        check_int("concurrency", concurrency, 1, 1 << 16)
    tasks = RayTasks(Actors("cpu", num_cpus, None, concurrency))
    written(
        edges, path, functools.partial(SharedStream, tasks), parts=parts, by=by, hot=hot, edge_ids=edge_ids,
        alias_tables=alias_tables, source=source, target=target, weight=weight, time=time, label=label,
        symmetric=symmetric,
    )  # fmt: skip


class RayTasks:
    """Runs tasks on a cluster, spread over its nodes. Ray repeats a task, up to three times, if its worker is lost.

    Args:
        workers: their resources and number.
    """

    def __init__(self, workers: Actors) -> None:
        self._cpus = 1 if workers.num_cpus is None else workers.num_cpus
        self.at_once = len(resources.cpus()) if workers.concurrency is None else workers.bounds()[1]
        resources.check(self._cpus)

    def run(self, task: Callable[[Any, int], Any], common: Any, count: int) -> Iterator[tuple[int, Any]]:
        """See ``Tasks``."""
        remote = ray.remote(task).options(num_cpus=self._cpus, scheduling_strategy="SPREAD")
        shared, numbers = ray.put(common), iter(range(count))
        running: dict[Any, int] = {}
        try:
            while True:
                for number in itertools.islice(numbers, self.at_once - len(running)):
                    running[remote.remote(shared, number)] = number
                if not running:
                    return
                (done, *_), _ = ray.wait(list(running))
                yield running.pop(done), self._result(done)
        finally:
            for reference in running:
                ray.cancel(reference, force=True)
            for reference in running:  # their workers write to a folder that is removed then
                with contextlib.suppress(Exception):
                    ray.get(reference, timeout=GONE)

    def _result(self, reference: Any) -> Any:
        """The result of a task, or its error with its class."""
        try:
            return ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            if not isinstance(error.cause, Exception):
                raise
            raise error.cause from error
