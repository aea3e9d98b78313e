"""sample: samples as a dataset of Ray Data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .._core.arguments import PathLike
from .._core.binding import advised
from ..ranges.ranges import Ranges, Vertices
from .actors import Actors, Concurrency
from .atparts import AtParts, ranges_at_once
from .framework import ray

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["sample"]

DRIVER_CPUS = 0.1  # of the actor that gives ranges to the parts of a partitioned graph, and mostly waits
WAVES = 4  # ranges that it gives out in a call, of those that the parts make at once


@advised
def sample(
    uri: PathLike,
    app: Any,
    roots: Any = None,
    *,
    repeat: int = 1,
    edges: bool = False,
    vertices: Vertices = "numbers",
    seed: Seed = None,
    device: str = "cpu",
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    concurrency: Concurrency = None,
    range_bytes: int | None = None,
) -> ray.data.Dataset:
    """Samples a graph on a Ray cluster: a lazy dataset of Arrow rows, which are those of ``gonextdoor.sample``.

    Actors open the graph by its URI. It is never put into Ray's object store. A block of the dataset is a range of ids;
    if it is lost with its node, Ray samples it again, with the same rows. The order of blocks is not that of the ids.

    Args:
        uri: the folder of the graph, as ``Graph.save`` and ``gonextdoor convert`` write it: a path that all nodes can
            read, or a URI such as ``s3://bucket/graph``, of which each node makes one copy in its cache folder. Or the
            folder of a partitioned graph, whose parts are then in one actor each; see ``ActorTransport``.
        app: what is sampled: one of ``gonextdoor.apps``, a ``gonextdoor.App`` of your own, or
            ``gonextdoor.ranges.MiniBatches`` or ``PageRank``.
        roots: as for ``gonextdoor.sample``: None (default): every vertex; a number of random vertices; an array.
        repeat: samples from each root, or epochs of mini-batches (default 1).
        edges: whether rows have the ids of the edges taken, in the column ``edges`` (default False).
        vertices: "numbers" (default), or "names": vertices by their names in the input.
        seed: as for ``gonextdoor.sample``. None (default): fresh entropy.
        device: "cpu" (default), or "cuda": each actor has a GPU.
        num_cpus: CPUs of an actor, each of which is a thread; None (default): one, or of a partitioned graph an equal
            share of all CPUs for each part. If no nodes have them, an ``InputWarning`` tells that the run waits.
        num_gpus: GPUs of an actor; None (default): one if ``device`` is "cuda".
        concurrency: the number of actors, or (least, most) as a tuple; None (default): Ray starts more while there is
            work for them. A partitioned graph has one per part.
        range_bytes: the expected size of a block; None (default): 32 MiB, or 256 MiB of a partitioned graph.

    Returns:
        The dataset. ``gonextdoor.ranges.Ranges.table`` describes its columns.

    Raises:
        FileNotFoundError: there is no graph.
        FormatError: the folder does not have a graph.
        OSError: the head of the graph cannot be read.
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.
        ImportError: pyarrow, or what opens the URI, is missing.

    Examples:
        >>> import gonextdoor.ray
        >>> gnd.rmat(8, seed=1).save("graph")
        >>> walks = gonextdoor.ray.sample("graph", gnd.apps.DeepWalk(4), repeat=10, seed=1, num_cpus=0.5)
        >>> walks.count()
        2560
    """
    actors = Actors(device, num_cpus, num_gpus, concurrency)
    run = Ranges(uri, app, roots, repeat=repeat, edges=edges, vertices=vertices, seed=seed, device=device,
                 threads=actors.threads, range_bytes=range_bytes)  # fmt: skip
    if not len(run):
        return ray.data.from_arrow(run.schema.empty_table())
    data: ray.data.Dataset
    if run.parts:
        cpus = actors.cpus_of_parts(run.parts, DRIVER_CPUS)
        at_once = WAVES * run.parts * ranges_at_once(cpus, run.parts, run.at_home)
        data = actors.map_of_one(run, at_once, DRIVER_CPUS, _TablesAtParts, cpus)
    else:
        data = actors.map(run, range(len(run)), _Tables)
    return data


class _Tables:
    """Samples ranges by their numbers."""

    def __init__(self, run: Ranges) -> None:
        self._run = run

    def __call__(self, batch: dict[str, Any]) -> Any:
        return self._run.table(self._run[int(batch["range"][0])])


class _TablesAtParts:
    """Lets the parts of a graph sample ranges by their numbers, and passes their tables on."""

    def __init__(self, run: Ranges, num_cpus: float) -> None:
        self._run, self._parts = run, AtParts(run, num_cpus, len(run))

    def __call__(self, batch: dict[str, Any]) -> Iterator[Any]:
        yield from self._parts.make([self._run[int(number)] for number in batch["range"]])
