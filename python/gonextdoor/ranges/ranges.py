"""Ranges: a run of samples, divided into ranges of ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, overload

import numpy as np

from .. import apps
from .._core import advice
from .._core.arguments import PathLike, checked_threads, integers, without_secrets
from .._core.binding import advised
from .._core.checks import check_int, checked_flag
from .._core.seeds import entropy
from .._version import __version__
from ..apps import SamplingApp
from ..device import devices
from ..neighbor.flat import flat
from ..neighbor.sampler import NeighborSampler
from ..partition.anygraph import open_graph
from ..storage.head import head_of
from ..storage.location import located
from . import files
from .minibatches import MiniBatches
from .pagerank import PageRank
from .run import Kind, Run, TypedNodes, digest_of
from .sampled import Sampled

if TYPE_CHECKING:
    import pyarrow

    from .._core.seeds import Seed
    from ..device.devices import Device
    from ..partition import Transport

__all__ = ["Ranges", "Vertices"]

RANGE_BYTES = 32 << 20  # of a range, expected
PARTITION_BYTES = 256 << 20  # of a range of a partitioned graph, whose supersteps need many walks
Vertices = Literal["numbers", "names"]

MOST_ROWS = (1 << 63) - 1
MOST_VERTICES = 1 << 20  # below it, Parquet's dictionaries of vertex numbers make files smaller


@advised
class Ranges(Sequence[range]):
    """A run of samples, divided into ranges of ids: a sequence of ``range`` objects.

    Any process that can open the graph samples any range, with the same result: rows depend on the graph, the app, the
    roots, the seed and their ids. An object has the arguments only, so it is small when it is pickled. A process opens
    a graph once, and the processes of a machine share its memory.

    Args:
        uri: the folder of the graph, as ``Graph.save`` and ``gonextdoor convert`` write it: a path, or a URI such as
            ``s3://bucket/graph``, of which each machine makes one copy in its cache folder. Or the folder of a
            partitioned graph, of which a machine copies the parts that it uses. Mini-batches also take heterogeneous
            graphs, which ``HeteroGraph.save`` writes.
        app: what is sampled: one of ``gonextdoor.apps``, a ``gonextdoor.App`` of your own, ``MiniBatches`` or
            ``PageRank``.
        roots: as for ``gonextdoor.sample``: None (default), a number, or an array. Of mini-batches of a heterogeneous
            graph the type of the input nodes, or a tuple of the type and the vertices.
        repeat: samples from each root, or epochs of mini-batches (default 1).
        edges: whether rows have the column ``edges``, the ids of the edges taken (default False). Rows of
            ``MiniBatches`` always have it.
        vertices: "numbers" (default), or "names": vertices by their names in the input, in the columns that
            ``Samples.to_parquet`` writes.
        seed: as for ``gonextdoor.sample``. None (default): fresh entropy, kept in ``seed``.
        device: "cpu" (default), "cuda", or as for ``gonextdoor.sample``.
        threads: CPU threads of a range; None (default): one per core.
        range_bytes: the expected size of the result of a range; None (default): 32 MiB, or 256 MiB of a partitioned
            graph. Ids and samples do not depend on it, but the names of files do. The size of a row is estimated from
            the app and the head of the graph, and is exact for samples of a fixed number of vertices.

    Attributes:
        uri: the folder of the graph, absolute.
        app: the argument.
        run: the other arguments, checked.
        parts: the parts of the graph; 0: it is not partitioned.
        at_home: whether one part of a partitioned graph makes the rows and asks the others for edges, as for trees and
            mini-batches. Otherwise walks travel between the parts.
        rows: the number of rows in all ranges.
        range_rows: the number of rows of a range, except for the last.
        schema: the columns of the rows, a ``pyarrow.Schema``.

    Raises:
        FileNotFoundError: there is no graph.
        FormatError: the folder does not have a graph.
        OSError: the head of the graph cannot be read.
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.
        ImportError: pyarrow is missing.

    Examples:
        >>> gnd.rmat(8, seed=1).save("graph")
        >>> run = gnd.ranges.Ranges("graph", gnd.apps.DeepWalk(4), repeat=10, seed=1, range_bytes=20_000)
        >>> len(run), run[0], run[3]
        (4, range(0, 710), range(2130, 2560))
        >>> run.table(range(0, 3))["walk"].to_pylist()
        [[0, 232, 176, 222, 60], [0, 116, 206, 231, 139], [0, 229, 144, 229, 254]]
    """

    def __init__(
        self,
        uri: PathLike,
        app: Any,
        roots: Any = None,
        *,
        repeat: int = 1,
        edges: bool = False,
        vertices: Vertices = "numbers",
        seed: Seed = None,
        device: Device = "cpu",
        threads: int | None = None,
        range_bytes: int | None = None,
    ) -> None:
        at = located("uri", uri)
        self.uri, self.app, self._kind = at.uri, app, _kind(app)
        devices.among(device)
        self.run = Run(
            roots=_roots(roots),
            repeat=check_int("repeat", repeat, 1, 1 << 40),
            edges=checked_flag("edges", edges),
            names=_by_name(vertices),
            seed=entropy(seed),
            device=device,
            threads=None if threads is None else checked_threads(threads),
        )
        if self.run.edges and not isinstance(self._kind, Sampled):
            raise ValueError(
                f"edges = True: does not apply to {type(app).__name__}; leave it out"
                + (", since its rows always have the column edges" if isinstance(app, MiniBatches) else "")
            )
        if self.run.names and not isinstance(self._kind, Sampled):
            raise ValueError(
                f'vertices = "names": does not apply to {type(app).__name__}, whose rows have numbers; leave it out'
            )
        head = head_of(at)
        if self.run.edges and not head.edge_ids:
            raise advice.no_edge_ids("edges = True")
        usual = PARTITION_BYTES if head.parts else RANGE_BYTES
        size = usual if range_bytes is None else check_int("range_bytes", range_bytes, 1, 1 << 40)
        self.parts, self.at_home = head.parts, bool(head.parts) and self._kind.at_home
        if head.parts and device not in ("cpu", "auto"):
            raise ValueError(f'device = {device!r}: a partitioned graph is sampled on CPUs, pass device="cpu"')
        self._digest, self._version = head.digest, __version__
        self.rows = self._kind.rows(self.run, head)
        if self.rows > MOST_ROWS:
            raise ValueError(f"{self.rows} rows (roots x repeat): expected at most 2^63 - 1")
        each = max(1, int(size / self._kind.row_bytes(self.run, head)))
        if each > self.run.repeat:
            each -= each % self.run.repeat  # no root is in two ranges
        self.range_rows = each
        self.schema = self._kind.schema(self.run, head)
        self._dictionaries = self.run.names or head.vertices < MOST_VERTICES

    @property
    def seed(self) -> int:
        """The random seed."""
        return self.run.seed

    def __len__(self) -> int:
        return -(-self.rows // self.range_rows)

    @overload
    def __getitem__(self, index: SupportsIndex) -> range: ...
    @overload
    def __getitem__(self, index: slice) -> list[range]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> range | list[range]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        return range(number * self.range_rows, min((number + 1) * self.range_rows, self.rows))

    def __iter__(self) -> Iterator[range]:
        return map(self.__getitem__, range(len(self)))

    def table(self, ids: range, *, transport: Transport | None = None) -> pyarrow.Table:
        """Samples the rows of consecutive ids.

        Args:
            ids: a range of this run, or any part of it.
            transport: reaches the parts of a partitioned graph; None (default): this process opens them.

        Returns:
            A ``pyarrow.Table``. ``id`` is int64, ``root`` the first vertex of samples with one root. Walks have
            ``walk``, trees ``vertices``: fixed-size lists of uint32, or lists if rows differ in length, with null for a
            missing vertex. They share the memory of the samples. With ``vertices="names"``, rows are those of
            ``Samples.to_parquet``. With ``edges=True``, ``edges`` has the ids (int64) of the edges that led to the
            vertices after the roots, in lists of the same kind, with null if no edge led there.
            ``MiniBatches`` and ``PageRank`` describe their columns.

        Raises:
            OSError: the graph cannot be read.
            FormatError: the graph on this machine is damaged, or another one.
            RuntimeError: this process has another version of gonextdoor than the one that made this object.
            TypeError: the roots are of the wrong type.
            ValueError: the app does not fit the graph, or ids are not those of the run.
            IndexError: a root is not a vertex of the graph.

        Examples:
            >>> gnd.rmat(8, seed=1).save("graph")
            >>> run = gnd.ranges.Ranges("graph", gnd.apps.PPR(0.5), seed=1)
            >>> run.table(range(100, 103)).schema.names
            ['id', 'root', 'walk']
        """
        self._check_version()
        if not isinstance(ids, range) or ids.step != 1:
            raise TypeError(f"ids = {ids!r}: expected a range of consecutive ids")
        if not 0 <= ids.start <= ids.stop <= self.rows:
            raise ValueError(f"ids = {ids!r}: expected a part of range(0, {self.rows})")
        return self._kind.table(self.run, open_graph(self.uri, self._digest), ids, transport)

    def write(
        self, ids: range, folder: PathLike, *, compression: str = "zstd", transport: Transport | None = None
    ) -> int:
        """Samples a range and writes it to a Parquet file, whose name is the first id.

        The file appears under its name when it is complete. The same range gives the same bytes. The footer names the
        run: the key ``gonextdoor`` of its metadata is JSON with ``app``, ``graph``, ``seed``, ``version`` and ``run``,
        a digest of ``facts`` without the compression.

        The first call creates the manifest ``.gonextdoor.parquet``, a file without rows whose metadata has the facts
        of the run, unless the folder has it. A
        folder has one run, which any number of processes may write.

        Args:
            ids: a range of this run.
            folder: a path or a URI; see ``uri``.
            compression: of Parquet: "zstd" (default), "snappy", "gzip", "brotli", "lz4" or "none".
            transport: as for ``table``.

        Returns:
            The size of the file in bytes.

        Raises:
            FileExistsError: the folder has another run, the same run with another compression, or other Parquet files.
            OSError: the graph cannot be read, or the file cannot be written.
            ValueError: pyarrow does not have the compression.

        Examples:
            >>> gnd.rmat(8, seed=1).save("graph")
            >>> run = gnd.ranges.Ranges("graph", gnd.apps.DeepWalk(4), seed=1)
            >>> size = run.write(run[0], "walks")
            >>> import os
            >>> sorted(os.listdir("walks"))
            ['.gonextdoor.parquet', '00000000000000000000.parquet']
        """
        to, compression = located("folder", folder), files.checked_compression(compression)
        files.join(to, self.facts(compression), self.schema)
        table = self.table(ids, transport=transport)
        return files.write(table, to, ids, compression, self._dictionaries, files.stamp_of(self._facts()))

    def missing(self, folder: PathLike) -> list[range]:
        """Returns the ranges whose file is not in a folder, or is damaged or of another run, in order.

        The footer and the size of each file are read, but not its data.

        Args:
            folder: a path or a URI; it need not exist.

        Raises:
            OSError: the folder cannot be listed, or a file cannot be read.

        Examples:
            >>> gnd.rmat(8, seed=1).save("graph")
            >>> run = gnd.ranges.Ranges("graph", gnd.apps.DeepWalk(4), seed=1, range_bytes=4000)
            >>> size = run.write(run[0], "part")
            >>> run.missing("part")
            [range(142, 256)]
        """
        return files.missing(located("folder", folder), self, files.stamp_of(self._facts()))

    def facts(self, compression: str = "zstd") -> dict[str, Any]:
        """Returns what the bytes of the files depend on, as JSON: the graph, the app, the roots, the seed, whether
        edges are recorded, the number of rows of a range, the version and the compression.

        Args:
            compression: of ``write`` (default "zstd").

        Examples:
            >>> gnd.rmat(8, seed=1).save("graph")
            >>> gnd.ranges.Ranges("graph", gnd.apps.DeepWalk(4), seed=1).facts()["rows"]
            256
        """
        return {**self._facts(), "compression": files.checked_compression(compression)}

    def _facts(self) -> dict[str, Any]:
        """What the rows of the files depend on."""
        return {
            **self._kind.facts(), "graph": self._digest, "roots": digest_of(self.run.roots), "repeat": self.run.repeat,
            "edges": self.run.edges, "vertices": "names" if self.run.names else "numbers", "seed": self.run.seed,
            "rows": self.rows, "range_rows": self.range_rows, "version": self._version,
        }  # fmt: skip

    def __repr__(self) -> str:
        uri = without_secrets(self.uri)
        return f"Ranges({len(self)} ranges of {self.range_rows} rows, {self.app!r}, {uri!r}, seed={self.seed})"

    def _check_version(self) -> None:
        if self._version != __version__:
            raise RuntimeError(
                f"this process has gonextdoor {__version__}, but the run was made by {self._version}: install the same "
                "version on all machines"
            )


def _kind(app: Any) -> Kind:
    if isinstance(app, (MiniBatches, PageRank)):
        return app
    if isinstance(app, SamplingApp):
        return Sampled(app)
    if isinstance(app, NeighborSampler):
        raise TypeError("app: a NeighborSampler has a graph; pass gonextdoor.ranges.MiniBatches(num_neighbors, ...)")
    raise advice.app_error(app, apps.__all__)


def _by_name(vertices: Any) -> bool:
    if vertices not in ("numbers", "names"):
        raise ValueError(f'vertices = {vertices!r}: expected "numbers" or "names"')
    return bool(vertices == "names")


def _roots(roots: Any) -> Any:
    """None, an int, an array of ints, a list of names, or the vertices of a type."""
    if roots is None:
        return None
    if isinstance(roots, str):
        return TypedNodes(roots, None)
    if isinstance(roots, tuple) and len(roots) == 2 and isinstance(roots[0], str) and not isinstance(roots[1], str):
        return TypedNodes(roots[0], None if roots[1] is None else flat("roots", roots[1]))
    if isinstance(roots, (int, np.integer)) and not isinstance(roots, bool):
        return check_int("roots", roots, 0, 1 << 40)
    array = np.asarray(roots)
    if array.ndim and array.dtype.kind in "OU":
        return list(roots)
    array = integers("roots", roots)
    if array.ndim not in (1, 2):
        raise ValueError(f"roots: expected shape (n,) or (n, r), got {array.shape}")
    return array
