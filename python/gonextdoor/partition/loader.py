"""loader: the batches of a partitioned graph, epoch by epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy.typing as npt

from .._core.binding import advised, refuse_unknown
from .._core.renamed import renamed
from ..neighbor.fanouts import Fanouts
from ..neighbor.loader import Loader, inputs_of, loader_of
from ..neighbor.options import NAMES, LoaderOptions, SamplerOptions, options_of, takes_options
from .graph import PartitionedGraph
from .hetero import PartitionedHeteroGraph
from .sampler import NeighborSampler

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._core.seeds import Seed
    from .transport import Transport

__all__ = ["loader"]


OPTIONS = NAMES - {"cache", "cache_policy"}


class PartitionOptions(LoaderOptions, SamplerOptions, total=False):
    """The options of this loader and its sampler."""

    home: int | None
    transport: Transport | None


@advised
@takes_options(OPTIONS)
def loader(
    graph: PartitionedGraph | PartitionedHeteroGraph,
    num_neighbors: Fanouts,
    input_nodes: Any = None,
    batch_size: SupportsIndex = 1,
    *,
    input_time: npt.ArrayLike | None = None,
    input_start_time: npt.ArrayLike | None = None,
    input_end_time: npt.ArrayLike | None = None,
    strict: bool = False,
    shuffle: bool = False,
    drop_last: bool = False,
    seed: Seed = None,
    **options: Unpack[PartitionOptions],
) -> Loader:
    """Returns a loader of the batches of a partitioned graph, which equal those of ``gonextdoor.loader`` on the whole
    graph.

    Batches that are drawn together share one exchange with the other parts per hop. Ranks, seeds and states are as for
    ``gonextdoor.loader``: several processes that divide an epoch, each with another part as its ``home``, see the
    batches of one.

    Args:
        graph: the partitioned graph, which may be heterogeneous.
        num_neighbors: edges that each vertex takes, hop by hop from the batch outwards; -1: all edges.
        input_nodes: (n,) vertices, which are the seed nodes of an epoch; None (default): all vertices.
        batch_size: the number of seed nodes in a batch (default 1).
        input_time: (n,) times of the input nodes, for temporal sampling.
        input_start_time: as for ``gonextdoor.loader``.
        input_end_time: as for ``gonextdoor.loader``.
        strict: as for ``gonextdoor.loader``.
        shuffle: whether each epoch has the input nodes in another order (default False).
        drop_last: whether a last batch of fewer seed nodes is left out (default False).
        seed: as for ``gonextdoor.loader``.
        **options: those of all loaders, as for ``gonextdoor.loader``: divide, rank, world, even, share, threads,
            prefetch, prefetch_bytes and progress; and of ``gonextdoor.partition.NeighborSampler``: home, transport,
            replace, weighted, method, ...

    Returns:
        The loader. Its batches have no features: read those of ``batch.nodes`` with
        ``gonextdoor.features``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, contradicts another, or is not supported on a partitioned graph.

    Examples:
        >>> graph = gnd.partition.split(gnd.rmat(8, seed=1), 4, "hash")
        >>> loader = gnd.partition.loader(graph, [3, 2], range(100), batch_size=40, shuffle=True, seed=1)
        >>> for batch in loader:
        ...     print(batch, batch.nodes[:3])
        NeighborBatch(107 nodes, 185 edges) [83 27  0]
        NeighborBatch(125 nodes, 205 edges) [35 79 89]
        NeighborBatch(80 nodes, 108 edges) [32 73 34]
    """
    given, own = options_of(options, OPTIONS)
    for name in ("features", "cache", "cache_policy"):
        if own.pop(name, None) is not None:
            raise ValueError(
                f"{name}: is not supported on a partitioned graph; read the rows of a batch with gonextdoor.features"
            )
    refuse_unknown("gonextdoor.partition.loader", loader, own, PartitionOptions.__annotations__)
    with renamed(fanouts="num_neighbors"):
        sampler = NeighborSampler(graph, num_neighbors, **own)
    inputs = inputs_of(graph.num_vertices, input_nodes)
    times = input_time, input_start_time, input_end_time, strict
    return loader_of(sampler, inputs, batch_size, times, shuffle, drop_last, seed, given)
