"""loader: the batches of a NeighborSampler, epoch by epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core.arguments import cores
from .._core.binding import advised, refuse_unknown
from .._core.checks import check_int, checked_flag
from .._core.dates import moment, whole_times
from .._core.renamed import renamed
from .._core.seeds import entropy
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..graph.names import no_vertex, told_apart
from ..pipeline.meter import Meter
from ..pipeline.prefetch import numbered
from .batch import NeighborBatch
from .fanouts import Fanouts
from .flat import flat
from .loaderfacts import facts_of
from .options import LoaderOptions, SamplerOptions
from .order import Batch, BatchOrder, Positions
from .pipelined import FeatureReads, Pipelined, checked_budget, depth, looks_ahead
from .presample import presample
from .ranks import Divide, Even, Ranks
from .resumable import Resumable
from .rows import BatchRows
from .sampler import NeighborSampler
from .windows import chosen_end, refuse_length, window_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._core.seeds import Seed

__all__ = ["Loader", "loader"]

Array = npt.NDArray[Any]


@advised
def loader(
    graph: Graph | HeteroGraph,
    num_neighbors: Fanouts,
    input_nodes: Any = None,
    batch_size: SupportsIndex = 1,
    *,
    names: bool | None = None,
    input_time: npt.ArrayLike | None = None,
    input_start_time: npt.ArrayLike | None = None,
    input_end_time: npt.ArrayLike | None = None,
    strict: bool = False,
    shuffle: bool = False,
    drop_last: bool = False,
    seed: Seed = None,
    divide: Divide | None = None,
    rank: int | None = None,
    world: int | None = None,
    even: Even = "wrap",
    share: int = 1,
    threads: int | None = None,
    features: Any = None,
    cache: int | str | None = None,
    cache_policy: Any = "degree",
    prefetch: int | None = None,
    prefetch_bytes: int | None = None,
    progress: bool = False,
    **options: Unpack[SamplerOptions],
) -> Loader:
    """Returns a loader, which yields the neighbourhoods of batches of vertices, epoch by epoch.

    A batch is a function of the graph, the arguments, the seed, the epoch and its number in the epoch. Threads draw
    batches in advance and read their features while the caller uses the previous ones; the batches and their order are
    those without.

    Args:
        graph: the graph; see ``NeighborSampler``.
        num_neighbors: edges that each vertex takes, hop by hop from the batch outwards, the ``fanouts`` of a
            ``NeighborSampler``; -1: all edges.
        input_nodes: the vertices to iterate over, numbers or names as text, or a mask, (num_vertices,) booleans; None
            (default): all. Of a ``HeteroGraph`` the type of the vertices, or a tuple of the type and the vertices.
        batch_size: the number of vertices in a batch (default 1).
        names: of a ``Graph``, whether integers in input_nodes are names of vertices, as for ``gonextdoor.sample``; None
            (default): they are numbers.
        input_time: (n,) ints or dates, a time for each of them, for temporal sampling; None (default): the times of the
            vertices.
        input_start_time: (n,) ints or dates, the begin of a time window for each of them, with ``input_end_time``: in
            all hops its tree takes only edges whose time, or else that of their source, is not before it. None
            (default): edges of any time before the end.
        input_end_time: another name of ``input_time``: the end of the window.
        strict: whether edges whose time is that of the end are left out, so that all are strictly earlier (default
            False: they are taken). It needs ``input_time`` or ``input_end_time``.
        shuffle: whether each epoch has the vertices in another order, a function of the seed and the epoch (default
            False).
        drop_last: whether a last batch of fewer vertices is left out (default False).
        seed: as for ``gonextdoor.sample``; ranks that divide an epoch need the same. None (default): fresh entropy.
        divide: "ranks": the processes of ``torch.distributed`` divide the batches of an epoch, if it is initialised
            when an epoch begins: rank r of W takes the batches r, r + W, ... Each has to be given the same arguments
            and to begin each epoch; what differs raises an error. None (default): this process takes all batches, and
            no loader waits for another process.
        rank: the rank of this process, to divide without reading ``torch.distributed``; None (default): see ``divide``.
        world: the number of ranks, with ``rank``; None (default): see ``divide``. 1: this process takes all batches.
        even: what happens if ranks that divide an epoch cannot have equally many batches. "wrap" (default): the last
            ones take batches from the front of the epoch again; "drop": the last incomplete round is left out; "error":
            an epoch raises.
        share: the number of consecutive batches in which a vertex takes the same edges (default 1), so that they have
            more vertices in common. Each batch has the same distribution, but the batches depend on each other.
            *Experimental.*
        threads: the number of CPU threads that draw a batch; None (default): one per core.
        features: rows of features per vertex, which batches have as ``batch.features``: what
            ``gonextdoor.features.open`` takes, or what it or ``cached`` returned; of a ``HeteroGraph`` a dict of them
            by type. If batches are drawn on a GPU, rows are read to it. None (default): no features.
        cache: memory of each GPU for rows of features, a number of bytes or text such as "8GB"; None (default): none.
            "auto": what the graph, the first 8 batches and the caller's steps leave. A cache never changes a value.
        cache_policy: which rows are cached if not all fit: "degree" (default): those of the vertices to which most
            edges lead; "frequency": those that the first batches read most often, which are drawn for this in advance;
            "lookahead": those that the next batches need soonest, and of all others the most frequent; an array of
            scores of all rows, or a dict of them by type.
        prefetch: the number of batches that are drawn in advance. 0: none; None (default): two per core, at most 16; on
            GPUs 16 for each, and with cache_policy="lookahead" 64.
        prefetch_bytes: the bytes of batches that are drawn in advance, with the features that have been read for them;
            None (default): 2 GB. One batch is always drawn.
        progress: whether a line on stderr shows how an epoch proceeds: batches per second, the stage that limits the
            loop, and how busy that stage is (default False).
        **options: of ``NeighborSampler``: replace, weighted, device, direction, method, ...

    Returns:
        The loader.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or contradicts another; the text names it.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> loader = gnd.loader(graph, [3, 2], range(100), batch_size=40, shuffle=True, seed=1)
        >>> for batch in loader:
        ...     print(batch, batch.nodes[:3])
        NeighborBatch(107 nodes, 185 edges) [83 27  0]
        NeighborBatch(125 nodes, 205 edges) [35 79 89]
        NeighborBatch(80 nodes, 108 edges) [32 73 34]
    """
    refuse_unknown("gonextdoor.loader", loader, options, SamplerOptions.__annotations__)
    with renamed(fanouts="num_neighbors"):
        sampler = NeighborSampler(graph, num_neighbors, **options)
    inputs = inputs_of(graph.num_vertices, input_nodes, graph if isinstance(graph, Graph) else None, names)
    if isinstance(graph, Graph):
        graph._numbers_meant = True  # its batches have numbers
    given: LoaderOptions = {
        "divide": divide, "rank": rank, "world": world, "even": even, "share": share, "threads": threads,
        "cache": cache, "cache_policy": cache_policy, "prefetch": prefetch, "prefetch_bytes": prefetch_bytes,
        "progress": progress,
    }  # fmt: skip
    times = input_time, input_start_time, input_end_time, strict
    return loader_of(sampler, inputs, batch_size, times, shuffle, drop_last, seed, given, features)


def loader_of(
    sampler: NeighborSampler,
    inputs: tuple[str | None, Array],
    batch_size: SupportsIndex,
    times: tuple[Any, Any, Any, Any],
    shuffle: bool,
    drop_last: bool,
    seed: Seed,
    options: LoaderOptions,
    features: Any = None,
) -> Loader:
    """The loader of a sampler; inputs: the type of the vertices to iterate over, None if there is only one, and their
    numbers; times: the arguments input_time, input_start_time, input_end_time and strict.

    Raises:
        TypeError, ValueError: as ``loader``.
    """
    kind, nodes = inputs
    seeds = (kind, nodes, *_windows(sampler, len(nodes), *times))
    ranks = Ranks(options["divide"], options["rank"], options["world"], options["even"])
    positions = Positions(len(nodes), batch_size, shuffle, drop_last)
    order = BatchOrder(positions, entropy(seed), options["share"], ranks, seed is not None)
    threads = options["threads"]
    each = cores() if threads is None else check_int("threads", threads, 1, 1 << 12)
    cache, policy = options["cache"], options["cache_policy"]
    count = depth(options["prefetch"], len(sampler.gpus), looks_ahead(cache, policy))
    ahead = count, checked_budget(options["prefetch_bytes"])
    shown = checked_flag("progress", options["progress"])
    if features is None and cache is not None:
        raise ValueError(f"cache = {cache!r} without features: pass features=")
    plain = Loader(sampler, seeds, order, each, None, ahead, shown)
    if features is None:
        return plain
    rows = BatchRows(sampler, features, cache, policy, each, plain._presampled)
    return Loader(sampler, seeds, order, each, rows, ahead, shown)


def _windows(
    sampler: NeighborSampler, count: int, input_time: Any, start: Any, end: Any, strict: Any
) -> tuple[Array | None, Array | None]:
    """The times and time windows of a loader's input, as the sampler takes them; None: those of the vertices, and no
    windows."""
    strict, name = checked_flag("strict", strict), "input_time" if end is None else "input_end_time"
    given = chosen_end("input_time", input_time, end)
    if given is None:
        needs = "strict = True" if strict else None if start is None else "input_start_time"
        if needs is not None:
            raise ValueError(f"{needs} without the ends of the windows: pass input_end_time")
        return None, None
    ends = _moments(sampler, name, given, count)
    starts = None if start is None else _moments(sampler, "input_start_time", start, count)
    return window_of(starts, ends, strict)


def _moments(sampler: NeighborSampler, name: str, given: Any, count: int) -> Array:
    times = whole_times(name, flat(name, moment(name, given, sampler._unit)))
    refuse_length(name, times, count, "vertex of input_nodes")
    return times


@advised
class Loader(Pipelined, Resumable):
    """Yields the batches of a ``NeighborSampler``, epoch by epoch; returned by ``gonextdoor.loader``.

    Each iteration is the next epoch. ``set_epoch`` chooses one, ``state_dict`` and ``load_state_dict`` continue an
    epoch, also with another number of ranks. ``len(loader)`` is the number of batches that this rank takes in an epoch.

    Attributes:
        sampler: the ``NeighborSampler``.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> loader = gnd.loader(graph, [3], range(100), batch_size=10, seed=1)
        >>> epoch = iter(loader)
        >>> next(epoch), next(epoch)
        (NeighborBatch(35 nodes, 29 edges), NeighborBatch(32 nodes, 24 edges))
        >>> state = loader.state_dict()
        >>> state["epoch"], state["batches"]
        (0, 2)
        >>> resumed = gnd.loader(graph, [3], range(100), batch_size=10)
        >>> resumed.load_state_dict(state)
        >>> len(list(resumed))
        8
    """

    _made_by = "gonextdoor.loader(graph, num_neighbors, ...)"

    def __init__(
        self,
        sampler: NeighborSampler,
        inputs: tuple[str | None, Array, Array | None, Array | None],
        order: BatchOrder,
        threads: int,
        features: BatchRows | None,
        ahead: tuple[int, int],
        progress: bool,
    ) -> None:
        self.sampler, self._order = sampler, order
        (self._kind, self._nodes, self._ends, self._time_windows), self._threads = inputs, threads
        self._features, (self._prefetch, self._budget) = features, ahead
        self._progress = progress
        self._rows, self._meter = None if features is None else features.on_gpu, Meter()

    def __iter__(self) -> Iterator[NeighborBatch]:
        """Begins an epoch, or continues that of a loaded state.

        Raises:
            ValueError: the ranks that divide the epoch cannot have equally many batches, or they disagree.
            RuntimeError: one of them did not begin the epoch.
        """
        begun = self._begun()
        here = self._features is not None and self._rows is None
        drawn = self._prefetched(self._order.named(begun), self, self._read if here else None)
        return self._handed_out(map(self._finished, drawn), begun)

    def _reads(self) -> FeatureReads | None:
        if self._rows is None or self._features is None:
            return None
        return FeatureReads(self._rows, self._features.ids, self._features.size)

    def _sample(self, batches: list[Batch]) -> list[NeighborBatch]:
        return self.sampler.sample_many(
            [self._typed(self._nodes[one.ids]) for one in batches],
            [one.batch_seed for one in batches],
            times=self._each(self._ends, batches),
            time_window=self._each(self._time_windows, batches),
            threads=self._threads,
        )

    def _presampled(
        self, ids_of: Callable[[NeighborBatch], Mapping[Any, Any]], vertices: Mapping[Any, int]
    ) -> dict[Any, Array]:
        """The visits of the next batches; see ``presample``."""
        return presample(self._order.preview(), self._draw, ids_of, vertices)

    def _read(self, batch: Batch) -> Batch:
        """Reads the features of a batch to this machine's memory."""
        if self._features is None or isinstance(batch.out, Exception):
            return batch
        try:
            batch.out.features = self._features.read(batch.out)
        except Exception as why:
            raise numbered(why, batch) from why
        return batch

    def _finished(self, batch: Batch) -> NeighborBatch:
        """The batch that the caller receives."""
        if isinstance(batch.out, Exception):
            raise batch.out
        drawn: NeighborBatch = batch.out
        if self._features is not None and batch.rows is not None:
            drawn.features = self._features.as_given(batch.rows)
        return drawn

    def _size(self, batch: Batch) -> int:
        if isinstance(batch.out, Exception):
            return 0
        own: int = 8 * batch.out.header.batch.words
        return own if self._features is None or self._rows is not None else own + self._features.size(batch.out)

    def _each(self, times: Array | None, batches: list[Batch]) -> list[Any] | None:
        """The times of the seed nodes of each batch."""
        return None if times is None else [self._typed(times[one.ids]) for one in batches]

    def _typed(self, values: Array) -> Any:
        return values if self._kind is None else {self._kind: values}

    def _facts(self) -> dict[str, Any]:
        return {**facts_of(self.sampler), **self._input_facts()}

    def _times(self) -> dict[str, Any]:
        return {"input_end_time": self._ends, "input_start_time": self._time_windows}

    def _inputs(self) -> Any:
        return self._typed(self._nodes)

    def __repr__(self) -> str:
        positions = self._order.batching
        return f"Loader({self.sampler!r}, {len(self._nodes)} vertices, {positions.facts['batch_size']} in a batch)"


