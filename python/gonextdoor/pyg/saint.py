"""GraphSAINT's loaders, with PyG's arguments and attributes, on the core's GraphSAINT."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.sampler import SamplerOutput

from .. import rng, saint
from .._core.binding import advised
from .._core.checks import check_int, checked_flag
from .._core.renamed import renamed
from ..apps import GraphSAINT
from ..neighbor.options import takes_options
from ..neighbor.order import Batch
from ..sampling.call import Call
from ..sampling.sample import sampled
from . import files
from .batches import edge_index_of
from .graphs import Source
from .subgraph import Induced, one_group
from .subgraphloader import OPTIONS, SubgraphLoader, put_rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..neighbor.options import TorchOptions
    from .features import Rows

__all__ = ["GraphSAINTEdgeSampler", "GraphSAINTNodeSampler", "GraphSAINTRandomWalkSampler"]

LARGEST = (1 << 31) - 1
COUNTED = (1 << 64) - 1  # an epoch that no loader reaches
AT_ONCE = 16  # samples that are counted by one call
SPARSE = 64  # above this ratio of the nodes of a graph to those of a sample, sorting is faster than marking


class GraphSAINTSampler(SubgraphLoader):
    """The common base of GraphSAINT's loaders."""

    def _start(
        self, data: Any, app: GraphSAINT, steps: Any, coverage: Any, save_dir: Any, log: Any, seed: Any, device: Any,
        kwargs: Any,
    ) -> None:  # fmt: skip
        if not isinstance(data, Data) or data.edge_index is None:
            raise TypeError(f"data: expected a Data with edge_index, got {type(data).__name__}")
        for name in ("node_norm", "edge_norm"):
            if name in data:
                raise ValueError(f"data.{name}: the batches get an attribute of this name; rename the one of data")
        self._source, self._app = Source(data, "out", None, None), app
        self._induced = Induced(self._source.graphs[None], "out")
        self.N, self.E = int(data.num_nodes or 0), int(data.num_edges)
        if self.N == 0:
            raise ValueError("data.num_nodes = 0: expected at least one node to sample")
        self.num_steps = check_int("num_steps", steps, 1, LARGEST)
        self.sample_coverage = check_int("sample_coverage", coverage, 0, LARGEST)
        self.save_dir, self.log = save_dir, checked_flag("log", log)
        self._open(data, torch.arange(self.num_steps), kwargs, seed, device, batch_size=1)
        self.node_norm: torch.Tensor | None = None
        self.edge_norm: torch.Tensor | None = None
        if self.sample_coverage > 0:
            self.node_norm, self.edge_norm = self._read_norms() or self._compute_norm()

    @property
    def _filename(self) -> str:
        return f"{type(self).__name__.lower()}_{self.sample_coverage}.pt"

    def _arguments(self) -> dict[str, Any]:
        return {"graph": self._source.graph, "app": repr(self._app)}

    # ---- batches

    def _draws(self, inputs: list[torch.Tensor], batches: Sequence[Batch], threads: int) -> list[Any]:
        self._source.read.check()
        outs: list[Any] = []
        while len(outs) < len(batches):
            first, count = batches[len(outs)], 1
            for other in batches[len(outs) + 1 :]:
                if (other.key, other.number) != (first.key, first.number + count):
                    break
                count += 1
            outs += self._sampled(count, first.key, first.number, threads)
        return outs

    def _sampled(self, count: int, seed: int, first: int, threads: int | None) -> list[SamplerOutput]:
        """Samples with their nodes in ascending order, and their edges by source, then target, as PyG has them."""
        progress = None if self.log and threads is None else False
        call = Call(
            self._source.graph, self._app, count, seed=seed, first_id=first, device=self._sampler.device,
            threads=threads, progress=progress,
        )  # fmt: skip
        call.links = False  # they are found below, in PyG's order
        samples = sampled(call)
        values, ends = samples.values, samples.offsets.tolist()
        nodes = [self._there(torch.from_numpy(_sorted(values[a:b], self.N))) for a, b in itertools.pairwise(ends)]
        found = self._induced.of(list(map(one_group, nodes)), call.threads or 1)
        return [SamplerOutput(node, *edges, None) for node, edges in zip(nodes, found, strict=True)]

    def _made(self, out: Any, nodes: Rows, edges: Rows) -> Data:
        batch = type(self.data)()
        batch.num_nodes = out.node.numel()
        batch.edge_index = edge_index_of(out.row, out.col)
        put_rows(self.data, batch, nodes, edges, ("edge_index", "num_nodes"))
        if self.sample_coverage > 0:
            batch.node_norm = nodes.of("node_norm", self.node_norm)
            batch.edge_norm = edges.of("edge_norm", self.edge_norm)
        return batch

    # ---- norms

    def _compute_norm(self) -> tuple[torch.Tensor, torch.Tensor]:
        graph: Any = self._source.graph
        if self._app.method == "walk":
            visits, met, count = self._counted()
            loss = np.maximum(visits, 0.1) * self.N / count  # as PyG, also the 0.1 of nodes that no sample had
            ratio = _divided(visits[self._sources()], met)
        else:
            exact = saint.exact_coefficients(graph, self._app)
            loss, ratio = exact.loss, np.empty(self.E)
            ratio[graph.edge_ids] = _divided(exact.loss[self._sources()[graph.edge_ids]] > 0, exact.aggregation)
        node_norm = np.divide(1, loss, out=np.zeros(self.N), where=loss > 0)
        norms = tuple(torch.from_numpy(part.astype(np.float32)) for part in (node_norm, ratio))
        if self.save_dir is not None:
            files.save(os.path.join(self.save_dir, self._filename), norms)
        return norms[0], norms[1]

    def _sources(self) -> Any:
        """The source of each edge of the data."""
        return self.data.edge_index[0].cpu().numpy()

    def _counted(self) -> tuple[Any, Any, int]:
        """The number of samples with each node and with each edge, and the number of samples."""
        visits, met, count = np.zeros(self.N), np.zeros(self.E), 0
        seed = rng.key(rng.stream(0, rng.SEEDS), COUNTED)  # a loader that loads a state has the same norms
        while visits.sum() < self.N * self.sample_coverage:
            for out in self._sampled(AT_ONCE, seed, count, None):
                visits[out.node.cpu().numpy()] += 1
                met[out.edge.cpu().numpy()] += 1
            count += AT_ONCE
        return visits, met, count

    def _read_norms(self) -> tuple[torch.Tensor, torch.Tensor] | None:
        """The norms in the file, if there is one."""
        path = os.path.join(self.save_dir or "", self._filename)
        if self.save_dir is None or not os.path.exists(path):
            return None
        found = files.load(path)
        sizes = [tuple(part.shape) if isinstance(part, torch.Tensor) else None for part in _pair(found)]
        if sizes != [(self.N,), (self.E,)]:
            raise ValueError(
                f"{path} has norms of {' and '.join(map(str, sizes)) or type(found).__name__}, but data has {self.N} "
                f"nodes and {self.E} edges: it is of another graph; pass another save_dir, or delete the file"
            )
        return found[0], found[1]


