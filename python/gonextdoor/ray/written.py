"""write: samples as Parquet files, of which a later run writes the missing ones."""

from __future__ import annotations

import contextlib
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._core.arguments import PathLike
from .._core.binding import advised
from .._core.checks import checked_flag
from ..ranges import files
from ..ranges.ranges import Ranges, Vertices
from ..storage.location import located
from .actors import Actors, Concurrency
from .atparts import AtParts
from .failed import reported

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["Written", "write"]


class Written(NamedTuple):
    """What ``write`` has done.

    Attributes:
        rows: the number of rows of the run.
        files: the number of files of the run.
        written: the files that this call wrote.
        bytes: the size of the files that this call wrote.
        seed: the random seed of the run.

    Examples:
        >>> import gonextdoor.ray
        >>> gonextdoor.ray.Written(rows=256, files=1, written=1, bytes=4096, seed=1).files
        1
    """

    rows: int
    files: int
    written: int
    bytes: int
    seed: int


@advised
def write(
    uri: PathLike,
    app: Any,
    path: PathLike,
    roots: Any = None,
    *,
    repeat: int = 1,
    edges: bool = False,
    vertices: Vertices = "numbers",
    seed: Seed = None,
    resume: bool = False,
    device: str = "cpu",
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    concurrency: Concurrency = None,
    range_bytes: int | None = None,
    compression: str = "zstd",
) -> Written:
    """Samples a graph on a Ray cluster and writes the rows to Parquet files.

    A file has a range of ids. Its name is the first id, and it appears when it is complete. Actors write the files, so
    that rows pass neither the object store nor this process. If a node is lost, Ray makes its ranges again. If this
    process ends, a call with ``resume=True`` writes the files that are missing, damaged or of another run. Every file
    has the same bytes whichever call wrote it, for the same versions of gonextdoor and pyarrow.

    A folder has one run, which its manifest ``.gonextdoor.parquet`` describes. Of several calls that begin in an empty
    folder at once, one writes and the others raise a FileExistsError. The footer of each file names the run, as
    ``gonextdoor.ranges.Ranges.write`` describes.

    Args:
        uri: the folder of the graph, as for ``sample``.
        app: what is sampled, as for ``sample``.
        path: the folder to write: a path that all nodes can write, or a URI such as ``s3://bucket/walks``.
        roots: as for ``sample``; None (default): every vertex.
        repeat: samples from each root, or epochs of mini-batches (default 1).
        edges: whether rows have the ids of the edges taken, in the column ``edges`` (default False).
        vertices: "numbers" (default), or "names": vertices by their names in the input.
        seed: as for ``gonextdoor.sample``. None (default): fresh entropy, or that of the run that is resumed.
        resume: whether the folder may have a part of the same run, of which only missing files are written (default
            False).
        device: "cpu" (default), or "cuda": each actor has a GPU.
        num_cpus: CPUs of an actor, each of which is a thread; None (default): one, or of a partitioned graph an equal
            share of all CPUs for each part. If no nodes have them, an ``InputWarning`` tells that the run waits.
        num_gpus: GPUs of an actor; None (default): one if ``device`` is "cuda".
        concurrency: the number of actors, or (least, most) as a tuple; None (default): Ray starts more while there is
            work for them. A partitioned graph has one per part.
        range_bytes: the expected size of a file before compression; None (default): 32 MiB, or 256 MiB of a partitioned
            graph.
        compression: of Parquet: "zstd" (default), "snappy", "gzip", "brotli", "lz4" or "none".

    Returns:
        The number of rows and files, and what this call wrote.

    Raises:
        FileNotFoundError: there is no graph.
        FileExistsError: the folder has a run already and ``resume`` is False, or it has other Parquet files.
        FormatError: the folder of the graph does not have one.
        OSError: a file cannot be read or written.
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or the folder has a run with other arguments.
        ImportError: pyarrow, or what opens a URI, is missing.

    Examples:
        >>> import gonextdoor.ray
        >>> gnd.rmat(8, seed=1).save("graph")
        >>> done = gonextdoor.ray.write("graph", gnd.apps.DeepWalk(4), "walks", seed=1, num_cpus=0.5)
        >>> done.rows, done.files, done.written
        (256, 1, 1)
        >>> gonextdoor.ray.write("graph", gnd.apps.DeepWalk(4), "walks", seed=1, resume=True).written
        0
    """
    actors, to = Actors(device, num_cpus, num_gpus, concurrency), located("path", path)
    compression = files.checked_compression(compression)
    if checked_flag("resume", resume) and seed is None:
        seed = (files.manifest(to) or {}).get("seed")
    run = Ranges(uri, app, roots, repeat=repeat, edges=edges, vertices=vertices, seed=seed, device=device,
                 threads=actors.threads, range_bytes=range_bytes)  # fmt: skip
    files.begin(to, run.facts(compression), run.schema, resume and seed is not None)  # no seed: a new run
    missing = run.missing(to.uri)
    size = 0
    if missing and run.parts:
        with contextlib.closing(AtParts(run, actors.cpus_of_parts(run.parts), len(missing))) as parts:
            size = sum(parts.make(missing, to.uri, compression))
    elif missing:
        numbers = [ids.start // run.range_rows for ids in missing]
        for row in actors.map(run, numbers, _Files, to.uri, compression).iter_rows():
            if row["error"]:
                raise pickle.loads(row["error"])
            size += int(row["bytes"])
    return Written(run.rows, len(run), len(missing), size, run.seed)


class _Files:
    """Writes the files of ranges by their numbers."""

    def __init__(self, run: Ranges, path: str, compression: str) -> None:
        self._run, self._path, self._compression = run, path, compression

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        ids = self._run[int(batch["range"][0])]
        size, error = 0, b""
        try:
            size = self._run.write(ids, self._path, compression=self._compression)
        except Exception as why:  # Ray Data would raise an error of another class
            error = pickle.dumps(reported(why, ids))
        return {"bytes": np.array([size]), "error": np.array([error], object)}
