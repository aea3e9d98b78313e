"""stream: a graph that grows by batches of edges, and the samples of its present version."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core.arguments import column
from .._core.binding import advised
from .._core.checks import check_int
from .._core.dates import duration, moment
from ..apps import SamplingApp
from ..graph.batches import TableColumns
from ..graph.graph import Graph
from ..samples.samples import Samples
from . import streamfile
from .sample import sample
from .streamfile import StreamState

if TYPE_CHECKING:
    from typing_extensions import Self

    from .._core.arguments import PathLike
    from .._core.seeds import Seed
    from ..device.devices import Device
    from .call import Roots

__all__ = ["Stream", "StreamUpdate", "stream"]

Array = npt.NDArray[Any]

LEAST = -(1 << 63)
KEYS = ("add", "remove", "weights", "labels", "times")


@advised
def stream(
    graph: Graph,
    app: SamplingApp,
    roots: Roots = None,
    *,
    repeat: int = 1,
    window: SupportsIndex | Any | None = None,
    symmetric: bool = False,
    names: bool | None = None,
    seed: Seed = None,
    first_id: int = 0,
    device: Device = "auto",
    dtype: npt.DTypeLike | None = None,
    edges: bool = False,
) -> Stream:
    """A stream of edges: it has the present version of a graph and its samples, and updates both by batches of edges.

    Each batch is an update of the graph by ``Graph.updated`` and of the samples by ``Samples.updated``. The samples are
    therefore always equal to those of ``gonextdoor.sample`` for the graph of the remaining edges, bit for bit.

    If the graph has times, no edge of a batch may be older than the newest edge before it; with a window, it may be
    older by at most the window.

    Args:
        graph: the graph before the first batch; it may have no edges.
        app: the app.
        roots: as for ``gonextdoor.sample``. With None (default), new vertices have samples, too.
        repeat: as for ``gonextdoor.sample``.
        window: a length of time, an int or a ``timedelta``: after each batch, edges that are older than the newest one
            by more than the window are removed. None (default): none are.
        symmetric: whether batches add and remove the reverse of each edge, as for ``Graph.updated``.
        names: whether ints in batches and in roots are names, as for ``gonextdoor.sample``.
        seed: as for ``gonextdoor.sample``.
        first_id: as for ``gonextdoor.sample``.
        device: as for ``gonextdoor.sample``.
        dtype: as for ``gonextdoor.sample``.
        edges: as for ``gonextdoor.sample``.

    Returns:
        The stream.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or the graph has no times for a window.

    Examples:
        >>> stream = gnd.stream(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(4), seed=1)
        >>> update = stream.update(([3, 7], [9, 1]), remove=[(0, 116)])
        >>> len(update.rows), len(stream.samples)
        (8, 256)
        >>> again = gnd.sample(stream.graph, gnd.apps.DeepWalk(4), seed=1)
        >>> np.array_equal(stream.samples, again)
        True
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"graph: expected a gonextdoor.Graph, got {type(graph).__name__}")
    if not isinstance(symmetric, (bool, np.bool_)):
        raise TypeError(f"symmetric = {symmetric!r}: expected True or False")
    if window is not None:
        if graph.times is None:
            raise ValueError(f"window = {window!r}, but the edges of the graph have no times: build it with times")
        window = check_int("window", duration("window", window, graph.time_unit), 0, (1 << 63) - 1)
    samples = sample(
        graph, app, roots, repeat=repeat, names=names, seed=seed, first_id=first_id, device=device, dtype=dtype,
        edges=edges,
    )  # fmt: skip
    return Stream(samples, window, bool(symmetric), names)


@dataclasses.dataclass(frozen=True, eq=False)
class StreamUpdate:
    """What a batch changed; ``gonextdoor.Stream.update`` returns it.

    Attributes:
        batch: the number of the batch, from 0.
        graph: the version of the graph after the batch.
        samples: its samples.
        rows: (k,) int64, ascending: the rows of samples that the batch changed, and those of new roots.
            ``samples[rows]`` has them. All rows, if the app makes layers.

    Examples:
        >>> stream = gnd.stream(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(4), seed=1, first_id=1000)
        >>> update = stream.update([(3, 9), (7, 1)])
        >>> update.rows[:3], update.ids[:3]
        (array([49]), array([1049], dtype=uint64))
    """

    batch: int
    graph: Graph
    samples: Samples
    rows: Array

    @property
    def ids(self) -> Array:
        """The ids of these samples: (k,) uint64."""
        ids: Array = self.rows.astype(np.uint64) + np.uint64(self.samples.first_id)
        return ids

    def __repr__(self) -> str:
        return f"StreamUpdate(batch={self.batch}, {len(self.rows)} of {len(self.samples)} samples changed)"