def _sorted(nodes: Any, count: int) -> Any:
    """Distinct nodes of a graph of count nodes, in ascending order, int64."""
    if len(nodes) * SPARSE < count:
        return np.sort(nodes.astype(np.int64))
    among = np.zeros(count, bool)
    among[nodes] = True
    return np.flatnonzero(among)


def _pair(found: Any) -> Any:
    return found if isinstance(found, (tuple, list)) and len(found) == 2 else ()


def _divided(of_node: Any, of_edge: Any) -> Any:
    """How often an edge's source is sampled by how often the edge is: PyG's edge_norm, at most 10^4, and 0.1 for edges
    whose source is never sampled."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.minimum(np.asarray(of_node, np.float64) / np.maximum(of_edge, 0), 1e4)  # rounding may be below 0
    return np.where(np.asarray(of_node) == 0, 0.1, ratio)


@advised
class GraphSAINTNodeSampler(GraphSAINTSampler):
    """``torch_geometric.loader.GraphSAINTNodeSampler`` without torch-sparse: the same arguments, and batches with the
    same attributes.

    ``batch_size`` nodes are drawn with replacement, node u in proportion to the sum of 1 / deg(v)^2 over the edges (v,
    u), as GraphSAINT's paper defines it. PyG's class draws sources of random edges instead.
    Batch b of an epoch is sample b of the core's ``GraphSAINT("node", budget=batch_size)``, so that ranks, states and
    seeds work as for ``NeighborLoader``.

    Args:
        data: a Data with ``edge_index``.
        batch_size: draws of a batch.
        num_steps: the number of batches in an epoch (default 1).
        sample_coverage: 0 (default): no norms. Otherwise batches have ``node_norm``, 1 / (num_nodes * p(node)), and
            ``edge_norm``, p(source) / p(edge), p being the exact probabilities to be in a batch.
        save_dir: a folder in which the norms are kept, in PyG's files, and from which they are read; None (default):
            none.
        log: whether a long computation of norms shows its progress (default True).
        seed: as for ``NeighborLoader``.
        device: "cpu" (default), or the GPU that samples, to which the batches are copied.
        **kwargs: the options of all loaders, as for ``NeighborLoader``: divide, rank, world, even, threads, prefetch,
            prefetch_bytes and progress; and the arguments of ``torch.utils.data.DataLoader``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is not valid, or the file is of another graph; the text names it.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> data = Data(x=torch.eye(4), edge_index=edge_index, num_nodes=4)
        >>> loader = gnd.pyg.GraphSAINTNodeSampler(data, 2, num_steps=3, sample_coverage=1, seed=1)
        >>> for batch in loader:
        ...     print(batch.num_nodes, batch.edge_index.tolist())
        2 [[0, 1], [1, 0]]
        2 [[0, 1], [1, 0]]
        2 [[0, 1], [1, 0]]
    """

    @takes_options(OPTIONS)
    def __init__(
        self,
        data: Any,
        batch_size: int,
        num_steps: int = 1,
        sample_coverage: int = 0,
        save_dir: str | None = None,
        log: bool = True,
        *,
        seed: Any = None,
        device: Any = None,
        **kwargs: Unpack[TorchOptions],
    ) -> None:
        with renamed(budget="batch_size"):
            app = GraphSAINT("node", budget=batch_size)
        self._start(data, app, num_steps, sample_coverage, save_dir, log, seed, device, kwargs)


@advised
class GraphSAINTEdgeSampler(GraphSAINTSampler):
    """``torch_geometric.loader.GraphSAINTEdgeSampler`` without torch-sparse: the same arguments, and batches with the
    same attributes.

    ``batch_size`` edges are drawn with replacement, edge (u, v) in proportion to 1 / deg(u) + 1 / deg(v), as
    GraphSAINT's paper defines it; a batch has their ends. PyG's class draws them in proportion to the sum of the
    degrees instead, and needs ``batch_size`` numbers for every edge of the graph. Batch b of an epoch is sample b of
    the core's ``GraphSAINT("edge", budget=batch_size)``, so that ranks, states and seeds work as for
    ``NeighborLoader``.

    Args:
        data: a Data with ``edge_index``.
        batch_size: draws of a batch.
        num_steps: the number of batches in an epoch (default 1).
        sample_coverage: 0 (default): no norms. Otherwise batches have ``node_norm``, 1 / (num_nodes * p(node)), and
            ``edge_norm``, p(source) / p(edge), p being the exact probabilities to be in a batch.
        save_dir: a folder in which the norms are kept, in PyG's files, and from which they are read; None (default):
            none.
        log: whether a long computation of norms shows its progress (default True).
        seed: as for ``NeighborLoader``.
        device: "cpu" (default), or the GPU that samples, to which the batches are copied.
        **kwargs: the options of all loaders, as for ``NeighborLoader``: divide, rank, world, even, threads, prefetch,
            prefetch_bytes and progress; and the arguments of ``torch.utils.data.DataLoader``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is not valid, or the file is of another graph; the text names it.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> data = Data(x=torch.eye(4), edge_index=edge_index, num_nodes=4)
        >>> loader = gnd.pyg.GraphSAINTEdgeSampler(data, 2, num_steps=3, sample_coverage=1, seed=1)
        >>> for batch in loader:
        ...     print(batch.num_nodes, batch.edge_index.tolist())
        4 [[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]]
        2 [[0, 1], [1, 0]]
        2 [[0, 1], [1, 0]]
    """

    @takes_options(OPTIONS)
    def __init__(
        self,
        data: Any,
        batch_size: int,
        num_steps: int = 1,
        sample_coverage: int = 0,
        save_dir: str | None = None,
        log: bool = True,
        *,
        seed: Any = None,
        device: Any = None,
        **kwargs: Unpack[TorchOptions],
    ) -> None:
        with renamed(budget="batch_size"):
            app = GraphSAINT("edge", budget=batch_size)
        self._start(data, app, num_steps, sample_coverage, save_dir, log, seed, device, kwargs)


@advised
class GraphSAINTRandomWalkSampler(GraphSAINTSampler):
    """``torch_geometric.loader.GraphSAINTRandomWalkSampler`` without torch-sparse: the same arguments, and batches with
    the same attributes.

    ``batch_size`` walks begin at nodes drawn uniformly at random with replacement; each step takes an edge of the node
    uniformly at random, and a walk ends at a node without edges. The distribution is that of PyG's class.
    Batch b of an epoch is sample b of the core's ``GraphSAINT("walk", roots=batch_size, length=walk_length)``, so that
    ranks, states and seeds work as for ``NeighborLoader``.

    Args:
        data: a Data with ``edge_index``.
        batch_size: walks of a batch.
        walk_length: the steps of each walk.
        num_steps: the number of batches in an epoch (default 1).
        sample_coverage: 0 (default): no norms. Otherwise batches have ``node_norm`` and ``edge_norm`` as PyG estimates
            them, from samples with this many times the graph's nodes, which do not depend on ``seed``.
        save_dir: a folder in which the norms are kept, in PyG's files, and from which they are read; None (default):
            none.
        log: whether a long computation of norms shows its progress (default True).
        seed: as for ``NeighborLoader``.
        device: "cpu" (default), or the GPU that samples, to which the batches are copied.
        **kwargs: the options of all loaders, as for ``NeighborLoader``: divide, rank, world, even, threads, prefetch,
            prefetch_bytes and progress; and the arguments of ``torch.utils.data.DataLoader``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is not valid, or the file is of another graph; the text names it.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> data = Data(x=torch.eye(4), edge_index=edge_index, num_nodes=4)
        >>> loader = gnd.pyg.GraphSAINTRandomWalkSampler(data, 2, walk_length=2, num_steps=3, sample_coverage=1, seed=1)
        >>> for batch in loader:
        ...     print(batch.num_nodes, batch.edge_index.tolist())
        3 [[0, 1, 1, 2], [1, 0, 2, 1]]
        3 [[0, 1, 1, 2], [1, 0, 2, 1]]
        3 [[0, 1, 1, 2], [1, 0, 2, 1]]
    """

    @takes_options(OPTIONS)
    def __init__(
        self,
        data: Any,
        batch_size: int,
        walk_length: int,
        num_steps: int = 1,
        sample_coverage: int = 0,
        save_dir: str | None = None,
        log: bool = True,
        *,
        seed: Any = None,
        device: Any = None,
        **kwargs: Unpack[TorchOptions],
    ) -> None:
        with renamed(roots="batch_size", length="walk_length"):
            app = GraphSAINT("walk", roots=batch_size, length=walk_length)
        self.walk_length = walk_length
        self._start(data, app, num_steps, sample_coverage, save_dir, log, seed, device, kwargs)

    @property
    def _filename(self) -> str:
        return f"{type(self).__name__.lower()}_{self.walk_length}_{self.sample_coverage}.pt"
