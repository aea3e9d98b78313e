"""ClusterData and ClusterLoader: Cluster-GCN's clusters, with PyG's arguments, attributes and files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.index import ptr2index
from torch_geometric.loader import cluster as pyg
from torch_geometric.sampler import SamplerOutput

from .._core.binding import advised
from .._core.checks import check_int, checked_flag
from ..graph.graph import Graph
from ..neighbor.options import takes_options
from ..neighbor.order import Batch
from ..neighbor.seeds import name_of
from ..partition.assign import MAX_PARTS, by_metis, owners
from . import files
from .batches import edge_index_of, put
from .subgraph import Induced, one_group
from .subgraphloader import OPTIONS, SubgraphLoader

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..neighbor.options import BatchedOptions
    from .features import Rows

__all__ = ["ClusterData", "ClusterLoader"]


@advised
class ClusterData(pyg.ClusterData):  # type: ignore[misc, unused-ignore]
    """``torch_geometric.loader.ClusterData`` without pyg-lib and torch-sparse: the same arguments, attributes and
    files.

    Args:
        data: a Data with ``edge_index``.
        num_parts: the number of clusters, from 1 to 65,536.
        recursive: whether METIS divides by recursive bisection (default False).
        save_dir: a folder in which the clusters are kept, in PyG's files, and from which they are read; None (default):
            none.
        filename: of the file; None (default): ``metis.pt``, or ``ldg.pt`` or ``given.pt`` by ``clusters``.
        log: whether stderr shows that clusters are computed (default True).
        keep_inter_cluster_edges: whether ``data[i]`` has the edges to other clusters (default False).
        sparse_format: "csr" (default) or "csc": the order of the edges, by source or by destination.
        clusters: "metis": METIS, which needs pymetis (``pip install 'gonextdoor[metis]'``); "ldg": linear deterministic
            greedy streaming; or the cluster of each node, (num_nodes,) ints. None (default): "metis" if pymetis is
            installed, otherwise "ldg", in the file ``metis.pt`` in both cases, as PyG names it.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is not valid, or the file is of another graph or has other clusters; the text names it.
        ImportError: pymetis is missing.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> data = Data(x=torch.eye(4), edge_index=edge_index, num_nodes=4)
        >>> clusters = gnd.pyg.ClusterData(data, 2, clusters=[0, 0, 1, 1])
        >>> clusters[1].edge_index
        tensor([[0, 1],
                [1, 0]])
    """

    def __init__(
        self,
        data: Data,
        num_parts: int,
        recursive: bool = False,
        save_dir: str | None = None,
        filename: str | None = None,
        log: bool = True,
        keep_inter_cluster_edges: bool = False,
        sparse_format: Literal["csr", "csc"] = "csr",
        *,
        clusters: Any = None,
    ) -> None:
        if not isinstance(data, Data) or data.edge_index is None:
            raise TypeError(f"data: expected a Data with edge_index, got {type(data).__name__}")
        if sparse_format not in ("csr", "csc"):
            raise ValueError(f'sparse_format = {sparse_format!r}: expected "csr" or "csc"')
        self.num_parts = check_int("num_parts", num_parts, 1, MAX_PARTS)
        self.recursive = checked_flag("recursive", recursive)
        self.keep_inter_cluster_edges = checked_flag("keep_inter_cluster_edges", keep_inter_cluster_edges)
        self.sparse_format = sparse_format
        name, given = _named(clusters, int(data.num_nodes or 0), self.num_parts)
        folder = os.path.join(save_dir or "", f"part_{num_parts}{'_recursive' if recursive else ''}")
        path = os.path.join(folder, filename or f"{'metis' if clusters is None else name}.pt")
        if save_dir is not None and os.path.exists(path):
            self.partition = self._read(path, data, given)
        else:
            if checked_flag("log", log) and given is None:
                print(f"Computing {name.upper()} partitioning...", file=sys.stderr)
            part = given if given is not None else self._computed(data, name)
            self.partition = self._partition(data.edge_index, part.to(data.edge_index.device))
            if save_dir is not None:
                files.save(path, self.partition)
        self.data = self._permute_data(data, self.partition)

    def _computed(self, data: Data, name: Any) -> torch.Tensor:
        src, dst = (ends.cpu().numpy() for ends in data.edge_index)
        graph = Graph.from_edges(src, dst, num_vertices=data.num_nodes, symmetric=True)
        made = (
            by_metis(graph, self.num_parts, recursive=self.recursive)
            if name == "metis"
            else owners(graph, self.num_parts, name)
        )
        return torch.from_numpy(made.astype(np.int64))

    def _read(self, path: str, data: Data, given: torch.Tensor | None) -> Any:
        """The clusters in a file, if they are those of this graph.

        Raises:
            ValueError: they are not.
        """
        found = files.load(path)
        if not isinstance(found, pyg.Partition):
            raise ValueError(f"{path} has a {type(found).__name__}: expected a Partition of PyG; delete the file")
        advice = "pass another save_dir or filename, or delete the file"
        own = {"nodes": data.num_nodes, "edges": data.num_edges, "parts": self.num_parts, "format": self.sparse_format}
        sizes = len(found.node_perm), len(found.edge_perm), len(found.partptr) - 1, found.sparse_format
        for (what, wanted), size in zip(own.items(), sizes, strict=True):
            if size != wanted:
                raise ValueError(f"{path} has {what} = {size}, but this has {what} = {wanted}: {advice}")
        back = torch.empty_like(found.node_perm)
        back[found.node_perm] = torch.arange(len(back), device=back.device)
        ends = (ptr2index(found.indptr), found.index)
        edges = torch.stack(ends if self.sparse_format == "csr" else ends[::-1])
        if not torch.equal(back[data.edge_index.to(back.device)[:, found.edge_perm]], edges):
            raise ValueError(f"{path} has other edges than data: {advice}")
        if given is not None and not torch.equal(given[found.node_perm], ptr2index(found.partptr)):
            raise ValueError(f"{path} has other clusters than those given: {advice}")
        return found


def _named(clusters: Any, nodes: int, parts: int) -> tuple[str, torch.Tensor | None]:
    """The name of the clusters, and those that are given."""
    if clusters is None:
        return ("ldg" if find_spec("pymetis") is None else "metis"), None
    if isinstance(clusters, str):
        if clusters not in ("metis", "ldg"):
            raise ValueError(f'clusters = {clusters!r}: expected "metis", "ldg", or the cluster of each node')
        return clusters, None
    given = torch.as_tensor(clusters)
    if given.is_floating_point() or given.is_complex() or given.dtype == torch.bool:
        raise TypeError(f"clusters: expected ints, got {given.dtype}")
    if given.shape != (nodes,):
        raise ValueError(f"clusters has shape {tuple(given.shape)}: expected ({nodes},), the cluster of each node")
    given = given.to("cpu", torch.int64)
    bad = ((given < 0) | (given >= parts)).nonzero()
    if len(bad):
        at = int(bad[0])
        raise ValueError(f"clusters[{at}] = {int(given[at])}: expected from 0 to {parts - 1}, for num_parts = {parts}")
    return "given", given


@advised
class ClusterLoader(SubgraphLoader, pyg.ClusterLoader):  # type: ignore[misc, unused-ignore]
    """``torch_geometric.loader.ClusterLoader`` with the order, ranks and states of this package's loaders: the same
    arguments, and the same batches of clusters.

    A batch has the nodes of its clusters, and all edges among them. If the data is on a GPU, so are the batches.

    Args:
        cluster_data: a ClusterData, of this package or of PyG.
        seed: as for ``NeighborLoader``; it determines the order if ``shuffle`` is set.
        **kwargs: the options of all loaders, as for ``NeighborLoader``: divide, rank, world, even, threads, prefetch,
            prefetch_bytes and progress; and the arguments of ``torch.utils.data.DataLoader``. ``batch_size`` is the
            number of clusters in a batch.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is not valid; the text names it.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> data = Data(x=torch.eye(4), edge_index=edge_index, num_nodes=4)
        >>> clusters = gnd.pyg.ClusterData(data, 4, clusters=[0, 1, 2, 3])
        >>> for batch in gnd.pyg.ClusterLoader(clusters, batch_size=2, shuffle=True, seed=1):
        ...     print(batch.x.argmax(1).tolist(), batch.edge_index.tolist())
        [0, 3] [[], []]
        [2, 1] [[0, 1], [1, 0]]
    """

    @takes_options(OPTIONS)
    def __init__(self, cluster_data: Any, *, seed: Any = None, **kwargs: Unpack[BatchedOptions]) -> None:
        if not isinstance(cluster_data, pyg.ClusterData):
            raise TypeError(f"cluster_data: expected a ClusterData, got {type(cluster_data).__name__}")
        self.cluster_data = cluster_data
        made = cluster_data.partition
        graph = Graph.from_csr(made.indptr.cpu().numpy(), made.index.cpu().numpy())
        self._induced = Induced(graph, "out")  # its rows are those of destinations in the format "csc"
        self._fact = name_of(
            {name: getattr(made, name)[:4096].cpu().numpy() for name in ("partptr", "indptr", "index")}
        )
        self._open(cluster_data.data, torch.arange(len(cluster_data)), kwargs, seed)

    def _arguments(self) -> dict[str, Any]:
        made = self.cluster_data.partition
        return {"num_nodes": len(made.node_perm), "num_edges": len(made.edge_perm), "clusters": self._fact}

    def _draws(self, inputs: list[torch.Tensor], batches: Sequence[Batch], threads: int) -> list[Any]:
        starts = self.cluster_data.partition.partptr
        if starts.device.type == "cpu":
            found = self._induced.of_clusters(starts, inputs, threads)
        else:
            pairs = [(starts[one], starts[one + 1]) for one in (clusters.to(starts.device) for clusters in inputs)]
            nodes = [_ranges(begin, end) for begin, end in pairs]
            found = [(one, *self._induced.there(*one_group(one))) for one in nodes]
        if self.cluster_data.partition.sparse_format == "csc":
            found = [(node, col, row, edge) for node, row, col, edge in found]
        return [SamplerOutput(*one, None) for one in found]

    def _made(self, out: Any, nodes: Rows, edges: Rows) -> Data:
        data = self.cluster_data.data
        batch = data.__copy__()
        for name, value in data.items():
            if name == "num_nodes":
                batch.num_nodes = len(out.node)
            elif data.is_node_attr(name):
                put(batch._store, **{name: nodes.of(name, value, data.__cat_dim__(name, value))})
            elif data.is_edge_attr(name):
                put(batch._store, **{name: edges.of(name, value, data.__cat_dim__(name, value))})
        batch.edge_index = edge_index_of(out.row, out.col)
        return batch


def _ranges(begin: torch.Tensor, end: torch.Tensor) -> torch.Tensor:
    """The numbers from each begin to below its end."""
    sizes = end - begin
    before = sizes.cumsum(0) - sizes
    return torch.arange(int(sizes.sum()), device=begin.device) + torch.repeat_interleave(begin - before, sizes)
