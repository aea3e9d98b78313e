"""Mini-batches for graph neural networks: relabelled blocks, one a hop."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from . import _memory, _native, _running
from .apps.parameters import Weighted, checked_fanouts, checked_flag, checked_weighted
from .arguments import integer_kind, integers
from .devices import for_cpu
from .graph import Graph
from .seeds import call_seed, entropy, signed

if TYPE_CHECKING:
    from .seeds import Seed

__all__ = ["Block", "PGSampler"]

Array = npt.NDArray[Any]


class Block:
    """One hop of a mini-batch: destination i has the sources ``indices[indptr[i]:indptr[i + 1]]``, in local ids.

    Attributes:
        indptr: (D + 1,) int64: where each destination's sources begin in indices, and the end.
        indices: (E,) int64: sources, as places in src_nodes.
        edge_ids: (E,) int64: the edges' ids in the graph.
        src_nodes: (S,) int64: the sources' vertices in the graph; begins with dst_nodes.
        dst_nodes: (D,) int64: the destinations' vertices in the graph.
    """

    __slots__ = ("dst_nodes", "edge_ids", "indices", "indptr", "src_nodes")

    def __init__(self, indptr: Array, indices: Array, edge_ids: Array, src_nodes: Array, dst_nodes: Array) -> None:
        self.indptr, self.indices, self.edge_ids = indptr, indices, edge_ids
        self.src_nodes, self.dst_nodes = src_nodes, dst_nodes

    def __repr__(self) -> str:
        return f"Block({len(self.src_nodes)} sources, {len(self.dst_nodes)} destinations, {len(self.indices)} edges)"


class PGSampler:
    """Samples the neighbourhoods of batches of vertices, as DGL's NeighborSampler does (after PGSampler).

    Args:
        fanouts: edges that each vertex takes, one number a hop in DGL's order: the last is that of the batch itself,
            the first that of the hop farthest from it. -1: all edges.
        replace: whether a vertex may take one edge several times.
        weighted: whether edges are taken in proportion to their weights; "auto": where the graph has some.
        seed: as for ``gonextdoor.sample``; call k takes word k of the seed's stream. None: fresh entropy, in each
            process.
        device: "auto" or "cpu".

    A vertex is expanded once in a hop, however many reach it, and its choices depend on the seed, the hop and the
    vertex alone.

    Raises:
        TypeError, ValueError, DeviceError: an argument is of the wrong type or value.
    """

    def __init__(
        self,
        fanouts: Iterable[SupportsIndex],
        *,
        replace: bool = False,
        weighted: Weighted = False,
        seed: Seed = None,
        device: str = "auto",
    ) -> None:
        self.fanouts = checked_fanouts(fanouts, all_edges=True)
        if not self.fanouts:
            raise ValueError("fanouts is empty: expected one number a hop")
        self.replace, self.weighted = checked_flag("replace", replace), checked_weighted(weighted)
        self.device = for_cpu("PGSampler", device)
        self._given = None if seed is None else entropy(seed)
        self._start()

    def _start(self) -> None:
        """What each process has of its own."""
        outwards = list(reversed(self.fanouts))
        parameters = {"fanouts": outwards, "replace": self.replace, "weighted": self.weighted}
        self._held = _native.HeldText("NewMiniBatch", "DropMiniBatch", json.dumps(parameters))
        self._generation = _native.generation()
        self.seed = entropy(None) if self._given is None else self._given
        self._calls, self._at = itertools.count(), 0

    def sample(
        self, graph: Graph, seed_nodes: npt.ArrayLike, exclude_eids: npt.ArrayLike | None = None, *, seed: Seed = None
    ) -> tuple[Array, Array, list[Block]]:
        """Samples the neighbourhood of a batch.

        Args:
            graph: the graph; neighbours are found along its out-edges.
            seed_nodes: (n,) vertices, all different.
            exclude_eids: (m,) ids of edges to leave out.
            seed: of this call alone; None: the next of the sampler's.

        Returns:
            (input_nodes, output_nodes, blocks): the vertices whose features are needed, ``blocks[0].src_nodes``; the
            batch; one Block a hop, the farthest first. All are int64.

        Raises:
            IndexError: a vertex or an edge is not in the graph.
            TypeError, ValueError: an argument is of the wrong type or value.
        """
        if not isinstance(graph, Graph):
            raise TypeError(f"graph: expected a gonextdoor.Graph, got {type(graph).__name__}")
        if self._given is None and self._generation != _native.generation():
            self._start()  # forked workers with one stream would all draw the same
        batch = _flat("seed_nodes", seed_nodes)
        left = _NOTHING if exclude_eids is None else _edge_ids("exclude_eids", exclude_eids)
        if seed is None:
            call = next(self._calls)  # one step, so that threads get different numbers
            self._at = call + 1
            word = call_seed(self.seed, call)
        else:
            word = entropy(seed)
        hops = len(self.fanouts)
        facts = np.zeros(3 + 5 * hops, np.int64)
        args = (
            graph._held.number, self._held.number, signed(word), _memory.address(batch), batch.size,
            integer_kind(batch), _memory.address(left), left.size, _memory.address(facts),
        )  # fmt: skip
        try:
            _running.call("MiniBatch", *args, seconds=self._seconds(graph, batch.size))
        except BaseException:  # the call may have ended all the same
            if facts[0]:
                _native.call("Return", int(facts[0]))
            raise
        graph._warm.add(PGSampler)
        return _blocks(facts.tolist(), hops)

    def _seconds(self, graph: Graph, batch: int) -> float:
        """What a call may take, by the most edges that it can find."""
        edges, level = 0.0, float(batch)
        for fanout in reversed(self.fanouts):
            edges = min(edges + level * fanout if fanout > 0 else 1e18, float(graph.num_edges * len(self.fanouts)))
            level = min(level * (1 + fanout) if fanout > 0 else 1e18, float(graph.num_vertices))
        tables = 0.0 if PGSampler in graph._warm else 3e-8 * graph.num_edges
        return 2e-8 * edges + tables

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in ("fanouts", "replace", "weighted", "device", "_given")}
        return state | {"_at": 0 if self._given is None else self._at}

    def __setstate__(self, state: dict[str, Any]) -> None:
        at = state.pop("_at")
        self.__dict__.update(state)
        self._start()
        self._calls, self._at = itertools.count(at), at

    def __repr__(self) -> str:
        options = f", replace={self.replace}, weighted={self.weighted!r}"
        return f"PGSampler({list(self.fanouts)}{options}, seed={self.seed})"


_NOTHING = np.empty(0, np.int64)


def _flat(name: str, values: npt.ArrayLike) -> Array:
    array = integers(name, values)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected shape (n,), got {array.shape}")
    return array


def _edge_ids(name: str, values: npt.ArrayLike) -> Array:
    array = _flat(name, values)
    if array.dtype == np.uint64 and array.size and int(array.max()) >> 63:
        at = int(np.argmax(array >> np.uint64(63)))
        raise IndexError(f"{name}[{at}] = {array[at]}: edge ids are below 2^63")
    return array.astype(np.int64, copy=False)


def _blocks(facts: list[int], hops: int) -> tuple[Array, Array, list[Block]]:
    """The arrays that a mini-batch's facts say lie in its arena: see pybind.MiniBatch."""
    arena = _memory.wrap(facts[0], (facts[1],), np.int64)
    nodes, blocks = facts[2], []
    for h in range(hops):
        destinations, sources, indptr, indices, ids = facts[3 + 5 * h : 8 + 5 * h]
        ends = arena[indptr : indptr + destinations + 1]
        edges = int(ends[-1])
        blocks.append(
            Block(
                ends,
                arena[indices : indices + edges],
                arena[ids : ids + edges],
                arena[nodes : nodes + sources],
                arena[nodes : nodes + destinations],
            )
        )
    blocks.reverse()
    return blocks[0].src_nodes, blocks[-1].dst_nodes, blocks
