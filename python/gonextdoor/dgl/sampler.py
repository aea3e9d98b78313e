"""PGSampler: mini-batches for DGL's loaders."""

from __future__ import annotations

import copy
import functools
import multiprocessing
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy.typing as npt

from .._core.arguments import integers
from .._core.checks import check_int, checked_flag
from .._core.weak import WeakTable
from ..device.devices import Device, among, as_torch_means
from ..graph.graph import Graph
from ..neighbor.method import Method, checked_method, method_shown
from ..neighbor.sampler import NeighborSampler
from ..neighbor.sampling import NeighborSampling
from ..neighbor.seeds import BatchSeeds
from .blocks import Blocks, arena_of
from .errors import raises_dgl_errors
from .framework import dgl, torch
from .graphs import checked, converted, etype_of, kept, store_conversion, turned, view
from .repeated import Repeated, drawn_with_repeats

if TYPE_CHECKING:
    from .._core.seeds import Seed
    from ..graph.hetero import HeteroGraph
    from ..neighbor.batch import NeighborBatch

__all__ = ["PGSampler", "fanout_number", "ids_of"]

Array = npt.NDArray[Any]
Etype = tuple[str, str, str]


class PGSampler(dgl.dataloading.BlockSampler):  # type: ignore[misc]
    """Samples the neighbourhoods of batches of vertices; a replacement for ``dgl.dataloading.NeighborSampler`` (after
    PGSampler).

    A vertex is expanded once per hop, however many edges reach it. Its choices depend on the batch's seed, the hop and
    the vertex alone. A vertex that is repeated in a batch has one position per occurrence, and the same edges lead to
    each of them. The graph is converted at the first batch, and again when its edges or the feature have changed.

    Args:
        fanouts: edges that each vertex takes along each edge type, one entry per hop, the last that of the batch
            itself: an int, or a dict with an int for each edge type. -1: all edges; 0: none.
        edge_dir: "in" (default): along the edges that lead to a vertex; "out": along those that leave it, with messages
            sent back along them.
        prob: the name of an edge feature, (E,) non-negative numbers: edges are taken in proportion to it. None
            (default): uniform.
        mask: the name of an edge feature, (E,) booleans: only edges for which it is true are taken. None (default): all
            edges.
        replace: whether a vertex may take one edge several times (default False).
        prefetch_node_feats: as for DGL's BlockSampler.
        prefetch_labels: as for DGL's BlockSampler.
        prefetch_edge_feats: as for DGL's BlockSampler.
        output_device: as for DGL's BlockSampler.
        fused: True; all hops are sampled in one call.
        seed: as for ``gonextdoor.sample``. Each batch has a separate seed, derived from it, the epoch and the batch, so
            the number of workers does not affect batches. None (default): fresh entropy.
        device: the device that samples: "cpu"; "cuda" or "cuda:1", a GPU; a list of GPUs, which draw batches in turn;
            "auto" (default): the device of the batch.
            Blocks are created on the device of g and moved to output_device, or else to the device of the batch.
        threads: threads per batch; None (default): as many as DGL uses, one in a loader's workers.
        method: "neighbor" (default), "labor" or "labor-poisson", as for ``gonextdoor.PGSampler``. "labor-poisson"
            has the distribution of ``dgl.dataloading.LaborSampler`` without importance sampling and weights.
        layer_dependency: as for ``gonextdoor.PGSampler`` and DGL's LaborSampler.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.
        DeviceError: the GPU cannot be used. Each error is also a ``dgl.DGLError``.

    Examples:
        >>> import gonextdoor.dgl
        >>> import dgl, torch
        >>> g = dgl.graph(([0, 0, 1, 2, 3], [1, 2, 2, 0, 0]))
        >>> sampler = gnd.dgl.PGSampler([2, 2], seed=1)
        >>> input_nodes, output_nodes, blocks = sampler.sample_blocks(g, torch.tensor([2]))
        >>> input_nodes, output_nodes
        (tensor([2, 0, 1, 3]), tensor([2]))
        >>> for block in blocks:
        ...     print(block.num_src_nodes(), block.num_dst_nodes(), block.num_edges())
        4 3 5
        3 1 2
    """

    @raises_dgl_errors
    def __init__(
        self,
        fanouts: Iterable[SupportsIndex | Mapping[Any, SupportsIndex]],
        edge_dir: str = "in",
        prob: str | None = None,
        mask: str | None = None,
        replace: bool = False,
        prefetch_node_feats: Any = None,
        prefetch_labels: Any = None,
        prefetch_edge_feats: Any = None,
        output_device: Any = None,
        fused: bool = True,
        *,
        seed: Seed = None,
        device: Device = "auto",
        threads: int | None = None,
        method: Method = "neighbor",
        layer_dependency: bool = False,
    ) -> None:
        super().__init__(prefetch_node_feats, prefetch_labels, prefetch_edge_feats, output_device)
        self.fanouts = _fanouts(fanouts)
        self._view = view(edge_dir, prob, mask)
        self.replace = checked_flag("replace", replace)
        if fused is not True:
            raise ValueError(f"fused = {fused!r}: expected True; all hops are sampled in one call")
        self.device = as_torch_means(device)
        among(self.device)
        self.threads = None if threads is None else check_int("threads", threads, 1, 1 << 12)
        self._method = checked_method(method, layer_dependency)
        # The core refuses what contradicts the method.
        NeighborSampling([[1]], replace=self.replace, weighted=False, layout="csc", **self._method)
        self._seeds = BatchSeeds(seed)
        self._bound: WeakTable[Any, _Bound] = WeakTable()

    @property
    def edge_dir(self) -> str:
        """The direction of the edges along which neighbours are found: "in" or "out"."""
        return self._view.direction

    @property
    def prob(self) -> str | None:
        """The name of the edge feature that edges are taken in proportion to, or None."""
        return self._view.prob

    @property
    def mask(self) -> str | None:
        """The name of the edge feature that selects the edges that may be taken, or None."""
        return self._view.mask

    @raises_dgl_errors
    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch of the next batches, as ``torch.utils.data.DistributedSampler`` does: the same epoch gives the
        same batches.

        Args:
            epoch: the number of the epoch, from 0.
        """
        self._seeds.set_epoch(epoch)

    @raises_dgl_errors
    def prepare(self, g: Any) -> None:
        """Converts a graph now instead of at its first batch.

        Workers that are started later share it without a copy. ``dgl.dataloading.DataLoader`` calls this if it has
        workers.

        Args:
            g: the graph.

        Raises:
            TypeError: the argument is not a DGL graph.
            ValueError: one of its features is missing or not valid.
        """
        self._for(g)

    @raises_dgl_errors
    def sample_blocks(self, g: Any, seed_nodes: Any, exclude_eids: Any = None) -> tuple[Any, Any, list[Any]]:
        """Samples the neighbourhood of a batch.

        Args:
            g: the graph.
            seed_nodes: (n,) vertices, or a dict of them by type. A repeated vertex has one position per occurrence.
            exclude_eids: ids of edges to leave out, or a dict of them by type; None (default): none. Ids that the graph
                does not have are ignored, as DGL does.

        Returns:
            input_nodes, output_nodes and blocks, as DGL's samplers return them.

        Raises:
            IndexError: a vertex is not in the graph.
            TypeError: an argument is of the wrong type.
            ValueError: an argument is out of range.
        """
        bound = self._for(g)
        seeds, where = bound.seeds(g, seed_nodes)
        there = seed_nodes if self.device == "auto" and where.type == "cuda" else seeds  # drawn where they are
        drawn = drawn_with_repeats(
            bound.core_sampler,
            seeds,
            self._seeds.batch_seed(None, seeds),
            there=there,
            exclude=bound.excluded(g, exclude_eids),
            threads=self.threads or dgl.utils.get_num_threads(),
        )
        return self._made(bound, g, drawn, seed_nodes, where)

    @raises_dgl_errors
    def _sample_many(self, g: Any, batches: list[Any], batch_seeds: list[int], threads: int) -> list[Callable[[], Any]]:
        """Draws several batches of a graph in this machine's memory by one call.

        Returns:
            For each batch a function that returns what ``sample`` returns.
        """
        bound = self._for(g)
        core_sampler, seeds = bound.core_sampler, [bound.seeds(g, one) for one in batches]
        drawn: list[NeighborBatch | Repeated]
        try:
            drawn = [*core_sampler.sample_many([ids for ids, _ in seeds], batch_seeds, threads=threads)]
        except ValueError:  # vertices may repeat in a batch
            drawn = [
                drawn_with_repeats(core_sampler, ids, word, threads=threads)
                for (ids, _), word in zip(seeds, batch_seeds, strict=True)
            ]
        results: list[Callable[[], Any]] = []
        shared = arena = None
        for one, ids, (_, where) in zip(drawn, batches, seeds, strict=True):
            if one.arena is not shared:  # batches of a GPU share one
                shared, arena = one.arena, arena_of(one).to(device=g.device, dtype=g.idtype)
            results.append(functools.partial(self._sampled, bound, g, one, ids, where, arena))
        return results

    def _sampled(self, *drawn: Any) -> Any:
        """The blocks of a drawn batch, with the names of the features to prefetch."""
        return self.assign_lazy_features(self._made(*drawn))

    def _made(
        self, bound: _Bound, g: Any, drawn: NeighborBatch | Repeated, seed_nodes: Any, where: Any, arena: Any = None
    ) -> tuple[Any, Any, list[Any]]:
        """The blocks of a drawn batch; arena: as for ``Blocks.of``."""
        nodes, blocks = bound.blocks.of(g, drawn, torch.device(self.output_device or where), arena)
        inputs = nodes[0] if len(nodes) == 1 else dict(zip(g.ntypes, nodes, strict=True))
        return inputs, seed_nodes, blocks

    def _for(self, g: Any) -> _Bound:
        checked(g)
        bound = self._bound.of(g)
        graph = converted(g, self._view)
        if bound is None or bound.graph is not graph:
            bound = self._bound.put(g, _Bound(self, g, graph))
        return bound

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__ | {"_seeds": copy.copy(self._seeds)}  # a copy counts its calls separately
        del state["_bound"]
        if multiprocessing.context.get_spawning_popen() is not None:
            state["_handed"] = [(g, graph) for g, graph in kept(self._view) if self._bound.of(g) is not None]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        handed = state.pop("_handed", [])
        self.__dict__.update(state)
        self._bound = WeakTable()
        for g, graph in handed:
            store_conversion(g, self._view, graph)

    def __repr__(self) -> str:
        options = [f"{name}={value!r}" for name, value in zip(("edge_dir", "prob", "mask"), self._view, strict=True)]
        return f"PGSampler({self.fanouts}, {', '.join(options)}, replace={self.replace}{method_shown(self._method)})"


class _Bound:
    """A sampler's parameters on one graph."""

    __slots__ = ("_edge_ids", "blocks", "core_sampler", "graph", "turned")

    def __init__(self, sampler: PGSampler, g: Any, graph: Graph | HeteroGraph) -> None:
        self.graph = graph
        self._edge_ids: dict[Etype, int] = {}
        self.turned = {etype: turned(etype, sampler._view) for etype in g.canonical_etypes}
        fanouts = [self._fanout(g, hop, fanout) for hop, fanout in enumerate(sampler.fanouts)]
        self.core_sampler = NeighborSampler(
            graph,
            fanouts[::-1],
            replace=sampler.replace,
            weighted="auto" if sampler.prob else False,
            expand="all",
            layout="csc",
            device=sampler.device,
            **sampler._method,
        )
        self.blocks = Blocks(g, sampler.edge_dir)

    def _fanout(self, g: Any, hop: int, fanout: int | dict[Any, int]) -> int | dict[Etype, int]:
        if isinstance(fanout, int):
            return fanout
        given = {etype_of(g, f"fanouts[{hop}]", etype): number for etype, number in fanout.items()}
        missing = [etype for etype in g.canonical_etypes if etype not in given]
        if missing:
            raise ValueError(f"fanouts[{hop}] has no number for the edge type {missing[0]}: expected one for each")
        if isinstance(self.graph, Graph):
            return next(iter(given.values()))
        return {self.turned[etype]: number for etype, number in given.items()}

    def seeds(self, g: Any, nodes: Any) -> tuple[Array | dict[str, Array], Any]:
        """A batch's vertices, and the device that they were on. They are copied: a worker moves the memory of the
        tensors that it returns."""
        by_type = nodes if isinstance(nodes, Mapping) else {g.ntypes[0]: nodes}
        if not isinstance(nodes, Mapping) and len(g.ntypes) > 1:
            raise ValueError(f"seed_nodes: the graph has the vertex types {g.ntypes}; expected a dict by type")
        if not by_type:
            raise ValueError("seed_nodes = {}: expected vertices of at least one type")
        for ntype in by_type:
            if ntype not in g.ntypes:
                raise ValueError(f"seed_nodes: no vertex type {ntype!r}; the graph has {g.ntypes}")
        first = next(iter(by_type.values()))
        where = first.device if torch.is_tensor(first) else g.device
        arrays = {ntype: ids_of("seed_nodes", ids) for ntype, ids in by_type.items()}
        return (next(iter(arrays.values())) if isinstance(self.graph, Graph) else arrays), where

    def excluded(self, g: Any, edges: Any) -> Array | dict[Etype, Array] | None:
        """The edges to leave out, as the core takes them."""
        if edges is None:
            return None
        if not isinstance(edges, Mapping):
            if len(g.canonical_etypes) > 1:
                raise ValueError(
                    f"exclude_eids: the graph has the edge types {g.canonical_etypes}; expected a dict by type"
                )
            edges = {g.canonical_etypes[0]: edges}
        arrays = {}
        for key, ids in edges.items():
            etype = etype_of(g, "exclude_eids", key)
            array = ids_of("exclude_eids", ids)
            arrays[etype] = array[(array >= 0) & (array < self._below(g, etype))]  # DGL ignores others, too
        if isinstance(self.graph, Graph):
            return next(iter(arrays.values()), None)
        return {self.turned[etype]: ids for etype, ids in arrays.items()}

    def _below(self, g: Any, etype: Etype) -> int:
        """The upper limit of the edge ids of a type in the converted graph, which lacks the masked edges."""
        if etype not in self._edge_ids:
            graph = self.graph if isinstance(self.graph, Graph) else self.graph.relations[self.turned[etype]]
            whole_graph = graph.num_edges == g.num_edges(etype)
            self._edge_ids[etype] = graph.num_edges if whole_graph else int(graph.edge_ids.max(initial=-1)) + 1
        return self._edge_ids[etype]


def _fanouts(values: Any) -> list[int | dict[Any, int]]:
    """Fan-outs, one per hop; the edge types are known only with a graph."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"fanouts = {values!r}: expected one number per hop, or one dict by edge type")
    checked_: list[int | dict[Any, int]] = []
    for hop, fanout in enumerate(values):
        if isinstance(fanout, Mapping):
            checked_.append(
                {etype: fanout_number(f"fanouts[{hop}][{etype!r}]", number) for etype, number in fanout.items()}
            )
        else:
            checked_.append(fanout_number(f"fanouts[{hop}]", fanout))
    if not checked_:
        raise ValueError("fanouts is empty: expected one number per hop")
    return checked_


def fanout_number(name: str, value: Any) -> int:
    if torch.is_tensor(value):
        value = value.item()
    return check_int(name, value, -1, (1 << 31) - 1)


def ids_of(name: str, values: Any) -> Array:
    """Returns a copy of ids as an array of ints."""
    array = integers(name, values.detach().cpu().numpy() if torch.is_tensor(values) else values)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected shape (n,), got {array.shape}")
    own: Array = array.copy()
    return own