@advised
class Stream:
    """A graph that changes by batches of edges, with its samples; ``gonextdoor.stream`` makes it.

    A batch that raises an error leaves it unchanged.

    Attributes:
        graph: the present version of the graph.
        samples: its samples.
        batches: the number of batches so far.
        newest: the largest time of an edge so far; None if there was none, or the graph has no times.

    Examples:
        >>> stream = gnd.stream(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(4), seed=1)
        >>> _ = stream.update([(3, 300)])
        >>> stream.batches, len(stream.samples)
        (1, 301)
    """

    _made_by = "gonextdoor.stream(...)"

    def __init__(self, samples: Samples, window: int | None, symmetric: bool, names: bool | None) -> None:
        self.samples, self.graph, self.batches = samples, samples.graph, 0
        times = self.graph.times
        self.newest: int | None = None if times is None or not len(times) else int(times.max())
        self._window, self._symmetric, self._names = window, symmetric, names
        self._columns: TableColumns | None = None  # those of the first table

    def __repr__(self) -> str:
        return f"Stream({self.graph!r}, {self.samples.app!r}, batches={self.batches})"

    @classmethod
    def open(cls, folder: PathLike, *, app: SamplingApp | None = None) -> Self:
        """Resumes a stream that ``save`` wrote: further batches give the graph and the samples that they would have
        given without the interruption.

        The files of the graph are mapped until the first batch. Samples that were on GPUs are made again there; if
        there is no such GPU, a warning is issued and they are in host memory.

        Args:
            folder: the folder, or its URI, such as ``s3://bucket/monday``, of which the graph is copied to the cache
                folder as by ``Graph.open``.
            app: the app of the stream. It is required if it has functions, arrays or dates, which the folder does not
                have. None (default): as in the folder.

        Returns:
            The stream.

        Raises:
            OSError: the folder cannot be read.
            FormatError: it is not the folder of a stream, or is damaged, or a later version wrote it.
            TypeError: app is no app.
            ValueError: app is not the app of the stream, or is required.

        Examples:
            >>> stream = gnd.stream(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(4), seed=1)
            >>> stream.save("monday")
            >>> gnd.Stream.open("monday").update([(3, 9), (7, 1)])
            StreamUpdate(batch=0, 5 of 256 samples changed)
        """
        samples, state = streamfile.opened(folder, app)
        stream = cls(samples, state.window, state.symmetric, state.names)
        stream.batches, stream.newest, stream._columns = state.batches, state.newest, state.columns
        return stream

    def save(self, folder: PathLike) -> None:
        """Writes the graph, the samples and the state of the stream to a new folder, which appears when it is complete.

        A process that is killed meanwhile leaves only a hidden folder beside it, whose name ends in ``.tmp``. The
        folder has the graph in ``graph`` and the samples in ``samples.npz``, which ``Graph.open`` and ``Samples.load``
        read.

        Args:
            folder: the folder to create, or its URI, such as ``s3://bucket/monday``, in which case ``stream.json`` is
                put last, as by ``Graph.save``; ``Stream.open`` opens it.

        Raises:
            FileExistsError: it exists.
            OSError: it cannot be written.
            ValueError: nothing here opens such a URI.

        Examples:
            >>> stream = gnd.stream(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(4), seed=1)
            >>> stream.save("tuesday")
            >>> gnd.Graph.open("tuesday/graph").equals(stream.graph)
            True
        """
        state = StreamState(self._window, self._symmetric, self._names, self.batches, self.newest, self._columns)
        streamfile.save(self.samples, state, folder)

    def update(
        self,
        add: Any = None,
        *,
        remove: Any = None,
        weights: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        times: npt.ArrayLike | None = None,
    ) -> StreamUpdate:
        """Adds and removes edges.

        Args:
            add: the edges to add, in the forms of ``Graph.updated``; or a table with a row per edge, which has
                ``__arrow_c_stream__``: an Arrow table or record batch, or a frame of pandas or Polars. The columns of
                the first table are chosen as by ``Graph.from_arrow``; later tables must have columns of these names.
            remove: the edges to remove, as for ``Graph.updated``.
            weights: (E,) weights of add, as for ``Graph.updated``; a table has them as a column.
            labels: (E,) labels of add, likewise.
            times: (E,) times of add, likewise.

        Returns:
            The samples that changed.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: an edge is too old, as ``gonextdoor.stream`` describes, or an argument is invalid as for
                ``Graph.updated``.

        Examples:
            >>> graph = gnd.Graph.from_edges([0, 1], [1, 2], times=[3, 5])
            >>> stream = gnd.stream(graph, gnd.apps.TemporalWalk(3), window=4, seed=1)
            >>> stream.update([(2, 3), (2, 0)], times=[4, 8])
            StreamUpdate(batch=0, 4 of 4 samples changed)
            >>> stream.graph.times
            array([5, 8, 4])
        """
        attributes: dict[str, Any] = {"weights": weights, "labels": labels, "times": times}
        columns, names = self._columns, self._names
        if hasattr(add, "__arrow_c_stream__"):
            for name, given in attributes.items():
                if given is not None:
                    raise ValueError(f"{name} was given beside a table: expected it as a column of the table")
            columns, table, ends = TableColumns.of(self.graph, columns, add)
            add, attributes = columns.edges(table)
            names = ends if names is None else names
        newest = self._checked(attributes)
        since = None
        if self._window is not None and newest is not None:
            since = max(LEAST, newest - self._window)
        later = self.graph.updated(
            add, remove=remove, **attributes, window=since, symmetric=self._symmetric, names=names
        )
        samples = self.samples.updated(later)
        made = StreamUpdate(self.batches, later, samples, _rows(self.samples, samples))
        self.graph, self.samples, self.newest, self._columns = later, samples, newest, columns
        self.batches += 1
        return made

    def updates(self, batches: Iterable[Any]) -> Iterator[StreamUpdate]:
        """Reads batches of edges from any iterable, such as the messages of a queue, one at a time.

        Args:
            batches: each is a dict with arguments of ``update``, or its first argument alone.

        Yields:
            The samples that changed, after each batch.

        Raises:
            TypeError: as by ``update``; the text begins with the number of the batch. Earlier batches remain.
            ValueError: likewise.

        Examples:
            >>> stream = gnd.stream(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(4), seed=1)
            >>> for update in stream.updates([[(3, 9), (7, 1)], {"remove": [(3, 9)]}]):
            ...     print(update)
            StreamUpdate(batch=0, 5 of 256 samples changed)
            StreamUpdate(batch=1, 2 of 256 samples changed)
        """
        for batch in batches:
            try:
                if isinstance(batch, dict):
                    _refuse_keys(batch)
                    made = self.update(**batch)
                else:
                    made = self.update(batch)
            except (TypeError, ValueError, IndexError) as error:
                if type(error) not in (TypeError, ValueError, IndexError):
                    raise
                raise type(error)(f"batch {self.batches}: {error}") from None
            yield made

    def _checked(self, attributes: dict[str, Any]) -> int | None:
        """The newest time after a batch, whose times become integers of the graph.

        Raises:
            ValueError: an edge is too old.
        """
        if attributes["times"] is None or self.graph.times is None:  # otherwise Graph.updated refuses them
            return self.newest
        attributes["times"] = times = column("times", moment("times", attributes["times"], self.graph.time_unit))
        if times.dtype.kind not in "iu" or not len(times):
            return self.newest
        least = None if self.newest is None else self.newest - (self._window or 0)
        if least is not None and int(times.min()) < least:
            at = int(np.argmax(times < least))
            rule = "pass batches in the order of time, or a window" if self._window is None else "leave out such edges"
            less = "" if self._window is None else f" less window = {self._window}"
            raise ValueError(
                f"times[{at}] = {int(times[at])}: expected at least {least}, the newest time of earlier edges{less}; "
                f"{rule}"
            )
        return max(int(times.max()), LEAST if self.newest is None else self.newest)


