"""PGSampler: mini-batches as relabelled blocks, one per hop, in DGL's order."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from .. import rng
from .._core import advice, native
from .._core.binding import advised
from .._core.checks import check_int, checked_flag
from .._core.htmltable import panel
from .._core.seeds import entropy
from ..apps.parameters import Weighted, checked_fanouts, checked_weighted
from ..device.devices import CPU, Device, among, listed, named
from ..device.interop import fetched, lying
from ..errors import warn
from ..graph.direction import Direction, checked_direction, facing, opposites
from ..graph.graph import Graph
from ..graph.hetero import HeldHetero, held
from ..graph.names import no_vertex, told_apart
from .batch import NeighborBatch
from .flat import edge_ids, flat
from .method import Method, checked_method, method_shown
from .picture import block_picture, fanouts_picture
from .sampling import NeighborSampling

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["Block", "PGSampler"]

Array = npt.NDArray[Any]


class Block:
    """One hop of a mini-batch: destination i has the sources ``indices[indptr[i]:indptr[i + 1]]``, in local ids.

    Destinations are the vertices that took edges, sources the other ends: features flow from sources to destinations.
    With ``direction="in"`` that is along the graph's edges, with ``direction="out"`` against them.

    Attributes:
        indptr: (D + 1,) int64: the start of each destination's sources in indices, and the end.
        indices: (E,) int64: sources, as positions in src_nodes.
        src_nodes: (S,) int64: the sources' vertices in the graph; begins with dst_nodes.
        dst_nodes: (D,) int64: the destinations' vertices in the graph.

    Examples:
        >>> sampler = gnd.PGSampler([2], seed=1, direction="in")
        >>> _, _, (block,) = sampler.sample(gnd.rmat(8, seed=1), [3])
        >>> block
        Block(3 sources, 1 destinations, 2 edges)
        >>> block.src_nodes[block.indices]  # two vertices with an edge to 3
        array([170,  31])
    """

    __slots__ = ("_edge_ids", "dst_nodes", "indices", "indptr", "src_nodes")

    def __init__(
        self, indptr: Array, indices: Array, edge_ids: Array | None, src_nodes: Array, dst_nodes: Array
    ) -> None:
        self.indptr, self.indices, self._edge_ids = indptr, indices, edge_ids
        self.src_nodes, self.dst_nodes = src_nodes, dst_nodes

    @property
    def edge_ids(self) -> Array:
        """The edges' ids in the graph, (E,) int64.

        Raises:
            ValueError: the graph was saved with ``edge_ids=False``.
        """
        if self._edge_ids is None:
            raise advice.no_edge_ids("block.edge_ids")
        return self._edge_ids

    def _repr_html_(self) -> str:
        facts = {"sources": self.src_nodes, "destinations": self.dst_nodes, "edges": self.indices}
        sizes = {name: f"{len(array):,}" for name, array in facts.items()}
        picture = block_picture(len(self.src_nodes), len(self.dst_nodes))
        return panel("Block", sizes, picture, "sources to destinations")

    def __repr__(self) -> str:
        return f"Block({len(self.src_nodes)} sources, {len(self.dst_nodes)} destinations, {len(self.indices)} edges)"


@advised
class PGSampler:
    """Samples the neighbourhoods of batches of vertices, as DGL's NeighborSampler does (after PGSampler).

    A vertex is expanded once per hop, however many edges reach it. Its choices depend on the seed, the hop and the
    vertex alone, or with LABOR on the seed, the hop and the vertices at the other ends.

    Args:
        fanouts: edges that each vertex takes, one number per hop in DGL's order: the last is that of the batch itself,
            the first that of the hop farthest from it. -1: all edges.
        replace: whether a vertex may take one edge several times (default False).
        weighted: ``False`` (default) chooses edges uniformly at random; ``True`` in proportion to their weights;
            ``"auto"`` by weights if the graph has them.
        seed: as for ``gonextdoor.sample``; call k takes word k of the seed's stream. None (default): fresh entropy, in
            each process.
        device: "cpu", or the GPU on which batches are drawn and their arrays stay: "cuda", "cuda:1"; a list of GPUs,
            which draw batches in turn; "auto" (default): the device of the seed nodes.
        direction: "out": vertices take their out-edges; "in": their in-edges, so that features flow along the edges as
            in PyG and DGL. The first call with "in" builds the reversed graph, which is kept with the graph and needs
            as much memory. None (default): "out", with a warning if the graph was made from an ``edge_index`` by
            ``Graph.from_edges`` and its edges lead in one direction only.
        method: how vertices choose among their edges. "neighbor" (default): independently of one another. "labor": by
            random numbers of the end points that all vertices of a hop share, so that a batch has fewer vertices
            (LABOR-0 by sequential Poisson sampling). "labor-poisson": LABOR-0 by Poisson sampling, in which a fan-out
            is the expected number of edges. LABOR does not support ``replace``, and Poisson sampling no weights.
        layer_dependency: with LABOR, whether all hops share the random numbers too, for even fewer vertices (default
            False).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or contradicts another.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> sampler = gnd.PGSampler([5, 10], seed=1, direction="in")
        >>> input_nodes, output_nodes, blocks = sampler.sample(graph, [3, 7])
        >>> output_nodes
        array([3, 7])
        >>> blocks
        [Block(77 sources, 21 destinations, 105 edges), Block(21 sources, 2 destinations, 20 edges)]
    """

    def __init__(
        self,
        fanouts: Iterable[SupportsIndex],
        *,
        replace: bool = False,
        weighted: Weighted = False,
        seed: Seed = None,
        device: Device = "auto",
        direction: Direction | None = None,
        method: Method = "neighbor",
        layer_dependency: bool = False,
    ) -> None:
        self.fanouts = checked_fanouts(fanouts, all_edges=True)
        if not self.fanouts:
            raise ValueError("fanouts is empty: expected one number per hop")
        self.replace, self.weighted = checked_flag("replace", replace), checked_weighted(weighted)
        self.direction: Direction = "out" if direction is None else checked_direction(direction)
        self._chosen = direction is not None
        self._method = checked_method(method, layer_dependency)
        self._on = among(device)
        self.device = named(self._on)
        self._given = None if seed is None else entropy(seed)
        self._start()

    def _start(self) -> None:
        """Sets the state that each process has separately."""
        outwards = [[fanout] for fanout in reversed(self.fanouts)]
        self._handle = NeighborSampling(
            outwards, replace=self.replace, weighted=self.weighted, expand="all", layout="csc", **self._method
        )
        self._generation = native.generation
        self.seed = entropy(None) if self._given is None else self._given
        self._key = rng.key(rng.stream(self.seed, rng.SEEDS), 0)  # of the calls' seeds
        self._calls, self._at = itertools.count(), 0

    def sample(
        self, graph: Graph, seed_nodes: npt.ArrayLike, exclude_eids: npt.ArrayLike | None = None, *, seed: Seed = None
    ) -> tuple[Array, Array, list[Block]]:
        """Samples the neighbourhood of a batch.

        Args:
            graph: the graph; neighbours are found along its out-edges, or its in-edges if ``direction`` is "in".
            seed_nodes: (n,) vertices, all different: numbers, or names as text.
            exclude_eids: (m,) ids of edges to leave out; None (default): none.
            seed: the random seed of this call alone; None (default): the next of the sampler's.

        Returns:
            input_nodes, the vertices whose features are needed (``blocks[0].src_nodes``); output_nodes, the batch; and
            blocks, one Block per hop, the farthest first. All arrays are int64: NumPy arrays, or ``DeviceArray`` if
            they are drawn on a GPU.

        Raises:
            IndexError: a vertex or an edge is not in the graph.
            TypeError: an argument is of the wrong type.
            ValueError: an argument is out of range, or no vertex has a name.
        """
        in_host_memory = self._on == CPU or isinstance(seed_nodes, (np.ndarray, list))
        if self._on or not in_host_memory or exclude_eids is not None:
            return self._sample(graph, [seed_nodes], [exclude_eids], [seed], 1)[0]
        inner = self._inner(graph)
        nodes = self._seed_nodes(graph, inner, seed_nodes, CPU)
        try:
            return _blocks(self._handle.sample_one(inner, nodes, self._batch_seed(seed), 1))
        except IndexError as error:
            raise no_vertex(graph, error) from None

    def sample_many(
        self,
        graph: Graph,
        seed_nodes: Sequence[npt.ArrayLike],
        exclude_eids: Sequence[npt.ArrayLike | None] | None = None,
        *,
        seeds: Sequence[Seed] | None = None,
        threads: int = 0,
    ) -> list[tuple[Array, Array, list[Block]]]:
        """Samples several batches at once, on all cores: the results of one call of ``sample`` per batch, in order.

        Args:
            graph: as for ``sample``.
            seed_nodes: the batches.
            exclude_eids: for each batch, the ids of edges to leave out, or None; None (default): none.
            seeds: for each batch, its random seed; None (default): the next ones of the sampler's.
            threads: the number of CPU threads; 0 (default): all cores. The result does not depend on it.

        Returns:
            A list with (input_nodes, output_nodes, blocks) per batch.

        Raises:
            IndexError: a vertex or an edge is not in the graph; the text names the batch.
            TypeError: an argument is of the wrong type.
            ValueError: an argument is out of range or of the wrong length.
        """
        count = len(seed_nodes)
        left: list[Any] = [None] * count if exclude_eids is None else list(exclude_eids)
        given: list[Seed] = [None] * count if seeds is None else list(seeds)
        for name, parts in (("exclude_eids", left), ("seeds", given)):
            if len(parts) != count:
                raise ValueError(f"{name} has {len(parts)} elements: expected {count}, one per batch")
        return self._sample(graph, list(seed_nodes), left, given, check_int("threads", threads, 0, 1 << 16))

    def _sample(
        self, graph: Graph, batches: list[Any], left: list[Any], seeds: list[Seed], threads: int
    ) -> list[tuple[Array, Array, list[Block]]]:
        inner = self._inner(graph)
        on = lying(batches) if self._on is None else self._on
        nodes = [[self._seed_nodes(graph, inner, batch, on)] for batch in batches]
        excluded = None
        if any(ids is not None for ids in left):
            excluded = [[edge_ids("exclude_eids", flat("exclude_eids", [] if ids is None else ids))] for ids in left]
        batch_seeds = [self._batch_seed(seed) for seed in seeds]
        try:
            drawn = self._handle.sample(inner, nodes, batch_seeds, None, excluded, threads, on)
        except (ValueError, IndexError) as error:
            changed = type(error)(str(error).replace("exclude[", "exclude_eids["))
            raise no_vertex(graph, changed) if isinstance(changed, IndexError) else changed from None
        return [_blocks(batch) for batch in drawn]

    def _inner(self, graph: Graph) -> HeldHetero:
        """Returns the graph in the core whose rows list the edges to sample."""
        if not isinstance(graph, Graph):
            raise advice.graph_error("a gonextdoor.Graph", graph, "in")
        if self._given is None and self._generation != native.generation:
            self._start()  # forked workers with one stream would all draw the same
        if graph._edge_index and not self._chosen:
            warn_of_direction(graph)
        return held(graph if self.direction == "out" else facing(graph, self.direction))

    def _seed_nodes(self, graph: Graph, inner: HeldHetero, given: Any, on: tuple[int, ...]) -> Array:
        """The seed nodes of a batch as an array in this machine's memory."""
        if not graph._numbers_meant:
            told_apart(graph, "seed_nodes", given)
        if type(given) is not np.ndarray and type(given) is not list:
            given = fetched("seed_nodes", given, inner.widest.number, on)
        return flat("seed_nodes", given, graph)

    def _batch_seed(self, seed: Seed) -> int:
        """The seed of a call."""
        if seed is not None:
            return entropy(seed)
        call = next(self._calls)  # one step, so that threads get different numbers
        self._at = call + 1
        return rng.word(self._key, call)  # call_seed(self.seed, call)

    def __getstate__(self) -> dict[str, Any]:
        state = {
            name: getattr(self, name)
            for name in ("fanouts", "replace", "weighted", "device", "direction", "_chosen", "_given", "_method")
        }
        return state | {"_at": 0 if self._given is None else self._at}

    def __setstate__(self, state: dict[str, Any]) -> None:
        at = state.pop("_at")
        self.__dict__.update(state)
        self._on = among(listed(self.device))
        self._start()
        self._calls, self._at = itertools.count(at), at

    def _repr_html_(self) -> str:
        facts = {"fan-outs": ", ".join("all" if fanout < 0 else f"{fanout:,}" for fanout in self.fanouts)}
        facts |= {"replace": str(self.replace), "weighted": str(self.weighted), "direction": self.direction}
        return panel("PGSampler", facts | {"seed": str(self.seed)}, fanouts_picture(self.fanouts[::-1]), "a mini-batch")

    def __repr__(self) -> str:
        options = f", replace={self.replace}, weighted={self.weighted!r}, direction={self.direction!r}"
        options += method_shown(self._method)
        return f"PGSampler({list(self.fanouts)}{options}, seed={self.seed})"


def warn_of_direction(graph: Graph) -> None:
    """Issues an InputWarning, once per graph, if one of up to 256 edges has no opposite."""
    graph._edge_index = False
    if opposites(graph) < 1:
        warn(
            "the graph was made from an edge_index, and its edges lead in one direction only: pass "
            'PGSampler(direction="in") to take the edges that lead to a vertex, along which PyG and DGL pass messages, '
            'or direction="out" for those that leave it, which are taken now'
        )


def _blocks(drawn: NeighborBatch) -> tuple[Array, Array, list[Block]]:
    """A mini-batch in DGL's order."""
    arena, header = drawn.arena, drawn.header
    first, _, new = header.types[0]
    count = new[0]
    output_nodes = destinations = arena[first : first + count]
    blocks = []
    for found, (_, rows, indptr, indices, ids, edges) in zip(new[1:], header.hops, strict=True):
        count += found
        sources = arena[first : first + count]
        taken = arena[ids : ids + edges] if ids >= 0 else None
        arrays = arena[indptr : indptr + rows + 1], arena[indices : indices + edges]
        blocks.append(Block(*arrays, taken, sources, destinations))
        destinations = sources
    blocks.reverse()
    return destinations, output_nodes, blocks
