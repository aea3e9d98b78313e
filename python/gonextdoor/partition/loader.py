"""loader: the batches of a partitioned graph, epoch by epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy.typing as npt

from .._core.checks import checked_flag
from .._core.renamed import renamed
from ..neighbor.loader import Loader, inputs_of, orderly
from ..neighbor.pipelined import checked_budget, depth
from ..neighbor.ranks import Divide, Even
from ..neighbor.sampler import Fanouts
from .graph import PartitionedGraph
from .hetero import PartitionedHeteroGraph
from .sampler import NeighborSampler

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["loader"]


def loader(
    graph: PartitionedGraph | PartitionedHeteroGraph,
    num_neighbors: Fanouts,
    input_nodes: Any = None,
    batch_size: SupportsIndex = 1,
    *,
    input_time: npt.ArrayLike | None = None,
    shuffle: bool = False,
    drop_last: bool = False,
    seed: Seed = None,
    divide: Divide | None = None,
    rank: int | None = None,
    world: int | None = None,
    even: Even = "wrap",
    share: int = 1,
    threads: int | None = None,
    prefetch: int | None = None,
    prefetch_bytes: int | None = None,
    progress: bool = False,
    **options: Any,
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
        shuffle: whether each epoch has the input nodes in another order (default False).
        drop_last: whether a last batch of fewer seed nodes is left out (default False).
        seed: as for ``gonextdoor.loader``.
        divide: "ranks": the processes of ``torch.distributed`` divide the batches, as for ``gonextdoor.loader``; None
            (default): this process takes all batches.
        rank: of this process, to divide without reading ``torch.distributed``; None (default): see ``divide``.
        world: the number of processes, with ``rank``; None (default): see ``divide``.
        even: "wrap" (default), "drop" or "error": as for ``gonextdoor.loader``.
        share: the number of consecutive batches in which a vertex takes the same edges (default 1).
        threads: CPU threads; None (default): as for ``gonextdoor.loader``.
        prefetch: batches that are drawn ahead; None (default): as for ``gonextdoor.loader``.
        prefetch_bytes: the bytes of these batches, at most; None (default): as for ``gonextdoor.loader``.
        progress: whether to show a live line (default False).
        **options: of ``gonextdoor.partition.NeighborSampler``: home, transport, replace, weighted, method, ...

    Returns:
        The loader. Its batches have no features: read those of ``batch.split(batch.arena).nodes`` with
        ``gonextdoor.features``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, contradicts another, or is not supported on a partitioned graph.

    Examples:
        >>> graph = gnd.partition.split(gnd.rmat(8, seed=1), 4, "hash")
        >>> loader = gnd.partition.loader(graph, [3, 2], range(100), batch_size=40, shuffle=True, seed=1)
        >>> for batch in loader:
        ...     print(batch, batch.split(batch.arena).nodes[0][:3])
        NeighborBatch(107 nodes, 185 edges) [83 27  0]
        NeighborBatch(125 nodes, 205 edges) [35 79 89]
        NeighborBatch(80 nodes, 108 edges) [32 73 34]
    """
    for name in ("features", "cache", "cache_policy"):
        if options.pop(name, None) is not None:
            raise ValueError(
                f"{name}: is not supported on a partitioned graph; read the rows of a batch with gonextdoor.features"
            )
    with renamed(fanouts="num_neighbors"):
        sampler = NeighborSampler(graph, num_neighbors, **options)
    inputs, order, each = orderly(
        inputs_of(graph.num_vertices, input_nodes),
        batch_size,
        input_time,
        shuffle,
        drop_last,
        seed,
        (divide, rank, world, even),
        share,
        threads,
    )
    queue = (depth(prefetch, 0), checked_budget(prefetch_bytes))
    return Loader(sampler, inputs, order, each, None, queue, checked_flag("progress", progress))