def _refuse_keys(batch: dict[Any, Any]) -> None:
    for key in batch:
        if key not in KEYS:
            raise ValueError(f"the batch has the key {key!r}: expected {', '.join(KEYS)}")


def _rows(before: Samples, after: Samples) -> Array:
    """The rows in which samples differ from those before, and new rows."""
    if after is before:
        return np.empty(0, np.int64)
    count = min(len(before), len(after))
    result = after._result
    if result.layered:
        return np.arange(len(after))
    if result.ragged:
        differs = _ragged(before, after, count)
    else:
        pairs = [(before.numpy(), after.numpy())]
        if after.has_edges:
            pairs.append((before._taken(), after._taken()))
        differs = np.zeros(count, bool)
        for one, other in pairs:
            differs |= (one[:count] != other[:count]).any(axis=1)
    return np.concatenate([np.flatnonzero(differs), np.arange(count, len(after))])


def _ragged(before: Samples, after: Samples, count: int) -> Array:
    """Which of the first samples, which differ in length, differ."""
    both = before, after
    lengths = [samples.lengths[:count] for samples in both]
    same = lengths[0] == lengths[1]
    differs: Array = ~same
    rows = np.repeat(np.flatnonzero(same), lengths[0][same])
    chosen = [np.repeat(same, length) for length in lengths]
    parallel = [[samples.values for samples in both]]
    if after.has_edges:
        parallel.append([samples.edge_values for samples in both])
    for arrays in parallel:
        one, other = (array[: len(mask)][mask] for array, mask in zip(arrays, chosen, strict=True))
        differs[rows[one != other]] = True
    return differs