def inputs_of(
    counts: int | Mapping[str, int], given: Any, graph: Graph | None = None, names: bool | None = None
) -> tuple[str | None, Array]:
    """The type of the vertices to iterate over, None if there is only one, and their numbers.

    Args:
        counts: the number of vertices of the graph, or of each type.
        given: the argument ``input_nodes``.
        graph: may have names of vertices; None: there are none.
        names: whether integers are names of its vertices; None: they are numbers, which may issue a warning.
    """
    if not isinstance(counts, Mapping):
        return None, input_vertices("input_nodes", graph, given, counts, names)
    if names is not None:
        raise ValueError(f"names = {names!r}: the vertices of a HeteroGraph have no names; leave it out")
    kind, nodes = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    if not isinstance(kind, str) or kind not in counts:
        expected = ", ".join(map(repr, counts))
        name = f"input_nodes = {kind!r}" if isinstance(kind, str) else "input_nodes"
        raise ValueError(
            f"{name}: the graph has the vertex types {expected}; expected one of them, or a tuple (type, vertices)"
        )
    return kind, input_vertices(f"input_nodes of type {kind!r}", None, nodes, counts[kind])


def input_vertices(name: str, graph: Graph | None, given: Any, count: int, names: bool | None = None) -> Array:
    """Vertices as an array of int64, which shares no memory with the argument."""
    if given is None:
        return np.arange(count)
    if isinstance(given, Mapping):
        raise TypeError(f"{name}: expected an array of vertices or a mask, as the graph has one type; got a dict")
    values = np.asarray(given) if hasattr(given, "dtype") else given
    if getattr(values, "dtype", None) == np.bool_:
        if values.shape != (count,):
            raise ValueError(f"{name}: a mask has shape {values.shape}, expected ({count},), one element per vertex")
        return np.flatnonzero(values)
    if graph is not None and (names is not None or not graph._numbers_meant):
        values = told_apart(graph, name, values, names)
    vertices = flat(name, values, graph)
    bad = (vertices < 0) | (vertices >= count)
    if bad.any():
        at = int(np.argmax(bad))
        error = IndexError(f"{name}[{at}] = {vertices[at]} is out of range: vertex ids must be 0 <= id < {count}")
        raise error if graph is None else no_vertex(graph, error)
    return vertices.astype(np.int64)  # a copy
